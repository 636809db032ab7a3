"""Test the claims of a study on its tournaments, and state the results in sentences."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Final

import numpy as np
import pandas as pd

from pairopt.common.holm import Values, correct_by_holm
from pairopt.common.serialization import read_package_toml
from pairopt.lab.metrics.rounds import look_up_metric
from pairopt.lab.statistics.comparing import (
    NOTHING,
    Sample,
    Than,
    metric_differences,
    possible_difference_range,
    samples,
)
from pairopt.lab.statistics.estimate import Estimate, estimate, has_few_varied
from pairopt.lab.studies.schema import StudyClaim
from pairopt.lab.studies.study_file import ClaimInWorld, StudyDesign
from pairopt.lab.table import by_world
from pairopt.messages.formatting import escape_hidden

# the familywise significance level of all hypotheses
LEVEL: Final = 0.05
ASKED: Final = {True: "hypothesis", False: "exploratory"}
MOST_SHARE: Final = 1 / 3
"""The largest equivalence margin, as a share of the effect of the negative control.

A non-inferiority trial chooses its margin in the same way, as a share of the effect of the active
control over placebo (ICH E10, section 1.5.1; ICH E9, section 3.3.2).
"""


@dataclass(frozen=True)
class ControlEffect:
    """How much a negative control differs from what a claim `near` compares with.

    A negative control is a pairing method that certainly differs, for example random
    pairing. `model` is its name, and `found` its estimated difference in the metric and
    the world of the claim; `limits` is the 90 % confidence interval. `share_of`
    compares a margin with the difference.
    """

    model: str
    found: Estimate
    limits: tuple[float, float]

    def share_of(self, margin: float) -> float:
        """Return `margin` divided by the absolute difference of the control.

        It is inf if the control does not differ, or has no tournament.
        """
        absolute_difference = abs(self.found.mean)
        return margin / absolute_difference if absolute_difference > 0 else inf

    @property
    def largest_effect(self) -> float:
        """The absolute difference at the end of the interval that is further from 0.

        It is inf without tournaments.
        """
        return max(map(abs, self.limits)) if self.found.n else inf

    @property
    def words(self) -> str:
        """The difference of the control and its interval, without a full stop.

        Without a tournament it says that there is none.
        """
        if not self.found.n:
            return f"Negative control {escape_hidden(self.model)}: no tournament was paired to the end"
        interval_low, interval_high = self.limits
        return (
            f"Negative control {escape_hidden(self.model)}: difference {self.found.mean:+.4g} "
            f"({CONTROL_CONFIDENCE:.0%} interval {interval_low:+.4g} to {interval_high:+.4g})"
        )


CONTROL_CONFIDENCE: Final = 0.9


@dataclass(frozen=True)
class ClaimResult:
    """The result of testing a claim in one world.

    `asked` is the claim, `where` describes the world, `found` is the estimated
    difference and `limits` its confidence interval. `p` is the p-value of the opposite
    of the claim; `p_holm` is corrected for all hypotheses, None for an exploratory
    claim. `control` is the effect of the study's negative control, if it has one and
    the claim is `near`. It gives the verdict, a sentence, and the row of
    hypotheses.csv.
    """

    asked: ClaimInWorld
    where: str
    found: Estimate
    limits: tuple[float, float]
    p: float
    p_holm: float | None
    control: ControlEffect | None = None

    @property
    def is_margin_small(self) -> bool:
        """True if the margin is at most a third of the control's effect.

        It is also True without a control, or if the claim has a reason for its margin.
        """
        claim = self.asked.claim
        if self.control is None or claim.margin_reason is not None:
            return True
        return self.control.share_of(claim.margin) <= MOST_SHARE

    @property
    def shown(self) -> bool | None:
        """True if the tournaments support the claim; None if it is exploratory.

        A claim is supported if its corrected p-value is below 0.05. A claim `near`
        whose margin is too large for its negative control is not supported.
        """
        if self.p_holm is None:
            return None
        return self.p_holm < LEVEL and self.is_margin_small

    @property
    def verdict(self) -> str:
        """The result in the words of hypotheses.csv, from `shown`.

        It is "shown", "not shown" or "exploratory, which shows nothing".
        """
        if self.shown is None:
            return "exploratory, which shows nothing"
        return "shown" if self.shown else "not shown"

    @property
    def sentence(self) -> str:
        """The claim, difference, interval, p-value and verdict in one sentence.

        Without a tournament that both models finished, it only says so. The p-value is
        the corrected one for a hypothesis.
        """
        claim = self.asked.claim
        difference_estimate = self.found
        claim_text = format_claim(claim, self.asked.than, self.where)
        if not difference_estimate.n:
            return f"{claim_text}: no tournament was paired to the end by both: {self.verdict}"

        interval_low, interval_high = self.limits
        interval_text = (
            f"{interval_low:+.4g} to {interval_high:+.4g}"
            if isfinite(interval_low + interval_high)
            else "unknown"
        )
        sample_text = f"n = {difference_estimate.n}"
        if has_few_varied(difference_estimate.varied, difference_estimate.n):
            sample_text += f", of which {difference_estimate.varied} vary"
        shown_p_value = self.p if self.p_holm is None else self.p_holm
        p_text = "p < 0.001" if shown_p_value < 0.001 else f"p {shown_p_value:.3f}"
        if self.p_holm is not None:
            p_text += " corrected"
        return (
            f"{claim_text}: difference {difference_estimate.mean:+.4g} ({choose_confidence(claim):.0%} interval "
            f"{interval_text}), {sample_text}, {p_text}: {self.verdict}{self._control_text}"
        )

    @property
    def _control_text(self) -> str:
        """The negative control and the margin as a share of its effect.

        It says if the margin is too large, or the reason that is given for it. Empty
        without a control.
        """
        if self.control is None:
            return ""
        claim = self.asked.claim
        share_text = format_share(claim, self.control)
        if not self.is_margin_small:
            share_text += "; a margin above a third is not accepted"
        elif claim.margin_reason is not None:
            share_text += f"; reason: {escape_hidden(claim.margin_reason)}"
        return f". {self.control.words}; {share_text}"

    @property
    def row(self) -> dict[str, Any]:
        """The row of hypotheses.csv, by column.

        The columns are asked, world, model, than, metric, claim, margin, difference,
        low, high, n, varied, p, p_holm, verdict and sentence. Those of the negative
        control, control to margin_reason, are there only if the claim has one.
        """
        claim = self.asked.claim
        control_cells: dict[str, Any] = {}
        if self.control is not None:
            control_cells = {
                "control": self.control.model,
                "control_difference": self.control.found.mean,
                "control_low": self.control.limits[0],
                "control_high": self.control.limits[1],
                "margin_reason": claim.margin_reason,
            }
        return {
            "asked": ASKED[self.asked.hypothesis],
            "world": self.where,
            "model": claim.model,
            "than": self.asked.than,
            "metric": claim.metric,
            "claim": claim.claim,
            "margin": claim.margin,
            "difference": self.found.mean,
            "low": self.limits[0],
            "high": self.limits[1],
            "n": self.found.n,
            "varied": self.found.varied,
            "p": self.p,
            "p_holm": self.p_holm,
            "verdict": self.verdict,
            "sentence": self.sentence,
            **control_cells,
        }


def evaluate_claims(design: StudyDesign, frame: pd.DataFrame) -> list[ClaimResult]:
    """Test all claims of a study on its table, and return the results in order.

    `frame` is the table of rounds, and the order is that of `design.asked`. P-values of
    hypotheses are corrected together by Holm's method; exploratory claims are not.
    Hypotheses that test the same claim on the same numbers count as one.
    """
    samples_by_model = _SamplesByModel(frame)
    tests_of_claims = []
    claim_keys = []
    for claim_in_world in design.asked:
        claim = claim_in_world.claim
        claim_sample = samples_by_model.of(claim_in_world, claim.model)
        difference_estimate = estimate(*claim_sample)
        possible_range = samples_by_model.bounds(claim_in_world)
        confidence_interval = difference_estimate.limits(
            choose_confidence(claim), possible_range
        )
        p_value = compute_p_value(claim, difference_estimate)
        control_effect = None
        if design.file.control is not None and claim.claim == "near":
            control_effect = _estimate_control(
                design.file.control, claim_in_world, samples_by_model
            )
        tests_of_claims.append(
            (
                claim_in_world,
                difference_estimate,
                confidence_interval,
                p_value,
                control_effect,
            )
        )
        claim_keys.append(_claim_key(claim, claim_sample[0]))

    p_value_of_key: dict[tuple[str, float, bytes], float] = {}
    for claim_key, (claim_in_world, _, _, p_value, _) in zip(
        claim_keys, tests_of_claims, strict=True
    ):
        if claim_in_world.hypothesis:
            # equal differences of different values: the largest p is safe for all
            p_value_of_key[claim_key] = max(p_value_of_key.get(claim_key, 0.0), p_value)
    corrected_p_values = correct_by_holm(
        np.array([*p_value_of_key.values()], np.float64)
    ).tolist()
    holm_p_value_of_key = dict(zip(p_value_of_key, corrected_p_values, strict=True))

    claim_results = []
    for claim_key, (
        claim_in_world,
        difference_estimate,
        confidence_interval,
        p_value,
        control_effect,
    ) in zip(claim_keys, tests_of_claims, strict=True):
        world_description = design.where(claim_in_world.world)
        p_holm = holm_p_value_of_key[claim_key] if claim_in_world.hypothesis else None
        claim_results.append(
            ClaimResult(
                claim_in_world,
                world_description,
                difference_estimate,
                confidence_interval,
                p_value,
                p_holm,
                control_effect,
            )
        )
    return claim_results


def claim_samples(
    world_rows: pd.DataFrame, asked: ClaimInWorld
) -> Mapping[str, Sample]:
    """Return the differences of each model in a claim's metric, by model.

    `asked` is the claim, and `world_rows` are the rounds of its world. A difference is
    that to what the claim compares with: a model, a number or another metric of the
    same model. Each value of the mapping has the differences, the values that they come
    from, and the width of the metric's range. The mapping is empty if the metric has no
    values.
    """
    claim = asked.claim
    if claim.than_metric is not None:
        return metric_differences(world_rows, claim.metric, claim.than_metric)
    return samples(world_rows, [claim.metric], asked.than).get(claim.metric, {})


class _SamplesByModel:
    """The differences of models that a study's claims ask for, from its rounds.

    They are computed when they are first asked for, once per world, metric and
    baseline.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        """Split the table of rounds by world."""
        self._rows_by_world = [world_rows for _, world_rows in by_world(frame)]
        self._samples: dict[
            tuple[int, Than, str, str | None], Mapping[str, Sample]
        ] = {}

    def of(self, asked: ClaimInWorld, model: str) -> Sample:
        """Return the differences of a model in the metric and world of a claim.

        `asked` is the claim in its world, and `model` the name of any model. Returns
        the differences to what the claim compares with, one per tournament, the values
        that they come from, and the width of the metric's range. Without values they
        are two empty arrays and 0. The result is cached.
        """
        metric = asked.claim.metric
        sample_key = asked.world, asked.than, metric, asked.claim.than_metric
        if sample_key not in self._samples:
            world_rows = self._rows_by_world[asked.world]
            self._samples[sample_key] = claim_samples(world_rows, asked)
        return self._samples[sample_key].get(model, NOTHING)

    def bounds(self, asked: ClaimInWorld) -> tuple[float, float]:
        """Return the least and largest possible difference in a claim's metric.

        `asked` is the claim in its world. Both differences are infinite if the metric's
        range is unknown.
        """
        world_rows = self._rows_by_world[asked.world]
        return possible_difference_range(world_rows, asked.claim.metric)


