"""Command `ratings`: compare the players of an event with a rating list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.folder.commands import CommandParameter, FolderCommand


def compare_or_update(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return "ratings" and its arguments, which compare or also update ratings.

    `values` are the parameters by name; with `apply` the event is updated. No players
    means all players.
    """
    return "ratings", {
        "list_name": values["list"],
        "apply": values["apply"],
        "players": values["player"] or (),
        "renumber": values["renumber"],
        "sure": values["sure"],
    }


VERB = FolderCommand(
    "ratings",
    group="Players",
    line="Compare and update the players of an event with a rating list.",
    words="""
    Compare and update the players of an event with a rating list.

    Examples:
      pairopt ratings open                          show old and new values
      pairopt ratings open --apply                  write all new values
      pairopt ratings open --apply --player "Ann Lee"
      pairopt ratings open --renumber               new pairing numbers by rating

    pairopt finds the players in the list by their FIDE numbers. pairopt writes nothing
    to the event without --apply. If the rating list has no value for a player, pairopt
    keeps the player's value. Before round 1 is paired, pairing numbers follow the new
    ratings. The settings rating_kind and rating_choice decide which of a player's
    ratings counts.
    """,
    params=(
        CommandParameter(
            "--list",
            "Rating list, for example fide-2026-11. Default: the newest one with ratings of the event's kind of games, and not newer than the first day of the event.",
            metavar="NAME",
        ),
        CommandParameter(
            "--player",
            "Player whose values are compared and written. Default: all players. Repeatable.",
            metavar="PLAYER",
            many=True,
        ),
        CommandParameter("--apply", "Write the new values.", form="flag"),
        CommandParameter(
            "--renumber",
            "Give all players new pairing numbers by the ratings that they have in this event. Possible until round 4 is paired.",
            form="flag",
        ),
        CommandParameter(
            "--sure",
            "Write new values, or with --renumber new numbers, although round 1 is paired.",
            form="flag",
        ),
    ),
    call=compare_or_update,
    mode="keeps",
    lists=True,
)
