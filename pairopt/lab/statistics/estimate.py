"""Estimates of a mean, its confidence interval and its tests, also for nearly equal values.

If values differ, the standard error is that of Student's t, widened by the first term of its
Edgeworth expansion in the skewness (Hall, The Bootstrap and Edgeworth Expansion, 1992, section
2.6).

Similar models pair most tournaments in the same way, so most differences are 0. The t interval of
a sample without variance has no width, and misses the mean. Therefore four pseudo-observations, two
above and two below the mean, are added, as Agresti and Caffo (The American Statistician 54, 2000)
do for proportions, and Agresti and Min (Statistics in Medicine 24, 2005) for matched ones. They
are a prior of the variance, as in the moderated t-statistic (Smyth, Statistical Applications in
Genetics and Molecular Biology 3(1), 2004), with their weight as its degrees of freedom. Their
weight is the square of the share of tied values: it is 0 if all values differ. Their distance
from the mean goes continuously from the largest possible one, if nothing varies, to the observed
one, if all values differ. If nothing varies, the interval is about the exact one of Clopper and
Pearson for the share of tournaments that could differ, times the largest possible difference.
tests/benchmarks/intervals.py measures the coverage of these intervals.
"""

from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any, Final

import numpy as np

from pairopt.common.holm import Values
from pairopt.errors import require_extra

# pseudo-observations that are added if all observations are equal
IMAGINED: Final = 4
SKEWED: Final = 2.16
"""The factor of squared skewness / n by which the variance of a mean is increased.

It is twice (z^4 + 2 z^2 - 3) / 18 at z = 1.96, so that 95 % intervals have their coverage.
"""
STRETCH: Final = 4 / 3
"""The distance of pseudo-observations over the largest observed one, as skewed samples seldom show
their tail."""
UNKNOWN: Final = 8
"""The assumed range over the observed one, for values of which no range is known."""
FEWEST_VARIED_VALUES: Final = 6
"""With fewer values that differ from the mode, no sign test is significant: p is 1/16 at best."""
# values that differ by less are equal: they are decimals with rounding errors
SAME: Final = 1e-9


@dataclass(frozen=True)
class Estimate:
    """The mean of `n` values with its standard error, for intervals and tests.

    `error` is the standard error of `mean`, above 0, and inf for fewer than two values.
    `varied` values differ from the most frequent one. Tests and intervals use Student's
    t with n - 1 degrees of freedom. The tests are of the hypotheses that the mean is 0,
    or a margin or more away from 0.
    """

    mean: float
    error: float
    n: int
    varied: int

    def limits(
        self, confidence: float = 0.95, inside: tuple[float, float] = (-inf, inf)
    ) -> tuple[float, float]:
        """Return the confidence interval of the mean, its low and high end.

        `confidence` is its level. The ends are clipped to the possible values `inside`,
        a least and a largest one. Both are nan without values.
        """
        least_possible, largest_possible = inside
        half_width = self.arm(confidence) if self.n else nan
        return max(self.mean - half_width, least_possible), min(
            self.mean + half_width, largest_possible
        )

    def arm(self, confidence: float = 0.95) -> float:
        """Return half the width of the confidence interval, which is not clipped.

        It is inf for one value, and without any.
        """
        t_quantile = scipy_stats().t.ppf((1 + confidence) / 2, self._freedom)
        return float(t_quantile) * self.error

    @property
    def p(self) -> float:
        """The two-sided p-value of the null hypothesis that the mean is 0.

        It is nan without values, and 1 for one value.
        """
        return 2 * self.beyond(abs(self.mean))

    def p_within(self, margin: float) -> float:
        """Return the p-value of an equivalence test: small if the mean is within the margin.

        The null hypothesis is that the mean is `margin` or more away from 0. Two one-sided tests
        (TOST; Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987).
        """
        return self.beyond(margin - abs(self.mean))

    def beyond(self, distance: float) -> float:
        """Return the probability that the estimate errs by more than a distance.

        It is the probability for one side, under Student's t: nan without values, above
        1/2 for a negative distance.
        """
        if not self.n:
            return nan
        return float(scipy_stats().t.sf(distance / self.error, self._freedom))

    @property
    def _freedom(self) -> int:
        """The degrees of freedom of Student's t: n - 1, at least 1."""
        return max(self.n - 1, 1)


