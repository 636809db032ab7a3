"""Rankings: orders of the players after a tournament, found by their `kind`."""

import sys
from collections.abc import Mapping

from pairopt.event.tie_breaks import TIE_BREAKS
from pairopt.lab.plugins import NO_OWN, named
from pairopt.lab.rankings.base import Ranking, Tau
from pairopt.registry import Registry

__all__ = ["RANKINGS", "Ranking", "Tau", "ranking_of"]

RANKINGS: Registry[Ranking] = Registry(
    sys.modules[__name__],
    Ranking,  # type: ignore[type-abstract]
    besides=("base",),
    group="pairopt.rankings",
    families={"shipped": ("bradley_terry", "least_squares", "performance")},
)


def ranking_of(text: str, own: Mapping[str, object] = NO_OWN) -> Ranking:
    """A ranking by its name, or points with tie-breaks: `buchholz+wins`; `points` has none.

    Raises UsageError where there is none.
    """
    from pairopt.lab.rankings.shipped import TieBreaks

    if text not in own and text == "points":
        return TieBreaks(())
    if text not in own and {*text.split("+")} <= {*TIE_BREAKS}:
        return TieBreaks(tuple(text.split("+")))
    return named(text, RANKINGS, own)
