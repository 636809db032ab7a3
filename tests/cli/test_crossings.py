"""Every command on every form of an event with every fault: clean answers only.

`pytest -m slow tests/cli/test_crossings.py` goes through some thousands of cells, with one fault
and with two; the usual tests through a sample of them. `crossings` in `tests/support` makes them.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import pytest
from crossings import FAULTS, Form, calls, content, forms, no_space, wrong
from crossings import called as run
from organiser import client
from starlette.testclient import TestClient

from pairopt.web.access import NetworkShare
from pairopt.web.phones import PAGES, PhonePages, build_phone_app
from pairopt.web.site import EventSite
from pairopt.web.views import known_views

SAMPLE, ALL, SERVED, ALL_SERVED = 70, 6000, 8, 700
ASKED = ("", "?round=1", "?round=9", "?round=x", "?at=1&missing", "?cut=4&round=2")
PATHS = [
    *(f"/{view.path}{asked}" for view in known_views() for asked in ASKED),
    *("/", "/state", "/new", f"/proofs/{'0' * 64}.json"),
]
PHONE = [f"{path}{asked}" for path in PAGES for asked in ("", "?id=Ann", "?name=a")]
QUICK = [call for call in calls() if "--figure" not in call and "--report" not in call]
Cell = tuple[Form, tuple[str, ...]]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> list[Form]:
    return forms(tmp_path_factory.mktemp("forms"))


def damaged(form: Form, faults: Sequence[str]) -> bool:
    """Gives a form of an event its faults; whether there are any in it then."""
    before = content(form.home)
    try:
        for fault in faults:
            FAULTS[fault](form)
    except (
        OSError,
        IndexError,
        UnicodeDecodeError,
    ):  # what one fault spoils is not there for two
        return False
    return "none" in faults or content(form.home) != before


def cells(known: Sequence[Form], many: int, most: int) -> Iterator[Cell]:
    """Forms with so many faults each, in an order that is the same every time."""
    draw = random.Random(many)
    every = list(product(known, FAULTS))
    while most:
        for form, fault in draw.sample(every, min(most, len(every))):
            most -= 1
            yield form, (fault, *draw.choices([*FAULTS], k=many - 1))


def require_clean(known: Sequence[Form], many: int, most: int, place: Path) -> None:
    draw, every = random.Random(most), calls()
    found = []
    for number, cell in enumerate(cells(known, many, most)):
        here, out = place / str(number), place / "out.csv"
        form = cell[0].moved(here)
        if damaged(form, cell[1]):
            call, before = draw.choice(every), content(form.home)
            if why := wrong(call, form, run(call, form, out), before, out):
                found.append(f"{' '.join(call)}: {why} ({cell[0].name}, {cell[1]})")
        shutil.rmtree(here)
        if out.exists():
            (shutil.rmtree if out.is_dir() else os.unlink)(out)
    assert found == []


@pytest.mark.long
@pytest.mark.parametrize("many", [1, 2])
def test_a_sample(known: list[Form], many: int, tmp_path: Path) -> None:
    require_clean(known, many, SAMPLE, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("many", [1, 2])
def test_all(known: list[Form], many: int, tmp_path: Path) -> None:
    require_clean(known, many, ALL, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(
    "call", [*random.Random(0).sample(QUICK, 12), ("mend", "EVENT")], ids=" ".join
)
def test_a_full_disk(call: tuple[str, ...], known: list[Form], tmp_path: Path) -> None:
    form = known[0].moved(tmp_path / "here")
    (form.event / "log.csv").unlink()
    before, out = content(form.home), tmp_path / "out.csv"
    with no_space():
        done = run(call, form, out)
    assert wrong(call, form, done, before, out) == ""
    assert content(form.home) == before
    assert not out.exists()


def require_pages(known: Sequence[Form], many: int, most: int, place: Path) -> None:
    """No page fails, neither one that was open before nor a new one, and none writes."""
    draw, found = random.Random(most), list[str]()
    folders = [form for form in known if form.event.is_dir()]
    for number, cell in enumerate(cells(folders, many, most)):
        here = place / str(number)
        form = cell[0].moved(here)
        folder, opened = form.event, client(form.event)
        opened.get("/results")
        if damaged(form, cell[1]):
            before = content(form.home)
            share = NetworkShare(8441)
            shared = build_phone_app(PhonePages(EventSite(folder, share)), share, [])
            phone = TestClient(
                shared, "http://127.0.0.1:8441", raise_server_exceptions=False
            )
            for page, paths in (
                (opened, PATHS),
                (client(folder), PATHS),
                (phone, PHONE),
            ):
                for path in draw.sample(paths, 4):
                    status = page.get(path, follow_redirects=False).status_code
                    found += [f"{path}: {status} ({cell[0].name}, {cell[1]})"] * (
                        status >= 500
                    )
            assert content(form.home) == before
        shutil.rmtree(here)
    assert found == []


@pytest.mark.long
@pytest.mark.parametrize("many", [1, 2])
def test_pages(known: list[Form], many: int, tmp_path: Path) -> None:
    require_pages(known, many, SERVED, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("many", [1, 2])
def test_all_pages(known: list[Form], many: int, tmp_path: Path) -> None:
    require_pages(known, many, ALL_SERVED, tmp_path)
