"""Power: how many tournaments it takes to show what is claimed, from a pilot.

Of the pilot, which has another seed, only the spread of differences is taken, never these. Every
hypothesis is reckoned at the level of Holm's first step.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final, Unpack

from pairopt.lab.comparison import ExecutionOptions, play
from pairopt.lab.luck import random_words
from pairopt.lab.statistics.comparing import NOTHING, samples
from pairopt.lab.statistics.estimate import VarianceEstimate, scipy_stats, spread
from pairopt.lab.studies.hypotheses import LEVEL, claim_text
from pairopt.lab.studies.schema import StudyClaim
from pairopt.lab.studies.study_file import ClaimInWorld, StudyDesign
from pairopt.lab.table import by_world
from pairopt.lab.task_cache import NOTHING_KEPT

MOST: Final = 1_000_000
SURE: Final = 0.8  # how sure the larger number is, as a pilot does not know the spread for certain
LEAST: Final = 5  # tournaments of a pilot
TINY: Final = 1e-12  # for the spread of a pilot in which nothing varies
PILOT: Final = 0x70696C6F74  # what tells the seed of a pilot from that of the study


@dataclass(frozen=True)
class SampleSizePlan:
    """What a hypothesis needs: tournaments by the pilot's spread, and at most, None for too many
    or where no effect is given; `detectable` is what those in the study.toml show.
    """

    asked: ClaimInWorld
    where: str
    pilot: int
    needed: int | None
    at_most: int | None
    detectable: float | None

    def sentence(self, power: float, replicates: int) -> str:
        claim = self.asked.claim
        said = claim_text(claim, self.asked.than, self.where)
        if self.pilot < LEAST:
            return (
                f"{said}: the pilot has too few tournaments that were paired to the end"
            )
        if claim.planned:
            known = (
                f"a difference of {claim.effect:g}" if claim.effect else "no difference"
            )
            least, most = (
                f"more than {MOST:,}" if n is None else f"{n:,}"
                for n in (self.needed, self.at_most)
            )
            return (
                f"{said}: {least} tournaments, at most {most}, with power {power:g} if there "
                f"is {known}"
            )
        return (
            f"{said}: {replicates:,} tournaments show a difference of {self.detectable:.3g} "
            f"with power {power:g} (`effect` says for which one to reckon)"
        )


def plan(
    design: StudyDesign, pilot: int, power: float, **how: Unpack[ExecutionOptions]
) -> list[SampleSizePlan]:
    """What each hypothesis needs, from a pilot of so many tournaments a model."""
    seed = int(random_words(design.file.seed, PILOT)[0]) >> 33
    studies = [replace(study, seed=seed, games=False) for study in design.studies]
    frame = play(studies, NOTHING_KEPT, pilot, **how)
    worlds = [rows for _, rows in by_world(frame)]
    asked = [each for each in design.asked if each.hypothesis]
    level = LEVEL / max(len(asked), 1)
    found = []
    for each in asked:
        claim, rows = each.claim, worlds[each.world]
        by_name = samples(rows, [claim.metric], each.than).get(claim.metric, {})
        values, compared, widest = by_name.get(claim.model, NOTHING)
        n, where = len(values), design.where(each.world)
        if n < LEAST:
            found.append(SampleSizePlan(each, where, n, None, None, None))
            continue
        seen = spread(values, compared, widest)
        total = max(n * seen.variance, TINY)
        likely = replace(seen, variance=total / (n - 1))
        larger = total / float(scipy_stats().chi2.ppf(1 - SURE, n - 1))
        both = likely, replace(likely, variance=larger)
        needed, at_most = (_sample_size(claim, one, level, power) for one in both)
        shown = _detectable(claim, max(design.file.replicates, 2), likely, level, power)
        found.append(SampleSizePlan(each, where, n, needed, at_most, shown))
    return found


def power_of(
    claim: StudyClaim, n: int, spread: VarianceEstimate, level: float
) -> float:
    """The probability that n tournaments whose differences have this spread show a claim, if its
    effect (of `near` 0) is the true difference.
    """
    # the standard error of the test knows of imagined values, the mean itself does not
    error, own = spread.error(n), sqrt(spread.variance / n)
    if claim.claim == "near":
        room = claim.margin - _critical(level, n) * error
        return max(2 * float(scipy_stats().norm.cdf(room / own)) - 1, 0.0)
    room = (claim.effect or 0.0) - claim.margin - _critical(level / 2, n) * error
    return float(scipy_stats().norm.cdf(room / own))


def _critical(level: float, n: int) -> float:
    return float(scipy_stats().t.ppf(1 - level, n - 1))


def _sample_size(
    claim: StudyClaim, spread: VarianceEstimate, level: float, power: float
) -> int | None:
    """The least number of tournaments that has the power, None for none or more than `MOST`."""
    counts = range(3, MOST + 1) if claim.planned else range(0)
    least = bisect_left(
        counts, True, key=lambda n: power_of(claim, n, spread, level) >= power
    )
    return counts[least] if least < len(counts) else None


def _detectable(
    claim: StudyClaim, n: int, spread: VarianceEstimate, level: float, power: float
) -> float | None:
    """The least difference that n tournaments show with this power; None for `near`."""
    if claim.claim == "near":
        return None
    needed = _critical(level / 2, n) * spread.error(n)
    return (
        claim.margin
        + needed
        + float(scipy_stats().norm.ppf(power)) * sqrt(spread.variance / n)
    )
