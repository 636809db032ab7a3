"""The cut of an event folder in NRTM JSON: real ones played again, and small ones by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from notes import notes_of
from places import REAL
from telling import said_by

from pairopt import read_event, write_event
from pairopt.cli import main
from pairopt.event.elimination import EliminationBracket
from pairopt.event.points import Score
from pairopt.event.standings import rank_players
from pairopt.event.tie_breaks import SCHEDULE
from pairopt.files.formats.nrtm_json.top_cut import CUT
from pairopt.folder import drop
from pairopt.folder.create import new
from pairopt.folder.results import result
from pairopt.folder.top_cut import bracket

BLM = REAL / "nrtm" / "BLM.json"
NAMES = ("Ann", "Bo", "Cy", "Di", "Ed")


def event(
    tmp_path: Path, names: tuple[str, ...] = NAMES, cut: int = 4, **how: bool
) -> Path:
    """A folder of players who brought points in, the first most, and its cut."""
    folder = tmp_path / "event"
    listed = tmp_path / "list.csv"
    listed.write_text("player\n" + "\n".join(names) + "\n", encoding="utf-8")
    new(folder, listed, title="Friday", rounds=3)
    rows = [f"{name},{9 - k},true" for k, name in enumerate(names)]
    text = "\n".join(["player,score,active", *rows, ""])
    (folder / "players.csv").write_text(text, encoding="utf-8")
    bracket(folder, cut, **how)
    return folder


def converted(folder: Path, name: str = "out.json") -> tuple[Any, tuple[str, ...]]:
    written = write_event(read_event(folder), folder / name)
    return json.loads(written.files[0].read_text(encoding="utf-8")), notes_of(written)


def met(tables: list[Any]) -> list[Any]:
    """Who met whom and who won, whichever is named first."""
    return [
        (
            each["table"],
            sorted((each[k]["id"], each[k]["winner"]) for k in ("player1", "player2")),
        )
        for each in tables
    ]


@pytest.mark.long
@pytest.mark.skipif(not BLM.is_file(), reason="the real events are not here")
def test_a_real_cut_played_again(tmp_path: Path) -> None:
    raw = json.loads(BLM.read_text(encoding="utf-8"))
    swiss = raw["preliminaryRounds"]
    path = tmp_path / "swiss.json"
    bare = {
        **raw,
        "cutToTop": 0,
        "eliminationPlayers": [],
        "rounds": raw["rounds"][:swiss],
    }
    path.write_text(json.dumps(bare), encoding="utf-8")
    folder = tmp_path / "event"
    new(folder, path)
    seeds = {each["id"] for each in raw["eliminationPlayers"]}
    for player in raw["players"][: len(seeds)]:
        if player["id"] not in seeds:
            drop(folder, player["name"])  # did not want to play it
    made = bracket(folder, raw["cutToTop"], double=True).bracket
    assert made is not None
    for table in (table for tables in raw["rounds"][swiss:] for table in tables):
        won = {str(table[k]["id"]): table[k]["winner"] for k in ("player1", "player2")}
        match = next(
            each
            for each in made.matches
            if each.open
            and {made.players[seed - 1] for seed in each.seeds if seed} == {*won}
        )
        first = made.players[(match.seeds[0] or 0) - 1]
        made = result(
            folder, match.fixture.name, "1-0" if won[first] else "0-1"
        ).bracket
        assert made is not None
    again, notes = converted(folder)
    assert not [note for note in notes if "cut" in note]
    assert again["cutToTop"] == raw["cutToTop"]
    assert again["preliminaryRounds"] == swiss
    assert again["eliminationPlayers"] == raw["eliminationPlayers"]
    assert [met(each) for each in again["rounds"][swiss:]] == [
        met(each) for each in raw["rounds"][swiss:]
    ]
    assert all(
        table["eliminationGame"] for each in again["rounds"][swiss:] for table in each
    )
    finished, own = read_event(BLM), read_event(folder / "out.json")
    assert rank_players(own, SCHEDULE) == rank_players(finished, SCHEDULE)
    assert len(own.origin.facts["json"][CUT]) == len(finished.origin.facts["json"][CUT])
    second = write_event(own, tmp_path / "second.json").files[0]
    assert json.loads(second.read_text(encoding="utf-8")) == again


def test_a_cut_that_is_not_finished(tmp_path: Path) -> None:
    folder = event(tmp_path, cut=5)
    result(folder, "B3", "2-1")  # of the second round: the first is not played yet
    again, notes = converted(folder)
    assert again["cutToTop"] == 5
    assert [
        (each["name"], each["rank"], each["seed"])
        for each in again["eliminationPlayers"]
    ] == [("Ann", 1, 1), ("Bo", 2, 2), ("Di", 3, 4), ("Ed", 4, 5), ("Cy", 5, 3)]
    assert again["rounds"] == [
        [
            {
                "table": 1,
                "player1": {"id": 2, "winner": True},
                "player2": {"id": 3, "winner": False},
                "intentionalDraw": False,
                "eliminationGame": True,
            }
        ]
    ]
    cut = [note for note in notes if "cut" in note]
    assert cut == [
        "The file doesn't say that the top cut is a single elimination.",
        "The file has the winners, but not the scores and forfeits, of 1 match of the top cut.",
    ]


def test_a_cut_not_begun_has_its_seeds(tmp_path: Path) -> None:
    again, notes = converted(event(tmp_path))
    assert [each["seed"] for each in again["eliminationPlayers"]] == [1, 2, 3, 4]
    assert again["rounds"] == []
    assert "The file doesn't say that the top cut is a single elimination." in notes


def test_without_a_bracket_nothing_is_said_of_one(tmp_path: Path) -> None:
    folder = event(tmp_path)
    (folder / "bracket.csv").unlink()
    again, notes = converted(folder)
    assert again["cutToTop"] == 0
    assert again["eliminationPlayers"] == []
    assert not [note for note in notes if "cut" in note]


@pytest.mark.parametrize("players", range(2, 18))
@pytest.mark.parametrize("double", [False, True])
def test_rounds_follow_each_other(players: int, double: bool) -> None:
    """Whoever plays in a round has played all matches before it, and each once in a round."""
    made = EliminationBracket(tuple(map(str, range(players))), double)
    while made.champion is None:
        number = next(match.fixture.number for match in made.matches if match.open)
        lower = Score(Fraction(number % 2), Fraction(1 - number % 2))
        made = made.with_result(number, lower)
    stages = made.stages
    for fixture in made.fixtures:
        for seat in fixture.seats:
            assert seat.come == "seed" or stages[seat.number] < stages[fixture.number]
    assert {*stages.values()} == {*range(1, max(stages.values()) + 1)}
    order = made.ranking
    assert sorted(order) == [*range(1, players + 1)]
    assert made.players[order[0] - 1] == made.champion
    last = made.needed[-1]
    assert order[1] == last.loser


@pytest.mark.parametrize("name", ["out.csv", "out.trf"])
def test_other_formats_name_the_cut_as_lost(tmp_path: Path, name: str) -> None:
    folder = event(tmp_path, ("1", "2", "3", "4"))
    written = write_event(read_event(folder), tmp_path / name)
    assert (
        "The file leaves out the top cut (the elimination bracket in bracket.csv)."
        in notes_of(written)
    )


def test_its_own_cut_is_written_instead_of_that_of_the_file(tmp_path: Path) -> None:
    folder = event(tmp_path, ("1", "2", "3", "4"))
    with (folder / "event.toml").open("a", encoding="utf-8") as toml:
        toml.write(
            "[source.json]\ncutToTop = 2\neliminationPlayers = [{id = 4, rank = 1}]\n"
            '"the cut" = [[{table = 1, eliminationGame = true}]]\n'
        )
    result(folder, "B1", "1-0")
    again, notes = converted(folder)
    assert again["cutToTop"] == 4
    assert len(again["eliminationPlayers"]) == 4
    assert [len(tables) for tables in again["rounds"]] == [1]
    assert (
        "The file that you read had a top cut. pairopt leaves this top cut out, because the folder has another top cut."
        in notes
    )


def test_a_fault_in_bracket_csv_is_named(tmp_path: Path) -> None:
    folder = event(tmp_path)
    path = folder / "bracket.csv"
    path.write_text(
        path.read_text(encoding="utf-8").replace("Cy", "Nobody"), encoding="utf-8"
    )
    assert CliRunner().invoke(main, ["standings", str(folder)]).exit_code == 0
    done = CliRunner().invoke(
        main, ["convert", str(folder), str(tmp_path / "out.json")]
    )
    assert done.exit_code == 3
    assert "bracket.csv" in done.stderr
    assert "Nobody" in done.stderr
    assert not (tmp_path / "out.json").exists()


def test_a_folder_made_from_the_event_of_a_folder_keeps_the_bracket(
    tmp_path: Path,
) -> None:
    folder = event(tmp_path)
    result(folder, "B1", "2-0")
    new(tmp_path / "again", read_event(folder))
    assert bracket(tmp_path / "again").bracket == bracket(folder).bracket


# the way back: a cut in a file, as the bracket of a folder


def cobra(
    tmp_path: Path, played: int, *, double: bool = True, done: bool = False
) -> Path:
    """An export of four players by name in which the first matches of a cut are played.

    The stronger seed wins, but for the first final; programs name seeds when players are out.
    """
    games = [
        (1, 1, 4),
        (1, 2, 3),
        (2, 1, 2),
        (2, 3, 4),
        (3, 2, 3),
        (4, 2, 1),
        (5, 1, 2),
    ]
    rounds: list[list[Any]] = [[], [], [], [], []]
    for number, (turn, won, lost) in enumerate(games if double else games[:3], 1):
        if number <= played or all(later >= turn for later, *_ in games[played:]):
            winner = {"winner": True} if number <= played else {}
            loser = {"winner": False} if number <= played else {}
            rounds[turn - 1].append(
                {
                    "table": number,
                    "player1": {"id": won, "role": "corp", **winner},
                    "player2": {"id": lost, "role": "runner", **loser},
                    "intentionalDraw": False,
                    "twoForOne": False,
                    "eliminationGame": True,
                }
            )
    swiss = [
        [
            {
                "table": 1,
                "player1": {"id": 1, "role": "corp", "combinedScore": 3},
                "player2": {"id": 4, "role": "runner", "combinedScore": 0},
            },
            {
                "table": 2,
                "player1": {"id": 2, "role": "corp", "combinedScore": 3},
                "player2": {"id": 3, "role": "runner", "combinedScore": 0},
            },
        ],
        [
            {
                "table": 1,
                "player1": {"id": 2, "role": "runner", "combinedScore": 0},
                "player2": {"id": 1, "role": "corp", "combinedScore": 3},
            },
            {
                "table": 2,
                "player1": {"id": 4, "role": "corp", "combinedScore": 0},
                "player2": {"id": 3, "role": "runner", "combinedScore": 3},
            },
        ],
    ]
    named = [
        {"id": k, "name": f"P{k}", "rank": k, "seed": k}
        if done
        else {"id": None, "name": None, "rank": k, "seed": None}
        for k in (1, 2, 3, 4)
    ]
    raw = {
        "name": "Worlds",
        "cutToTop": 4,
        "preliminaryRounds": 2,
        "players": [{"id": k, "name": f"P{k}"} for k in (1, 2, 3, 4)],
        "eliminationPlayers": named,
        "rounds": [*swiss, *filter(None, rounds)],
    }
    path = tmp_path / "cobra.json"
    path.write_text(json.dumps(raw), encoding="utf-8")
    return path


@pytest.mark.long
@pytest.mark.skipif(not BLM.is_file(), reason="the real events are not here")
def test_a_folder_of_a_real_event_has_its_cut(tmp_path: Path) -> None:
    raw = json.loads(BLM.read_text(encoding="utf-8"))
    said = said_by(new(tmp_path / "event", BLM))
    assert said[-3:] == (
        f"Top cut: 8 players, double elimination (from {BLM})",
        "15 of 15 matches of the bracket have been played.",
        "rongydoge has won the bracket.",
    )
    made = bracket(tmp_path / "event").bracket
    assert made is not None
    seeds = {entry["seed"]: str(entry["id"]) for entry in raw["eliminationPlayers"]}
    assert made.players == tuple(seeds[seed] for seed in range(1, 9))
    again, notes = converted(tmp_path / "event")
    assert again["eliminationPlayers"] == raw["eliminationPlayers"]
    assert again["rounds"][6:] == raw["rounds"][6:]
    assert not [note for note in notes if "cut" in note]


@pytest.mark.long
@pytest.mark.parametrize("played", range(8))
@pytest.mark.parametrize("done", [False, True])
def test_a_cut_goes_on_where_the_file_left_it(
    tmp_path: Path, played: int, done: bool
) -> None:
    path = cobra(tmp_path, played, done=done)
    folder = tmp_path / "event"
    new(folder, path)
    made = bracket(folder).bracket
    assert made is not None
    assert made.double
    assert made.players == ("1", "2", "3", "4")
    assert len(made.results) == played
    assert converted(folder)[0]["rounds"] == converted_again(path, tmp_path)["rounds"]
    while made.champion is None:
        number = next(match.fixture.name for match in made.matches if match.open)
        made = result(folder, number, "1-0").bracket
        assert made is not None
    again, notes = converted(folder)
    assert not [note for note in notes if "cut" in note]
    before = [
        table
        for tables in json.loads(path.read_text())["rounds"][2:]
        for table in tables
    ]
    tables = [table for tables in again["rounds"][2:] for table in tables]
    assert [table for table in before if "winner" in table["player1"]] == [
        table for table in tables if "role" in table["player1"]
    ]
    new(tmp_path / "second", tmp_path / "event" / "out.json")
    assert bracket(tmp_path / "second").bracket == made


def converted_again(path: Path, tmp_path: Path) -> Any:
    written = write_event(read_event(path), tmp_path / "direct.json")
    return json.loads(written.files[0].read_text(encoding="utf-8"))


def test_a_single_elimination(tmp_path: Path) -> None:
    new(tmp_path / "event", cobra(tmp_path, 3, double=False))
    made = bracket(tmp_path / "event").bracket
    assert made is not None
    assert not made.double
    assert made.champion == "1"


def test_what_only_the_first_round_of_a_cut_cannot_say(tmp_path: Path) -> None:
    said = said_by(new(tmp_path / "event", cobra(tmp_path, 1)))
    assert any(
        "If the top cut is a single elimination, delete bracket.csv" in line
        for line in said
    )


def test_a_corrected_match_of_the_cut_is_written_as_it_is_now(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    new(folder, cobra(tmp_path, 2))
    result(folder, "B2", "0-1")
    again, notes = converted(folder)
    assert not [
        note
        for note in notes
        if "had a top cut. pairopt leaves this top cut out" in note
    ]
    assert [
        (table["player1"]["id"], table["player1"]["winner"])
        for table in again["rounds"][2]
    ] == [(1, True), (2, False)]


def test_points_say_who_won_where_nothing_else_does(tmp_path: Path) -> None:
    path = cobra(tmp_path, 7)
    raw = json.loads(path.read_text(encoding="utf-8"))
    for table in (table for tables in raw["rounds"][2:] for table in tables):
        for seat in (table["player1"], table["player2"]):
            won = seat.pop("winner")
            seat |= {
                "corpScore": 3 * won if seat["role"] == "corp" else None,
                "runnerScore": 3 * won if seat["role"] == "runner" else None,
            }
    path.write_text(json.dumps(raw), encoding="utf-8")
    new(tmp_path / "event", path)
    made = bracket(tmp_path / "event").bracket
    assert made is not None
    assert made.champion == "1"


STRANGE: dict[str, Any] = {
    "another pair": lambda raw: raw["rounds"][2][0]["player2"].update(id=3),
    "nobody": lambda raw: raw["rounds"][2][0]["player2"].update(id=99),
    "one more": lambda raw: raw.update(cutToTop=5),
    "other seeds": lambda raw: raw.update(eliminationPlayers=[{"id": 1, "seed": 2}]),
    "twice": lambda raw: raw.update(
        eliminationPlayers=[{"id": 1, "seed": k} for k in (1, 2)]
    ),
}


@pytest.mark.parametrize("fault", STRANGE)
def test_another_kind_of_cut_is_kept_as_it_is(tmp_path: Path, fault: str) -> None:
    path = cobra(tmp_path, 7)
    raw = json.loads(path.read_text(encoding="utf-8"))
    STRANGE[fault](raw)
    path.write_text(json.dumps(raw), encoding="utf-8")
    said = said_by(new(tmp_path / "event", path))
    assert (
        f"pairopt does not know the form of the top cut in {path}, so the event can't continue this top cut. JSON files that you export will still contain the top cut."
        in said
    )
    assert not (tmp_path / "event" / "bracket.csv").exists()
    again = converted(tmp_path / "event")[0]
    assert again == converted_again(path, tmp_path)


def test_the_next_step_is_said(tmp_path: Path) -> None:
    path = str(cobra(tmp_path, 2))
    done = CliRunner().invoke(main, ["new", str(tmp_path / "event"), "--players", path])
    assert done.stderr.splitlines()[-1].endswith(
        f"next: pairopt bracket {tmp_path / 'event'}"
    )
