"""Drawn faults: 200 planted faults that stay the same, and the test that notices each.

    python tests/drawn_faults.py run                    plant those without an outcome
    python tests/drawn_faults.py run --again            plant all of them again
    python tests/drawn_faults.py run --long             try long tests where no fast one fails
    python tests/drawn_faults.py run --order 7          plant in a random order, drawn with seed 7
    python tests/drawn_faults.py probe FILE             find the fast tests that run each statement
    python tests/drawn_faults.py probe --long FILE      find the long tests that do
    python tests/drawn_faults.py run --probes FILE      run only the tests found, which is quicker
    python tests/drawn_faults.py share                  count those that are noticed
    python tests/drawn_faults.py reanchor COMMIT        find the statements after names have changed
    python tests/drawn_faults.py draw 283a5165          draw the list (needs the extra "mutants")

The list is `drawn_faults.toml`. Its faults were drawn over all packages, with a commit's hash as
the seed, so they say which share of possible faults the tests notice. `planted_faults.toml` has
faults that somebody chose.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import click
import tomlkit
from fault_anchors import Anchor, AnchorError, find_place, format_header, plant
from forked_tests import SETUP, load_libraries, run_tests
from nearest import ROOT, Call, calls_for
from planted_faults import copied

LIST = Path(__file__).with_suffix(".toml")
HEADER = """\
200 faults drawn over all packages; tests/drawn_faults.py plants them and writes this file.
fast: the fast test that notices the fault, or "nobody"; long: the same for the long tests of CI.
retired: why the fault cannot be planted any more; equivalent: why no test can notice it.
"""
NOBODY = "nobody"
TIME_LIMIT = " (time limit)"
"""Stands after a test that took too long."""
SECONDS = {"fast": 120, "long": 600}
"""A fault that hangs a test for so long is noticed."""
SELECT = {"fast": ("-m", "fast"), "long": ("-m", "long and not slow and not sweep")}
NOT_RUN = ("test_drawn_faults.py", "test_planted_faults.py")
"""These tests read the text of the package, so every fault fails them."""


@dataclass(frozen=True)
class Fault:
    """A statement of a module, and what it is changed to.

    `fast` and `long` name the test that notices the fault, or "nobody"; "" is not tried yet.
    """

    module: str
    scope: str
    statement: str
    changed: str
    occurrence: int = 1
    fast: str = ""
    long: str = ""
    equivalent: str = ""
    retired: str = ""

    @property
    def anchor(self) -> Anchor:
        return Anchor(self.scope, self.statement, self.occurrence)

    @property
    def name(self) -> str:
        """A short name that no other fault of the list has."""
        number = f" ({self.occurrence})" if self.occurrence > 1 else ""
        return f"{self.module}::{self.scope}{number}: {self.changed}"

    @property
    def is_tried(self) -> bool:
        """Whether it can be planted, and a test could notice it."""
        return not (self.retired or self.equivalent)

    def plant(self, code: str) -> str:
        """Return the module's code with the fault."""
        return plant(code, self.anchor, self.changed)

    def rewrite(self, code: str) -> str:
        """Return the module's code with the statement in the fault's layout, but without it."""
        return plant(
            code, self.anchor, format_header(find_place(code, self.anchor).node)
        )


def read_faults(path: Path = LIST) -> list[Fault]:
    """Read the list."""
    return parse_faults(path.read_text("utf-8"))


def parse_faults(text: str) -> list[Fault]:
    """Parse the text of a list."""
    rows = tomlkit.parse(text).unwrap()["fault"]
    return [Fault(**row) for row in rows]


def write_faults(faults: list[Fault], commit: str, path: Path = LIST) -> None:
    """Write the list; values that are the default are left out."""
    defaults = {field.name: field.default for field in fields(Fault)}
    document = tomlkit.document()
    for line in HEADER.splitlines():
        document.add(tomlkit.comment(line))
    document.add("seed", tomlkit.item(commit))

    table = tomlkit.aot()
    for fault in faults:
        row = asdict(fault)
        table.append(
            tomlkit.item({key: row[key] for key in row if row[key] != defaults[key]})
        )
    document.add("fault", table)

    beside = path.with_suffix(".new")
    beside.write_text(tomlkit.dumps(document), "utf-8")
    beside.replace(path)


def read_seed(path: Path = LIST) -> str:
    """Return the hash of the commit that the list was drawn with."""
    return str(tomlkit.parse(path.read_text("utf-8")).unwrap()["seed"])


# ------------------------------------------------------------------ planting


