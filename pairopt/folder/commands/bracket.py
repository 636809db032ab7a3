"""Command `bracket`: the cut: an elimination of the best."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "bracket",
    group="An evening",
    line="The cut: an elimination of the best.",
    words="""
    The elimination of FOLDER: with --cut it is made from the standings, then it is shown.

    Seeds follow the standings; the best have byes where N is no power of two. Matches are called B1,
    B2, …: pairopt result FOLDER B1 2-0 writes down how one ended.
    """,
    params=(
        CommandParameter(
            "--cut",
            "Make the bracket of the best N of those still active.",
            metavar="N",
            allowed="cut",
        ),
        CommandParameter("--double", "Two lost matches put a player out.", form="flag"),
        CommandParameter(
            "--by-lot", "Order players who are equal in everything by lot.", form="flag"
        ),
        CommandParameter(
            "--seed",
            "The seed of --by-lot. Default: the event's, else 0.",
            metavar="N",
            allowed="seed",
        ),
    ),
    mode="keeps",
)
