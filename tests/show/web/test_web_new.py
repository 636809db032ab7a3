"""A new event: made once, however many ask; and what is told to the others."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from organiser import client, said

from pairopt.bounds import LARGEST_BODY, LARGEST_FORM_FILE, LARGEST_UPLOAD
from pairopt.folder.desk import seen


def test_of_six_lists_at_once_one_is_the_event(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    browsers = [client(folder) for _ in range(6)]
    lists = [f"A{k}\nB{k}\nC{k}\nD{k}" for k in range(len(browsers))]
    with ThreadPoolExecutor(len(browsers)) as pool:
        answers = list(pool.map(
            lambda each: each[0].post("/new/event", data={"players": each[1], "sure": "1"},
                                      follow_redirects=False),
            zip(browsers, lists, strict=True)))  # fmt: skip
    assert Counter(answer.status_code for answer in answers) == {303: 1, 422: 5}
    (made,) = (k for k, answer in enumerate(answers) if answer.status_code == 303)
    assert seen(folder).event.players == tuple(lists[made].split("\n"))
    assert all("event" in said(each.text) for each in answers if each.status_code == 422)


@pytest.mark.parametrize("size", [LARGEST_UPLOAD + 1, LARGEST_FORM_FILE + 1])
@pytest.mark.parametrize("head", [b"player,club\n", b"PK\x03\x04"])
def test_a_refused_file_does_not_come_back_larger(size: int, head: bytes, tmp_path: Path) -> None:
    raw = head + b"x" * (size - len(head))
    browser = client(tmp_path / "event")
    answer = browser.post("/new/event", files={"file": ("list.csv", raw)}, data={"title": "Cup"})
    assert answer.status_code == 422
    assert said(answer.text)
    assert len(answer.content) < 100_000


def test_a_file_that_is_asked_about_can_be_sent_again(tmp_path: Path) -> None:
    assert LARGEST_FORM_FILE * 4 / 3 + 2**16 < LARGEST_BODY
    browser = client(tmp_path / "event")
    answer = browser.post("/new/event", files={"file": ("list.csv", b"player\nA\nB\nA\n")})
    assert answer.status_code == 422  # a fault in it: it is kept for the next try
    assert "list.csv" in answer.text


@pytest.mark.parametrize("text", ["\u0663", "NaN", "=", "a", "\u202e"])
def test_content_that_is_none(text: str, tmp_path: Path) -> None:
    answer = client(tmp_path / "event").post("/new/event", data={"content": text, "sure": "1"})
    assert answer.status_code == 422
