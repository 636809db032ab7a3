"""Against FIDE's rules: steps that say so, as the doors do when somebody has been asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pairopt.common.atomic_write import AGAINST


@contextmanager
def against_fide(times: int = 1) -> Iterator[None]:
    """Once: what breaks FIDE mode is kept; twice: what leaves it is done too."""
    known = AGAINST.set(times)
    try:
        yield
    finally:
        AGAINST.reset(known)
