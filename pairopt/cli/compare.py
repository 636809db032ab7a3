"""`pairopt compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pairopt.cli.options import FILE
from pairopt.cli.study import models_of, names_of, progress, summary, world_of, world_options
from pairopt.errors import UsageError


@click.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--models", required=True, metavar="A,B,...", help="Shipped models or .toml files.")
@click.option("--players", metavar="N", help="Simulate tournaments of N players.")
@click.option(
    "--replicates",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Tournaments a model.",
)
@world_options
@click.option(
    "--permute",
    is_flag=False,
    flag_value="all",
    metavar="[KIND,...]",
    help="The first model in all orders of its criteria, or of these kinds or places.",
)
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Only N of the orders.")
@click.option("--baseline", metavar="MODEL", help="Compare with it. Default: the first model.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on a Dask cluster instead.")
@click.option("--timings", is_flag=True, help="Add a column with the seconds of each pairing.")
@click.option("-o", "--output", type=FILE, help="The table of all rounds, as CSV.")
def command(
    folder: str | None,
    models: str,
    players: str | None,
    replicates: int,
    permute: str | None,
    sample: int | None,
    baseline: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Compare models on simulated tournaments with equal luck, or on FOLDER's real events.

    Means and paired differences are printed with 95 % intervals. A run that was stopped goes on
    where it was if -o names the same file.
    """
    from pairopt.study.comparison import compare_models, compare_on_events
    from pairopt.study.intervals import scipy_stats

    scipy_stats()  # better now than after the run
    chosen = models_of(models, permute, sample, options["seed"])
    if baseline is not None and baseline not in [model.name for model in chosen]:
        raise UsageError(f"--baseline {baseline}: expected one of the models")
    if (folder is None) == (players is None):
        raise UsageError("expected either --players N, to simulate, or a folder of events")
    if players is not None and not players.isdecimal():
        raise UsageError(f"--players {players}: expected a number")
    world = world_of(int(players or 32), options)
    with progress() as watch:
        if folder is None:
            frame = compare_models(
                chosen, world, replicates=replicates, output=output, watch=watch, **options
            )
        else:
            frame = compare_on_events(chosen, Path(folder), output=output, watch=watch, **options)
    click.echo(names_of(chosen), nl=False, err=True)
    click.echo(summary(frame, baseline), nl=False)
