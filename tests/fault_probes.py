"""Find the tests that run the statement of each drawn fault.

Each statement gets a probe in a copy of the checkout. It writes the running test to a file, also
from a process that a test has started. One run of the tests then tells, for each fault, which tests
can notice it. A statement outside of functions gets no probe, because any test may need it.
"""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from drawn_faults import SELECT, Fault
from fault_anchors import SCOPES, Place, find_place, find_start
from forked_tests import run_all_tests
from planted_faults import copied

SECONDS = 1800
"""The time that one test may take with the probes."""
HELPER = """\
import os
seen = set()
def hit(fault):
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    if (fault, test) not in seen:
        seen.add((fault, test))
        line = f"{fault}\\t{test}\\n".encode()
        file = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, line)
        os.close(file)
    return False
"""


def find_tests_by_fault(faults: list[Fault], suite: str) -> dict[int, list[str]]:
    """Run the tests of a suite, "fast" or "long", with all probes; the key is a fault's position in the list.

    A fault without a probe has no key. One whose statement no test runs has an empty list.
    """
    with copied() as folder:
        log = folder.with_name("probes.log")
        log.touch()
        (folder / "fault_probes_helper.py").write_text(
            f"LOG = {str(log)!r}\n{HELPER}", "utf-8"
        )
        tests = {number: [] for number in _place_probes(faults, folder)}
        run_all_tests(folder, ("tests", *SELECT[suite]), SECONDS)
        for line in log.read_text("utf-8").splitlines():
            number, _, test = line.partition("\t")
            if test:
                tests[int(number)].append(test)
    return tests


def _place_probes(faults: Iterable[Fault], folder: Path) -> list[int]:
    by_module: dict[str, list[tuple[int, Fault]]] = defaultdict(list)
    for number, fault in enumerate(faults):
        if fault.is_tried:
            by_module[fault.module].append((number, fault))

    numbers: list[int] = []
    for module, some in by_module.items():
        path = folder / module
        code = path.read_text("utf-8")
        places = {number: find_place(code, fault.anchor) for number, fault in some}
        inside = {
            number: place
            for number, place in places.items()
            if is_in_function(code, place)
        }
        path.write_text(add_probes(code, inside), "utf-8")
        numbers += inside
    return numbers


def is_in_function(code: str, place: Place) -> bool:
    """Whether the statement runs when a function is called; the header of one does not count."""
    node: ast.AST = ast.parse(code)
    inside = False
    for field, position in place.path:
        inside = inside or isinstance(node, SCOPES[1:])
        node = getattr(node, field)[position]
    return inside and not isinstance(place.node, SCOPES)


def add_probes(code: str, places: Mapping[int, Place]) -> str:
    """Put a probe with its number in front of each statement, or first into its body."""
    inserts: list[tuple[int, str]] = []
    for number, place in places.items():
        probe = f"__import__('fault_probes_helper').hit({number})"
        node, start = place.node, find_start(code, place.node)
        if isinstance(node, ast.If) and code[start:].startswith("elif"):
            inserts.append((find_start(code, node.test), f"{probe} or "))
        elif isinstance(node, ast.ExceptHandler):
            inserts.append((find_start(code, node.body[0]), f"{probe}; "))
        elif hasattr(node, "body"):
            line = code[code.rfind("\n", 0, start) + 1 : start]
            inserts.append((start, f"{probe}\n{line}"))
        else:
            inserts.append((start, f"{probe}; "))

    for start, text in sorted(inserts, reverse=True):
        code = code[:start] + text + code[start:]
    ast.parse(code)
    return code


def write_tests(tests: Mapping[int, list[str]], path: Path) -> None:
    """Write what `find_tests_by_fault` returned."""
    path.write_text(json.dumps(tests, indent=1), "utf-8")


def read_tests(path: Path) -> dict[int, list[str]]:
    """Read what `write_tests` wrote."""
    return {
        int(number): tests
        for number, tests in json.loads(path.read_text("utf-8")).items()
    }
