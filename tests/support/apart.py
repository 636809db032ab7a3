"""A call in a process of its own: its peak memory, and an end for what takes too much."""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

MEMORY = 4_000_000
"""Kilobytes of address space that a call may have, as `ulimit -v` says it."""


@dataclass(frozen=True)
class Ended:
    """What a call gave, or how it ended: "memory", or "stopped" by the clock."""

    value: Any
    ended: str | None
    peak_mb: int | None


def peak_mb() -> int:
    """The largest resident memory of this process; ru_maxrss would hold the parent's too."""
    return _kilobytes("VmHWM:") // 1024


def _kilobytes(name: str) -> int:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith(name))
    return int(line.split()[1])


def apart(call: Callable[[], Any], seconds: float, memory: int = MEMORY) -> Ended:
    """The call's value from a copy of this process, which begins with what this one has loaded.

    A copy that ends without a word (a solver's own code does where it gets no memory) has ended
    for memory. Raises what the call raises.
    """
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    copy = context.Process(target=_answer, args=(call, memory, there))
    copy.start()
    there.close()
    try:
        if not here.poll(seconds):
            return Ended(None, "stopped", None)
        ended = here.recv()
    except EOFError:
        return Ended(None, "memory", None)
    finally:
        copy.kill()
        copy.join()
        here.close()
    if ended.ended == "raised":
        raise ended.value
    return ended  # type: ignore[no-any-return]


def _answer(call: Callable[[], Any], memory: int, there: Connection) -> None:
    most = 1024 * (_kilobytes("VmSize:") + memory)  # more than what it begins with
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        value, ended = call(), None
    except MemoryError:
        value, ended = None, "memory"
    except Exception as error:
        value, ended = error, "raised"
    there.send(Ended(value, ended, peak_mb()))
