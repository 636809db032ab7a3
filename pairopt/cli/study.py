"""`pairopt study`, whose options are a study.toml, and `study run`, `check` and `plan`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pairopt.cli import EXIT_INFEASIBLE, simulate
from pairopt.cli.console import progress, say, table_text
from pairopt.cli.options import (
    FILE,
    FOLDER,
    DecimalRange,
    IntegerRange,
    NonEmptyPath,
    apply_decorators,
    bounded,
)
from pairopt.common.limits import MOST_STEP, MOST_TRIES, parse_digits
from pairopt.errors import UsageError
from pairopt.files.overwrite_guard import require_free
from pairopt.files.write import write_whole
from pairopt.lab.comparison import half_widths
from pairopt.lab.statistics import comparing
from pairopt.lab.statistics.estimate import FEW, has_few_varied, scipy_stats
from pairopt.lab.studies.schema import StudyFile
from pairopt.lab.studies.study_file import (
    StudyDesign,
    all_versions,
    read_study,
    toml_of,
)
from pairopt.lab.table import by_world
from pairopt.messages.formatting import count_noun, escape_hidden, join_names
from pairopt.messages.interfaces import TERMINAL
from pairopt.problem.model import Model

if TYPE_CHECKING:
    import pandas as pd

LEAST, SAMPLE = (
    5,
    20,
)  # as `power` and `check` have them, which are imported where they are needed
EVENTS = NonEmptyPath(exists=True, file_okay=False)
JOBS = click.option("--jobs", type=bounded("workers"), default=1, help="Processes.")
SCHEDULER = click.option(
    "--scheduler", metavar="ADDRESS", help="Run on a Dask cluster instead."
)


def _players(
    ctx: click.Context, param: click.Parameter, text: str | None
) -> int | str | None:
    """A number of players, or a folder of events."""
    if text is None:
        return None
    number = parse_digits(text, MOST_STEP)
    return str(EVENTS.convert(text, param, ctx)) if number is None else number


def _folder(
    _ctx: click.Context, _param: click.Parameter, text: str | None
) -> Path | None:
    if text is not None and text.lower().endswith((".csv", ".parquet", ".pq")):
        raise UsageError(
            f"-o {text}: expected a folder, which has all tables of the study"
        )
    return None if text is None else Path(text)


GONE = {
    "--games": "the games are in the folder that -o DIR names",
    "--summary": "means.csv and differences.csv are in the folder that -o DIR names",
    "--timings": "compare_models(..., timings=True) of Python has the seconds of each pairing",
    "--overwrite": "a folder of another study is never replaced: name another with -o DIR",
}
"""Options that there were, and what to use instead."""


def _refuse_gone(_ctx: click.Context, param: click.Option, given: object) -> None:
    """Raises UsageError for an option that there was: its help says what is instead."""
    if given:
        raise UsageError(f"--{param.name} is no more: {param.help}")


GONE_OPTIONS = apply_decorators(
    [
        click.option(
            name,
            is_flag=name in ("--timings", "--overwrite"),
            hidden=True,
            expose_value=False,
            callback=_refuse_gone,
            help=instead,
        )
        for name, instead in GONE.items()
    ]
)


@click.command()
@click.argument("folder", required=False, type=EVENTS)
@click.option(
    "--players",
    callback=_players,
    metavar="N|FOLDER",
    help="Play tournaments of N players, or pair a folder of events again.",
)
@click.option(
    "--models", required=True, metavar="A,B,...", help="Shipped models or .toml files."
)
@simulate.key_options(StudyFile, ["replicates"])
@simulate.world_options
@simulate.key_options(StudyFile, ["metrics", "rankings"])
@click.option(
    "--grid",
    multiple=True,
    metavar="NAME=A,B,...",
    help="Worlds with each of these values: --grid rounds=5,7 --grid draws=0,0.3.",
)
@click.option(
    "--permute",
    is_flag=False,
    flag_value="all",
    metavar="[KIND,...]",
    help="The first model in all orders of its criteria, or of these kinds or places.",
)
@simulate.key_options(StudyFile, ["sample", "baseline"])
@click.option(
    "--margin",
    multiple=True,
    metavar="METRIC:M",
    help="Test whether models differ by less than M. Repeatable.",
)
@click.option(
    "--precision",
    multiple=True,
    metavar="METRIC:W",
    help="Play on until no interval of METRIC has a half-width above W. Repeatable.",
)
@simulate.key_options(StudyFile, ["most"])
@JOBS
@SCHEDULER
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    callback=_folder,
    help="The folder of the study: its study.toml, games, tables, figures, sentences.",
)
@click.option("--toml", type=FILE, help="Only write the study.toml that says the same.")
@GONE_OPTIONS
@click.pass_context
def command(
    ctx: click.Context,
    /,
    folder: str | None,
    players: int | str | None,
    models: str,
    jobs: int,
    scheduler: str | None,
    output: Path | None,
    toml: str | None,
    **_: Any,
) -> None:
    """Study models on simulated tournaments with equal luck, or on a FOLDER of real events.

    With --players N tournaments are played; with a folder every round of its events is paired
    again, and beside the models stands what was played. Means and paired differences are printed
    with 95 % intervals; p-values are corrected for the number of models. The options are those of a
    study.toml, which -o DIR keeps with all that `pairopt study run` makes of it: a run that was
    stopped goes on there where it was.

    `pairopt study run`, `check` and `plan` are for studies that are files; a FOLDER of that name is
    ./run.
    """
    if (folder is None) == (players is None):
        raise UsageError(
            "expected either --players N, to simulate, or a folder of events"
        )
    scipy_stats()  # better now than after the run
    given = simulate.given_in(ctx)
    for text in given.get("plugins", ()) if output or toml else ():
        if not text.rpartition(":")[0].endswith(".py"):
            raise UsageError(
                f"--plugin {text}: expected FILE.py:NAME, which the study keeps"
            )
    size = {"players": players} if isinstance(players, int) else {}
    table = simulate.table_of(given, simulate.texts_in(models), **size) | _tables(given)
    if not size:
        table["events"] = folder or players
    if toml is not None:
        require_free([toml])
    design = simulate.design_of(table)
    if "margin" in given:
        others = [name for name in design.names if name != design.baseline]
        if not others:
            raise UsageError("--margin is of a difference: expected two models or more")
        near = [
            dict(
                zip(("metric", "margin"), _numbered(text), strict=True),
                model=name,
                claim="near",
            )
            for text in given["margin"]
            for name in others
        ]
        design = simulate.design_of(table | {"hypotheses": near})
    if (
        not size
        and output
        and output.resolve().is_relative_to(Path(table["events"]).resolve())
    ):
        raise UsageError(f"{output} is in the folder of events: write to another one")
    if toml is not None:
        write_whole(toml, design.raw)
    else:
        _play(design, output, jobs, scheduler)


def _tables(given: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if (text := given.get("permute")) is not None:
        found["permute"] = [] if text == "all" else simulate.texts_in(text)
    for text in given.get("grid", ()):
        name, has_values, values = text.partition("=")
        grid, key = found.setdefault("grid", {}), name.strip().replace("-", "_")
        if not has_values or key in grid:
            raise UsageError(f"--grid {text}: expected NAME=A,B,..., each name once")
        grid[key] = [simulate.number_in(value) for value in simulate.texts_in(values)]
    if "precision" in given:
        found["precision"] = dict(map(_numbered, given["precision"]))
    return found


def _numbered(text: str) -> tuple[str, Any]:
    metric, _, number = text.partition(":")
    return metric, simulate.number_in(number)


def _play(
    design: StudyDesign, folder: Path | None, jobs: int, scheduler: str | None
) -> None:
    """Play a study, print its table and its sentences, and say where all of it is."""
    from pairopt.lab.studies.run import SENTENCES, run_study

    simulate.say_games(design.contenders, design.worlds[0])
    with progress() as watch:
        frame, told = run_study(
            design, folder, jobs=jobs, scheduler=scheduler, watch=watch
        )
    for model in design.contenders:  # what the names of other orders stand for
        if isinstance(model, Model) and "/" in model.name:
            say(f"{model.name}: {model.title}")
    for words, (cells, rows) in zip(design.words, by_world(frame), strict=True):
        here = "".join(f"\n{name}: {value}" for name, value in cells.items())
        heading = f"{words}, seed {design.file.seed}{here}"
        click.echo(
            findings_text(rows, heading, design.baseline, design.file.precision),
            nl=False,
        )
    for each in told:
        click.echo(escape_hidden(each.sentence))
    if folder is not None:
        say(f"written to {folder}, the sentences to {folder / SENTENCES}")


@click.command()
@click.argument("study", type=FILE)
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    help="The folder of the study. Default: beside the file, named as it is.",
)
@click.option(
    "--first",
    type=IntegerRange(0, MOST_TRIES),
    help="Begin with this tournament, from 0.",
)
@click.option(
    "--count",
    type=IntegerRange(1, MOST_TRIES),
    help="Play so many only: another run puts the parts of all together.",
)
@JOBS
@SCHEDULER
def run(
    study: str,
    output: str | None,
    first: int | None,
    count: int | None,
    jobs: int,
    scheduler: str | None,
) -> None:
    """Play what a study.toml says, and write down what came out. The folder has the games, tables,
    figures and a sentence for each hypothesis: shown or not shown. A run that was stopped goes on
    where it was. The same file gives the same bytes.
    """
    scipy_stats()  # better now than after the run
    design = read_study(study)
    folder = Path(output) if output else Path(study).with_suffix("")
    if folder == Path(study):
        raise UsageError(f"{study}: expected a name that ends in .toml, or -o FOLDER")
    if first is None and count is None:
        return _play(design, folder, jobs, scheduler)
    from pairopt.lab.studies.run import run_shard

    many = design.file.replicates - (first or 0) if count is None else count
    with progress() as watch:
        done = run_shard(
            design,
            folder,
            first or 0,
            many,
            jobs=jobs,
            scheduler=scheduler,
            watch=watch,
        )
    say(
        f"{count_noun(done, 'tournament', 'tournaments')} in {folder}: run it again without --first "
        "and --count to make it whole"
    )
    return None


@click.command()
@click.argument("folder", type=FOLDER)
@click.option(
    "--replay",
    type=IntegerRange(0, MOST_TRIES),
    default=SAMPLE,
    help="Tournaments to play again from their seeds, drawn by lot; 0 for tables alone.",
)
@click.option("--all", "every", is_flag=True, help="Play every tournament again.")
@JOBS
@click.pass_context
def check(ctx: click.Context, folder: str, replay: int, every: bool, jobs: int) -> None:
    """Whether everything in a study's folder follows from its study.toml, games and seed.

    In layers: all tables and sentences are made again from the games, in seconds; figures are drawn,
    and a sample of tournaments is played again from the seed; with --all every one. Says what does
    not agree in each, and then ends with 1. Plug-ins of the study are run.
    """
    from pairopt.lab.studies.check import Layer, check_study

    layer: Layer = "all" if every else "sample" if replay else "tables"
    with progress() as watch:
        found = check_study(Path(folder), layer, replay, jobs=jobs, watch=watch)
    for note in found.notes:
        say(note)
    for faults in found.found.values():
        for fault in faults:
            click.echo(escape_hidden(TERMINAL.format_message(fault)))
    games = count_noun(found.tournaments, "tournament", "tournaments")
    seeds = f", {found.by_seed} more are by seed alone" * bool(found.by_seed)
    again = count_noun(found.replayed, "tournament", "tournaments")
    told = (
        f"Tables: {found.files} files made again from the games of {games}{seeds}",
        f"Seeds: {again} played again",
    )
    for each, faults in zip(told, found.found.values(), strict=False):
        wrong = count_noun(len(faults), "thing does", "things do")
        click.echo(f"{each}: {f'{wrong} not agree' if faults else 'all agrees'}.")
    if found.faults:
        ctx.exit(EXIT_INFEASIBLE)


@click.command()
@click.argument("study", type=FILE)
@click.option(
    "--pilot",
    type=IntegerRange(LEAST, 100_000),
    default=40,
    help="Tournaments a model from which the spread is taken.",
)
@click.option(
    "--power",
    type=DecimalRange(0.5, 0.999),
    default=0.9,
    help="The probability with which a hypothesis that is true is shown.",
)
@click.option(
    "--pin",
    is_flag=True,
    help="Print the versions and digests to put into the file, and play nothing.",
)
@JOBS
def plan(study: str, pilot: int, power: float, pin: bool, jobs: int) -> None:
    """How many tournaments the hypotheses of a study.toml need, from a pilot. The pilot has another
    seed than the study, and only the spread of the differences is taken from it. `near` is reckoned
    for no difference, the others for the `effect` that the file says.
    """
    from pairopt.lab.studies.power import plan as planned

    scipy_stats()
    design = read_study(study)
    if pin:
        pinned = {"versions": all_versions(), "digests": design.digests}
        whole = replace(design, file=design.file.model_copy(update=pinned)).registered
        click.echo(
            toml_of(pinned | {"registration": {"sha256": whole}}).lstrip(), nl=False
        )
        return
    if not design.file.hypotheses:
        raise UsageError(f"{study}: no hypotheses to plan for")
    if design.file.events:
        raise UsageError(
            f"{study}: a plan is of simulated tournaments, not of real events"
        )
    with progress() as watch:
        found = planned(design, pilot, power, jobs=jobs, watch=watch)
    for each in found:
        click.echo(each.sentence(power, design.file.replicates))


def findings_text(
    frame: pd.DataFrame, heading: str, baseline: str | None, widths: Mapping[str, float]
) -> str:
    """The tables of a study for people, models of equal pairings as one; `widths` as asked for."""
    first = comparing.baseline_of(frame, baseline)
    # by the one that stands for those of equal pairings, which is the baseline if it is one
    every = comparing.designs(frame).values()
    alike = {
        own[0]: own
        for own in (sorted(names, key=lambda name: name != first) for names in every)
    }
    shown = frame[frame["model"].isin(alike)]
    own, against = comparing.means(shown), comparing.differences(shown, first)
    parts = [
        f"{escape_hidden(heading)}\n",
        "".join(f"{line}\n" for line in _remarks(frame, alike)),
    ]
    rows: list[list[Any]] = [
        [r.model, r.metric, f"{r.mean:.4g}", _range(r), r.n] for r in _rows(own)
    ]
    table = table_text(
        ["model", "metric", "mean", "95 % interval", "n"], rows, "mean,n"
    )
    parts.append(table if rows else "No tournament was paired to the end.\n")
    if not against.empty:
        heads = ["model", "metric", "difference", "95 % interval", "n", "vary", "p"]
        rows = [
            [
                r.model,
                r.metric,
                f"{r.difference:+.4g}",
                _range(r),
                r.n,
                r.varied,
                "<0.001" if r.p_holm < 0.001 else f"{r.p_holm:.3f}",
            ]
            for r in _rows(against)
        ]
        table = table_text(heads, rows, "difference,n,vary,p")
        parts += [f"Paired differences to {escape_hidden(first)}\n", table]
    parts.append(_legend(own, against))
    if widths:
        parts.append("".join(f"{line}\n" for line in _widths(frame, baseline, widths)))
    return "\n".join(part for part in parts if part)


def _remarks(frame: pd.DataFrame, alike: Mapping[str, list[str]]) -> Iterator[str]:
    for model, rows in comparing.ended_early(frame).groupby("model", sort=False):
        of = frame.loc[frame["model"] == model, "replicate"].nunique()
        named = join_names([str(each) for each in rows["replicate"]])
        yield (
            f"{escape_hidden(model)}: {len(rows)} of {count_noun(of, 'tournament', 'tournaments')} left "
            f"out, as a round had no pairing: {escape_hidden(named)}"
        )
    models = sum(map(len, alike.values()))
    if models > len(alike):
        kinds = count_noun(len(alike), "design", "designs")
        yield f"{models} models are {kinds}: these have the same numbers in every round"
        yield from (
            f"  {escape_hidden(' = '.join(names))}"
            for names in alike.values()
            if len(names) > 1
        )


def _legend(own: pd.DataFrame, against: pd.DataFrame) -> str:
    lines = [
        "Intervals hold each for itself. p is of no difference, corrected (Holm) for all designs "
        "compared in a metric.",
        "vary: tournaments whose difference is not the most frequent one, which mostly is 0.",
    ] * (not against.empty)
    if any(
        has_few_varied(row.varied, row.n)
        for table in (own, against)
        for row in _rows(table)
    ):
        lines.append(
            f"*: fewer than {FEW} vary, too few to say anything: the interval is mostly "
            "what could be."
        )
    return "".join(f"{line}\n" for line in lines)


def _widths(
    frame: pd.DataFrame, baseline: str | None, wanted: Mapping[str, float]
) -> Iterator[str]:
    count = frame.groupby("model")["replicate"].nunique().max()
    for metric, reached in half_widths(frame, wanted, baseline).items():
        missed = "" if reached <= wanted[metric] else ", not reached"
        yield (
            f"{metric}: half-width {reached:.4g} after {count} tournaments a model "
            f"({wanted[metric]:g} was asked for{missed})"
        )


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    return iter(table.itertuples())


def _range(row: Any) -> str:
    known = isfinite(row.low) and isfinite(row.high)
    interval = f"{row.low:.4g} to {row.high:.4g}" if known else "unknown"
    return interval + "*" * has_few_varied(row.varied, row.n)
