"""The HTTP API under /api: games, positions and searches for other programs. Wrong input gets a 4xx and one sentence."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, FastAPI, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from counterplay.core.errors import BrokenGame, CounterplayError, UnknownGame
from counterplay.core.game import CHANCE, Game
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import describe
from counterplay.players.specs import best, best_appraiser, player
from counterplay.players.wording import description, first_sentence, rules_of
from counterplay.web.admission import MOST_MOVES, MOST_POSITION, MOST_SPEC, SECONDS, Shelf, admitted
from counterplay.web.crew import Crew
from counterplay.web.desk import Desk
from counterplay.web.strength import levels
from counterplay.web.turns import Busy

EXAMPLE = "connect-four"
MOST_WORDS = 200
"""The maximum number of characters of a request that its refusal repeats."""

T = TypeVar("T")


class Error(BaseModel):
    """The error, and how to fix it."""

    error: str


class Summary(BaseModel):
    """A game in the list."""

    name: str
    description: str
    parameters: dict[str, Any] = {}
    players: int | None = None
    chance: bool | None = None
    hidden: bool | None = None
    zero_sum: bool | None = None


class Strength(BaseModel):
    """A level of strength."""

    word: str
    player: str


class About(BaseModel):
    """A game."""

    game: str
    description: str
    rules: str
    parameters: dict[str, Any]
    players: list[str]
    chance: bool
    hidden: bool
    zero_sum: bool
    utility_bounds: tuple[float, float]
    strengths: list[Strength]
    start: str = Field(description="the starting position")


class Where(BaseModel):
    """A position: where play began, and the moves since."""

    model_config = ConfigDict(extra="forbid")

    game: str = Field(max_length=MOST_SPEC, examples=[EXAMPLE, "hex:size=5"])
    position: str | None = Field(None, max_length=MOST_POSITION, description="in the format of `counterplay show`")
    moves: str = Field(
        "", max_length=MOST_MOVES, description="separated by spaces, including chance events", examples=["4 4"]
    )


class PositionQuestion(Where):
    """A position to describe."""

    viewer: int | None = Field(None, ge=0, lt=64, description="show only what this player sees, from 0")
    svg: bool = Field(False, description="with a picture")


class PositionAnswer(BaseModel):
    """The description of a position."""

    game: str
    position: str | None = Field(description="null if the viewer cannot see all of it")
    to_move: str | None = Field(description="a player's name, `chance`, or null at the end")
    player: int | None = Field(description="the same as a number from 0, -1 for chance")
    actions: list[str] | None = Field(description="the legal actions; null if the viewer may not know them")
    probabilities: list[float] | None = Field(description="of the events, if chance moves")
    over: bool
    returns: list[float] | None
    board: str
    svg: str | None


class Question(Where):
    """A search: by which player, for how long."""

    player: str = Field(
        "", max_length=500, description="a spec; default: the best for the game", examples=["alphabeta"]
    )
    seconds: float | None = Field(None, gt=0, le=SECONDS, description="how long to think")
    depth: int | None = Field(None, ge=1, le=100)
    every: bool = Field(False, description="evaluate every action, if the player can")


class Judged(BaseModel):
    """A search's evaluation of an action."""

    action: str
    value: float
    visits: int
    plies: int | None
    prior: float | None = Field(description="a network's prior")


class SearchAnswer(BaseModel):
    """The result of a search."""

    game: str
    player: str
    action: str | None = Field(description="null if chance moves")
    value: float | None = Field(description="for the player to move")
    value_to: str | None = Field(None, description="if chance moves, the player whose value it is")
    plies: int | None
    line: list[str]
    depth: int
    nodes: int
    seconds: float
    proven: bool
    actions: list[Judged]


REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Error, "description": "the request is not JSON"},
    404: {"model": Error, "description": "no such game"},
    413: {"model": Error, "description": "the request has more than 64 kB"},
    422: {"model": Error, "description": "the request makes no sense here"},
    503: {"model": Error, "description": "too many searches at once"},
}


