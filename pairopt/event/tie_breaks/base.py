"""Base of tie-breaks: a number for each player, by which equal players are ranked.

Codes have modifiers after strokes, such as `BH/C1/P`: FIDE Handbook C.07, article 14;
FIDE's list of mandatory tie-breaks MTB26, whose codes the records 202 and 212 of a TRF
hold; U as the server of FIDE's Technical Commission has it.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import ClassVar, NamedTuple, TypeVar

from pairopt.common.serialization import read_package_toml
from pairopt.event.event import PLAYED, Event
from pairopt.event.score_checks import infer_points
from pairopt.messages.formatting import decimal_text

ABSENT = 0
"""The status of a round in which a player has no row: not there yet, or gone."""
T = TypeVar("T")
Chooses = Callable[[Sequence[T]], T]
NUMBERS = {
    "C": "[1-9][0-9]?",
    "M": "[1-9][0-9]?",
    "L": "[+-][1-9][0-9]?",
    "U": "[0-9]{1,4}",
}
"""The number after a modifier's letter, as a pattern; other letters have none."""
NO_VALUE = Fraction(-10_000)
"""The value of a player for whom a mean has no terms. It ranks below all other values."""
EXAMPLES = {"C": "C1", "M": "M1", "L": "L+1", "U": "U1400"}


class PlayerRound(NamedTuple):
    """One round of a player, as tie-breaks read it.

    `status` is that of the row; `points` are the player's and `against` the opponent's,
    both times the event's scale. `opponent` is a position and `side` 0 or 1; both are
    -1 for none.
    """

    status: int
    points: int | Fraction
    opponent: int
    against: int | Fraction
    side: int

    @property
    def played(self) -> bool:
        """Whether a match was played in it, not forfeited.

        A bye is not played either.
        """
        return self.status == PLAYED


@dataclass(frozen=True)
class History:
    """All rounds of all players, as tie-breaks read them.

    `turns` has each player's rounds in order. If a player's last result is missing, the
    last round is left out, and `waiting` has the position of this player. `win` and
    `draw` are the points of a win and of a draw, times the event's scale. A turn is one
    `PlayerRound`. Annulled matches, and rounds after the last one before the round to
    pair, are not in it.
    """

    event: Event
    turns: tuple[tuple[PlayerRound, ...], ...]
    waiting: frozenset[int]
    win: Fraction
    draw: Fraction

    @cached_property
    def rounds(self) -> int:
        """The number of rounds before the one to pair.

        In a round robin it is the most games that a player has had so far, because byes
        are no rounds and games may be played in any order.
        """
        if self.event.origin.all_rounds_open:
            game_count_by_player = (
                sum(player_round.opponent >= 0 for player_round in rounds_of_player)
                for rounds_of_player in self.turns
            )
            return max(game_count_by_player, default=0)
        return self.event.round - 1

    @cached_property
    def score(self) -> list[int | Fraction]:
        """Each player's points so far, times the scale, with points of no result."""
        scaled_score_by_player = []
        points_without_results_by_player = self.event.besides[:, -1].tolist()
        for rounds_of_player, points_without_results in zip(
            self.turns, points_without_results_by_player, strict=True
        ):
            scaled_score_by_player.append(
                sum(
                    (player_round.points for player_round in rounds_of_player),
                    points_without_results,
                )
            )
        return scaled_score_by_player

    def means(
        self,
        of_each: Sequence[Fraction],
        *,
        forfeits: bool = False,
        without_opponents: Fraction = Fraction(0),
    ) -> list[Fraction]:
        """Return each player's mean of the opponents' values.

        `of_each` has the value of each player of the event. An opponent counts as often
        as met in played matches; with `forfeits` those of forfeits count, too. A player
        without opponents gets the value `without_opponents`.
        """
        common_denominator, numerator_by_player = to_common_denominator(of_each)
        mean_by_player = []
        for rounds_of_player in self.turns:
            opponent_values = [
                numerator_by_player[player_round.opponent]
                for player_round in rounds_of_player
                if player_round.played or (forfeits and player_round.opponent >= 0)
            ]
            if opponent_values:
                count_of_opponents = len(opponent_values)
                mean_by_player.append(
                    Fraction(
                        sum(opponent_values), common_denominator * count_of_opponents
                    )
                )
            else:
                mean_by_player.append(without_opponents)
        return mean_by_player


