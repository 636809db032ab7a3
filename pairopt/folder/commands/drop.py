"""Command `drop`: a player leaves, or comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.folder.commands import CommandParameter, FolderCommand, require_exactly_one


def drop_or_return(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the function that drops a player, brings one back, or begins a check-in.

    It is a name in `pairopt.folder`, "drop", "back" or "check_in", with its arguments.
    `values` are the parameters by name. With `off` a player comes back. With `all` the
    check-in of all players begins, or ends with `off`. Raises UsageError unless exactly
    one of `player` and `all` is given.
    """
    require_exactly_one("verb.nobody", values["player"], values["all"])
    if values["all"]:
        return "check_in", {"off": values["off"]}
    return "back" if values["off"] else "drop", {"player": values["player"]}


VERB = FolderCommand(
    "drop",
    group="Players",
    line="Drop a player from an event, or bring a player back.",
    words="""
    Drop (withdraw) a player from an event, or bring a player back.

    Examples:
      pairopt drop friday "Ann Lee"          out of all later rounds
      pairopt drop friday "Ann Lee" --off    back from the next round on
      pairopt drop friday --all              start a check-in before round 1
      pairopt drop friday --all --off        end the check-in

    At the start of a check-in, all players are out of the event, except players with a
    bye in round 1. To check in a player, use pairopt drop with --off.

    If a player of a round robin drops before half of the games, the player's results
    count for nobody. If a player of a round robin drops later, the results count, and
    the player's other games are forfeits.
    """,
    params=(
        CommandParameter("player"),
        CommandParameter(
            "--off", "Bring the player back; with --all, end the check-in.", form="flag"
        ),
        CommandParameter(
            "--all",
            "Start a check-in before round 1: all players are out until you check them in.",
            form="flag",
        ),
    ),
    call=drop_or_return,
    mode="keeps",
)
