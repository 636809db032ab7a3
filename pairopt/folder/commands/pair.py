"""Command `pair`: pair the next round, or the open one again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.errors import UsageError
from pairopt.folder.commands import CommandParameter, FolderCommand


def pair_or_repair(given: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Choose the step: the next round, the open one again, what either would be, or by hand."""
    again, preview = given["again"], given["preview"]
    of_repair = {"keep": given["keep"], "again": given["all"]}

    own = {"again", "all", "keep", "preview", "by_hand", "done"}
    if preview:
        own.add("sure")
    options = {name: value for name, value in given.items() if name not in own}

    if given["by_hand"] or given["done"]:
        if not given["by_hand"] or again or preview or any(of_repair.values()):
            raise UsageError("verb.only_by_hand")
        return "changed_by_hand", {"off": given["done"]}
    if again:
        return "preview_repair" if preview else "repair", {**of_repair, **options}
    if any(of_repair.values()):
        raise UsageError("verb.only_again")
    return "preview" if preview else "pair", options


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