def to_common_denominator(values: Sequence[Fraction | int]) -> tuple[int, list[int]]:
    """Return the least common denominator of values, and their numerators over it.

    Sums and comparisons of these integers are fast. Without values it is 1.
    """
    common_denominator = lcm(
        *{value_or_fraction.denominator for value_or_fraction in values}
    )
    return common_denominator, [
        value_or_fraction.numerator
        * (common_denominator // value_or_fraction.denominator)
        for value_or_fraction in values
    ]


def history_of(event: Event) -> History:
    """Return all rounds of all players of an event, as tie-breaks read them.

    A player whose last match has no score yet has no turn for that round. In a round
    robin this is so in every round. The event itself is not changed.
    """
    may_results_be_missing = event.origin.all_rounds_open
    event_turns, unscored_rows, points_per_result = (
        event.turns,
        event.unscored,
        infer_points(event),
    )
    positions_without_result = (
        *unscored_rows.first.tolist(),
        *unscored_rows.second.tolist(),
    )
    players_without_result = frozenset(
        player_position
        for player_position in positions_without_result
        if player_position >= 0
    )

    opponent_points = event_turns.of_opponent(event_turns.points)
    arrays_of_columns = (
        event_turns.status,
        event_turns.points,
        event_turns.opponent,
        opponent_points,
        event_turns.side,
    )
    columns_by_player = zip(
        *(array_of_column.tolist() for array_of_column in arrays_of_columns),
        strict=True,
    )
    rounds_by_player = []
    for player_position, columns_of_player in enumerate(columns_by_player):
        rounds_of_player = tuple(map(PlayerRound, *columns_of_player))
        if may_results_be_missing:
            rounds_of_player = tuple(
                player_round
                for player_round in rounds_of_player
                if player_round.status != ABSENT
            )
        elif player_position in players_without_result:
            rounds_of_player = rounds_of_player[:-1]
        rounds_by_player.append(rounds_of_player)
    return History(
        event=event,
        turns=tuple(rounds_by_player),
        waiting=players_without_result,
        win=points_per_result.win * event.scale,
        draw=points_per_result.draw * event.scale,
    )


@dataclass(frozen=True, slots=True)
class TieBreakModifiers:
    """The modifiers of a code, each by its letter.

    C: so many of the least values are cut (C1, C2). M: so many of the least, then as
    many of the greatest (M1, M2). L: so many half points are added to the limit (L+1,
    L-2). P: forfeits count as matches played against the opponent. F: Fore Buchholz
    instead of Buchholz. R: the order is reversed. U: players without a rating count
    with this one (U1400).
    """

    C: int = 0
    M: int = 0
    L: int = 0
    U: int | None = None
    P: int = 0
    F: int = 0
    R: int = 0

    def apply_cuts(
        self, values: Sequence[T], least: Chooses[T], greatest: Chooses[T]
    ) -> list[T]:
        """Return the values that the cuts C and M leave, in their order.

        `least` and `greatest` get the values that are left, and return the next one to
        cut. The least are cut first, one by one (14.3, 16.5.2). If too many are to be
        cut, none is left. `values` itself is not changed.
        """
        remaining_values = list(values)
        for choose_value, cut_count in ((least, self.C + self.M), (greatest, self.M)):
            for _ in range(min(cut_count, len(remaining_values))):
                remaining_values.remove(choose_value(remaining_values))
        return remaining_values

    # Extensions of version 1.0 use these names.
    kept = apply_cuts


PLAIN = TieBreakModifiers()


def modifiers_of(parts: Sequence[str], takes: str) -> TieBreakModifiers | None:
    """Return the modifiers of a code, None if one of them is wrong.

    `parts` are the texts after the strokes, such as C1. Each must have a letter in
    `takes`, at most once, with a number if the letter needs one, and C and M exclude
    each other. A letter without a number counts as 1.
    """
    number_by_letter: dict[str, int] = {}
    for modifier_text in parts:
        modifier_letter, modifier_digits = modifier_text[:1], modifier_text[1:]
        is_allowed_and_new = (
            modifier_letter in (*takes,) and modifier_letter not in number_by_letter
        )
        if not is_allowed_and_new or {"C", "M"} <= {*number_by_letter, modifier_letter}:
            return None
        if not re.fullmatch(NUMBERS.get(modifier_letter, ""), modifier_digits):
            return None
        number_by_letter[modifier_letter] = (
            int(modifier_digits) if modifier_digits else 1
        )
    return TieBreakModifiers(**number_by_letter)


SAID = read_package_toml("pairopt.event.tie_breaks", "tie_breaks.toml")

Tied = Sequence[Sequence[int]]
"""The players by position, in groups of those still equal, best first."""


@dataclass(frozen=True)
class TieBreak(ABC):
    """A tie-break; the docstring of a subclass is its definition.

    The first paragraph is a short definition. `source` says where the tie-break is
    published, and `head` is a short heading. `kind` is its code, `takes` the letters of
    the modifiers that may follow; `name` is the name that the user typed, `code` the
    kind with modifiers, and `how` these modifiers. If `ascending` is true, smaller
    values rank higher. `decimals` is the number of decimals shown. The attributes
    `needs_…` say which data the event must have.
    """

    kind: ClassVar[str]
    head: ClassVar[str]
    source: ClassVar[str]
    takes: ClassVar[str] = ""
    decimals: ClassVar[int | None] = None
    """The number of decimals to show; None is for all."""
    ascending: ClassVar[bool] = False
    """Whether the smaller number ranks higher."""
    needs_results: ClassVar[bool] = True
    """Whether it reads results of single matches, which standings.csv does not hold."""
    needs_sides: ClassVar[bool] = False
    needs_ratings: ClassVar[bool] = False
    needs_games: ClassVar[bool] = False
    """Whether it reads the games of matches."""

    name: str = ""
    code: str = ""
    how: TieBreakModifiers = PLAIN

    def __init_subclass__(cls) -> None:
        """Set the attributes that tie_breaks.toml has for a shipped tie-break.

        A subclass whose `kind` is not in this file stays as it is.
        """
        class_kind = vars(cls).get("kind", "")
        for attribute_name, attribute_value in (
            SAID["kinds"].get(class_kind, {}).items()
        ):
            is_source = attribute_name == "source"
            setattr(
                cls,
                attribute_name,
                attribute_value.format(**SAID["sources"])
                if is_source
                else attribute_value,
            )

    @abstractmethod
    def values(self, history: History, tied: Tied) -> Sequence[Fraction]:
        """Return the value of each player, with points as the event gives them.

        Parameters
        ----------
        history : History
            All rounds of all players.
        tied : Tied
            The positions of players who are still equal, group by group, best first.

        Returns
        -------
        Sequence of Fraction
            One value per player, in players.csv order.
        """

    def keys(self, values: Sequence[Fraction]) -> Sequence[Fraction]:
        """Return the values, negated if smaller values rank higher.

        Smaller values rank higher if the tie-break is `ascending`; the modifier R
        reverses that. So the larger key always ranks higher.
        """
        smaller_ranks_higher = self.ascending != bool(self.how.R)
        if smaller_ranks_higher:
            return [-tie_break_value for tie_break_value in values]
        return values

    def shown(self, value: Fraction) -> str:
        """Return a value as text, rounded to the tie-break's decimals.

        Without `decimals` it is exact. NO_VALUE, of a player without any value, is
        "none".
        """
        if value == NO_VALUE:
            return "none"
        if self.decimals is None:
            return decimal_text(value)
        return f"{float(value):.{self.decimals}f}"

    @property
    def heading(self) -> str:
        """The heading of its column: cuts in words, other modifiers as they are.

        `BH/C1` is headed by the tie-break's heading and "Cut 1".
        """
        return " ".join([self.head, *map(_describe_modifier, self.code.split("/")[1:])])

    @classmethod
    def describe(cls) -> str:
        """Return the first paragraph of the docstring in one line, or the kind.

        The kind is for a class without a docstring.
        """
        return " ".join((cls.__doc__ or cls.kind).split("\n\n")[0].split())


def _describe_modifier(modifier: str) -> str:
    """Return a modifier for a heading: C1 as "Cut 1", M2 as "Median 2".

    M1 is "Median" alone. Modifiers with other letters stay as they are.
    """
    if modifier == "M1":
        return "Median"
    words_of_letter = {"C": "Cut ", "M": "Median "}
    return words_of_letter.get(modifier[0], modifier[0]) + modifier[1:]


def mean(values: Sequence[Fraction]) -> Fraction:
    """Return the mean of values, 0 without any."""
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)
