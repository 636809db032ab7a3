"""Criterion `rematches`."""

from collections.abc import Sequence
from dataclasses import dataclass

from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.state import State
from pairopt.messages.formatting import times_text
from pairopt.rules.base import Criterion, Label, one_hot


@dataclass(frozen=True)
class Rematches(Criterion):
    """Avoid rematches and second byes, and avoid third meetings even more."""

    kind = "rematches"
    reads_meetings = True
    bye_reads = ("byes",)

    def labels(self, state: State) -> Sequence[Label]:
        """Return the numbers of earlier meetings that occur, from the most down to 1.

        With an odd number of players, earlier byes count like meetings.
        """
        most_meetings = int(state.meetings.count.max(initial=0))
        if state.odd:
            most_meetings = max(most_meetings, int(state.byes.max(initial=0)))
        return range(most_meetings, 0, -1)

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        """Return 1 in the column of the number of earlier meetings, shape (m, levels).

        `labels` are such numbers. For a bye it is the number of the player's earlier
        byes. First meetings and first byes have a row of zeros.
        """
        meeting_counts = state.meetings.met(arcs)
        bye_arc_indices = arcs.alone
        if len(bye_arc_indices):
            meeting_counts[bye_arc_indices] = state.byes[arcs.first[bye_arc_indices]]
        return one_hot(meeting_counts, labels)

    def words(self, label: Label) -> str:
        """Return what a level counts, in plain words.

        `label` is the number of earlier meetings.
        """
        if int(label) == 1:
            return "rematches, or second byes"
        return f"matches of players who have met {times_text(int(label))} before, or such byes"
