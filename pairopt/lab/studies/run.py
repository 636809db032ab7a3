"""Play a study into a folder: its games, and the tables, figures and sentences made from them."""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Unpack

import pandas as pd

from pairopt.errors import UsageError
from pairopt.files.text_source import read_bytes
from pairopt.files.write import json_text, make_folder, write_all
from pairopt.lab import figures
from pairopt.lab.comparison import (
    ExecutionOptions,
    play,
    play_events,
    play_parts,
    run_tasks,
)
from pairopt.lab.metrics import collect_ranges
from pairopt.lab.statistics import comparing
from pairopt.lab.studies import game_archive
from pairopt.lab.studies.data_package import DICTIONARY, digests_in, write_data_package
from pairopt.lab.studies.game_archive import (
    GAMES,
    LONG,
    PLAYERS,
    ROUNDS,
    TOURNAMENTS,
    VALUES,
    format_csv,
)
from pairopt.lab.studies.hypotheses import (
    ASKED,
    CONTROL_CONFIDENCE,
    ClaimResult,
    choose_confidence,
    evaluate_claims,
)
from pairopt.lab.studies.study_file import (
    NAME,
    StudyDesign,
    all_versions,
    program,
    read_study,
    require_control,
)
from pairopt.lab.sweep_figures import draw_study_figures
from pairopt.lab.table import by_world, concatenate_parts, list_further_metrics
from pairopt.lab.task_cache import TaskCache
from pairopt.lab.tasks import REPLICATES, SimulationTask, simulation_tasks
from pairopt.messages.formatting import escape_hidden

RESULTS, SENTENCES, SUMS = "results.json", "sentences.md", "SHA256SUMS"
MEANS, DIFFERENCES, CLAIMS = "means.csv", "differences.csv", "hypotheses.csv"
TABLES = (TOURNAMENTS, MEANS, DIFFERENCES, CLAIMS)
VECTORS: Final = (".pdf", ".svg")
# most rows of a figure of claims
ROWS: Final = 12
FORMAT: Final = 4
"""The format of a study folder, which results.json states.

Folders keep their format, so that a check of an older folder finds the same bytes. Since
format 2, averages that differ only by rounding count as equal in the column `varied`. Since
format 3, sentences.md has its present wording. Since format 4, a study with a grid has figures
against the grid's settings, and figures of each world only if its study.toml asks for them. A
folder of format 1 states no format."""


def run_study(
    design: StudyDesign, folder: Path | None, **options: Unpack[ExecutionOptions]
) -> tuple[pd.DataFrame, list[ClaimResult]]:
    """Play a study, or the rest of it, into a folder; without one, only in memory.

    `design` is the study. Then all tables, figures and sentences are made from the
    games, and stored beside them; at the end the cache of finished tasks is removed.
    The games of a finished folder are not played again, so that other exploratory
    claims can be added. `options` say where tasks run: `jobs` is the number of
    processes, `scheduler` the address of a Dask cluster, and `watch` is called with the
    numbers of finished and of all tasks. Returns the table of rounds and the results of
    all claims. Raises UsageError for a folder with other files, or with another study,
    and InputError for a new study that lacks the negative control it needs.
    """
    if folder is None:
        require_control(design)
        with TemporaryDirectory() as temporary_folder:
            rounds_table = _play_in_memory(
                design, _task_cache(Path(temporary_folder)), **options
            )
        return rounds_table, evaluate_claims(design, rounds_table)

    _require_own_folder(design, folder)
    if not (folder / RESULTS).exists():
        require_control(design)
    _write_question(design, folder)
    task_cache = _task_cache(folder)
    archived_files = _stored_games(design, folder)
    made_by = None
    folder_format = FORMAT
    if archived_files:
        stored_results = results_in(folder)
        made_by = stored_results.get("program")
        folder_format = format_in(stored_results)
    else:
        archived_files = _play_study(design, task_cache, **options)

    rounds_table = restore_rounds(design, archived_files, folder_format)
    claim_results = evaluate_claims(design, rounds_table)
    study_files = archived_files | make_files(
        design, rounds_table, claim_results, made_by, form=folder_format
    )
    described_files = {**study_files, NAME: design.raw, **design.files}
    dictionary_file = write_data_package(design, described_files)
    sums_file = format_sums({**described_files, DICTIONARY: dictionary_file})
    for file_name in study_files:
        make_folder((folder / file_name).parent)
    output_files = {**study_files, DICTIONARY: dictionary_file, SUMS: sums_file}
    write_all(
        {
            folder / file_name: file_bytes
            for file_name, file_bytes in output_files.items()
        }
    )
    task_cache.remove()
    return rounds_table, claim_results


