"""Notes as the terminal shows them."""

from collections.abc import Iterable
from typing import Any

from pairopt.messages.interfaces import TERMINAL


def notes_of(what: Any) -> tuple[str, ...]:
    """The notes of an event, a result or what was written, or those given, as texts."""
    notes: Iterable[Any] = getattr(what, "notes", what)
    return tuple(map(TERMINAL.format_message, notes))
