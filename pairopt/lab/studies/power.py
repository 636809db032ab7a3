"""Power analysis: the number of tournaments that a study's hypotheses need, from a pilot.

Only the variance of the pilot's differences is used, never their mean. Of the negative control the
mean is used too, because no claim is about it. The pilot has another seed than the study. Every hypothesis is planned at the level of Holm's first step.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final, Unpack

from pairopt.errors import Fault, InputError, JsonLocation
from pairopt.lab.comparison import ExecutionOptions, play
from pairopt.lab.luck import random_words
from pairopt.lab.statistics.comparing import NOTHING
from pairopt.lab.statistics.estimate import (
    VarianceEstimate,
    estimate_variance,
    scipy_stats,
)
from pairopt.lab.studies.hypotheses import (
    LEVEL,
    MOST_SHARE,
    ControlEffect,
    claim_samples,
    estimate_control,
    format_claim,
    format_share,
)
from pairopt.lab.studies.schema import StudyClaim
from pairopt.lab.studies.study_file import ClaimInWorld, StudyDesign
from pairopt.lab.table import by_world
from pairopt.lab.task_cache import NOTHING_KEPT
from pairopt.messages import message

MOST: Final = 1_000_000
# confidence of the upper bound of the variance, which a pilot only estimates
SURE: Final = 0.8
# fewest tournaments of a pilot
LEAST: Final = 5
# variance of a pilot in which nothing varies
TINY: Final = 1e-12
# part of the key of the pilot's seed, "pilot" in ASCII
PILOT: Final = 0x70696C6F74


@dataclass(frozen=True)
class SampleSizePlan:
    """The sample size that a hypothesis needs, from a pilot of `pilot` tournaments.

    `asked` is the hypothesis in its world, and `where` describes the world. `needed` is
    the number of tournaments at the pilot's variance, `at_most` at the upper bound of
    the variance; None for more than 1,000,000, or without an effect. `detectable` is
    the difference that the number of tournaments in the study.toml can show, None for
    `near`. All three are None if the pilot has fewer than 5 tournaments. `control` is
    the effect of the negative control in the pilot, if the study has one and the
    hypothesis is `near`. `sentence` has the plan in words.
    """

    asked: ClaimInWorld
    where: str
    pilot: int
    needed: int | None
    at_most: int | None
    detectable: float | None
    control: ControlEffect | None = None

    def sentence(self, power: float, replicates: int) -> str:
        """Return the plan as a sentence: the tournaments that the hypothesis needs.

        `power` is the one that the plan was made for, `replicates` the number of
        tournaments per model in the study.toml. Without an effect to assume the
        sentence has the detectable difference instead, and for a pilot of fewer than 5
        tournaments it says so.
        """
        claim = self.asked.claim
        claim_text = format_claim(claim, self.asked.than, self.where)
        if self.pilot < LEAST:
            return f"{claim_text}: the pilot has too few tournaments that were paired to the end"
        if not claim.planned:
            return (
                f"{claim_text}: {replicates:,} tournaments show a difference of "
                f"{self.detectable:.3g} with power {power:g} (`effect` says for which one "
                "to reckon)"
            )

        assumed_difference_text = "no difference"
        if claim.effect:
            assumed_difference_text = f"a difference of {claim.effect:g}"
        control_text = ""
        if self.control is not None:
            control_text = f". {self.control.words} in the pilot; {format_share(claim, self.control)}"
        count_text = f"{_count_text(self.needed)} tournaments"
        if self.needed is not None:
            bound_words = "possibly" if self.at_most is None else "at most"
            count_text += f", {bound_words} {_count_text(self.at_most)}"
        return (
            f"{claim_text}: {count_text}, with power {power:g} if there is {assumed_difference_text}"
            f"{control_text}"
        )

    @property
    def is_margin_excluded(self) -> bool:
        """True if the pilot shows that the margin is too large for the control.

        The margin is then above a third of the negative control's difference even at
        the end of its interval, and has no `margin_reason`. False without a control.
        """
        claim = self.asked.claim
        if self.control is None or claim.margin_reason is not None:
            return False
        largest_effect = self.control.largest_effect
        return claim.margin > largest_effect * MOST_SHARE


def _count_text(count: int | None) -> str:
    """Return the number `count` as text; None is "more than 1,000,000"."""
    return f"more than {MOST:,}" if count is None else f"{count:,}"


def plan(
    design: StudyDesign, pilot: int, power: float, **options: Unpack[ExecutionOptions]
) -> list[SampleSizePlan]:
    """Plan the sample size of each hypothesis from a pilot, which this function plays.

    `design` is the study, and `pilot` the number of the pilot's tournaments per model;
    its seed differs from that of the study. `power` is the probability with which the
    study shall support a true hypothesis. `options` say where the tournaments are
    played: `jobs` is the number of processes, `scheduler` the address of a Dask
    cluster, and `watch` is called with the numbers of finished and of all tasks. The
    plans are in the order of the hypotheses; exploratory claims have none. A plan has
    no numbers if fewer than 5 tournaments of the pilot were paired to the end. Nothing
    is stored.
    """
    pilot_seed = int(random_words(design.file.seed, PILOT)[0]) >> 33
    studies = [replace(study, seed=pilot_seed, games=False) for study in design.studies]
    pilot_frame = play(studies, NOTHING_KEPT, pilot, **options)

    rows_by_world = [world_rows for _, world_rows in by_world(pilot_frame)]
    hypotheses = [
        claim_in_world for claim_in_world in design.asked if claim_in_world.hypothesis
    ]
    significance_level = LEVEL / max(len(hypotheses), 1)
    plans = []
    for claim_in_world in hypotheses:
        claim = claim_in_world.claim
        sample_of_model = claim_samples(
            rows_by_world[claim_in_world.world], claim_in_world
        )
        pilot_differences, underlying_values, largest_difference = sample_of_model.get(
            claim.model, NOTHING
        )
        pilot_count = len(pilot_differences)
        world_description = design.where(claim_in_world.world)
        control_effect = estimate_control(design, pilot_frame, claim_in_world)
        if pilot_count < LEAST:
            plans.append(
                SampleSizePlan(
                    claim_in_world, world_description, pilot_count, None, None, None
                )
            )
            continue

        pilot_estimate = estimate_variance(
            pilot_differences, underlying_values, largest_difference
        )
        sum_of_squares = max(pilot_count * pilot_estimate.variance, TINY)
        likely_variance = replace(
            pilot_estimate, variance=sum_of_squares / (pilot_count - 1)
        )
        chi2_quantile = float(scipy_stats().chi2.ppf(1 - SURE, pilot_count - 1))
        largest_variance = replace(
            likely_variance, variance=sum_of_squares / chi2_quantile
        )
        needed_tournaments = _find_sample_size(
            claim, likely_variance, significance_level, power
        )
        most_needed_tournaments = _find_sample_size(
            claim, largest_variance, significance_level, power
        )
        replicate_count = max(design.file.replicates, 2)
        detectable_difference = _find_detectable(
            claim, replicate_count, likely_variance, significance_level, power
        )
        plans.append(
            SampleSizePlan(
                claim_in_world,
                world_description,
                pilot_count,
                needed_tournaments,
                most_needed_tournaments,
                detectable_difference,
                control_effect,
            )
        )
    return plans


def require_small_margins(
    design: StudyDesign, plans: Sequence[SampleSizePlan], source: str
) -> None:
    """Raise InputError for margins too large for the negative control in the pilot.

    `plans` are those of the hypotheses of the study `design`, and `source` is the name
    of the study.toml. The error has one fault for each hypothesis `near` whose margin
    is above a third of the control's difference, even at the end of its interval that
    is further from 0. A hypothesis with a `margin_reason` is accepted, and any without
    a control.
    """
    margin_faults = []
    for hypothesis_plan in plans:
        control = hypothesis_plan.control
        if control is None or not hypothesis_plan.is_margin_excluded:
            continue
        claim = hypothesis_plan.asked.claim
        hypothesis_position = design.file.hypotheses.index(claim)
        fault_note = message(
            "study.margin_above_third",
            margin=f"{claim.margin:g}",
            control=control.model,
            most=f"{control.largest_effect:.3g}",
        )
        margin_faults.append(
            Fault(fault_note, JsonLocation(f"hypotheses[{hypothesis_position}].margin"))
        )
    if margin_faults:
        raise InputError(source, margin_faults)


def compute_power(
    claim: StudyClaim, n: int, spread: VarianceEstimate, level: float
) -> float:
    """Return the probability that n tournaments with this variance support a claim.

    The true difference is the claim's effect, 0 for `near` or without an effect. `n` is
    2 or more. `level` is the two-sided significance level, for `near` that of each of
    two one-sided tests. `spread` is the estimated variance of the differences.
    """
    # the standard error of the test has pseudo-observations, that of the mean itself has not
    test_error = spread.error(n)
    mean_error = sqrt(spread.variance / n)
    if claim.claim == "near":
        distance_to_bound = claim.margin - _critical_value(level, n) * test_error
        return max(
            2 * float(scipy_stats().norm.cdf(distance_to_bound / mean_error)) - 1, 0.0
        )
    distance_to_bound = (
        (claim.effect or 0.0)
        - claim.margin
        - _critical_value(level / 2, n) * test_error
    )
    return float(scipy_stats().norm.cdf(distance_to_bound / mean_error))


def _critical_value(level: float, n: int) -> float:
    """Return the one-sided critical value of Student's t at a level, for n values."""
    return float(scipy_stats().t.ppf(1 - level, n - 1))


