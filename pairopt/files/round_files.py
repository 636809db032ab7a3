"""Round files: join a folder with one list of matches per round into one list."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pairopt.errors import Fault, InputError
from pairopt.files.match_headings import find_match_columns, is_match_list
from pairopt.files.match_results import parse_round_number
from pairopt.files.named_columns import with_named_columns
from pairopt.files.text_source import WORKBOOK, decode_text, read_bytes
from pairopt.files.text_tables import TextTable, parse_table
from pairopt.files.workbook import read_table
from pairopt.messages import message

SUFFIXES = (".csv", ".tsv", ".txt", ".xlsx")
NUMBER = re.compile(r"\d+")


def is_folder_of_rounds(path: object) -> bool:
    """Return whether a path is a folder with files that may hold tables.

    Only the suffixes of the files count: .csv, .tsv, .txt or .xlsx. Returns False for
    values that are not paths.
    """
    return (
        isinstance(path, str | Path)
        and Path(path).is_dir()
        and bool(_list_files(Path(path)))
    )


def read_round_files(folder: Path, columns: Mapping[str, str]) -> TextTable:
    """Join the lists of matches in a folder into one table, in the order of rounds.

    The column `round` is the file's column of rounds, otherwise the number in the
    file's name. `columns` has the headings of the files by the meanings that the user
    gave them. Raises InputError for a file that is no list of matches or does not say
    its round, and if the files have different headings, and UsageError for a meaning or
    heading in `columns` that is not known.
    """
    round_tables = [
        _with_round(file_path, _read_table(file_path, columns))
        for file_path in _list_files(folder)
    ]
    round_tables.sort(
        key=lambda round_table: parse_round_number(round_table.cells["round"][0]) or 0
    )
    first_table = round_tables[0]
    faults = [
        Fault(
            message(
                "listing.other_headings",
                file=Path(round_table.name).name,
                first=Path(first_table.name).name,
            )
        )
        for round_table in round_tables
        if set(round_table.columns) != set(first_table.columns)
    ]
    if faults:
        raise InputError(str(folder), faults)
    cells_by_column = {
        column_name: [
            cell
            for round_table in round_tables
            for cell in round_table.cells[column_name]
        ]
        for column_name in first_table.columns
    }
    row_numbers = [
        row_number for round_table in round_tables for row_number in round_table.rows
    ]
    file_names = [
        Path(round_table.name).name
        for round_table in round_tables
        for _ in round_table.rows
    ]
    notes_of_all = tuple(
        table_note for round_table in round_tables for table_note in round_table.notes
    )
    return replace(
        first_table,
        name=str(folder),
        cells=cells_by_column,
        rows=row_numbers,
        files=file_names,
        notes=notes_of_all,
    )


def _list_files(folder: Path) -> list[Path]:
    """Return the files of a folder that may hold tables, sorted by path.

    Their suffixes are .csv, .tsv, .txt and .xlsx.
    """
    return sorted(
        file_path
        for file_path in folder.iterdir()
        if file_path.suffix.lower() in SUFFIXES and file_path.is_file()
    )


def _read_table(path: Path, columns: Mapping[str, str]) -> TextTable:
    """Read a list of matches from a file, with columns renamed to their meanings.

    `columns` has the headings of the file by the meanings that the user gave them.
    Raises InputError if the file cannot be read, is no list of matches, or has no row
    below the headings, and UsageError for an unknown meaning or heading.
    """
    file_bytes = read_bytes(path)
    if file_bytes.startswith(WORKBOOK):
        match_table = read_table(
            str(path), file_bytes, lambda sheet: is_match_list(sheet.columns)
        )
    else:
        match_table = parse_table(decode_text(str(path), file_bytes))
    if match_table.rows:
        match_table = with_named_columns(match_table, columns)
    if find_match_columns(match_table.columns) is None:
        raise InputError(str(path), "listing.no_matches_in_folder")
    if not match_table.rows:
        raise InputError(str(path), "listing.only_headings")
    return match_table


def _with_round(path: Path, table: TextTable) -> TextTable:
    """Return the table with its column of rounds as "round", or with a new one.

    If it has no column of rounds, the only number in the file's name is the round of
    all rows; `path` is the file. Raises InputError if the name has no number, or
    several.
    """
    match_columns = find_match_columns(table.columns)
    assert match_columns is not None
    if match_columns.round is not None:
        return table.with_renamed_columns({match_columns.round: "round"})
    file_name_numbers = NUMBER.findall(path.stem)
    if len(file_name_numbers) != 1:
        raise InputError(str(path), "listing.no_number_in_name")
    return table.with_columns({"round": [file_name_numbers[0]] * len(table.rows)})
