"""No test asserts how long something took: a busy machine would fail it.

Bound the work instead: count calls or steps (`tests/support/steps.py`), or memory. Wait with
`wait_until` of `tests/support/waiting.py`. Times belong in `tests/benchmarks`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
CLOCKS = {
    "monotonic",
    "perf_counter",
    "process_time",
    "thread_time",
    "getrusage",
    "wait4",
}
CLOCKS |= {f"{name}_ns" for name in CLOCKS} | {"time_ns"}
TIMES = {"elapsed", "took", "taken_seconds", "seconds", "runtime"}
"""Names of elapsed time that may come from another process or another module."""
MENTIONED = re.compile(rf"\b({'|'.join(CLOCKS | TIMES)}|time\(\)|timeout=)")
SHORTEST_PATIENCE = 30_000
"""Milliseconds. A browser that is given less time to show something is timed by the test."""

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


def is_clock(node: ast.AST, clocks: set[str]) -> bool:
    """Whether a node is a call that tells the time, or that returns an elapsed time."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        is_method_time = node.func.attr == "time" and not node.args
        return is_method_time or node.func.attr in clocks
    return isinstance(node.func, ast.Name) and node.func.id in clocks


def is_timed(tree: ast.AST, clocks: set[str], names: set[str]) -> bool:
    """Whether an expression depends on a clock."""
    for node in ast.walk(tree):
        if is_clock(node, clocks):
            return True
        if isinstance(node, ast.Name) and node.id in names:
            return True
        if isinstance(node, ast.Attribute) and node.attr in TIMES:
            return True
    return False


def assigned(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The target and the value of an assignment, or of what is appended to a list."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield target, node.value
    if (
        isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr)
        and node.value is not None
    ):
        yield node.target, node.value
    if isinstance(node, ast.Call) and node.args:
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in ("append", "extend"):
            yield called.value, node.args[0]


def timed_names(scope: Scope, clocks: set[str]) -> set[str]:
    """Find the names of a function that depend on a clock."""
    names = set(TIMES)
    pairs = [pair for node in ast.walk(scope) for pair in assigned(node)]
    while True:
        before = len(names)
        for target, value in pairs:
            if is_timed(value, clocks, names):
                names |= {
                    each.id for each in ast.walk(target) if isinstance(each, ast.Name)
                }
        if len(names) == before:
            return names


def clocks_of(module: ast.Module) -> set[str]:
    """Find the functions of a module that return an elapsed time, with the clocks themselves."""
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    clocks = set(CLOCKS)
    while True:
        before = len(clocks)
        for function in functions:
            names = timed_names(function, clocks)
            returned = [n for n in ast.walk(function) if isinstance(n, ast.Return)]
            if any(is_timed(each, clocks, names) for each in returned):
                clocks.add(function.name)
        if len(clocks) == before:
            return clocks


def fails_the_test(node: ast.AST) -> bool:
    """Whether a statement is `raise AssertionError` or `pytest.fail(…)`."""
    said = ast.unparse(node)
    return said.startswith(("raise AssertionError", "pytest.fail("))


def says_that_it_is_there(test: ast.Compare) -> bool:
    """Whether a comparison only says that there is a time: `seconds > 0`, or `"seconds" in row`."""
    if any(isinstance(each, ast.In | ast.NotIn) for each in test.ops):
        return True
    is_lower_bound = all(isinstance(each, ast.Gt | ast.Eq) for each in test.ops)
    return is_lower_bound and ast.unparse(test.comparators[-1]) == "0"


def conditions(scope: Scope) -> Iterator[ast.expr]:
    """What a function asserts, in one of the ways there are."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Assert):
            yield node.test
        if isinstance(node, ast.If) and any(map(fails_the_test, node.body)):
            yield node.test


def impatient(module: ast.Module) -> Iterator[int]:
    """Lines on which a browser gets less than SHORTEST_PATIENCE."""
    for node in ast.walk(module):
        if isinstance(node, ast.keyword) and node.arg == "timeout":
            value = node.value
            if (
                isinstance(value, ast.Constant)
                and 900 < value.value < SHORTEST_PATIENCE
            ):
                yield value.lineno


def timed_assertions(code: str) -> list[int]:
    """Lines of a test module that assert elapsed time."""
    if not MENTIONED.search(code):
        return []
    module = ast.parse(code)
    clocks, found = clocks_of(module), set(impatient(module))
    scopes: list[Scope] = [module]
    scopes += [
        n
        for n in ast.walk(module)
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    for scope in scopes[1:] or scopes:
        names = timed_names(scope, clocks)
        for condition in conditions(scope):
            compared = [n for n in ast.walk(condition) if isinstance(n, ast.Compare)]
            timed = [each for each in compared if is_timed(each, clocks, names)]
            if not all(map(says_that_it_is_there, timed)):
                found.add(condition.lineno)
    return sorted(found)


@pytest.mark.parametrize(
    "line",
    [
        "assert time.monotonic() - start < 5",
        "took = time.process_time() - start; assert took < 5",
        "taken = []; taken.append(perf_counter() - start); assert max(taken) < 5",
        "assert measured() < 5",
        "code, length = 0, measured(); assert length <= 5",
        "assert result.seconds < 5",
        "assert 1 < loop.time() - start",
        "assert clock.ends == pytest.approx(time.time(), abs=20)",
        "if time.time() > end: raise AssertionError('too slow')",
        "if time.time() > end: pytest.fail('too slow')",
        "page.locator('#slow').wait_for(timeout=5000)",
    ],
)
def test_an_assertion_of_elapsed_time_is_found(line: str) -> None:
    code = (
        f"def measured():\n    return time.monotonic() - 3\ndef test():\n    {line}\n"
    )
    if line.startswith("if"):
        code = code.replace("): ", "):\n        ")
    code = code.replace("; ", "\n    ")
    assert timed_assertions(code)


@pytest.mark.parametrize(
    "line",
    [
        "while time.monotonic() < end: time.sleep(1)",
        "assert result.seconds > 0",
        "assert steps_of(call) < 5000",
        "assert process.wait(300) == 130",
        "page.locator('#slow').wait_for(timeout=60_000)",
    ],
)
def test_other_assertions_are_allowed(line: str) -> None:
    assert not timed_assertions(f"def test():\n    {line}\n")


@pytest.mark.long
def test_no_test_asserts_elapsed_time() -> None:
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        name = path.relative_to(TESTS)
        if name.parts[0] != "benchmarks":
            lines = timed_assertions(path.read_text("utf-8"))
            found += [f"{name}:{line}" for line in lines]
    assert not found, "these lines assert elapsed time, see the head of this file"


def test_hypothesis_times_no_example() -> None:
    defaults = settings()
    assert defaults.deadline is None
    assert HealthCheck.too_slow in defaults.suppress_health_check
