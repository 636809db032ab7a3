"""Processes that hear of Ctrl-C, also where the tests run in the background."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

PATIENCE = 300
"""Seconds that keep a broken run from hanging. Exit codes say whether the signal was heard."""


def _hear_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


hear_interrupts: Callable[[], None] | None = (
    _hear_interrupts if os.name == "posix" else None
)
"""The `preexec_fn` of a process that a test sends SIGINT.

A shell starts background commands with SIGINT ignored, for example `nohup pytest &`. Their
children inherit that. Python's own handler of Ctrl-C is only there where the signal is not ignored.
"""
