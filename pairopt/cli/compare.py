"""`pairopt compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pairopt.cli.options import FILE
from pairopt.cli.study import models_of, names_of, progress, summary, world_of, world_options
from pairopt.errors import UsageError


@click.command()
@click.argument("event", required=False, type=click.Path())
@click.option("--models", required=True, metavar="A,B,...", help="Shipped models or .toml files.")
@click.option(
    "--players",
    metavar="N|FILE",
    help="Simulate tournaments of N players; with EVENT its players.csv.",
)
@click.option(
    "--swap",
    is_flag=True,
    help="The first model with each neighbouring pair of criteria exchanged (EVENT).",
)
@click.option(
    "--round",
    "number",
    type=click.IntRange(1),
    metavar="N",
    help="Pair round N of EVENT from the rounds before it.",
)
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
    event: str | None,
    models: str,
    players: str | None,
    swap: bool,
    number: int | None,
    replicates: int,
    permute: str | None,
    sample: int | None,
    baseline: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Compare models on simulated tournaments with equal luck, or on real events.

    EVENT is one event: a table of levels by models, and the matches that change. Or it is a
    folder of events: every round of each is paired again. Without EVENT tournaments are played.
    Means and paired differences are printed with 95 % intervals. A run that was stopped goes on
    where it was if -o names the same file.
    """
    if event is not None and not Path(event).is_dir():
        click.echo(_one_round(event, players, models, swap, number, options["seed"]), nl=False)
        return
    if swap or number is not None:
        raise UsageError("--swap and --round need one event")
    from pairopt.study.comparison import compare_models, compare_on_events
    from pairopt.study.intervals import scipy_stats

    scipy_stats()  # better now than after the run
    chosen = models_of(models, permute, sample, options["seed"])
    if baseline is not None and baseline not in [model.name for model in chosen]:
        raise UsageError(f"--baseline {baseline}: expected one of the models")
    if (event is None) == (players is None):
        raise UsageError("expected either --players N, to simulate, or events")
    if players is not None and not players.isdecimal():
        raise UsageError(f"--players {players}: expected a number")
    world = world_of(int(players or 32), options)
    with progress() as watch:
        if event is None:
            frame = compare_models(
                chosen, world, replicates=replicates, output=output, watch=watch, **options
            )
        else:
            frame = compare_on_events(chosen, Path(event), output=output, watch=watch, **options)
    click.echo(names_of(chosen), nl=False, err=True)
    click.echo(summary(frame, baseline), nl=False)


def _one_round(
    path: str, players: str | None, models: str, swap: bool, number: int | None, seed: int
) -> str:
    """The comparison of one event's round, for people."""
    from pairopt.cli.show import table_text
    from pairopt.io import read_event
    from pairopt.round.compare import compare
    from pairopt.wording import VERDICTS, amount, pair_text, plain

    event = read_event(path, players, round=number)
    found = compare(event, [name.strip() for name in models.split(",")], swap=swap, seed=seed)
    numbers = [str(k) for k in range(1, len(found.models) + 1)]
    rows = [
        [m.criterion, m.level, m.words, *(amount(value, m.scale) for value in m.amounts)]
        for m in found.measured
        if any(m.amounts)
    ]
    heads = ["criterion", "level", "counts", *numbers]
    lines = [f"Round {found.round}", "", table_text(heads, rows, ",".join(["level", *numbers]))]
    named = zip(numbers, found.models, found.results, found.changed, strict=True)
    for k, name, result, changed in named:
        said = "" if result.proven else f" {VERDICTS[result.status]}"
        count = f"{len(changed)} of {len(found.results[0].matches)} matches differ"
        lines.append(f"{k} {name}: {count if k != '1' else 'the others beside it'}.{said}")
        lines += [f"  {plain(pair_text(*match))}" for match in changed]
    return "\n".join([*lines, ""])
