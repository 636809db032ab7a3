"""Command `bye`: a player asks for a bye, or theirs gives other points."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "bye",
    group="Players",
    line="Give a player a bye, change its points, or cancel it.",
    words="""
    Give a player a bye, change its points, or cancel it.

    Examples:
      pairopt bye friday "Ann Lee"                 bye in the next round
      pairopt bye friday "Ann Lee" --points 0.5    half-point bye
      pairopt bye friday "Ann Lee" --round 3       bye in round 3
      pairopt bye friday "Ann Lee" --off           cancel it

    If the player already has a bye in the round, pairopt changes the points of this
    bye. Byes in round 1 can also be in the list of players, in the column
    first_round_bye.
    """,
    params=(
        CommandParameter(
            "player", "Name of the player who gets the bye.", required=True
        ),
        CommandParameter(
            "--round",
            "Round of the bye. Default: the next round.",
            metavar="N",
            allowed="rounds",
        ),
        CommandParameter(
            "--points",
            "Points for the bye. Default: the setting points.requested_bye, which is 0 unless you set it.",
            metavar="P",
        ),
        CommandParameter("--off", "Cancel the player's bye in the round.", form="flag"),
        CommandParameter(
            "--sure",
            "Confirm a bye that is worth more than a win, or a half-point bye of a player who is excluded from half-point byes.",
            form="flag",
        ),
    ),
    mode="notes",
)
