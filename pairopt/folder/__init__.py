"""Folder: what is the next step of an event that keeps its own files, a verb a step?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pairopt.folder.cutting import bracket
    from pairopt.folder.desk import Done
    from pairopt.folder.founding import new
    from pairopt.folder.pairing import pair, repair
    from pairopt.folder.publishing import preview, publish
    from pairopt.folder.results import result
    from pairopt.folder.roster import back, bye, drop, enter, enter_all
    from pairopt.folder.seating import forbid, table
    from pairopt.folder.undoing import undo

_HOMES = {
    "Done": "desk",
    "back": "roster",
    "bracket": "cutting",
    "bye": "roster",
    "drop": "roster",
    "enter": "roster",
    "enter_all": "roster",
    "forbid": "seating",
    "new": "founding",
    "pair": "pairing",
    "preview": "publishing",
    "publish": "publishing",
    "repair": "pairing",
    "result": "results",
    "table": "seating",
    "undo": "undoing",
}

__all__ = [
    "Done",
    "back",
    "bracket",
    "bye",
    "drop",
    "enter",
    "enter_all",
    "forbid",
    "new",
    "pair",
    "preview",
    "publish",
    "repair",
    "result",
    "table",
    "undo",
]


def __getattr__(name: str) -> Any:
    """Import the verbs on first use."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
