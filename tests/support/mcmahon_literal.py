"""OpenGotha's pairing weights, word for word from their description, for one round.

Everything is computed player by player and round by round, with fractions where
OpenGotha has integers. It shares no
code with pairopt.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

HALF = Fraction(1, 2)
DEFAULTS: dict[str, Any] = {
    "system": "mcmahon",
    "floor": "30k",
    "bar": "9d",
    "rounds": 5,
    "levels": ["bye", "total", "colours"],
    "duplicate": 500_000_000_000_000,
    "colour": 1_000_000,
    "score": 100_000_000_000,
    "draw": 100_000_000,
    "seed": 5_000_000,
    "geography": 100_000_000_000,
    "draw_upper": "middle",
    "draw_lower": "middle",
    "seed_rounds": 2,
    "seed_first": "slip",
    "seed_then": "fold",
    "seed_rating": "always",
    "country": 1,
    "club": 3,
    "no_geography": ["bar", "wins"],
    "no_geography_from": "5d",
    "handicap_by": "score",
    "handicap_below": "1d",
    "handicap_correction": 1,
    "handicap_most": 9,
}
TERMS = ("duplicate", "colour", "score", "draw", "seed", "geography")
PARTS_OF_DRAW = ("drawn_down", "drawn_up", "draw_place")


class Row(Protocol):
    """A row of the past: a match or a bye."""

    round: int
    player1: str
    player2: str | None
    side1: str | None
    score1: Fraction | None
    score2: Fraction | None
    status: str


class Game(NamedTuple):
    """A game that was played, of one player."""

    opponent: str
    is_white: bool | None


def declined(weight: int, x: float) -> float:
    """OpenGotha's concave function, with floating-point numbers as there."""
    return weight * (1.0 - x) * (1.0 + 0.5 * x)


def rank(text: str) -> int:
    number = int(text[:-1])
    return number - 1 if text.endswith("d") else -number


