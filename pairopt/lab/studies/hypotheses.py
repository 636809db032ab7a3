"""Test the claims of a study on its tournaments, and state the results in sentences."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
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


@dataclass(frozen=True)
class ClaimResult:
    """The result of testing a claim in one world.

    `asked` is the claim, `where` describes the world, `found` is the estimated difference and
    `limits` its confidence interval. `p` is the p-value of the opposite of the claim; `p_holm` is
    corrected for all hypotheses, None for an exploratory claim.
    """

    asked: ClaimInWorld
    where: str
    found: Estimate
    limits: tuple[float, float]
    p: float
    p_holm: float | None

    @property
    def shown(self) -> bool | None:
        """True if the tournaments support the claim; None for an exploratory claim."""
        return None if self.p_holm is None else self.p_holm < LEVEL

    @property
    def verdict(self) -> str:
        """The result in words: "shown", "not shown" or "exploratory, which shows nothing"."""
        if self.shown is None:
            return "exploratory, which shows nothing"
        return "shown" if self.shown else "not shown"

    @property
    def sentence(self) -> str:
        """The claim, its difference, interval and p-value, and the verdict in one sentence."""
        claim = self.asked.claim
        estimated = self.found
        prefix = format_claim(claim, self.asked.than, self.where)
        if not estimated.n:
            return (
                f"{prefix}: no tournament was paired to the end by both: {self.verdict}"
            )

        low, high = self.limits
        interval_text = (
            f"{low:+.4g} to {high:+.4g}" if isfinite(low + high) else "unknown"
        )
        sample_text = f"n = {estimated.n}"
        if has_few_varied(estimated.varied, estimated.n):
            sample_text += f", of which {estimated.varied} vary"
        p = self.p if self.p_holm is None else self.p_holm
        p_text = "p < 0.001" if p < 0.001 else f"p {p:.3f}"
        if self.p_holm is not None:
            p_text += " corrected"
        return (
            f"{prefix}: difference {estimated.mean:+.4g} ({choose_confidence(claim):.0%} interval "
            f"{interval_text}), {sample_text}, {p_text}: {self.verdict}"
        )

    @property
    def row(self) -> dict[str, Any]:
        """The row of hypotheses.csv, by column."""
        claim = self.asked.claim
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
        }


def evaluate_claims(design: StudyDesign, frame: pd.DataFrame) -> list[ClaimResult]:
    """Test all claims of a study on its table, and return the results in order.

    P-values of hypotheses are corrected together by Holm's method; exploratory claims
    are not. Hypotheses that test the same claim on the same numbers count as one.
    """
    rows_by_world = [world_rows for _, world_rows in by_world(frame)]
    samples_by_key: dict[tuple[int, Than, str], Mapping[str, Sample]] = {}
    claim_tests = []
    claim_keys = []
    for claim_in_world in design.asked:
        world_rows = rows_by_world[claim_in_world.world]
        metric = claim_in_world.claim.metric
        sample_key = claim_in_world.world, claim_in_world.than, metric
        if sample_key not in samples_by_key:
            samples_by_key[sample_key] = samples(
                world_rows, [metric], claim_in_world.than
            ).get(metric, {})
        observed_differences, source_values, largest_difference = samples_by_key[
            sample_key
        ].get(claim_in_world.claim.model, NOTHING)

        difference = estimate(observed_differences, source_values, largest_difference)
        difference_bounds = possible_difference_range(world_rows, metric)
        interval = difference.limits(
            choose_confidence(claim_in_world.claim), difference_bounds
        )
        p_value = compute_p_value(claim_in_world.claim, difference)
        claim_tests.append((claim_in_world, difference, interval, p_value))
        claim_keys.append(_claim_key(claim_in_world.claim, observed_differences))

    p_values: dict[tuple[str, float, bytes], float] = {}
    for claim_key, (claim_in_world, _, _, p_value) in zip(
        claim_keys, claim_tests, strict=True
    ):
        if claim_in_world.hypothesis:
            # equal differences of different values: the largest p is safe for all
            p_values[claim_key] = max(p_values.get(claim_key, 0.0), p_value)
    corrected_p_values = correct_by_holm(
        np.array([*p_values.values()], np.float64)
    ).tolist()
    holm_p_values = dict(zip(p_values, corrected_p_values, strict=True))

    results = []
    for claim_key, (claim_in_world, difference, interval, p_value) in zip(
        claim_keys, claim_tests, strict=True
    ):
        world_settings = design.where(claim_in_world.world)
        p_holm = holm_p_values[claim_key] if claim_in_world.hypothesis else None
        results.append(
            ClaimResult(
                claim_in_world, world_settings, difference, interval, p_value, p_holm
            )
        )
    return results


def _claim_key(claim: StudyClaim, values: Values) -> tuple[str, float, bytes]:
    """Return a key that is equal for claims that test the same statement on the same differences.

    Claims that only exchange the two models, `less` and `more`, have the same key.
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

    It is 90 % for equivalence, which corresponds to two one-sided tests at 5 %, otherwise 95 %.
    """
    return 0.9 if claim.claim == "near" else 0.95


def compute_p_value(claim: StudyClaim, difference: Estimate) -> float:
    """Return the p-value of the null hypothesis, the opposite of a claim.

    It is 1 without any tournament. For `less` and `more` it is the two-sided p-value.
    So a claim is never supported if its interval contains the bound.
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
    claim_formats = read_package_toml(__package__ or "", "claims.toml")
    sentence_format = claim_formats["counted" if is_counted else "named"][claim.claim]

    sentence_fields = {
        "model": escape_hidden(claim.model),
        "other": escape_hidden(than) if isinstance(than, str) else f"{than:g}",
        "name": escape_hidden(metric_words),
        "margin": claim.margin,
    }
    claim_text = str(sentence_format).format(**sentence_fields)
    if claim.claim != "near" and claim.margin > 0:
        claim_text += f" by more than {claim.margin:g}"
    if where:
        claim_text += f" ({escape_hidden(where)})"
    return claim_text
