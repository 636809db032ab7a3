"""The head of a report: settings become records 022 to 222, and records settings."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from pairopt import read_event, write_event
from pairopt.cli import main
from pairopt.errors import InvalidValueError
from pairopt.event.report_gaps import find_report_gaps
from pairopt.event.report_head import (
    parse_day,
    parse_person,
    parse_time_control,
    rating_kind_of,
)
from pairopt.folder import change, enter, new
from pairopt.messages.interfaces import TERMINAL

PLAYERS = (
    "player,rating,fide_id\nAnn,2000,1111\nBob,1900,2222\nCy,1800,3333\nDi,1700,4444\n"
)
HEAD = {
    "city": "São Paulo",
    "federation": "bra",
    "first_day": "1.5.2026",
    "last_day": "2026-05-02",
    "round_days": "2026-05-01, 2026/05/01, 2026-05-02",
    "chief_arbiter": "Moss, Alex 12345678",
    "deputies": "Lind, Kim (2345678); Ray, Jo (3456789)",
    "organiser": "Chess Club North",
    "time_control": "40/6000+30 : 900+30",
    "time_control_words": "100 minutes for 40 moves, then 15 minutes",
    "rating_kind": "standard",
    "tournament_type": "Individual: Swiss-System",
}
RECORDS = [
    "012 open",
    "022 São Paulo",
    "032 BRA",
    "042 2026/05/01",
    "052 2026/05/02",
    "062 4",
    "072 4",
    "092 Individual: Swiss-System",
    "102 Moss, Alex (12345678)",
    "112 Lind, Kim (2345678)",
    "112 Ray, Jo (3456789)",
    "122 100 minutes for 40 moves, then 15 minutes",
    f"132{'':88}26/05/01  26/05/01  26/05/02",
    "142 3",
    "152 W",
    "182 pairopt",
    "192 FIDE_DUTCH",
    "202 BH/C1,BH,SB",
    "212 PTS,BH/C1,BH,SB",
    "222 40/6000+30:900+30",
    "### Organiser: Chess Club North",
    "### Rating: standard",
]


def made(tmp_path: Path, **settings: str) -> Path:
    """Make an event folder of four players with three rounds."""
    players = tmp_path / "players.csv"
    players.write_text(PLAYERS, encoding="utf-8")
    folder = tmp_path / "open"
    new(
        folder,
        players,
        model="fide-dutch",
        rounds=3,
        initial_side="white",
        fide=True,
        **settings,
    )
    return folder


def head_of(file: Path) -> list[str]:
    """Return the lines of a report before its players."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return lines[: next(k for k, line in enumerate(lines) if line.startswith("001"))]


@pytest.mark.long
def test_settings_become_records_and_records_settings(tmp_path: Path) -> None:
    folder = made(tmp_path)
    change(folder, HEAD)
    event = read_event(folder)
    written = write_event(event, tmp_path / "open.trf")
    assert written.missing == ()
    assert head_of(tmp_path / "open.trf") == RECORDS

    again = read_event(tmp_path / "open.trf")
    for key in HEAD:
        assert getattr(again.settings, key) == getattr(event.settings, key)
    write_event(again, tmp_path / "again.trf")
    assert head_of(tmp_path / "again.trf") == RECORDS

    new(tmp_path / "copy", tmp_path / "open.trf")
    values = tomllib.loads((tmp_path / "copy" / "event.toml").read_text("utf-8"))
    assert values["round_days"] == [*again.settings.round_days]
    assert read_event(tmp_path / "copy").settings.deputies == again.settings.deputies


@pytest.mark.long
def test_a_report_names_all_that_it_lacks_before_it_is_written(tmp_path: Path) -> None:
    folder = made(tmp_path)
    report = tmp_path / "open.trf"
    done = CliRunner().invoke(main, ["convert", str(folder), str(report)])
    assert done.exit_code == 0
    lines = done.stderr.splitlines()
    begin = lines.index(
        "The report is not complete yet. These parts of the report are missing or wrong."
    )
    assert lines[begin + 1 : -1] == [
        f"  The report has no city (record 022). Type: pairopt set {folder} city CITY",
        f"  The report has no federation (record 032). Type: pairopt set {folder} federation GER",
        f"  The report has no first day (record 042). Type: pairopt set {folder} first_day 2026-05-01",
        f"  The report has no last day (record 052). Type: pairopt set {folder} last_day 2026-05-03",
        f'  The report has no chief arbiter (record 102). Type: pairopt set {folder} chief_arbiter "NAME (FIDE NUMBER)"',
        f"  The report has no days of the rounds (record 132). Type: pairopt set {folder} round_days 2026-05-01,2026-05-02",
        f"  The report has no time control (record 222). Type: pairopt set {folder} time_control 5400+30",
    ]
    assert lines[-1] == f"written to {report}"


