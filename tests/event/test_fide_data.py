"""FIDE data that cannot be right: named in lists and asked about, refused in reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pairopt import InputError, UsageError, read_event, write_event
from pairopt.cli import main
from pairopt.errors import ConfirmationError
from pairopt.folder import edit, enter, new
from pairopt.messages import Passage

HEADING = "Name,FideID,Title,Fed,Birth,Rtg\n"
RIGHT = "Ann,4100018,GM,NOR,1990-12-31,2500\n"
WRONG = {
    "a number that is none": ("Bob,41x,,NOR,,\n", "fide_id", "FideID"),
    "a number of another": ("Bob,4100018,,NOR,,\n", "fide_id_twice", "FideID"),
    "an unknown title": ("Bob,2,XM,NOR,,\n", "title", "Title"),
    "four letters": ("Bob,2,,NORW,,\n", "federation", "Fed"),
    "a thirteenth month": ("Bob,2,,NOR,1990-13-40,\n", "birth", "Birth"),
    "a day that there is not": ("Bob,2,,NOR,1990-02-30,\n", "birth", "Birth"),
    "a year long ago": ("Bob,2,,NOR,190,\n", "birth", "Birth"),
    "a rating too high": ("Bob,2,,NOR,,99999\n", "rating", "Rtg"),
    "a rating below 0": ("Bob,2,,NOR,,-2500\n", "rating", "Rtg"),
}


def written(folder: Path, rows: str, heading: str = HEADING) -> Path:
    path = folder / "list.csv"
    path.write_text(heading + rows, encoding="utf-8")
    return path


def line(number: int, **cells: str) -> str:
    """A player line of a report."""
    said = {
        "title": "",
        "rating": "",
        "federation": "NOR",
        "fide_id": "",
        "birth": "",
        **cells,
    }
    return (
        f"001 {number:>4}  {said['title']:>3} {'Player ' + str(number):<33} {said['rating']:>4} "
        f"{said['federation']:<3} {said['fide_id']:>11} {said['birth']:<10}  0.0 {number:>4}"
    )


def report(folder: Path, *lines: str) -> Path:
    path = folder / "report.trf"
    path.write_text("\n".join(["012 Open", *lines, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", WRONG)
def test_a_list_names_the_row_and_the_column(tmp_path: Path, name: str) -> None:
    row, kind, heading = WRONG[name]
    event = read_event(written(tmp_path, RIGHT + row))
    (note,) = [note for note in event.notes if note.kind == "fide_data.in_list"]
    assert isinstance(note, Passage)
    assert note.messages[1].kind == f"fide_data.{kind}"
    assert note.fields["place"] == f"row 3, column {heading.lower()}"


@pytest.mark.parametrize("name", [name for name in WRONG if "of another" not in name])
def test_a_new_event_asks_whether_it_is_meant(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, RIGHT + WRONG[name][0])
    with pytest.raises(ConfirmationError) as caught:
        new(tmp_path / "event", path)
    assert caught.value.kind == "fide_data.unsure"
    assert new(tmp_path / "event", path, sure=True).event is not None


def test_a_new_event_with_a_number_of_two_players_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, RIGHT + WRONG["a number of another"][0])
    for sure in (False, True):
        with pytest.raises(InputError) as caught:
            new(tmp_path / "event", path, sure=sure)
        assert "row 3, column fideid" in str(caught.value)
        assert "4100018 is the FIDE number of both 'Ann' and 'Bob'" in str(caught.value)
    assert not (tmp_path / "event").exists()


@pytest.mark.long
def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    rows = "".join(
        row.replace("Bob,2,", f"Bob,{k + 10},")
        .replace("Bob", f"P{k}")
        .replace("4100018", "")
        for k, (row, *_) in enumerate(WRONG.values())
    )
    run = CliRunner().invoke(
        main,
        [
            "new",
            str(tmp_path / "event"),
            "--players",
            str(written(tmp_path, RIGHT + rows)),
        ],
    )
    assert run.exit_code == 2
    for found in ("41x", "XM", "NORW", "1990-13-40", "1990-02-30", "99999", "-2500"):
        assert found in run.stderr


@pytest.mark.parametrize(
    "row",
    [
        "Bob,,,,,\n",
        "Bob,0,,nor,1990,0\n",
        "Bob,12345678,wgm,NOR,31.12.1990,1000\n",
        "Bob,2,AFM,NOR,1990/00/00,1500\n",
        "Bob,2,,FID,0000/00/00,3000\n",
    ],
)
def test_what_is_right(tmp_path: Path, row: str) -> None:
    event = read_event(written(tmp_path, RIGHT + row))
    assert not [note for note in event.notes if note.kind.startswith("fide_data")]


@pytest.mark.parametrize(
    "text",
    [
        "player,rating\nAnn,99999\nBob,-2500\n",
        "player,country,rating\nAnn,Norway,-3\nBob,Latvia,5000\n",
        "player,birth,rating\nAnn,spring,50000\n",
    ],
)
def test_a_list_of_another_game_is_not_checked(tmp_path: Path, text: str) -> None:
    event = read_event(written(tmp_path, text, ""))
    assert not [note for note in event.notes if note.kind.startswith("fide_data")]


def test_a_report_with_faults_is_refused_with_all_of_them(tmp_path: Path) -> None:
    path = report(
        tmp_path,
        line(1, title="XM", fide_id="41"),
        line(2, fide_id="41"),
        line(3, birth="1990/13/40"),
        line(4, federation="N0R"),
    )
    with pytest.raises(InputError) as caught:
        read_event(path)
    assert [(fault.said.kind, str(fault.place)) for fault in caught.value.faults] == [
        ("fide_data.title", "line 2, column 11-13"),
        ("fide_data.fide_id_twice", "line 3, column 58-68"),
        ("fide_data.birth", "line 4, column 70-79"),
        ("fide_data.federation", "line 5, column 54-56"),
    ]


def test_a_report_without_faults_is_read(tmp_path: Path) -> None:
    path = report(
        tmp_path,
        line(1, title="GM", fide_id="41", birth="1990/12/31", rating="2500"),
        line(2, title="m", birth="1990/00/00"),
    )
    assert len(read_event(path).players) == 2


def test_no_report_is_written_with_faults(tmp_path: Path) -> None:
    event = read_event(written(tmp_path, RIGHT + "Bob,4100018,XM,NOR,,\n"))
    with pytest.raises(UsageError) as caught:
        write_event(event, tmp_path / "out.trf")
    assert caught.value.kind == "fide_data.wrong"
    assert "Bob: '4100018' is also the FIDE ID" in str(caught.value)
    assert "Bob: 'XM' is not a FIDE title" in str(caught.value)
    assert not (tmp_path / "out.trf").exists()


@pytest.mark.long
def test_a_later_change_is_asked_about_once(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    new(folder, written(tmp_path, RIGHT + "Bob,2,,NOR,,\n"))
    with pytest.raises(ConfirmationError):
        edit(folder, "Bob", {"title": "XM"})
    edit(folder, "Bob", {"title": "XM"}, sure=True)
    edit(folder, "Bob", {"club": "Oslo"}, sure=True)
    for sure in (False, True):
        with pytest.raises(UsageError) as caught:
            enter(folder, "Cleo", {"fide_id": "4100018"}, sure=sure)
        assert "4100018 is the FIDE number of both 'Ann' and 'Cleo'" in str(
            caught.value
        )
        assert "XM" not in str(caught.value)
    enter(folder, "Cleo", {"fide_id": "4100019"})
