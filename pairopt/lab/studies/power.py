"""Power: how many tournaments it takes to show what is claimed, from a pilot.

The pilot is played with another seed, so that none of its tournaments is one of the study. Of it
only the spread of differences is taken, never the differences: what they are to be is said in the
study.toml. Every hypothesis is reckoned at the level of Holm's first step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Final

import numpy as np

from pairopt.lab.comparison import play
from pairopt.lab.grid import by_world
from pairopt.lab.keeping import NOTHING_KEPT
from pairopt.lab.luck import words
from pairopt.lab.running import Watch
from pairopt.lab.statistics.comparing import paired
from pairopt.lab.statistics.estimate import error_of, scipy_stats, spread
from pairopt.lab.studies.claims import LEVEL, claim_text
from pairopt.lab.studies.file import Asked, Design
from pairopt.lab.studies.schema import Claim
from pairopt.wording import plain

MOST: Final = 1_000_000
SURE: Final = 0.8
"""How sure the larger number is, as a pilot does not know the spread for certain."""
LEAST: Final = 5
"""Tournaments of a pilot."""
PILOT: Final = 0x70696C6F74
"""What tells the seed of a pilot from that of the study."""


@dataclass(frozen=True)
class Planned:
    """What a hypothesis needs: tournaments by the pilot's spread, and at most, None for too many.

    Both are None too where no effect is given; `detectable` is the difference that the number of
    tournaments in the study.toml shows.
    """

    asked: Asked
    where: str
    pilot: int
    needed: int | None
    at_most: int | None
    detectable: float | None

    def sentence(self, power: float, replicates: int) -> str:
        """The same in words."""
        claim = self.asked.claim
        where = f" ({plain(self.where)})" * bool(self.where)
        said = f"{claim_text(claim, self.asked.than)}{where}"
        if self.pilot < LEAST:
            return f"{said}: the pilot has too few tournaments that were paired to the end"
        if claim.planned:
            known = f"a difference of {claim.effect:g}" if claim.effect else "no difference"
            least, most = (
                f"more than {MOST:,}" if n is None else f"{n:,}"
                for n in (self.needed, self.at_most)
            )
            return (
                f"{said}: {least} tournaments, at most {most}, with power {power:g} if there is "
                f"{known}"
            )
        return (
            f"{said}: {replicates:,} tournaments show a difference of {self.detectable:.3g} with "
            f"power {power:g} (`effect` says for which one to reckon)"
        )


def plan(
    design: Design, pilot: int, power: float, jobs: int = 1, watch: Watch | None = None
) -> list[Planned]:
    """What each hypothesis needs, from a pilot of so many tournaments a model."""
    seed = int(words(design.file.seed, PILOT)[0]) >> 33
    studies = [replace(study, seed=seed, games=False) for study in design.studies]
    frame = play(studies, NOTHING_KEPT, replicates=pilot, jobs=jobs, watch=watch)
    worlds = [rows for _, rows in by_world(frame)]
    asked = [each for each in design.asked if each.hypothesis]
    level = LEVEL / max(len(asked), 1)
    found = []
    for each in asked:
        claim, rows = each.claim, worlds[each.world]
        values, compared, widest = paired(rows, claim.metric, claim.model, each.than)
        n, where = len(values), design.where(each.world)
        if n < LEAST:
            found.append(Planned(each, where, n, None, None, None))
            continue
        seen, reach = spread(values, compared, widest)
        variance = seen * n / (n - 1)
        larger = seen * n / float(scipy_stats().chi2.ppf(1 - SURE, n - 1))
        needed, at_most = (_needed(claim, v, reach, level, power) for v in (variance, larger))
        count = design.file.replicates
        shown = _detectable(claim, count, error_of(max(count, 2), variance, reach), level, power)
        found.append(Planned(each, where, n, needed, at_most, shown))
    return found


def power_of(claim: Claim, n: int, variance: float, reach: float, level: float) -> float:
    """The probability that n tournaments show a claim, if its effect is the true difference.

    Of `near` the true difference is 0. `variance` and `reach` are those of `spread`.
    """
    error = error_of(n, variance, reach)
    if claim.claim == "near":
        t = scipy_stats().t
        room = claim.margin / error - float(t.ppf(1 - level, n - 1))
        return max(2 * float(t.cdf(room, n - 1)) - 1, 0.0)
    return _beyond((claim.effect or 0.0) - claim.margin, n, error, level)


def _beyond(distance: float, n: int, error: float, level: float) -> float:
    """The power of a two-sided t-test of a mean that is so far from its bound."""
    stats = scipy_stats()
    critical = float(stats.t.ppf(1 - level / 2, n - 1))
    return float(stats.nct.sf(critical, n - 1, distance / error))


def _needed(claim: Claim, variance: float, reach: float, level: float, power: float) -> int | None:
    """The least number of tournaments that has the power, None for none or more than `MOST`."""
    if not claim.planned:
        return None

    def enough(n: int) -> bool:
        return power_of(claim, n, variance, reach, level) >= power

    high = LEAST
    while not enough(high):
        if high >= MOST:
            return None
        high = min(2 * high, MOST)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _detectable(claim: Claim, n: int, error: float, level: float, power: float) -> float | None:
    """The least difference that n tournaments show with this power; None for `near`."""
    if claim.claim == "near" or n < 2 or error == inf:
        return None
    steps = np.linspace(0, 40, 4001)
    enough = [step for step in steps.tolist() if _beyond(step * error, n, error, level) >= power]
    return claim.margin + enough[0] * error if enough else None
