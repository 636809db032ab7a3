"""Try drawn faults in one run of pytest: all are planted, and a switch turns one on.

pytest imports the package and collects the tests once. Each fault is then turned on in a forked
process, which runs the tests that reach the statement of the fault until one fails. That is much
quicker than a run of pytest for each fault. A statement outside of functions, and the header of a
function or of `with`, get no switch.
"""

from __future__ import annotations

import ast
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from _pytest.main import pytest_runtestloop
from drawn_faults import NOBODY, NOT_RUN, SECONDS, SELECT, TIME_LIMIT, Fault
from fault_anchors import (
    Statement,
    find_end,
    find_place,
    find_start,
    parse_header,
    without_body,
)
from fault_probes import is_in_function
from forked_tests import OPTIONS, LastTest, enter_copy
from planted_faults import copied

VARIABLE = "DRAWN_FAULT"
"""The environment variable that turns a fault on in processes that a test starts."""
SWITCH = f"""\
import os

active = os.environ.get("{VARIABLE}", "")
"""
EXPRESSIONS = ("test", "iter", "type")
"""The fields of compound statements that may have a switch."""


def has_switch(code: str, fault: Fault) -> bool:
    """Whether a fault can be turned on and off while the module is loaded."""
    place = find_place(code, fault.anchor)
    if not is_in_function(code, place):
        return False
    return not hasattr(place.node, "body") or bool(_find_field(place.node, fault))


def _find_field(node: Statement, fault: Fault) -> str:
    """The one expression that differs in the header of a compound statement, or ""."""
    changed = parse_header(fault.changed)
    for name in EXPRESSIONS:
        if isinstance(getattr(node, name, None), ast.expr):
            header = without_body(node)
            setattr(header, name, getattr(changed, name, None))
            if ast.dump(header) == ast.dump(without_body(changed)):
                return name
    return ""


def add_switches(code: str, faults: Mapping[int, Fault]) -> str:
    """Plant faults of a module, each of which is off until its number is the active one."""
    by_span: dict[tuple[int, int], list[tuple[str, str]]] = defaultdict(list)
    expressions = set()
    for number, fault in faults.items():
        node = find_place(code, fault.anchor).node
        changed = fault.changed
        if hasattr(node, "body"):
            name = _find_field(node, fault)
            changed = ast.unparse(getattr(parse_header(changed), name))
            node = getattr(node, name)
            expressions.add(find_start(code, node))
        span = find_start(code, node), find_end(code, node)
        is_on = f"__import__('fault_switch').active == '{number}'"
        by_span[span].append((is_on, changed))

    for (start, end), cases in sorted(by_span.items(), reverse=True):
        sound = code[start:end]
        if start in expressions:
            choices = "".join(
                f"({changed}) if {is_on} else " for is_on, changed in cases
            )
            text = f"({choices}({sound}))"
        else:
            indent = code[code.rfind("\n", 0, start) + 1 : start]
            choices = f"\n{indent}el".join(
                f"if {is_on}: {changed}" for is_on, changed in cases
            )
            text = f"{choices}\n{indent}else: {sound}"
        code = code[:start] + text + code[end:]
    ast.parse(code)
    return code


def try_faults(
    faults: Mapping[int, Fault], tests: Mapping[int, list[str]], suite: str
) -> Iterator[tuple[int, str]]:
    """Yield the number of each fault with the first of its tests that notices the fault."""
    with copied() as folder:
        by_module: dict[str, dict[int, Fault]] = defaultdict(dict)
        for number, fault in faults.items():
            by_module[fault.module][number] = fault
        for module, some in by_module.items():
            path = folder / module
            path.write_text(add_switches(path.read_text("utf-8"), some), "utf-8")
        (folder / "fault_switch.py").write_text(SWITCH, "utf-8")

        context = get_context("fork")
        receiver, sender = context.Pipe(duplex=False)
        order = {number: tests[number] for number in faults}
        worker = context.Process(target=_run, args=(folder, order, suite, sender))
        worker.start()
        sender.close()
        for _ in faults:
            yield receiver.recv()
        worker.join()


def _run(
    folder: Path, tests: Mapping[int, list[str]], suite: str, sender: Connection
) -> None:
    enter_copy(folder)
    log = folder.with_name("last-test")
    plugins = [LastTest(log), _Trials(tests, SECONDS[suite], log, sender)]
    files = {name.split("::")[0] for names in tests.values() for name in names}
    kept = sorted(
        name
        for name in files
        if (folder / name).is_file() and Path(name).name not in NOT_RUN
    )
    sys.exit(pytest.main([*OPTIONS, *kept, *SELECT[suite]], plugins=plugins))


@dataclass
class _Trials:
    """A pytest plugin that runs tests once for each fault, instead of all tests once.

    `failing` are tests that fail without a fault, for example because they read the package as
    text. `sound` are tests that pass without a fault.
    """

    tests: Mapping[int, list[str]]
    seconds: float
    log: Path
    sender: Connection
    failing: set[str] = field(default_factory=set)
    sound: set[str] = field(default_factory=set)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        # all forked processes share the folder
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        for number, names in self.tests.items():
            self.sender.send((number, self._find_noticing_test(session, number, names)))
        return True

    def _find_noticing_test(
        self, session: pytest.Session, number: int, names: Iterable[str]
    ) -> str:
        items = {item.nodeid: item for item in session.items}
        while True:
            chosen = [
                items[name]
                for name in names
                if name in items and name not in self.failing
            ]
            test = self._run_forked(session, chosen, str(number))
            if not test:
                return NOBODY
            name = test.removesuffix(TIME_LIMIT)
            if name not in self.sound and self._run_forked(session, [items[name]], ""):
                self.failing.add(name)
                continue
            self.sound.add(name)
            return test

    def _run_forked(
        self, session: pytest.Session, items: list[pytest.Item], active: str
    ) -> str:
        """Return the first test that fails with a fault turned on; "" if all pass."""
        self.log.write_text("", "utf-8")
        child = os.fork()
        if not child:
            _run_items(session, items, active)

        status = None
        while status is None and time.time() - self.log.stat().st_mtime < self.seconds:
            time.sleep(0.02)
            ended, code = os.waitpid(child, os.WNOHANG)
            status = code if ended else None
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # also what a test has left running
        if status is None:
            os.waitpid(child, 0)
            return self.log.read_text("utf-8") + TIME_LIMIT
        return self.log.read_text("utf-8") if status else ""


def _run_items(session: pytest.Session, items: list[pytest.Item], active: str) -> None:
    """Run tests in this process until one fails, and end the process."""
    import fault_switch

    os.setpgid(0, 0)
    switch: Any = fault_switch
    switch.active = os.environ[VARIABLE] = active
    session.items = items
    with suppress(session.Failed):
        pytest_runtestloop(session)
        os._exit(0)
    os._exit(1)