def list_calls(fault: Fault, suite: str) -> Iterator[Call]:
    """List the calls of pytest: the test that noticed it before, those nearby, all of the suite."""
    known = fault.fast if suite == "fast" else fault.long
    test = known.removesuffix(TIME_LIMIT)
    if (ROOT / test.split("::")[0]).is_file():
        yield (test, *SELECT[suite])

    tried: set[Call] = set()
    for near in calls_for(fault.module):
        call = (*[word for word in near if word not in ("-m", "fast")], *SELECT[suite])
        if call not in tried:
            tried.add(call)
            yield call
    yield ("tests", *SELECT[suite])


def _sort_tests(tests: Sequence[str], fault: Fault) -> list[str]:
    """Sort tests: one case of each function, the nearest first, then the second cases."""
    distance = _distance_from(fault)
    cases: Counter[str] = Counter()
    turns: list[tuple[int, tuple[int, int], str]] = []
    for test in dict.fromkeys(tests):
        function = test.split("[")[0]
        turns.append((cases[function], distance(test), test))
        cases[function] += 1
    return [test for _, _, test in sorted(turns)]


def _distance_from(fault: Fault) -> Callable[[str], tuple[int, int]]:
    """Sort tests: those in a file with the module's name, then those with its package's."""
    words = fault.module.removesuffix(".py").split("/")[1:]

    def distance(test: str) -> tuple[int, int]:
        path = test.split("::")[0]
        return -(words[-1] in path), -sum(word in path for word in words)

    return distance


def find_noticing_test(fault: Fault, folder: Path, suite: str, number: int) -> str:
    """Plant a fault in the copy at `folder` and return the first test that notices it.

    A test that fails as well when the statement is only written in the fault's layout does not
    count, for example one that reads the package as text.
    """
    path = folder / fault.module
    sound = path.read_text("utf-8")
    faulty, rewritten = fault.plant(sound), fault.rewrite(sound)
    ignored = [f"--ignore=tests/{name}" for name in NOT_RUN]

    try:
        for call in list_calls(fault, suite):
            while True:
                _write_module(path, faulty, 2 * number)
                outcome = run_tests(folder, (*call, *ignored), SECONDS[suite])
                if not outcome.failed:
                    break

                _write_module(path, rewritten, 2 * number + 1)
                alone = (
                    (outcome.test, "-m", "not slow") if outcome.test != SETUP else call
                )
                if run_tests(folder, alone, SECONDS[suite]).passed:
                    return outcome.test + ("" if outcome.code else TIME_LIMIT)
                if outcome.test == SETUP:
                    break  # for example a test that is no longer there
                ignored += ["--deselect", outcome.test]
        if not outcome.passed:
            raise click.ClickException(f"pytest did not run: {' '.join(call)}")
    finally:
        path.write_text(sound, "utf-8")
    return NOBODY


def _write_module(path: Path, code: str, second: int) -> None:
    path.write_text(code, "utf-8")
    # each version gets its own time, otherwise Python may take the bytecode of another
    os.utime(path, (second, second))


@cache
def _copy() -> Path:
    """The copy of the checkout that belongs to this process."""
    return _COPIES.enter_context(copied())


_COPIES = ExitStack()


def _try_fault(fault: Fault, suite: str, number: int) -> str:
    return find_noticing_test(fault, _copy(), suite, number)


def _try_faults(
    faults: list[Fault], chosen: list[int], suite: str, workers: int
) -> Iterator[tuple[int, str]]:
    """Plant faults one at a time, and yield the number and the outcome of each."""
    context = get_context("fork")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        tries = {pool.submit(_try_fault, faults[k], suite, k): k for k in chosen}
        for task in as_completed(tries):
            yield tries[task], task.result()


# ------------------------------------------------------------------ commands


@click.group()
def command() -> None:
    """Draw faults, plant them, and keep the list of them."""


@command.command("draw")
@click.argument("commit")
@click.option("--number", default=200, show_default=True)
def draw(commit: str, number: int) -> None:
    """Draw the list with the hash of COMMIT as the seed, and overwrite the old one."""
    from draw_faults import draw_faults  # needs mutmut, which the other commands do not

    words = ("git", "rev-parse", commit)
    seed = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    write_faults(draw_faults(number, seed.strip()), seed.strip())


