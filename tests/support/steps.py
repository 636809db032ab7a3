"""Work counted in steps instead of seconds: the lines of pairopt's code that a call runs.

The number does not depend on the machine, nor on what else runs on it. As a script it runs a
command line in the same way: `python steps.py MOST MODULE[:FUNCTION] ARGUMENT…`.
"""

from __future__ import annotations

import importlib
import os
import runpy
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pairopt

PACKAGE = str(Path(pairopt.__file__).parent)
TOO_MANY = 99
"""The exit code of a command that takes more steps than it may."""


class Steps:
    """A trace function that counts lines of pairopt, and calls `stop` after `most` of them."""

    def __init__(
        self, most: float = float("inf"), stop: Callable[[], None] | None = None
    ) -> None:
        self.count = 0
        self.most = most
        self.stop = stop

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if PACKAGE not in frame.f_code.co_filename:
            return None
        if event == "line":
            self.count += 1
            if self.count > self.most and self.stop is not None:
                self.stop()
        return self


def steps_of(call: Callable[[], object]) -> int:
    """Count the lines of pairopt's code that a call runs, in this thread and in those it starts."""
    steps = Steps()
    before = sys.gettrace()
    before_in_threads = threading.gettrace()
    threading.settrace(steps)
    sys.settrace(steps)
    try:
        call()
    finally:
        sys.settrace(before)
        threading.settrace(before_in_threads)
    return steps.count


def main() -> None:
    """Run a command line; write the number of its steps as the last line of standard error."""
    most, name, *arguments = sys.argv[1:]
    module, _, function = name.partition(":")
    sys.argv = [module, *arguments]

    def command() -> object:
        if function:
            return getattr(importlib.import_module(module), function)()
        return runpy.run_module(module, run_name="__main__")

    steps = Steps(int(most), lambda: os._exit(TOO_MANY))
    sys.settrace(steps)
    try:
        command()
    finally:
        sys.settrace(None)
        print(f"\n{steps.count}", file=sys.stderr)


if __name__ == "__main__":
    main()
