"""No promised name is missing: somebody's file, script or plug-in has it."""

from __future__ import annotations

import pytest
from frozen.today import ROWS
from promised import names


@pytest.mark.parametrize("row", ROWS)
def test_no_name_is_missing(row: str) -> None:
    """Names of version 1.0.0 stay; new ones are added by `python tests/frozen/today.py`."""
    stored = names(row)
    assert stored
    missing = {*stored} - {*ROWS[row]()}
    assert not missing, f"{row}: promised names that are gone: {sorted(missing)}"
