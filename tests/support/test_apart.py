"""A call in a process of its own ends as it should, however it ends."""

import os
import threading

import pytest
from apart import apart


@pytest.mark.long
def test_its_value_and_its_memory() -> None:
    small = apart(lambda: 6 * 7, 60)
    large = apart(lambda: len(bytearray(300_000_000)), 60)
    assert (small.value, small.ended) == (42, None)
    assert large.value == 300_000_000
    assert small.peak_mb is not None
    assert large.peak_mb is not None
    assert large.peak_mb - small.peak_mb > 250


def test_what_is_too_large_ends_for_memory() -> None:
    assert apart(lambda: len(bytearray(8_000_000_000)), 60).ended == "memory"
    assert apart(lambda: os._exit(1), 60).ended == "memory"


def test_what_takes_too_long_is_stopped() -> None:
    assert apart(threading.Event().wait, 0.2).ended == "stopped"


def test_an_error_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        apart(lambda: 1 // 0, 60)
