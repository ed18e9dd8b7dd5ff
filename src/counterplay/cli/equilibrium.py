"""`equilibrium`: strategies from which no player gains by deviating."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import typer

from counterplay.cli.options import Cluster, GameSpec, Json, number, whole_number

if TYPE_CHECKING:
    from counterplay.api.equilibrium import Goal
    from counterplay.equilibrium.training import PolicyTraining


Position = Annotated[
    str | None,
    typer.Option("--position", metavar="TEXT", help="Solve the rest of the hand from this position, given --ranges."),
]
Memory = Annotated[
    int | None,
    typer.Option(
        "--memory",
        metavar="MB",
        parser=whole_number,
        help="Memory for a sampling method, on top of the program's own; with --workers, for each process (default: 4096).",
    ),
]
Workers = Annotated[
    int, typer.Option("--workers", metavar="N", parser=whole_number, help="Let mccfr sample in N processes.")
]
Samplers = Annotated[
    int,
    typer.Option("--samplers", metavar="N", parser=whole_number, help="Number of samplers (default: one per core)."),
]
Ranges = Annotated[
    str,
    typer.Option(
        "--ranges",
        metavar="TEXT",
        help='What each player may hold, such as "AA,AKs / QQ+,AQs:0.5" (default: all hands).',
    ),
]
After = Annotated[
    str, typer.Option("--after", metavar="ACTIONS", help="Show the strategy after these actions from the position.")
]


def equilibrium(
    game: GameSpec,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="One of cfr, cfr+, linear, dcfr, pcfr+, mccfr, mccfr-outcome or lp; for matrix games also lemke-howson, "
            "all-labels, supports, vertices, logit or correlated.",
        ),
    ] = "",
    iterations: Annotated[
        int | None, typer.Option("--iterations", metavar="N", parser=whole_number, help="Stop after N iterations.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--time", metavar="S", parser=number, help="Stop after S seconds.")
    ] = None,
    exploitability: Annotated[
        float | None,
        typer.Option("--exploitability", metavar="E", parser=number, help="Stop at this exploitability."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the policy to FILE; a policy already there is trained further.",
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over, whatever FILE holds.")] = False,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Plot exploitability over time, as .png, .svg or .pdf."),
    ] = None,
    abstract: Annotated[
        bool, typer.Option("--abstract", help="Solve the game's abstraction, in which similar hands share a bucket.")
    ] = False,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", parser=whole_number, help="The random seed of sampling methods.")
    ] = 0,
    memory: Memory = None,
    workers: Workers = 0,
    cluster: Cluster = "",
    samplers: Samplers = 0,
    position: Position = None,
    ranges: Ranges = "",
    after: After = "",
    json: Json = False,
) -> None:
    """Find an equilibrium of a game with hidden information.

    Matrix games are solved directly, others by iteration; Ctrl-C stops early and keeps the policy so far. Exploitability is
    exact: what a player would gain on average by a best response. A policy for the abstraction is evaluated in the full
    game. With --position it solves the rest of a poker hand; -o FILE.svg draws the strategy of all hands, FILE.json lists
    it.
    """
    from counterplay.api.equilibrium import Goal, Listener, find
    from counterplay.api.subgame import spot_of
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, note, wait_for, write_json
    from counterplay.scale.crew import Fleet

    spot = spot_of(position, ranges, after)
    fleet = Fleet(workers, cluster, samplers, game)
    rules, goal = open_game(game), Goal(iterations, seconds, exploitability)
    with StatusLine(goal) as status:
        listener = Listener(wait_for, note, status.update)
        found = find(rules, method, goal, file, fresh, plot, abstract, seed, memory, listener, spot, fleet)
    if json:
        write_json(found.to_json() | {"game": game})
    else:
        console().print(str(found))
    if found.stopped:
        note("stopped; " + ("the same command continues from here" if file else "with -o FILE it can continue later"))
        raise KeyboardInterrupt


class StatusLine:
    """A line in a terminal that shows the progress of training."""

    def __init__(self, goal: Goal) -> None:
        from counterplay.cli.terminal import console

        self.goal, self.started = goal, False
        self.line = console(stderr=True).status("training") if sys.stderr.isatty() else None

    def update(self, training: PolicyTraining) -> None:
        """Print the progress."""
        if self.line is None:
            return
        if not self.started:
            self.line.start()
            self.started = True
        self.line.update(progress(training, self.goal))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.line is not None and self.started:
            self.line.stop()


def progress(training: PolicyTraining, goal: Goal) -> str:
    """The progress of training, in one line."""
    parts = [f"{training.learner.method}, iteration {training.learner.count:,}"]
    last = training.points[-1] if training.points else None
    if last and last.exploitability is not None:
        parts.append(f"exploitability {last.exploitability:.3g}")
    left = training.time_left(*goal)
    if left is not None:
        parts.append(f"about {left:,.0f} s left")
    return ", ".join(parts) + " (Ctrl-C stops it)"
