"""`fit`: weights for an evaluation or a policy, from stored playthroughs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Cluster, GameSpec, Json, Workers, number, whole_number

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
        help="The label of a position: result, how the game ended; solve, its exact value; or a player's value, "
        "such as alphabeta:depth=6. moves: the action chosen, for a playout policy.",
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
    str, typer.Option("--encoding", metavar="WHAT", help="What gets weights: features, patterns or planes.")
]
Ridge = Annotated[float, typer.Option("--ridge", metavar="R", parser=number, help="The strength of the ridge penalty.")]
Epochs = Annotated[
    int, typer.Option("--epochs", metavar="N", parser=whole_number, help="Passes over the games (stochastic).")
]
Rate = Annotated[float, typer.Option("--rate", metavar="R", parser=number, help="The initial step size (stochastic).")]
HoldOut = Annotated[
    float,
    typer.Option("--hold-out", metavar="S", parser=number, help="The share of games held out to measure the fit."),
]
Skip = Annotated[
    int, typer.Option("--skip", metavar="N", parser=whole_number, help="Leave out the first N plies of each game.")
]
Plot = Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Plot predictions against results.")]


def fit(
    game: GameSpec,
    files: Files,
    output: Output,
    labels: Labels = "result",
    method: Method = "exact",
    link: Link = "identity",
    encoding: Encoding = "",
    ridge: Ridge = 1e-3,
    epochs: Epochs = 4,
    rate: Rate = 0.02,
    hold_out: HoldOut = 0.1,
    skip: Skip = 0,
    plot: Plot = None,
    workers: Workers = 0,
    cluster: Cluster = "",
    json: Json = False,
) -> None:
    """Fit an evaluation to stored games.

    Games that are held out measure the fit: its error in the game's units, and the correlation of prediction and label.
    """
    from counterplay.api.fit import fit as fitted
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, wait_with_news, write_json

    rules = open_game(game)
    found = wait_with_news(
        lambda hear: fitted(
            game if workers or cluster else rules,
            files,
            output=output,
            labels=labels,
            method=method,
            link=link,
            encoding=encoding,
            ridge=ridge,
            epochs=epochs,
            rate=rate,
            hold_out=hold_out,
            skip=skip,
            plot=plot,
            workers=workers,
            cluster=cluster,
            progress=hear,
        ),
        "fitting",
    )
    if json:
        write_json(found.to_json())
    else:
        console().print(str(found))
