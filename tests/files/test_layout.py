"""What is written fits below the event's own matches: columns, separator, decimal sign."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from notes import notes_of

from pairopt import read_event, write_event
from pairopt.cli import main
from pairopt.event.score_checks import points_of
from pairopt.files.text_tables import TextTable
from pairopt.folder.create import new
from pairopt.folder.open_folder import open_folder
from pairopt.folder.pair_round import pair

PLAYERS = "player,name,rating\n1,Ann,\n2,Bob,\n3,Cid,\n"


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def text(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_round_fits_below_the_matches(tmp_path: Path, separator: str) -> None:
    comma = separator != ","
    head = "Table;note;round;player2;player1;SCORE1;score2;status\n"
    rows = f"1;;1;B;A;{'0,5' if comma else '0.5'};0;\n;late;1;;C;0;;bye\n"
    matches = text(tmp_path / "matches.csv", (head + rows).replace(";", separator))
    out = tmp_path / "round2.csv"
    done = run("solve", matches, "-o", out, "--points", "0.5-0.25-0")
    assert done.exit_code == 0, done.stderr
    heading, *lines = out.read_text(encoding="utf-8").splitlines(keepends=True)
    assert heading == head.replace(";", separator)
    assert any(("0,5" if comma else "0.5") in line for line in lines)  # the bye
    with matches.open("a", encoding="utf-8") as file:
        file.writelines(lines)
    event = read_event(matches, round=2)
    assert not any("separated" in note for note in notes_of(event))
    assert (event.matches.round == 2).sum() == 2


def test_names_where_the_own_file_has_them_or_where_there_is_none(
    tmp_path: Path,
) -> None:
    players = text(tmp_path / "players.csv", PLAYERS)
    first = run("solve", players, "--format", "csv").stdout.splitlines()
    assert first[0].endswith("status,name1,name2")
    assert {"Ann", "Bob", "Cid"} <= {cell for line in first for cell in line.split(",")}
    for head, named in (("", False), (",name2,name1", True)):
        content = f"round,player1,player2,score1,score2{head}\n1,1,2,3,0\n1,3,,3,\n"
        matches = text(tmp_path / "matches.csv", content)
        lines = run("solve", matches, "--players", players, "--format", "csv").stdout
        assert lines.splitlines()[0] == content.splitlines()[0]
        assert ("Ann" in lines) == named


def test_round_1_is_written_as_the_players_are(tmp_path: Path) -> None:
    players = text(
        tmp_path / "players.csv", "player;rating\nA;1500,5\nB;1400\nC;1300\n"
    )
    lines = run(
        "solve", players, "--format", "csv", "--points", "0.5-0.25-0"
    ).stdout.splitlines()
    assert lines[0] == "round;table;player1;player2;side1;score1;score2;status"
    assert ";0,5;;bye" in lines[-1]


def test_nothing_is_lost_for_want_of_a_column(tmp_path: Path) -> None:
    head = "round,player1,player2,score1,score2"
    matches = text(tmp_path / "matches.csv", f"{head}\n1,A,B,3,0\n1,C,D,3,0\n")
    done = run(
        "solve", matches, "--request-bye", "A", "--request-bye", "B", "--format", "csv"
    )
    assert done.stdout.splitlines()[0] == f"{head},status"
    assert f"note: {matches} has no column status" in done.stderr
    plain = run("solve", matches, "--format", "csv")
    assert plain.stdout.splitlines()[0] == head
    assert "has no column" not in plain.stderr


def test_convert_keeps_separator_and_decimal_sign(tmp_path: Path) -> None:
    matches = text(
        tmp_path / "m.csv", "round;player1;player2;score1;score2\n1;A;B;0,5;0,5\n"
    )
    players = text(tmp_path / "p.csv", "player;name;rating\nA;Ann;1500,5\nB;Bob;1400\n")
    event = read_event(matches, players)
    out, beside = write_event(event, tmp_path / "out.csv").files
    assert "0,5;0,5" in out.read_text()
    assert out.read_text().splitlines()[0].endswith(";name1;name2")
    assert "A;Ann;1500,5" in beside.read_text()
    again = read_event(out, beside)
    assert points_of(again).tolist() == points_of(event).tolist()
    assert again.rating.tolist() == event.rating.tolist()


def test_numbers_of_players_with_a_comma_go_into_any_file(tmp_path: Path) -> None:
    matches = text(
        tmp_path / "m.csv", "round,player1,player2,score1,score2\n1,A,B,0.5,0.5\n"
    )
    players = text(tmp_path / "p.csv", "player;rating\nA;1500,5\nB;1400\n")
    event = read_event(matches, players)
    again = read_event(*write_event(event, tmp_path / "out.csv").files)
    assert again.rating.tolist() == event.rating.tolist()


def test_an_event_folder_is_written_as_it_is(tmp_path: Path) -> None:
    players = text(tmp_path / "players.csv", "player;club\nAsa;x\nBo;y\nCy;z\n")
    folder = tmp_path / "event"
    new(folder, players, points="1-0.5-0", sides=[])
    (folder / "matches.csv").write_bytes(
        "round;table;player1;player2;score1;score2;status;Bemerkung\r\n"
        "1;1;Asa;Bo;0,5;0,5;;gut gespielt, ½\r\n1;;Cy;;1;;bye;\r\n".encode("cp1252")
    )
    before = (folder / "matches.csv").read_bytes().decode("cp1252")
    with open_folder(folder) as desk:
        assert "read the file as Windows-1252" in " ".join(notes_of(desk.event))
    pair(folder)
    after = (folder / "matches.csv").read_bytes()
    assert after.startswith(
        b"\xef\xbb\xbf"
    )  # so that a spreadsheet still shows its letters
    assert after.decode("utf-8-sig").startswith(before)
    assert after.count(b"\r\n") == 5


@pytest.mark.parametrize(
    ("locations", "expected"),
    [
        ({}, "row 3"),
        ({"files": ["a.csv", "b.csv"]}, "b.csv, row 3"),
        ({"paths": ["players[0]", "players[1]"]}, "players[1]"),
    ],
)
def test_selected_rows_keep_their_locations(
    locations: dict[str, list[str]], expected: str
) -> None:
    table = TextTable("list", {"player": ["Ann", "Bob"]}, [2, 3], **locations)  # type: ignore[arg-type]
    selected_table = table.select_rows(np.array([False, True]))
    assert [str(place) for place in selected_table.places] == [expected]
