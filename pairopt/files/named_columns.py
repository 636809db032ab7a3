"""Named columns: tables in which the user has given headings a meaning."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields

from pairopt.errors import UsageError
from pairopt.files.column_headings import list_known_columns
from pairopt.files.csv_schema import MatchRow
from pairopt.files.match_headings import RESULT_MEANINGS, simplify_heading
from pairopt.files.text_tables import TextTable

MEANING = re.compile(
    r"""\s*(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*?))\s*(?:,(?=\s*\w+\s*=)|$)"""
)
"""MEANING=HEADING, or several of these with commas between them."""


def parse_named_columns(texts: Iterable[str]) -> dict[str, str]:
    """Parse texts such as `player1=Hero,result="Final score"` into a dict.

    Keys are the meanings, and values the headings of the file. Raises UsageError if a
    text has another form, or names a meaning twice.
    """
    heading_by_meaning: dict[str, str] = {}
    for assignment_text in texts:
        unparsed_position = 0
        while unparsed_position < len(assignment_text):
            assignment_match = MEANING.match(assignment_text, unparsed_position)
            if assignment_match is None or not any(assignment_match.groups()[1:]):
                raise UsageError(
                    "columns.wrong", found=assignment_text[unparsed_position:]
                )

            meaning = assignment_match[1].lower()
            if meaning in heading_by_meaning:
                raise UsageError("columns.twice", meaning=meaning)
            heading_by_meaning[meaning] = (
                assignment_match[2] or assignment_match[3] or assignment_match[4]
            )
            unparsed_position = assignment_match.end()
    return heading_by_meaning


def with_named_columns(table: TextTable, columns: Mapping[str, str]) -> TextTable:
    """Return the table with columns renamed to the meanings that the user gave them.

    `columns` has the heading of the file for each meaning. Another column that has the
    name of a meaning gets "(other)" after it. Without meanings the columns stay. Raises
    UsageError for a meaning that pairopt does not have, and for a heading that the
    table does not have, or has several times but for case and signs.
    """
    known_meanings = list_known_meanings()
    meaning_by_column: dict[str, str] = {}
    for meaning, heading in columns.items():
        if meaning not in known_meanings:
            raise UsageError(
                "columns.no_meaning", found=meaning, meanings=known_meanings
            )
        meaning_by_column[_find_column(table, heading)] = meaning
    other_name_by_column = {
        column_name: f"{column_name} (other)"
        for column_name in table.columns
        if column_name in meaning_by_column.values()
        and column_name not in meaning_by_column
    }
    return table.with_renamed_columns({**other_name_by_column, **meaning_by_column})


def list_known_meanings() -> list[str]:
    """List the meanings that the option `columns` can give to a heading.

    Those of matches.csv come first, then those of results and those of players.csv.
    """
    match_columns = [
        row_field.name for row_field in fields(MatchRow) if row_field.name != "place"
    ]
    return list(
        dict.fromkeys(
            [*match_columns, "result", *RESULT_MEANINGS, *sorted(list_known_columns())]
        )
    )


def _find_column(table: TextTable, heading: str) -> str:
    """Return the name of the column with a heading, whose case and signs may differ.

    `table` has the columns. Raises UsageError if there is none, or if several columns
    differ only so.
    """
    if heading.lower() in table.columns:
        return heading.lower()
    similar_columns = [
        column_name
        for column_name in table.columns
        if simplify_heading(column_name) == simplify_heading(heading)
    ]
    if len(similar_columns) == 1:
        return similar_columns[0]
    table_headings = [table.find_heading(column_name) for column_name in table.columns]
    raise UsageError(
        "columns.no_heading", source=table.name, found=heading, headings=table_headings
    )