def estimate(values: Values, compared: Values, widest: float) -> Estimate:
    """Estimate the mean of values, shape (n,), with a standard error above 0.

    `compared` are all values that the differences `values` come from, those of both
    models, or `values` themselves. If few values vary, pseudo-observations widen the
    error. They are as far from the mean as the range of `compared`; if few of these
    vary either, as far as `widest`, the largest possible difference, which is positive,
    and inf if unknown. With one value the error is inf; without any the mean is nan,
    too.
    """
    value_count = len(values)
    if value_count == 0:
        return Estimate(nan, inf, value_count, 0)
    if value_count == 1:
        return Estimate(float(values[0]), inf, value_count, 0)
    standard_error = estimate_variance(values, compared, widest).error(value_count)
    return Estimate(
        float(values.mean()), standard_error, value_count, _count_varied(values)
    )


@dataclass(frozen=True)
class VarianceEstimate:
    """The variance of values, and what the standard error of their mean depends on.

    `skew` is the squared skewness, `tied` the share of values equal to the most
    frequent one, 0 if all values differ and 1 if all are equal. `reach` is the distance
    of pseudo-observations from the mean.
    """

    variance: float
    skew: float
    tied: float
    reach: float

    def error(self, n: int) -> float:
        """Return the standard error of the mean of `n` such values.

        `n` is 2 or more.
        """
        pseudo_count = IMAGINED * self.tied**2
        total_count = n + pseudo_count
        sum_of_squares = n * self.variance + pseudo_count * self.reach**2
        pseudo_variance = sum_of_squares / (total_count * (total_count - 1))
        skewed_variance = self.variance / (n - 1) * (1 + SKEWED * self.skew / n)
        return sqrt(max(pseudo_variance, skewed_variance))


def estimate_variance(
    values: Values, compared: Values, widest: float
) -> VarianceEstimate:
    """Estimate the variance of values, with their skewness and their ties.

    There have to be 2 or more values. `compared` are all values that the differences
    `values` come from, and `widest` is the largest possible difference, inf if unknown.
    Both decide how far away pseudo-observations are if few values vary.
    """
    value_count = len(values)
    deviations = values - values.mean()
    varied_count = _count_varied(values)

    compared_range = float(np.ptp(compared))
    possible_reach = _interpolate_reach(
        compared_range, widest, _count_varied(compared), len(compared)
    )
    observed_reach = STRETCH * float(np.abs(deviations).max())
    reach = _interpolate_reach(
        observed_reach, possible_reach, varied_count, value_count
    )

    variance = float((deviations**2).mean())
    squared_skewness = (
        float((deviations**3).mean()) ** 2 / variance**3 if varied_count else 0.0
    )
    return VarianceEstimate(
        variance, squared_skewness, 1 - varied_count / (value_count - 1), reach
    )


def _interpolate_reach(observed: float, possible: float, varied: int, n: int) -> float:
    """Interpolate between an observed and a possible distance of pseudo-observations.

    `varied` of `n` values vary; the fewer, the closer the result is to the possible
    distance. The square of the possible distance has a weight: the p-value of a sign
    test as if all `varied` values were on one side, less that p-value if no two values
    are equal. If the possible distance is unknown (inf), it is 8 (`UNKNOWN`) times the
    observed one, or inf if no value varies.
    """
    if possible == inf:
        possible = UNKNOWN * observed if varied else inf
    possible_weight = min(1.0, 2.0 ** (1 - varied) - 2.0 ** (2 - n))
    return sqrt(observed**2 + possible_weight * max(possible**2 - observed**2, 0.0))


def has_few_varied(varied: int, n: int) -> bool:
    """Return whether so few of n values vary that an interval is mostly assumed.

    `varied` of them differ from the most frequent one. Enough are 6
    (`FEWEST_VARIED_VALUES`), or n - 1 if that is less.
    """
    return varied < min(FEWEST_VARIED_VALUES, n - 1)


def _count_varied(values: Values) -> int:
    """Count the values that differ from the most frequent one.

    Sorted values that differ by at most 1e-9 from the one before count as equal. There
    has to be at least one value.
    """
    run_starts = np.flatnonzero(np.diff(np.sort(values), prepend=-inf) > SAME)
    run_lengths = np.diff(run_starts, append=len(values))
    return len(values) - int(run_lengths.max())


def scipy_stats() -> Any:
    """Import and return scipy.stats; raise UsageError if it is not installed."""
    return require_extra("scipy.stats", "intervals need scipy", "study")
