"""Command `pair`: pair the next round, or the open one again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.errors import UsageError
from pairopt.folder.commands import CommandParameter, FolderCommand


def pair_or_repair(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the function that pairs, re-pairs, previews one of these, or changes by hand.

    Raise UsageError if options do not go together.
    """
    again = values["again"]
    is_preview = values["preview"]
    repair_options = {"keep": values["keep"], "again": values["all"]}
    has_repair_options = any(repair_options.values())

    command_options = {"again", "all", "keep", "preview", "by_hand", "done"}
    if is_preview:
        command_options.add("sure")
    options = {
        name: value for name, value in values.items() if name not in command_options
    }

    if values["by_hand"] or values["done"]:
        if not values["by_hand"] or again or is_preview or has_repair_options:
            raise UsageError("verb.only_by_hand")
        return "changed_by_hand", {"off": values["done"]}
    if again:
        function = "preview_repair" if is_preview else "repair"
        return function, {**repair_options, **options}
    if has_repair_options:
        raise UsageError("verb.only_again")
    return "preview" if is_preview else "pair", options


VERB = FolderCommand(
    "pair",
    group="An evening",
    line="Pair the next round, or the open one again.",
    words="""
    Pair the next round of FOLDER, and append it to its matches.

    The event's own rules hold; an option overrides them for this round. With --again the open round is
    paired again, after somebody came or went: tables that have a result stay, and those to --keep. Of
    the others as few change as can be, and the model decides among the pairings that change so few.
    """,
    params=(
        CommandParameter(
            "--again",
            "Pair the open round again, with as few other tables as can be.",
            form="flag",
        ),
        CommandParameter(
            "--all",
            "With --again: pair all tables that have no result anew, however many change.",
            form="flag",
        ),
        CommandParameter(
            "--keep",
            "With --again: this table stays as it is. Repeatable.",
            metavar="TABLE",
            allowed="table",
            many=True,
        ),
        CommandParameter(
            "--preview", "Say what would be paired, and write nothing.", form="flag"
        ),
        CommandParameter(
            "--sure", "Who was away for rounds is in, and has the bye.", form="flag"
        ),
        CommandParameter(
            "--by-hand",
            "Begin to change the open round by hand: no other is paired meanwhile.",
            form="flag",
        ),
        CommandParameter(
            "--done",
            "With --by-hand: it is done, and compared with what the rules give.",
            form="flag",
        ),
    ),
    call=pair_or_repair,
    mode="notes",
)
