"""`fit`: weights for an evaluation or a policy, from playthroughs that were stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from counterplay.cli.options import GameSpec, Json, number, whole_number

if TYPE_CHECKING:
    from counterplay.core.game import Game
    from counterplay.core.playthrough import Playthrough
    from counterplay.learning.imitation import Choice
    from counterplay.learning.samples import Lesson

RESULT, SOLVE, MOVES, NETWORK = "result", "solve", "moves", "network"


def fit(
    game: GameSpec,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Games: what `match` or `tournament` wrote, PGN, PDN or SGF."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Write the model here.")],
    labels: Annotated[
        str,
        typer.Option(
            "--labels",
            metavar="WHAT",
            help="What a position is worth: result, how the game ended; solve, exactly; or a player's opinion of it, "
            "such as alphabeta:depth=6. moves: which action was chosen, a policy for playouts.",
        ),
    ] = RESULT,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="Least squares: exact, or stochastic for large tables. network: a network with a policy.",
        ),
    ] = "exact",
    link: Annotated[
        str, typer.Option("--link", metavar="LINK", help="identity, or logistic (with --method stochastic).")
    ] = "identity",
    encoding: Annotated[
        str, typer.Option("--encoding", metavar="WHAT", help="What is weighed: features, patterns or planes.")
    ] = "",
    ridge: Annotated[
        float, typer.Option("--ridge", metavar="R", parser=number, help="How much weights are held back.")
    ] = 1e-3,
    epochs: Annotated[
        int, typer.Option("--epochs", metavar="N", parser=whole_number, help="Passes over the games (stochastic).")
    ] = 4,
    rate: Annotated[
        float, typer.Option("--rate", metavar="R", parser=number, help="The first size of steps (stochastic).")
    ] = 0.02,
    hold_out: Annotated[
        float,
        typer.Option("--hold-out", metavar="S", parser=number, help="The share of games that only judge the fit."),
    ] = 0.1,
    skip: Annotated[
        int, typer.Option("--skip", metavar="N", parser=whole_number, help="Leave out the first N plies of each game.")
    ] = 0,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw predictions against what came.")
    ] = None,
    json: Json = False,
) -> None:
    """Fit an evaluation to stored games.

    What is held out tells how good it is: the error in the game's units, and the correlation of prediction and label.
    """
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.compiled_rules import quick
    from counterplay.core.errors import CounterplayError
    from counterplay.evaluation.encoding import try_encoding
    from counterplay.learning.regression import Fit
    from counterplay.learning.regression import fit as fitted

    rules = open_game(game)
    try_encoding(rules)
    if skip < 0:
        raise CounterplayError(f"--skip {skip} makes no sense: it is 0 or more plies")
    if labels == MOVES or method == NETWORK:
        if plot is not None:
            raise CounterplayError("--plot draws how well an evaluation is calibrated; a policy has no such picture")
        learn_choices(rules, files, output, labels, method, encoding, epochs, rate, hold_out, skip, json)
        return
    how = Fit(encoding, method, link, ridge, epochs, rate, hold_out)
    if plot is not None:
        from counterplay.equilibrium.chart import require_chart

        require_chart(plot)
    judge = opinion(rules, labels)

    replayed = quick(rules) if judge is None else rules

    def read() -> Iterator[Lesson]:
        return (lesson_of(each, judge, skip) for file in files for each in read_games(replayed, file))

    doing = "fitting" if judge is None else "asking what positions are worth, and fitting"
    found = wait_for(lambda: fitted(rules, read, how), doing)
    found.model.save(output)
    if plot is not None:
        from counterplay.learning.chart import draw_calibration

        draw_calibration(found.held, f"{rules.spec}, held out", plot)
    if json:
        write_json({"game": rules.spec, "model": str(output), **found.model.about})
        return
    out = console()
    out.print(f"fitted to {found.samples:,} positions, {found.model.encoding}: {output}")
    if found.held.number:
        out.print(
            f"held out: {found.held.number:,} positions, error {found.held.error:.4g}, "
            f"correlation {found.held.correlation:.3f}"
        )


def learn_choices(
    rules: Game, files: list[Path], output: Path, labels: str, method: str, encoding: str, epochs: int, rate: float,
    hold_out: float, skip: int, json: bool,
) -> None:  # fmt: skip
    """Fit a policy to what was played."""
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.compiled_rules import quick
    from counterplay.core.errors import CounterplayError
    from counterplay.learning.imitation import fit_network, fit_policy
    from counterplay.learning.regression import Fit

    Fit(epochs=epochs, rate=rate, hold_out=hold_out)  # refuses what makes no sense
    if method == NETWORK and labels not in (RESULT, MOVES):
        raise CounterplayError(f"--method network learns from moves and results, not from --labels {labels}")

    replayed = quick(rules)

    def read() -> Iterator[Iterator[Choice]]:
        return (choices_of(each, skip) for file in files for each in read_games(replayed, file))

    if method == NETWORK:
        found = wait_for(
            lambda: fit_network(rules, read, epochs=epochs, rate=rate / 10, hold_out=hold_out), "learning from games"
        )
    else:
        found = wait_for(
            lambda: fit_policy(rules, read, encoding=encoding, epochs=epochs, rate=rate, hold_out=hold_out),
            "learning from games",
        )
    found.model.save(output)
    if json:
        write_json({"game": rules.spec, "model": str(output), **found.model.about})
        return
    console().print(f"learned from {found.samples:,} choices: {output}")
    if found.held:
        console().print(f"held out: {found.held:,} choices, {found.foretold:.1%} of them foretold")


def opinion(rules: Game, labels: str) -> Any:
    """What says what a position is worth; None: the result of its game."""
    if labels == RESULT:
        return None
    if labels == SOLVE:
        from counterplay.search.solving.solve import solve

        return lambda p: solve(rules, p.state, before=p.before).value
    from counterplay.players.specs import player

    judge = player(labels)
    judge.require(rules)
    return lambda p: judge.choose(p).value


class Recorded(NamedTuple):
    """A game as it was stored."""

    start: Playthrough  # before its first move
    moves: list[Any]  # as texts, or as actions
    utilities: tuple[float, ...] | None  # None: nobody says


def read_games(rules: Game, file: Path) -> Iterator[Recorded]:
    """The games of a file: of the arena, or in the game's own format."""
    from counterplay.arena.openings import Opening
    from counterplay.arena.store import Store
    from counterplay.core.errors import CounterplayError
    from counterplay.core.registry import is_spec_of

    if rules.record_suffix and file.suffix.lower() == f".{rules.record_suffix}":
        for p, utilities in rules.read_playthroughs(file):
            plain = p.states[0] == rules.initial()
            start = rules.start(position=None if plain else rules.position_text(p.states[0]))
            yield Recorded(start, list(p.actions), utilities)
        return
    store = Store.existing(file)
    try:
        if not is_spec_of(store.plan.game, rules):
            raise CounterplayError(f"{str(file)!r} has games of {store.plan.game}, not of {rules.spec}")
        for text, result in store.texts_and_results():
            if text.ended != "rules":
                continue  # somebody forfeited: the result says nothing of the positions
            start = Opening(text.opening, text.position).start(rules)
            yield Recorded(start, rules.split_moves(text.moves), result.utilities)
    finally:
        store.close()


def lesson_of(game: Recorded, judge: Any, skip: int) -> Lesson:
    """The positions of a game after each action, where the game goes on, and what each is worth to its viewer."""
    p, rules = game.start, game.start.game
    states: list[Any] = []
    labels: list[float] = []
    for move in game.moves:
        p.play(move)
        if p.is_over or len(p) <= skip:
            continue
        viewer = rules.viewer(p.state)
        label = None
        if judge is None:
            label = game.utilities[viewer] if game.utilities else None
        elif p.to_move == viewer:  # (where chance moves, nobody is asked)
            label = judge(p)
        if label is not None:
            states.append(p.state)
            labels.append(float(label))
    return states, labels


def choices_of(game: Recorded, skip: int) -> Iterator[Choice]:
    """What was chosen in a game where there was a choice, and how it ended for who chose."""
    from counterplay.core.game import CHANCE
    from counterplay.learning.imitation import Choice

    p = game.start
    for move in game.moves:
        mover, state = p.to_move, p.state
        options = p.options() if mover != CHANCE and len(p) >= skip else []
        p.play(move)
        if len(options) > 1:
            got = game.utilities[mover] if game.utilities else None
            yield Choice(state, options, p.actions[-1], got)
