"""The games of a match: by command, by key, in the file, and what follows from them."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from organiser import client, event, fields, said
from telling import said_by
from test_verbs import content, points_of, run

from pairopt import InputError, UsageError, read_event, write_event
from pairopt.event.points import parse_points
from pairopt.folder import change as settings
from pairopt.folder import pair, result, undo
from pairopt.folder.journal import Journal
from pairopt.folder.protected_facts import LAW, forbidden_changes, read_facts
from pairopt.report.views import round_view, swap_score
from pairopt.web.views.results import list_outcomes

GAMES = "games1,games2,games_drawn"
SCORES = {
    "2-0": "3,0,,2,0,0",
    "2-1": "3,0,,2,1,0",
    "1-2": "0,3,,1,2,0",
    "1-1-1": "1,1,,1,1,1",
    "2-0-1": "3,0,,2,0,1",
    "0-2": "0,3,,0,2,0",
    "1-0": "3,0,,1,0,0",
    "1 : 2": "0,3,,1,2,0",
}
"""What is typed, and the last cells of its row."""
BEST_OF_3 = {
    "1-1": "1,1,,1,1,0",
    "0-0": "1,1,,0,0,0",
    "0-0-3": "1,1,,0,0,3",
    "2F-0F": "",
    "3F-0F": "3,0,forfeit,,,",
}


def row(folder: Path, number: int = 1) -> str:
    return (folder / "matches.csv").read_text().splitlines()[number].split(",", 5)[5]


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("best_of", [None, 3])
def test_games_give_the_points_of_the_match(
    tmp_path: Path, score: str, best_of: int | None
) -> None:
    """Without a word too: what the points do not give is games."""
    folder = event(tmp_path / "event", rounds=1, points="3-1-0", best_of=best_of)
    done = run("result", folder, 1, score)
    if (score, best_of) == ("1-0", None):  # a draw for one, and a loss for the other
        assert "is not possible with the points" in done.stderr
        return
    assert done.exit_code == 0, done.stderr
    assert row(folder) == SCORES[score]
    plain = score.replace(" : ", "-")
    assert f" {plain} " in done.stderr
    step = Journal(folder).steps()[-1]
    assert f" {plain} " in str(step.did)
    assert f",{plain}," in (folder / "log.csv").read_text().splitlines()[-1]
    assert f" {plain} " in said_by(undo(folder))[0]


@pytest.mark.long
def test_points_are_points_unless_every_score_is_games(tmp_path: Path) -> None:
    plain = event(tmp_path / "plain", rounds=1, points="3-1-0")
    for table, score, cells in (
        (1, "3-0", "3,0,"),
        (2, "1-1", "1,1,"),
        (3, "0F-0F", "0,0,forfeit"),
    ):
        result(plain, table, score)
        assert row(plain, table) == cells
    with pytest.raises(UsageError, match="is not possible with the points"):
        result(plain, 2, "0-0")
    games = event(tmp_path / "games", rounds=1, points="3-1-0", best_of=3)
    for score in ("1-1", "0-0", "0-0-3"):
        result(games, 1, score)
        assert row(games) == BEST_OF_3[score]
    result(games, 1, "3F-0F")
    assert row(games) == BEST_OF_3["3F-0F"]


@pytest.mark.parametrize(
    ("how", "score", "kind"),
    [
        ({"best_of": 3}, "3-0", "score.no_games"),
        ({"best_of": 3}, "2-2", "score.no_games"),
        ({"best_of": 3}, "1-1-4", "score.no_games"),
        ({"best_of": 3}, "1½-0", "score.no_games"),
        ({"best_of": 3}, "2-0-1-1", "score.unfit"),
        ({"best_of": 3}, "2F-0F-0F", "score.unfit"),
        ({"best_of": 1}, "2-0", "score.no_games"),
        ({}, "13-0", "score.not_given"),
        ({}, "3-1", "score.not_given"),
        ({"sides": ("white", "black")}, "2-1", "score.not_given"),
        ({"sides": ("white", "black")}, "1-1-1", "score.unfit"),
        ({"points": "3-1-0x2"}, "2-1-0", "score.unfit"),
        ({"points": "3-1-0x2"}, "5-0", "score.not_given"),
        ({"points": "3-1-0x2"}, "3-1", "score.only_decided"),
    ],
)
def test_what_no_match_can_be_is_refused(
    tmp_path: Path, how: dict[str, object], score: str, kind: str
) -> None:
    folder = event(tmp_path / "event", rounds=1, **{"points": "3-1-0", **how})
    before = content(folder)
    with pytest.raises(UsageError) as caught:
        result(folder, 1, score)
    assert caught.value.kind == kind
    assert content(folder) == before


def test_best_of_five_and_with_sides(tmp_path: Path) -> None:
    folder = event(
        tmp_path / "event",
        rounds=1,
        points="1-½-0",
        best_of=5,
        sides=("white", "black"),
    )
    result(folder, 1, "3-2")
    assert row(folder) == "1,0,,3,2,0"
    result(folder, 2, "2-2-1")
    assert row(folder, 2) == "0.5,0.5,,2,2,1"
    refused = run("set", folder, "points", "3-1-0x2", "--sure")
    assert refused.exit_code == 2
    assert "the points are those of two games per match" in refused.stderr


def test_a_correction_and_the_way_back(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, points="3-1-0")
    result(folder, 1, "3-0")
    before = content(folder)
    assert "(before: 3-0)" in said_by(result(folder, 1, "2-1"))[0]
    assert "(before: 2-1)" in said_by(result(folder, 1, "2-0"))[0]
    assert result(folder, 1, "2-0").step is None
    undo(folder, 2)
    assert content(folder) == before
    result(folder, 1, "2-1")
    result(folder, 1, "0-3")
    assert row(folder) == "0,3,,,,", "games of another result do not stay"
    result(folder, 1, "2-1")
    result(folder, 1, off=True)
    assert row(folder) == ",,,,,"


def test_the_law_holds_for_games(tmp_path: Path) -> None:
    """Other games are another result: `result` and what may do anything alone may do that."""
    files = {
        "event.toml": b"",
        "players.csv": b"player\nA\nB\n",
        "matches.csv": f"round,player1,player2,score1,score2,{GAMES}\n1,A,B,3,0,2,0,0\n".encode(),
    }
    other = {**files, "matches.csv": files["matches.csv"].replace(b",2,0,0", b",2,1,0")}
    before, after = read_facts(files), read_facts(other)
    assert before != after
    may = {verb for verb in LAW if not forbidden_changes(before, after, verb)}
    assert may == {"result", "undo", "mend", "edited by hand"}


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ("3,0,2,,", "games1"),
        ("3,0,,,1", "games1"),
        (",,2,1,", "games1"),
        ("3,0,x,1,", "games1"),
        ("3,0,2,-1,", "games2"),
        ("3,0,2,1,½", "games_drawn"),
        ("3,0,2,99999,", "games2"),
    ],
)
def test_a_wrong_cell_is_named(tmp_path: Path, cells: str, column: str) -> None:
    path = tmp_path / "matches.csv"
    path.write_text(f"round,player1,player2,score1,score2,{GAMES}\n1,A,B,{cells}\n")
    with pytest.raises(InputError, match=f"row 2, column {column}"):
        read_event(path)


def test_a_bye_has_none(tmp_path: Path) -> None:
    path = tmp_path / "matches.csv"
    path.write_text(
        f"round,player1,player2,score1,score2,{GAMES}\n1,A,B,3,0,,,\n1,C,,3,,2,0,0\n"
    )
    with pytest.raises(InputError, match="row 3, column games1"):
        read_event(path)


@pytest.mark.long
def test_read_written_and_read_again(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFG", rounds=1, points="3-1-0", best_of=3)
    for table, score in ((1, "2-1"), (2, "1-1-1"), (3, "2F-0F")):
        run("result", folder, table, score)
    result(folder, 3, "3F-0F")
    pair(folder)
    found = read_event(folder, unfinished=True)
    assert found.matches.games[:3].tolist() == [[2, 1, 0], [1, 1, 1], [-1, -1, -1]]
    done = write_event(found, tmp_path / "out.csv")
    assert not any("games" in str(note) for note in done.notes)
    again = read_event(done.files[0], unfinished=True)
    assert again.matches.games.tolist() == found.matches.games.tolist()
    frame = found.matches_frame
    assert [str(frame[name].dtype) for name in GAMES.split(",")] == ["Int64"] * 3
    framed = read_event(frame, found.players_frame, unfinished=True)
    assert framed.matches.games.tolist() == found.matches.games.tolist()
    for name in ("out.json", "out.trf"):
        notes = {str(note) for note in write_event(found, tmp_path / name).notes}
        assert "The file leaves out the games of 2 matches." in notes, name


def test_only_files_that_have_games_get_their_columns(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, points="3-1-0")
    result(folder, 1, "3-0")
    assert b"games" not in (folder / "matches.csv").read_bytes()
    assert "games1" not in read_event(folder, unfinished=True).matches_frame.columns


def test_people_see_games_from_their_own_side(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, points="3-1-0", best_of=3)
    result(folder, 1, "2-1")
    result(folder, 2, "1-1-1")
    shown = round_view(read_event(folder, unfinished=True), 1)
    assert [match.score for match in shown.matches] == ["2-1", "1-1-1", ""]
    seats = {seat.name: seat for seat in shown.seats}
    one, two = shown.matches[0].names
    assert (seats[one].score, seats[one].ending) == ("2-1", "won")
    assert (seats[two].score, seats[two].ending, seats[two].gained) == (
        "1-2",
        "lost",
        "1",
    )
    assert seats[shown.matches[1].one].ending == "drew"
    assert sorted(points_of(folder).values()) == [0, 0, 0, 1, 1, 3]
    assert [swap_score(each) for each in ("2-1", "2-0-1", "3F-0F", "")] == [
        "1-2",
        "0-2-1",
        "0F-3F",
        "",
    ]


KEYS = {1: "1-0 0-0-1 0-1", 3: "2-0 2-1 1-1 1-2 0-2", 5: "3-0 3-1 3-2 2-2 2-3 1-3 0-3"}


@pytest.mark.parametrize("best_of", KEYS)
def test_keys_of_games(best_of: int) -> None:
    found = list_outcomes(parse_points("3-1-0"), best_of=best_of)
    keyed = [(each.score, each.keys) for each in found if not each.rare]
    assert keyed == [
        (score, str(k)) for k, score in enumerate(KEYS[best_of].split(), 1)
    ]
    assert len({each.score for each in found}) == len(found)
    of_cut = list_outcomes(parse_points("3-1-0"), draws=False, best_of=best_of)
    assert not any(each.words == "draw" for each in of_cut)
    assert [each.keys for each in of_cut if not each.rare] == [
        str(k) for k in range(1, len(KEYS[best_of].split()))
    ]


@pytest.mark.long
def test_by_key_by_slip_and_from_the_menu(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFGH", rounds=1, points="3-1-0", best_of=3)
    browser = client(folder)
    page = browser.get("/results").text
    how = page[page.index('id="how"') :].partition("</details>")[0]
    keys = re.findall("<kbd>(.*?)</kbd>", how)
    # a slip; the results of games; forfeits; missing results and quick entry
    assert keys == ["17 1", *"12345", *"fgx", "m", "/"]
    assert "1-1-1" not in how
    for table, score in ((1, "2-1"), (2, "1-1-1"), (3, "1-0")):
        assert f'value="{score}"' in page
        part = page[page.index(f'id="table-{table}"') :]
        done = browser.post(
            "/results/score", data={**fields(part, "/results/score"), "score": score}
        )
        assert f" {score} " in said(done.text)
        page = browser.get("/results").text
    slip = {**fields(page, "/results/slip"), "slip": "4 5"}
    assert " 0-2 " in said(browser.post("/results/slip", data=slip).text)
    assert [row(folder, k) for k in (1, 2, 3, 4)] == [
        "3,0,,2,1,0",
        "1,1,,1,1,1",
        "3,0,,1,0,0",
        "0,3,,0,2,0",
    ]
    slip = {**fields(browser.get("/results").text, "/results/slip"), "slip": "4 2-0-1"}
    asked = browser.post("/results/slip", data=slip)
    assert "(before: 0-2)" in said(asked.text)
    assert 'aria-pressed="true"' in browser.get("/results").text
    settings(folder, {"best_of": ""})
    assert "2-1" in browser.get("/results").text, "results stay"


@pytest.mark.long
def test_a_second_game_that_was_not_played(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, points="3-1-0x2")
    done = run("result", folder, 1, "3-0")
    assert "One of the two games of this match has not been played yet." in done.stderr
    assert row(folder) == "3,0,"
    assert run("result", folder, 2, "3-1").exit_code == 2
    assert run("result", folder, 2, "3-1", "--decided").exit_code == 0
    assert "not played" not in said_by(result(folder, 3, "4-1"))[0]
    assert read_event(folder, unfinished=True).unscored.round.size == 0
    assert pair(folder).step
    points = parse_points("3-1-0x2")
    assert {tuple(map(int, each)) for each in points.half} == {(3, 0), (1, 1), (0, 3)}
    assert (Fraction(3), Fraction(1)) in points.decided
    assert not points.decided & (points.results | points.half)
    page = client(folder).get("/results?round=1").text
    assert "one game not played" in page


def test_a_workbooks_cells(tmp_path: Path) -> None:
    """Whole numbers as a table with gaps writes them."""
    frame = pd.DataFrame(
        {
            "round": [1, 1],
            "player1": ["A", "C"],
            "player2": ["B", "D"],
            "score1": [3, None],
            "score2": [0, None],
            "games1": [2.0, None],
            "games2": [1.0, None],
            "games_drawn": [None, None],
        }
    )
    assert read_event(frame, unfinished=True).matches.games.tolist() == [
        [2, 1, 0],
        [-1, -1, -1],
    ]


@pytest.mark.parametrize("typed", ["ID", "id", " Id "])
def test_an_intentional_draw_is_three_games_drawn(tmp_path: Path, typed: str) -> None:
    folder = event(tmp_path / "event", rounds=1, points="3-1-0", best_of=3)
    result(folder, 1, typed)
    assert row(folder) == BEST_OF_3["0-0-3"]


def test_an_intentional_draw_needs_games(tmp_path: Path) -> None:
    chess = event(
        tmp_path / "event", rounds=1, points="1-0.5-0", sides=("white", "black")
    )
    with pytest.raises(UsageError) as caught:
        result(chess, 1, "ID")
    assert caught.value.kind == "score.unfit"


@pytest.mark.parametrize(
    ("how", "typed", "allowed"),
    [
        (
            {"points": "1-0.5-0", "sides": ("white", "black")},
            "3-0",
            ["1-0", "0.5-0.5", "0-1", "1F-0F"],
        ),
        (
            {"points": "3-1-0", "sides": ("corp", "runner")},
            "1-0",
            ["3-0", "1-1", "0-3", "3F-0F"],
        ),
        ({"points": "3-1-0", "best_of": 3}, "3-0", ["2-0", "2-1", "0-0-3", "3F-0F"]),
        ({"points": "3-1-0", "best_of": 1}, "2-0", ["1-0", "0-0-1", "3F-0F"]),
        (
            {"points": "3-1-0x2"},
            "5-0",
            ["6-0", "4-1", "3-3", "2-2", "1-4", "0-6", "6F-0F"],
        ),
        ({"points": "1-0.5-0", "sides": ("white", "black")}, "won", ["1-0", "0.5-0.5"]),
    ],
)
def test_an_error_names_scores_that_the_event_takes(
    tmp_path: Path, how: dict[str, object], typed: str, allowed: list[str]
) -> None:
    folder = event(tmp_path / "event", rounds=1, **how)
    with pytest.raises(UsageError) as caught:
        result(folder, 1, typed)
    said = str(caught.value)
    assert all(score in said for score in allowed)
    for score in allowed:
        assert result(folder, 1, score, sure=True).step is not None, score