def _play_in_memory(
    design: StudyDesign, parts: TaskCache, **options: Unpack[ExecutionOptions]
) -> pd.DataFrame:
    """Play a study without storing its games, and return the table of rounds.

    `parts` caches finished tasks, which a study with a precision needs between its
    looks. `options` say where tasks run: in `jobs` processes, or on the Dask cluster
    `scheduler`; `watch` is called with the numbers of finished and of all tasks.
    """
    if design.events:
        return play_events(design.tasks, parts, **options)
    study_file = design.file
    studies = [replace(study, games=False) for study in design.studies]
    return play(
        studies,
        parts,
        study_file.replicates,
        dict(study_file.precision),
        design.baseline,
        study_file.most,
        **options,
    )


def run_shard(
    design: StudyDesign,
    folder: Path,
    start: int,
    count: int,
    **options: Unpack[ExecutionOptions],
) -> int:
    """Play some replicates of each model and world of a study into its folder.

    They are `count` replicates from number `start`, both multiples of a task's size, or
    up to the last replicate. Only the finished tasks are stored, with the study's own
    files; a later run uses them, also tasks of several machines that were copied into
    one folder. `options` say where tasks run: in `jobs` processes, or on the Dask
    cluster `scheduler`; `watch` is called with the numbers of finished and of all
    tasks. Returns the number of tournaments, over all models and worlds. Raises
    UsageError for other numbers, and for a study of real events or with a precision,
    and InputError for a study that lacks the negative control it needs.
    """
    replicate_count = design.file.replicates
    task_size = REPLICATES
    has_fixed_size = not design.events and not design.file.precision
    is_task_start = 0 <= start < replicate_count and start % task_size == 0
    is_task_end = count % task_size == 0 or start + count == replicate_count
    if not has_fixed_size or not is_task_start or count < 1 or not is_task_end:
        raise UsageError("study.shard_unfit", step=task_size, most=replicate_count)

    require_control(design)
    _write_question(design, folder)
    shard_tasks = [
        task
        for task in simulation_tasks(design.studies, replicate_count)
        if isinstance(task, SimulationTask) and start <= task.start < start + count
    ]
    run_tasks(shard_tasks, _task_cache(folder), **options)
    return sum(task.stop - task.start for task in shard_tasks)


def _write_question(design: StudyDesign, folder: Path) -> None:
    """Write the study.toml, and the files that it names, into the folder.

    Missing folders are made. Raises UsageError if another study's files in the folder
    would be replaced, or if a named file has the name of an output.
    """
    _require_own_folder(design, folder)
    study_files = {**design.files, NAME: design.raw}
    contents_by_path = {
        folder / file_name: file_bytes for file_name, file_bytes in study_files.items()
    }
    for file_path in contents_by_path:
        make_folder(file_path.parent)
    write_all(contents_by_path)


def _task_cache(folder: Path) -> TaskCache:
    """Return the cache of a study's finished tasks, the folder games.parts in its folder."""
    return TaskCache(folder / "games", archive=False)


def _stored_games(design: StudyDesign, folder: Path) -> dict[str, bytes]:
    """Read the archived files of a finished folder, by file name.

    `design` is the study. The files are the games, players and tournaments, or the
    rounds of real events. The result is empty, so that the games are played again, if
    one of the files is missing, or differs from its digest in the data dictionary.
    """
    archive_names = list_archive_names(design, folder)
    digest_of_file = digests_in(folder)
    archived_files = {}
    for file_name in archive_names:
        if not (folder / file_name).is_file():
            return {}
        archived_files[file_name] = (folder / file_name).read_bytes()
        if hashlib.sha256(archived_files[file_name]).hexdigest() != digest_of_file.get(
            file_name
        ):
            return {}
    return archived_files


