"""Laws of results that are a formula of the strengths."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.lab.worlds import Chances, Games


@dataclass(frozen=True)
class Elo:
    """Elo's logistic model, with draws that leave the expected score unchanged.

    Let e be a player's expected score, a draw counting half. A draw has the probability draws * 2
    min(e, 1 - e), and a win e less half of that.
    """

    kind: ClassVar[str] = "elo"
    by_gap: ClassVar[bool] = True

    def __call__(self, met: Games, /) -> Chances:
        """Return the probabilities of a win of `one` and of a draw, each of shape (m,)."""
        expected_scores = met.expected
        draw_probabilities = (
            met.draws * 2 * np.minimum(expected_scores, 1 - expected_scores)
        )
        return expected_scores - draw_probabilities / 2, draw_probabilities


@dataclass(frozen=True)
class BradleyTerry:
    """Wins in proportion to worth, 10^(strength / 400), and no draws.

    Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952). It is
    `elo` without draws. Raises UsageError if the world's `draws` are not 0.
    """

    kind: ClassVar[str] = "bradley_terry"
    by_gap: ClassVar[bool] = True

    def __call__(self, met: Games, /) -> Chances:
        """Return the probabilities of a win of `one` and of a draw, which is always 0.

        Both have shape (m,). Raises UsageError if the games have `draws` above 0.
        """
        if met.draws:
            raise UsageError("world.has_no_draws", world=self.kind)
        return met.expected, np.zeros(len(met.one))


@dataclass(frozen=True)
class Davidson:
    """Draws in proportion to the geometric mean of both players' worth.

    Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments", Journal of the American Statistical Association 65 (1970). `draws`, below 1, is
    the probability of a draw between equals.
    """

    kind: ClassVar[str] = "davidson"
    by_gap: ClassVar[bool] = True

    def __call__(self, met: Games, /) -> Chances:
        """Return the probabilities of a win of `one` and of a draw.

        Both have shape (m,). Raises UsageError if `draws` is 1.
        """
        equal_draw_probability = met.draws
        if equal_draw_probability >= 1:
            raise UsageError("world.draws_certain", world=self.kind)
        # square root of the worth of two over that of one
        root_worth_ratio = 10 ** (met.gap / 800)
        draw_factor = 2 * equal_draw_probability / (1 - equal_draw_probability)
        total_weight = 1 + root_worth_ratio**2 + draw_factor * root_worth_ratio
        return np.asarray(1 / total_weight), np.asarray(
            draw_factor * root_worth_ratio / total_weight
        )


@dataclass(frozen=True)
class RaoKupper:
    """Draws if the better performance is ahead by less than a threshold.

    Rao and Kupper, "Ties in paired-comparison experiments: a generalization of the Bradley-Terry
    model", Journal of the American Statistical Association 62 (1967). `draws`, below 1, is the
    probability of a draw between equals.
    """

    kind: ClassVar[str] = "rao_kupper"
    by_gap: ClassVar[bool] = True

    def __call__(self, met: Games, /) -> Chances:
        """Return the probabilities of a win of `one` and of a draw.

        Both have shape (m,). Raises UsageError if `draws` is 1.
        """
        equal_draw_probability = met.draws
        if equal_draw_probability >= 1:
            raise UsageError("world.draws_certain", world=self.kind)
        threshold = (1 + equal_draw_probability) / (1 - equal_draw_probability)
        worth_ratio = 10 ** (met.gap / 400)
        win_probabilities = 1 / (1 + threshold * worth_ratio)
        loss_probabilities = worth_ratio / (threshold + worth_ratio)
        return np.asarray(win_probabilities), np.maximum(
            1 - win_probabilities - loss_probabilities, 0
        )
