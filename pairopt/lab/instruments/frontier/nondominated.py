"""Nondominated: every best compromise, by asking again for the least under limits.

A point is not dominated if no other is as good in every coordinate and better in one. The least
point, coordinate by coordinate in order, is such a one. Every other is above it in the first or
equal, so it is below in a later one: for each of these there is a region in which the least is
asked for again. Of all regions the least point is the next. This is the epsilon-constraint method
(Haimes, Lasdon and Wismer, 1971); in three dimensions regions overlap, and what lies inside
another one is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pairopt.event.rows import PairedRow

Region = tuple[int | None, ...]
"""What each coordinate but the first may have at most, None for anything."""


@dataclass(frozen=True)
class Point:
    """A compromise: its total on each axis, and a pairing that has it."""

    totals: tuple[int, ...]
    matches: tuple[PairedRow, ...] = field(compare=False, repr=False)


def nondominated(least: Callable[[Region], Point | None], dimensions: int) -> Iterator[Point]:
    """Every point that no other dominates, once each, ascending.

    `least` returns the lexicographically least point in a region, None where there is none. With
    two dimensions it is asked once for each point, and once more.
    """
    whole: Region = (None,) * (dimensions - 1)
    first = least(whole)
    regions = {} if first is None else {whole: first}
    while regions:
        point = min(regions.values(), key=lambda found: tuple(found.totals))
        yield point
        parts = {
            part: found
            for region, found in regions.items()
            for part in _without(region, point.totals[1:])
        }
        regions = {}
        for part, found in parts.items():
            if any(other != part and _inside(part, other) for other in parts):
                continue
            known = found if _inside(found.totals[1:], part) else least(part)
            if known is not None:
                regions[part] = known


def _without(region: Region, rest: Sequence[int]) -> Iterator[Region]:
    """What is left of a region where points are not as bad as this one in all its coordinates."""
    if not _inside(rest, region):
        yield region
        return
    for k, value in enumerate(rest):
        if value > 0:  # none is below 0
            yield (*region[:k], value - 1, *region[k + 1 :])


def _inside(limits: Sequence[int | None], region: Region) -> bool:
    """Whether a point, or all of a region with these limits, lies in a region."""
    return all(
        most is None or (limit is not None and limit <= most)
        for limit, most in zip(limits, region, strict=True)
    )
