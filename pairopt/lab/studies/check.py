"""Check whether all files in a study's folder follow from its question, its games and its seed.

The check has layers. "tables" makes the tables again from the archived games, which takes seconds.
"sample" also draws the figures, and plays some tournaments again from their seeds. "all" plays all
of them again. The check needs nothing but the folder.
"""

import csv
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, Final, Literal, Unpack

import numpy as np
import pandas as pd

from pairopt.errors import InputError, PairoptError
from pairopt.files.text_source import read_bytes
from pairopt.files.write import json_text
from pairopt.lab.comparison import ExecutionOptions, replicate_targets, run_tasks
from pairopt.lab.identity import name_of
from pairopt.lab.luck import uniforms
from pairopt.lab.studies import game_archive
from pairopt.lab.studies.data_package import DICTIONARY, digests_in, write_data_package
from pairopt.lab.studies.game_archive import (
    GAMES,
    LONG,
    PLAYERS,
    ROUNDS,
    TOURNAMENTS,
    VALUES,
    read_parquet,
)
from pairopt.lab.studies.hypotheses import evaluate_claims
from pairopt.lab.studies.run import (
    RESULTS,
    SUMS,
    format_in,
    format_sums,
    list_archive_names,
    make_files,
    restore_rounds,
    results_in,
    tournaments_in,
)
from pairopt.lab.studies.study_file import (
    NAME,
    StudyDesign,
    all_versions,
    program,
    read_study,
)
from pairopt.lab.table import TEXTS, Frames, concatenate_parts, csv_of, read_csv
from pairopt.lab.tasks import REPLICATES, SimulationTask, Task
from pairopt.messages import Note, message
from pairopt.messages.formatting import quote

# differences of a table that are reported
MOST: Final = 3
# characters that are reported before and after the first difference
BEFORE: Final = 25
# tournaments that are played again from their seeds
SAMPLE: Final = 20
Layer = Literal["tables", "sample", "all"]
WRONG: Final = (
    PairoptError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
)
"""Errors of tables whose cells are not those of a study."""


