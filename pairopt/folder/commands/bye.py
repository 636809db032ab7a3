"""Command `bye`: a player asks for a bye, or theirs gives other points."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "bye",
    group="People",
    line="A player asks for a bye, or theirs gives other points.",
    words="""
    Write down that PLAYER asks for a bye, or with --off that they will play.

    A bye that they have in that round, allocated or asked for, gives the --points that are said. The
    column first_round_bye of a list of players is such a bye in round 1, with the same points.
    """,
    params=(
        CommandParameter("player", "Who is meant.", required=True),
        CommandParameter(
            "--round", "Default: the next round.", metavar="N", allowed="rounds"
        ),
        CommandParameter(
            "--points",
            "Points of the bye. Default: the event's points.requested_bye, or 0. pairopt asks "
            "about more points than a win gives (--sure).",
            metavar="P",
        ),
        CommandParameter("--off", "There is no bye in that round.", form="flag"),
        CommandParameter(
            "--sure", "Accept a bye that gives more points than a win.", form="flag"
        ),
    ),
    mode="notes",
)
