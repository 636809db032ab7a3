"""What was played differently is recorded: reversed sides, and exchanged opponents."""

from __future__ import annotations

from pathlib import Path

import pytest
from against import against_fide
from organiser import client, fields, said
from telling import said_by
from test_mode import kinds, open_of, played, run, toml
from test_verbs import content, made

from pairopt import UsageError, read_event, write_event
from pairopt.errors import ConfirmationError
from pairopt.event.standings import rank_players
from pairopt.folder import changed_by_hand, pair, result, undo
from pairopt.folder.journal import Journal

Row = tuple[str, str, str, str]


def rows(folder: Path, number: int = 1) -> dict[str, Row]:
    """The players and their scores by tables, the first side first."""
    found = {}
    for line in (folder / "matches.csv").read_text().splitlines()[1:]:
        cells = line.split(",")
        if cells[0] == str(number) and cells[1]:
            assert cells[4] in ("white", "")
            found[cells[1]] = (cells[2], cells[3], cells[5], cells[6])
    return found


def report_lines(folder: Path) -> dict[str, str]:
    """The lines of a report by players, and its remarks."""
    file = folder.with_suffix(".trf")
    write_event(read_event(folder), file)
    lines = file.read_text().splitlines()
    people = {line[14]: line for line in lines if line.startswith("001")}
    return {
        **people,
        "###": "\n".join(line for line in lines if line.startswith("###")),
    }


def test_reversed_sides_are_what_later_rounds_and_the_report_know(
    tmp_path: Path,
) -> None:
    folder = open_of(tmp_path / "open", 1)
    played(folder)
    before = content(folder)
    one, two, score1, score2 = rows(folder)["1"]
    biases = {each.player: each.bias for each in rank_players(read_event(folder), [])}
    cells = {name: line[91:99] for name, line in report_lines(folder).items()}

    done = result(folder, 1, reversed=True)

    assert rows(folder)["1"] == (two, one, score2, score1)
    now = {each.player: each.bias for each in rank_players(read_event(folder), [])}
    assert {p for p in now if now[p] != biases[p]} == {one, two}
    assert now[one] == -biases[one]
    lines = report_lines(folder)
    assert cells[one].split()[1:] == ["w", "1"]
    assert lines[one][91:99].split()[1:] == ["b", "1"]
    assert lines[two][91:99].split()[1:] == ["w", "0"]
    assert lines["###"] == "### As played @ Round 1: 1-5 => 5-1"
    (sentence,) = said_by(done)
    assert f"{two} (white) 0-1 {one} (black)" in sentence
    log = (folder / "log.csv").read_text().splitlines()[-1]
    assert f"{two} (white) 0-1 {one} (black)" in log
    assert kinds(folder) == [("mode.as_played", 1)]
    assert toml(folder)["fide"] is True

    undo(folder)
    assert content(folder) == before


@pytest.mark.long
def test_the_next_round_is_paired_by_the_sides_that_were_played(tmp_path: Path) -> None:
    """Each is due the other side in round 2, so that all of round 1 reversed reverses them."""
    due = []
    for turned in (False, True):
        folder = open_of(tmp_path / f"open{turned}", 1)
        played(folder)
        for table in rows(folder):
            if turned:
                result(folder, table, reversed=True)
        first = {p for pair_ in rows(folder).values() for p in pair_[:1]}
        pair(folder)
        whites = {p for pair_ in rows(folder, 2).values() for p in pair_[:1]}
        due.append((first, whites))
    assert due[0][0].isdisjoint(due[1][0])
    assert due[0][1] != due[1][1]


