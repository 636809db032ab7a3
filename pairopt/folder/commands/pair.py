"""Command `pair`: pair the next round, or the open one again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.errors import UsageError
from pairopt.folder.commands import CommandParameter, FolderCommand


def pair_or_repair(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the function that pairs, re-pairs, previews, or changes a round by hand.

    It is a name in `pairopt.folder`, with its arguments. `values` are the parameters by
    name: with `again` the round is re-paired, with `preview` nothing is kept, with
    `by_hand` changes begin, and with `done` they end. Raise UsageError if options do
    not go together.
    """
    again = values["again"]
    is_preview = values["preview"]
    repair_options = {"keep": values["keep"], "again": values["all"]}
    has_repair_options = any(repair_options.values())

    command_options = {"again", "all", "keep", "preview", "by_hand", "done"}
    if is_preview:
        command_options.add("sure")
    pairing_options = {
        option_name: option_value
        for option_name, option_value in values.items()
        if option_name not in command_options
    }

    if values["by_hand"] or values["done"]:
        if not values["by_hand"] or again or is_preview or has_repair_options:
            raise UsageError("verb.only_by_hand")
        return "changed_by_hand", {"off": values["done"]}
    if again:
        function_name = "preview_repair" if is_preview else "repair"
        return function_name, {**repair_options, **pairing_options}
    if has_repair_options:
        raise UsageError("verb.only_again")
    return "preview" if is_preview else "pair", pairing_options


VERB = FolderCommand(
    "pair",
    group="Run an event",
    line="Pair the next round, or pair the open round again.",
    words="""
    Pair the next round, or pair the open round again.

    Examples:
      pairopt pair friday              pair the next round
      pairopt pair friday --preview    show the pairing, but write nothing
      pairopt pair friday --again      change the open round after a player left
      pairopt pair friday --again --keep 3 --keep 4

    pairopt follows the event's settings. An option replaces a setting for this round
    only. With --again, pairopt keeps tables that have a result, and changes as few
    other tables as possible.

    In a round robin, pairopt pairs all rounds at once by the Berger table.
    """,
    params=(
        CommandParameter(
            "--again",
            "Pair the open round again after players came or left. As few tables as possible change.",
            form="flag",
        ),
        CommandParameter(
            "--all",
            "With --again: pair all tables without a result again, even if all these tables change.",
            form="flag",
        ),
        CommandParameter(
            "--keep",
            "With --again: keep table TABLE as it is. Repeatable.",
            metavar="TABLE",
            allowed="table",
            many=True,
        ),
        CommandParameter(
            "--preview", "Show what pairopt would pair, but write nothing.", form="flag"
        ),
        CommandParameter(
            "--sure",
            "Confirm that a player who missed several rounds is here today and gets the bye.",
            form="flag",
        ),
        CommandParameter(
            "--by-hand",
            "Start to change the open round by hand. You can't pair another round until you give --by-hand --done.",
            form="flag",
        ),
        CommandParameter(
            "--done",
            "With --by-hand: finish the change. pairopt compares the round with the pairing by the rules.",
            form="flag",
        ),
    ),
    call=pair_or_repair,
    mode="notes",
)
