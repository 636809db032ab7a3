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
    """Parse texts such as `player1=Hero,result="Final score"` into headings by their meanings.

    Raises UsageError if a text has another form, or names a meaning twice.
    """
    headings: dict[str, str] = {}
    for text in texts:
        position = 0
        while position < len(text):
            part = MEANING.match(text, position)
            if part is None or not any(part.groups()[1:]):
                raise UsageError("columns.wrong", found=text[position:])

            meaning = part[1].lower()
            if meaning in headings:
                raise UsageError("columns.twice", meaning=meaning)
            headings[meaning] = part[2] or part[3] or part[4]
            position = part.end()
    return headings


def with_named_columns(table: TextTable, columns: Mapping[str, str]) -> TextTable:
    """Rename columns of a table: `columns` has their headings by what they mean.

    Raises UsageError for a meaning that pairopt does not have, and for a heading that the table
    does not have.
    """
    meanings = list_known_meanings()
    names: dict[str, str] = {}
    for meaning, heading in columns.items():
        if meaning not in meanings:
            raise UsageError("columns.no_meaning", found=meaning, meanings=meanings)
        names[_find_column(table, heading)] = meaning
    moved_names = {
        name: f"{name} (other)"
        for name in table.columns
        if name in names.values() and name not in names
    }
    return table.with_renamed_columns({**moved_names, **names})


def list_known_meanings() -> list[str]:
    """List the meanings that `columns` can give to a heading, those of matches.csv first."""
    of_matches = [column.name for column in fields(MatchRow) if column.name != "place"]
    return list(
        dict.fromkeys(
            [*of_matches, "result", *RESULT_MEANINGS, *sorted(list_known_columns())]
        )
    )


def _find_column(table: TextTable, heading: str) -> str:
    """Find a column by its heading, whose case and signs may differ. Raises UsageError if none."""
    if heading.lower() in table.columns:
        return heading.lower()
    similar_columns = [
        column
        for column in table.columns
        if simplify_heading(column) == simplify_heading(heading)
    ]
    if len(similar_columns) == 1:
        return similar_columns[0]
    headings = [table.find_heading(column) for column in table.columns]
    raise UsageError(
        "columns.no_heading", source=table.name, found=heading, headings=headings
    )
