"""Tie-breaks: what ranks players with equal points, found by their `kind`."""

import sys
from collections.abc import Sequence

from pairopt.errors import UsageError
from pairopt.event.tie_breaks.base import TieBreak
from pairopt.registry import Registry

__all__ = ["DEFAULT", "TIE_BREAKS", "TieBreak", "tie_breaks_named"]

DEFAULT = ("sos", "esos")

TIE_BREAKS: Registry[TieBreak] = Registry(
    sys.modules[__name__],
    TieBreak,  # type: ignore[type-abstract]
    besides=("base", "unplayed"),
    families={
        "buchholz": ("buchholz", "buchholz_cut1", "buchholz_median"),
        "sos": ("esos", "sos"),
        "wins": ("progressive", "second_side_games", "wins"),
    },
)


def tie_breaks_named(names: Sequence[str]) -> tuple[TieBreak, ...]:
    """The tie-breaks in their order. Raises UsageError for an unknown or repeated name."""
    if unknown := [name for name in names if name not in TIE_BREAKS]:
        known = ", ".join(TIE_BREAKS)
        raise UsageError(f"{unknown[0]!r} is not a tie-break; expected one of: {known}")
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise UsageError(f"the tie-break {twice[0]} is named twice")
    return tuple(TIE_BREAKS[name]() for name in names)
