"""`fit`: weights for an evaluation or a policy, from playthroughs that were stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cli.options import GameSpec, Json, number, whole_number

if TYPE_CHECKING:
    from counterplay.core.game import Game
    from counterplay.learning.imitation import Choice
    from counterplay.learning.recorded_games import Opinion
    from counterplay.learning.regression import Fitted
    from counterplay.learning.samples import Lesson

RESULT, SOLVE, MOVES, NETWORK = "result", "solve", "moves", "network"


Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", help="Games: what `match` or `tournament` wrote, PGN, PDN or SGF."),
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Write the model here.")]
Labels = Annotated[
    str,
    typer.Option(
        "--labels",
        metavar="WHAT",
        help="What a position is worth: result, how the game ended; solve, exactly; or a player's opinion of it, "
        "such as alphabeta:depth=6. moves: which action was chosen, a policy for playouts.",
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="METHOD",
        help="Least squares: exact, or stochastic for large tables. network: a network with a policy.",
    ),
]
Link = Annotated[str, typer.Option("--link", metavar="LINK", help="identity, or logistic (with --method stochastic).")]
Encoding = Annotated[
    str, typer.Option("--encoding", metavar="WHAT", help="What is weighed: features, patterns or planes.")
]
Ridge = Annotated[float, typer.Option("--ridge", metavar="R", parser=number, help="How much weights are held back.")]
Epochs = Annotated[
    int, typer.Option("--epochs", metavar="N", parser=whole_number, help="Passes over the games (stochastic).")
]
Rate = Annotated[
    float, typer.Option("--rate", metavar="R", parser=number, help="The first size of steps (stochastic).")
]
HoldOut = Annotated[
    float, typer.Option("--hold-out", metavar="S", parser=number, help="The share of games that only judge the fit.")
]
Skip = Annotated[
    int, typer.Option("--skip", metavar="N", parser=whole_number, help="Leave out the first N plies of each game.")
]
Plot = Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw predictions against what came.")]


def fit(
    game: GameSpec,
    files: Files,
    output: Output,
    labels: Labels = RESULT,
    method: Method = "exact",
    link: Link = "identity",
    encoding: Encoding = "",
    ridge: Ridge = 1e-3,
    epochs: Epochs = 4,
    rate: Rate = 0.02,
    hold_out: HoldOut = 0.1,
    skip: Skip = 0,
    plot: Plot = None,
    json: Json = False,
) -> None:
    """Fit an evaluation to stored games.

    Games that are held out measure the fit: its error in the game's units, and the correlation of prediction and label.
    """
    from counterplay.arena.recorded_games import read_games
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import wait_for
    from counterplay.core.compiled_rules import with_compiled_rules
    from counterplay.core.errors import CounterplayError
    from counterplay.evaluation.encoding import try_encoding
    from counterplay.learning.recorded_games import lesson_of
    from counterplay.learning.regression import FitOptions
    from counterplay.learning.regression import fit as fitted

    rules = open_game(game)
    try_encoding(rules)
    if skip < 0:
        raise CounterplayError(f"--skip {skip}: give 0 or more plies")
    if labels == MOVES or method == NETWORK:
        if plot is not None:
            raise CounterplayError("--plot draws how well an evaluation is calibrated; a policy has no such picture")
        learn_choices(rules, files, output, labels, method, encoding, epochs, rate, hold_out, skip, json)
        return
    how = FitOptions(encoding, method, link, ridge, epochs, rate, hold_out)
    if plot is not None:
        from counterplay.equilibrium.chart import require_chart

        require_chart(plot)
    opinion = opinion_of(rules, labels)
    replayed = with_compiled_rules(rules) if opinion is None else rules

    def read() -> Iterator[Lesson]:
        return (lesson_of(each, opinion, skip) for file in files for each in read_games(replayed, file))

    doing = "fitting" if opinion is None else "asking what positions are worth, and fitting"
    found = wait_for(lambda: fitted(rules, read, how), doing)
    found.model.save(output)
    if plot is not None:
        from counterplay.learning.chart import draw_calibration

        draw_calibration(found.held, f"{rules.spec}, held out", plot)
    print_fit(rules, found, output, json)


def print_fit(rules: Game, found: Fitted, output: Path, json: bool) -> None:
    """How good a fit is, for people or for programs."""
    from counterplay.cli.terminal import console, write_json

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
    from counterplay.arena.recorded_games import read_games
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.compiled_rules import with_compiled_rules
    from counterplay.core.errors import CounterplayError
    from counterplay.learning.imitation import fit_network, fit_policy
    from counterplay.learning.recorded_games import choices_of
    from counterplay.learning.regression import FitOptions

    FitOptions(epochs=epochs, rate=rate, hold_out=hold_out)  # refuses impossible options
    if method == NETWORK and labels not in (RESULT, MOVES):
        raise CounterplayError(f"--method network learns from moves and results, not from --labels {labels}")

    replayed = with_compiled_rules(rules)

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


def opinion_of(rules: Game, labels: str) -> Opinion | None:
    """What says what a position is worth; None: the result of its game."""
    if labels == RESULT:
        return None
    if labels == SOLVE:
        from counterplay.search.solving.solve import solve

        return lambda p: solve(rules, p.state, before=p.before).value
    from counterplay.players.specs import player

    asked = player(labels)
    asked.require(rules)
    return lambda p: asked.choose(p).value