def list_archive_names(design: StudyDesign, folder: Path) -> list[str]:
    """List the files of a folder from which all its tables are made.

    `design` is the study in `folder`. The files are the rounds of real events, or the
    games, the players, and either the tournaments or their exact values if the folder
    has these.
    """
    if design.events:
        return [ROUNDS]
    if (folder / VALUES).is_file():
        return [GAMES, PLAYERS, VALUES]
    return [GAMES, PLAYERS, TOURNAMENTS]


def tournaments_in(archive: Mapping[str, bytes]) -> bytes:
    """Return the content of tournaments.csv from archived files by name.

    If the archive has the exact values of the tournaments, it is made from these.
    Raises KeyError if it has neither.
    """
    if VALUES in archive:
        exact_table = game_archive.read_parquet(VALUES, archive[VALUES])
        return game_archive.tournaments_of_values(exact_table)
    return archive[TOURNAMENTS]


def _play_study(
    design: StudyDesign, parts: TaskCache, **options: Unpack[ExecutionOptions]
) -> dict[str, bytes]:
    """Play a study, or the rest of it, and return the archived files by name.

    For simulated tournaments these are the games, the players and the tournaments; for
    real events it is the table of rounds. Games and players are those of the first
    replicates, as many as fit into a file. Tasks that are kept in `parts` are not
    played again, and new ones are added to it. `options` say where tasks run: in `jobs`
    processes, or on the Dask cluster `scheduler`; `watch` is called with the numbers of
    finished and of all tasks. The archived files are not written.
    """
    if design.events:
        rounds_frame = play_events(design.tasks, parts, **options)
        # categories would depend on the order of the rows
        return {
            ROUNDS: game_archive.write_parquet(rounds_frame.astype({"levels": "str"}))
        }

    study_file = design.file
    frames_of_tasks = play_parts(
        design.studies,
        parts,
        study_file.replicates,
        dict(study_file.precision),
        design.baseline,
        study_file.most,
        **options,
    )
    rounds_frame = concatenate_parts(
        [frame_by_name["rounds"] for frame_by_name in frames_of_tasks]
    )
    all_games = game_archive.join_games(frames_of_tasks)
    replicate_count = int(rounds_frame["replicate"].max()) + 1
    stored_replicates, games_file = game_archive.fit_to_limit(
        all_games, replicate_count, study_file.folder.games
    )
    rounds_of_world = game_archive.rounds_by_world(design)
    tournament_table = game_archive.summarize_tournaments(rounds_frame, rounds_of_world)
    players_file = game_archive.write_parquet(
        game_archive.list_players(design, stored_replicates)
    )
    return {
        GAMES: games_file,
        PLAYERS: players_file,
        TOURNAMENTS: format_csv(tournament_table),
    }


def restore_rounds(
    design: StudyDesign, archive: Mapping[str, bytes], form: int = FORMAT
) -> pd.DataFrame:
    """Return a study's table of rounds from its archive.

    `design` is the study. `archive` has the content of the archived files by name,
    `form` is the format of the folder, from 1. In format 1 averages are compared as
    they are written, later ones up to rounding. The table's `attrs` say which, and for
    simulated tournaments the ranges of further metrics. Raises InputError if the
    archive does not fit the study.
    """
    if design.events:
        stored_rounds = game_archive.read_parquet(ROUNDS, archive[ROUNDS])
        rounds_frame = concatenate_parts([stored_rounds])
    else:
        tournament_table = game_archive.read_tournaments(
            design, tournaments_in(archive)
        )
        archived_games = game_archive.read_parquet(GAMES, archive[GAMES])
        exact_table = None
        if VALUES in archive:
            exact_table = game_archive.read_parquet(VALUES, archive[VALUES])
        rounds_frame = game_archive.recompute_published_rounds(
            design, archived_games, tournament_table, exact_table
        )
        rounds_frame.attrs["ranges"] = collect_ranges(design.measured)

    rounds_frame.attrs[comparing.AS_WRITTEN] = form == 1
    return rounds_frame


def format_in(results: Mapping[str, Any]) -> int:
    """Return the format that a results.json states, 1 if it states none.

    `results` is the content of the file. A format that this version does not know
    counts as 1, too.
    """
    stated_format = results.get("format")
    if isinstance(stated_format, int) and 2 <= stated_format <= FORMAT:
        return stated_format
    return 1