@command.command("run")
@click.option("--again", is_flag=True, help="Plant also those that have an outcome.")
@click.option(
    "--long",
    "suite",
    flag_value="long",
    help="Run the long tests for faults that no fast test notices.",
)
@click.option(
    "--order", type=int, help="Plant in a random order, drawn with this seed."
)
@click.option(
    "--workers", default=1, show_default=True, help="Processes at the same time."
)
@click.option(
    "--probes",
    type=click.Path(path_type=Path),
    help="Run only the tests that this file, written by `probe`, has for a fault;"
    " faults outside of functions get all tests.",
)
@click.option(
    "--most",
    type=int,
    help="Run only so many of the tests found, the nearest. A fault that these do not"
    " notice gets no outcome.",
)
def run(
    again: bool,
    suite: str | None,
    order: int | None,
    workers: int,
    probes: Path | None,
    most: int | None,
) -> None:
    """Plant the faults and write what notices each; stop and continue whenever you like."""
    suite = suite or "fast"
    faults = read_faults()
    chosen = [k for k, fault in enumerate(faults) if _is_chosen(fault, suite, again)]
    if order is not None:
        random.Random(order).shuffle(chosen)
    load_libraries()

    tests = _read_probes(probes)
    at_once = [k for k in chosen if k in tests and _has_switch(faults[k])]
    alone = [k for k in chosen if k not in at_once]
    outcomes = chain(
        _try_at_once(faults, at_once, tests, suite, most),
        _try_faults(faults, alone, suite, workers),
    )
    for done, (k, test) in enumerate(outcomes, 1):
        faults[k] = replace(faults[k], **{suite: test})
        write_faults(faults, read_seed())
        click.echo(
            f"{done} of {len(chosen)}: {test or 'not yet'}: {k}: {faults[k].name}"
        )
    click.echo(describe_share(faults))


def _read_probes(path: Path | None) -> dict[int, list[str]]:
    from fault_probes import read_tests

    return read_tests(path) if path else {}


def _has_switch(fault: Fault) -> bool:
    from fault_switches import has_switch

    return has_switch((ROOT / fault.module).read_text("utf-8"), fault)


def _try_at_once(
    faults: list[Fault],
    chosen: list[int],
    tests: dict[int, list[str]],
    suite: str,
    most: int | None,
) -> Iterator[tuple[int, str]]:
    """Plant faults with switches, and yield the number and the outcome of each.

    The outcome is "" if no test noticed a fault, but not all tests ran.
    """
    from fault_switches import try_faults

    if not chosen:
        return
    order = {k: _sort_tests(tests[k], faults[k]) for k in chosen}
    first = {k: names[:most] for k, names in order.items()}
    for k, test in try_faults({k: faults[k] for k in chosen}, first, suite):
        is_open = test == NOBODY and len(first[k]) < len(order[k])
        yield k, "" if is_open else test


@command.command("probe")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--long", "suite", flag_value="long", help="Run the long tests instead.")
def probe(file: Path, suite: str | None) -> None:
    """Find the fast tests that run the statement of each fault, and write them to FILE."""
    from fault_probes import find_tests_by_fault, write_tests

    load_libraries()
    write_tests(find_tests_by_fault(read_faults(), suite or "fast"), file)


def _is_chosen(fault: Fault, suite: str, again: bool) -> bool:
    if not fault.is_tried:
        return False
    if suite == "long":
        return fault.fast == NOBODY and (again or not fault.long)
    return again or not fault.fast


@command.command("share")
def share() -> None:
    """Count the faults that are noticed, by package."""
    faults = read_faults()
    noticed = Counter(
        _package(fault) for fault in faults if fault.fast not in ("", NOBODY)
    )
    for package, number in sorted(Counter(map(_package, faults)).items()):
        click.echo(f"{package}: {noticed[package]} of {number}")
    click.echo(describe_share(faults))


def _package(fault: Fault) -> str:
    first, *rest = fault.module.removeprefix("pairopt/").split("/")
    return first if rest else "pairopt"


def describe_share(faults: list[Fault]) -> str:
    """Say how many faults fast tests notice, and how many those do that are not slow."""
    tried = [fault for fault in faults if fault.is_tried and fault.fast]
    fast = [fault for fault in tried if fault.fast != NOBODY]
    unknown = [fault for fault in tried if fault.fast == NOBODY and not fault.long]
    long = [fault for fault in tried if fault.long not in ("", NOBODY)]
    return (
        f"{len(faults)} faults, {len(tried)} tried; fast tests notice {len(fast)},"
        f" longer tests {len(long)} more; {len(unknown)} not tried with longer tests"
    )


@command.command("reanchor")
@click.argument("commit")
def reanchor(commit: str) -> None:
    """Find the statements again that the list had at COMMIT, where only names have changed.

    Outcomes and reasons stay as they are in today's list.
    """
    from reanchor_faults import read_old_faults, reanchor_faults

    faults = read_old_faults(commit, read_faults())
    found, lost = reanchor_faults(faults, commit)
    write_faults(found, read_seed())
    for fault in lost:
        click.echo(f"not found: {fault.name}")
    click.echo(f"{len(faults) - len(lost)} of {len(faults)} found")
    sys.exit(bool(lost))


def check_fault(fault: Fault) -> str:
    """Say why a fault cannot be planted today; "" where it can."""
    path = ROOT / fault.module
    if not path.is_file():
        return f"{fault.module} is gone"
    try:
        fault.plant(path.read_text("utf-8"))
    except AnchorError as error:
        return f"{fault.module}: {error}"
    return ""


if __name__ == "__main__":
    command()
