"""Command `new`: make an event folder that keeps its own rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.folder.commands import CommandParameter, FolderCommand


def make_event(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return "new" and its arguments, with the headings of the list by their meaning.

    `values` are the parameters by name. `columns` is None if no heading was given.
    """
    # `pairopt --help` imports this module: the readers of files are heavy
    from pairopt.files.named_columns import parse_named_columns

    columns = parse_named_columns(values["columns"] or ()) or None
    return "new", {**values, "columns": columns}


VERB = FolderCommand(
    "new",
    group="An evening",
    line="Make an event folder that keeps its own rules.",
    words="""
    Make FOLDER, an event that keeps its own rules, from a list of players.

    It says what it took from where; all of it can be changed in FOLDER/event.toml. Then: pairopt pair,
    result, standings.
    """,
    params=(
        CommandParameter(
            "--players",
            "A list of players, or an event in any format that is read, or its folder.",
            form="file",
            metavar="FILE",
            required=True,
        ),
        CommandParameter(
            "--columns",
            'What the headings of FILE mean, for example player1="Player A",games=Score. Only '
            "needed where pairopt asks for it. Repeatable.",
            form="cells",
            metavar='MEANING="HEADING",...',
            many=True,
        ),
        CommandParameter(
            "--people",
            "Take the people and the rules alone, and no rounds; of a folder always.",
            form="flag",
        ),
        CommandParameter(
            "--baku",
            "Virtual points for the first half of the players (FIDE C.04.7).",
            form="flag",
        ),
        CommandParameter(
            "--sure",
            "Accept names with the same words in another order as two people, and accept "
            "unclear lines of a pasted list as pairopt read them.",
            form="flag",
        ),
    ),
    call=make_event,
    settings=True,
    mode="keeps",
)