def _estimate_control(
    control: str, asked: ClaimInWorld, samples_by_model: _SamplesByModel
) -> ControlEffect:
    """Estimate the difference of the model `control` in a claim's metric and world.

    It is the difference to what the claim compares with, with its 90 % interval.
    `asked` is the claim in its world, and `samples_by_model` has the differences of all
    models.
    """
    difference_estimate = estimate(*samples_by_model.of(asked, control))
    possible_range = samples_by_model.bounds(asked)
    return ControlEffect(
        control,
        difference_estimate,
        difference_estimate.limits(CONTROL_CONFIDENCE, possible_range),
    )


def estimate_control(
    design: StudyDesign, frame: pd.DataFrame, asked: ClaimInWorld
) -> ControlEffect | None:
    """Estimate the effect of a study's negative control for a claim `near`.

    `design` is the study, `frame` the table of rounds of all worlds, and `asked` the
    claim in its world. Returns None for another claim, and for a study without a
    control.
    """
    if design.file.control is None or asked.claim.claim != "near":
        return None
    return _estimate_control(design.file.control, asked, _SamplesByModel(frame))


def format_share(claim: StudyClaim, control: ControlEffect) -> str:
    """Return a clause with a claim's margin, as a percentage of the control's effect.

    `control` is the estimated difference of the negative control. If it does not
    differ, the clause says that margin and difference are not comparable.
    """
    margin_share = control.share_of(claim.margin)
    share_text = f"{margin_share:.0%} of this difference"
    if not isfinite(margin_share):
        share_text = "not comparable with this difference"
    return f"the margin {claim.margin:g} is {share_text}"


