"""World: what tournaments are drawn from, and the players of one of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import lcm, sqrt
from statistics import NormalDist
from typing import Any, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

from pairopt.common.limits import LARGEST_SCORE, MOST_DECIMALS, MOST_ROUNDS
from pairopt.common.serialization import read_package_toml
from pairopt.errors import InvalidValueError, UsageError
from pairopt.event.arcs import BoolArray, FloatArray, IntArray
from pairopt.event.event import NO_RATING, Event, Matches
from pairopt.event.points import (
    CHESS,
    Points,
    parse_number_of_points,
    points_of_two_games,
)
from pairopt.event.score_checks import baku_acceleration
from pairopt.event.settings import EventSettings
from pairopt.event.source_info import SourceInfo
from pairopt.lab.arguments import require, require_list, require_number, require_whole
from pairopt.lab.identity import LATER, name_of, user_code_errors
from pairopt.lab.luck import Purpose, Uniforms, match_luck, uniforms
from pairopt.lab.worlds import Games, Results, chances_of
from pairopt.lab.worlds.laws import Elo
from pairopt.messages.formatting import decimal_text

MOST_PLAYERS = 10_000
MOST_ELO = 10_000
MOST_SLOPE = 100
MOST_CUT: Final = 128
RANGES: Final = {
    "players": (2, MOST_PLAYERS),
    "rounds": (1, MOST_ROUNDS),
    "spread": (0, MOST_ELO),
    "rating_error": (0, MOST_ELO),
    "drift": (0, MOST_ELO),
}
WHOLE: Final = {"players": 32, "rounds": 7, "games": 2, "cut": 8}
"""Parameters that are whole numbers, with an example of each; below, those that are numbers."""
NUMBERS: Final = {
    "spread": 200,
    "first_side": 35,
    "draws": 0.03,
    "drops": 0.05,
    "late": 0.1,
    "drift": 20,
    "level": 1500,
    "drops_by_score": 1,
    "absent": 0.1,
    "forfeits": 0.01,
}
STRENGTH = (
    "strength"  # the column of a simulated event that holds the players' true strengths
)
Shape = Literal["normal", "uniform"]
Acceleration = Literal["none", "baku"]
Strengths = tuple[float, ...] | Callable[[Uniforms], FloatArray]


@dataclass(frozen=True)
class World:
    """What a tournament is drawn from.

    Strengths are in Elo points around `level`, with `spread` as their standard deviation;
    `rating_error` is that of a rating about the strength, None for unrated players; `drift` that
    of the change of form from a round to the next, while the true strength stays. `first_side` is
    its advantage in Elo points. `base` names the world of `pairopt.lab.fitted` that this one is of.

    `draws` is the probability of a draw between equals, `drops` that of leaving after each round
    with half of the points so far; the logarithm of its odds grows by `drops_by_score` times the
    part of the points that is more. `late` is the probability of entering in round 2, `absent` of
    missing a round, without points, `forfeits` of a match won without a game. `win` and `draw` are
    points, as numbers of any type or texts such as "0.5"; a loss has none, a bye a win's.
    `acceleration` "baku" has the virtual points of FIDE C.04.7. `cut` players play an elimination
    after the rounds.

    `results` says how results arise: one of `pairopt.lab.worlds`, any function of `Encounters`, or
    an array of shape (players, players), see `Matrix`. `strengths` are instead of shape and spread:
    numbers of which each tournament draws its players, or a function of one uniform number a
    player. With `games` of 2 both have each side once; the event itself has no `sides` then.
    """

    players: int = 32
    rounds: int = 7
    spread: float = 200.0
    shape: Shape = "normal"
    rating_error: float | None = None
    first_side: float = 0.0
    draws: float = 0.03
    drops: float = 0.0
    late: float = 0.0
    win: Fraction = Fraction(3)
    draw: Fraction = Fraction(1)
    sides: tuple[str, ...] = ("corp", "runner")
    results: Results = field(default_factory=Elo)
    strengths: Strengths | None = None
    drift: float = 0.0
    games: int = 1
    base: str = field(default="", metadata=LATER)
    level: float = field(default=1500.0, metadata=LATER)
    drops_by_score: float = field(default=0.0, metadata=LATER)
    absent: float = field(default=0.0, metadata=LATER)
    forfeits: float = field(default=0.0, metadata=LATER)
    acceleration: Acceleration = field(default="none", metadata=LATER)
    cut: int = field(default=0, metadata=LATER)
    double_cut: bool = field(default=False, metadata=LATER)

    @classmethod
    def chess(cls, **settings: Any) -> Self:
        """Make a world with the points and sides of chess: 1-0.5-0, white and black.

        `settings` are other parameters of the world; one of them may also be the points or sides.

        Examples
        --------
        >>> World.chess(players=20, rounds=6, rating_error=50).draw
        Fraction(1, 2)
        """
        usual: dict[str, Any] = {
            "win": CHESS.win,
            "draw": CHESS.draw,
            "sides": ("white", "black"),
        }
        return cls(**usual | settings)

    def __post_init__(self) -> None:
        self._read_points()
        self._require_types()
        if isinstance(self.results, np.ndarray):
            from pairopt.lab.worlds.matrix import matrix_of

            object.__setattr__(self, "results", matrix_of(self.results))
        listed = None if callable(self.strengths) else self.strengths
        expected = [
            *(
                (
                    least <= (getattr(self, name) or 0) <= most,
                    f"{name} from {least} to {most}",
                )
                for name, (least, most) in RANGES.items()
            ),
            (abs(self.first_side) <= MOST_ELO, f"first_side up to {MOST_ELO}"),
            (self.shape in ("normal", "uniform"), "shape normal or uniform"),
            (
                all(
                    0 <= p <= 1
                    for p in (
                        self.draws,
                        self.drops,
                        self.late,
                        self.absent,
                        self.forfeits,
                    )
                ),
                "draws, drops, late, absent and forfeits from 0 to 1",
            ),
            (abs(self.level) <= MOST_ELO, f"level up to {MOST_ELO}"),
            (
                abs(self.drops_by_score) <= MOST_SLOPE,
                f"drops_by_score up to {MOST_SLOPE}",
            ),
            (
                self.acceleration == "none"
                or (
                    self.acceleration == "baku"
                    and self.win == 2 * self.draw
                    and self.rating_error is not None
                ),
                "acceleration none, or baku with ratings and a win worth two draws",
            ),
            (
                self.cut == 0 or 2 <= self.cut <= MOST_CUT,
                f"cut 0, or from 2 to {MOST_CUT}",
            ),
            (0 <= self.draw <= self.win and self.win > 0, "0 <= draw <= win, win > 0"),
            (
                all(
                    points <= LARGEST_SCORE
                    and 10**MOST_DECIMALS % points.denominator == 0
                    for points in (self.win, self.draw)
                ),
                f"win and draw up to {LARGEST_SCORE} with at most {MOST_DECIMALS} decimals",
            ),
            (
                not self.sides
                or (all(self.sides) and len(self.sides) == len(set(self.sides)) == 2),
                "no sides, or two different ones",
            ),
            (callable(self.results), "results that are a function or a matrix"),
            (
                listed is None or len(listed) >= self.players,
                f"strengths of at least {self.players} players",
            ),
            (self.games in (1, 2), "games 1 or 2"),
        ]
        if wrong := [what for holds, what in expected if not holds]:
            raise UsageError("world.unfit", expected="; ".join(wrong))

    def _read_points(self) -> None:
        """Keep points as exact fractions. Raises UsageError for what is no number."""
        for name in ("win", "draw"):
            value = getattr(self, name)
            try:
                exact = parse_number_of_points(value)
            except InvalidValueError:
                expected = f'a number of points, for example {name}=0.5 or {name}="½"'
                require(False, "World", name, value, expected)
            object.__setattr__(self, name, exact)

    def _require_types(self) -> None:
        """Raise UsageError for a parameter that has another type, and name it."""
        for name, example in WHOLE.items():
            require_whole("World", name, getattr(self, name), example)
        for name, number in NUMBERS.items():
            require_number("World", name, getattr(self, name), number)
        if self.rating_error is not None:
            require_number("World", "rating_error", self.rating_error, 50)
        if self.sides is not None:
            require_list("World", "sides", self.sides, '("white", "black")')
        if self.strengths is not None and not callable(self.strengths):
            require_list("World", "strengths", self.strengths, "(1500, 1620, 1710)")
        is_result = callable(self.results) or isinstance(self.results, np.ndarray)
        expected = "a function of encounters such as pairopt.lab.worlds.laws.Elo(), or an array"
        require(is_result, "World", "results", self.results, expected)

    @property
    def words(self) -> str:
        """All that tournaments are drawn from, in one line."""
        error = self.rating_error
        rated = (
            "unrated" if error is None else f"ratings with an error of {error:g} Elo"
        )
        points = "-".join(
            decimal_text(each) for each in (self.win, self.draw, Fraction(0))
        )
        parts = [
            f"{self.players} players",
            f"{self.rounds} rounds",
            self._strengths_in_words,
            "ratings are the true strengths" if error == 0 else rated,
            f"{self.draws:.3g} draws between equals",
            f"points {points}",
            f"sides {' and '.join(self.sides)}" if self.sides else "no sides",
        ]
        cut = (
            f"{'double ' * self.double_cut}elimination of the first {self.cut}"
            * bool(self.cut)
        )
        told = {
            **vars(self),
            "games": "two" * (self.games == 2),
            "cut": cut,
            "results": name_of(self.results) * (self.results != Elo()),
            "acceleration": "Baku" * (self.acceleration == "baku"),
        }
        said = read_package_toml("pairopt.lab", "world.toml")
        parts += [
            words.format(told[name]) for name, words in said.items() if told[name]
        ]
        return ", ".join([f"world {self.base}", *parts] if self.base else parts)

    @property
    def _strengths_in_words(self) -> str:
        if self.strengths is None and not hasattr(self.results, "strengths"):
            about = f" about {self.level:g}" if self.level != 1500 else ""
            return (
                f"strengths {self.shape}{about} with a deviation of {self.spread:g} Elo"
            )
        if self.strengths is None:
            return f"strengths {name_of(self.results)}"
        if callable(self.strengths):
            return f"strengths {name_of(self.strengths)}"
        return f"strengths drawn from {len(self.strengths)} given ones"

    @property
    def scale(self) -> int:
        return lcm(self.win.denominator, self.draw.denominator)

    @property
    def points(self) -> Points:
        game = Points(self.win, self.draw)
        return points_of_two_games(game) if self.games == 2 else game


def require_world(call: str, world: object) -> None:
    """Raise UsageError unless the argument `world` is a World."""
    expected = "a World, for example world=World(players=16, rounds=5)"
    require(isinstance(world, World), call, "world", world, expected)


@dataclass(frozen=True)
class Field:
    """The players of one replicate: arrays of shape (players,)."""

    world: World
    seed: int
    replicate: int

    @cached_property
    def strength(self) -> Uniforms:
        """True strength in Elo points."""
        luck = self._luck(Purpose.STRENGTH)
        given = self.world.strengths or getattr(self.world.results, "strengths", None)
        if callable(given):
            with user_code_errors(f"strengths {name_of(given)}"):
                found = np.asarray(given(luck), np.float64)
                if found.shape != luck.shape or not np.isfinite(found).all():
                    raise UsageError(
                        "world.strengths_unfit", players=self.world.players
                    )
                return found
        if given is not None:
            # all are equally likely, none comes twice
            every = uniforms(
                self.seed, self.replicate, Purpose.STRENGTH, np.arange(len(given))
            )
            drawn = np.argsort(every, kind="stable")[: self.world.players]
            return np.array(given, np.float64)[drawn]
        if self.world.shape == "uniform":
            return self.world.level + self.world.spread * sqrt(12) * (luck - 0.5)
        return self.world.level + self.world.spread * _normal(luck)

    @cached_property
    def rating(self) -> IntArray:
        """Known rating in whole Elo points, NO_RATING for unrated players."""
        error = self.world.rating_error
        if error is None:
            return np.full(self.world.players, NO_RATING)
        noise = error * _normal(self._luck(Purpose.RATING)) if error else 0
        return np.rint(self.strength + noise).astype(np.int64)

    @cached_property
    def enters(self) -> IntArray:
        if not self.world.late:
            return np.ones(self.world.players, np.int64)
        return np.where(self._luck(Purpose.LATE) < self.world.late, 2, 1)

    @cached_property
    def leaves(self) -> IntArray:
        """The last round of each player; beyond the tournament's for those who stay."""
        return self._leaves(self.world.drops)

    def _leaves(self, drops: float | FloatArray) -> IntArray:
        n, rounds = self.world.players, self.world.rounds
        if not self.world.drops:
            return np.full(n, rounds + 1)
        luck = self._luck(Purpose.DROP, np.arange(rounds)[:, None])
        left = np.vstack([luck < drops, np.ones((1, n), np.bool_)])
        left &= np.arange(1, rounds + 2)[:, None] >= self.enters
        return np.asarray(np.argmax(left, axis=0) + 1, np.int64)

    def active(self, round: int, played: Matches | None = None) -> BoolArray:
        """Who plays in a round; `played`, the rounds before, is for drops by score."""
        here = self.there(round, played)
        if self.world.absent:
            here &= self._luck(Purpose.ABSENCE, np.array(round)) >= self.world.absent
        return here

    def there(self, round: int, played: Matches | None = None) -> BoolArray:
        """Who has entered and not left, whether absent or not."""
        leaves = self.leaves
        if self.world.drops_by_score and played is not None:
            leaves = self._leaves(self._drops(played))
        return np.asarray((self.enters <= round) & (round <= leaves), np.bool_)

    def _drops(self, played: Matches) -> FloatArray:
        """The probability of leaving after each round, by the points until then."""
        world, rounds = self.world, np.arange(1, self.world.rounds + 1)[:, None]
        points = np.zeros((world.rounds, world.players))
        met = played.second >= 0
        np.add.at(points, (played.round - 1, played.first), played.score1)
        np.add.at(
            points, (played.round[met] - 1, played.second[met]), played.score2[met]
        )
        most = float(world.points.win * world.scale) * rounds
        odds = world.drops * np.exp(
            world.drops_by_score * (points.cumsum(axis=0) / most - 0.5)
        )
        return np.asarray(odds / (odds + 1 - world.drops), np.float64)

    def forfeited(self, round: int, first: IntArray, second: IntArray) -> IntArray:
        """Of each match 1 if the first player wins it without a game, -1 if the second, else 0."""
        if not self.world.forfeits:
            return np.zeros(len(first), np.int64)
        low, high = np.minimum(first, second), np.maximum(first, second)
        luck = uniforms(self.seed, self.replicate, Purpose.FORFEIT, round, low, high)
        by_low = np.where(luck < self.world.forfeits / 2, 1, -1) * (
            luck < self.world.forfeits
        )
        return np.where(first == low, by_low, -by_low)

    def form(self, round: int) -> Uniforms:
        """Strength in a round, in Elo points: the true one, and how form has drifted since."""
        still = not self.world.drift or round == 1
        return self.strength if still else self.strength + self._drifted[round - 2]

    @cached_property
    def _drifted(self) -> Uniforms:
        """The change of form until each round from the second on, shape (rounds - 1, players)."""
        rounds = np.arange(2, self.world.rounds + 1)[:, None]
        steps = _normal(self._luck(Purpose.FORM, rounds).ravel())
        return self.world.drift * np.cumsum(steps.reshape(len(rounds), -1), axis=0)

    def _luck(self, purpose: Purpose, *more: IntArray) -> Uniforms:
        players = np.arange(self.world.players)
        return uniforms(self.seed, self.replicate, purpose, *more, players)

    @cached_property
    def opening(self) -> Event:
        """The event before its first round; players are p1, p2, ..."""
        n, sides = self.world.players, self.world.sides if self.world.games == 1 else ()
        names = tuple(f"p{k}" for k in range(1, n + 1))
        return Event(
            players=names,
            matches=Matches.empty(),
            round=1,
            active=self.active(1),
            scale=self.world.scale,
            sides=(sides[0], sides[1]) if sides else None,
            rating=self.rating,
            columns={STRENGTH: tuple(map(str, self.strength.tolist()))},
            origin=SourceInfo("simulation"),
            settings=EventSettings(points=self.world.points, rounds=self.world.rounds),
            acceleration=self._acceleration,
        )

    @property
    def _acceleration(self) -> IntArray:
        """Virtual points times `scale`, none without acceleration; shape (players, rounds)."""
        n, world = self.world.players, self.world
        if world.acceleration == "none":
            return np.zeros((n, 0), np.int64)
        many, amounts = baku_acceleration(
            n, world.rounds, Decimal(decimal_text(world.win))
        )
        line = np.array([int(amount * world.scale) for amount in amounts], np.int64)
        order = np.argsort(-self.rating, kind="stable")  # as start numbers are
        first = np.isin(np.arange(n), order[:many])
        return np.asarray(first[:, None] * line, np.int64)

    def met(self, round: int, one: IntArray, two: IntArray, side: IntArray) -> Games:
        known = self.form(round), self.world.first_side, self.world.draws
        return Games(self.replicate, round, one, two, side, *known)


