"""Define `pairopt study`, whose options stand for a study.toml, and its subcommands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pairopt.cli import simulate
from pairopt.cli.console import progress, say, table_text
from pairopt.cli.exit_codes import EXIT_INFEASIBLE
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
from pairopt.lab.figures import FIGURES
from pairopt.lab.statistics import comparing
from pairopt.lab.statistics.estimate import (
    FEWEST_VARIED_VALUES,
    has_few_varied,
    scipy_stats,
)
from pairopt.lab.studies.schema import StudyFile
from pairopt.lab.studies.study_file import (
    StudyDesign,
    all_versions,
    read_study,
    require_control,
    toml_of,
)
from pairopt.lab.sweep_figures import SWEEP
from pairopt.lab.table import by_world
from pairopt.messages.formatting import count_noun, escape_hidden, join_names
from pairopt.messages.interfaces import TERMINAL
from pairopt.problem.model import Model

if TYPE_CHECKING:
    import pandas as pd

# These are also in `power` and `check`, which are imported only where they are needed.
LEAST, SAMPLE = 5, 20
EVENTS = NonEmptyPath(exists=True, file_okay=False)
JOBS = click.option(
    "--jobs", type=bounded("workers"), default=1, help="Number of processes."
)
SCHEDULER = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run the study on the Dask cluster at this address.",
)


def _parse_players(
    ctx: click.Context, param: click.Parameter, text: str | None
) -> int | str | None:
    """Return a number of players, or the path of an existing folder of events.

    This is click's callback of --players. None, if the option is not given, stays None.
    Raises BadParameter if there is nothing at the path, and UsageError for a file.
    """
    if text is None:
        return None
    player_count = parse_digits(text, MOST_STEP)
    return (
        str(EVENTS.convert(text, param, ctx)) if player_count is None else player_count
    )


def _require_folder_name(
    _ctx: click.Context, _param: click.Parameter, text: str | None
) -> Path | None:
    """Return the path of a study folder, or None if the option is not given.

    Raises UsageError for the name of a table, for example games.csv.
    """
    if text is None:
        return None
    if text.lower().endswith((".csv", ".parquet", ".pq")):
        raise UsageError(
            f"-o {text}: expected a folder, which has all tables of the study"
        )
    return Path(text)


DEFAULT_CONTROL = "random"
"""The negative control of --margin if no other one is given: the model with random pairings."""

GONE = {
    "--games": "the games are in the folder that -o DIR names",
    "--summary": "means.csv and differences.csv are in the folder that -o DIR names",
    "--timings": "compare_models(..., timings=True) of Python has the seconds of each pairing",
    "--overwrite": "a folder of another study is never replaced: name another with -o DIR",
}
"""Options that were removed, and what to use instead."""


def _refuse_gone(_ctx: click.Context, param: click.Option, value: object) -> None:
    """Raise UsageError for an option that was removed; its help says what to use.

    This is the callback of such options; one that is not given does nothing.
    """
    if value:
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
    callback=_parse_players,
    metavar="N|FOLDER",
    help="Number of players in each simulated tournament, or a folder of real events.",
)
@click.option(
    "--models",
    required=True,
    metavar="A,B,...",
    help="Models to compare, with commas between them: shipped models or model files (.toml).",
)
@simulate.key_options(StudyFile, ["replicates"])
@simulate.world_options
@simulate.key_options(StudyFile, ["metrics", "rankings"])
@click.option(
    "--grid",
    multiple=True,
    metavar="NAME=A,B,...",
    help="Vary a setting of the simulation: run the study with each of these values, for example --grid rounds=5,7 --grid draws=0,0.3. Repeatable.",
)
@click.option(
    "--world-figures",
    is_flag=True,
    help="With --grid: also draw the figures for each combination of settings.",
)
@click.option(
    "--permute",
    is_flag=False,
    flag_value="all",
    metavar="[KIND,...]",
    help="Compare variants of the first model, one for each possible order of its criteria. If you list criteria or positions, only the listed criteria change places.",
)
@simulate.key_options(StudyFile, ["sample", "baseline", "control"])
@click.option(
    "--margin",
    multiple=True,
    metavar="METRIC:M",
    help="Test whether the models are equivalent, which means that they differ by less than M in this metric. Without --control, random pairing is the negative control. Repeatable.",
)
@click.option(
    "--precision",
    multiple=True,
    metavar="METRIC:W",
    help="Simulate more tournaments until every confidence interval of METRIC has a half-width of at most W. Repeatable.",
)
@simulate.key_options(StudyFile, ["most"])
@JOBS
@SCHEDULER
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    callback=_require_folder_name,
    help="Folder for the files of the study: study.toml, games, tables, figures and sentences.",
)
@click.option(
    "--toml",
    type=FILE,
    help="Write a study.toml with these options, and simulate nothing.",
)
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
    """Compare models on simulated tournaments or on real events.

    Examples:
      pairopt study --players 32 --models standard,excalibur
      pairopt study --players 32 --models standard,excalibur -o results
      pairopt study events --models standard,cobra      a folder of real events
      pairopt study --players 32 --models standard,random --grid rounds=5,7
      pairopt study --players 32 --models standard,cobra --toml study.toml

    All models pair the same simulated tournaments with common random numbers. If you
    give a folder of real events, each model pairs every round of these events again.
    For real events, the table also has the pairings that were really played. The output
    has means and paired differences with 95% confidence intervals. The p-values are
    adjusted for the number of models.

    With -o, pairopt writes all results into a folder. If the study is interrupted, you
    can continue it with this folder. The commands pairopt study run, study check and
    study plan are for a study in a file. If your folder of events has the name run,
    check or plan, type ./run, ./check or ./plan.
    """
    if (folder is None) == (players is None):
        raise UsageError(
            "Give either --players N, to simulate tournaments, or a folder of real events. "
            "For example: pairopt study --players 32 --models standard,excalibur"
        )
    # This raises if there is no scipy, before the long run.
    scipy_stats()
    option_values = simulate.read_given_options(ctx)
    if output or toml:
        _require_plugin_files(option_values.get("plugins", ()))
    player_setting = {"players": players} if isinstance(players, int) else {}
    study_table = simulate.build_study_table(
        option_values, simulate.split_texts(models), **player_setting
    )
    study_table |= _read_study_options(option_values)
    if not player_setting:
        study_table["events"] = folder or players
    if toml is not None:
        require_free([toml])
    design = simulate.build_design(study_table)
    if "margin" in option_values:
        hypotheses = _list_margin_hypotheses(design, option_values["margin"])
        study_table["hypotheses"] = hypotheses
        # this raises for a wrong metric or margin
        design = simulate.build_design(study_table)
        study_table |= _choose_margin_control(study_table, design)
        design = simulate.build_design(study_table)
    if not player_setting and output:
        events_folder = Path(study_table["events"]).resolve()
        if output.resolve().is_relative_to(events_folder):
            raise UsageError(
                f"{output} is in the folder of events: write to another one"
            )
    if toml is not None:
        write_whole(toml, design.raw)
    else:
        _run_and_print(design, output, jobs, scheduler)


def _require_plugin_files(plugins: Iterable[str]) -> None:
    """Raise UsageError for a plug-in in a module: a study can only keep files.

    `plugins` are texts such as "own.py:NAME".
    """
    for plugin_name in plugins:
        if not plugin_name.rpartition(":")[0].endswith(".py"):
            raise UsageError(
                f"--plugin {plugin_name}: expected FILE.py:NAME, which the study keeps"
            )


def _list_margin_hypotheses(
    design: StudyDesign, margins: Iterable[str]
) -> list[dict[str, Any]]:
    """Return for each margin and model the hypothesis that it is near the baseline.

    `margins` are texts such as "floats:0.5". The models are those of the `design` but
    the baseline. Each hypothesis is a dict with `metric`, `margin`, `model` and
    `claim`. Raises UsageError if there is only one model.
    """
    compared_models = [
        model_name for model_name in design.names if model_name != design.baseline
    ]
    if not compared_models:
        raise UsageError("--margin is of a difference: expected two models or more")
    hypotheses = []
    for margin_text in margins:
        metric, margin = _split_number(margin_text)
        hypotheses += [
            {"metric": metric, "margin": margin, "model": model_name, "claim": "near"}
            for model_name in compared_models
        ]
    return hypotheses


def _choose_margin_control(
    study_table: Mapping[str, Any], design: StudyDesign
) -> dict[str, Any]:
    """Return the keys of a study.toml that give a study a negative control.

    `study_table` has the present keys, and `design` is the study that they make, which
    has margins. The control is random pairing, which is added to the models. The result
    is empty if the study has a control. Raises UsageError if random pairing is the
    baseline.
    """
    if "control" in study_table:
        return {}
    if design.baseline == DEFAULT_CONTROL:
        raise UsageError(
            "--margin needs a negative control, and random pairing is the baseline here. "
            "Name a model that certainly differs from it: --control MODEL"
        )
    if DEFAULT_CONTROL in design.names:
        return {"control": DEFAULT_CONTROL}
    return {
        "control": DEFAULT_CONTROL,
        "models": [*study_table["models"], DEFAULT_CONTROL],
    }


def _read_study_options(option_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of options for a study.toml, by its keys.

    `option_values` are the options that were given, by parameter name; of these,
    permute, grid, world_figures and precision are read. Options that were not given are
    left out. Raises UsageError for a malformed --grid.
    """
    study_table: dict[str, Any] = {}
    permuted_criteria = option_values.get("permute")
    if permuted_criteria is not None:
        study_table["permute"] = (
            []
            if permuted_criteria == "all"
            else simulate.split_texts(permuted_criteria)
        )
    for grid_text in option_values.get("grid", ()):
        grid_name, equals_sign, values_text = grid_text.partition("=")
        value_lists = study_table.setdefault("grid", {})
        setting_name = grid_name.strip().replace("-", "_")
        if not equals_sign or setting_name in value_lists:
            raise UsageError(
                f"--grid {grid_text}: expected NAME=A,B,..., each name once"
            )
        value_lists[setting_name] = [
            simulate.parse_number(value_text)
            for value_text in simulate.split_texts(values_text)
        ]
    if "world_figures" in option_values:
        figure_kinds = ["claims", SWEEP, *FIGURES]
        study_table["folder"] = {"figures": figure_kinds}
    if "precision" in option_values:
        study_table["precision"] = dict(map(_split_number, option_values["precision"]))
    return study_table


