"""Worlds, the scenarios that tournaments are drawn from, and the players of one tournament."""

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
from pairopt.lab.strategies import Strategy, UnplayedRound, apply_strategy
from pairopt.lab.worlds import Games, Results, chances_of
from pairopt.lab.worlds.laws import Elo
from pairopt.messages.formatting import decimal_text

MOST_PLAYERS = 10_000
MOST_ELO = 10_000
MOST_SLOPE = 100
MOST_CUT: Final = 128
BEST_OF_THREE: Final = 3
"""The setting `games` of matches that end as soon as a player has won two games."""
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
# the column of a simulated event with the players' true strengths
STRENGTH = "strength"
Shape = Literal["normal", "uniform"]
Acceleration = Literal["none", "baku"]
Strengths = tuple[float, ...] | Callable[[Uniforms], FloatArray]


@dataclass(frozen=True)
class World:
    """A simulation scenario: the distributions from which pairopt draws tournaments.

    The fields of a `World` give strengths, ratings and advantages in Elo points, and
    probabilities as numbers from 0 to 1.

    Parameters
    ----------
    players
        The number of players.
    rounds
        The number of Swiss rounds.
    spread
        The standard deviation of true strength.
    shape
        The distribution of true strength, "normal" or "uniform".
    rating_error
        The standard deviation of a rating around the true strength; None for unrated
        players.
    first_side
        The advantage of the first side.
    draws
        The probability of a draw between equal players.
    drops
        The probability of leaving after each round for a player with half of the points.
    late
        The probability of entering in round 2.
    win, draw
        The points of a win and a draw, as numbers of any type or texts such as "0.5". A loss has
        0 points, a bye those of a win.
    sides
        The names of the two sides, the first one first; empty for games without sides.
    results
        How game results are drawn: by a model from `pairopt.lab.worlds`, by a function
        of `Games`, or by an array of shape (players, players), see `Matrix`.
    strengths
        Used instead of `shape` and `spread`: numbers from which each tournament draws its
        players, or a function of one uniform random number per player.
    drift
        The standard deviation of the change of form from one round to the next. The true strength
        stays.
    games
        The games of a match. With 2, both players have each side once, and the event
        itself has no `sides`. With 3, a match is best of three: the first player to win
        two games wins the match. If both players have won equally many games after
        three, the match is drawn. A best-of-three match has no sides either.
    base
        The name of the fitted world that the settings come from, otherwise empty.
    level
        The mean of true strength.
    drops_by_score
        The slope of the log odds of leaving, as a function of the player's share of the
        points. A share of 1/2 has no effect.
    absent
        The probability of missing a round, without points.
    forfeits
        The probability that a match is won without a game.
    acceleration
        "baku" for the virtual points of FIDE C.04.7, otherwise "none".
    cut
        The number of players in the top cut after the Swiss rounds; 0 for no top cut.
    double_cut
        Whether the top cut is a double elimination.
    strategy
        A function by which players give up wins after they have seen the pairing, see
        `pairopt.lab.strategies`. None if everybody plays to win. In the top cut,
        everybody plays to win.

    Raises
    ------
    UsageError
        If a setting has a value that is not possible in a world.

    Examples
    --------
    >>> World(players=16, rounds=5, rating_error=50.0).scale
    1
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
    strategy: Strategy | None = field(default=None, metadata=LATER)

    @classmethod
    def chess(cls, **settings: Any) -> Self:
        """Make a world with the points and sides of chess: 1-0.5-0, white and black.

        Parameters
        ----------
        **settings
            Other parameters of the world, which may also replace these points and sides.

        Returns
        -------
        World
            The world.

        Examples
        --------
        >>> World.chess(players=20, rounds=6, rating_error=50).draw
        Fraction(1, 2)
        """
        chess_settings: dict[str, Any] = {
            "win": CHESS.win,
            "draw": CHESS.draw,
            "sides": ("white", "black"),
        }
        return cls(**chess_settings | settings)

    def __post_init__(self) -> None:
        """Convert points and a matrix of results, and check all settings.

        Raises UsageError for a setting of a wrong type, or for all conditions that the
        world does not satisfy.
        """
        self._read_points()
        self._require_types()
        if isinstance(self.results, np.ndarray):
            from pairopt.lab.worlds.matrix import matrix_of

            object.__setattr__(self, "results", matrix_of(self.results))
        unmet_conditions = [
            condition_text
            for is_valid, condition_text in self._conditions()
            if not is_valid
        ]
        if unmet_conditions:
            raise UsageError("world.unfit", expected="; ".join(unmet_conditions))

    def _conditions(self) -> list[tuple[bool, str]]:
        """List all conditions: whether the world satisfies each, and its text.

        The texts say what a valid setting is, for the error message. Nothing is raised.
        """
        conditions: list[tuple[bool, str]] = []
        for setting, (least_value, largest_value) in RANGES.items():
            is_inside_range = (
                least_value <= (getattr(self, setting) or 0) <= largest_value
            )
            conditions.append(
                (is_inside_range, f"{setting} from {least_value} to {largest_value}")
            )

        probabilities = (
            self.draws,
            self.drops,
            self.late,
            self.absent,
            self.forfeits,
        )
        are_probabilities = all(0 <= probability <= 1 for probability in probabilities)
        fits_baku = (
            self.acceleration == "baku"
            and self.win == 2 * self.draw
            and self.rating_error is not None
        )
        is_acceleration_valid = self.acceleration == "none" or fits_baku
        is_cut_valid = self.cut == 0 or 2 <= self.cut <= MOST_CUT
        are_points_ordered = 0 <= self.draw <= self.win and self.win > 0
        are_points_exact = all(
            points_of_result <= LARGEST_SCORE
            and 10**MOST_DECIMALS % points_of_result.denominator == 0
            for points_of_result in (self.win, self.draw)
        )
        are_sides_valid = not self.sides or (
            all(self.sides) and len(self.sides) == len(set(self.sides)) == 2
        )
        given_strengths = None if callable(self.strengths) else self.strengths
        are_strengths_enough = (
            given_strengths is None or len(given_strengths) >= self.players
        )
        conditions += [
            (abs(self.first_side) <= MOST_ELO, f"first_side up to {MOST_ELO}"),
            (self.shape in ("normal", "uniform"), "shape normal or uniform"),
            (are_probabilities, "draws, drops, late, absent and forfeits from 0 to 1"),
            (abs(self.level) <= MOST_ELO, f"level up to {MOST_ELO}"),
            (
                abs(self.drops_by_score) <= MOST_SLOPE,
                f"drops_by_score up to {MOST_SLOPE}",
            ),
            (
                is_acceleration_valid,
                "acceleration none, or baku with ratings and a win worth two draws",
            ),
            (is_cut_valid, f"cut 0, or from 2 to {MOST_CUT}"),
            (are_points_ordered, "0 <= draw <= win, win > 0"),
            (
                are_points_exact,
                f"win and draw up to {LARGEST_SCORE} with at most {MOST_DECIMALS} decimals",
            ),
            (are_sides_valid, "no sides, or two different ones"),
            (callable(self.results), "results that are a function or a matrix"),
            (
                self.strategy is None or callable(self.strategy),
                "strategy none or a function",
            ),
            (are_strengths_enough, f"strengths of at least {self.players} players"),
            (self.games in (1, 2, BEST_OF_THREE), "games 1, 2 or 3"),
        ]
        return conditions

    def _read_points(self) -> None:
        """Replace `win` and `draw` by exact fractions, on the frozen object itself.

        Raises UsageError for a value that is no number of points.
        """
        for setting in ("win", "draw"):
            given_points = getattr(self, setting)
            try:
                exact_points = parse_number_of_points(given_points)
            except InvalidValueError:
                expected_text = (
                    f'a number of points, for example {setting}=0.5 or {setting}="½"'
                )
                require(False, "World", setting, given_points, expected_text)
            object.__setattr__(self, setting, exact_points)

    def _require_types(self) -> None:
        """Raise UsageError for the first parameter of a wrong type.

        The message names the parameter and what it can be. Values are not checked here.
        """
        for setting, example in WHOLE.items():
            require_whole("World", setting, getattr(self, setting), example)
        for setting, example_number in NUMBERS.items():
            require_number("World", setting, getattr(self, setting), example_number)
        if self.rating_error is not None:
            require_number("World", "rating_error", self.rating_error, 50)
        if self.sides is not None:
            require_list("World", "sides", self.sides, '("white", "black")')
        if self.strengths is not None and not callable(self.strengths):
            require_list("World", "strengths", self.strengths, "(1500, 1620, 1710)")
        is_law_or_array = callable(self.results) or isinstance(self.results, np.ndarray)
        expected_text = "a function of encounters such as pairopt.lab.worlds.laws.Elo(), or an array"
        require(is_law_or_array, "World", "results", self.results, expected_text)

    @property
    def words(self) -> str:
        """The settings of the world as one line of text: "32 players, 7 rounds, ...".

        Settings that have no effect at their default, such as drift, are left out.
        """
        point_values = (self.win, self.draw, Fraction(0))
        points_text = "-".join(
            decimal_text(point_value) for point_value in point_values
        )
        phrases = [
            f"{self.players} players",
            f"{self.rounds} rounds",
            self._strengths_in_words,
            self._ratings_in_words,
            f"{self.draws:.3g} draws between equals",
            f"points {points_text}",
            f"sides {' and '.join(self.sides)}" if self.sides else "no sides",
        ]
        if self.base:
            phrases.insert(0, f"world {self.base}")

        games_text = {2: "two", BEST_OF_THREE: "up to three"}.get(self.games, "")
        setting_texts = {**vars(self), "games": games_text}
        setting_texts["strategy"] = (
            name_of(self.strategy) if self.strategy is not None else ""
        )
        setting_texts["cut"] = self._cut_in_words
        setting_texts["results"] = (
            name_of(self.results) if self.results != Elo() else ""
        )
        setting_texts["acceleration"] = "Baku" if self.acceleration == "baku" else ""
        phrase_formats = read_package_toml("pairopt.lab", "world.toml")
        for setting, phrase_format in phrase_formats.items():
            if setting_texts[setting]:
                phrases.append(phrase_format.format(setting_texts[setting]))
        return ", ".join(phrases)

    @property
    def _strengths_in_words(self) -> str:
        """The distribution of true strength as a phrase, for `words`."""
        if self.strengths is None and not hasattr(self.results, "strengths"):
            mean_text = f" about {self.level:g}" if self.level != 1500 else ""
            return f"strengths {self.shape}{mean_text} with a deviation of {self.spread:g} Elo"
        if self.strengths is None:
            return f"strengths {name_of(self.results)}"
        if callable(self.strengths):
            return f"strengths {name_of(self.strengths)}"
        return f"strengths drawn from {len(self.strengths)} given ones"

    @property
    def _ratings_in_words(self) -> str:
        """The distribution of ratings about true strength as a phrase, for `words`."""
        if self.rating_error is None:
            return "unrated"
        if self.rating_error == 0:
            return "ratings are the true strengths"
        return f"ratings with an error of {self.rating_error:g} Elo"

    @property
    def _cut_in_words(self) -> str:
        """The elimination after the rounds, a phrase of `words`; empty without one."""
        if not self.cut:
            return ""
        elimination_name = "double elimination" if self.double_cut else "elimination"
        return f"{elimination_name} of the first {self.cut}"

    @property
    def scale(self) -> int:
        """The integer that makes the points of a game integers.

        It is the common denominator of `win` and `draw`.
        """
        return lcm(self.win.denominator, self.draw.denominator)

    @property
    def points(self) -> Points:
        """The points of a match: those of one game, or of two games if `games` is 2."""
        game_points = Points(self.win, self.draw)
        return points_of_two_games(game_points) if self.games == 2 else game_points


def require_world(call: str, world: object) -> None:
    """Raise UsageError unless the argument `world` of the function `call` is a World."""
    expected_text = "a World, for example world=World(players=16, rounds=5)"
    require(isinstance(world, World), call, "world", world, expected_text)


@dataclass(frozen=True)
class Field:
    """The players of one simulated tournament, drawn from world, seed and replicate.

    Equal world, seed and replicate give equal players. Arrays have shape (players,), in
    the order of the players' numbers from 0. Strengths, ratings, late entries,
    withdrawals, forfeits and form are drawn when they are first needed; `opening` is
    the event before round 1.
    """

    world: World
    seed: int
    replicate: int

    @cached_property
    def strength(self) -> Uniforms:
        """The true strength of each player in Elo points; it does not include form.

        It comes from the world's `strengths`, otherwise from those of its `results`,
        otherwise from its `level`, `spread` and `shape`.
        """
        strength_luck = self._luck(Purpose.STRENGTH)
        strength_source = self.world.strengths or getattr(
            self.world.results, "strengths", None
        )
        if callable(strength_source):
            return self._call_strengths(strength_source, strength_luck)
        if strength_source is not None:
            return self._draw_strengths(strength_source)
        if self.world.shape == "uniform":
            return self.world.level + self.world.spread * sqrt(12) * (
                strength_luck - 0.5
            )
        return self.world.level + self.world.spread * _convert_to_normal(strength_luck)

    def _call_strengths(self, source: Callable[..., Any], luck: Uniforms) -> Uniforms:
        """Call the user's function of strengths, and check what it returns.

        `source` is the function, and `luck` has one uniform random number per player.
        Returns the strengths in Elo points, shape (players,). Raises UsageError if the
        function fails, or does not return one finite number per player.
        """
        with user_code_errors(f"strengths {name_of(source)}"):
            strengths = np.asarray(source(luck), np.float64)
            if strengths.shape != luck.shape or not np.isfinite(strengths).all():
                raise UsageError("world.strengths_unfit", players=self.world.players)
        return strengths

    def _draw_strengths(self, source: Sequence[float]) -> Uniforms:
        """Draw the players' strengths from the numbers `source` without replacement.

        Each number has the same probability. There must be at least as many as players.
        """
        source_positions = np.arange(len(source))
        random_sort_keys = uniforms(
            self.seed, self.replicate, Purpose.STRENGTH, source_positions
        )
        drawn_positions = np.argsort(random_sort_keys, kind="stable")[
            : self.world.players
        ]
        return np.array(source, np.float64)[drawn_positions]

    @cached_property
    def rating(self) -> IntArray:
        """The rating of each player in whole Elo points: strength plus a random error.

        All are NO_RATING if the world's `rating_error` is None.
        """
        rating_error = self.world.rating_error
        if rating_error is None:
            return np.full(self.world.players, NO_RATING)
        rating_noise = (
            rating_error * _convert_to_normal(self._luck(Purpose.RATING))
            if rating_error
            else 0
        )
        return np.rint(self.strength + rating_noise).astype(np.int64)

    @cached_property
    def enters(self) -> IntArray:
        """Each player's first round, shape (players,): 2 for late players, otherwise 1."""
        if not self.world.late:
            return np.ones(self.world.players, np.int64)
        return np.where(self._luck(Purpose.LATE) < self.world.late, 2, 1)

    @cached_property
    def leaves(self) -> IntArray:
        """Each player's last round before leaving; rounds + 1 for players who stay.

        It ignores `drops_by_score`, which `there` takes into account.
        """
        return self._draw_last_rounds(self.world.drops)

    def _draw_last_rounds(self, drops: float | FloatArray) -> IntArray:
        """Draw each player's last round before leaving; rounds + 1 for those who stay.

        `drops` is the probability of leaving after a round, one number or an array of
        shape (rounds, players). Nobody leaves if the world's own `drops` is 0.
        """
        player_count = self.world.players
        round_count = self.world.rounds
        if not self.world.drops:
            return np.full(player_count, round_count + 1)

        drop_luck = self._luck(Purpose.DROP, np.arange(round_count)[:, None])
        is_leaving = np.vstack(
            [drop_luck < drops, np.ones((1, player_count), np.bool_)]
        )
        is_leaving &= np.arange(1, round_count + 2)[:, None] >= self.enters
        return np.asarray(np.argmax(is_leaving, axis=0) + 1, np.int64)

    def active(self, round: int, played: Matches | None = None) -> BoolArray:
        """Return a mask of the players who take part in a round, shape (players,).

        Players who have not entered, who have left, or who are absent do not. `played`
        has all matches before the round; without it, leaving does not depend on the
        score. The mask is a new array.
        """
        is_active = self.there(round, played)
        if self.world.absent:
            absence_luck = self._luck(Purpose.ABSENCE, np.array(round))
            is_active &= absence_luck >= self.world.absent
        return is_active

    def there(self, round: int, played: Matches | None = None) -> BoolArray:
        """Return a mask of the players who have entered and not left.

        The shape is (players,). Players who are only absent for the round `round`
        count. `played` has all matches before the round. It only matters in a world
        with `drops_by_score`; without it leaving does not depend on the score.
        """
        last_rounds = self.leaves
        if self.world.drops_by_score and played is not None:
            last_rounds = self._draw_last_rounds(self._compute_drops(played))
        return np.asarray((self.enters <= round) & (round <= last_rounds), np.bool_)

    def _compute_drops(self, played: Matches) -> FloatArray:
        """Return the probability that each player leaves after each round.

        It is the world's `drops` for a player with half of the possible points in
        `played`, the matches until then, and larger or smaller by `drops_by_score`. The
        shape is (rounds, players).
        """
        world = self.world
        round_numbers = np.arange(1, world.rounds + 1)[:, None]
        is_match = played.second >= 0
        points_by_round = np.zeros((world.rounds, world.players))
        np.add.at(points_by_round, (played.round - 1, played.first), played.score1)
        second_cells = (played.round[is_match] - 1, played.second[is_match])
        np.add.at(points_by_round, second_cells, played.score2[is_match])

        most_points_by_round = float(world.points.win * world.scale) * round_numbers
        point_share = points_by_round.cumsum(axis=0) / most_points_by_round
        drop_odds = world.drops * np.exp(world.drops_by_score * (point_share - 0.5))
        return np.asarray(drop_odds / (drop_odds + 1 - world.drops), np.float64)

    def forfeited(self, round: int, first: IntArray, second: IntArray) -> IntArray:
        """Draw which of a round's matches are won without a game.

        `round` is the number of the round. `first` and `second` are the players by
        number; a match is drawn in the same way whoever is first. Returns one number
        per match: 1 if the first player wins without a game, -1 if the second does, 0
        if the game is played.
        """
        if not self.world.forfeits:
            return np.zeros(len(first), np.int64)
        low_players = np.minimum(first, second)
        high_players = np.maximum(first, second)
        forfeit_luck = uniforms(
            self.seed, self.replicate, Purpose.FORFEIT, round, low_players, high_players
        )
        is_forfeit = forfeit_luck < self.world.forfeits
        is_low_winner = forfeit_luck < self.world.forfeits / 2
        low_outcome = np.where(is_low_winner, 1, -1) * is_forfeit
        return np.where(first == low_players, low_outcome, -low_outcome)

    def form(self, round: int) -> Uniforms:
        """Return each player's strength in a round, in Elo points, including drift.

        The shape is (players,). It is the true strength in round 1, and if the world
        has no drift.
        """
        if not self.world.drift or round == 1:
            return self.strength
        drift_so_far: Uniforms = self._total_drift[round - 2]
        return self.strength + drift_so_far

    @cached_property
    def _total_drift(self) -> Uniforms:
        """The total drift of form in each round from 2 on, in Elo points.

        The shape is (rounds - 1, players).
        """
        round_numbers = np.arange(2, self.world.rounds + 1)[:, None]
        drift_steps = _convert_to_normal(
            self._luck(Purpose.FORM, round_numbers).ravel()
        )
        return self.world.drift * np.cumsum(
            drift_steps.reshape(len(round_numbers), -1), axis=0
        )

    def _luck(self, purpose: Purpose, *key: IntArray) -> Uniforms:
        """Return one uniform random number per player for a purpose, in [0, 1).

        The numbers depend on the seed, the replicate, the purpose, and the further
        parts `key`, for example the round. With an array of shape (rounds, 1) in `key`
        the result has shape (rounds, players).
        """
        player_numbers = np.arange(self.world.players)
        return uniforms(self.seed, self.replicate, purpose, *key, player_numbers)

    @cached_property
    def opening(self) -> Event:
        """The event before round 1, with players p1, p2, … and no matches.

        The column "strength" has the true strengths as texts. The event has no sides in
        a world without sides, or with several games per match.
        """
        event_sides = self.world.sides if self.world.games == 1 else ()
        player_names = tuple(
            f"p{player_number}" for player_number in range(1, self.world.players + 1)
        )
        return Event(
            players=player_names,
            matches=Matches.empty(),
            round=1,
            active=self.active(1),
            scale=self.world.scale,
            sides=(event_sides[0], event_sides[1]) if event_sides else None,
            rating=self.rating,
            columns={STRENGTH: tuple(map(str, self.strength.tolist()))},
            origin=SourceInfo("simulation"),
            settings=EventSettings(points=self.world.points, rounds=self.world.rounds),
            acceleration=self._acceleration,
        )

    @property
    def _acceleration(self) -> IntArray:
        """The virtual points of Baku acceleration, times the event's `scale`.

        The shape is (players, rounds), or (players, 0) in a world without acceleration.
        The best-rated players of the first group have the virtual points, all others 0.
        """
        world = self.world
        player_count = world.players
        if world.acceleration == "none":
            return np.zeros((player_count, 0), np.int64)

        accelerated_count, virtual_points = baku_acceleration(
            player_count, world.rounds, Decimal(decimal_text(world.win))
        )
        scaled_virtual_points = np.array(
            [int(round_points * world.scale) for round_points in virtual_points],
            np.int64,
        )
        # the order of start numbers
        start_order = np.argsort(-self.rating, kind="stable")
        is_accelerated = np.isin(
            np.arange(player_count), start_order[:accelerated_count]
        )
        return np.asarray(is_accelerated[:, None] * scaled_virtual_points, np.int64)

    def met(self, round: int, low: IntArray, high: IntArray, side: IntArray) -> Games:
        """Return the games of `low` against `high` in a round, for a law of results.

        All three arrays have one number per game. `low` is the player with the lower
        number. `side` is 1 if `low` has the first side, -1 if `high` has it, and 0
        without sides.
        """
        return Games(
            self.replicate,
            round,
            low,
            high,
            side,
            self.form(round),
            self.world.first_side,
            self.world.draws,
        )


