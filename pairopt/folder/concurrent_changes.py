"""Concurrent changes: what others have changed in an event since a page showed it.

A cell has a path of words, such as ("players.csv", "anna", "active") or ("matches.csv",
"2", "17", "score1"). Paths of names and titles, which no pairing depends on, begin with
the word "names".
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from pairopt.errors import InputError
from pairopt.event.name_search import normalize_name
from pairopt.files.event_folder import BRACKET, EVENT, FILES, MATCHES, PLAYERS, Files
from pairopt.files.text_source import decode_text
from pairopt.folder.open_folder import OpenFolder, StaleStateError
from pairopt.folder.protected_facts import read_rows
from pairopt.messages import Note, message, with_heading

CellPath = tuple[str, ...]
NAMES = "names"
KEYS = {PLAYERS: ("player", "name"), BRACKET: ("match",), MATCHES: ("table", "player1")}
"""The columns that identify a row of each file: the first one that is not empty
counts."""


def open_as_shown(desk: OpenFolder, state: str) -> OpenFolder:
    """Return the folder for a dry run, with the files that a page has shown.

    `desk` is the folder now. `state` is the digest of the shown files, 32 hexadecimal
    digits. Commands on the returned folder write nothing. Raise StaleStateError if no
    finished step left the files in this state, and InputError if a step is damaged.
    """
    for _, files_after_step in desk.journal.since(state):
        return replace(desk.rehearsed(), files=files_after_step)
    raise StaleStateError


def require_unchanged(
    desk: OpenFolder, shown: OpenFolder, reads: Iterable[CellPath]
) -> None:
    """Raise StaleStateError if cells differ from what a page has shown.

    `desk` is the folder now, and `shown` the folder that the page showed. `reads` has
    the beginnings of the paths of the cells that count; "*" stands for any word. Other
    cells may differ. The error lists the steps that changed them; there are none if the
    files were only edited by hand.
    """
    path_patterns = tuple(reads)
    if _has_changed(path_patterns, shown.files, desk.files):
        consecutive_steps_and_files = pairwise(desk.journal.since(shown.state))
        raise StaleStateError(
            later_step
            for (_, files_before), (
                later_step,
                files_after,
            ) in consecutive_steps_and_files
            if _has_changed(path_patterns, files_before, files_after)
        )


def describe_last_change(desk: OpenFolder) -> Note:
    """Return a message on who changed the event last, and what they did.

    That is the step that left the files as they are, or an edit by hand if no step did.
    """
    for last_step, _ in desk.journal.since(desk.state):
        return with_heading(
            message("folder.changed_by", who=last_step.who), last_step.did
        )
    return message("folder.changed_by_hand")


def _has_changed(patterns: tuple[CellPath, ...], before: Files, after: Files) -> bool:
    """Return whether a cell that fits a pattern differs between two versions of files.

    A cell fits if its path begins with the words of one of `patterns`; "*" is any word.
    `before` and `after` are the contents of the event's files by name. A cell that only
    one version has counts as different.
    """
    cell_by_path_before = _read_cells(
        *((file_name, before.get(file_name, b"")) for file_name in FILES)
    )
    cell_by_path_after = _read_cells(
        *((file_name, after.get(file_name, b"")) for file_name in FILES)
    )
    changed_paths = [
        cell_path
        for cell_path in cell_by_path_before.keys() | cell_by_path_after.keys()
        if cell_by_path_before.get(cell_path) != cell_by_path_after.get(cell_path)
    ]
    return any(
        _is_fitting(cell_pattern, cell_path)
        for cell_pattern in patterns
        for cell_path in changed_paths
    )


def _is_fitting(pattern: CellPath, path: CellPath) -> bool:
    """Return whether a path begins with the words of a pattern; "*" is any word.

    A path that is shorter than the pattern fits if all of its words do.
    """
    return all(
        pattern_word in ("*", path_word)
        for pattern_word, path_word in zip(pattern, path, strict=False)
    )


@lru_cache(maxsize=8)
def _read_cells(*files: tuple[str, bytes]) -> Mapping[CellPath, str]:
    """Read all cells of the files by their paths; `files` are names with contents.

    A file that cannot be read has no cells. The result is cached, and must not be
    changed.
    """
    cell_by_path: dict[CellPath, str] = {}
    for file_name, file_content in files:
        if file_name == EVENT:
            cell_by_path.update(_read_event_cells(file_content))
        else:
            cell_by_path.update(_read_table_cells(file_name, file_content))
    return cell_by_path


def _read_table_cells(name: str, content: bytes) -> Iterator[tuple[CellPath, str]]:
    """Yield the path and the content of each cell of a CSV file that is not empty.

    `name` is the name of the file. A path has the file's name, the round in
    matches.csv, the normalized identifier of the row, and the column; cells of names
    have one more word in front. The value "true" of the column `active` is skipped,
    because it is the default.
    """
    for table_row in read_rows(name, content):
        row_identifier = next(
            (
                table_row[column_name]
                for column_name in KEYS[name]
                if table_row.get(column_name)
            ),
            "",
        )
        path_of_row: CellPath = (name, normalize_name(row_identifier))
        if name == MATCHES:
            path_of_row = (
                name,
                table_row.get("round", ""),
                normalize_name(row_identifier),
            )

        for column_name, cell_text in table_row.items():
            # A file without the column `active` means the same.
            is_default = (column_name, cell_text) == ("active", "true")
            if cell_text and not is_default:
                cell_path = (*path_of_row, column_name)
                yield (
                    (
                        (NAMES, *cell_path)
                        if column_name.startswith("name")
                        else cell_path
                    ),
                    cell_text,
                )


def _read_event_cells(content: bytes) -> Iterator[tuple[CellPath, str]]:
    """Yield the path and text of each value of event.toml; none if it is damaged.

    `content` is the content of the file. A path is the file's name and the key, such as
    ("event.toml", "points.bye"). The points of a win, a draw and a loss, and their
    number of games, have a key of two words instead: "points", "win". The path of the
    title begins with the mark for names. A forbidden pair is yielded twice, once with
    each player first; its path ends with both normalized names.
    """
    try:
        setting_by_key = tomllib.loads(decode_text(EVENT, content).text)
    except (InputError, ValueError):
        return
    for forbidden_entry in setting_by_key.pop("forbid", []):
        names_of_forbidden_pair = (
            forbidden_entry["players"]
            if isinstance(forbidden_entry, dict)
            else forbidden_entry
        )
        name_of_first_player, name_of_second_player = map(
            normalize_name, names_of_forbidden_pair
        )
        yield (
            (EVENT, "forbid", name_of_first_player, name_of_second_player),
            str(forbidden_entry),
        )
        yield (
            (EVENT, "forbid", name_of_second_player, name_of_first_player),
            str(forbidden_entry),
        )
    for result_name, points_of_result in setting_by_key.pop("points", {}).items():
        if result_name in ("win", "draw", "loss", "games"):
            yield (EVENT, "points", result_name), str(points_of_result)
        else:
            yield (EVENT, f"points.{result_name}"), str(points_of_result)
    for prize_key, setting_value in setting_by_key.pop("prizes", {}).items():
        yield (EVENT, f"prizes.{prize_key}"), str(setting_value)
    for setting_key, setting_value in setting_by_key.items():
        cell_path = (EVENT, setting_key)
        yield (
            ((NAMES, *cell_path) if setting_key == "title" else cell_path),
            str(setting_value),
        )
