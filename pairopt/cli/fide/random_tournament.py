"""Random tournaments as reports (TRF26), with all that happens in real ones.

Lots are drawn by `random()` alone, which gives the same numbers in every version of Python.
Sources: FIDE Handbook C.02.03 (TRF26), C.04.2 (late entries), C.04.7 (Baku Acceleration).
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import NamedTuple, TypeVar

from pairopt.common.limits import MOST_ROUNDS
from pairopt.errors import UsageError
from pairopt.event.arcs import BYE
from pairopt.event.event import Event
from pairopt.event.forbidden_pairs import ForbiddenMeeting
from pairopt.event.score_checks import baku_acceleration
from pairopt.event.settings import EventSettings
from pairopt.event.table_assignment import assign_tables
from pairopt.files.build_event import PlayerTable, ReadOptions, build_event
from pairopt.files.csv_schema import MatchRow, PlayerRow
from pairopt.files.formats.trf.records import (
    CODE_OF,
    MOST_NUMBER,
    POINTS,
    RATED,
    build_points,
)
from pairopt.files.formats.trf.writing import write
from pairopt.problem.model import load_model
from pairopt.problem.options import SolveOptions
from pairopt.round.result import Result
from pairopt.round.solve import solve_round

STANDARD = {name: Decimal(value) for name, value in POINTS.items()}
HALF = Decimal("0.5")
PENALTIES = (Decimal(-1), -HALF, HALF, Decimal(1))
Item = TypeVar("Item")


class RandomPlayer(NamedTuple):
    """A player: a name of at most 33 characters, and a rating, 0 for none (as the lowest one)."""

    name: str
    rating: int


@dataclass(frozen=True, slots=True)
class EventRates:
    """What happens in a tournament, and how often.

    `entrants` are in any order: start numbers follow ratings. Of each game: `draws` between equals,
    `forfeits`, `unrated` ones, and `odd` results (0-0, ½-0). Of each player, over all rounds: how
    many byes are asked for; `late`, `withdrawn` and `adjusted` (points that no result explains) are
    shares of the players. `forbidden` pairs may not meet, `ranged` of them in some rounds alone.
    `points` are by the names of the code XXS. Raises UsageError for what cannot be.
    """

    entrants: tuple[RandomPlayer, ...]
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
            raise UsageError(
                f"expected 2 to {MOST_NUMBER} players, found {len(self.entrants)}"
            )
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise UsageError(f"expected 1 to {MOST_ROUNDS} rounds, found {self.rounds}")
        if self.system not in CODE_OF:
            raise UsageError(f"expected {' or '.join(CODE_OF)}, found {self.system}")
        for name in (
            "draws",
            "forfeits",
            "double_forfeits",
            "unrated",
            "odd",
            "late",
            "withdrawn",
            "ranged",
            "adjusted",
        ):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(
                    f"{name}: expected 0 to 1, found {getattr(self, name)}"
                )


class GeneratedTournament(NamedTuple):
    """A report, and whether all rounds could be paired."""

    text: str
    complete: bool


def random_entrants(
    players: int, highest: int, lowest: int, seed: int
) -> tuple[RandomPlayer, ...]:
    rng = random.Random(f"entrants {seed}")  # noqa: S311 - a tournament, no secret
    ratings = [
        lowest + int(rng.random() * (highest - lowest + 1)) for _ in range(players)
    ]
    return tuple(RandomPlayer("", rating) for rating in ratings)


def random_report(
    rates: EventRates, seed: int, watch: Callable[[Result], None] | None = None
) -> GeneratedTournament:
    """Play a tournament; the same rates and seed make the same bytes. `watch` is told each round
    that is paired. Where a round has no pairing, the report ends before it.
    """
    made = _TournamentGenerator(rates, random.Random(f"tournament {seed}"), seed)  # noqa: S311
    for turn in range(1, rates.rounds + 1):
        made.ask_for_byes(turn)
        result = solve_round(made.event(), made.model, SolveOptions())
        if watch is not None:
            watch(result)
        if result.arcs is None:
            made.rows = [row for row in made.rows if row.round < turn]
            break
        made.play(turn, result)
    return GeneratedTournament(write(made.event()).text, result.arcs is not None)


class _TournamentGenerator:
    """A tournament under way: its rows, and who is there."""

    def __init__(self, rates: EventRates, rng: random.Random, seed: int) -> None:
        self.rates, self.rng = rates, rng
        self.players = sorted(rates.entrants, key=lambda each: -each.rating)
        lowest = min((each.rating for each in self.players if each.rating), default=0)
        self.strength = [each.rating or lowest for each in self.players]
        self.numbers = range(1, len(self.players) + 1)
        self.rows: list[MatchRow] = []
        self.unrated: list[str] = []
        later = range(2, max(rates.rounds // 2, 1) + 1)
        self.enters = {
            n: self.one_of(later) if later and self.happens(rates.late) else 1
            for n in self.numbers
        }
        end = rates.rounds + 1
        self.leaves = {
            n: self.one_of(range(enters + 1, end + 1))
            if self.happens(rates.withdrawn)
            else end
            for n, enters in self.enters.items()
        }
        self.initial_side = self.one_of((0, 1))
        self.prohibited = tuple(self._prohibited())
        self.model = load_model(rates.system)
        self.settings = EventSettings(
            title=f"Random tournament, seed {seed}",
            rounds=rates.rounds,
            model=rates.system,
            points=build_points(rates.points),
        )
        self.roster = PlayerTable("players", [*self._roster()])

    def happens(self, chance: float) -> bool:
        return self.rng.random() < chance

    def one_of(self, items: Sequence[Item]) -> Item:
        return items[int(self.rng.random() * len(items))]

    def _prohibited(self) -> Iterator[ForbiddenMeeting]:
        every = [(one, two) for two in self.numbers for one in range(1, two)]
        for one, two in sorted(
            {self.one_of(every) for _ in range(self.rates.forbidden)}
        ):
            first, last = 1, self.rates.rounds
            if self.rates.ranged and self.happens(self.rates.ranged):
                first = self.one_of(range(1, last + 1))
                last = self.one_of(range(first, last + 1))
            yield ForbiddenMeeting(one - 1, two - 1, (first, last))

    def _roster(self) -> Iterator[PlayerRow]:
        """With points of no result, and Baku Acceleration: the first half of those who are there in
        round 1, and who enters among them later, have virtual points.
        """
        rates, turns = self.rates, range(self.rates.rounds + 1)
        there = [n for n in self.numbers if self.enters[n] == 1]
        many, amounts = baku_acceleration(len(there), rates.rounds, rates.points["W"])
        last = there[:many][-1] if there and rates.accelerated else 0
        for number, player in zip(self.numbers, self.players, strict=True):
            turn, amount = 0, Decimal(0)
            if rates.adjusted and self.happens(rates.adjusted):
                turn, amount = self.one_of(turns), self.one_of(PENALTIES)
            yield PlayerRow(
                str(number),
                player.name or f"Player {number}",
                Decimal(player.rating) if player.rating else None,
                start=number,
                score=None if turn else amount,
                virtual=tuple(amounts) if number <= last else (),
                adjusted=(Decimal(0),) * (turn - 1) + (amount,) * (turn > 0),
            )

    def ask_for_byes(self, turn: int) -> None:
        """Mark who is not there, and who has a bye asked for, as long as two are left."""
        rates, left = self.rates, len(self.players)
        shares = {
            "ZPB": rates.zero_byes,
            "HPB": rates.half_byes,
            "FPB": rates.full_byes,
        }
        chances = [(kind, share / rates.rounds) for kind, share in shares.items()]
        for number in self.numbers:
            gone = not self.enters[number] <= turn < self.leaves[number]
            drawn = [kind for kind, chance in chances if self.happens(chance)]
            kind = "ZPB" if gone else "".join(drawn[:1])
            if kind and left > 2:
                left -= 1
                self.add(turn, number, kind, "requested")

    def add(self, turn: int, number: int, kind: str, status: str) -> None:
        score = self.rates.points[kind]
        self.rows.append(MatchRow(turn, str(number), score1=score, status=status))
        self.unrated.append("")

    def event(self) -> Event:
        # the points of this tournament may make 1-1 a draw and 1-0 a draw with a loss
        how = ReadOptions(penalties=True, any_results=True)
        event = build_event("random tournament", self.rows, self.roster, how)
        origin = replace(event.origin, cells={RATED: self.unrated}, chess=True)
        return replace(
            event.with_sides(("white", "black")),
            settings=self.settings,
            origin=origin,
            initial_side=self.initial_side,
            prohibited=self.prohibited,
        )

    def play(self, turn: int, result: Result) -> None:
        assert result.arcs is not None
        names = result.problem.state.names
        _, arcs = assign_tables(
            result.problem.state, result.arcs
        )  # lots fall in an order of their own
        for one, two in arcs.pairs:
            if two == BYE:
                self.add(turn, int(names[one]), "PAB", "bye")
                continue
            kinds, rated = self.result(int(names[one]), int(names[two]))
            status = "forfeit" if kinds[0] in ("FW", "FL") else ""
            first, second = (self.rates.points[kind] for kind in kinds)
            row = MatchRow(
                turn, names[one], names[two], None, "white", first, second, status
            )
            self.rows.append(row)
            self.unrated.append("" if rated else "false")

    def result(self, white: int, black: int) -> tuple[tuple[str, str], bool]:
        """A game's kinds of results, likely by the ratings or rarer; and whether it is rated."""
        rates, lot = self.rates, self.rng.random()
        if self.happens(rates.double_forfeits):
            return ("FL", "FL"), True
        if self.happens(rates.forfeits):
            return (("FW", "FL") if lot < HALF else ("FL", "FW")), True
        if self.happens(rates.odd):
            return self.one_of((("L", "L"), ("D", "L"), ("L", "D"))), True
        ahead = self.strength[white - 1] - self.strength[black - 1]
        expected = 1 / (1 + 10 ** (-ahead / 400))
        draw = min(rates.draws, 2 * expected, 2 * (1 - expected))
        won = ("W", "L") if lot < expected + draw / 2 else ("L", "W")
        return (("D", "D") if lot < draw else won), not self.happens(rates.unrated)
