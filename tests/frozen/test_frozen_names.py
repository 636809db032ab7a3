"""No promised name is missing: somebody's file, script or plug-in has it."""

from __future__ import annotations

import pytest
from frozen.today import ROWS
from promised import names

RETIRED = {*names("retired_message_ids")}
"""Ids of fragments that stood inside other messages. No JSON contains them."""


def test_no_retired_message_id_is_used() -> None:
    """An old id with a new meaning would mislead whoever kept files with it."""
    assert RETIRED
    assert {*names("message_ids")} >= RETIRED
    used = RETIRED & {*ROWS["message_ids"]()}
    assert not used, f"retired message ids that are used: {sorted(used)}"


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS)
def test_no_name_is_missing(row: str) -> None:
    """Names of version 1.0.0 stay; new ones are added by `python tests/frozen/today.py`."""
    stored = names(row)
    assert stored
    missing = {*stored} - {*ROWS[row]()}
    if row == "message_ids":
        missing -= RETIRED
    assert not missing, f"{row}: promised names that are gone: {sorted(missing)}"
