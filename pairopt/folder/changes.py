"""Changes: what is another in a round that is paired again, by names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from pairopt.event.event import Event
from pairopt.wording import counted, pair_text

NONE = "no table changes"


class Place(NamedTuple):
    """A table (0 for none) with its two players, the first side first, or one with the bye."""

    table: int
    players: tuple[str, ...]


@dataclass(frozen=True)
class Changes:
    """The tables that were `published` and may change, and all that there is `now` in their place.

    A table stays where the same two players meet; `fixed` others stay in any case.
    """

    event: Event
    published: tuple[Place, ...]
    now: tuple[Place, ...]
    fixed: int = 0

    @property
    def kept(self) -> int:
        """How many of these tables stay."""
        now = {frozenset(place.players) for place in self.now}
        return sum(frozenset(place.players) in now for place in _tables(self.published))

    @property
    def changed(self) -> int:
        """How many do not."""
        return len(_tables(self.published)) - self.kept

    @property
    def new(self) -> list[Place]:
        """What is not as it was published: other players, sides or another number."""
        same = {*self.published}
        unsided = {(place.table, frozenset(place.players)) for place in self.published}
        return [
            place
            for place in self.now
            if place not in same
            and (self.event.sided or (place.table, frozenset(place.players)) not in unsided)
        ]

    def before(self, player: str) -> Place | None:
        """Where somebody was, None where they were not in the round."""
        return next((place for place in self.published if player in place.players), None)

    def lines(self) -> list[str]:
        """How many tables change, and each of them, with who was to meet whom."""
        stay = counted(self.kept + self.fixed, "table stays", "tables stay")
        head = counted(self.changed, "table changes", "tables change") if self.changed else NONE
        new = self.new
        gone = [place for place in _tables(self.published) if self._is_empty(place)]
        return [
            f"{head}, {stay}" + ":" * bool(new or gone),
            *(self._line(place) for place in new),
            *(f"table {place.table} is empty" for place in gone if place.table),
        ]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "changed": self.changed,
            "kept": self.kept,
            "fixed": self.fixed,
            "changes": [
                {
                    "table": place.table or None,
                    "players": list(place.players),
                    "before": [
                        {
                            "player": player,
                            "table": (was.table or None) if was else None,
                            "opponent": _opponent(was, player) if was else None,
                            "bye": bool(was and len(was.players) == 1),
                        }
                        for player in place.players
                        for was in [self.before(player)]
                    ],
                }
                for place in self.new
            ],
        }

    def _is_empty(self, place: Place) -> bool:
        return place.table not in {other.table for other in self.now}

    def _line(self, place: Place) -> str:
        """What is new, and what these players were told before."""
        names, same = self._names(place), frozenset(place.players)
        where = f"table {place.table}" if place.table else "bye"
        was = self.before(place.players[0])
        if was is not None and frozenset(was.players) == same:
            turned = "" if was.players == place.players else ", with other sides"
            moved = "" if was.table == place.table else f", moved from table {was.table}"
            return f"{where}: {names}{turned}{moved}"
        told = filter(None, (self._told(player, place) for player in place.players))
        return f"{where}: {names} ({'; '.join(told)})"

    def _told(self, player: str, now: Place) -> str:
        """What one player was told before."""
        name, was = self.event.called[player], self.before(player)
        if was is None:
            return f"{name} is new in this round"
        other = _opponent(was, player)
        if other is None:
            return f"{name} had the bye"
        at = "" if was.table == now.table or not was.table else f" at table {was.table}"
        return f"{name} was to meet {self.event.called[other]}{at}"

    def _names(self, place: Place) -> str:
        names = [self.event.called[player] for player in place.players]
        return names[0] if len(names) == 1 else pair_text(*names)


def _tables(places: Iterable[Place]) -> list[Place]:
    """Those of two players."""
    return [place for place in places if len(place.players) == 2]


def _opponent(place: Place, player: str) -> str | None:
    return next((other for other in place.players if other != player), None)
