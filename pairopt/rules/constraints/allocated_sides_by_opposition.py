"""Constraint `allocated_sides_by_opposition`."""

from dataclasses import dataclass

from pairopt.event.fide import Fide
from pairopt.event.state import State
from pairopt.rules.constraints.allocated_sides import AllocatedSides


@dataclass(frozen=True)
class AllocatedSidesByOpposition(AllocatedSides):
    """The same as `allocated_sides`, but who has met the stronger opponents ranks higher.

    In the seeding rounds it is the same.

    Source: FIDE Handbook C.04.4.2, article 5.2.
    """

    kind = "allocated_sides_by_opposition"

    def _fide(self, state: State) -> Fide:
        return state.fide_by_opposition
