"""Waiting for something that happens in another process or thread."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 300
"""Seconds that keep a broken run from hanging. A busy machine is never that slow."""


def wait_until(condition: Callable[[], object]) -> None:
    """Look again and again until a condition holds. Raises TimeoutError if it never does."""
    last = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > last:
            raise TimeoutError(f"did not happen: {condition}")
        time.sleep(0.02)