@pytest.mark.long
def test_exchanged_opponents_are_who_has_met(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    played(folder)
    before = content(folder)
    (one, two, *_), (three, four, *_) = (rows(folder)[table] for table in "12")

    done = result(folder, 1, opponent=four)

    assert rows(folder)["1"] == (one, four, "1", "0")
    assert rows(folder)["2"] == (three, two, "1", "0")
    assert said_by(done)[0].startswith(
        "Round 1 is recorded as it was played: table 1, "
    )
    assert report_lines(folder)["###"] == "### As played @ Round 1: 1-5 6-2 => 1-2 6-5"
    met = {each.player: each for each in rank_players(read_event(folder), ["buchholz"])}
    assert met[one].tie_breaks["buchholz"] == met[four].points
    undo(folder)
    assert content(folder) == before


@pytest.mark.long
def test_a_score_is_written_down_with_it(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    one, two, *_ = rows(folder)["1"]
    result(folder, 1, "0-1", reversed=True)
    assert rows(folder)["1"] == (two, one, "1", "0")
    three, four, *_ = rows(folder)["2"]
    result(folder, 2, "1-0")
    result(folder, 1, "½-½", opponent=four, reversed=True)
    assert rows(folder)["1"] == (four, two, "0.5", "0.5")
    assert rows(folder)["2"] == (three, one, "1", "0")


@pytest.mark.long
def test_earlier_rounds_are_recorded_without_a_question(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 4)
    for number in (1, 2, 3):
        result(folder, 1, round=number, reversed=True)
    assert kinds(folder) == [("mode.as_played", number) for number in (1, 2, 3)]
    assert toml(folder)["fide"] is True
    result(folder, 1, round=1, reversed=True)
    result(folder, 1, round=1, reversed=True)
    assert kinds(folder) == [("mode.as_played", number) for number in (1, 2, 3, 1, 1)]


def test_other_points_in_an_earlier_round_are_a_correction(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 2)
    same = rows(folder)["2"][1]
    result(folder, 1, round=1, opponent=same)
    assert kinds(folder) == [("mode.as_played", 1)], "both opponents have lost"
    with against_fide(1):
        result(folder, 2, "½-½", round=1)
    before = content(folder)
    with pytest.raises(
        ConfirmationError, match="corrected after the next round was paired"
    ):
        result(folder, 1, round=1, opponent=rows(folder)["2"][1])
    assert content(folder) == before
    with against_fide(1):
        result(folder, 1, round=1, opponent=rows(folder)["2"][1])
    assert [*kinds(folder)][-2:] == [("mode.correction", 1), ("mode.as_played", 1)]
    played(folder)
    assert "Correction @ Round 1: " in report_lines(folder)["###"]


@pytest.mark.long
def test_games_without_sides_and_outside_fide_mode(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDEF", model="monrad", points="3-1-0")
    pair(folder)
    for table in (1, 2, 3):
        result(folder, table, "3-0")
    (one, two, *_), (three, four, *_) = (rows(folder)[table] for table in "13")
    with pytest.raises(UsageError, match="had no sides"):
        result(folder, 1, reversed=True)
    result(folder, 1, opponent=three)
    assert rows(folder)["1"] == (one, three, "3", "0")
    assert rows(folder)["3"] == (two, four, "3", "0")
    assert "breaches" not in toml(folder)
    assert result(folder, 1, opponent=three).step is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"table": 1, "reversed": True}, "has no result yet"),
        ({"table": 2, "opponent": "1:first"}, "Table 1 of round 1 has no result yet"),
        ({"table": 2, "opponent": "bye"}, "has no match in round 1"),
        ({"table": 2, "opponent": "2:first"}, "own opponent"),
        ({"table": 3, "reversed": True}, "won by forfeit"),
        ({"table": 2, "opponent": "3:first"}, "won by forfeit"),
        ({"table": "B1", "reversed": True}, "only for a match at a table of a round"),
        (
            {"table": 2, "off": True, "reversed": True},
            "only for a match at a table of a round",
        ),
        ({"table": 2, "opponent": "nobody"}, "nobody"),
    ],
)
def test_what_cannot_have_been_played_is_refused(
    tmp_path: Path, given: dict[str, object], match: str
) -> None:
    folder = open_of(tmp_path / "open", 1)
    result(folder, 2, "1-0")
    result(folder, 3, "1F-0F")
    known = rows(folder)
    text = (folder / "matches.csv").read_text()
    (alone,) = (line.split(",")[2] for line in text.splitlines() if ",bye" in line)
    names = {f"{table}:first": row[0] for table, row in known.items()} | {"bye": alone}
    if "opponent" in given:
        given = {
            **given,
            "opponent": names.get(str(given["opponent"]), given["opponent"]),
        }
    before = content(folder)
    table = given.pop("table")
    with pytest.raises(UsageError, match=match):
        result(folder, table, **given)  # type: ignore[arg-type]
    assert content(folder) == before


@pytest.mark.long
def test_by_the_command_line(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    one, two, *_ = rows(folder)["1"]
    shown = run("result", folder, 1, "1-0", "--reversed")
    assert shown.exit_code == 0, shown.output
    assert rows(folder)["1"] == (two, one, "0", "1")
    run("result", folder, 2, "1-0")
    shown = run("result", folder, 2, "--opponent", one)
    assert shown.exit_code == 0, shown.output
    assert one in rows(folder)["2"]
    assert Journal(folder).steps()[-1].verb == "result"


@pytest.mark.long
def test_by_the_menu_of_a_result(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    page = client(folder)
    assert "/results/played" not in page.get("/results").text
    played(folder)
    address = "/results/played?round=1&amp;table=1"
    assert address in page.get("/results").text
    action = "/results/played/record"
    one, two, *_ = rows(folder)["1"]

    form = fields(page.get("/results/played?round=1&table=1").text, action)
    asked = page.post(f"{action}?round=1&table=1", data={**form, "reversed": "yes"})
    assert f"{two} (white) 0-1 {one} (black)" in said(asked.text)
    assert rows(folder)["1"][:2] == (one, two)
    page.post(
        f"{action}?round=1&table=1", data={**fields(asked.text, action), "sure": "yes"}
    )
    assert rows(folder)["1"][:2] == (two, one)
    assert "some games were not played as paired" in page.get("/round").text

    four = rows(folder)["2"][1]
    form = fields(page.get("/results/played?round=1&table=1").text, action)
    asked = page.post(f"{action}?round=1&table=1", data={**form, "opponent": four})
    page.post(
        f"{action}?round=1&table=1", data={**fields(asked.text, action), "sure": "yes"}
    )
    assert rows(folder)["1"][:2] == (two, four)
    assert page.get("/results/played?round=1&table=99").status_code == 404


@pytest.mark.long
def test_a_record_stays_when_a_change_by_hand_ends_without_a_change(
    tmp_path: Path,
) -> None:
    folder = open_of(tmp_path / "open", 2)
    changed_by_hand(folder)
    result(folder, 1, round=1, reversed=True)
    changed_by_hand(folder, off=True)
    assert kinds(folder) == [("mode.as_played", 1)]
    assert toml(folder)["fide"] is True
