"""`pairopt study`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from pairopt.cli.options import FILE, OVERWRITE, Named, say
from pairopt.cli.worlds import CHOOSE, WORLD_NAMES, say_games, world_of, world_options
from pairopt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pairopt.problem.model import Model

FOLDER = Named(exists=True, file_okay=False)


def _players(ctx: click.Context, param: click.Parameter, text: str | None) -> int | Path | None:
    """A number of players, or a folder of events."""
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) < 9:
        return int(text)
    return Path(str(FOLDER.convert(text, param, ctx)))


@click.command()
@click.argument("folder", required=False, type=FOLDER)
@click.option("--players", callback=_players, metavar="N|FOLDER",
              help="Play tournaments of N players, or pair a folder of events again.")  # fmt: skip
@click.option("--models", required=True, metavar="A,B,...", help="Shipped models or .toml files.")
@click.option("--replicates", type=click.IntRange(1), default=100, show_default=True,
              help="Tournaments a model.")  # fmt: skip
@world_options
@click.option("--permute", is_flag=False, flag_value="all", metavar="[KIND,...]",
              help="The first model in all orders of its criteria, or of these kinds or places.",
              )  # fmt: skip
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Only N of the orders.")
@CHOOSE
@click.option("--baseline", metavar="MODEL", help="Compare with it. Default: the first model.")
@click.option("--margin", multiple=True, metavar="METRIC:M",
              help="Test whether models differ by less than M. Repeatable.")  # fmt: skip
@click.option("--precision", multiple=True, metavar="METRIC:W",
              help="Play on until no interval of METRIC has a half-width above W. Repeatable.",
              )  # fmt: skip
@click.option("--most", type=click.IntRange(1), default=10_000, show_default=True,
              help="Tournaments a model that --precision ends with.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1, 1024), default=1, show_default=True,
              help="Processes.")  # fmt: skip
@click.option("--scheduler", metavar="ADDRESS", help="Run on a Dask cluster instead.")
@click.option("--timings", is_flag=True, help="Add a column with the seconds of each pairing.")
@click.option("-o", "--output", type=FILE, help="The table of all rounds, as CSV.")
@OVERWRITE
@click.pass_context
def command(
    ctx: click.Context,
    /,
    folder: str | None,
    players: int | Path | None,
    models: str,
    replicates: int,
    permute: str | None,
    sample: int | None,
    baseline: str | None,
    margin: tuple[str, ...],
    precision: tuple[str, ...],
    most: int,
    output: str | None,
    overwrite: bool,
    **options: Any,
) -> None:
    """Study models on simulated tournaments with equal luck, or on a FOLDER of real events.

    With --players N tournaments are played; with a folder every round of its events is paired
    again, and beside the models stands what was played. Means and paired differences are printed
    with 95 % intervals; p-values are corrected for the number of models. A run that was stopped
    goes on where it was if -o names the same file.
    """
    from pairopt.cli.findings import findings_text
    from pairopt.io.guard import require_free
    from pairopt.study.comparison import compare_models, compare_on_events
    from pairopt.study.statistics.estimate import scipy_stats
    from pairopt.study.tasks import PLAYED

    given = Path(folder) if folder is not None else players
    if given is None or None not in (folder, players):
        raise UsageError("expected either --players N, to simulate, or a folder of events")
    if options["timings"] and output is None:
        raise UsageError("--timings are a column of the table: expected -o too")
    require_free([output] if output else [], (), overwrite)
    scipy_stats()  # better now than after the run
    margins, widths = bounds_of("--margin", margin), bounds_of("--precision", precision)
    chosen = models_of(models, permute, sample, options["seed"])
    names = [*([PLAYED] * isinstance(given, Path)), *(model.name for model in chosen)]
    if baseline is not None and baseline not in names:
        raise UsageError(f"--baseline {baseline}: expected one of {', '.join(names)}")
    if margins and len(names) < 2:
        raise UsageError("--margin is of a difference: expected two models or more")
    if isinstance(given, Path):
        _refuse_simulated(ctx)
    else:
        say_games(chosen)
    world = world_of(given if isinstance(given, int) else 2, options)
    with progress() as watch:
        options |= {"output": output, "watch": watch}
        if isinstance(given, int):
            frame = compare_models(chosen, world, replicates=replicates, precision=widths,
                                   baseline=baseline, most=most, **options)  # fmt: skip
        else:
            frame = compare_on_events(chosen, given, **options)
    for model in chosen:
        if "/" in model.name:  # what the names of other orders stand for
            say(f"{model.name}: {model.title}")
    drawn = f"the events of {given}" if isinstance(given, Path) else world.words
    heading = f"{drawn}, seed {options['seed']}"
    click.echo(findings_text(frame, heading, baseline, margins, widths), nl=False)


def _refuse_simulated(ctx: click.Context) -> None:
    """Raises UsageError for an option that a folder of events has no use for."""
    for name in ("replicates", "precision", "most", *WORLD_NAMES):
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} is for simulated tournaments, not for a folder of events")


def bounds_of(option: str, given: Sequence[str]) -> dict[str, float]:
    """Numbers above 0 by metric, of texts such as kendall:0.01."""
    from pairopt.study.statistics.tournaments import COLUMNS

    found = {}
    for text in given:
        metric, _, number = text.partition(":")
        if metric not in COLUMNS:
            raise UsageError(f"{option} {text}: expected one of {', '.join(COLUMNS)}, then :NUMBER")
        try:
            found[metric] = float(number)
        except ValueError:
            found[metric] = 0.0
        if not 0 < found[metric] < inf:
            raise UsageError(f"{option} {text}: expected a number above 0, as in {metric}:0.01")
    return found


def models_of(names: str, permute: str | None, sample: int | None, seed: int) -> list[Model]:
    """The models of a comma-separated list, the first one in other orders if wanted."""
    from pairopt.problem.model import load_model
    from pairopt.study.permuting import orderings

    models = [load_model(name.strip()) for name in names.split(",")]
    if permute is None:
        if sample is not None:
            raise UsageError("--sample needs --permute")
        return models
    kinds = () if permute == "all" else [kind.strip() for kind in permute.split(",")]
    return [*orderings(models[0], kinds, sample, seed), *models[1:]]


@contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("")
        yield lambda done, total: bar.update(task, completed=done, total=total)