def draw_scores(
    fields: Sequence[Field],
    round: int,
    first: IntArray,
    second: IntArray,
    sided: bool = True,
    paired: Sequence[tuple[Event, Matches]] = (),
) -> tuple[IntArray, IntArray]:
    """Draw the results of a round's matches in several fields of one world and seed.

    `first` and `second` are players. The players of each field are numbered after those
    of the field before, and its matches come after that field's matches. `sided` says
    whether the games have sides. `round` is the number of the round. A world with a
    strategy needs `paired`: the event before the round, and its pairing, of each field.
    Returns the points of the first and the second player of each match, times the
    world's `scale`.
    """
    world = fields[0].world
    is_lower = first < second
    low_players = np.where(is_lower, first, second)
    high_players = np.where(is_lower, second, first)

    if world.games == 1:
        side_sign_of_low = np.where(is_lower, 1, -1)
        side_of_low = (
            side_sign_of_low if sided else np.zeros(len(low_players), np.int64)
        )
        low_points, high_points = _draw_game(
            fields, round, low_players, high_players, side_of_low, 1, paired
        )
    else:
        # both players have each side once
        side_of_low = np.full(len(low_players), 1 if world.sides else 0, np.int64)
        low_points, high_points = _draw_game(
            fields, round, low_players, high_players, side_of_low, 1, paired
        )
        low_second_game, high_second_game = _draw_game(
            fields, round, low_players, high_players, -side_of_low, 2, paired
        )
        low_points = np.asarray(low_points + low_second_game)
        high_points = np.asarray(high_points + high_second_game)

    first_points = np.where(is_lower, low_points, high_points)
    second_points = np.where(is_lower, high_points, low_points)
    return first_points, second_points


