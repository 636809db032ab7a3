"""Origin: where an event was read, for messages that point there and for writing it back."""

from __future__ import annotations

from dataclasses import dataclass, field

from pairopt.errors import Fault, Place
from pairopt.event.layout import Layout


@dataclass(frozen=True, slots=True)
class Origin:
    """What only its files know of an event.

    `name` is what messages call them; `places` say where each row of matches is; `layout` how
    their list of matches is written; `unread` what they say besides.
    """

    name: str = "event"
    places: tuple[Place, ...] = ()
    layout: Layout = field(default_factory=Layout)
    unread: tuple[str, ...] = ()

    def fault(self, message: str, row: int, column: str) -> Fault:
        """What is wrong with a cell of a row of matches, and where it is, as far as is known."""
        return Fault(message, self.places[row].at(column) if self.places else None)