def _split_number(text: str) -> tuple[str, Any]:
    """Split a text such as "floats:0.5" into the metric and the number.

    A number that cannot be read stays a text, and a missing one is "".
    """
    metric, _, number_text = text.partition(":")
    return metric, simulate.parse_number(number_text)


def _run_and_print(
    design: StudyDesign, folder: Path | None, jobs: int, scheduler: str | None
) -> None:
    """Run a study, and print its tables and sentences.

    Without a `folder` nothing is kept. `jobs` is the number of processes; `scheduler`
    is the address of a Dask cluster to use instead, None for none. Notes, the progress
    and the name of the folder are written to stderr.
    """
    from pairopt.lab.studies.run import SENTENCES, run_study

    simulate.note_unfit_games(design.contenders, design.worlds[0])
    with progress() as report_progress:
        rounds_table, claims = run_study(
            design, folder, jobs=jobs, scheduler=scheduler, watch=report_progress
        )

    # What the names of models with permuted criteria stand for.
    for compared_model in design.contenders:
        if isinstance(compared_model, Model) and "/" in compared_model.name:
            say(f"{compared_model.name}: {compared_model.title}")
    described_worlds = zip(design.words, by_world(rounds_table), strict=True)
    for world_description, (world_values, world_rows) in described_worlds:
        heading_lines = [f"{world_description}, seed {design.file.seed}"]
        heading_lines += [
            f"{setting_name}: {setting_value}"
            for setting_name, setting_value in world_values.items()
        ]
        findings = findings_text(
            world_rows, heading_lines, design.baseline, design.file.precision
        )
        click.echo(findings, nl=False)
    for claim in claims:
        click.echo(escape_hidden(claim.sentence))
    if folder is not None:
        say(f"written to {folder}, the sentences to {folder / SENTENCES}")