def draw_best_of_three(
    fields: Sequence[Field],
    round: int,
    first: IntArray,
    second: IntArray,
    paired: Sequence[tuple[Event, Matches]] = (),
) -> IntArray:
    """Draw the games of a round's matches, best of three.

    The third game is played only if nobody has won the first two. `fields` are the
    players of several tournaments of one world and seed. `first` and `second` are the
    players of each match; those of each field are numbered after those of the field
    before, and its matches come after that field's. A world with a strategy needs
    `paired`: the event before the round, and its pairing, of each field. Returns an
    array of shape (m, 3), one row per match: the number of games that the first player
    won, that the second player won, and that were drawn.
    """
    win_points = int(fields[0].world.win * fields[0].world.scale)
    low_players = np.minimum(first, second)
    high_players = np.maximum(first, second)
    no_sides = np.zeros(len(first), np.int64)
    games_won = np.zeros((len(first), 3), np.int64)
    for game_number in (1, 2, 3):
        low_points, high_points = _draw_game(
            fields, round, low_players, high_players, no_sides, game_number, paired
        )
        is_low_winner = (low_points == win_points) & (high_points < win_points)
        is_high_winner = (high_points == win_points) & (low_points < win_points)
        outcome_flags = np.column_stack(
            [is_low_winner, is_high_winner, ~(is_low_winner | is_high_winner)]
        )
        is_undecided = games_won[:, :2].max(axis=1) < 2
        games_won += outcome_flags * is_undecided[:, None]
    is_lower = first < second
    games_won[~is_lower] = games_won[~is_lower][:, [1, 0, 2]]
    return games_won