def read_rounds(folder: str | Path) -> pd.DataFrame:
    """Return the table of rounds of the study in a folder, recomputed from its games.

    The study's plug-ins run. Raises InputError for a folder without a study.toml, for
    missing files, and for games that do not fit the study.
    """
    folder = Path(folder)
    design = read_study(folder / NAME)
    archive_names = list_archive_names(design, folder)
    archived_files = {
        file_name: read_bytes(folder / file_name) for file_name in archive_names
    }
    return restore_rounds(design, archived_files, format_in(results_in(folder)))


def read_tournament_table(folder: str | Path) -> pd.DataFrame:
    """Return the table tournaments.csv of a study's folder, one row per tournament.

    A folder that stores the exact values of its tournaments may lack the file itself.
    It is computed from these then. Raises InputError if both are missing.
    """
    folder = Path(folder)
    if (folder / TOURNAMENTS).is_file():
        csv_bytes = read_bytes(folder / TOURNAMENTS)
    else:
        csv_bytes = tournaments_in({VALUES: read_bytes(folder / VALUES)})
    return pd.read_csv(io.BytesIO(csv_bytes))


def format_sums(files: Mapping[str, bytes]) -> bytes:
    """List the SHA-256 of each file, by name, in the format of `sha256sum --check`."""
    digest_of_file = {
        file_name: hashlib.sha256(files[file_name]).hexdigest()
        for file_name in sorted(files)
    }
    return "".join(
        f"{file_digest}  {file_name}\n"
        for file_name, file_digest in digest_of_file.items()
    ).encode()


def make_files(
    design: StudyDesign,
    frame: pd.DataFrame,
    claims: Sequence[ClaimResult],
    made_by: object = None,
    drawn: bool = True,
    form: int = FORMAT,
) -> dict[str, bytes]:
    """Make all files that follow from a study's table of rounds, by file name.

    `frame` is the table, and `claims` are the results of the study's claims. `made_by`
    is the program that played the study, by default this one. `drawn` says whether to
    draw figures. `form` is the format of the folder, from 1, which decides the wording
    and which figures there are. Nothing is written.
    """
    output_files = _make_tables(design, frame, claims)
    output_files[LONG] = game_archive.convert_to_long(design, output_files[TOURNAMENTS])
    output_files[SENTENCES] = _write_sentences(design, frame, claims, form).encode()
    results_content = _make_results(design, frame, claims, made_by, form)
    output_files[RESULTS] = json_text(results_content).encode()
    if drawn:
        output_files |= _draw_figures(design, frame, claims, form)
    return output_files


def _make_tables(
    design: StudyDesign, frame: pd.DataFrame, claims: Sequence[ClaimResult]
) -> dict[str, bytes]:
    """Make the CSV tables of tournaments, means, differences and claims, by file name.

    `frame` is the table of rounds, and `claims` are the results of the study's claims.
    Means and differences have the standard metrics, the further ones, and those of
    claims, and a column `asked` that says whether a hypothesis asked for them. The
    values are the contents of tournaments.csv, means.csv, differences.csv and
    hypotheses.csv. Nothing is written.
    """
    claimed_metrics = [
        metric
        for claim_in_world in design.asked
        for metric in (claim_in_world.claim.metric, claim_in_world.claim.than_metric)
        if metric is not None
    ]
    further_metrics = list_further_metrics(map(str, frame.columns))
    tabulated_metrics = list(
        dict.fromkeys([*comparing.METRICS, *further_metrics, *claimed_metrics])
    )

    hypothesis_keys = set()
    for claim_in_world in design.asked:
        if claim_in_world.hypothesis:
            claim = claim_in_world.claim
            for model in (claim.model, claim_in_world.than):
                hypothesis_keys.add((claim_in_world.world, model, claim.metric))
            if claim.than_metric is not None:
                hypothesis_keys.add(
                    (claim_in_world.world, claim.model, claim.than_metric)
                )

    def mark_asked(world: int, table: pd.DataFrame) -> pd.DataFrame:
        """Return a table with a column `asked`: "hypothesis" or "exploratory".

        A row is of a hypothesis if one compares this model in this metric and world.
        `world` is the position of the world.
        """
        asked_cells = []
        for model, metric in zip(table["model"], table["metric"], strict=True):
            asked_cells.append(ASKED[(world, model, metric) in hypothesis_keys])
        return table.assign(asked=asked_cells)

    baseline = design.baseline
    mean_tables = []
    difference_tables = []
    for world_position, (_, world_rows) in enumerate(by_world(frame)):
        tournament_table = comparing.per_tournament(world_rows)
        world_metrics = [
            metric for metric in tabulated_metrics if metric in tournament_table
        ]
        model_means = comparing.means(world_rows, world_metrics)
        mean_tables.append(mark_asked(world_position, model_means))
        model_differences = comparing.differences(world_rows, baseline, world_metrics)
        model_differences = model_differences.assign(than=baseline)
        difference_tables.append(mark_asked(world_position, model_differences))

    rounds_of_world = game_archive.rounds_by_world(design)
    tables = {
        TOURNAMENTS: game_archive.summarize_tournaments(frame, rounds_of_world),
        MEANS: pd.concat(mean_tables, ignore_index=True),
        DIFFERENCES: pd.concat(difference_tables, ignore_index=True),
        CLAIMS: pd.DataFrame([claim_result.row for claim_result in claims]),
    }
    return {
        table_name: format_csv(study_table)
        for table_name, study_table in tables.items()
    }


