"""Telling: what a verb says, in the words of the terminal."""

from __future__ import annotations

from pairopt.folder import Done
from pairopt.messages.interfaces import TERMINAL


def said_by(done: Done) -> tuple[str, ...]:
    """Its sentences."""
    return tuple(map(TERMINAL.format_message, done.said))
