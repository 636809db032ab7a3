"""Command `new`: make an event folder that keeps its own rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.folder.commands import CommandParameter, FolderCommand


def make_event(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return "new" and its arguments, with the headings of the list by their meaning.

    `values` are the parameters by name. `columns` is None if no heading was given.
    Raises UsageError for a heading that is not MEANING=HEADING.
    """
    # `pairopt --help` imports this module: the readers of files are heavy
    from pairopt.files.named_columns import parse_named_columns

    heading_by_meaning = parse_named_columns(values["columns"] or ()) or None
    return "new", {**values, "columns": heading_by_meaning}


VERB = FolderCommand(
    "new",
    group="Run an event",
    line="Create an event folder, usually from a list of players.",
    words="""
    Create an event folder, usually from a list of players.

    Examples:
      pairopt new friday --players players.csv
      pairopt new friday --players players.xlsx --rounds 5 --points 3-1-0
      pairopt new open --model fide-dutch --rounds 9      without players yet
      pairopt new club --players list.csv --format round-robin
      pairopt new friday --players list.csv --columns name="Last name"

    The list can be a CSV file, an Excel workbook (.xlsx), a text file with one name
    on each line, or another event. pairopt shows what it took from the list. Without a
    list, the event begins without players: add players with pairopt enter. To change a
    setting of the event later, use pairopt set.
    """,
    params=(
        CommandParameter(
            "--players",
            "File with the list of players, or a file or folder of another event. Default: no players yet.",
            form="file",
            metavar="FILE",
        ),
        CommandParameter(
            "--columns",
            'Meanings of the headings in the list of players, for example player1="Player A",games=Score, for headings that pairopt does not recognise. Repeatable.',
            form="cells",
            metavar='MEANING="HEADING",...',
            many=True,
        ),
        CommandParameter(
            "--people",
            "Import the players and settings of another event, but no rounds. From an event folder, pairopt never imports rounds.",
            form="flag",
        ),
        CommandParameter(
            "--baku",
            "Use Baku Acceleration: the first half of the players gets virtual points in the first rounds (FIDE C.04.7).",
            form="flag",
        ),
        CommandParameter(
            "--sure",
            "Confirm that two similar names are two players, or that pairopt read unclear lines of a pasted list correctly.",
            form="flag",
        ),
    ),
    call=make_event,
    settings=True,
    mode="keeps",
)
