"""Estimate: a mean, its interval and its tests, also where nearly all values are equal.

Where values differ the standard error is Student's, wider by the first term of the expansion of
his t in the skewness (Hall, The Bootstrap and Edgeworth Expansion, 1992, section 2.6).

Models that are much alike pair most tournaments alike, so most differences are 0. Student's t
takes a sample without variance for certainty; then its interval has no width and misses. There
four imagined values, two above and two below the mean, stand for what was not seen: as Agresti
and Caffo (The American Statistician 54, 2000) add four to proportions, and Agresti and Min
(Statistics in Medicine 24, 2005) to matched ones. They fade with the square of the part that is
tied, to none where all differ. How far away they are goes without a step from
what could be, where nothing varies, to what was seen, where all values differ. If nothing varies,
the interval is about the exact one of Clopper and Pearson for the share of tournaments that could
differ, times the most they could differ by. tests/benchmarks/intervals.py shows how often such
intervals hold the truth.
"""

from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any, Final

import numpy as np

from pairopt.common.holm import Values
from pairopt.errors import require_extra

IMAGINED: Final = 4  # values added to those that were seen where all of these are equal
SKEWED: Final = 2.16
"""By how much of the squared skewness over n the variance of a mean counts for more: twice
(z^4 + 2 z^2 - 3) / 18 at the 1.96 of a 95 % interval, which then misses as often as it should."""
STRETCH: Final = 4 / 3
"""How much farther than the farthest of those that were seen: skewed ones seldom show theirs."""
UNKNOWN: Final = 8
"""How many times as far as was seen values could lie apart of which no range is known."""
FEW: Final = 6
"""With fewer values that differ from the usual one even all on one side say nothing: p = 1/16."""
SAME: Final = (
    1e-9  # differences of decimals as they are written that are no differences
)


@dataclass(frozen=True)
class Estimate:
    """A mean of `n` values with its standard error; `varied` of them are not the usual value. The
    error over the standard error is taken for Student's t with n - 1 degrees of freedom.
    """

    mean: float
    error: float
    n: int
    varied: int

    def limits(
        self, confidence: float = 0.95, inside: tuple[float, float] = (-inf, inf)
    ) -> tuple[float, float]:
        """The confidence interval of the mean, as far as it is inside what is possible."""
        arm = self.arm(confidence) if self.n else nan
        return max(self.mean - arm, inside[0]), min(self.mean + arm, inside[1])

    def arm(self, confidence: float = 0.95) -> float:
        """Half the interval's width."""
        return (
            float(scipy_stats().t.ppf((1 + confidence) / 2, self._freedom)) * self.error
        )

    @property
    def p(self) -> float:
        """The p-value of the mean being 0, two-sided."""
        return 2 * self.beyond(abs(self.mean))

    def p_within(self, margin: float) -> float:
        """The p-value of the mean being `margin` or more away from 0: small if it is nearer. Two
        one-sided tests (TOST; Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987).
        """
        return self.beyond(margin - abs(self.mean))

    def beyond(self, distance: float) -> float:
        """The probability of an error of more than a distance to one side."""
        if not self.n:
            return nan
        return float(scipy_stats().t.sf(distance / self.error, self._freedom))

    @property
    def _freedom(self) -> int:
        return max(self.n - 1, 1)


def estimate(values: Values, compared: Values, widest: float) -> Estimate:
    """The mean of values, shape (n,), with a standard error that is never 0.

    Where few vary, values could be as far away as those that are compared lie apart, and where few
    of these vary either, as far as `widest`, above 0 and inf if it is not known.
    """
    n = len(values)
    if n < 2:
        return Estimate(float(values[0]) if n else nan, inf, n, 0)
    error = spread(values, compared, widest).error(n)
    return Estimate(float(values.mean()), error, n, _count_varied(values))


@dataclass(frozen=True)
class VarianceEstimate:
    """How values lie about their mean: their `variance` and squared skewness `skew`, which part of
    them is `tied` with the usual one, and the `reach` of imagined ones, how far away these are.
    """

    variance: float
    skew: float
    tied: float
    reach: float

    def error(self, n: int) -> float:
        """The standard error of the mean of n such values, 2 or more."""
        added = IMAGINED * self.tied**2
        count = n + added
        imagined = (n * self.variance + added * self.reach**2) / (count * (count - 1))
        return sqrt(
            max(imagined, self.variance / (n - 1) * (1 + SKEWED * self.skew / n))
        )


def spread(values: Values, compared: Values, widest: float) -> VarianceEstimate:
    """The spread of values, 2 or more; see `estimate`."""
    away, n, varied = values - values.mean(), len(values), _count_varied(values)
    could = _reach(
        float(np.ptp(compared)), widest, _count_varied(compared), len(compared)
    )
    reach = _reach(STRETCH * float(np.abs(away).max()), could, varied, n)
    variance = float((away**2).mean())
    skew = float((away**3).mean()) ** 2 / variance**3 if varied else 0.0
    return VarianceEstimate(variance, skew, 1 - varied / (n - 1), reach)


def _reach(seen: float, could: float, varied: int, n: int) -> float:
    """From how far values could be to how far they were seen, the more of n vary.

    What could be has the weight, in squares, of the p-value of a sign test of those that vary, as
    if all were on one side, less what it is where no two are equal.
    """
    if could == inf:
        could = UNKNOWN * seen if varied else inf
    weight = min(1.0, 2.0 ** (1 - varied) - 2.0 ** (2 - n))
    return sqrt(seen**2 + weight * max(could**2 - seen**2, 0.0))


def has_few_varied(varied: int, n: int) -> bool:
    """Whether so few of n values vary that an interval is only a bound from what could be."""
    return varied < min(FEW, n - 1)


def _count_varied(values: Values) -> int:
    """How many values are not the most frequent one."""
    starts = np.flatnonzero(np.diff(np.sort(values), prepend=-inf) > SAME)
    return len(values) - int(np.diff(starts, append=len(values)).max())


def scipy_stats() -> Any:
    return require_extra("scipy.stats", "intervals need scipy", "study")