@click.command()
@click.argument("study", type=FILE)
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    help="Folder of the study. Default: the path of STUDY without .toml.",
)
@click.option(
    "--first",
    type=IntegerRange(0, MOST_TRIES),
    help="Number of the first tournament to simulate, from 0.",
)
@click.option(
    "--count",
    type=IntegerRange(1, MOST_TRIES),
    help="Simulate only this many tournaments. A later run without this option combines the tournaments of all runs.",
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
    """Run the study that a study.toml describes.

    Examples:
      pairopt study run study.toml
      pairopt study run study.toml -o results --jobs 4
      pairopt study run study.toml --first 0 --count 50      one part of the study

    pairopt writes games, tables, figures and one sentence for each hypothesis
    (supported or not supported) into the folder of the study. If you stop a run, enter
    the command again to continue it. A study.toml always gives the same results, byte
    for byte.
    """
    # This raises if there is no scipy, before the long run.
    scipy_stats()
    design = read_study(study)
    folder = Path(output) if output else Path(study).with_suffix("")
    if folder == Path(study):
        raise UsageError(f"{study}: expected a name that ends in .toml, or -o FOLDER")
    if first is None and count is None:
        _run_and_print(design, folder, jobs, scheduler)
        return

    from pairopt.lab.studies.run import run_shard

    first_tournament = first or 0
    shard_size = design.file.replicates - first_tournament if count is None else count
    with progress() as report_progress:
        played_count = run_shard(
            design,
            folder,
            first_tournament,
            shard_size,
            jobs=jobs,
            scheduler=scheduler,
            watch=report_progress,
        )
    tournaments_text = count_noun(played_count, "tournament", "tournaments")
    say(
        f"{tournaments_text} in {folder}: run it again without --first "
        "and --count to make it whole"
    )


@click.command()
@click.argument("folder", type=FOLDER)
@click.option(
    "--replay",
    type=IntegerRange(0, MOST_TRIES),
    default=SAMPLE,
    help="Number of randomly chosen tournaments to simulate again from their seeds. With 0, pairopt checks only the tables, and simulates no tournament again.",
)
@click.option("--all", "every", is_flag=True, help="Simulate every tournament again.")
@JOBS
@click.pass_context
def check(ctx: click.Context, folder: str, replay: int, every: bool, jobs: int) -> None:
    """Check that the results of a study follow from its study.toml and seed.

    Examples:
      pairopt study check results                  tables, and 20 tournaments
      pairopt study check results --replay 0       only the tables
      pairopt study check results --all            every tournament

    The check computes all tables and sentences again from the stored games, and draws
    the figures. It also simulates a random sample of the tournaments again from the
    seed. The check runs the plug-ins of the study, so check only studies that you
    trust.

    Exit codes:
      1  a table, figure or tournament does not agree; pairopt names it
    """
    from pairopt.lab.studies.check import Layer, check_study

    check_layer: Layer = "tables"
    if every:
        check_layer = "all"
    elif replay:
        check_layer = "sample"
    with progress() as report_progress:
        study_check = check_study(
            Path(folder), check_layer, replay, jobs=jobs, watch=report_progress
        )
    say(*study_check.notes)
    for faults in study_check.found.values():
        for fault in faults:
            click.echo(escape_hidden(TERMINAL.format_message(fault)))

    tournaments_text = count_noun(study_check.tournaments, "tournament", "tournaments")
    by_seed_text = ""
    if study_check.by_seed:
        by_seed_text = f", {study_check.by_seed} more are stored only as seeds"
    replayed_text = count_noun(study_check.replayed, "tournament", "tournaments")
    layer_descriptions = (
        f"Tables: {study_check.files} files recomputed from the games of {tournaments_text}{by_seed_text}",
        f"Seeds: {replayed_text} replayed",
    )
    for layer_description, faults in zip(
        layer_descriptions, study_check.found.values(), strict=False
    ):
        agreement_text = "everything agrees"
        if faults:
            agreement_text = (
                f"{count_noun(len(faults), 'value does', 'values do')} not agree"
            )
        click.echo(f"{layer_description}: {agreement_text}.")
    if study_check.faults:
        ctx.exit(EXIT_INFEASIBLE)


@click.command()
@click.argument("study", type=FILE)
@click.option(
    "--pilot",
    type=IntegerRange(LEAST, 100_000),
    default=40,
    help="Number of tournaments per model to simulate in a pilot study, which estimates the standard deviation of the differences.",
)
@click.option(
    "--power",
    type=DecimalRange(0.5, 0.999),
    default=0.9,
    help="Probability of supporting a hypothesis that is true (statistical power).",
)
@click.option(
    "--pin",
    is_flag=True,
    help="Print the software versions and the file digests to put into study.toml, and simulate nothing.",
)
@JOBS
def plan(study: str, pilot: int, power: float, pin: bool, jobs: int) -> None:
    """Compute how many tournaments a study.toml needs.

    Examples:
      pairopt study plan study.toml
      pairopt study plan study.toml --power 0.8 --pilot 100
      pairopt study plan study.toml --pin

    pairopt simulates a small pilot study with another seed. From the pilot study,
    pairopt uses only the standard deviation of the differences. For a hypothesis of
    equivalence (near), the plan assumes that the models do not differ. For any other
    hypothesis, the plan assumes the effect that study.toml states.

    For a hypothesis of equivalence, the output also has the difference of the negative
    control in the pilot. If the margin is certainly above a third of this difference,
    study.toml must have a margin_reason.
    """
    from pairopt.lab.studies.power import plan as plan_study
    from pairopt.lab.studies.power import require_small_margins

    scipy_stats()
    design = read_study(study)
    require_control(design, Path(study).name)
    if pin:
        click.echo(_format_pins(design), nl=False)
        return
    if not design.file.hypotheses:
        raise UsageError(f"{study}: no hypotheses to plan for")
    if design.file.events:
        raise UsageError(
            f"{study}: a plan is of simulated tournaments, not of real events"
        )
    with progress() as report_progress:
        hypothesis_plans = plan_study(
            design, pilot, power, jobs=jobs, watch=report_progress
        )
    for hypothesis_plan in hypothesis_plans:
        click.echo(
            escape_hidden(hypothesis_plan.sentence(power, design.file.replicates))
        )
    require_small_margins(design, hypothesis_plans, Path(study).name)


def _format_pins(design: StudyDesign) -> str:
    """Return the lines that pin a study to this software, for its study.toml.

    They are the versions, the digests, and the digest of the whole registration.
    """
    pinned_values: dict[str, Any] = {
        "versions": all_versions(),
        "digests": design.digests,
    }
    pinned_design = replace(design, file=design.file.model_copy(update=pinned_values))
    pinned_values["registration"] = {"sha256": pinned_design.registered}
    return toml_of(pinned_values).lstrip()


def findings_text(
    frame: pd.DataFrame,
    heading: Sequence[str],
    baseline: str | None,
    widths: Mapping[str, float],
) -> str:
    """Return the means and paired differences of a study in one world as tables.

    `frame` has the rounds of all tournaments in that world, and `heading` the lines
    above the tables. Differences are to the model `baseline`; None takes the first
    model. Models with equal pairings share a row. `widths` are the half-widths of
    intervals that were asked for, by metric.
    """
    baseline_name = comparing.baseline_of(frame, baseline)
    # The baseline represents the models with the same pairings, if it is one of them.
    models_by_design = {}
    for names_of_equal_models in comparing.designs(frame).values():
        ordered_names = sorted(
            names_of_equal_models, key=lambda name: name != baseline_name
        )
        models_by_design[ordered_names[0]] = ordered_names
    distinct_rows = frame[frame["model"].isin(models_by_design)]
    metric_means = comparing.means(distinct_rows)
    metric_differences = comparing.differences(distinct_rows, baseline_name)

    remark_text = "".join(
        f"{text_line}\n" for text_line in _list_remarks(frame, models_by_design)
    )
    heading_text = "".join(f"{escape_hidden(text_line)}\n" for text_line in heading)
    text_parts = [heading_text, remark_text, _format_means(metric_means)]
    if not metric_differences.empty:
        differences_title = f"Paired differences to {escape_hidden(baseline_name)}\n"
        text_parts += [differences_title, _format_differences(metric_differences)]
    text_parts.append(_format_legend(metric_means, metric_differences))
    if widths:
        width_lines = _list_width_lines(frame, baseline, widths)
        text_parts.append("".join(f"{text_line}\n" for text_line in width_lines))
    return "\n".join(text_part for text_part in text_parts if text_part)


def _format_means(means: pd.DataFrame) -> str:
    """Return the means of each model and metric with their intervals.

    If there are none, the text says that no tournament was paired to the end.
    """
    mean_rows: list[list[Any]] = [
        [
            mean_row.model,
            mean_row.metric,
            f"{mean_row.mean:.4g}",
            _format_interval(mean_row),
            mean_row.n,
        ]
        for mean_row in _iterate_rows(means)
    ]
    if not mean_rows:
        return "No tournament was paired to the end.\n"
    column_heads = ["model", "metric", "mean", "95 % interval", "n"]
    return table_text(column_heads, mean_rows, "mean,n")


def _format_differences(differences: pd.DataFrame) -> str:
    """Return the paired differences to the baseline with intervals and p-values.

    The p-values are corrected (Holm). "vary" counts the tournaments whose difference is
    not the most frequent one.
    """
    column_heads = ["model", "metric", "difference", "95 % interval", "n", "vary", "p"]
    difference_rows: list[list[Any]] = [
        [
            difference_row.model,
            difference_row.metric,
            f"{difference_row.difference:+.4g}",
            _format_interval(difference_row),
            difference_row.n,
            difference_row.varied,
            "<0.001"
            if difference_row.p_holm < 0.001
            else f"{difference_row.p_holm:.3f}",
        ]
        for difference_row in _iterate_rows(differences)
    ]
    return table_text(column_heads, difference_rows, "difference,n,vary,p")


def _list_remarks(
    frame: pd.DataFrame, designs: Mapping[str, list[str]]
) -> Iterator[str]:
    """Yield lines on tournaments left out, and on models with the same pairings.

    `frame` has the rounds of all tournaments. `designs` has the models with the same
    pairings, by the one that represents them. There are no lines if no tournament ended
    early and all models differ.
    """
    for model_name, ended_rows in comparing.ended_early(frame).groupby(
        "model", sort=False
    ):
        tournament_count = frame.loc[
            frame["model"] == model_name, "replicate"
        ].nunique()
        replicates_text = join_names(
            [str(replicate_number) for replicate_number in ended_rows["replicate"]]
        )
        yield (
            f"{escape_hidden(model_name)}: {len(ended_rows)} of "
            f"{count_noun(tournament_count, 'tournament', 'tournaments')} left "
            f"out, because a round had no pairing: {escape_hidden(replicates_text)}"
        )

    model_count = sum(map(len, designs.values()))
    if model_count == len(designs):
        return
    designs_text = count_noun(len(designs), "design", "designs")
    yield f"{model_count} models are only {designs_text}. These models have the same values in every round:"
    for model_names in designs.values():
        if len(model_names) > 1:
            yield f"  {escape_hidden(' = '.join(model_names))}"


def _format_legend(means: pd.DataFrame, differences: pd.DataFrame) -> str:
    """Return the lines that explain the columns and signs of the tables.

    `means` and `differences` are the tables. It is "" if there are neither differences
    nor intervals with a star.
    """
    legend_lines = []
    if not differences.empty:
        legend_lines += [
            "Each interval is a pointwise 95 % interval. p tests for no difference, with "
            "Holm's correction for all models that are compared in a metric.",
            "vary: the number of tournaments whose difference is not the most frequent one, "
            "which is usually 0.",
        ]
    all_rows = [*_iterate_rows(means), *_iterate_rows(differences)]
    if any(
        has_few_varied(statistic_row.varied, statistic_row.n)
        for statistic_row in all_rows
    ):
        legend_lines.append(
            f"*: fewer than {FEWEST_VARIED_VALUES} vary. These are too few for a conclusion, because the "
            "interval mostly shows what is possible."
        )
    return "".join(f"{legend_line}\n" for legend_line in legend_lines)


def _list_width_lines(
    frame: pd.DataFrame, baseline: str | None, wanted_widths: Mapping[str, float]
) -> Iterator[str]:
    """Yield a line per metric: the half-width of its intervals, and the wanted one.

    `frame` has the rounds of all tournaments. Differences are to the model `baseline`;
    None takes the first model. `wanted_widths` are half-widths by metric. The line ends
    with "not reached" if the interval is wider.
    """
    tournament_count = frame.groupby("model")["replicate"].nunique().max()
    for metric, reached_width in half_widths(frame, wanted_widths, baseline).items():
        missed_note = "" if reached_width <= wanted_widths[metric] else ", not reached"
        yield (
            f"{metric}: half-width {reached_width:.4g} after {tournament_count} tournaments per model "
            f"(target {wanted_widths[metric]:g}{missed_note})"
        )


def _iterate_rows(table: pd.DataFrame) -> Iterator[Any]:
    """Return an iterator over the rows of a table as named tuples, with their index."""
    return iter(table.itertuples())


def _format_interval(row: Any) -> str:
    """Return the confidence interval of a row as "LOW to HIGH", or "unknown".

    `row` has the limits `low` and `high`, and the numbers `varied` and `n` of
    tournaments. It is unknown if a limit is not finite. It ends with * if too few
    tournaments vary.
    """
    is_known = isfinite(row.low) and isfinite(row.high)
    interval_text = f"{row.low:.4g} to {row.high:.4g}" if is_known else "unknown"
    return f"{interval_text}*" if has_few_varied(row.varied, row.n) else interval_text
