"""Which rating counts: the list's own FIDE and national ratings, and what a report has."""

from __future__ import annotations

from pathlib import Path

import pytest

from pairopt import read_event, write_event
from pairopt.folder import pair
from pairopt.folder.create import new

LISTED = """\
player,rating,fide_id,national_rating
Ann,2600,91000013,2500
Bob,,91000021,1700
Cy,1801,91000030,1900
Di,1500,91000048,
"""
CHOSEN = {
    None: ("FIDON", ["2600", "1700", "1801", "1500"]),
    "fide": ("FIDE", ["2600", "", "1801", "1500"]),
    "national": ("NRO", ["2500", "1700", "1900", ""]),
    "national-first": ("NIDOF", ["2500", "1700", "1900", "1500"]),
    "larger": ("HBFN", ["2600", "1700", "1900", "1500"]),
}


@pytest.mark.parametrize("choice", CHOSEN)
def test_each_choice_counts_and_is_in_the_report(
    tmp_path: Path, choice: str | None
) -> None:
    code, ratings = CHOSEN[choice]
    (tmp_path / "list.csv").write_text(LISTED)
    folder = tmp_path / "event"
    new(folder, tmp_path / "list.csv", rating_choice=choice, rounds=3, federation="GER")
    event = read_event(folder)
    assert [*event.columns["rating"]] == ratings

    write_event(event, tmp_path / "report.trf")
    lines = (tmp_path / "report.trf").read_text().splitlines()
    assert f"172 GER {code}" in lines
    players = {line[14:17].strip(): line for line in lines if line.startswith("001")}
    assert event.settings.fide
    assert lines[lines.index("062 4") + 1] == "072 3"
    # Record 001 has the official rating, whatever counts.
    official = ["2600", "", "1801", "1500"]
    assert [players[name][48:52].strip() for name in ("Ann", "Bob", "Cy", "Di")] == (
        official
    )
    number = {name: players[name][4:8] for name in players}
    national = [line for line in lines if line.startswith("GER ")]
    assert sorted(national) == sorted(
        f"GER {number[name]}{'':40}{rating}"
        for name, rating in (("Ann", 2500), ("Bob", 1700), ("Cy", 1900))
    )

    again = read_event(tmp_path / "report.trf")
    assert again.settings.rating_choice == choice
    assert [again.shown_rating(row) for row in range(4)] == ratings
    write_event(again, tmp_path / "again.trf")
    assert (tmp_path / "again.trf").read_text() == (tmp_path / "report.trf").read_text()


def test_pairing_numbers_follow_the_ratings_that_count(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(LISTED)
    folder = tmp_path / "event"
    new(folder, tmp_path / "list.csv", rating_choice="national-first", rounds=3)
    pair(folder)
    starts = read_event(folder, unfinished=True).columns["start"]
    # 2500, 1700, 1900, 1500; by FIDE's ratings, Bob would be the last one.
    assert [*starts] == ["1", "3", "2", "4"]


def test_a_report_without_the_federation_has_no_national_ratings(
    tmp_path: Path,
) -> None:
    (tmp_path / "list.csv").write_text(LISTED)
    new(tmp_path / "event", tmp_path / "list.csv", rating_choice="larger", rounds=3)
    write_event(read_event(tmp_path / "event"), tmp_path / "report.trf")
    assert "172 " not in (tmp_path / "report.trf").read_text()


@pytest.mark.parametrize("method", ["OTHER", "LBFN"])
def test_other_methods_are_kept_as_they_are(tmp_path: Path, method: str) -> None:
    lines = [
        f"172 GER {method}",
        f"001    1      Ann{'':31}2600",
        f"001    2      Bob{'':31}1900",
        f"GER    2{'':40}2111 GER",
    ]
    path = tmp_path / "other.trf"
    path.write_text("\n".join([*lines, ""]))
    event = read_event(path)
    assert [event.shown_rating(row) for row in range(2)] == ["2600", "1900"]
    write_event(event, tmp_path / "again.trf")
    written = (tmp_path / "again.trf").read_text().splitlines()
    assert lines[0] in written
    assert lines[3] in written