def open_api(app: FastAPI, shelf: Shelf, crew: Crew, desk: Desk) -> None:
    """Add the API to the server."""
    router = APIRouter(prefix="/api", responses=REFUSALS)

    @router.get("/games")
    def games() -> list[Summary]:
        """Every game with its traits."""
        return [Summary(**(description(shelf.own.get(name, name)) | {"name": name})) for name in shelf.names()]

    @router.get("/games/{game}")
    def game(game: Annotated[str, Path(max_length=MOST_SPEC, examples=[EXAMPLE])]) -> About:
        """One game: rules, parameters, who can play it."""
        return about(game, shelf.game(game))

    @router.post("/position")
    async def position(asked: PositionQuestion) -> PositionAnswer:
        """A position: who is to move, what is legal."""
        return await desk.run(looked_at, shelf, asked)

    @router.post("/search")
    async def search(asked: Question, request: Request) -> SearchAnswer:
        """What a player would do, within capped budgets; if chance moves, the value of the position."""
        spec, by_chance = await desk.run(chosen, shelf, asked)
        found = await while_heard(
            request,
            crew.ask(
                "appraise" if by_chance else "rank" if asked.every else "choose",
                game=shelf.spec(asked.game),
                position=asked.position,
                moves=asked.moves,
                player=spec,
            ),
        )
        if found is None:
            raise CounterplayError("the search was stopped before it found anything")
        return SearchAnswer(game=asked.game, player=spec, **found)

    @router.api_route("/{rest:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
    def nothing(rest: str) -> None:
        raise HTTPException(404, f"not found: there is no /api/{rest[:60]}; /docs lists the API")

    app.include_router(router)
    refuse_in_sentences(app)


async def while_heard(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of a piece of work, which ends at once if its client disconnects."""

    async def leave() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(leave())
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise HTTPException(499, "the client has disconnected")
    finally:
        working.cancel()
        leaving.cancel()


def looked_at(shelf: Shelf, asked: PositionQuestion) -> PositionAnswer:
    """The position in a request."""
    p = shelf.playthrough(asked.game, asked.position, asked.moves)
    with blamed(p.game):
        return shown(asked, p)


def chosen(shelf: Shelf, asked: Question) -> tuple[str, bool]:
    """The spec of the player that searches, admitted and suitable, if there is a choice or, in an open game, a chance
    event to appraise; and whether the latter is the case."""
    p = shelf.playthrough(asked.game, asked.position, asked.moves)
    by_chance = not p.is_over and p.to_move == CHANCE
    if p.is_over or (by_chance and p.game.has_secrets):
        raise CounterplayError(f"there is nothing to choose: {'the game is over' if p.is_over else 'chance moves'}")
    budget = {name: value for name, value in (("time", asked.seconds), ("depth", asked.depth)) if value is not None}
    made = admitted(asked.player or (best_appraiser(p.game) if by_chance else best(p.game, budget)))
    if budget:
        made = admitted(player(made.spec, budget=budget).spec)
    made.require(p.game)
    return made.spec, by_chance


def about(spec: str, game: Game) -> About:
    """One game in full."""
    strengths = [Strength(word=level.word, player=level.spec) for level in levels(game)]
    traits = game.traits._asdict() | {"players": [game.player_name(i) for i in range(game.players)]}
    with blamed(game):
        start = game.position_text(game.initial())
        return About(
            game=spec,
            description=first_sentence(type(game)),
            rules=rules_of(game),
            parameters=game.parameters,
            strengths=strengths,
            start=start,
            **traits,
        )


def shown(asked: PositionQuestion, p: Playthrough) -> PositionAnswer:
    """A position as its viewer may see it."""
    game = p.game
    if asked.viewer is not None and asked.viewer >= game.players:
        raise CounterplayError(f"no player {asked.viewer}: {asked.game} has {game.players}, counted from 0")
    secret = asked.viewer is not None and game.has_secrets
    over, by_chance = p.is_over, p.to_move == CHANCE
    sees = not secret or p.to_move == asked.viewer
    odds = [game.probability(p.state, event) for event in p.options()] if by_chance and not over and sees else None
    return PositionAnswer(
        game=asked.game,
        position=None if secret else p.position,
        to_move=None if over else game.player_name(p.to_move),
        player=None if over else p.to_move,
        actions=p.legal() if sees else None,
        probabilities=odds,
        over=over,
        returns=list(p.returns) if over else None,
        board=game.board(p.state, asked.viewer),
        svg=game.svg(p.state, asked.viewer) if asked.svg else None,
    )


@contextlib.contextmanager
def blamed(game: Game) -> Any:
    """An error in a game's rules, as a sentence."""
    try:
        yield
    except CounterplayError:
        raise
    except Exception as wrong:
        raise BrokenGame(f"the rules of {game.spec} raise {describe(wrong)}") from wrong


# Refusals.


def refuse_in_sentences(app: FastAPI) -> None:
    """Turn every error into {"error": sentence}."""

    @app.exception_handler(CounterplayError)
    async def _(request: Request, wrong: CounterplayError) -> JSONResponse:
        status = 404 if isinstance(wrong, UnknownGame) else 503 if isinstance(wrong, Busy) else 422
        return JSONResponse({"error": str(wrong)}, status)

    @app.exception_handler(RequestValidationError)
    async def _(request: Request, wrong: RequestValidationError) -> JSONResponse:
        first = wrong.errors()[0]
        location = ".".join(str(part) for part in first["loc"][1:])[:MOST_WORDS] or "the request"
        status = 400 if first["type"] == "json_invalid" else 422
        why = first["msg"][:MOST_WORDS]
        return JSONResponse({"error": f"{location}: {why[:1].lower()}{why[1:]}"}, status)

    @app.exception_handler(HTTPException)
    async def _(request: Request, wrong: HTTPException) -> JSONResponse:
        return JSONResponse({"error": str(wrong.detail)}, wrong.status_code, wrong.headers)