def _find_sample_size(
    claim: StudyClaim, spread: VarianceEstimate, level: float, power: float
) -> int | None:
    """Return the fewest tournaments, 3 or more, that support a claim with this power.

    None if the claim has no effect to assume, or if they are more than 1,000,000.
    `spread` has the variance of the differences. `level` is the two-sided significance
    level, for `near` that of each of two one-sided tests.
    """
    if not claim.planned:
        return None

    def has_power(n: int) -> bool:
        """Return whether n tournaments support the claim with at least this power."""
        return compute_power(claim, n, spread, level) >= power

    possible_sizes = range(3, MOST + 1)
    size_position = bisect_left(possible_sizes, True, key=has_power)
    return (
        possible_sizes[size_position] if size_position < len(possible_sizes) else None
    )


def _find_detectable(
    claim: StudyClaim, n: int, spread: VarianceEstimate, level: float, power: float
) -> float | None:
    """Return the least true difference that n tournaments show with this power.

    It includes the claim's margin. None for a claim of equivalence (`near`). `spread`
    has the variance of the differences, `level` is the two-sided significance level,
    and `power` the probability of showing the difference.
    """
    if claim.claim == "near":
        return None
    critical_distance = _critical_value(level / 2, n) * spread.error(n)
    power_quantile = float(scipy_stats().norm.ppf(power))
    return claim.margin + critical_distance + power_quantile * sqrt(spread.variance / n)