def _claim_key(claim: StudyClaim, values: Values) -> tuple[str, float, bytes]:
    """Return a key that is equal for claims that test the same statement.

    `values` are the differences that the claim is tested on, which also have to be
    equal. Claims that only exchange the two models, `less` and `more`, have the same
    key. It has the kind of the claim, its margin, and the bytes of the differences.
    """
    claim_kind = claim.claim
    if claim_kind in ("different", "near"):
        nonzero_values = values[values != 0]
        is_negated = bool((nonzero_values < 0)[:1].any())
    else:
        is_negated = claim_kind == "less"
    signed_values = -values if is_negated else values
    # adding 0.0 turns -0.0 into 0.0
    value_bytes = (signed_values + 0.0).tobytes()
    return "more" if claim_kind == "less" else claim_kind, claim.margin, value_bytes


def choose_confidence(claim: StudyClaim) -> float:
    """Return the confidence level of a claim's interval.

    It is 0.9 for equivalence, which corresponds to two one-sided tests at 5 %,
    otherwise 0.95.
    """
    return 0.9 if claim.claim == "near" else 0.95


def compute_p_value(claim: StudyClaim, difference: Estimate) -> float:
    """Return the p-value of the null hypothesis, the opposite of a claim.

    `difference` is the estimated difference of the claim. The p-value is 1 without any
    tournament. For `less` and `more` it is the two-sided p-value. So such a claim is
    never supported if its interval contains the bound.
    """
    if not difference.n:
        return 1.0
    if claim.claim == "different":
        return difference.p
    if claim.claim == "near":
        return difference.p_within(claim.margin)
    signed_mean = -difference.mean if claim.claim == "less" else difference.mean
    return min(2 * difference.beyond(signed_mean - claim.margin), 1)