WRONG = [
    ("last_day", "2026-04-30", "report.days_reversed"),
    ("last_day", "2026-05-01", "report.day_outside"),
    ("round_days", "2026-05-01", "report.days_count"),
    ("round_days", "2026-05-02,2026-05-01,2026-05-02", "report.days_unordered"),
    ("chief_arbiter", "Moss, Alex", "report.no_number"),
    ("deputies", "Lind, Kim; Ray, Jo (3456789)", "report.no_number"),
    ("city", "", "report.gap"),
]


@pytest.mark.long
@pytest.mark.parametrize(("key", "text", "kind"), WRONG)
def test_each_part_that_is_wrong_is_named(
    tmp_path: Path, key: str, text: str, kind: str
) -> None:
    folder = made(tmp_path)
    change(folder, HEAD)
    change(folder, {key: text})
    (gap,) = find_report_gaps(read_event(folder))
    assert gap.kind == kind
    if key == "deputies":
        assert TERMINAL.format_message(gap).endswith(
            'pairopt set FOLDER deputies "Lind, Kim (NUMBER); Ray, Jo (3456789)"'
        )


@pytest.mark.long
def test_players_without_a_number_are_named(tmp_path: Path) -> None:
    folder = made(tmp_path)
    change(folder, HEAD)
    enter(folder, "Ed")
    (gap,) = find_report_gaps(read_event(folder))
    assert (gap.kind, gap.fields["players"]) == ("report.no_players_number", ["Ed"])


@pytest.mark.long
def test_records_of_another_program_stay_and_numbers_follow_a_late_entry(
    tmp_path: Path,
) -> None:
    folder = made(tmp_path)
    change(folder, HEAD)
    write_event(read_event(folder), tmp_path / "open.trf")
    text = (tmp_path / "open.trf").read_text("utf-8")
    text = text.replace("182 pairopt", "172 GER NIDOF\n182 Another Program")
    national = f"GER {2:>4}{'':40}2111 GER"
    (tmp_path / "open.trf").write_text(f"{text}{national}\n", encoding="utf-8")

    elsewhere = tmp_path / "elsewhere"
    new(elsewhere, tmp_path / "open.trf")
    enter(elsewhere, "Ed", {"rating": "2150", "fide_id": "5555"})
    write_event(read_event(elsewhere), tmp_path / "later.trf")
    lines = (tmp_path / "later.trf").read_text("utf-8").splitlines()
    assert "172 GER NIDOF" in lines
    assert [line for line in lines if line.startswith("182")] == ["182 pairopt"]
    bob = next(line for line in lines if " Bob " in line)
    assert bob[4:8] == "   3"
    # The national rating counts (NIDOF), and record 001 has the FIDE rating.
    assert bob[48:52] == "1900"
    assert "2111" in read_event(elsewhere).columns["rating"]
    assert f"GER {3:>4}{'':40}2111 GER" in lines


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-05-01", date(2026, 5, 1)),
        ("2026/5/1", date(2026, 5, 1)),
        ("26/05/01", date(2026, 5, 1)),
        ("99.05.01", date(1999, 5, 1)),
        ("1.5.2026", date(2026, 5, 1)),
    ],
)
def test_days_in_usual_forms(text: str, day: date) -> None:
    assert parse_day(text) == day


@pytest.mark.parametrize("text", ["", "May", "2026-02-30", "2026-13-01", "2026", "1/5"])
def test_no_days(text: str) -> None:
    with pytest.raises(InvalidValueError):
        parse_day(text)


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Moss, Alex 12345678", "Moss, Alex (12345678)"),
        ("Moss, Alex, (12345678)", "Moss, Alex (12345678)"),
        (" Moss,  Alex ", "Moss, Alex"),
    ],
)
def test_arbiters_with_and_without_a_number(text: str, person: str) -> None:
    assert parse_person(text) == person


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("5400+30", "standard"),
        ("3600", "standard"),
        ("3599", "rapid"),
        ("900+10", "rapid"),
        ("601", "rapid"),
        ("300+5", "blitz"),
        ("180+2", "blitz"),
        ("W300-B240", "blitz"),
        ("40/6000+30:900+30", "standard"),
    ],
)
def test_the_time_for_60_moves_says_which_rating_counts(text: str, kind: str) -> None:
    assert rating_kind_of(None, parse_time_control(text)) == kind
    assert rating_kind_of("rapid", text) == "rapid"


@pytest.mark.parametrize("text", ["", "90+30m", "5400+", "W300", "0+30", "5400++30"])
def test_no_time_controls(text: str) -> None:
    with pytest.raises(InvalidValueError):
        parse_time_control(text)