def score_best_of_three(world: World, games: IntArray) -> tuple[IntArray, IntArray]:
    """Return both players' points of best-of-three matches, times the world's `scale`.

    More games won than the opponent is a win of the match, as many a draw. `games`,
    shape (m, 3), has the games that the first player won, that the second won, and
    draws. Returns two arrays of shape (m,), of the first and the second players.
    """
    win_points = int(world.win * world.scale)
    draw_points = int(world.draw * world.scale)
    lead_sign = np.sign(games[:, 0] - games[:, 1])
    return (
        np.choose(lead_sign + 1, [0, draw_points, win_points]),
        np.choose(1 - lead_sign, [0, draw_points, win_points]),
    )


def _draw_game(
    fields: Sequence[Field],
    round: int,
    low: IntArray,
    high: IntArray,
    side: IntArray,
    number: int,
    paired: Sequence[tuple[Event, Matches]] = (),
) -> tuple[IntArray, IntArray]:
    """Draw the result of one game of each match.

    `number` says which game of the match it is: 1, 2 or 3. The player `low` has the
    lower number; players of each field are numbered after those of the field before.
    `side` is 1 if `low` has the first side, -1 if `high` has it, otherwise 0. Games of
    each field come after those of the field before. `paired` has the event before the
    round, and its pairing, of each field, if the world has a strategy. A strategy of
    the world changes the probabilities first. Returns the points of `low` and of
    `high`, times the world's `scale`.
    """
    world = fields[0].world
    field_size = world.players
    field_of_game = low // field_size

    games_by_field = [*_split_games(fields, round, low, high, side, field_of_game)]
    chances_by_field = [
        chances_of(world.results, field_games) for field_games in games_by_field
    ]
    if world.strategy is not None:
        chances_by_field = [
            apply_strategy(
                world.strategy,
                UnplayedRound(
                    event, pairing, field_games, number, world.results, *field_chances
                ),
            )
            for (event, pairing), field_games, field_chances in zip(
                paired, games_by_field, chances_by_field, strict=True
            )
        ]
    win_chances = np.concatenate([win_chances for win_chances, _ in chances_by_field])
    draw_chances = np.concatenate(
        [draw_chances for _, draw_chances in chances_by_field]
    )

    replicate_of_game = np.array([one_field.replicate for one_field in fields])[
        field_of_game
    ]
    first_number_of_field = field_of_game * field_size
    game_luck = match_luck(
        fields[0].seed,
        replicate_of_game,
        round,
        low - first_number_of_field,
        high - first_number_of_field,
        number,
    )
    is_low_win = game_luck < win_chances
    is_low_loss = game_luck >= win_chances + draw_chances
    win_points = int(world.win * world.scale)
    draw_points = int(world.draw * world.scale)
    low_points = np.where(is_low_win, win_points, np.where(is_low_loss, 0, draw_points))
    high_points = np.where(
        is_low_loss, win_points, np.where(is_low_win, 0, draw_points)
    )
    return low_points, high_points


