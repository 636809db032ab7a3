"""Points: what a win, a draw, a loss, a bye and an absence are worth in an event."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real

from pairopt.errors import InvalidValueError
from pairopt.messages.formatting import decimal_text

MatchPoints = tuple[Fraction, Fraction]  # the points of both players of a match
Games = tuple[int, int, int]
"""The games of a match: those that the first player won, those that the second won, those drawn."""
USUAL_GAMES = 3  # a match is best of so many where nobody has said


@dataclass(frozen=True, slots=True)
class Points:
    """The points of a match; a bye is worth a win, and an absence nothing, unless it says so.
    `game` are the points of each game where a match has two: their sums are its results.
    """

    win: Fraction
    draw: Fraction
    loss: Fraction = Fraction(0)
    bye: Fraction | None = None
    requested_bye: Fraction = Fraction(0)
    absent: Fraction = Fraction(0)
    game: Points | None = None

    def __str__(self) -> str:
        if self.game is not None:
            return f"{self.game}x2"
        return "-".join(
            decimal_text(value) for value in (self.win, self.draw, self.loss)
        )

    def __post_init__(self) -> None:
        """Take numbers of all types, and texts. Raises InvalidValueError for anything else."""
        for name in ("win", "draw", "loss", "bye", "requested_bye", "absent"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, Fraction):
                object.__setattr__(self, name, parse_number_of_points(value))

    @property
    def allocated_bye(self) -> Fraction:
        return self.win if self.bye is None else self.bye

    @property
    def results(self) -> frozenset[MatchPoints]:
        if self.game is not None:
            games = self.game.results
            return frozenset((a + c, b + d) for a, b in games for c, d in games)
        return frozenset(
            {(self.win, self.loss), (self.draw, self.draw), (self.loss, self.win)}
        )

    @property
    def half(self) -> frozenset[MatchPoints]:
        """How a match of two games ends of which the second is not played."""
        return frozenset() if self.game is None else self.game.results - self.results

    @property
    def decided(self) -> frozenset[MatchPoints]:
        """How an arbiter may end a match besides, or one of its two games: with a loss for one, or
        both, and no win.
        """
        if self.game is not None:
            both = (
                (one, other) for one in self.game.results for other in self.game.decided
            )
            made = {(a + c, b + d) for (a, b), (c, d) in both}
            return frozenset(made) - self.results - self.half
        lost = {(self.draw, self.loss), (self.loss, self.draw), (self.loss, self.loss)}
        return frozenset(lost) - self.results

    def of_games(self, games: Games) -> Score:
        gap = games[0] - games[1]
        both = (self.win, self.loss) if gap else (self.draw, self.draw)
        return Score(*(both if gap >= 0 else both[::-1]), games=games)


def points_of_two_games(game: Points) -> Points:
    """The points of a match of two such games; a draw of the match is one win each."""
    return Points(2 * game.win, game.win + game.loss, 2 * game.loss, game=game)


@dataclass(frozen=True, slots=True)
class Score:
    """Both players' points; `forfeit` where it was not played; the `games` where they are known,
    and then people are shown these.
    """

    one: Fraction
    two: Fraction
    forfeit: bool = False
    games: Games | None = None

    def __str__(self) -> str:
        if self.games is not None:
            return "-".join(map(str, self.games if self.games[2] else self.games[:2]))
        mark = "F" if self.forfeit else ""
        return f"{decimal_text(self.one)}{mark}-{decimal_text(self.two)}{mark}"


CHESS = Points(Fraction(1), Fraction(1, 2))
FOOTBALL = Points(Fraction(3), Fraction(1))
OLD_FOOTBALL = Points(Fraction(2), Fraction(1))
USUAL = (CHESS, FOOTBALL, OLD_FOOTBALL)  # the likelier first, where results fit several


def infer_points_of_results(
    seen: Mapping[MatchPoints, int],
) -> tuple[Points | None, bool]:
    """The points that played matches show, None for nothing; and whether all of them fit.

    `seen` says how often matches ended so. A usual system where it fits (draws of 1 each belong to
    3-1-0, of 0.5 each to 1-0.5-0), or two such games a match; else the commonest decisive result is
    win and loss.
    """
    for one in USUAL:
        if seen and seen.keys() <= {(one.win, one.loss), (one.draw, one.draw)}:
            return one, True
    for one in USUAL:
        if seen and seen.keys() <= points_of_two_games(one).results | one.results:
            return points_of_two_games(one), True
    decisive = [
        (count, result) for result, count in seen.items() if result[0] > result[1]
    ]
    if not decisive:
        return None, not seen
    _, (win, loss) = max(decisive)
    draw = max(
        (a for a, b in seen if a == b and loss <= a <= win), default=(win + loss) / 2
    )
    return Points(win, draw, loss), seen.keys() <= {(win, loss), (draw, draw)}


def parse_points(text: str) -> Points:
    """W-D-L as points, such as 3-1-0 or 1-0.5-0; 3-1-0x2 for two games. Raises InvalidValueError."""
    single, twice, rest = text.partition("x2")
    if twice and not rest.strip():
        return points_of_two_games(parse_points(single))
    parts = [parse_number_of_points(part) for part in split_at_hyphens(text)]
    if len(parts) != 3:
        raise InvalidValueError("score.no_points")
    win, draw, loss = parts
    if not win > loss or not win >= draw >= loss:
        raise InvalidValueError("score.order")
    return Points(win, draw, loss)


def split_at_hyphens(text: str) -> list[str]:
    """The parts of a text with hyphens, or with the dashes that a phone makes of them."""
    return re.split("[-\u2010\u2011\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}]", text)


def parse_number_of_points(given: object) -> Fraction:
    """Read points exactly: a number of any type, or a text such as "0.5", "0,5" or "½".

    Raises InvalidValueError for anything else.
    """
    if isinstance(given, str):
        return _number_of_text(given)
    if isinstance(given, Real | Decimal) and not isinstance(given, bool):
        # a float's text is the number that was typed: 0.1 is a tenth
        with suppress(ValueError):
            return Fraction(str(given))
    raise InvalidValueError("score.no_number")


def _number_of_text(text: str) -> Fraction:
    digits = expand_half_signs(text.strip()).replace(",", ".")
    whole, _, part = digits.partition(".")
    if not (whole + part).isascii() or not (whole + part).isdigit() or len(digits) > 12:
        raise InvalidValueError("score.no_number")
    return Fraction(f"{whole or 0}.{part or 0}")


def expand_half_signs(text: str) -> str:
    return f"{text[:-1]}.5" if text.endswith("½") else text
