"""Criteria of Gatherling and of bakert's swiss: weights of leaders and of equals."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.event import BYE_ROW, PLAYED
from pairopt.event.state import State
from pairopt.rules.base import SingleLevel


@dataclass(frozen=True)
class _Quality(SingleLevel):
    """Base of the weights of leaders and of equal opponents.

    `power` is that of the weight. A level counts what a pairing misses to the highest
    weights.
    """

    counts = "missing to the highest weights"
    reads_meetings = True
    power: ClassVar[int]
    reads = ("score",)

    def _quality(
        self, state: State, first_score: IntArray, second_score: IntArray
    ) -> IntArray:
        """Return ((i + 1) (c + 1)) to the power `power`, shape (m,).

        `first_score` and `second_score` are the scaled scores of the two players of
        each match. i is the higher of both, c the highest score of all less the gap:
        matches of leaders and of equals are worth most. The result is multiplied by the
        event's scale to twice the power.
        """
        higher_score_plus_one = np.maximum(first_score, second_score) + state.scale
        closeness = (
            int(state.score.max()) - np.abs(first_score - second_score) + state.scale
        )
        return np.asarray((higher_score_plus_one * closeness) ** self.power, np.int64)

    def _highest(self, state: State) -> int:
        """Return the highest possible quality of a match: two leaders of equal score.

        It is multiplied by the event's scale to twice the power, as qualities are.
        """
        return int((int(state.score.max()) + state.scale) ** (2 * self.power))

    def largest(self, state: State) -> int:
        """Return a bound on the cost of an arc: four times the highest quality.

        Raises UsageError for scores below zero.
        """
        if int(state.score.min()) < 0:
            raise UsageError("rule.below_zero", rule=self.kind)
        return 4 * self._highest(state)

    def scale(self, state: State) -> int:
        """Return the event's scale to twice the power: a quality multiplies two scores."""
        return int(state.scale ** (2 * self.power))


@dataclass(frozen=True)
class GatherlingQuality(_Quality):
    """Maximise Gatherling's weights: leaders, equal scores and new opponents first.

    Each pair of players has a weight, which is large for leaders and for players with
    equal scores. A pair that has not met has the weight (i + 1)² (c + 1)², plus a bonus
    of (h + 1)⁴ + 1. In this formula, i is the higher score of the pair, h is the
    highest score of all players, and c is h minus the score gap of the pair. A pair
    that has met has the weight 0.

    The bye counts as an opponent with the lowest score of all players who have had no
    bye. If the bye goes to a player with this lowest score who has had no bye, the
    bonus counts twice. The level of `gatherling_quality` shows how far the weight of a
    pairing is below the highest possible weight. The weights come from the program of
    Gatherling.
    """

    kind = "gatherling_quality"
    power = 2

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return the highest possible weight minus the weight of each arc, shape (m,).

        The weight is the quality of both scores plus the bonus, or 0 after an earlier
        meeting or bye. A bye has an opponent with the lowest score of those without a
        bye (0 if all had one), and twice the bonus if the player has that score, too.
        """
        highest_quality = self._highest(state)
        bonus_of_new_pair = highest_quality + self.scale(state)
        meeting_counts = np.where(
            arcs.bye, state.byes[arcs.first], state.meetings.met(arcs)
        )
        is_new = meeting_counts == 0

        scores_without_bye = state.score[state.byes == 0]
        lowest_score = int(scores_without_bye.min()) if len(scores_without_bye) else 0
        first_score = state.score[arcs.first]
        second_score = np.where(arcs.bye, lowest_score, state.score[arcs.second])
        score_quality = self._quality(state, first_score, second_score)
        bonus_count = np.where(arcs.bye & (first_score == lowest_score), 2, 1)
        arc_weight = np.where(
            is_new, score_quality + bonus_count * bonus_of_new_pair, 0
        )
        return np.asarray(
            highest_quality + 2 * bonus_of_new_pair - arc_weight, np.int64
        )

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return whether each player has had a bye, as the only array, shape (n,)."""
        return (state.byes > 0,)


@dataclass(frozen=True)
class BakertQuality(_Quality):
    """Prefer matches of leaders and of equal scores, weighted as in bakert's swiss.

    Each pair of players has the weight (i + 1) (c + 1), which is large for leaders and
    for players with equal scores. In this formula, i is the higher score of the pair, h
    is the highest score of all players, and c is h minus the score gap of the pair. The
    bye counts as an opponent with 0 points who comes last in the list of players.

    A pair can get a bonus of (h + 1)² + 1. The two players get the bonus if they have
    met at least once, but less often than the later player in the list has met some
    other player. A pair that has never met gets no bonus, as in the published program.
    The best pairing may therefore contain an avoidable rematch. The level of
    `bakert_quality` shows how far the weight of a pairing is below the highest possible
    weight. The weights come from the program bakert's swiss (swiss.py).
    """

    kind = "bakert_quality"
    power = 1
    bye_reads = ("byes",)

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return the highest possible weight minus the weight of each arc, shape (m,).

        The weight is the quality of both scores. It gets the bonus if they have met,
        but less often than the later player in the list has met somebody. A bye is an
        opponent with 0 points who comes last.
        """
        highest_quality = self._highest(state)
        bonus_of_rematch = highest_quality + self.scale(state)
        second_score = np.where(arcs.bye, 0, state.score[arcs.second])
        arc_weight = self._quality(state, state.score[arcs.first], second_score)

        meeting_counts = np.where(
            arcs.bye, state.byes[arcs.first], state.meetings.met(arcs)
        )
        most_meetings, most_byes = _count_most_meetings(state)
        is_second_later = state.player[arcs.second] > state.player[arcs.first]
        later_player = np.where(is_second_later, arcs.second, arcs.first)
        most_of_later = np.where(arcs.bye, most_byes, most_meetings[later_player])
        arc_weight += np.where(
            (meeting_counts > 0) & (meeting_counts < most_of_later), bonus_of_rematch, 0
        )
        return np.asarray(highest_quality + bonus_of_rematch - arc_weight, np.int64)


def _count_most_meetings(state: State) -> tuple[IntArray, int]:
    """Return how often each player has met one opponent at most, and the most byes.

    The first result has shape (n,), and counts the bye as an opponent. The second is
    the largest number of byes that one player of the event has had.
    """
    event, earlier_matches = state.event, state.event.before
    is_played = earlier_matches.status == PLAYED
    played_pairs = np.sort(
        np.column_stack(
            [earlier_matches.first[is_played], earlier_matches.second[is_played]]
        ),
        axis=1,
    )
    met_pairs, meeting_counts = np.unique(played_pairs, axis=0, return_counts=True)
    bye_counts = event.byes_brought.copy()
    np.add.at(bye_counts, earlier_matches.first[earlier_matches.status == BYE_ROW], 1)
    most_meetings = bye_counts.copy()
    for end_players in met_pairs.T:
        np.maximum.at(most_meetings, end_players, meeting_counts)
    return most_meetings[state.player], int(bye_counts.max(initial=0))
