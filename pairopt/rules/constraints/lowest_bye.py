"""Constraint `lowest_bye`."""

from dataclasses import dataclass

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class LowestBye(Constraint):
    """The bye goes to the lowest-ranked player who has played and had no bye.

    `lowest_bye` ranks players by points, then by strength of schedule (SoS), then by
    extended SoS. If every player who has played already had a bye, the bye goes to a
    player with the fewest byes. If several players have the fewest byes, the bye goes
    to the lowest-ranked of them.
    """

    kind = "lowest_bye"

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False for a bye of anyone but the lowest eligible player, shape (m,).

        It is True for every match.
        """
        return arcs.match | state.lowest[arcs.first]

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return one array: whether each player is the lowest eligible one.

        Shape (n,).
        """
        return (state.lowest,)
