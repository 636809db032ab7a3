"""`pairopt study`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

import click

from pairopt.bounds import MOST_STEP, whole_number
from pairopt.errors import UsageError
from pairopt.files.guard import require_free
from pairopt.files.write import write_whole
from pairopt.lab.measuring.statistics.comparing import summary_csv
from pairopt.lab.measuring.statistics.estimate import scipy_stats
from pairopt.lab.measuring.table import by_world
from pairopt.lab.running.comparison import compare_models, compare_on_events
from pairopt.lab.running.tasks import PLAYED
from pairopt.lab.studies.file import toml_of
from pairopt.lab.studies.schema import StudyFile
from pairopt.problem.model import Model
from pairopt.show.cli.console import progress, say
from pairopt.show.cli.findings import findings_text
from pairopt.show.cli.numbers import Whole
from pairopt.show.cli.options import FILE, OVERWRITE, Named
from pairopt.show.cli.tournaments import (
    WORLD_NAMES,
    design_of,
    given_in,
    key_options,
    number_in,
    say_games,
    table_of,
    texts_in,
    world_options,
)

FOLDER = Named(exists=True, file_okay=False)
SIMULATED = ("replicates", "precision", "most", *WORLD_NAMES, "metrics", "rankings", "grid",
             "games", "toml")  # fmt: skip
"""Options of simulated tournaments."""


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
@key_options(StudyFile, ["replicates"])
@world_options
@key_options(StudyFile, ["metrics", "rankings"])
@click.option("--grid", multiple=True, metavar="NAME=A,B,...",
              help="Worlds with each of these values: --grid rounds=5,7 --grid draws=0,0.3.",
              )  # fmt: skip
@click.option("--games", type=FILE, help="All matches, as CSV or .parquet; with -o.")
@click.option("--permute", is_flag=False, flag_value="all", metavar="[KIND,...]",
              help="The first model in all orders of its criteria, or of these kinds or places.",
              )  # fmt: skip
@key_options(StudyFile, ["sample", "baseline"])
@click.option("--margin", multiple=True, metavar="METRIC:M",
              help="Test whether models differ by less than M. Repeatable.")  # fmt: skip
@click.option("--precision", multiple=True, metavar="METRIC:W",
              help="Play on until no interval of METRIC has a half-width above W. Repeatable.",
              )  # fmt: skip
@key_options(StudyFile, ["most"])
@click.option("--jobs", type=Whole(1, 1024), default=1,
              help="Processes.")  # fmt: skip
@click.option("--scheduler", metavar="ADDRESS", help="Run on a Dask cluster instead.")
@click.option("--timings", is_flag=True, help="Add a column with the seconds of each pairing.")
@click.option("-o", "--output", type=FILE, help="The table of all rounds, as CSV or .parquet.")
@click.option("--summary", "told", type=FILE, help="Means and differences as CSV.")
@click.option("--toml", type=FILE, help="Only write the study.toml that says the same.")
@OVERWRITE
@click.pass_context
def command(
    ctx: click.Context,
    /,
    folder: str | None,
    players: int | Path | None,
    models: str,
    margin: tuple[str, ...],
    output: str | None,
    told: str | None,
    toml: str | None,
    overwrite: bool,
    **options: Any,
) -> None:
    """Study models on simulated tournaments with equal luck, or on a FOLDER of real events.

    With --players N tournaments are played; with a folder every round of its events is paired
    again, and beside the models stands what was played. Means and paired differences are printed
    with 95 % intervals; p-values are corrected for the number of models. A run that was stopped
    goes on where it was if -o names the same file.

    `pairopt study run`, `check` and `plan` are for studies that are files, which --toml writes; a
    FOLDER of that name is ./run.
    """
    events = Path(folder) if folder is not None else players
    if events is None or None not in (folder, players):
        raise UsageError("expected either --players N, to simulate, or a folder of events")
    games, timings = options["games"], options["timings"]
    if output is None and (timings or games):
        what = "timings are a column of" if timings else "games are kept beside"
        raise UsageError(f"--{what} the table: expected -o too")
    require_free([path for path in (told, toml) if path], [output, games], overwrite)
    scipy_stats()  # better now than after the run
    given = given_in(ctx)
    if isinstance(events, Path):
        _refuse_simulated(given)
    size = {"players": events} if isinstance(events, int) else {}
    baseline = given.pop("baseline", None) if isinstance(events, Path) else given.get("baseline")
    table = table_of(given, texts_in(models), **size) | _tables(given)
    if toml is not None:
        write_whole(toml, toml_of(table))
        return
    design = design_of(table)
    chosen, file = design.contenders, design.file
    names = [*([PLAYED] * isinstance(events, Path)), *design.names]
    if baseline is not None and baseline not in names:
        raise UsageError(f"--baseline {baseline}: expected one of {', '.join(names)}")
    margins = bounds_of(margin, design.columns)
    if margins and len(names) < 2:
        raise UsageError("--margin is of a difference: expected two models or more")
    with progress() as watch:
        run: dict[str, Any] = {
            "seed": file.seed, "choose": file.choose, "timings": timings, "watch": watch,
            "jobs": options["jobs"], "scheduler": options["scheduler"], "output": output,
            "overwrite": overwrite,
        }  # fmt: skip
        if isinstance(events, Path):
            frame = compare_on_events(chosen, events, **run)
        else:
            say_games(chosen, design.worlds[0])
            frame = compare_models(
                chosen, design.worlds, replicates=file.replicates, metrics=design.measured,
                precision=file.precision, most=file.most, baseline=baseline, games=games, **run,
            )  # fmt: skip
    for model in chosen:  # what the names of other orders stand for
        if isinstance(model, Model) and "/" in model.name:
            say(f"{model.name}: {model.title}")
    if told is not None:
        write_whole(told, summary_csv(frame, baseline))
    simulated = [each.words for each in design.worlds]
    drawn = [f"the events of {events}"] if isinstance(events, Path) else simulated
    for words, (cells, rows) in zip(drawn, by_world(frame), strict=True):
        here = "".join(f"\n{name}: {value}" for name, value in cells.items())
        heading = f"{words}, seed {file.seed}{here}"
        click.echo(findings_text(rows, heading, baseline, margins, file.precision), nl=False)


def _refuse_simulated(given: Mapping[str, Any]) -> None:
    """Raises UsageError for an option that a folder of events has no use for."""
    for name in SIMULATED:
        if name in given:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} is for simulated tournaments, not for a folder of events")


def _tables(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a study.toml that are lists and tables."""
    found: dict[str, Any] = {}
    if "permute" in given:
        found["permute"] = [] if given["permute"] == "all" else texts_in(given["permute"])
    for text in given.get("grid", ()):
        name, has_values, values = text.partition("=")
        grid, key = found.setdefault("grid", {}), name.strip().replace("-", "_")
        if not has_values or key in grid:
            raise UsageError(f"--grid {text}: expected NAME=A,B,..., each name once")
        grid[key] = [number_in(value) for value in texts_in(values)]
    for text in given.get("precision", ()):
        metric, _, width = text.partition(":")
        found.setdefault("precision", {})[metric] = number_in(width)
    return found


def bounds_of(given: Sequence[str], columns: Sequence[str]) -> dict[str, float]:
    """Margins above 0 by metric, one of these columns, of texts such as kendall:0.01."""
    found = {}
    for text in given:
        metric, _, number = text.partition(":")
        if metric not in columns:
            expected = ", ".join(columns)
            raise UsageError(f"--margin {text}: expected one of {expected}, then :NUMBER")
        margin = number_in(number)
        if isinstance(margin, str) or not 0 < float(margin) < inf:
            raise UsageError(f"--margin {text}: expected a number above 0, as in {metric}:0.01")
        found[metric] = float(margin)
    return found
