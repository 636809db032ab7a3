"""Names: everybody, from A to Z."""

from __future__ import annotations

from pairopt.extend import Asked, Context, View


def context(asked: Asked) -> Context:
    """The names of all players."""
    return {"names": sorted(asked.desk.event.shown, key=str.casefold)}


VIEW = View("names", "Names", context, weight=9, package="club")
