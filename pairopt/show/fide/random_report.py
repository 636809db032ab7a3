"""Random tournaments as reports (TRF26), with all that happens in real ones.

The report is all that there is: each round is paired from its text so far, and written into it.
Lots are drawn by `random()` alone, which gives the same numbers in every version of Python.
Sources: FIDE Handbook C.02.03 (TRF26), C.04.2 (late entries), C.04.7 (Baku Acceleration)."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple, TypeVar

from pairopt.bounds import MOST_ROUNDS
from pairopt.errors import UsageError
from pairopt.event.acceleration import baku
from pairopt.event.arcs import BYE
from pairopt.event.rows import seated
from pairopt.files.build import Reading
from pairopt.files.formats.trf.reading import read
from pairopt.files.formats.trf.records import CODE_OF, MOST_NUMBER, POINTS, SYMBOLS
from pairopt.files.source import Source
from pairopt.problem.model import load_model
from pairopt.problem.options import SolveOptions
from pairopt.round.result import Result
from pairopt.round.solve import solve_round

STANDARD = {name: Decimal(value) for name, value in POINTS.items()}
KINDS = {"1": "W", "W": "W", "=": "D", "D": "D", "0": "L", "L": "L", "+": "FW", "-": "FL",
         "U": "PAB", "Z": "ZPB", "H": "HPB", "F": "FPB"}  # fmt: skip
"""What each letter of a result is worth, by the names of points."""
UNRATED = {"1": "W", "=": "D", "0": "L"}
HALF = Decimal("0.5")
AMOUNTS = (Decimal(-1), -HALF, HALF, Decimal(1))
"""Penalties and bonuses."""
Item = TypeVar("Item")


class Entrant(NamedTuple):
    """A player: a name of at most 33 characters, and a rating, 0 for none (as the lowest one)."""

    name: str
    rating: int


@dataclass(frozen=True, slots=True)
class Rates:
    """What happens in a tournament, and how often.

    `entrants` are the players, in any order: start numbers follow their ratings. Of each game:
    `draws` between equals, `forfeits`, `double_forfeits`, `unrated` ones, and `odd` results (0-0,
    ½-0). Of each player, over all rounds: how many byes of no, half and full points are asked for;
    `late` and `withdrawn` are shares of the players. `forbidden` pairs may not meet, `ranged` of
    them in some rounds alone; `adjusted` is the share of players with points that no result
    explains. With `accelerated` there is Baku Acceleration. `points` are those of each result, by
    the names of the code XXS. Raises UsageError for what cannot be."""

    entrants: tuple[Entrant, ...]
    rounds: int = 9
    system: str = "fide-dutch"
    draws: float = 0.3
    forfeits: float = 0.02
    double_forfeits: float = 0.003
    unrated: float = 0.0
    odd: float = 0.002
    zero_byes: float = 0.1
    half_byes: float = 0.1
    full_byes: float = 0.01
    late: float = 0.03
    withdrawn: float = 0.05
    forbidden: int = 2
    ranged: float = 0.0
    adjusted: float = 0.0
    accelerated: bool = False
    points: Mapping[str, Decimal] = field(default_factory=lambda: STANDARD)

    def __post_init__(self) -> None:
        if not 2 <= len(self.entrants) <= MOST_NUMBER:
            raise UsageError(f"expected 2 to {MOST_NUMBER} players, found {len(self.entrants)}")
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise UsageError(f"expected 1 to {MOST_ROUNDS} rounds, found {self.rounds}")
        if self.system not in CODE_OF:
            raise UsageError(f"expected {' or '.join(CODE_OF)}, found {self.system}")
        for name in ("draws", "forfeits", "double_forfeits", "unrated", "odd", "late", "withdrawn",
                     "ranged", "adjusted"):  # fmt: skip
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name}: expected 0 to 1, found {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class RandomReport:
    """A report, and whether all rounds could be paired."""

    text: str
    complete: bool


def random_entrants(players: int, highest: int, lowest: int, seed: int) -> tuple[Entrant, ...]:
    """Players with ratings between two, by lot."""
    rng = random.Random(f"entrants {seed}")  # noqa: S311 - a tournament, no secret
    ratings = [lowest + int(rng.random() * (highest - lowest + 1)) for _ in range(players)]
    return tuple(Entrant("", rating) for rating in ratings)


def random_report(
    rates: Rates, seed: int, watch: Callable[[Result], None] | None = None
) -> RandomReport:
    """Play a tournament; the same rates and seed make the same bytes. `watch` is told each round
    that is paired. Where a round has no pairing, the report ends before it."""
    made = _Tournament(rates, random.Random(f"tournament {seed}"), seed)  # noqa: S311
    for turn in range(1, rates.rounds + 1):
        made.ask_for_byes(turn)
        result = made.paired()
        if watch is not None:
            watch(result)
        if result.arcs is None:
            made.forget(turn)
            return RandomReport(made.text(), False)
        made.play(turn, result)
    return RandomReport(made.text(), True)


class _Tournament:
    """A tournament under way: for each player, by start number, the cells of the rounds so far."""

    def __init__(self, rates: Rates, rng: random.Random, seed: int) -> None:
        self.rates, self.rng = rates, rng
        self.players = sorted(rates.entrants, key=lambda each: -each.rating)
        lowest = min((each.rating for each in self.players if each.rating), default=0)
        self.strength = [each.rating or lowest for each in self.players]
        self.numbers = range(1, len(self.players) + 1)
        self.cells: dict[int, list[str]] = {number: [] for number in self.numbers}
        self.total = dict.fromkeys(self.numbers, Decimal(0))
        later = range(2, max(rates.rounds // 2, 1) + 1)
        self.enters = {n: self.one_of(later) if later and self.happens(rates.late) else 1
                       for n in self.numbers}  # fmt: skip
        end = rates.rounds + 1
        self.leaves = {n: self.one_of(range(enters + 1, end + 1)) if self.happens(rates.withdrawn)
                       else end for n, enters in self.enters.items()}  # fmt: skip
        self.head, self.played = self._head(seed), 0
        self.adjusted = self._adjusted() if rates.adjusted else []
        self.model = load_model(rates.system)

    def happens(self, chance: float) -> bool:
        return self.rng.random() < chance

    def one_of(self, items: Sequence[Item]) -> Item:
        return items[int(self.rng.random() * len(items))]

    def _head(self, seed: int) -> list[str]:
        """The records before those of the players."""
        rates = self.rates
        accelerated = "_BAKU" * rates.accelerated
        lines = [
            f"012 Random tournament, seed {seed}",
            f"062 {len(self.players)}",
            f"142 {rates.rounds}",
            f"152 {self.one_of('WB')}",
            *points_lines(rates.points),
            f"192 {CODE_OF[rates.system]}{accelerated}",
        ]
        if rates.accelerated:
            lines += self._virtual()
        every = [(one, two) for two in self.numbers for one in range(1, two)]
        for one, two in sorted({self.one_of(every) for _ in range(rates.forbidden)}):
            first, last = 1, rates.rounds
            if rates.ranged and self.happens(rates.ranged):
                first = self.one_of(range(1, last + 1))
                last = self.one_of(range(first, last + 1))
            lines.append(f"260 {first:>3} {last:>3} {one:>4} {two:>4}")
        return lines

    def _adjusted(self) -> list[tuple[int, int, Decimal]]:
        """Points of no result, by round (0: all of them) and player."""
        turns = range(self.rates.rounds + 1)
        return [(self.one_of(turns), number, self.one_of(AMOUNTS)) for number in self.numbers
                if self.happens(self.rates.adjusted)]  # fmt: skip

    def _virtual(self) -> list[str]:
        """Baku Acceleration: the first half of those who are there in round 1, and who enters among
        them later."""
        there = [n for n in self.numbers if self.enters[n] == 1]
        many, amounts = baku(len(there), self.rates.rounds, self.rates.points["W"])
        last = there[min(many, len(there)) - 1] if there else 0
        return [f"250 {'':4} {amount:>4.1f} {turn:>3} {turn:>3} {1:>4} {last:>4}"
                for turn, amount in enumerate(amounts, 1)]  # fmt: skip

    def ask_for_byes(self, turn: int) -> None:
        """Mark who is not there, and who has a bye asked for, as long as two are left."""
        rates, left = self.rates, len(self.players)
        shares = {"Z": rates.zero_byes, "H": rates.half_byes, "F": rates.full_byes}
        chances = [(letter, share / rates.rounds) for letter, share in shares.items()]
        for number in self.numbers:
            gone = not self.enters[number] <= turn < self.leaves[number]
            drawn = [letter for letter, chance in chances if self.happens(chance)]
            letter = "Z" if gone else "".join(drawn[:1])
            if letter and left > 2:
                left -= 1
                self.add(number, "0000 - " + letter)

    def add(self, number: int, cell: str) -> None:
        self.cells[number].append(cell)
        self.total[number] += self.rates.points[KINDS[cell[-1]]]

    def forget(self, turn: int) -> None:
        """Leave out the byes of a round that cannot be paired."""
        for number, cells in self.cells.items():
            for cell in cells[turn - 1 :]:
                self.total[number] -= self.rates.points[KINDS[cell[-1]]]
            del cells[turn - 1 :]

    def paired(self) -> Result:
        event = read(Source("random tournament", self.text()), Reading())
        return solve_round(event, self.model, SolveOptions())

    def play(self, turn: int, result: Result) -> None:
        assert result.arcs is not None
        self.played = turn
        names = result.problem.state.names
        _, arcs = seated(result.problem.state, result.arcs)  # lots fall in an order of their own
        for one, two in arcs.pairs:
            if two == BYE:
                self.add(int(names[one]), "0000 - U")
                continue
            white, black = int(names[one]), int(names[two])
            first, second = self.result(white, black)
            self.add(white, f"{black:>4} w {first}")
            self.add(black, f"{white:>4} b {second}")

    def result(self, white: int, black: int) -> tuple[str, str]:
        """The letters of a game: what the rating difference makes likely, or something rarer."""
        rates, lot = self.rates, self.rng.random()
        if self.happens(rates.double_forfeits):
            return "-", "-"
        if self.happens(rates.forfeits):
            return ("+", "-") if lot < HALF else ("-", "+")
        if self.happens(rates.odd):
            return self.one_of((("0", "0"), ("=", "0"), ("0", "=")))
        ahead = self.strength[white - 1] - self.strength[black - 1]
        expected = 1 / (1 + 10 ** (-ahead / 400))
        draw = min(rates.draws, 2 * expected, 2 * (1 - expected))
        won = ("1", "0") if lot < expected + draw / 2 else ("0", "1")
        one, two = ("=", "=") if lot < draw else won
        return (UNRATED[one], UNRATED[two]) if self.happens(rates.unrated) else (one, two)

    def text(self) -> str:
        total = {**self.total}
        for turn, number, amount in self.adjusted:
            total[number] += amount * (turn <= self.played)
        order = sorted(self.numbers, key=lambda number: (-total[number], number))
        rank = {number: place for place, number in enumerate(order, 1)}
        lines = [*self.head]
        lines += [f"299{'':10}{amount:>4.1f}  {turn:>3} {number:>4}"
                  for turn, number, amount in self.adjusted]  # fmt: skip
        for number, player in zip(self.numbers, self.players, strict=True):
            name, rating = player.name or f"Player {number}", player.rating or ""
            cells = "".join(f"  {cell}" for cell in self.cells[number])
            lines.append(f"001 {number:>4}      {name[:33]:<33} {rating:>4} {'':3} {'':11} {'':10} "
                         f"{total[number]:>4.1f} {rank[number]:>4}{cells}")  # fmt: skip
        return "\n".join([*lines, ""])


def points_lines(points: Mapping[str, Decimal]) -> list[str]:
    """The record of points that are not the usual ones: 162, or XXS where it cannot say them."""
    if points == STANDARD:
        return []
    said = {"W": "W", "D": "D", "L": "L", "A": "ZPB", "P": "PAB"}
    meant = {name: points[own] for symbol, own in said.items() for name in SYMBOLS[symbol]}
    if all(meant[name] == value for name, value in points.items()):
        return ["162  " + "    ".join(f"{s}{points[name]:>4.1f}" for s, name in said.items())]
    order = ("W", "D", "L", "ZPB", "HPB", "FPB", "PAB", "FW", "FL")  # W stands for others, too
    return ["XXS " + " ".join(f"{name}={points[name]:.1f}" for name in order)]
