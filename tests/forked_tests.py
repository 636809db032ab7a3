"""Run pytest in a forked process on a copy of the checkout, and say which test failed."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import pytest
from nearest import Call

LIBRARIES = (
    "hypothesis",
    "networkx",
    "ortools.sat.python.cp_model",
    "pandas",
    "pydantic",
    "rich",
)
"""What the tests import and no fault changes: loaded once for all processes."""

OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "--hypothesis-profile", "mutants")
SETUP = "tests/conftest.py"
"""Stands for a test where pytest fails before the first one."""


def load_libraries() -> None:
    """Import the libraries of the tests, so that forked processes have them."""
    for name in LIBRARIES:
        import_module(name)


@dataclass(frozen=True)
class LastTest:
    """A pytest plugin that writes the id of the running test to a file.

    With `-x` the last test that began is the one that failed.
    """

    path: Path

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.path.write_text(report.nodeid, "utf-8")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.path.write_text(nodeid, "utf-8")


@dataclass(frozen=True)
class Outcome:
    """How a call of pytest ended: `code` is its exit code, None after the time limit.

    `test` is the test that ran last, which is the one that failed.
    """

    code: int | None
    test: str

    @property
    def passed(self) -> bool:
        """Whether there were tests and all passed."""
        return self.code == pytest.ExitCode.OK

    @property
    def failed(self) -> bool:
        """Whether a test failed; no test at all is no failure."""
        return self.code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def run_tests(folder: Path, call: Call, seconds: float) -> Outcome:
    """Run tests of the copy at `folder` until one fails or takes longer than the seconds."""
    log = folder.with_name(f"{folder.name}-last-test")
    log.write_text(SETUP, "utf-8")
    worker = get_context("fork").Process(target=_run, args=(folder, call, log))
    worker.start()
    while worker.is_alive() and time.time() - log.stat().st_mtime < seconds:
        worker.join(1)

    code = worker.exitcode
    assert worker.pid is not None
    with suppress(ProcessLookupError):
        os.killpg(worker.pid, signal.SIGKILL)  # also what a test has left running
    worker.join()
    return Outcome(code, log.read_text("utf-8"))


def run_all_tests(folder: Path, call: Call, seconds: float) -> Outcome:
    """Run tests of the copy at `folder`, also after one has failed."""
    return run_tests(folder, (*call, "--maxfail=1000000"), seconds)


def _run(folder: Path, call: Call, log: Path) -> None:
    enter_copy(folder)
    sys.exit(pytest.main([*OPTIONS, *call], plugins=[LastTest(log)]))


def enter_copy(folder: Path) -> None:
    """Make this process, forked for that, one that runs silently in a copy of the checkout."""
    os.setpgid(0, 0)  # so that a test's own processes end with it
    os.chdir(folder)
    os.environ["PYTHONPATH"] = str(folder)
    sys.path[0] = str(folder)  # instead of the script's folder
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