def _write_sentences(
    design: StudyDesign,
    frame: pd.DataFrame,
    claims: Sequence[ClaimResult],
    form: int,
) -> str:
    """Return the text of sentences.md: each claim as a sentence, and the settings.

    `frame` is the table of rounds, and `claims` are the results of the study's claims.
    Hypotheses come before exploratory claims. `form` is the format of the folder;
    before format 3 the text has the wording of its time. Nothing is written.
    """
    text_lines = [f"# {escape_hidden(design.file.title) or 'A study'}", ""]
    for is_hypothesis, section_heading in (
        (True, "Hypotheses"),
        (False, "Exploratory"),
    ):
        claim_sentences = [
            f"- {claim_result.sentence}"
            for claim_result in claims
            if claim_result.asked.hypothesis == is_hypothesis
        ]
        if claim_sentences:
            text_lines += [f"## {section_heading}", "", *claim_sentences, ""]

    text_lines += ["## What was played" if form < 3 else "## Simulated tournaments", ""]
    tournament_counts = frame.groupby("model", sort=False)["replicate"].nunique()
    for world_position, world_words in enumerate(design.words):
        world_settings = design.where(world_position)
        world_prefix = f"{escape_hidden(world_settings)}: " if world_settings else ""
        text_lines.append(f"- {world_prefix}{escape_hidden(world_words)}")
    per_model_words = "a model" if form < 3 else "per model"
    text_lines.append(
        f"- {tournament_counts.max()} tournaments {per_model_words}, seed {design.file.seed}"
    )
    reason_word = "as" if form < 3 else "because"
    for model, early_rows in comparing.ended_early(frame).groupby("model", sort=False):
        text_lines.append(
            f"- {escape_hidden(model)}: {len(early_rows)} left out, "
            f"{reason_word} a round had no pairing"
        )
    if form < 3:
        text_lines += [
            f"- hypotheses as in {NAME}, SHA-256 {design.sha256}; p-values of all hypotheses are "
            "corrected together (Holm), shown: below 0.05",
            "- `exploratory` in a table or sentence: nobody had said before that it would be "
            "looked at",
        ]
    else:
        text_lines += [
            f"- The hypotheses are those of {NAME}, SHA-256 {design.sha256}. Their p-values are "
            "corrected together (Holm). `shown` means that the corrected p-value is below 0.05.",
            "- `exploratory` marks a claim that was not stated as a hypothesis before the run.",
        ]
    return "\n".join([*text_lines, ""])


