"""Whole: what Ctrl-C ends has written its files whole, or not at all; and who has them written."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

EXIT_INTERRUPTED = 130
INTERRUPTED = "Interrupted: nothing more was written."
ACTOR: ContextVar[str] = ContextVar("who", default="python")
"""Who changes an event, as its log says it: the door sets it."""

AGAINST: ContextVar[int] = ContextVar("against", default=0)
"""How often somebody has said that a step may be against FIDE's rules: twice to leave FIDE mode."""

_turn: tuple[int, int] | None = None
"""The ends of a pipe that is empty while files are put in their places."""


def enable_write_lock() -> None:
    """From now on `whole` keeps threads apart."""
    global _turn
    _turn = os.pipe()
    os.write(_turn[1], b".")


@contextmanager
def write_lock() -> Iterator[None]:
    """Nobody else who asks for this first writes files, or ends those who write them."""
    if _turn is None:
        yield
        return
    taken = os.read(_turn[0], 1)
    try:
        yield
    finally:
        os.write(_turn[1], taken)
