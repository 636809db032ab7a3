"""Numbers from outside as nobody means them, and the walk that tries them in many places.

A case is one of them in one place, and a call that answers or refuses. The walk is in a copy of
this process that may take a gigabyte more than it has, and each case has its time.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from apart import apart

SECONDS = 20
"""Of one case, whatever its number."""
MORE = 1_000_000
"""Kilobytes of address space, beyond what is loaded."""

TEXTS = (
    "0",
    "-1",
    "-0",
    "+1",
    "99",
    "501",
    "3000000",
    "999999999",
    "100001",
    "1000001",
    str(10**9),
    str(2**31),
    str(2**63),
    str(10**18),
    "9" * 400,
    "9" * 10_000,
    "0" * 10_000 + "1",
    "1" + "0" * 400,
    "1e308",
    "-1e308",
    "1e9",
    "1e-400",
    "1e999999999",
    "0." + "0" * 9_999 + "1",
    "nan",
    "inf",
    "-inf",
    "NaN",
    "Infinity",
    "\u0663",
    "\u00b2",
    "1_000",
    "0x10",
    "0b1",
    "1,5",
    " 7 ",
    "7\u200b",
    "",
    "true",
    "None",
    "½",
    "[[1]]",
    "{}",
    "1-1",
    "B1",
    "B" + "9" * 400,
    "\u202e3",
)
"""Numbers, and what looks like one, as an address, a cell or an option has them."""
VALUES: tuple[Any, ...] = (
    0,
    -1,
    501,
    100_001,
    3_000_000,
    1_000_001,
    10**9,
    2**31,
    2**63,
    10**18,
    10**400,
    1e308,
    -1e308,
    0.1,
    1e-300,
    float("nan"),
    float("inf"),
    float("-inf"),
    True,
    False,
    [],
    [[1]],
    [[]] * 3,
    {},
    {"a": {"b": [1]}},
    *TEXTS,
)
"""The same as JSON and TOML have them."""


@dataclass(frozen=True)
class Case:
    """A number in a place; `call` says what is wrong with the answer, "" for nothing."""

    where: str
    call: Callable[[], str]


@dataclass(frozen=True)
class Walked:
    """How many cases there were, what was wrong with some of them, and the largest memory."""

    cases: int
    wrong: tuple[str, ...]
    peak_mb: int | None

    def __str__(self) -> str:
        return "\n".join([f"{self.cases} cases, {self.peak_mb} MB", *self.wrong])


class TooSlowError(Exception):
    """A case has had its time."""


def shortened(value: object) -> str:
    """A value as a case is called."""
    text = repr(value)
    return text if len(text) < 30 else f"{text[:20]}... ({len(text)})"


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooSlowError


def _size() -> int:
    """Kilobytes of address space of this process."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmSize:"))
    return int(line.split()[1])


def tried(case: Case) -> str:
    """What is wrong with an answer, or that there was none."""
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(SECONDS)
    try:
        return case.call()
    except MemoryError:
        return "memory"
    except TooSlowError:
        return f"more than {SECONDS} s"
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:100]} ({last.filename}:{last.lineno})"
    finally:
        signal.alarm(0)


def walked(
    cases: Callable[[], Iterable[Case]], every: int = 1, seconds: float = 600
) -> Walked:
    """All cases, or one of `every` so many, each with its own end."""

    def walk() -> tuple[int, list[str]]:
        chosen: Iterator[Case] = islice(iter(cases()), 0, None, every)
        count, wrong = 0, []
        for case in chosen:
            count += 1
            if said := tried(case):
                wrong.append(f"{case.where}: {said}")
        return count, wrong

    ended = apart(walk, seconds, _size() + MORE)
    if ended.ended is not None:
        return Walked(0, (f"the walk ended: {ended.ended}",), None)
    count, wrong = ended.value
    return Walked(count, tuple(wrong), ended.peak_mb)
