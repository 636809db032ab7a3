"""`pairopt study`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from pairopt.bounds import MOST_STEP, MOST_TRIES, whole_number
from pairopt.errors import UsageError
from pairopt.files.guard import require_free
from pairopt.files.write import write_whole
from pairopt.lab.comparison import compare_models, compare_on_events
from pairopt.lab.contenders import Contender, contender_of
from pairopt.lab.grid import by_world
from pairopt.lab.metrics import METRICS, metric_columns
from pairopt.lab.own import name_of
from pairopt.lab.permuting import orderings
from pairopt.lab.plugins import named
from pairopt.lab.rankings import Tau, ranking_of
from pairopt.lab.statistics.comparing import summary_csv
from pairopt.lab.statistics.estimate import scipy_stats
from pairopt.lab.statistics.tournaments import COLUMNS
from pairopt.lab.tasks import PLAYED
from pairopt.problem.model import Model
from pairopt.show.cli.console import progress, say
from pairopt.show.cli.findings import findings_text
from pairopt.show.cli.numbers import Whole
from pairopt.show.cli.options import FILE, OVERWRITE, Named
from pairopt.show.cli.tournaments import (
    CHOOSE,
    WORLD_NAMES,
    own_of,
    say_games,
    world_options,
    worlds_of,
)

FOLDER = Named(exists=True, file_okay=False)
RUN_NAMES = ("replicates", "precision", "most")
STUDY_NAMES = ("metrics", "rankings", "grid", "games")
"""Options of simulated tournaments besides those of their world."""


def _players(ctx: click.Context, param: click.Parameter, text: str | None) -> int | Path | None:
    """A number of players, or a folder of events."""
    if text is None:
        return None
    if (number := whole_number(text, MOST_STEP)) is not None:
        return number
    return Path(str(FOLDER.convert(text, param, ctx)))


@click.command()
@click.argument("folder", required=False, type=FOLDER)
@click.option("--players", callback=_players, metavar="N|FOLDER",
              help="Play tournaments of N players, or pair a folder of events again.")  # fmt: skip
@click.option("--models", required=True, metavar="A,B,...", help="Shipped models or .toml files.")
@click.option("--replicates", type=Whole(1, MOST_TRIES), default=100,
              help="Tournaments a model.")  # fmt: skip
@world_options
@click.option("--metrics", metavar="A,B,...",
              help="Measure more: winner, unique_winner, side_points, strength_gap, "
              "optimum[=MODEL], or a name of your own.")  # fmt: skip
@click.option("--rankings", metavar="A,B,...",
              help="The tau of other final standings: tie-breaks (buchholz+wins), points, "
              "bradley_terry, least_squares, performance, or a name of your own.")  # fmt: skip
@click.option("--grid", multiple=True, metavar="NAME=A,B,...",
              help="Worlds with each of these values: --grid rounds=5,7 --grid draws=0,0.3.",
              )  # fmt: skip
@click.option("--games", type=FILE, help="All matches, as CSV or .parquet; with -o.")
@click.option("--permute", is_flag=False, flag_value="all", metavar="[KIND,...]",
              help="The first model in all orders of its criteria, or of these kinds or places.",
              )  # fmt: skip
@click.option("--sample", type=Whole(1, MOST_TRIES), metavar="N", help="Only N of the orders.")
@CHOOSE
@click.option("--baseline", metavar="MODEL", help="Compare with it. Default: the first model.")
@click.option("--margin", multiple=True, metavar="METRIC:M",
              help="Test whether models differ by less than M. Repeatable.")  # fmt: skip
@click.option("--precision", multiple=True, metavar="METRIC:W",
              help="Play on until no interval of METRIC has a half-width above W. Repeatable.",
              )  # fmt: skip
@click.option("--most", type=Whole(1, MOST_TRIES), default=10_000,
              help="Tournaments a model that --precision ends with.")  # fmt: skip
@click.option("--jobs", type=Whole(1, 1024), default=1,
              help="Processes.")  # fmt: skip
@click.option("--scheduler", metavar="ADDRESS", help="Run on a Dask cluster instead.")
@click.option("--timings", is_flag=True, help="Add a column with the seconds of each pairing.")
@click.option("-o", "--output", type=FILE, help="The table of all rounds, as CSV or .parquet.")
@click.option("--summary", "told", type=FILE, help="Means and differences as CSV.")
@OVERWRITE
@click.pass_context
def command(
    ctx: click.Context,
    /,
    folder: str | None,
    players: int | Path | None,
    models: str,
    permute: str | None,
    sample: int | None,
    baseline: str | None,
    margin: tuple[str, ...],
    output: str | None,
    told: str | None,
    overwrite: bool,
    **options: Any,
) -> None:
    """Study models on simulated tournaments with equal luck, or on a FOLDER of real events.

    With --players N tournaments are played; with a folder every round of its events is paired
    again, and beside the models stands what was played. Means and paired differences are printed
    with 95 % intervals; p-values are corrected for the number of models. A run that was stopped
    goes on where it was if -o names the same file.

    `pairopt study run`, `check` and `plan` are for studies that are files; a FOLDER of that name
    is ./run.
    """
    given = Path(folder) if folder is not None else players
    if given is None or None not in (folder, players):
        raise UsageError("expected either --players N, to simulate, or a folder of events")
    if output is None:
        _refuse_without_table(options)
    require_free([told] if told else [], [output, options["games"]], overwrite)
    scipy_stats()  # better now than after the run
    own = own_of(options)
    columns = _name_measures(options, own)
    margins = bounds_of("--margin", margin, columns)
    widths = options["precision"] = bounds_of("--precision", options["precision"], columns)
    chosen = models_of(models, permute, sample, options["seed"], own)
    names = [*([PLAYED] * isinstance(given, Path)), *map(name_of, chosen)]
    if baseline is not None and baseline not in names:
        raise UsageError(f"--baseline {baseline}: expected one of {', '.join(names)}")
    if margins and len(names) < 2:
        raise UsageError("--margin is of a difference: expected two models or more")
    if isinstance(given, Path):
        _refuse_simulated(ctx)
    against = next((each for each in chosen if name_of(each) == baseline), chosen[0])
    size = given if isinstance(given, int) else 2
    worlds = worlds_of(ctx, size, options, own, against)
    asked = {name: options.pop(name) for name in (*RUN_NAMES, *STUDY_NAMES) if name in options}
    if isinstance(given, int):
        say_games(chosen, worlds[0])
        options |= {**asked, "world": worlds, "baseline": baseline}
    with progress() as watch:
        options |= {"output": output, "watch": watch, "overwrite": overwrite}
        if isinstance(given, int):
            frame = compare_models(chosen, **options)
        else:
            frame = compare_on_events(chosen, given, **options)
    for model in chosen:  # what the names of other orders stand for
        if isinstance(model, Model) and "/" in model.name:
            say(f"{model.name}: {model.title}")
    drawn = [each.words for each in options.get("world", ())] or [f"the events of {given}"]
    if told is not None:
        write_whole(told, summary_csv(frame, baseline))
    for words, (cells, rows) in zip(drawn, by_world(frame), strict=True):
        here = "".join(f"\n{name}: {value}" for name, value in cells.items())
        heading = f"{words}, seed {options['seed']}{here}"
        click.echo(findings_text(rows, heading, baseline, margins, widths), nl=False)


def _name_measures(options: dict[str, Any], own: Mapping[str, object]) -> tuple[str, ...]:
    """Put metrics and rankings in the place of their names; the columns of all metrics."""
    metrics, rankings = (
        [each.strip() for each in (options[name] or "").split(",") if each.strip()]
        for name in ("metrics", "rankings")
    )
    options["metrics"] = [named(each, METRICS, own) for each in metrics]
    options["rankings"] = [ranking_of(each, own) for each in rankings]
    return (*COLUMNS, *metric_columns((*options["metrics"], *map(Tau, options["rankings"]))))


def _refuse_without_table(options: Mapping[str, Any]) -> None:
    """Raises UsageError for what is of no use without -o."""
    if options["timings"]:
        raise UsageError("--timings are a column of the table: expected -o too")
    if options["games"]:
        raise UsageError("--games are kept beside the table: expected -o too")


def _refuse_simulated(ctx: click.Context) -> None:
    """Raises UsageError for an option that a folder of events has no use for."""
    for name in (*RUN_NAMES, *WORLD_NAMES, *STUDY_NAMES):
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} is for simulated tournaments, not for a folder of events")


def bounds_of(option: str, given: Sequence[str], columns: Sequence[str]) -> dict[str, float]:
    """Numbers above 0 by metric, one of these columns, of texts such as kendall:0.01."""
    found = {}
    for text in given:
        metric, _, number = text.partition(":")
        if metric not in columns:
            raise UsageError(f"{option} {text}: expected one of {', '.join(columns)}, then :NUMBER")
        try:
            found[metric] = float(number)
        except ValueError:
            found[metric] = 0.0
        if not 0 < found[metric] < inf:
            raise UsageError(f"{option} {text}: expected a number above 0, as in {metric}:0.01")
    return found


def models_of(
    names: str,
    permute: str | None,
    sample: int | None,
    seed: int,
    own: Mapping[str, object],
) -> list[Model | Contender]:
    """What a comma-separated list names, the first model in other orders if wanted."""
    models = [contender_of(name.strip(), own) for name in names.split(",")]
    if permute is None:
        if sample is not None:
            raise UsageError("--sample needs --permute")
        return models
    first = models[0]
    if not isinstance(first, Model):
        raise UsageError(f"{names.split(',')[0]} is no model: it has no order to permute")
    kinds = () if permute == "all" else [kind.strip() for kind in permute.split(",")]
    return [*orderings(first, kinds, sample, seed), *models[1:]]
