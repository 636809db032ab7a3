"""Names: everybody, from A to Z."""

from __future__ import annotations

from pairopt.extend import Context, PageRequest, View


def context(asked: PageRequest) -> Context:
    """The names of all players."""
    return {"names": sorted(asked.desk.event.shown, key=str.casefold)}


VIEW = View("names", "Names", context, weight=9, package="club")
