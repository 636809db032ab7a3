"""Standings as people see them, in whatever medium."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from pairopt.event.event import Event
from pairopt.event.standings import cells, columns, shown, standing_heads, tie_breaks_of


@dataclass(frozen=True, slots=True)
class Standings:
    """A row a player, the names of its columns and their heads; notes on what a lot decided."""

    columns: tuple[str, ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    notes: tuple[str, ...]


def standings_of(
    event: Event,
    tie_breaks: Sequence[str] | None = None,
    cut: int | None = None,
    lot: int | None = None,
    *,
    bias: bool = True,
) -> Standings:
    """The standings by these tie-breaks or the event's, all or the best; see `shown`.

    Without `bias` there is no column for it where the event has no sides.
    """
    chosen = tie_breaks_of(event, tie_breaks)
    lines, notes = shown(event, chosen, cut, lot)
    names = columns(chosen)
    kept = [bias or event.sided or name != "side_bias" for name in names]
    return Standings(
        tuple(compress(names, kept)),
        tuple(compress(standing_heads(chosen), kept)),
        tuple(tuple(compress(cells(event, line), kept)) for line in lines),
        notes,
    )
