"""Define `pairopt print`: lists for the wall, such as the starting list or the cross table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from pairopt.cli.console import echo_notes, say, table_text, write_output
from pairopt.cli.options import (
    INPUTS,
    OUTPUT,
    OVERWRITE,
    apply_decorators,
    bounded,
    require_free_outputs,
)
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.files.read import read_event
from pairopt.files.write import write_all
from pairopt.messages import Note
from pairopt.report.page import list_page
from pairopt.report.printed_lists import available_lists, make_list
from pairopt.report.printed_lists.base import FilledList
from pairopt.report.printed_lists.rendering import render_list

FORM_BY_SUFFIX = {
    ".csv": "csv",
    ".xlsx": "xlsx",
    ".json": "json",
    ".html": "html",
    ".htm": "html",
}
"""The format of an output file by its suffix."""


@click.command()
@apply_decorators(INPUTS)
@click.argument("name", metavar="[LIST]", required=False)
@click.option(
    "--round",
    type=bounded("rounds"),
    metavar="N",
    help="Show the pairings of round N. Default: the last round that is paired.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "xlsx", "json", "html"]),
    help="Format of the output. Default: table, or with -o the format that the file name shows.",
)
@OUTPUT
@OVERWRITE
@click.pass_context
def command(
    ctx: click.Context,
    /,
    event: str,
    name: str | None,
    round: int | None,
    form: str | None,
    output: str | None,
    overwrite: bool,
    **options: Any,
) -> None:
    """Print a list for the wall, such as the cross table.

    Examples:
      pairopt print friday                          the lists that there are
      pairopt print friday cross-table
      pairopt print friday ranking -o ranking.html  print it in your browser
      pairopt print friday starting-list -o list.xlsx
      pairopt print friday pairings --round 3 -o round3.csv

    The settings of an event choose the columns (list_columns), the groups (groups) and the
    numbers in the cross table (cross_table).
    """
    require_free_outputs(ctx, overwrite)
    given_event = read_event(event, unfinished=True, **options)
    echo_notes(without_open_results(given_event.notes))
    if name is None:
        if round is not None or form is not None or output is not None:
            raise UsageError(
                "list.which",
                known=[
                    available_list.name
                    for available_list in available_lists(given_event)
                ],
            )
        _say_lists(given_event)
        return

    filled_list = make_list(given_event, name, round)
    form = form or _find_form(output)
    rendered_list = _render(filled_list, given_event, form)
    if output is not None:
        write_all({Path(output): rendered_list})
        say(f"written to {output}")
    elif form == "xlsx":
        raise UsageError("list.workbook_needs_file", list=name)
    else:
        write_output(rendered_list.decode(), form)


def without_open_results(notes: Iterable[Note]) -> Iterator[Note]:
    """Yield all notes but the one on missing results.

    Titles of lists say that already.
    """
    for note in notes:
        if note.kind != "event.unfinished":
            yield note


def _say_lists(event: Event) -> None:
    """Write to stdout which lists can be made of an event, and what they show."""
    list_rows = [
        [available_list.name, available_list.use]
        for available_list in available_lists(event)
    ]
    write_output(table_text(["list", "shows"], list_rows, ""), "table")


def _find_form(output: str | None) -> str:
    """Return the form of the output by the suffix of a file name.

    It is "table" without a file. Raises UsageError for a suffix of another format.
    """
    if output is None:
        return "table"
    suffix = Path(output).suffix.lower()
    if suffix not in FORM_BY_SUFFIX:
        raise UsageError("list.suffix", path=output, expected=[*FORM_BY_SUFFIX])
    return FORM_BY_SUFFIX[suffix]


def _render(filled: FilledList, event: Event, form: str) -> bytes:
    """Return a filled list as bytes in a form.

    `form` is "table" (a text with the title), "html", "csv", "xlsx" or "json". `event`
    gives the title of a page.
    """
    if form == "html":
        return list_page(event.settings.title, filled).encode()
    if form != "table":
        return render_list(filled, event, form)

    column_heads, list_rows = filled.headed_table()
    first_column_index = 1 if filled.section_head else 0
    right_heads = [
        column_head
        for column_head, list_column in zip(
            column_heads[first_column_index:], filled.columns, strict=True
        )
        if list_column.kind in ("number", "money")
    ]
    cell_texts = [[str(cell) for cell in row_cells] for row_cells in list_rows]
    return f"{filled.title}\n\n{table_text(column_heads, cell_texts, ','.join(right_heads))}".encode()