def _make_results(
    design: StudyDesign,
    frame: pd.DataFrame,
    claims: Sequence[ClaimResult],
    made_by: object,
    form: int,
) -> dict[str, Any]:
    """Return the content of results.json: tournaments, claims, versions and digests.

    `frame` is the table of rounds. `claims` are the results of the study's claims,
    which become rows with 6 significant digits. `made_by` is the program that played
    the study, None for this one. `form` is the format of the folder, which is an entry
    unless it is 1. Nothing is written.
    """
    tournament_counts = frame.groupby("model", sort=False)["replicate"].nunique()
    tournaments_of_model = {
        str(model): int(tournament_count)
        for model, tournament_count in tournament_counts.items()
    }
    claim_rows = []
    for claim_result in claims:
        claim_row = {
            column_name: _round_number(claim_cell)
            for column_name, claim_cell in claim_result.row.items()
        }
        claim_rows.append(claim_row)

    format_entry = {} if form == 1 else {"format": form}
    return format_entry | {
        "title": design.file.title,
        "study_sha256": design.sha256,
        "registered_sha256": design.registered,
        "registration": design.file.registration.model_dump(exclude_none=True),
        "seed": design.file.seed,
        "choose": design.file.choose,
        "tournaments": tournaments_of_model,
        "worlds": [
            design.where(world_position) for world_position in range(len(design.worlds))
        ],
        "program": made_by or program(),
        "versions": all_versions(),
        "digests": design.digests,
        "claims": claim_rows,
    }


def _round_number(value: Any) -> Any:
    """Round a float to 6 significant digits; return None if it is not finite.

    A value of another type, also an integer, is returned unchanged.
    """
    if not isinstance(value, float):
        return value
    rounded_number = float(game_archive.DIGITS % value)
    return rounded_number if abs(rounded_number) < float("inf") else None


def _draw_figures(
    design: StudyDesign, frame: pd.DataFrame, claims: Sequence[ClaimResult], form: int
) -> dict[str, bytes]:
    """Draw the figures of a study's table and of its claims, by file name.

    `frame` is the table of rounds, and `claims` are the results of its claims. The
    values are the contents of the files, which are not written. Names are paths from
    the study's folder. Figures that cannot be drawn are left out. A figure of claims
    has one metric and at most 12 (`ROWS`) rows. `form` is the format of the folder:
    before format 4 there are figures of each world. The study.toml can select the
    kinds.
    """
    figure_kinds = design.file.folder.figures
    if form < 4:
        image_of_path, _ = figures.draw_all_figures(
            frame, Path("figures"), VECTORS, figure_kinds
        )
    else:
        claimed_metrics = [claim_result.asked.claim.metric for claim_result in claims]
        image_of_path, _ = draw_study_figures(
            frame, Path("figures"), VECTORS, claimed_metrics, figure_kinds
        )
    if figure_kinds is not None and "claims" not in figure_kinds:
        return {
            figure_path.as_posix(): image_bytes
            for figure_path, image_bytes in image_of_path.items()
        }

    # figures of claims, by metric, with at most ROWS rows
    claim_panels = []
    for metric in dict.fromkeys(
        claim_result.asked.claim.metric for claim_result in claims
    ):
        metric_claims = [
            claim_result
            for claim_result in claims
            if claim_result.asked.claim.metric == metric
        ]
        claim_groups = _group_claims(metric_claims)
        panel_starts = range(0, len(claim_groups), ROWS)
        claim_panels += [
            (metric, claim_groups[first_group : first_group + ROWS])
            for first_group in panel_starts
        ]

    for figure_number, (metric, claim_groups) in enumerate(claim_panels, 1):
        verdicts = [
            claim_result.shown
            for claim_group in claim_groups
            for claim_result in claim_group
            if claim_result.shown is not None
        ]
        figure_title = "Exploratory: shows nothing"
        if verdicts:
            figure_title = f"{sum(verdicts)} of {len(verdicts)} hypotheses shown"
        interval_rows = [_interval_row(claim_group) for claim_group in claim_groups]
        interval_rows += _control_rows(claim_groups)
        claim_axes = figures.intervals(interval_rows, figures.describe_metric(metric))
        claim_axes.set_title(figure_title)
        image_of_path |= figures.images(
            claim_axes, Path("figures", f"claims-{figure_number}"), VECTORS
        )
    return {
        figure_path.as_posix(): image_bytes
        for figure_path, image_bytes in image_of_path.items()
    }


