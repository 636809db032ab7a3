"""Changes: what is another in a round that is paired again, by names."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from pairopt.event.event import Event
from pairopt.messages import FieldValue, Message, Note, message, with_heading

SAME = {
    (True, False): "change.turned",
    (False, True): "change.moved",
    (True, True): "change.turned_and_moved",
}
"""What is said of a match that stays, by whether its sides and its table are others."""


class TableAssignment(NamedTuple):
    """A table (0 for none) with its two players, the first side first, or one with the bye."""

    table: int
    players: tuple[str, ...]


@dataclass(frozen=True)
class RepairChanges:
    """The tables that were `published` and may change, and all that there is `now` in their place.
    A table stays where the same two players meet; `fixed` others stay in any case.
    """

    event: Event
    published: tuple[TableAssignment, ...]
    now: tuple[TableAssignment, ...]
    fixed: int = 0

    @property
    def kept(self) -> int:
        now = {frozenset(place.players) for place in self.now}
        return sum(frozenset(place.players) in now for place in _tables(self.published))

    @property
    def changed(self) -> int:
        return len(_tables(self.published)) - self.kept

    @property
    def new(self) -> list[TableAssignment]:
        """What is not as it was published: other players, sides or another number."""
        same = {*self.published}
        if not self.event.sided:
            same |= {place._replace(players=place.players[::-1]) for place in same}
        return [place for place in self.now if place not in same]

    def before(self, player: str) -> TableAssignment | None:
        return next(
            (place for place in self.published if player in place.players), None
        )

    def lines(self) -> list[Note]:
        """How many tables change, and each of them, with who was to meet whom."""
        new, there = self.new, {place.table for place in self.now}
        gone = [place for place in _tables(self.published) if place.table not in there]
        same = "change.no_table_but" if new or gone else "change.no_table"
        kind = "change.tables" if self.changed else same
        return [
            message(kind, changed=self.changed, stay=self.kept + self.fixed),
            *(self._line(place) for place in new),
            *(
                message("change.empty", table=place.table)
                for place in gone
                if place.table
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        changes = [
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
        ]
        return {
            "changed": self.changed,
            "kept": self.kept,
            "fixed": self.fixed,
            "changes": changes,
        }

    def _line(self, place: TableAssignment) -> Note:
        """What is new, and what these players were told before."""
        was, names = (
            self.before(place.players[0]),
            [self.event.called[p] for p in place.players],
        )
        fields: dict[str, FieldValue] = {
            "table": place.table,
            "match": " - ".join(names),
            "was": was and was.table,
        }
        if was is not None and frozenset(was.players) == frozenset(place.players):
            return message(
                SAME[was.players != place.players, was.table != place.table], **fields
            )
        told = [self._told(player, place) for player in place.players]
        kind = "change.match" if len(names) > 1 else "change.new_bye"
        return with_heading(message(kind, **fields), *told)

    def _told(self, player: str, now: TableAssignment) -> Message:
        was, name = self.before(player), self.event.called[player]
        if was is None:
            return message("change.new_player", name=name)
        other = _opponent(was, player)
        if other is None:
            return message("change.had_bye", name=name)
        kind = (
            "change.was_to_meet"
            if was.table in (0, now.table)
            else "change.was_to_meet_at"
        )
        return message(kind, name=name, other=self.event.called[other], table=was.table)


def _tables(places: Iterable[TableAssignment]) -> list[TableAssignment]:
    return [place for place in places if len(place.players) == 2]


def _opponent(place: TableAssignment, player: str) -> str | None:
    return next((other for other in place.players if other != player), None)
