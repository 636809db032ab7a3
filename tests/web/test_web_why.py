"""Why: what the page and phones answer to a player, and what a preview says before it is asked."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from against import against_fide
from organiser import client, event, scored
from starlette.testclient import TestClient
from steps import steps_of
from test_phones import phone

from pairopt.folder import pair, repair, result
from pairopt.folder.open_folder import read_folder_state

BOTH = ("organiser", "phone")
MEETS = {"id": "P7"}
APART = {"id": "P8", "other": "P9"}
FIRST_ANSWER = ((MEETS, 450_000), (APART, 2_000_000))
"""Most steps of answers in a round of 300 players; 207,866 and 949,358 were counted."""
KNOWN_ANSWER = 400
"""Most steps of an answer that somebody has had before; 155 were counted."""


def pages(folder: Path, who: str) -> TestClient:
    return client(folder) if who == "organiser" else phone(folder)


def lines(page: TestClient, **asked: str) -> list[str]:
    found = re.findall(r"<p>([^<]*)</p>", page.get("/why", params=asked).text)
    return [line for line in found if line]


@pytest.mark.long
@pytest.mark.parametrize("who", BOTH)
@pytest.mark.parametrize("model", ["standard", "fide-dutch"])
def test_everybody_has_an_answer(who: str, model: str, tmp_path: Path) -> None:
    folder = event(
        tmp_path / "event",
        "ABCDE",
        sides=("white", "black"),
        model=model,
        points="1-0.5-0",
    )
    pair(folder)
    scored(folder, "1-0")
    pair(folder)
    page, kinds = pages(folder, who), set[str]()
    for player in "ABCDE":
        said, *further = lines(page, id=player)
        assert player in said
        kinds |= {kind for kind in ("bye", "meets") if kind in said}
        assert any(re.match(f"Why do(es)? {player} ", line) for line in further), (
            further
        )
        others = page.get(f"/why?id={player}").text.partition('name="other"')[2]
        for other in "ABCDE":
            if f'value="{other}"' in others:
                assert any(
                    line.startswith(f"Why do {player} and {other} not meet? ")
                    for line in lines(page, id=player, other=other)
                )
    assert kinds >= {"bye", "meets"}


@pytest.mark.parametrize("who", BOTH)
def test_the_plain_fact_is_enough(who: str, tmp_path: Path) -> None:
    folder = event(
        tmp_path / "event",
        "ABCD",
        model="fide-dutch",
        sides=("white", "black"),
        points="1-0.5-0",
    )
    pair(folder)
    rows = read_folder_state(folder).event.matches
    one, two = ("ABCD"[p] for p in (rows.first[0], rows.second[0]))
    scored(folder, "1-0")
    pair(folder)
    said = lines(pages(folder, who), id=one, other=two)
    assert (
        f"Why do {one} and {two} not meet? The two players have already met in "
        "round 1, and the rules allow only one meeting." in said
    )
    assert (
        f"With {one} - {two}: the two players have met in round 1 (C1)." in said
    )  # in full


@pytest.mark.long
def test_links_lead_there(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", ["Mia Roth", "Bo & Co"], rounds=1)
    page = phone(folder)
    assert (
        '<a href="/why?id=Mia+Roth">'
        in page.get("/player", params={"id": "Mia Roth"}).text
    )
    assert page.get("/why", params={"id": "Bo & Co"}).status_code == 200
    assert page.get("/why?id=Nobody").status_code == 404
    assert 'action="/why"' in client(folder).get("/round").text


@pytest.mark.long
def test_a_round_changed_by_hand_says_so(tmp_path: Path) -> None:
    folder = event(
        tmp_path / "event",
        "ABCD",
        model="fide-dutch",
        sides=("white", "black"),
        points="1-0.5-0",
    )
    with against_fide():
        pair(folder, forbid=[("A", "C")])
    page = phone(folder)
    assert "FIDE (Dutch) System would pair this round otherwise." in lines(page, id="A")
    # the facts of the round are all that can be said of two who do not meet
    assert page.get("/why", params={"id": "A", "other": "C"}).status_code == 200


@pytest.mark.long
def test_a_repaired_round_says_so(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFGH", model="monrad")
    pair(folder)
    repair(folder, drop=["A"])
    said = lines(phone(folder), id="B")
    assert any(
        "when round 1 was re-paired" in line or "was re-paired" in line for line in said
    )
    assert not any("would pair" in line for line in said)


@pytest.mark.long
def test_the_headline_of_a_preview(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABC", model="standard")
    pair(folder)
    for table in (1,):
        result(folder, table, "3-0")
    head = (
        client(folder).get("/round/draft").text.partition('<table class="pairings')[0]
    )
    assert re.search(r"<p>1 bye: [ABC] \(\d points\)\.</p>", head)
    assert re.search(
        r"<p>1 float: [ABC] \(3 points\) meets [ABC] \(\d points\)\.</p>", head
    ) or ("float" not in head)


@pytest.mark.slow
def test_an_answer_takes_few_steps(tmp_path: Path) -> None:
    names = [f"P{k}" for k in range(300)]
    folder = event(
        tmp_path / "event",
        names,
        model="fide-dutch",
        sides=("white", "black"),
        points="1-0.5-0",
    )
    for _ in range(3):
        pair(folder)
        scored(folder, "1-0")
    pair(folder)
    page = phone(folder)
    page.get("/")
    for asked, most in FIRST_ANSWER:
        answer = partial(lines, page, **asked)
        first = steps_of(answer)
        again = steps_of(answer)
        print(f"{asked}: {first:,} steps, and {again:,} when it is asked again")
        assert 0 < first < most
        assert 0 < again < KNOWN_ANSWER
        assert answer()
