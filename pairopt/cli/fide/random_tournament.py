"""Generate random tournaments as reports (TRF26), with all that happens in real ones.

Random numbers come from `random()` alone, which gives the same ones in every version of
Python. Sources: FIDE Handbook C.02.03 (TRF26), C.04.2 (late entries), C.04.7 (Baku
Acceleration).
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
    """A player: a name of at most 33 characters, and a rating.

    A rating of 0 is none, which counts as the lowest one.
    """

    name: str
    rating: int


@dataclass(frozen=True, slots=True)
class EventRates:
    """What happens in a random tournament, and how often.

    `entrants` are in any order: start numbers follow ratings. `draws` (between equals),
    `forfeits`, `double_forfeits`, `unrated` and `odd` results (0-0, ½-0) are rates per
    game. `zero_byes`, `half_byes` and `full_byes` are requested byes per player, over
    all rounds. `late`, `withdrawn` and `adjusted` (points that no result explains) are
    shares of the players. `forbidden` pairs may not meet, a share `ranged` of them in
    some rounds only. `points` are by the names of the code XXS. Raise UsageError for
    values that are not possible.
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
        """Raise UsageError for values out of range, or an unknown system.

        The rates of byes per player may be above 1.
        """
        if not 2 <= len(self.entrants) <= MOST_NUMBER:
            raise UsageError(
                f"expected 2 to {MOST_NUMBER} players, found {len(self.entrants)}"
            )
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise UsageError(f"expected 1 to {MOST_ROUNDS} rounds, found {self.rounds}")
        if self.system not in CODE_OF:
            raise UsageError(f"expected {' or '.join(CODE_OF)}, found {self.system}")

        for rate_name in (
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
            rate_value = getattr(self, rate_name)
            if not 0 <= rate_value <= 1:
                raise UsageError(f"{rate_name}: expected 0 to 1, found {rate_value}")


class GeneratedTournament(NamedTuple):
    """A random tournament: the text of its report, and whether all rounds were paired."""

    text: str
    complete: bool


def random_entrants(
    players: int, highest: int, lowest: int, seed: int
) -> tuple[RandomPlayer, ...]:
    """Return players without names, with ratings that are drawn at random.

    `players` is their number. Ratings are whole numbers from `lowest` to `highest`,
    each equally likely; equal seeds give equal ratings.
    """
    rng = random.Random(f"entrants {seed}")  # noqa: S311 - a tournament, no secret
    player_ratings = [
        lowest + int(rng.random() * (highest - lowest + 1)) for _ in range(players)
    ]
    return tuple(RandomPlayer("", rating) for rating in player_ratings)


def random_report(
    rates: EventRates, seed: int, watch: Callable[[Result], None] | None = None
) -> GeneratedTournament:
    """Play a random tournament and return its report.

    Equal rates and seeds give equal bytes. `watch` is called with the result of each
    round, also with that of a last round without a pairing. In that case the report
    ends before this round and is not complete.
    """
    rng = random.Random(f"tournament {seed}")  # noqa: S311 - a tournament, no secret
    tournament_generator = _TournamentGenerator(rates, rng, seed)
    for round_number in range(1, rates.rounds + 1):
        tournament_generator.draw_byes(round_number)
        result = solve_round(
            tournament_generator.event(), tournament_generator.model, SolveOptions()
        )
        if watch is not None:
            watch(result)
        if result.arcs is None:
            tournament_generator.rows = [
                match_row
                for match_row in tournament_generator.rows
                if match_row.round < round_number
            ]
            break
        tournament_generator.play_round(round_number, result)
    report_text = write(tournament_generator.event()).text
    return GeneratedTournament(report_text, result.arcs is not None)


class _TournamentGenerator:
    """A random tournament in progress.

    `rows` are the matches and byes so far, and `unrated` has for each row "false" if
    the game is not rated, otherwise "". Players are known by start numbers from 1;
    `enters` and `leaves` have each player's first round, and the first round missed
    after a withdrawal.
    """

    def __init__(self, rates: EventRates, rng: random.Random, seed: int) -> None:
        """Draw what is fixed before round 1, such as late entries and forbidden pairs.

        `seed` only appears in the title; `rng` makes all draws.
        """
        # The order of the random draws decides what a seed gives.
        self.rates = rates
        self.rng = rng
        self.players = sorted(rates.entrants, key=lambda player: -player.rating)
        player_ratings = [player.rating for player in self.players]
        lowest_rating = min((rating for rating in player_ratings if rating), default=0)
        self.strength = [rating or lowest_rating for rating in player_ratings]
        self.numbers = range(1, len(self.players) + 1)
        self.rows: list[MatchRow] = []
        self.unrated: list[str] = []

        late_rounds = range(2, max(rates.rounds // 2, 1) + 1)
        self.enters = {
            start_number: self._draw_entry(late_rounds) for start_number in self.numbers
        }
        self.leaves = {
            start_number: self._draw_exit(entry_round)
            for start_number, entry_round in self.enters.items()
        }
        self.initial_side = self.choose((0, 1))
        self.prohibited = tuple(self._draw_prohibited())

        self.model = load_model(rates.system)
        self.settings = EventSettings(
            title=f"Random tournament, seed {seed}",
            rounds=rates.rounds,
            model=rates.system,
            points=build_points(rates.points),
        )
        self.roster = PlayerTable("players", [*self._draw_roster()])

    def happens(self, chance: float) -> bool:
        """Draw whether something of the probability `chance` happens."""
        return self.rng.random() < chance

    def choose(self, items: Sequence[Item]) -> Item:
        """Draw one of some items, each equally likely; there must be at least one."""
        return items[int(self.rng.random() * len(items))]

    def _draw_entry(self, late_rounds: Sequence[int]) -> int:
        """Draw the round in which a player enters: 1 unless the player is late.

        `late_rounds` are the rounds in which late players may enter; if there are none,
        nobody is late.
        """
        if late_rounds and self.happens(self.rates.late):
            return self.choose(late_rounds)
        return 1

    def _draw_exit(self, entry: int) -> int:
        """Draw the first round after `entry` that a player misses for good.

        Players who do not withdraw have the number of rounds plus 1.
        """
        round_after_last = self.rates.rounds + 1
        if self.happens(self.rates.withdrawn):
            return self.choose(range(entry + 1, round_after_last + 1))
        return round_after_last

    def _draw_prohibited(self) -> Iterator[ForbiddenMeeting]:
        """Draw forbidden pairs, each with the rounds in which they may not meet.

        A pair that is drawn twice counts once. Positions in the result count from 0.
        """
        number_pairs = [
            (lower_number, higher_number)
            for higher_number in self.numbers
            for lower_number in range(1, higher_number)
        ]
        drawn_pairs = {self.choose(number_pairs) for _ in range(self.rates.forbidden)}
        for lower_number, higher_number in sorted(drawn_pairs):
            first_round = 1
            last_round = self.rates.rounds
            if self.rates.ranged and self.happens(self.rates.ranged):
                first_round = self.choose(range(1, last_round + 1))
                last_round = self.choose(range(first_round, last_round + 1))
            yield ForbiddenMeeting(
                lower_number - 1, higher_number - 1, (first_round, last_round)
            )

    def _draw_roster(self) -> Iterator[PlayerRow]:
        """Yield one row per player by start number, and draw adjusted points.

        Adjusted points belong to a random round; those before round 1 are the row's
        score. With acceleration, virtual points go to the first half of those who are
        there in round 1, and to players with a lower start number who enter later.
        """
        rates = self.rates
        adjustable_rounds = range(rates.rounds + 1)
        present_numbers = [
            present_number
            for present_number in self.numbers
            if self.enters[present_number] == 1
        ]
        group_size, virtual_points = baku_acceleration(
            len(present_numbers), rates.rounds, rates.points["W"]
        )
        last_accelerated_number = 0
        if present_numbers and rates.accelerated:
            last_accelerated_number = present_numbers[:group_size][-1]

        for start_number, random_player in zip(self.numbers, self.players, strict=True):
            # the round of adjusted points, 0 for before round 1
            adjusted_round = 0
            adjusted_points = Decimal(0)
            if rates.adjusted and self.happens(rates.adjusted):
                adjusted_round = self.choose(adjustable_rounds)
                adjusted_points = self.choose(PENALTIES)
            points_by_round: tuple[Decimal, ...] = ()
            if adjusted_round:
                points_by_round = (Decimal(0),) * (adjusted_round - 1) + (
                    adjusted_points,
                )
            is_accelerated = start_number <= last_accelerated_number
            yield PlayerRow(
                str(start_number),
                random_player.name or f"Player {start_number}",
                Decimal(random_player.rating) if random_player.rating else None,
                start=start_number,
                score=None if adjusted_round else adjusted_points,
                virtual=tuple(virtual_points) if is_accelerated else (),
                adjusted=points_by_round,
            )

    def draw_byes(self, turn: int) -> None:
        """Add byes of absent players, and drawn requested byes, in a round.

        They are appended to `rows`. `turn` is the round, from 1. An absent player gets
        a zero-point bye. No byes are added when only two players are left.
        """
        rates = self.rates
        remaining_count = len(self.players)
        bye_rates = {
            "ZPB": rates.zero_byes,
            "HPB": rates.half_byes,
            "FPB": rates.full_byes,
        }
        bye_chances = [
            (bye_kind, rate_per_player / rates.rounds)
            for bye_kind, rate_per_player in bye_rates.items()
        ]
        for start_number in self.numbers:
            is_absent = (
                not self.enters[start_number] <= turn < self.leaves[start_number]
            )
            drawn_kinds = [
                bye_kind
                for bye_kind, bye_chance in bye_chances
                if self.happens(bye_chance)
            ]
            bye_kind = "".join(drawn_kinds[:1])
            if is_absent:
                bye_kind = "ZPB"
            if bye_kind and remaining_count > 2:
                remaining_count -= 1
                self.add(turn, start_number, bye_kind, "requested")

    def add(self, turn: int, number: int, kind: str, status: str) -> None:
        """Append the row of a player's bye with its points to `rows`.

        `turn` is the round, `number` the start number. `kind` is a code of the record
        XXS, such as "HPB", and `status` that of a match row.
        """
        bye_points = self.rates.points[kind]
        self.rows.append(MatchRow(turn, str(number), score1=bye_points, status=status))
        self.unrated.append("")

    def event(self) -> Event:
        """Build the event from all rows so far, as before the next round.

        It raises InputError if the rows make no event.
        """
        # The points of this tournament may make 1-1 a draw and 1-0 a draw with a loss.
        read_options = ReadOptions(penalties=True, any_results=True)
        event = build_event("random tournament", self.rows, self.roster, read_options)
        event_origin = replace(event.origin, cells={RATED: self.unrated}, chess=True)
        return replace(
            event.with_sides(("white", "black")),
            settings=self.settings,
            origin=event_origin,
            initial_side=self.initial_side,
            prohibited=self.prohibited,
        )

    def play_round(self, turn: int, result: Result) -> None:
        """Add a row with a random result for each match of a paired round to `rows`.

        `turn` is the round. The pairing-allocated bye gets its points. The result must
        have a pairing.
        """
        assert result.arcs is not None
        start_numbers = result.problem.state.names
        # Results are drawn in the order of the tables.
        _, arcs = assign_tables(result.problem.state, result.arcs)
        for white_position, black_position in arcs.pairs:
            if black_position == BYE:
                self.add(turn, int(start_numbers[white_position]), "PAB", "bye")
                continue

            result_codes, is_rated = self.draw_result(
                int(start_numbers[white_position]), int(start_numbers[black_position])
            )
            row_status = "forfeit" if result_codes[0] in ("FW", "FL") else ""
            score1, score2 = (
                self.rates.points[result_code] for result_code in result_codes
            )
            match_row = MatchRow(
                turn,
                start_numbers[white_position],
                start_numbers[black_position],
                None,
                "white",
                score1,
                score2,
                row_status,
            )
            self.rows.append(match_row)
            self.unrated.append("" if is_rated else "false")

    def draw_result(self, white: int, black: int) -> tuple[tuple[str, str], bool]:
        """Draw a game's result as codes of White and Black, and whether it is rated.

        Players are start numbers. Codes are those of XXS, such as ("W", "L"). The
        result follows the ratings unless a forfeit or an odd result happens.
        """
        rates = self.rates
        uniform_number = self.rng.random()
        if self.happens(rates.double_forfeits):
            return ("FL", "FL"), True
        if self.happens(rates.forfeits):
            return (("FW", "FL") if uniform_number < HALF else ("FL", "FW")), True
        if self.happens(rates.odd):
            return self.choose((("L", "L"), ("D", "L"), ("L", "D"))), True

        rating_gap = self.strength[white - 1] - self.strength[black - 1]
        expected_score = 1 / (1 + 10 ** (-rating_gap / 400))
        draw_probability = min(
            rates.draws, 2 * expected_score, 2 * (1 - expected_score)
        )
        result_codes = (
            ("W", "L")
            if uniform_number < expected_score + draw_probability / 2
            else ("L", "W")
        )
        if uniform_number < draw_probability:
            result_codes = ("D", "D")
        return result_codes, not self.happens(rates.unrated)