def scores(
    fields: Sequence[Field],
    round: int,
    first: IntArray,
    second: IntArray,
    sided: bool = True,
) -> tuple[IntArray, IntArray]:
    """Scaled points of both players of each match in fields of one world and seed. The players of
    each field are numbered after those of the field before, and so are matches.
    """
    world, lower = fields[0].world, first < second
    low, high = np.where(lower, first, second), np.where(lower, second, first)
    if world.games == 1:
        side = np.where(lower, 1, -1) if sided else np.zeros(len(low), np.int64)
        one, two = _game(fields, round, low, high, side, 1)
    else:
        ahead = np.ones(len(low), np.int64) * bool(world.sides)
        both = [
            _game(fields, round, low, high, side, number)
            for number, side in ((1, ahead), (2, -ahead))
        ]
        one, two = (np.asarray(a + b) for a, b in zip(*both, strict=True))
    return np.where(lower, one, two), np.where(lower, two, one)


def _game(
    fields: Sequence[Field],
    round: int,
    one: IntArray,
    two: IntArray,
    side: IntArray,
    number: int,
) -> tuple[IntArray, IntArray]:
    """Scaled points of `one` and `two` in the first or second game of each match."""
    world, size = fields[0].world, fields[0].world.players
    of = one // size
    found = [
        chances_of(world.results, met)
        for met in _met(fields, round, one, two, side, of)
    ]
    win, draw = map(np.concatenate, zip(*found, strict=True))
    replicate = np.array([each.replicate for each in fields])[of]
    luck = match_luck(
        fields[0].seed, replicate, round, one - of * size, two - of * size, number
    )
    won, lost = luck < win, luck >= win + draw
    full, half = (int(x * world.scale) for x in (world.win, world.draw))
    one, two = (
        np.where(a, full, np.where(b, 0, half)) for a, b in ((won, lost), (lost, won))
    )
    return one, two


def _met(
    fields: Sequence[Field],
    round: int,
    one: IntArray,
    two: IntArray,
    side: IntArray,
    of: IntArray,
) -> Iterator[Games]:
    """The games of each field by itself, of all together where only the gap decides."""
    world, size = fields[0].world, fields[0].world.players
    if getattr(world.results, "by_gap", False):
        strength = np.concatenate([each.form(round) for each in fields])
        first = fields[0].replicate
        yield Games(
            first, round, one, two, side, strength, world.first_side, world.draws
        )
        return
    ends = of.searchsorted(np.arange(len(fields) + 1)).tolist()
    for k, each in enumerate(fields):
        own = slice(ends[k], ends[k + 1])
        yield each.met(round, one[own] - k * size, two[own] - k * size, side[own])


def _normal(luck: Uniforms) -> NDArray[np.float64]:
    """Standard normal quantiles, from Python's own NormalDist: the same on every platform."""
    inverse = NormalDist().inv_cdf
    return np.array([inverse(u) for u in np.maximum(luck, 2.0**-54).tolist()])
