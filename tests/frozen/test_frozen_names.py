"""No promised name is missing: somebody's file, script or plug-in has it."""

from __future__ import annotations

import pytest
from frozen.today import ROWS
from promised import names
from promised_fields import promised_fields

RETIRED = {*names("retired_message_ids")}
"""Ids of fragments that stood inside other messages, and ids that no version had.

JSON of version 1.0.0 contains none of them.
"""


def test_no_retired_message_id_is_used() -> None:
    """An old id with a new meaning would mislead whoever kept files with it."""
    assert RETIRED
    assert {*names("message_ids")} >= RETIRED
    used = RETIRED & {*ROWS["message_ids"]()}
    assert not used, f"retired message ids that are used: {sorted(used)}"


def test_every_message_with_fields_of_version_1_0_has_its_id_frozen() -> None:
    """Otherwise the id could go while the fields of it stay promised."""
    assert {*promised_fields()} <= {*names("message_ids")}


def test_every_message_id_is_there_or_retired() -> None:
    """Scripts ask for the ids that version 1.0.0 wrote."""
    missing = {*names("message_ids")} - {*ROWS["message_ids"]()} - RETIRED
    assert not missing, f"message ids that are gone: {sorted(missing)}"


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
