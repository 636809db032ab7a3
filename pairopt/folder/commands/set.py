"""Command `set`: change a rule of an event folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.folder.commands import CommandParameter, FolderCommand, require_exactly_one


def plan_setting_change(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return "change" and its arguments, which set one setting or remove it.

    `values` are the parameters by name: `key`, and `value` or `off`. Raises UsageError
    unless exactly one of `value` and `off` is given.
    """
    require_exactly_one("verb.no_value", values["value"], values["off"])
    return "change", {
        "settings": {values["key"]: values["value"]},
        "sure": values["sure"],
    }


VERB = FolderCommand(
    "set",
    group="Run an event",
    line="Change a setting of an event.",
    words="""
    Change a setting of an event.

    Examples:
      pairopt set friday rounds 5
      pairopt set friday tie_breaks sos,esos
      pairopt set friday points.requested_bye 1
      pairopt set friday conflicts club       players of the same club never meet
      pairopt set friday lookahead --off      back to the default

    Settings:
      {settings}

    KEY is the name of a setting. If a setting has several values, put commas between
    them. The new value of a setting applies from now on. Rounds that are already paired
    keep their pairings.
    """,
    params=(
        CommandParameter("key", required=True),
        CommandParameter("value"),
        CommandParameter(
            "--off",
            "Remove the setting from event.toml, so that the default applies.",
            form="flag",
        ),
        CommandParameter(
            "--sure",
            "Confirm new points although there are results, or a new number of rounds although there is a top cut.",
            form="flag",
        ),
    ),
    call=plan_setting_change,
    mode="leaves",
)