class Literal:
    """One round: `rows` are of the rounds before, `active` the players of the round."""

    def __init__(
        self,
        rows: Sequence[Row],
        players: dict[str, dict[str, Any]],
        active: Sequence[str],
        number: int,
        given: dict[str, Any],
        white: str | None,
    ) -> None:
        self.rows, self.players, self.active = rows, players, active
        self.number = number
        self.given = DEFAULTS | given
        self.white = white
        self.is_swiss = self.given["system"] == "swiss"
        self.now = {name: self.score(name, number) for name in players}
        self.sos = {name: self.sum_of(name, self.now, 1) for name in players}
        self.sosos = {name: self.sum_of(name, self.sos, number - 1) for name in players}
        early = number <= self.given["seed_rounds"]
        self.style = self.given["seed_first" if early else "seed_then"]
        by_rating = self.given["seed_rating"] in (
            "always",
            "first" if early else "then",
        )
        self.place: dict[str, int] = {}
        self.size: dict[str, int] = {}
        for score in {self.now[name] for name in active}:
            group = [name for name in active if self.now[name] == score]
            group.sort(
                key=lambda name: (
                    -self.sos[name],
                    -self.sosos[name],
                    self.rating_key(name) if by_rating else (False, Fraction(0)),
                    name_key(name),
                )
            )
            for place, name in enumerate(group):
                self.place[name], self.size[name] = place, len(group)
        span = rank(self.given["bar"]) - rank(self.given["floor"]) + number + 3
        self.span = number if self.is_swiss else span

    # ------------------------------------------------------------ the past

    def start(self, name: str) -> int:
        if self.is_swiss:
            return 0
        player = self.players[name]
        brought = Fraction(str(player.get("score") or 0))
        if brought > 0:
            return math.floor(brought)
        own = max(rank(player["rank"]), rank(self.given["floor"]))
        return min(own, rank(self.given["bar"])) + 30

    def row(self, name: str, number: int) -> Row | None:
        for row in self.rows:
            if row.round == number and name in (row.player1, row.player2):
                return row
        return None

    def result(self, name: str, number: int) -> Fraction | None:
        """1 for a win or bye, 1/2 for a draw, 0 for a loss, None for a missed round."""
        row = self.row(name, number)
        if row is None or row.status == "requested":
            return None
        if row.player2 is None:
            return Fraction(1)
        own, other = row.score1 or Fraction(0), row.score2 or Fraction(0)
        if name == row.player2:
            own, other = other, own
        if own > other:
            return Fraction(1)
        return HALF if own == other > 0 else Fraction(0)

    def game(self, name: str, number: int) -> Game | None:
        row = self.row(name, number)
        if row is None or row.player2 is None or row.status == "forfeit":
            return None
        is_one = name == row.player1
        opponent = row.player2 if is_one else row.player1
        if row.side1 is None:
            return Game(opponent, None)
        return Game(opponent, (row.side1 == self.white) == is_one)

    def wins(self, name: str) -> Fraction:
        results = [self.result(name, each) for each in range(1, self.number)]
        return sum((each for each in results if each is not None), Fraction(0))

    def score(self, name: str, before: int) -> int:
        total = Fraction(0)
        for number in range(1, before):
            result = self.result(name, number)
            missed = Fraction(0) if self.is_swiss else HALF
            total += missed if result is None else result
        return self.start(name) + math.floor(total)

    def sum_of(self, name: str, amounts: dict[str, int], times: int) -> int:
        total = 0
        for number in range(1, self.number):
            game = self.game(name, number)
            total += amounts[game.opponent] if game else self.start(name) * times
        return total

    def balance(self, name: str) -> int:
        games = [self.game(name, each) for each in range(1, self.number)]
        colours = [game.is_white for game in games if game]
        return colours.count(True) - colours.count(False)

    def drawn(self, name: str, sign: int) -> int:
        """Games against a lower (1) or higher (-1) score of that time."""
        count = 0
        for number in range(1, self.number):
            game = self.game(name, number)
            if game:
                gap = self.score(name, number) - self.score(game.opponent, number)
                count += gap * sign > 0
        return count

    def rating_key(self, name: str) -> tuple[bool, Fraction]:
        rating = self.players[name].get("rating")
        return (rating is None, -Fraction(str(rating or 0)))

    def had_bye(self, name: str) -> bool:
        return any(row.status == "bye" and row.player1 == name for row in self.rows)

    # ------------------------------------------------------------ the terms

    def bye(self, name: str) -> int:
        """The place of a player in the order of byes, from 0."""

        def weight(one: str) -> Fraction:
            amount = Fraction(2 * self.now[one])
            if self.is_swiss:
                amount = rank(self.players[one]["rank"]) + 40 * self.wins(one)
            return amount + 1000 * self.had_bye(one)

        last_first = sorted(self.active, key=name_key, reverse=True)
        return sorted(last_first, key=weight).index(name)

    def strength(self, name: str) -> int:
        own = self.now[name] - 30
        if self.given["handicap_by"] == "rank":
            own = rank(self.players[name]["rank"])
        return min(own, rank(self.given["handicap_below"]))

    def handicap(self, one: str, two: str) -> int:
        stones = abs(self.strength(one) - self.strength(two))
        stones -= self.given["handicap_correction"]
        return max(0, min(stones, self.given["handicap_most"]))

    def duplicate(self, one: str, two: str) -> int:
        games = [self.game(one, each) for each in range(1, self.number)]
        met = any(game.opponent == two for game in games if game)
        return 0 if met else int(self.given["duplicate"])

    def colour(self, one: str, two: str) -> int:
        weight = int(self.given["colour"])
        a, b = self.balance(one), self.balance(two)
        if self.handicap(one, two):
            return 0
        if (a > 0 and b < 0) or (a < 0 and b > 0):
            return weight
        if (a == 0 and abs(b) >= 2) or (b == 0 and abs(a) >= 2):
            return weight // 2
        return 0

    def score_term(self, one: str, two: str) -> int:
        x = min(abs(self.now[one] - self.now[two]) / self.span, 1.0)
        return math.trunc(declined(self.given["score"], x))

    def draw(self, one: str, two: str) -> int:
        if self.now[one] == self.now[two]:
            return 0
        upper, lower = (one, two) if self.now[one] > self.now[two] else (two, one)
        u = self.given["draw"] // 5
        s = 2
        if self.drawn(upper, 1):
            s -= 1
        if self.drawn(lower, -1):
            s -= 1
        if s > 0 and self.drawn(upper, -1) > self.drawn(upper, 1):
            s += 1
        if s > 0 and self.drawn(lower, 1) > self.drawn(lower, -1):
            s += 1
        value = u * s
        for player, where in ((upper, "draw_upper"), (lower, "draw_lower")):
            z = self.size[player]
            q = z - 1 - self.places_away(player, self.given[where])
            value += math.floor(Fraction(u // 2 * q, z))
        return int(value)

    def places_away(self, player: str, where: str) -> int:
        z, p = self.size[player], self.place[player]
        return {"top": p, "bottom": z - 1 - p, "middle": abs(2 * p - z + 1)}[where]

    def part_of_draw(self, part: str, one: str, two: str) -> int:
        """What a match of two groups adds to one part of the draw alone."""
        if self.now[one] == self.now[two]:
            return 0
        upper, lower = (one, two) if self.now[one] > self.now[two] else (two, one)
        if part == "draw_place":
            return self.places_away(upper, self.given["draw_upper"]) + self.places_away(
                lower, self.given["draw_lower"]
            )
        games = self.drawn(upper, 1) if part == "drawn_down" else self.drawn(lower, -1)
        return min(games, 1)

    def seed(self, one: str, two: str) -> int:
        if self.now[one] != self.now[two]:
            return 0
        weight, z = self.given["seed"], self.size[one]
        p, q = self.place[one], self.place[two]
        x = abs(2 * abs(p - q) - z) if self.style == "slip" else abs(p + q - (z - 1))
        if self.style == "fold":
            z = max(z - 1, 1)
        first = math.floor(Fraction(weight * x, z))
        return int(weight - math.floor(Fraction(first * x, z)))

    def is_above(self, name: str) -> bool:
        given = self.given
        at_bar = self.start(name) >= rank(given["bar"]) + 30
        return (
            ("wins" in given["no_geography"] and 2 * self.wins(name) >= given["rounds"])
            or ("bar" in given["no_geography"] and not self.is_swiss and at_bar)
            or self.now[name] >= rank(given["no_geography_from"]) + 30
        )

    def geography(self, one: str, two: str) -> int:
        given, (a, b) = self.given, (self.players[one], self.players[two])
        weight = given["geography"]
        if not weight:
            return 0
        parts = []
        for column, amount in (("country", 1.0), ("club", 1.2)):
            differ = (a.get(column) or "") != (b.get(column) or "")
            part = min(given[column] * amount / self.span, 1.0)
            parts.append(part if differ else 0.0)
        t = max(parts) + min(parts) / 2
        t += 0.5 / self.span if t else 0
        value = given["score"] - math.trunc(declined(given["score"], t))
        value = min(value, weight)
        above = self.is_above(one) + self.is_above(two)
        return int([value, math.floor(Fraction(value + weight, 2)), weight][above])

    def missing(self, term: str, one: str, two: str) -> int:
        """What a match misses to the highest weight of a term, or of all of them."""
        if term in PARTS_OF_DRAW:
            return self.part_of_draw(term, one, two)
        if term == "total":
            return sum(self.missing(each, one, two) for each in TERMS)
        compute = {"score": self.score_term}.get(term) or getattr(self, term)
        return int(self.given[term] - compute(one, two))

    def is_wrong(self, white: str, black: str) -> bool:
        """Whether the colours of a match should be exchanged."""
        if self.handicap(white, black):
            return self.strength(white) < self.strength(black)
        return self.balance(white) > self.balance(black)


def name_key(name: str) -> str:
    """Names in order, numbers in them by their size."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(9), name)
