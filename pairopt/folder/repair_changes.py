"""Changes that a re-pairing makes in the tables of a round."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from pairopt.event.event import Event
from pairopt.messages import FieldValue, Message, Note, message, with_heading

KEPT_MATCH_MESSAGES = {
    (True, False): "change.turned",
    (False, True): "change.moved",
    (True, True): "change.turned_and_moved",
}
"""The message on a match that stays, by whether its sides and its table have
changed."""


class TableAssignment(NamedTuple):
    """A table with two players, the one with the first side first, or a bye.

    `table` is its number, 0 for none. A bye has one player. Players are identifiers.
    """

    table: int
    players: tuple[str, ...]


@dataclass(frozen=True)
class RepairChanges:
    """What a re-pairing changes in a round of `event`.

    `published` are the tables that may change, as they were published; `now` are all
    tables that take their place. Byes are tables with one player. A table counts as
    kept if the same two players meet, wherever they sit. `fixed` is the number of
    further tables that were kept in any case.
    """

    event: Event
    published: tuple[TableAssignment, ...]
    now: tuple[TableAssignment, ...]
    fixed: int = 0

    @property
    def kept(self) -> int:
        """The number of published matches whose two players still meet.

        The `fixed` tables are not counted.
        """
        player_sets_after = {frozenset(assignment.players) for assignment in self.now}
        published_matches = _select_matches(self.published)
        return sum(
            frozenset(assignment.players) in player_sets_after
            for assignment in published_matches
        )

    @property
    def changed(self) -> int:
        """The number of published matches whose two players do not meet any more."""
        return len(_select_matches(self.published)) - self.kept

    @property
    def new(self) -> list[TableAssignment]:
        """The tables and byes whose players, sides or number are not as published.

        They are the new ones, in the order of the re-paired round. Sides do not count
        in events without sides.
        """
        published_assignments = {*self.published}
        if not self.event.sided:
            published_assignments |= {
                assignment._replace(players=assignment.players[::-1])
                for assignment in published_assignments
            }
        return [
            assignment
            for assignment in self.now
            if assignment not in published_assignments
        ]

    def before(self, player: str) -> TableAssignment | None:
        """Return the published table or bye of a player, by identifier.

        It is None for a player who had none, for example a new one.
        """
        return next(
            (
                published_assignment
                for published_assignment in self.published
                if player in published_assignment.players
            ),
            None,
        )

    def lines(self) -> list[Note]:
        """Return notes on how many tables change, and what changes at each of them.

        The first note has the numbers. Then come the new tables and byes, with whom
        their players were to meet, and the tables that are empty now.
        """
        new_tables = self.new
        table_numbers_after = {assignment.table for assignment in self.now}
        emptied_tables = [
            assignment
            for assignment in _select_matches(self.published)
            if assignment.table not in table_numbers_after
        ]
        if self.changed:
            message_id = "change.tables"
        elif new_tables or emptied_tables:
            message_id = "change.no_table_but"
        else:
            message_id = "change.no_table"
        staying_count = self.kept + self.fixed
        return [
            message(message_id, changed=self.changed, stay=staying_count),
            *(self._describe_table(assignment) for assignment in new_tables),
            *(
                message("change.empty", table=assignment.table)
                for assignment in emptied_tables
                if assignment.table
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: the counts, and each new table.

        The counts are `changed`, `kept` and `fixed`. Each table in `changes` comes with
        the former table and opponent of its players. A table of 0 is None.
        """
        dicts_of_changed_tables = [
            {
                "table": changed_assignment.table or None,
                "players": list(changed_assignment.players),
                "before": [
                    self._former_place_to_dict(identifier)
                    for identifier in changed_assignment.players
                ],
            }
            for changed_assignment in self.new
        ]
        return {
            "changed": self.changed,
            "kept": self.kept,
            "fixed": self.fixed,
            "changes": dicts_of_changed_tables,
        }

    def _former_place_to_dict(self, player: str) -> dict[str, Any]:
        """Return a player's published table and opponent in their JSON form.

        Both are None for a player who had no table; `bye` is True if it was a bye.
        """
        former_assignment = self.before(player)
        if former_assignment is None:
            return {"player": player, "table": None, "opponent": None, "bye": False}
        return {
            "player": player,
            "table": former_assignment.table or None,
            "opponent": _find_opponent(former_assignment, player),
            "bye": len(former_assignment.players) == 1,
        }

    def _describe_table(self, place: TableAssignment) -> Note:
        """Return a note on what is new at a table or bye, and what was published.

        `place` is the table or bye as it is now. If the same two players meet, it is
        the sides or the table number.
        """
        former_assignment = self.before(place.players[0])
        player_names = [self.event.called[identifier] for identifier in place.players]
        message_fields: dict[str, FieldValue] = {
            "table": place.table,
            "match": " - ".join(player_names),
            "was": former_assignment and former_assignment.table,
        }
        if former_assignment is not None and frozenset(
            former_assignment.players
        ) == frozenset(place.players):
            has_other_sides = former_assignment.players != place.players
            has_other_table = former_assignment.table != place.table
            message_id = KEPT_MATCH_MESSAGES[has_other_sides, has_other_table]
            return message(message_id, **message_fields)

        former_match_notes = [
            self._describe_former_match(identifier, place)
            for identifier in place.players
        ]
        message_id = "change.match" if len(player_names) > 1 else "change.new_bye"
        # JSON has had the players' former matches as texts since version 1.0, for a bye
        # the same text twice.
        message_fields["one"] = str(former_match_notes[0])
        message_fields["two"] = str(former_match_notes[-1])
        return with_heading(message(message_id, **message_fields), *former_match_notes)

    def _describe_former_match(self, player: str, place: TableAssignment) -> Message:
        """Return a note on whom a player was to meet.

        The note says if the player is new or had the bye. `place` is the player's table
        now: the former table is only named if it is another one.
        """
        former_assignment = self.before(player)
        player_name = self.event.called[player]
        if former_assignment is None:
            return message("change.new_player", name=player_name)
        opponent_identifier = _find_opponent(former_assignment, player)
        if opponent_identifier is None:
            return message("change.had_bye", name=player_name)

        is_same_table = former_assignment.table in (0, place.table)
        message_id = "change.was_to_meet" if is_same_table else "change.was_to_meet_at"
        opponent_name = self.event.called[opponent_identifier]
        return message(
            message_id,
            name=player_name,
            other=opponent_name,
            table=former_assignment.table,
        )


def _select_matches(places: Iterable[TableAssignment]) -> list[TableAssignment]:
    """Return the tables of `places` with two players, in their order: all but byes."""
    return [assignment for assignment in places if len(assignment.players) == 2]


def _find_opponent(place: TableAssignment, player: str) -> str | None:
    """Return the opponent of a player at a table; None if the player has the bye.

    `place` is the table, and the player has to be at it. `player` and the returned
    opponent are identifiers.
    """
    return next(
        (other_player for other_player in place.players if other_player != player), None
    )