@dataclass
class CheckReport:
    """The result of checking a study's folder; the check fills it in step by step.

    `found` has the faults by layer of the check: "tables", "sample" or "all". `notes`
    are further remarks, which are no faults. The counts are those of `tournaments` with
    archived games, tournaments known `by_seed` only, tournaments that were `replayed`,
    and `files` that were made again.
    """

    found: dict[Layer, list[str | Note]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tournaments: int = 0
    by_seed: int = 0
    replayed: int = 0
    files: int = 0

    @property
    def faults(self) -> list[str | Note]:
        """The faults of all layers, in one list."""
        return [
            layer_fault
            for layer_faults in self.found.values()
            for layer_fault in layer_faults
        ]


@dataclass(frozen=True)
class ReplayedTask:
    """A task that plays a part of a study again, to compare it with the archive.

    `part` is the task of the study, and `kept` are the archived tables by file name. Of
    simulated tournaments they have the games of replicates below `limit`. `texts` names
    the columns of texts in the task's own table: none. Its only table, "faults", has
    the differences. An error while playing is a fault, too.
    """

    part: Task
    kept: Mapping[str, pd.DataFrame]
    limit: int = 0

    texts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the task's file in a cache: "again-" and its part's name."""
        return f"again-{self.part.name}"

    def frames(self) -> Frames:
        """Play the task, and return a table "faults" with the differences it finds.

        Its column "fault" has a text per difference, at most 3 (`MOST`) per file. An
        error while playing is a fault too, and then the only one.
        """
        try:
            replayed_tables = self._replay()
            fault_texts = []
            for file_name, archived_table in self.kept.items():
                difference_texts = [
                    *find_differences(archived_table, replayed_tables[file_name])
                ]
                fault_texts += [
                    f"{file_name}: {difference_text}"
                    for difference_text in difference_texts[:MOST]
                ]
        except WRONG as error:
            fault_texts = [f"{NAME}: cannot be played: {error}"]
        return {"faults": pd.DataFrame({"fault": pd.Series(fault_texts, dtype="str")})}

    def _replay(self) -> Mapping[str, pd.DataFrame]:
        """Play the task again, and return its tables by file name, as archived.

        For simulated tournaments these are the games and the tournaments, for real
        events the rounds. Games of replicates from `limit` on are left out, because
        they were not archived.
        """
        part_task = self.part
        frame_by_name = part_task.frames()
        text_columns = [*TEXTS, *part_task.texts]
        if not isinstance(part_task, SimulationTask):
            csv_bytes = "".join(csv_of(frame_by_name["rounds"])).encode()
            return {ROUNDS: read_csv(csv_bytes, texts=text_columns)}

        world_cells = tuple(cell_value for _, cell_value in part_task.study.cells)
        rounds_table = concatenate_parts([frame_by_name["rounds"]])
        tournament_rows = game_archive.summarize_tournaments(
            rounds_table, {world_cells: part_task.study.world.rounds}
        )
        joined_games = game_archive.join_games([frame_by_name])
        archived_games = joined_games[joined_games["replicate"] < self.limit]
        return {
            GAMES: archived_games.reset_index(drop=True),
            TOURNAMENTS: read_csv(
                game_archive.format_csv(tournament_rows), texts=text_columns
            ),
        }


def find_differences(archived: pd.DataFrame, replayed: pd.DataFrame) -> Iterator[str]:
    """Yield a text for each cell that differs between two tables, column by column.

    Rows are compared by position, columns by name. A text names the row by its keys,
    such as model and replicate, then the column, the archived cell, and as "expected"
    the replayed one. If the tables have different lengths, the only text says so. A
    missing column equals a column without values.
    """
    if len(archived) != len(replayed):
        yield f"{len(archived)} rows, expected {len(replayed)}"
        return

    empty_column = pd.Series([None] * len(replayed))
    for compared_column in dict.fromkeys([*replayed.columns, *archived.columns]):
        archived_cells = archived.get(compared_column, empty_column).tolist()
        replayed_cells = replayed.get(compared_column, empty_column).tolist()
        cell_pairs = zip(archived_cells, replayed_cells, strict=True)
        for row_position, (archived_cell, replayed_cell) in enumerate(cell_pairs):
            found_text = "nothing" if pd.isna(archived_cell) else archived_cell
            expected_text = "nothing" if pd.isna(replayed_cell) else replayed_cell
            if found_text != expected_text:
                location_columns = (
                    "model",
                    "replicate",
                    "round",
                    "table",
                    "player",
                    "metric",
                )
                row_key_text = ", ".join(
                    f"{key_column} {replayed[key_column][row_position]}"
                    for key_column in location_columns
                    if key_column in replayed
                )
                yield f"{row_key_text}, {compared_column}: {found_text}, expected {expected_text}"


def check_study(
    folder: Path,
    layer: Layer = "sample",
    sample: int = SAMPLE,
    **options: Unpack[ExecutionOptions],
) -> CheckReport:
    """Check a study's folder up to a layer, and return a report of all faults.

    "tables" makes the tables again, "sample" also draws the figures and plays `sample`
    tournaments again, "all" plays all of them. `options` say where tournaments are
    played: in `jobs` processes, or on the Dask cluster `scheduler`; `watch` is called
    with the numbers of finished and of all tasks. Nothing in the folder is changed, but
    the study's plug-ins run. Figures are not compared if another version of matplotlib
    drew them. A study.toml that cannot be read is a fault of the report. Raises
    InputError for a folder without a study.toml.
    """
    if not (folder / NAME).is_file():
        raise InputError(str(folder), "study.no_study", name=NAME)

    report = CheckReport()
    table_faults: list[str | Note] = []
    report.found["tables"] = table_faults
    stored_results = results_in(folder)
    try:
        design = read_study(folder / NAME)
    except PairoptError as error:
        table_faults += [
            f"cannot be read: {error}",
            *_check_listed_files(None, folder, set()),
        ]
        return report

    stated_digests = (
        stored_results.get("registered_sha256"),
        stored_results.get("study_sha256"),
    )
    if stated_digests != (design.registered, design.sha256):
        table_faults.append(message("study.other_question", name=NAME, results=RESULTS))
    report.notes += _version_notes(stored_results)

    has_figures = layer != "tables"
    matplotlib_version = _read_matplotlib_version(stored_results)
    if has_figures and matplotlib_version != all_versions()["matplotlib"]:
        report.notes.append(
            f"figures were drawn by matplotlib {matplotlib_version}: not compared"
        )
        has_figures = False

    archived_files, expected_files = _remake_files(design, folder, report, has_figures)
    expected_names = (
        {*expected_files, *archived_files, NAME, *design.files}
        if expected_files
        else set()
    )
    table_faults += _check_listed_files(design, folder, expected_names)

    if expected_files and layer != "tables":
        sample_size = 2**62 if layer == "all" else sample
        report.replayed, replay_tasks = _replay_tasks(
            design, archived_files, sample_size, folder
        )
        frames_by_task = run_tasks(replay_tasks, **options)
        replay_faults = [
            fault_text
            for frames_of_task in frames_by_task
            for fault_text in frames_of_task["faults"]["fault"]
        ]
        report.found[layer] = [*dict.fromkeys(replay_faults)]
    return report


def _version_notes(results: Mapping[str, Any]) -> list[str]:
    """Describe the versions that results.json states and that are different here.

    `results` is the content of the file. Returns at most one note for pairopt, Python
    and the platform, and one for the packages; none for what the file does not state.
    """
    version_notes = []
    for results_key, current_versions in (
        ("program", program()),
        ("versions", all_versions()),
    ):
        old_versions = results.get(results_key)
        if isinstance(old_versions, Mapping) and old_versions != current_versions:
            difference_texts = [
                f"{package_name} {str(old_versions.get(package_name))[:24]} (here {current_version[:24]})"
                for package_name, current_version in current_versions.items()
                if old_versions.get(package_name) != current_version
            ]
            version_notes.append(
                f"run with another {results_key}: {', '.join(difference_texts)}"
            )
    return version_notes


def _read_matplotlib_version(results: Mapping[str, Any]) -> object:
    """Return the version of matplotlib in results.json; None if it states none.

    `results` is the content of the file.
    """
    stated_versions = results.get("versions")
    return (
        stated_versions.get("matplotlib") if isinstance(stated_versions, dict) else None
    )


def _remake_files(
    design: StudyDesign, folder: Path, report: CheckReport, drawn: bool
) -> tuple[dict[str, bytes], Mapping[str, bytes]]:
    """Make all files of a folder again from its archive, and report the differences.

    `design` is the study in `folder`. `drawn` says whether to draw the figures too.
    Faults are added to the list "tables" of `report`, which must be there, and the
    counts are set. Returns the archived files and the files that follow from them, by
    name; both are empty if the tables cannot be made. Nothing is written.
    """
    table_faults = report.found["tables"]
    stored_results = results_in(folder)
    archive_names = list_archive_names(design, folder)
    try:
        archived_files = {
            file_name: read_bytes(folder / file_name) for file_name in archive_names
        }
        folder_format = format_in(stored_results)
        rounds_table = restore_rounds(design, archived_files, folder_format)
        report.tournaments = len(design.tasks)
        if not design.events:
            # one by one: those before an error stay
            for archive_fault in _check_archive(design, archived_files, report):
                table_faults.append(archive_fault)
        claim_results = evaluate_claims(design, rounds_table)
        expected_files = make_files(
            design,
            rounds_table,
            claim_results,
            stored_results.get("program"),
            drawn,
            folder_format,
        )
        if VALUES in archived_files:
            rounds_of_world = game_archive.rounds_by_world(design)
            exact_table = game_archive.list_exact_values(rounds_table, rounds_of_world)
            expected_files[VALUES] = game_archive.write_parquet(exact_table)
            expected_files = _drop_optional_files(expected_files, folder)
    except WRONG as error:
        table_faults.append(
            f"no tables can be made: {_archive_error(folder, archive_names, error)}"
        )
        return {}, {}

    # results.json states the versions that it was made with
    versions_text = _versions_text(all_versions())
    stated_versions_text = _versions_text(stored_results.get("versions"))
    for file_name, file_bytes in expected_files.items():
        if file_name == RESULTS:
            file_bytes = file_bytes.replace(versions_text, stated_versions_text)
        table_faults += _file_differences(folder, file_name, file_bytes)
    report.files = len(expected_files)
    return archived_files, expected_files


def _drop_optional_files(
    expected_files: Mapping[str, bytes], folder: Path
) -> dict[str, bytes]:
    """Return those of the expected files that a folder with exact values has to have.

    The values are the contents by name. The folder may leave out PDF figures,
    tournaments.csv and its long form. But such a file is returned, too, if it is in the
    folder or in the data dictionary.
    """
    digest_of_file = digests_in(folder)
    required_files = {}
    for file_name, file_bytes in expected_files.items():
        may_be_missing = file_name in (TOURNAMENTS, LONG) or file_name.endswith(".pdf")
        is_listed = file_name in digest_of_file or (folder / file_name).exists()
        if is_listed or not may_be_missing:
            required_files[file_name] = file_bytes
    return required_files


def _archive_error(folder: Path, names: Sequence[str], error: Exception) -> str:
    """Describe why tables cannot be made: a missing archived file, otherwise the error.

    `names` are the archived files that have to be there.
    """
    for file_name in names:
        if not (folder / file_name).is_file():
            return f"{file_name} is not there"
    return f"{error}" if isinstance(error, InputError) else f"{names[0]}: {error}"


def _versions_text(versions: object) -> bytes:
    """Return the entry "versions" of a results.json, as the bytes of its lines.

    The braces around it are left out, so that it can be replaced in the file.
    """
    return json_text({"versions": versions}).encode()[1:-3]


def _check_archive(
    design: StudyDesign, archive: Mapping[str, bytes], report: CheckReport
) -> Iterator[str]:
    """Yield faults of the archive, and count the archived tournaments in `report`.

    `archive` has the content of each archived file by name. A fault is a number of
    replicates that the study cannot have, or a difference of the players to those of
    the seed, of which at most 3 (`MOST`) are yielded. The counts are set when the first
    fault is asked for.
    """
    study_file = design.file
    study_count = len(design.studies)
    archived_games = read_parquet(GAMES, archive[GAMES])
    stored_replicates = game_archive.stored_replicates(archived_games)
    tournament_count = len(
        game_archive.read_tournaments(design, tournaments_in(archive))
    )
    report.tournaments = stored_replicates * study_count
    report.by_seed = tournament_count - stored_replicates * study_count

    replicates_per_study = tournament_count // study_count
    possible_replicates = [study_file.replicates]
    if study_file.precision:
        possible_replicates = [
            *replicate_targets(study_file.replicates, study_file.most)
        ]
    if replicates_per_study not in possible_replicates:
        yield f"{TOURNAMENTS}: {replicates_per_study} a model, expected {study_file.replicates}"

    expected_players_bytes = game_archive.write_parquet(
        game_archive.list_players(design, stored_replicates)
    )
    difference_texts = find_differences(
        read_parquet(PLAYERS, archive[PLAYERS]),
        read_parquet(PLAYERS, expected_players_bytes),
    )
    for difference_text in [*difference_texts][:MOST]:
        yield f"{PLAYERS}: {difference_text}"


def _check_listed_files(
    design: StudyDesign | None, folder: Path, expected: set[str]
) -> Iterator[str]:
    """Yield the differences of a folder's files to its data dictionary and SHA256SUMS.

    `expected` are the names of the study's files. If `design` is not None and
    `expected` is not empty, the dictionary itself is compared with a new one, too,
    unless a table cannot be read. `design` is None for a study that cannot be read.
    """
    digest_of_file = digests_in(folder)
    listed_names = sorted({DICTIONARY, *digest_of_file, *expected})
    content_of_file = {}
    for listed_name in listed_names:
        file_path = folder / listed_name
        is_inside = file_path.resolve().is_relative_to(folder.resolve())
        if file_path.is_file() and is_inside:
            content_of_file[listed_name] = file_path.read_bytes()

    for listed_name in listed_names:
        if listed_name not in content_of_file:
            yield f"{quote(listed_name)} is not there"
    for listed_name, file_bytes in content_of_file.items():
        if (
            listed_name in digest_of_file
            and hashlib.sha256(file_bytes).hexdigest() != digest_of_file[listed_name]
        ):
            yield f"{listed_name}: not the file that {DICTIONARY} describes"
    yield from _file_differences(folder, SUMS, format_sums(content_of_file))
    if design is not None and expected:
        described_files = {
            listed_name: file_bytes
            for listed_name, file_bytes in content_of_file.items()
            if listed_name in expected or listed_name.startswith("figures/")
        }
        try:
            expected_dictionary = write_data_package(design, described_files)
        except (*WRONG, StopIteration, csv.Error):
            # a table that cannot be read or is empty is a fault already
            return

        yield from _file_differences(folder, DICTIONARY, expected_dictionary)


def _replay_tasks(
    design: StudyDesign, archive: Mapping[str, bytes], sample: int, folder: Path
) -> tuple[int, list[ReplayedTask]]:
    """Draw a sample of tournaments, and list the tasks that play these again.

    `archive` has the content of each archived file by name, and `folder` has the file
    SHA256SUMS, which seeds the draw. At most `sample` tournaments are drawn. A task
    plays one tournament, or 10 (`REPLICATES`) if all tournaments are drawn. A study of
    real events has a sample of events. Returns the number of tournaments drawn, and the
    tasks, each with the archived tables to compare with. Nothing is played yet.
    """
    if design.events:
        return _replay_event_tasks(design, archive, sample, folder)

    tournament_table = game_archive.read_tournaments(design, tournaments_in(archive))
    archived_games = read_parquet(GAMES, archive[GAMES])
    replicates_per_study = len(tournament_table) // len(design.studies)
    stored_replicates = game_archive.stored_replicates(archived_games)
    sampled_rows = _sample_replicates(len(tournament_table), sample, folder)

    # all tournaments: whole tasks; a sample: one tournament per task
    task_size = REPLICATES if len(sampled_rows) == len(tournament_table) else 1
    replay_tasks = []
    start_rows = {
        tournament_row_position
        - tournament_row_position % replicates_per_study % task_size
        for tournament_row_position in sampled_rows
    }
    for first_row in sorted(start_rows):
        study = design.studies[first_row // replicates_per_study]
        first_replicate = first_row % replicates_per_study
        stop_replicate = min(first_replicate + task_size, replicates_per_study)
        cell_of_key_column = {"model": name_of(study.contender), **dict(study.cells)}
        is_in_study = np.logical_and.reduce(
            [
                (archived_games[key_column] == key_cell).to_numpy()
                for key_column, key_cell in cell_of_key_column.items()
            ]
        )
        is_in_task = (
            is_in_study
            & archived_games["replicate"]
            .between(first_replicate, stop_replicate - 1)
            .to_numpy()
        )
        tournament_rows = tournament_table.iloc[
            first_row : first_row + stop_replicate - first_replicate
        ]
        archived_tables = {
            GAMES: archived_games[is_in_task].reset_index(drop=True),
            TOURNAMENTS: tournament_rows.reset_index(drop=True),
        }
        simulation_task = SimulationTask(study, first_replicate, stop_replicate)
        replay_tasks.append(
            ReplayedTask(simulation_task, archived_tables, stored_replicates)
        )
    return len(sampled_rows), replay_tasks


def _replay_event_tasks(
    design: StudyDesign, archive: Mapping[str, bytes], sample: int, folder: Path
) -> tuple[int, list[ReplayedTask]]:
    """Draw a sample of real events, and list the tasks that pair these again.

    `design` is a study of real events. `archive` has the content of each archived file
    by name, and `folder` has the file SHA256SUMS, which seeds the draw. An event counts
    once for each contender. Returns the number of events drawn, at most `sample`, and
    the tasks, each with its archived rounds.
    """
    rounds_table = read_parquet(ROUNDS, archive[ROUNDS])
    event_tasks = design.tasks
    round_counts = [event.round - 1 for _, event in design.events] * len(design.names)
    row_ends = [0, *np.cumsum(round_counts).tolist()]
    rounds_by_task = [
        rounds_table.iloc[first_row:stop_row].reset_index(drop=True)
        for first_row, stop_row in pairwise(row_ends)
    ]
    sampled_tasks = _sample_replicates(len(event_tasks), sample, folder)
    return len(sampled_tasks), [
        ReplayedTask(
            event_tasks[task_position], {ROUNDS: rounds_by_task[task_position]}
        )
        for task_position in sampled_tasks
    ]


def _file_differences(folder: Path, name: str, expected: bytes) -> Iterator[str]:
    """Yield texts on how a folder's file `name` differs from the expected bytes.

    A missing file is one text. Parquet files are compared as tables, with at most 3
    (`MOST`) differences, or one text if the file cannot be read. A PDF only has a text
    that it differs; any other file has the line of its first difference.
    """
    if not (folder / name).is_file():
        yield f"{name} is not there"
        return

    found_bytes = (folder / name).read_bytes()
    if name.endswith(".parquet"):
        # compared as tables, because another pyarrow writes other bytes
        try:
            found_table = read_parquet(name, found_bytes)
        except InputError as error:
            yield f"{error}"
            return

        difference_texts = find_differences(found_table, read_parquet(name, expected))
        yield from (
            f"{name}: {difference_text}"
            for difference_text in [*difference_texts][:MOST]
        )
    elif found_bytes != expected and name.endswith(".pdf"):
        yield f"{name}: not what the games give"
    elif found_bytes != expected:
        yield f"{name}: {_first_difference(found_bytes, expected)}"


def _first_difference(found: bytes, expected: bytes) -> str:
    """Return a text with the first line that differs, and how it differs.

    `found` is the file in the study's folder, `expected` what its games give. The text
    has the line number, and up to 25 (`BEFORE`) characters before and after the
    difference.
    """
    found_lines = found.decode(errors="replace").splitlines()
    expected_lines = expected.decode(errors="replace").splitlines()
    line_number = len(found_lines)
    found_line = expected_line = ""
    line_pairs = zip_longest(found_lines, expected_lines, fillvalue="")
    for different_line_number, (found_candidate, expected_candidate) in enumerate(
        line_pairs, 1
    ):
        if found_candidate != expected_candidate:
            line_number, found_line, expected_line = (
                different_line_number,
                found_candidate,
                expected_candidate,
            )
            break

    character_position = min(len(found_line), len(expected_line))
    character_pairs = zip(found_line, expected_line, strict=False)
    for position_in_line, (found_character, expected_character) in enumerate(
        character_pairs
    ):
        if found_character != expected_character:
            character_position = position_in_line
            break
    shown_slice = slice(
        max(character_position - BEFORE, 0), character_position + BEFORE
    )
    found_text = quote(found_line[shown_slice])
    expected_text = quote(expected_line[shown_slice])
    return f"line {line_number}: found {found_text}, the games give {expected_text}"


def _sample_replicates(count: int, sample: int, folder: Path) -> list[int]:
    """Draw the positions of `sample` of `count` tournaments, in ascending order.

    All of them if `sample` is `count` or more. The digest of SHA256SUMS is the seed, so
    other ones are drawn whenever a file is changed; without this file the seed is 0.
    """
    try:
        seed_digest = hashlib.sha256(read_bytes(folder / SUMS)).hexdigest()
    except InputError:
        seed_digest = "0"
    random_numbers = uniforms(int(seed_digest, 16), np.arange(count))
    return sorted(np.argsort(random_numbers, kind="stable")[:sample].tolist())
