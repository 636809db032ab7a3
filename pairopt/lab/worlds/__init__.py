"""Laws of results: the probabilities of wins and draws, found by their `kind`."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import FloatArray, IntArray
from pairopt.lab.identity import name_of, user_code_errors
from pairopt.registry import ExtensionRegistry

Chances = tuple[FloatArray, FloatArray]
"""The probabilities that the player `one` of each game wins, and that it is a draw."""


@dataclass(frozen=True)
class Games:
    """Games of one round; arrays with one entry per game have shape (m,).

    Parameters
    ----------
    replicate
        The number of the tournament.
    round
        The number of the round.
    one, two
        The players of each game by number, from 0; `one` is the lower number.
    side
        1 if `one` has the first side, -1 if `two` has it, 0 in a game without sides.
    strength
        The strength of all players of the tournament in this round, in Elo points.
    first_side
        The advantage of the first side, in Elo points.
    draws
        The probability of a draw between equal players.
    """

    replicate: int
    round: int
    one: IntArray
    two: IntArray
    side: IntArray
    strength: FloatArray
    first_side: float
    draws: float

    @cached_property
    def gap(self) -> FloatArray:
        """Strength of `two` minus that of `one` in Elo points, shape (m,).

        The advantage of the first side is included.
        """
        strength_gap = self.strength[self.two] - self.strength[self.one]
        return np.asarray(strength_gap - self.side * self.first_side, np.float64)

    @cached_property
    def expected(self) -> FloatArray:
        """The expected score of `one` in Elo's logistic model, from 0 to 1.

        The shape is (m,).
        """
        return np.asarray(1 / (1 + 10 ** (self.gap / 400)), np.float64)


class Results(Protocol):
    """A law of results: any function from `Games` to `Chances`.

    The probabilities may depend on players, sides and the round, but not on other pairs. The
    object may have a method `strengths(luck)`, from one uniform random number per player to Elo
    points. If its attribute `by_gap` is true, it depends on `gap`, `expected` and `draws` alone;
    it is then called once for the games of several tournaments.
    """

    def __call__(self, met: Games, /) -> Chances:
        """Return the probabilities of a win of `one` and of a draw.

        Parameters
        ----------
        met
            The games.

        Returns
        -------
        Chances
            Two arrays of shape (m,).
        """


def chances_of(results: Results, met: Games) -> Chances:
    """Return the probabilities of a win of `one` and of a draw under a law of results.

    `results` is the law. Both probabilities are arrays with one number per game in
    `met`. Raises UsageError if the law fails, or does not return two arrays of
    probabilities with a sum of at most 1.
    """
    law_name = name_of(results)
    game_count = len(met.one)
    with user_code_errors(f"world {law_name}"):
        chances = results(met)
    return check_chances(law_name, chances, game_count)


def check_chances(name: str, chances: object, games: int) -> Chances:
    """Return probabilities of a win and of a draw as two arrays, after checking them.

    `chances` are what a law or a strategy returned. Raises UsageError unless they are
    two arrays of `games` probabilities with a sum of at most 1. `name` is the law or
    the strategy that they come from.
    """
    try:
        win_probabilities, draw_probabilities = (
            np.asarray(chance_array, np.float64)
            for chance_array in chances  # type: ignore[attr-defined]
        )
        has_expected_shape = (
            win_probabilities.shape == draw_probabilities.shape == (games,)
        )
    except (TypeError, ValueError):
        has_expected_shape = False
    if not has_expected_shape:
        raise UsageError("world.chances_unfit", world=name, games=games)
    is_probability = (
        (win_probabilities >= 0)
        & (draw_probabilities >= 0)
        & (win_probabilities + draw_probabilities <= 1 + 1e-9)
    )
    if not is_probability.all():
        game_position = int(is_probability.argmin())
        raise UsageError(
            "world.chance_out_of_range",
            world=name,
            win=f"{win_probabilities[game_position]:.4g}",
            draw=f"{draw_probabilities[game_position]:.4g}",
        )
    return win_probabilities, draw_probabilities


WORLDS: ExtensionRegistry[type[Results]] = ExtensionRegistry(
    __name__, Results, "pairopt.worlds"
)
