"""The list of planted faults is honest: each can be planted, and is noticed, by no slow test."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from planted_faults import LIST, ROOT, Fault, copied, known, noticed, passes

FAULTS = {fault.what: fault for fault in known()}


def test_each_has_a_name_of_its_own() -> None:
    assert [*FAULTS] == [
        name for name, times in Counter(f.what for f in known()).items()
    ]
    assert len(FAULTS) == len(known())


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_each_can_be_planted(fault: Fault) -> None:
    """Where the code is another by now, the list is to say the fault anew."""
    code = (ROOT / fault.path).read_text("utf-8")
    assert len(fault.find(code)) == 1, f"say it anew in {LIST.name}"
    assert ast.dump(ast.parse(fault.planted(code))) != ast.dump(ast.parse(code))
    assert fault.tests
    assert all((ROOT / name).is_file() for name in fault.tests)


@pytest.fixture(scope="module")
def copy() -> Iterator[Path]:
    with copied() as folder:
        assert passes(
            folder, sorted({name for fault in known() for name in fault.tests})
        )
        yield folder


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_each_is_noticed(fault: Fault, copy: Path) -> None:
    assert noticed(fault, copy)