def format_claim(claim: StudyClaim, than: Than, where: str) -> str:
    """Return a claim in words, without a verdict.

    `than` is the other model or a number; `where` describes the world, and is empty for
    a single one.
    """
    metric_facts = look_up_metric(claim.metric)
    is_counted = "counted" in metric_facts
    metric_words = metric_facts.get("counted") or metric_facts.get(
        "named", claim.metric
    )
    if claim.than_metric is not None:
        is_counted = False
    claim_formats = read_package_toml(__package__ or "", "claims.toml")
    sentence_format = claim_formats["counted" if is_counted else "named"][claim.claim]

    sentence_fields = {
        "model": escape_hidden(claim.model),
        "other": _format_other(claim, than),
        "name": escape_hidden(metric_words),
        "margin": claim.margin,
    }
    claim_text = str(sentence_format).format(**sentence_fields)
    if claim.claim != "near" and claim.margin > 0:
        claim_text += f" by more than {claim.margin:g}"
    if where:
        claim_text += f" ({escape_hidden(where)})"
    return claim_text


def _format_other(claim: StudyClaim, than: Than) -> str:
    """Return what a claim compares with, in words.

    `than` is the name of a model, or a number. If the claim compares two metrics, it is
    not used, and the words are those of the other metric.
    """
    if claim.than_metric is not None:
        metric_facts = look_up_metric(claim.than_metric)
        metric_words = metric_facts.get("counted") or metric_facts.get("named")
        return escape_hidden(metric_words or claim.than_metric)
    return escape_hidden(than) if isinstance(than, str) else f"{than:g}"
