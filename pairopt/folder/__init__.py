"""Folder: what is the next step of an event that keeps its own files, a verb a step?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pairopt.folder.cutting import bracket as bracket
    from pairopt.folder.desk import Done as Done
    from pairopt.folder.founding import new as new
    from pairopt.folder.pairing import pair as pair
    from pairopt.folder.pairing import repair as repair
    from pairopt.folder.publishing import preview as preview
    from pairopt.folder.publishing import publish as publish
    from pairopt.folder.results import result as result
    from pairopt.folder.roster import back as back
    from pairopt.folder.roster import bye as bye
    from pairopt.folder.roster import drop as drop
    from pairopt.folder.roster import enter as enter
    from pairopt.folder.roster import enter_all as enter_all
    from pairopt.folder.seating import forbid as forbid
    from pairopt.folder.seating import table as table
    from pairopt.folder.undoing import undo as undo

_VERBS = {
    "cutting": ("bracket",),
    "desk": ("Done",),
    "founding": ("new",),
    "pairing": ("pair", "repair"),
    "publishing": ("preview", "publish"),
    "results": ("result",),
    "roster": ("back", "bye", "drop", "enter", "enter_all"),
    "seating": ("forbid", "table"),
    "undoing": ("undo",),
}


def __getattr__(name: str) -> Any:
    """Import the verbs on first use."""
    for module, verbs in _VERBS.items():
        if name in verbs:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
