"""Write lock: Ctrl-C and other threads wait until files are in their places.

It also holds who makes a change, for the log of an event folder.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

EXIT_INTERRUPTED = 130
INTERRUPTED = "Interrupted: nothing more was written."
ACTOR: ContextVar[str] = ContextVar("who", default="python")
"""The actor who changes an event, as the log names them. The interface sets it."""

AGAINST: ContextVar[int] = ContextVar("against", default=0)
"""How often the user confirmed a step against FIDE's rules: twice to leave FIDE mode."""

NAMES_ARE_TYPED: ContextVar[bool] = ContextVar("names_are_typed", default=False)
"""Whether a person typed the names of players, see `names_are_typed`."""

_lock_pipe: tuple[int, int] | None = None
"""Both ends of a pipe that is empty while a thread holds the write lock."""


@contextmanager
def names_are_typed() -> Iterator[None]:
    """Mark names as typed by a person while the block runs (`NAMES_ARE_TYPED`).

    Commands on event folders then take a name as ambiguous if it is one player's
    identifier and another player's name.
    """
    reset_token = NAMES_ARE_TYPED.set(True)
    try:
        yield
    finally:
        NAMES_ARE_TYPED.reset(reset_token)


def enable_write_lock() -> None:
    """Create the write lock of this process, so that `write_lock` keeps threads apart.

    Until then `write_lock` does nothing. Call it once, before other threads start.
    """
    global _lock_pipe
    _lock_pipe = os.pipe()
    os.write(_lock_pipe[1], b".")


@contextmanager
def write_lock() -> Iterator[None]:
    """Hold the write lock: other threads that want it wait until the block ends.

    Code that writes files holds it, and so does the thread that ends the process after
    Ctrl-C. So no file is left half written. A thread that holds the lock must not ask
    for it again, because it would wait forever. Before `enable_write_lock` was called
    there is no lock, and nothing waits.
    """
    if _lock_pipe is None:
        yield
        return
    lock_byte = os.read(_lock_pipe[0], 1)
    try:
        yield
    finally:
        os.write(_lock_pipe[1], lock_byte)
