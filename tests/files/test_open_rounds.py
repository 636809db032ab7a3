"""A round that is being played goes into every format, and comes back as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from organiser import client, event

from pairopt import read_event
from pairopt.cli import main
from pairopt.files.formats import convert_event, list_writers
from pairopt.folder import result


def middle(tmp_path: Path, **how: object) -> Path:
    """Seven players in round 2: one table has its result, two are open, one has the bye."""
    folder = event(
        tmp_path / "event", "ABCDEFG", rounds=2, **{"points": "3-1-0", **how}
    )
    result(folder, 1, "3-0")
    return folder


@pytest.mark.long
@pytest.mark.parametrize("form", list_writers())
@pytest.mark.parametrize("sides", [(), ("corp", "runner")])
def test_it_is_written_and_read_again(
    tmp_path: Path, form: str, sides: tuple[str, ...]
) -> None:
    folder = middle(tmp_path, sides=sides)
    here = read_event(folder, unfinished=True)
    assert len(here.unscored) == 2
    suffix = list_writers()[form].suffixes[0]
    out = tmp_path / f"out{suffix}"
    done = CliRunner().invoke(main, ["convert", str(folder), str(out)])
    assert done.exit_code == 0, done.stderr
    assert "Round 2 is not finished: 2 results are missing." in done.stderr
    lost = {said.kind for said in convert_event(list_writers()[form], here).lost}
    assert not {"lost.matches", "lost.results"} & lost
    if form == "players":
        return
    players = tmp_path / "out-players.csv"
    again = read_event(out, players if players.exists() else None, unfinished=True)
    assert (again.round, len(again.matches)) == (3, len(here.matches))

    def told(each) -> set[tuple[object, ...]]:  # type: ignore[no-untyped-def]
        rows, names = each.matches, each.names
        seats = [
            frozenset({names[one], names[two] if two >= 0 else ""})
            for one, two in zip(rows.first, rows.second, strict=True)
        ]
        return {*zip(rows.round.tolist(), seats, rows.scored.tolist(), strict=True)}

    assert told(again) == told(here)


@pytest.mark.long
def test_the_page_says_so_in_one_sentence(tmp_path: Path) -> None:
    folder = middle(tmp_path)
    browser = client(folder)
    page = browser.get("/files").text
    assert "Round 2 has 2 open tables. Open tables have no result in the files." in page
    assert "No file yet" not in page
    for suffix in ("csv", "json", "trf"):
        assert browser.get(f"/files/event.{suffix}").status_code == 200, suffix
    result(folder, 2, "3-0")
    assert (
        "Round 2 has 1 open table. Open tables have no result in the files."
        in browser.get("/files").text
    )
    result(folder, 3, "3-0")
    assert "open table" not in browser.get("/files").text
