"""View `names`: a page with all players in alphabetical order."""

from __future__ import annotations

from pairopt.extend import Context, PageRequest, View


def context(asked: PageRequest) -> Context:
    """Return the variables of the template: the names in alphabetical order."""
    return {"names": sorted(asked.desk.event.shown, key=str.casefold)}


VIEW = View("names", "Names", context, weight=9, package="club")
