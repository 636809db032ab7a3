"""Which tests are fast, how the examples of hypothesis are drawn for planted faults; a browser."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import pytest
from hypothesis import HealthCheck, Phase, settings
from nested_messages import refuse_nested_messages
from promised_fields import refuse_missing_fields

# hundreds of commands are started, each of which would compile the package again
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# no test reads the rating lists of the person who runs it
os.environ["PAIROPT_LISTS"] = "no-lists"  # in the folder where a test runs

# thousands of files are put in the place of others, which a disk takes a millisecond for
SHARED, ROOM = Path("/dev/shm"), 2**31  # noqa: S108
if (
    SHARED.is_dir()
    and os.access(SHARED, os.W_OK)
    and shutil.disk_usage(SHARED).free > ROOM
):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(SHARED))

# hypothesis times each example, and a busy machine would fail tests that are right
settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("untimed")

# a fault is noticed by any example: no time goes into a smallest one
settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate])


# what is imported and collected stays to the end: to look through it for garbage takes long
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test without another mark is fast."""
    for item in items:
        if not any(item.get_closest_marker(name) for name in ("long", "sweep", "slow")):
            item.add_marker(pytest.mark.fast)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `-n 2` the tests of a file stay together, and what they share is made once."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log)


@pytest.fixture(scope="session", autouse=True)
def no_message_holds_another() -> Iterator[None]:
    """In every test: a field of a message is a name, a number, or a list of these."""
    with pytest.MonkeyPatch.context() as patch:
        refuse_nested_messages(patch)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_message_lacks_a_promised_field() -> Iterator[None]:
    """In every test: JSON of a message has the fields that it had in version 1.0.0."""
    with pytest.MonkeyPatch.context() as patch:
        refuse_missing_fields(patch)
        yield


@pytest.fixture(scope="session", autouse=True)
def seeds_are_drawn_once() -> Iterator[None]:
    """Events are founded with the same seed each time; `tests/folder/test_seeds.py` draws."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pairopt.folder.create.draw_seed", lambda: 0)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_disk_is_waited_for() -> Iterator[None]:
    """What a disk has taken is a matter of kills, which are of processes of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser of all tests; those that want it are skipped where there is none."""
    if why := browser.missing():
        pytest.skip(why)
    with browser.launched() as one:
        yield one