def _group_claims(claims: Sequence[ClaimResult]) -> list[list[ClaimResult]]:
    """Group claims that have the same world, numbers and verdict, in their order.

    The numbers are the mean difference, its interval, and what the model is compared
    with. Each group is one row of a figure. Claims with fewer than two tournaments are
    left out.
    """
    claims_by_numbers: dict[tuple[Any, ...], list[ClaimResult]] = {}
    for claim_result in claims:
        if claim_result.found.n > 1:
            numbers_key = (
                claim_result.where,
                claim_result.asked.than,
                claim_result.found.mean,
                *claim_result.limits,
                claim_result.shown,
            )
            claims_by_numbers.setdefault(numbers_key, []).append(claim_result)
    return [*claims_by_numbers.values()]


def _interval_row(row: Sequence[ClaimResult]) -> tuple[str, float, float, float, float]:
    """Return a row of a figure of intervals for a group of claims with equal numbers.

    `row` is the group. The result has a name, the difference, the low and high end of
    the interval, and the margin. The name is that of the first claim, with the number
    of the others.
    """
    first_result = row[0]
    claim_in_world = first_result.asked
    claim = claim_in_world.claim
    row_name = f"{claim.model} against {claim_in_world.than}"
    if first_result.where:
        row_name += f", {first_result.where.replace('_', ' ')}"
    if len(row) > 1:
        row_name += f" (and {len(row) - 1} like it)"
    if not claim_in_world.hypothesis:
        row_name += ", exploratory"
    row_name += f", {100 * choose_confidence(claim):.0f} %"
    interval_low, interval_high = first_result.limits
    return row_name, first_result.found.mean, interval_low, interval_high, claim.margin


def _control_rows(
    groups: Sequence[Sequence[ClaimResult]],
) -> list[tuple[str, float, float, float, float]]:
    """Return a row of a figure of intervals for each negative control of some claims.

    `groups` are claims with equal numbers, of which only the first one counts. A row of
    the figure is (label, mean difference, lower limit, upper limit, margin). There is
    one row per world and what is compared with, with the margin of its first claim.
    Controls with fewer than two tournaments have no row.
    """
    row_by_key: dict[tuple[Any, ...], tuple[str, float, float, float, float]] = {}
    for claim_group in groups:
        claim_in_world = claim_group[0].asked
        control = claim_group[0].control
        if control is None or control.found.n < 2:
            continue
        world_description = claim_group[0].where
        row_name = f"negative control {control.model} against {claim_in_world.than}"
        if world_description:
            row_name += f", {world_description.replace('_', ' ')}"
        row_name += f", {100 * CONTROL_CONFIDENCE:.0f} %"
        row_key = world_description, claim_in_world.than
        margin = claim_in_world.claim.margin
        row_by_key.setdefault(
            row_key, (row_name, control.found.mean, *control.limits, margin)
        )
    return [*row_by_key.values()]


def _require_own_folder(design: StudyDesign, folder: Path) -> None:
    """Raise UsageError if a study's files would replace other files in a folder.

    If the folder has results, they have to be those of the same registered question. If
    it has none, it may have no tables, and only the same study.toml and files that it
    names. It also raises for a named file that has the name of an output, and for a
    folder that is a file. A folder that does not exist is accepted.
    """
    output_names = (
        *TABLES,
        RESULTS,
        SENTENCES,
        SUMS,
        GAMES,
        ROUNDS,
        PLAYERS,
        LONG,
        DICTIONARY,
    )
    for file_name in design.files:
        if file_name in output_names or file_name.startswith("figures/"):
            raise UsageError("study.named_as_output", name=file_name)
    if folder.exists() and not folder.is_dir():
        raise UsageError("study.folder_is_a_file", folder=str(folder))
    if (folder / RESULTS).exists():
        if results_in(folder).get("registered_sha256") != design.registered:
            raise UsageError("study.results_of_another", folder=str(folder))
        return

    conflicting_files = [
        file_name
        for file_name in (*TABLES, SENTENCES, SUMS)
        if (folder / file_name).exists()
    ]
    input_files = {**design.files, NAME: design.raw}
    for file_name, file_bytes in input_files.items():
        file_path = folder / file_name
        if file_path.exists() and file_path.read_bytes() != file_bytes:
            conflicting_files.append(file_name)
    if conflicting_files:
        raise UsageError(
            "study.folder_of_another", path=str(folder / conflicting_files[0])
        )


def results_in(folder: Path) -> dict[str, Any]:
    """Read the results.json of a folder; empty if it is missing or no JSON object."""
    try:
        results_content = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return results_content if isinstance(results_content, dict) else {}
