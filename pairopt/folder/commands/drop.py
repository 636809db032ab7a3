"""Command `drop`: a player leaves, or comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.folder.commands import CommandParameter, FolderCommand, require_exactly_one


def drop_or_return(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return "drop", "back" or "check_in", and its arguments.

    `values` are the parameters by name. With `all` the check-in of all players begins,
    or ends with `off`. Raises UsageError unless exactly one of `player` and `all` is
    given.
    """
    require_exactly_one("verb.nobody", values["player"], values["all"])
    if values["all"]:
        return "check_in", {"off": values["off"]}
    return "back" if values["off"] else "drop", {"player": values["player"]}


VERB = FolderCommand(
    "drop",
    group="People",
    line="A player leaves, or comes back.",
    words="""
    Take PLAYER out of all rounds of FOLDER to come.

    With --off, who had left plays on. With --all, before round 1, everybody is out until they are here,
    and let in one by one with --off; who has a bye in round 1 stays in.
    """,
    params=(
        CommandParameter("player"),
        CommandParameter("--off", "They play on.", form="flag"),
        CommandParameter(
            "--all", "Before round 1: everybody, for a check-in.", form="flag"
        ),
    ),
    call=drop_or_return,
    mode="keeps",
)
