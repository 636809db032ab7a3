"""Long lists in parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from organiser import client, event

from pairopt.errors import UsageError
from pairopt.show.web.parts import Part, part_of


def part(count: int, **query: str) -> Part[int]:
    return part_of(range(1, count + 1), "/results", query, str, most=10)


def test_a_short_list_is_in_one_piece() -> None:
    assert part(10) == Part(range(1, 11))
    assert part(0).links == ()


def test_a_long_list_in_parts() -> None:
    found = part(25, round="2")
    assert [*found.items] == [*range(1, 11)]
    assert found.number == 1
    assert [words for words, _ in found.links] == ["1 to 10", "11 to 20", "21 to 25"]
    assert found.links[1][1] == "/results?round=2&part=2"
    assert [*part(25, part="3").items] == [*range(21, 26)]
    assert part(25, part="9").number == 3
    assert part(25, part="0").number == 1
    with pytest.raises(UsageError):
        part(25, part="x")


def test_a_large_round_comes_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_of, "__defaults__", (4,))
    page = client(event(tmp_path / "event", [f"P{k:02}" for k in range(23)], rounds=1))
    texts = [page.get(f"/round?part={k}").text for k in (1, 2, 3)]
    assert [text.count('<tr class="match') for text in texts] == [4, 4, 4]
    assert all("11 tables" in text for text in texts)  # of all of it
    assert 'href="/round?part=3"' in texts[0]
    assert len(re.findall('<li><a href="/player', page.get("/players/found?q=p").text)) == 8
