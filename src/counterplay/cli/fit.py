"""`fit`: weights for an evaluation, from playthroughs that were stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import GameSpec, Json, number, whole_number

if TYPE_CHECKING:
    from counterplay.core.game import Game
    from counterplay.core.playthrough import Playthrough
    from counterplay.learning.samples import Lesson

RESULT, SOLVE = "result", "solve"


def fit(
    game: GameSpec,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Games: what `match` or `tournament` wrote.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Write the model here.")],
    labels: Annotated[
        str,
        typer.Option(
            "--labels",
            metavar="WHAT",
            help="What a position is worth: result, how the game ended; solve, exactly; or a player's opinion of it, "
            "such as alphabeta:depth=6.",
        ),
    ] = RESULT,
    method: Annotated[
        str, typer.Option("--method", metavar="METHOD", help="Least squares: exact, or stochastic for large tables.")
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
    from counterplay.cli.opening import open_game
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.learning.regression import Fit
    from counterplay.learning.regression import fit as fitted

    rules = open_game(game)
    how = Fit(encoding, method, link, ridge, epochs, rate, hold_out)
    if plot is not None:
        from counterplay.equilibrium.chart import require_chart

        require_chart(plot)
    judge = opinion(rules, labels)

    def read() -> Iterator[Lesson]:
        return (lesson for file in files for lesson in read_lessons(rules, file, judge, skip))

    if judge is None:
        found = wait_for(lambda: fitted(rules, read, how), "fitting")  # read anew for each pass, never held in memory
    else:
        lessons = wait_for(lambda: list(read()), "asking what positions are worth")
        found = wait_for(lambda: fitted(rules, lambda: lessons, how), "fitting")
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


def opinion(rules: Game, labels: str) -> Any:
    """What says what a position is worth; None: the result of its game."""
    if labels == RESULT:
        return None
    if labels == SOLVE:
        from counterplay.search.solve import solve

        return lambda p: solve(rules, p.state, before=p.before).value
    from counterplay.players.specs import player

    judge = player(labels)
    judge.require(rules)
    return lambda p: judge.choose(p).value


def read_lessons(rules: Game, file: Path, judge: Any, skip: int) -> Iterator[Lesson]:
    """The games of a file, as lessons."""
    from counterplay.arena.openings import Opening
    from counterplay.arena.store import Store
    from counterplay.core.errors import CounterplayError

    store = Store.existing(file)
    try:
        if store.plan.game != rules.spec:
            raise CounterplayError(f"{str(file)!r} has games of {store.plan.game}, not of {rules.spec}")
        for text, result in zip(store.texts(), store.results(), strict=True):
            if text.ended != "rules":
                continue  # somebody forfeited: the result says nothing of the positions
            p = Opening(text.opening, text.position).start(rules)
            yield lesson_of(p, rules.split_moves(text.moves), result.utilities, judge, skip)
    finally:
        store.close()


def lesson_of(p: Playthrough, moves: list[str], utilities: tuple[float, ...], judge: Any, skip: int) -> Lesson:
    """The positions of a game after each action, where the game goes on, and what each is worth to its viewer."""
    rules, states, labels = p.game, [], []
    for move in moves:
        p.play(move)
        if p.is_over or len(p) <= skip:
            continue
        viewer = rules.viewer(p.state)
        if judge is None:
            label = utilities[viewer]
        elif p.to_move == viewer:
            label = judge(p)
        else:
            continue  # chance moves: nobody is asked
        if label is not None:
            states.append(p.state)
            labels.append(float(label))
    return states, labels
