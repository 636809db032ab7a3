"""Claims: what the tournaments say of each, as numbers and as a sentence made of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import numpy as np
import pandas as pd

from pairopt.common.holm import Values, correct_by_holm
from pairopt.common.serialization import read_package_toml
from pairopt.lab.metrics.rounds import about
from pairopt.lab.statistics.comparing import NOTHING, Sample, Than, apart, samples
from pairopt.lab.statistics.estimate import Estimate, estimate, has_few_varied
from pairopt.lab.studies.schema import StudyClaim
from pairopt.lab.studies.study_file import ClaimInWorld, StudyDesign
from pairopt.lab.table import by_world
from pairopt.messages.formatting import escape_hidden

LEVEL: Final = 0.05  # of all hypotheses together
ASKED: Final = {True: "hypothesis", False: "exploratory"}


@dataclass(frozen=True)
class ClaimResult:
    """What was found of a claim in a world: `p` is of what would speak against it, `p_holm`
    corrected for all hypotheses; an exploratory one is never `shown`.
    """

    asked: ClaimInWorld
    where: str
    found: Estimate
    limits: tuple[float, float]
    p: float
    p_holm: float | None

    @property
    def shown(self) -> bool | None:
        """None for what is exploratory."""
        return None if self.p_holm is None else self.p_holm < LEVEL

    @property
    def verdict(self) -> str:
        if self.shown is None:
            return "exploratory, which shows nothing"
        return "shown" if self.shown else "not shown"

    @property
    def sentence(self) -> str:
        """The claim, the numbers that speak for it or not, and the verdict."""
        claim, found = self.asked.claim, self.found
        said = claim_text(claim, self.asked.than, self.where)
        if not found.n:
            return (
                f"{said}: no tournament was paired to the end by both: {self.verdict}"
            )
        low, high = self.limits
        known = f"{low:+.4g} to {high:+.4g}" if isfinite(low + high) else "unknown"
        p = self.p if self.p_holm is None else self.p_holm
        chance = "p < 0.001" if p < 0.001 else f"p {p:.3f}"
        corrected = "" if self.p_holm is None else " corrected"
        some = f", of which {found.varied} vary" * has_few_varied(found.varied, found.n)
        return (
            f"{said}: difference {found.mean:+.4g} ({confidence_of(claim):.0%} interval "
            f"{known}), n = {found.n}{some}, {chance}{corrected}: {self.verdict}"
        )

    @property
    def row(self) -> dict[str, Any]:
        claim, found, than = self.asked.claim, self.found, self.asked.than
        return {
            "asked": ASKED[self.asked.hypothesis],
            "world": self.where,
            "model": claim.model,
            "than": than,
            "metric": claim.metric,
            "claim": claim.claim,
            "margin": claim.margin,
            "difference": found.mean,
            "low": self.limits[0],
            "high": self.limits[1],
            "n": found.n,
            "varied": found.varied,
            "p": self.p,
            "p_holm": self.p_holm,
            "verdict": self.verdict,
            "sentence": self.sentence,
        }


def tell_claims(design: StudyDesign, frame: pd.DataFrame) -> list[ClaimResult]:
    """What a study's table says of all that was asked, in its order. Hypotheses that ask the same
    of the same numbers are one when p-values are corrected.
    """
    worlds = [rows for _, rows in by_world(frame)]
    known: dict[tuple[int, Than, str], Mapping[str, Sample]] = {}
    made, questions = [], []
    for each in design.asked:
        rows, metric = worlds[each.world], each.claim.metric
        key = each.world, each.than, metric
        if key not in known:
            known[key] = samples(rows, [metric], each.than).get(metric, {})
        seen = known[key].get(each.claim.model, NOTHING)
        found = estimate(*seen)
        limits = found.limits(confidence_of(each.claim), apart(rows, metric))
        made.append((each, found, limits, p := p_against(each.claim, found)))
        questions.append(_question(each.claim, seen[0]))
    one: dict[tuple[str, float, bytes], float] = {}
    for question, (each, *_, p) in zip(questions, made, strict=True):
        if (
            each.hypothesis
        ):  # what is compared may differ: the largest p is safe for all
            one[question] = max(one.get(question, 0.0), p)
    corrected = dict(
        zip(
            one,
            correct_by_holm(np.array([*one.values()], np.float64)).tolist(),
            strict=True,
        )
    )
    return [
        ClaimResult(
            each,
            design.where(each.world),
            found,
            limits,
            p,
            corrected[question] if each.hypothesis else None,
        )
        for question, (each, found, limits, p) in zip(questions, made, strict=True)
    ]


def _question(claim: StudyClaim, values: Values) -> tuple[str, float, bytes]:
    """What is asked of which differences: of two claims that say the reverse, the same."""
    kind, turned = claim.claim, claim.claim == "less"
    if kind in ("different", "near"):
        turned = (values[values != 0] < 0)[:1].any()
    signed = -values if turned else values
    return "more" if kind == "less" else kind, claim.margin, (signed + 0.0).tobytes()


def confidence_of(claim: StudyClaim) -> float:
    """Of the interval that is told: two tests at 5 % that models are near are one of 90 %."""
    return 0.9 if claim.claim == "near" else 0.95


def p_against(claim: StudyClaim, found: Estimate) -> float:
    """Return the p-value of what the claim denies, 1 if nothing is known.

    For `less` and `more` it is the two-sided p-value. So a claim is never supported if its interval
    contains the bound.
    """
    if not found.n:
        return 1.0
    if claim.claim == "different":
        return found.p
    if claim.claim == "near":
        return found.p_within(claim.margin)
    mean = -found.mean if claim.claim == "less" else found.mean
    return min(2 * found.beyond(mean - claim.margin), 1)


def claim_text(claim: StudyClaim, than: Than, where: str) -> str:
    """The claim in words, without a verdict."""
    told = about(claim.metric)
    counted, name = (
        "counted" in told,
        escape_hidden(told.get("counted") or told.get("named", claim.metric)),
    )
    texts = read_package_toml(__package__ or "", "claims.toml")[
        "counted" if counted else "named"
    ]
    other = escape_hidden(than) if isinstance(than, str) else f"{than:g}"
    more = f" by more than {claim.margin:g}" * (
        claim.claim != "near" and claim.margin > 0
    )
    fields = {
        "model": escape_hidden(claim.model),
        "other": other,
        "name": name,
        "margin": claim.margin,
    }
    more += f" ({escape_hidden(where)})" * bool(where)
    return str(texts[claim.claim]).format(**fields) + more
