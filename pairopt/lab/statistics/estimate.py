"""Estimate: a mean, its interval and its tests, also where nearly all values are equal.

Models that are much alike pair most tournaments alike, so most differences are 0. Student's t
takes a sample without variance for certainty; then its interval has no width and misses. Here
four imagined values, two above and two below the mean, stand for what was not seen: as Agresti
and Caffo (The American Statistician 54, 2000) add four to proportions, and Agresti and Min
(Statistics in Medicine 24, 2005) to matched ones. If nothing varies, the interval is about the
exact one of Clopper and Pearson for the share of tournaments that could differ, times the most
they could differ by. tests/benchmarks/intervals.py shows how often such intervals hold the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pairopt.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

IMAGINED: Final = 4
"""Values added to those that were seen."""
FEW: Final = 6
"""With fewer values that differ from the usual one, even all on one side are no evidence: a sign
test of 5 has p = 1/16."""
SAME: Final = 1e-9
"""Differences of decimals as they are written that are no differences."""


@dataclass(frozen=True)
class Estimate:
    """A mean of `n` values with its standard error; `varied` of them are not the usual value.

    The error over the standard error is taken for Student's t with n - 1 degrees of freedom, as
    imagined values know nothing of the spread.
    """

    mean: float
    error: float
    n: int
    varied: int

    def limits(self, confidence: float = 0.95) -> tuple[float, float]:
        """The confidence interval of the mean; infinite where nothing is known."""
        if not self.n:
            return nan, nan
        arm = self.arm(confidence)
        return self.mean - arm, self.mean + arm

    def arm(self, confidence: float = 0.95) -> float:
        """Half the interval's width."""
        return float(scipy_stats().t.ppf((1 + confidence) / 2, self._freedom)) * self.error

    @property
    def p(self) -> float:
        """The p-value of the mean being 0, two-sided."""
        return 2 * self._beyond(abs(self.mean))

    def p_within(self, margin: float) -> float:
        """The p-value of the mean being `margin` or more away from 0: small if it is nearer.

        Two one-sided tests (TOST; Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987).
        """
        return self._beyond(margin - abs(self.mean))

    def _beyond(self, distance: float) -> float:
        """The probability of an error of more than a distance to one side."""
        if not self.n:
            return nan
        return float(scipy_stats().t.sf(distance / self.error, self._freedom))

    @property
    def _freedom(self) -> int:
        return max(self.n - 1, 1)


def estimate(values: Values, compared: Values, widest: float) -> Estimate:
    """The mean of values, shape (n,), with a standard error that is never 0.

    Where too few vary to tell how far values can lie apart, it is as far as those that are
    compared do (all values of both models, if `values` are differences of them), and where too
    few of these vary either, `widest`, above 0 and inf if there is no limit.
    """
    n = len(values)
    if n < 2:
        return Estimate(float(values[0]) if n else nan, inf, n, 0)
    mean = float(values.mean())
    away = np.abs(values - mean)
    varied, reach = _varied(values), float(away.max())
    if few(varied, n):
        seen = not few(_varied(compared), len(compared))
        reach = max(reach, float(np.ptp(compared)) if seen else widest)
    total, count = float((away**2).sum()), n + IMAGINED
    imagined = (total + IMAGINED * reach**2) / (count * (count - 1))
    return Estimate(mean, sqrt(max(imagined, total / (n * (n - 1)))), n, varied)


def few(varied: int, n: int) -> bool:
    """Whether so few of n values vary that an interval is only a bound from what could be."""
    return varied < min(FEW, n - 1)


def _varied(values: Values) -> int:
    """How many values are not the most frequent one."""
    starts = np.flatnonzero(np.diff(np.sort(values), prepend=-inf) > SAME)
    return len(values) - int(np.diff(starts, append=len(values)).max())


def scipy_stats() -> Any:
    """scipy.stats. Raises UsageError where scipy is not installed."""
    try:
        from scipy import stats
    except ImportError:
        raise UsageError('intervals need scipy: pip install "pairopt[study]"') from None
    return stats
