"""Command `bracket`: the cut: an elimination of the best."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "bracket",
    group="Run an event",
    line="Make or show the elimination bracket after the rounds.",
    words="""
    Make or show the elimination bracket (top cut) after the rounds.

    Examples:
      pairopt bracket friday --cut 8             make a bracket of the best 8
      pairopt bracket friday --cut 8 --double    double elimination
      pairopt bracket friday                     show the bracket
      pairopt result friday B1 2-0               enter a result of the bracket

    The standings decide the seeds of the players in the bracket. If the number of
    players is not 2, 4, 8, 16 or a higher power of 2, the best players have byes in the
    first round of the bracket.
    """,
    params=(
        CommandParameter(
            "--cut",
            "Make a bracket of the best N players who are still active.",
            metavar="N",
            allowed="cut",
        ),
        CommandParameter(
            "--double",
            "Make a double elimination: a player is out after two lost matches.",
            form="flag",
        ),
        CommandParameter(
            "--by-lot",
            "Draw lots to order players who are equal in everything.",
            form="flag",
        ),
        CommandParameter(
            "--seed",
            "Number that decides the draw of --by-lot. Default: the event's number, otherwise 0.",
            metavar="N",
            allowed="seed",
        ),
    ),
    mode="keeps",
)