def _split_games(
    fields: Sequence[Field],
    round: int,
    low: IntArray,
    high: IntArray,
    side: IntArray,
    owner: IntArray,
) -> Iterator[Games]:
    """Split a round's games by field, and yield each part for the law of results.

    `low` and `high` are the players of each game, `low` the lower number; those of each
    field are numbered after those of the field before. `side` is 1 if `low` has the
    first side, -1 if `high` has it, otherwise 0. `owner` has the position of each
    game's field in `fields`, in ascending order. In each part players are numbered from
    0 in their own field. If the law depends on the strength gap alone (`by_gap`), and
    the world has no strategy, there is a single part with all games, and players keep
    their numbers through all fields.
    """
    world = fields[0].world
    field_size = world.players
    if getattr(world.results, "by_gap", False) and world.strategy is None:
        strengths = np.concatenate([one_field.form(round) for one_field in fields])
        replicate = fields[0].replicate
        yield Games(
            replicate,
            round,
            low,
            high,
            side,
            strengths,
            world.first_side,
            world.draws,
        )
        return

    field_ends = owner.searchsorted(np.arange(len(fields) + 1)).tolist()
    for field_position, one_field in enumerate(fields):
        field_slice = slice(field_ends[field_position], field_ends[field_position + 1])
        first_number_of_field = field_position * field_size
        yield one_field.met(
            round,
            low[field_slice] - first_number_of_field,
            high[field_slice] - first_number_of_field,
            side[field_slice],
        )


def _convert_to_normal(luck: Uniforms) -> NDArray[np.float64]:
    """Convert uniform random numbers to standard normal ones by the inverse of its CDF.

    It is that of Python's NormalDist, which gives the same numbers on every platform. 0
    is raised to 2^-54, so no result is infinite. `luck` has one dimension.
    """
    inverse_cdf = NormalDist().inv_cdf
    return np.array(
        [
            inverse_cdf(uniform_number)
            for uniform_number in np.maximum(luck, 2.0**-54).tolist()
        ]
    )
