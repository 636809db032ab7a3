"""Contender `oracle`."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.lab.contenders import Pairs
from pairopt.lab.play import paired
from pairopt.problem.model import Model
from pairopt.rules.constraints.meetings import NoRematch
from pairopt.rules.criteria.bye_score import ByeScore
from pairopt.rules.criteria.pairing_style import PairingStyle
from pairopt.rules.criteria.score_groups import ScoreGroups

TITLE = "Score groups, in each the best against the worst by true strength"
CRITERIA = (ByeScore(), ScoreGroups(), PairingStyle("fold"))
MODEL = Model(
    name="oracle", title=TITLE, source="", constraints=(NoRematch(),), criteria=CRITERIA
)


@dataclass(frozen=True)
class Oracle:
    """A Swiss system that knows the true strengths: a bound for all other methods.

    It pairs score groups, in each the best against the worst, and nobody meets twice.
    The event needs a column "strength". A call with an event returns the pairs of its
    next round.
    """

    kind: ClassVar[str] = "oracle"

    def __call__(self, event: Event, seed: int, /) -> Pairs | None:
        """Return the pairs of the next round by true strength, None if there are none.

        Raises UsageError if the event has no column "strength", or if that has a cell
        that is no number.
        """
        if "strength" not in event.columns:
            raise UsageError("contender.oracle_no_column")
        try:
            strengths = np.array(event.columns["strength"], np.float64)
        except ValueError:
            raise UsageError("contender.oracle_no_numbers") from None
        strength_ranks = np.argsort(np.argsort(strengths, kind="stable"))
        event_with_strength = replace(event, rating=strength_ranks, rating_scale=1)
        pairing_result = paired(event_with_strength, MODEL, seed)
        return pairing_result.pairs if pairing_result.arcs is not None else None
