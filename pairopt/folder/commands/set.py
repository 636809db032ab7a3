"""Command `set`: change a rule of an event folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.folder.commands import CommandParameter, FolderCommand, require_exactly_one


def plan_setting_change(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return "change" and its arguments, which set the value of a key or remove it.

    Raises UsageError unless exactly one of `value` and `off` is given.
    """
    require_exactly_one("verb.no_value", values["value"], values["off"])
    return "change", {
        "settings": {values["key"]: values["value"]},
        "sure": values["sure"],
    }


VERB = FolderCommand(
    "set",
    group="An evening",
    line="Change a rule of an event folder.",
    words="""
    Set KEY of FOLDER's event.toml to VALUE, for the rounds to come.

    KEY is one of {settings}. Lists have commas: sides white,black (none: a game without), tie_breaks
    sos,esos, conflicts club (who shares a club never meets) or club:2 (as the model's second
    criterion). points are win-draw-loss, as 3-1-0; those of byes points.bye and points.requested_bye.
    """,
    params=(
        CommandParameter("key", required=True),
        CommandParameter("value"),
        CommandParameter(
            "--off", "event.toml says nothing of it any more.", form="flag"
        ),
        CommandParameter(
            "--sure",
            "Change the points although there are results, or the number of rounds although "
            "there is a top cut.",
            form="flag",
        ),
    ),
    call=plan_setting_change,
    mode="leaves",
)
