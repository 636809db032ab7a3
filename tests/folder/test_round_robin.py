"""Round robins in an event folder: all rounds at once, results in any order, withdrawals."""

from __future__ import annotations

import csv
import io
import random
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from telling import said_by
from test_killed import Killed, cut

from pairopt import UsageError, read_event, solve, standings, write_event
from pairopt.errors import ConfirmationError
from pairopt.event.berger import build_berger_table
from pairopt.event.round_robin_check import check_round_robin
from pairopt.event.standings import rank_players
from pairopt.files.conversion_losses import find_losses
from pairopt.files.event_folder import FILES
from pairopt.folder import (
    back,
    bye,
    change,
    drop,
    edit,
    enter,
    forbid,
    mend,
    pair,
    preview,
    repair,
    result,
    table,
    undo,
)
from pairopt.folder.create import new

Row = dict[str, str]


def founded(folder: Path, players: Iterable[str] = "ABCD", **settings: Any) -> Path:
    """Return a new round robin, numbered by the list, whose rounds are not paired yet."""
    listed = folder.parent / f"{folder.name}.csv"
    pd.DataFrame({"player": list(players)}).to_csv(listed, index=False)
    settings = {"numbers": "list", "seed": 7, **settings}
    new(folder, listed, format="round-robin", id="robin", **settings)
    return folder


def paired(folder: Path, players: Iterable[str] = "ABCD", **settings: Any) -> Path:
    """Return a new round robin with all rounds paired."""
    pair(founded(folder, players, **settings))
    return folder


def rows(folder: Path) -> list[Row]:
    """Return the rows of matches.csv."""
    text = (folder / "matches.csv").read_text()
    return list(csv.DictReader(io.StringIO(text)))


def games(folder: Path) -> list[list[tuple[str, str]]]:
    """Return White and Black of each game by rounds, without byes."""
    found: dict[int, list[tuple[str, str]]] = {}
    for row in rows(folder):
        if row["player2"]:
            found.setdefault(int(row["round"]), []).append(
                (row["player1"], row["player2"])
            )
    return [found[number] for number in sorted(found)]


def points(folder: Path) -> dict[str, str]:
    """Return the points of each player in the standings."""
    return {
        line.player: str(line.points) for line in rank_players(read_event(folder), [])
    }


def content(folder: Path) -> dict[str, bytes]:
    """Return the content of the event's files."""
    return {
        name: (folder / name).read_bytes() for name in FILES if (folder / name).exists()
    }


def table_of(folder: Path, first: str, second: str) -> tuple[int, int]:
    """Return the round and the table of the first game of two players."""
    return next(
        (int(row["round"]), int(row["table"]))
        for row in rows(folder)
        if {row["player1"], row["player2"]} == {first, second}
    )


def enter_result(folder: Path, winner: str, loser: str) -> None:
    """Enter the first game of two players as won by the first."""
    number, table_number = table_of(folder, winner, loser)
    row = next(
        row
        for row in rows(folder)
        if (row["round"], row["table"]) == (str(number), str(table_number))
    )
    score = "1-0" if row["player1"] == winner else "0-1"
    result(folder, table_number, score, round=number)


def test_all_rounds_of_the_berger_table_are_paired_at_once(tmp_path: Path) -> None:
    folder = founded(tmp_path / "event", "ABCDEF")
    done = pair(folder)
    assert done.step == 2
    assert games(folder) == [
        [("ABCDEF"[white - 1], "ABCDEF"[black - 1]) for white, black in boards]
        for boards in build_berger_table(6)
    ]
    toml = tomllib.loads((folder / "event.toml").read_text())
    assert (toml["format"], toml["rounds"]) == ("round-robin", 5)
    assert "model" not in toml
    assert "fide" not in toml
    assert said_by(done)[0].startswith("All 5 rounds are paired by the Berger table")


def test_of_five_one_has_the_bye_without_points(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event", "ABCDE")
    byes = [row for row in rows(folder) if not row["player2"]]
    assert [row["player1"] for row in byes] == ["A", "D", "B", "E", "C"]
    assert {(row["score1"], row["status"], row["table"]) for row in byes} == {
        ("0", "bye", "")
    }
    assert set(points(folder).values()) == {"0"}


def test_a_double_round_robin_with_reversed_colours(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event", "ABCDEF", cycles=2, reversed=True)
    assert games(folder) == [
        [("ABCDEF"[white - 1], "ABCDEF"[black - 1]) for white, black in boards]
        for boards in build_berger_table(6, cycles=2, is_reversed=True)
    ]
    assert {row["side1"] for row in rows(folder)} == {"white"}


def test_the_draw_depends_on_the_seed_alone(tmp_path: Path) -> None:
    tables = []
    for name, seed in (("one", 7), ("two", 7), ("three", 8)):
        folder = founded(tmp_path / name, "ABCDEFGH", numbers="list", seed=seed)
        change(folder, {"numbers": None})
        pair(folder)
        tables.append(games(folder))
    assert tables[0] == tables[1]
    assert tables[0] != tables[2]


def test_numbers_can_be_typed(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("player,start\nA,4\nB,3\nC,2\nD,1\n")
    folder = tmp_path / "event"
    new(folder, listed, format="round-robin", numbers="start")
    pair(folder)
    assert games(folder)[0] == [("D", "A"), ("C", "B")]


def test_a_missing_typed_number_is_named(tmp_path: Path) -> None:
    folder = founded(tmp_path / "event", numbers="start")
    before = content(folder)
    with pytest.raises(UsageError, match="Start numbers are missing: A, B, C, D"):
        pair(folder)
    assert content(folder) == before


def test_players_who_dropped_before_the_start_are_not_in_the_table(
    tmp_path: Path,
) -> None:
    folder = founded(tmp_path / "event", "ABCDE")
    drop(folder, "B")
    enter(folder, "F")
    pair(folder)
    seated = {
        player for boards in games(folder) for board in boards for player in board
    }
    assert seated == {*"ACDEF"}
    cells = pd.read_csv(folder / "players.csv").set_index("player")["start"]
    assert cells.to_dict() == {"A": 1, "C": 2, "D": 3, "E": 4, "F": 5, "B": 6}


@pytest.mark.parametrize("count", [2, 41])
def test_too_few_or_too_many_players_are_refused(tmp_path: Path, count: int) -> None:
    folder = founded(tmp_path / "event", [f"P{k}" for k in range(count)])
    with pytest.raises(UsageError, match="A round robin needs 3 to 40"):
        pair(folder)


def test_any_result_of_any_round_can_be_entered_and_removed(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event")
    result(folder, 2, "1-0", round=3)
    result(folder, 1, "½-½", round=1)
    result(folder, 2, "0-1", round=2)
    result(folder, 1, "1-0", round=1)
    result(folder, 2, off=True, round=2)
    assert [(row["score1"], row["score2"]) for row in rows(folder)] == [
        ("1", "0"),
        ("", ""),
        ("", ""),
        ("", ""),
        ("", ""),
        ("1", "0"),
    ]
    assert points(folder) == {"A": "1", "C": "1", "B": "0", "D": "0"}


def test_without_a_round_the_result_is_of_the_first_round_that_waits(
    tmp_path: Path,
) -> None:
    folder = paired(tmp_path / "event")
    for number in (1, 2, 3):
        for table_number in (1, 2):
            assert read_event(folder).current_round == number
            result(folder, table_number, "1-0")
    assert read_event(folder).current_round == 3
    assert said_by(pair(folder)) == (
        "All 3 rounds of the round robin are paired and played.",
    )


def test_pair_names_the_round_that_is_next(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event")
    result(folder, 1, "1-0")
    before = content(folder)
    done = pair(folder)
    assert done.step is None
    assert said_by(done) == (
        "All 3 rounds of the round robin are already paired. Round 1 is next: 1 result is missing.",
    )
    assert content(folder) == before


def test_an_early_withdrawal_counts_for_nobody(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event", "ABCDEF")
    enter_result(folder, "A", "B")
    enter_result(folder, "C", "A")
    enter_result(folder, "B", "C")
    assert points(folder) == {
        "A": "1",
        "B": "1",
        "C": "1",
        "D": "0",
        "E": "0",
        "F": "0",
    }
    done = drop(folder, "A")
    assert "after 2 of 5 games, which is less than half" in said_by(done)[0]
    assert points(folder) == {
        "A": "0",
        "B": "1",
        "C": "0",
        "D": "0",
        "E": "0",
        "F": "0",
    }
    played = [row for row in rows(folder) if row["status"] == "" and row["score1"]]
    assert len(played) == 3
    of_a = [row for row in rows(folder) if "A" in (row["player1"], row["player2"])]
    assert sorted(row["status"] for row in of_a) == [
        "",
        "",
        "forfeit",
        "forfeit",
        "forfeit",
    ]


def test_a_withdrawal_from_half_of_the_games_on_counts(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event", "ABCDE")
    enter_result(folder, "A", "B")
    enter_result(folder, "C", "A")
    done = drop(folder, "A")
    assert "after 2 of 4 games, which is at least half" in said_by(done)[0]
    assert points(folder) == {"A": "1", "B": "0", "C": "1", "D": "1", "E": "1"}


def test_withdrawn_players_win_nothing_from_each_other(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event")
    for winner, loser in (("A", "B"), ("A", "C"), ("D", "B")):
        enter_result(folder, winner, loser)
    drop(folder, "A")
    drop(folder, "D")
    (game,) = (
        row for row in rows(folder) if {row["player1"], row["player2"]} == {*"AD"}
    )
    assert game["status"] == "forfeit"
    scores = {game["player1"]: game["score1"], game["player2"]: game["score2"]}
    assert scores == {"A": "0", "D": "1"}


def test_a_withdrawal_can_be_undone_and_taken_back(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event", "ABCDEF")
    enter_result(folder, "A", "B")
    before = content(folder)
    drop(folder, "A")
    undo(folder)
    assert content(folder) == before
    drop(folder, "A")
    done = back(folder, "A")
    assert "all results count again" in said_by(done)[0]
    assert points(folder)["A"] == "1"
    assert points(folder)["F"] == "1"
    number, table_number = table_of(folder, "A", "F")
    result(folder, table_number, off=True, round=number)
    assert points(folder)["F"] == "0"


def test_tie_breaks_by_hand(tmp_path: Path) -> None:
    """A and B 2 points each, C and D 1 each; A won against B, and D against C."""
    folder = paired(tmp_path / "event")
    for winner, loser in ("AB", "AC", "DA", "BC", "BD"):
        enter_result(folder, winner, loser)
    enter_result(folder, "C", "D")
    lines = {line.player: line for line in rank_players(read_event(folder))}
    assert list(lines) == ["A", "B", "C", "D"]
    assert {name: str(value) for name, value in lines["A"].tie_breaks.items()} == {
        "DE/P": "1",
        "WIN": "2",
        "SB/P": "3",
        "KS": "1",
    }
    assert [str(line.tie_breaks["SB/P"]) for line in lines.values()] == [
        "3",
        "2",
        "1",
        "2",
    ]


def test_koya_asks_for_half_of_the_games_not_of_the_rounds(tmp_path: Path) -> None:
    """Of five players each has four games in five rounds: two points are half."""
    folder = paired(tmp_path / "event", "ABCDE")
    for winner, loser in ("AB", "AC", "AD", "AE", "BC", "BD", "EB", "CD", "CE", "DE"):
        enter_result(folder, winner, loser)
    lines = {line.player: line for line in rank_players(read_event(folder))}
    assert [str(lines[player].points) for player in "ABCDE"] == [
        "4",
        "2",
        "2",
        "1",
        "1",
    ]
    assert [str(lines[player].tie_breaks["KS"]) for player in "ABCDE"] == [
        "2",
        "1",
        "0",
        "0",
        "1",
    ]


def test_open_games_change_no_tie_break(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event", "ABCDEF")
    enter_result(folder, "A", "B")
    enter_result(folder, "B", "C")
    lines = {line.player: line for line in rank_players(read_event(folder))}
    assert str(lines["A"].tie_breaks["SB/P"]) == "1"
    assert str(lines["B"].tie_breaks["SB/P"]) == "0"


REFUSED = {
    "a late entry": (lambda folder: enter(folder, "Zoe"), "can't enter any more"),
    "a bye": (lambda folder: bye(folder, "A"), "players can't ask for byes"),
    "points of a bye": (
        lambda folder: result(folder, "A", "1", bye=True, round=1),
        "always gives no points",
    ),
    "a forbidden pair": (lambda folder: forbid(folder, "A", "B"), "Berger table"),
    "a fixed table": (lambda folder: table(folder, "A", 3), "Berger table"),
    "a re-pairing": (repair, "Berger table"),
    "a preview": (preview, "Berger table"),
    "options": (lambda folder: pair(folder, force=[("A", "B")]), "Berger table"),
    "a number": (
        lambda folder: edit(folder, "A", {"start": "3"}),
        "can't change any more",
    ),
    "other opponents": (
        lambda folder: result(folder, 1, "1-0", opponent="C"),
        "can't exchange opponents",
    ),
    "rounds": (lambda folder: change(folder, {"rounds": "9"}), "number of rounds"),
    "cycles": (lambda folder: change(folder, {"cycles": "2"}), "can't change cycles"),
    "the format": (
        lambda folder: change(folder, {"format": None}),
        "can't change format",
    ),
}


@pytest.mark.parametrize("command", REFUSED)
def test_what_a_round_robin_has_not_is_refused(tmp_path: Path, command: str) -> None:
    folder = paired(tmp_path / "event")
    before = content(folder)
    act, text = REFUSED[command]
    with pytest.raises(UsageError, match=text):
        act(folder)
    assert content(folder) == before


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"rounds": 5}, "number of rounds"),
        ({"model": "monrad"}, "not from pairing rules"),
        ({"fide": True, "sides": "home,away"}, "FIDE mode is not possible"),
        ({"baku": True}, "Berger table"),
    ],
)
def test_settings_of_swiss_tournaments_are_refused(
    tmp_path: Path, settings: dict[str, Any], text: str
) -> None:
    with pytest.raises(UsageError, match=text):
        founded(tmp_path / "event", **settings)
    assert not (tmp_path / "event").exists()


def test_a_swiss_event_cannot_change_its_format_after_round_1(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("player\nA\nB\nC\nD\n")
    new(tmp_path / "event", listed)
    pair(tmp_path / "event")
    with pytest.raises(UsageError, match="can't change format any more"):
        change(tmp_path / "event", {"format": "round-robin"})


SWISS = {
    "event.toml": b"""\
# What this event keeps for all its rounds; pairopt pair, result and standings read it.
id = "swiss"
title = "event"
model = "standard"
rounds = 3
sides = []
seed = 7

[points]
win = 3
draw = 1
loss = 0
bye = 3
requested_bye = 0
absent = 0
""",
    "players.csv": b"player,active\nA,true\nB,true\nC,true\nD,true\n",
}


def test_a_swiss_event_does_not_notice(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("player\nA\nB\nC\nD\n")
    folder = tmp_path / "event"
    new(folder, listed, id="swiss", seed=7, rounds=3)
    files = content(folder)
    assert files["event.toml"] == SWISS["event.toml"]
    assert files["players.csv"] == SWISS["players.csv"]
    pair(folder)
    assert content(folder)["event.toml"] == SWISS["event.toml"]
    assert content(folder)["players.csv"] == SWISS["players.csv"]
    assert len(games(folder)) == 1


def test_solvers_say_where_the_pairings_come_from(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event")
    with pytest.raises(
        UsageError, match="The pairings of a round robin come from the Berger table"
    ):
        solve(read_event(folder))


def test_a_cut_needs_all_results(tmp_path: Path) -> None:
    from pairopt import InputError
    from pairopt.folder import bracket

    folder = paired(tmp_path / "event")
    with pytest.raises(InputError, match="6 results are missing in the round robin"):
        bracket(folder, 2)
    for winner, loser in ("AB", "AC", "AD", "BC", "BD", "CD"):
        enter_result(folder, winner, loser)
    bracket(folder, 2)
    assert (folder / "bracket.csv").exists()


@pytest.mark.parametrize(
    ("settings", "type_words", "code"),
    [
        ({}, "Round-Robin", "FIDE_ROUNDROBIN"),
        ({"cycles": 2}, "Double Round-Robin", "FIDE_DOUBLEROUNDROBIN"),
        ({"reversed": True}, "Round-Robin", "CUSTOM_ROUNDROBIN"),
    ],
)
def test_a_report_names_the_type(
    tmp_path: Path, settings: dict[str, Any], type_words: str, code: str
) -> None:
    folder = paired(tmp_path / "event", **settings)
    write_event(read_event(folder), tmp_path / "report.trf")
    lines = (tmp_path / "report.trf").read_text().splitlines()
    assert f"092 {type_words}" in lines
    assert f"192 {code}" in lines


def test_a_report_has_colours_as_played_and_annulled_games(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event")
    result(folder, 1, "1-0", round=1)
    result(folder, 1, reversed=True, round=1)
    drop(folder, "A")
    write_event(read_event(folder), tmp_path / "report.trf")
    text = (tmp_path / "report.trf").read_text()
    lines = [line for line in text.splitlines() if line.startswith("001")]
    # A had White against D in the table, and Black on the board.
    assert [line[91:99] for line in lines] == [
        "   4 b 1",
        "   3 w  ",
        "   2 b  ",
        "   1 w 0",
    ]
    assert [line[80:84] for line in lines] == [" 0.0"] * 4
    assert lines[0][101:].split() == ["2", "w", "-", "3", "b", "-"]
    assert "\n240" not in text
    # A withdrew with one game of three: the points of all three count for nobody.
    assert "### Withdrawn: 1\n" in text
    assert [line for line in text.splitlines() if line.startswith("299")] == [
        "299 W         0.0    1    1",
        "299 +         0.0    2    2",
        "299 +         0.0    3    3",
    ]


def test_a_copy_that_counts_annulled_games_is_a_loss(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event", "ABCDEF")
    enter_result(folder, "A", "B")
    drop(folder, "A")
    event = read_event(folder)
    copy = replace(event, origin=replace(event.origin, all_rounds_open=False))
    lost = [loss for loss in find_losses(event, copy) if loss.kind == "lost.annulled"]
    assert [loss.fields["number"] for loss in lost] == [5]
    assert not find_losses(event, event)


def test_the_next_event_is_a_round_robin_again(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event", "ABCDE", cycles=2)
    new(tmp_path / "next", folder)
    toml = tomllib.loads((tmp_path / "next" / "event.toml").read_text())
    assert (toml["format"], toml["cycles"]) == ("round-robin", 2)
    assert "rounds" not in toml
    pair(tmp_path / "next")
    assert len(games(tmp_path / "next")) == 10


def test_lost_matches_are_recovered(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event")
    result(folder, 2, "1-0", round=3)
    before = content(folder)
    (folder / "matches.csv").unlink()
    mend(folder)
    assert content(folder) == before


@pytest.mark.parametrize("after", range(8))
@pytest.mark.parametrize("verb", ["pair", "withdraw", "result"])
def test_a_killed_command_leaves_nothing_half(
    tmp_path: Path, verb: str, after: int
) -> None:
    folder = founded(tmp_path / "event", "ABCDE")
    act = {
        "pair": lambda: pair(folder),
        "withdraw": lambda: drop(folder, "A"),
        "result": lambda: result(folder, 1, "1-0", round=4),
    }[verb]
    if verb != "pair":
        pair(folder)
        result(folder, 2, "1-0", round=5)
    before = content(folder)
    with pytest.MonkeyPatch.context() as patch:
        cut(patch, after)
        with suppress(Killed):
            act()
    # The next command finishes a step that has begun.
    result_rows = read_event(folder).matches
    state_rows = len(result_rows)
    if verb == "pair":
        assert state_rows in (0, 15)
        pair(folder)
        assert len(games(folder)) == 5
        return
    change(folder, {"title": "again"})
    now = content(folder)
    if now["matches.csv"] == before["matches.csv"]:
        assert now["players.csv"] == before["players.csv"]
    else:
        assert state_rows == 15
        is_out = b"A,false" in now["players.csv"]
        assert is_out == (verb == "withdraw")


class Shadow:
    """What a round robin should be, kept apart from the package."""

    def __init__(self, folder: Path) -> None:
        self.scores: dict[tuple[str, str], tuple[str, str, str]] = {}
        self.seats = {
            (row["round"], row["table"]): (row["player1"], row["player2"])
            for row in rows(folder)
            if row["player2"]
        }
        self.out: set[str] = set()

    def withdraw(self, player: str) -> None:
        """Forfeit all open games of a player."""
        for place, (white, black) in self.seats.items():
            if place in self.scores or player not in (white, black):
                continue
            other = black if player == white else white
            gain = "0" if other in self.out else "1"
            scores = ("0", gain) if player == white else (gain, "0")
            self.scores[place] = (*scores, "forfeit")
        self.out.add(player)

    def points(self) -> dict[str, Fraction]:
        """Count all points, without the games of players who left before half."""
        annulled = set()
        for player in self.out:
            of_player = [
                place for place, seats in self.seats.items() if player in seats
            ]
            played = [
                place
                for place in of_player
                if place in self.scores and not self.scores[place][2]
            ]
            if 2 * len(played) < len(of_player):
                annulled.add(player)
        players = {player for seats in self.seats.values() for player in seats}
        total = dict.fromkeys(players, Fraction(0))
        for place, (white_points, black_points, _) in self.scores.items():
            white, black = self.seats[place]
            if not annulled & {white, black}:
                total[white] += Fraction(white_points)
                total[black] += Fraction(black_points)
        return total

    def require(self, folder: Path) -> None:
        """Compare the files and the standings with what they should be."""
        found = {
            (row["round"], row["table"]): (row["score1"], row["score2"], row["status"])
            for row in rows(folder)
            if row["player2"] and row["score1"]
        }
        assert found == self.scores
        seats = {
            (row["round"], row["table"]): (row["player1"], row["player2"])
            for row in rows(folder)
            if row["player2"]
        }
        assert seats == self.seats
        lines = rank_players(read_event(folder), [])
        assert {line.player: line.points for line in lines} == self.points()


SCORES = {
    "1-0": ("1", "0", ""),
    "0-1": ("0", "1", ""),
    "½-½": ("0.5", "0.5", ""),
    "1F-0F": ("1", "0", "forfeit"),
    "0F-0F": ("0", "0", "forfeit"),
}


def play_random_event(folder: Path, seed: int, steps: int = 25) -> None:
    """Enter, correct and remove random results, withdraw, return, undo, and be killed."""
    choice = random.Random(seed)
    size = choice.randint(3, 9)
    paired(folder, "ABCDEFGHI"[:size], cycles=choice.choice([None, 2]), numbers="list")
    shadow = Shadow(folder)
    earlier: list[tuple[dict[Any, Any], set[str]]] = []
    for _ in range(steps):
        earlier.append((dict(shadow.scores), set(shadow.out)))
        place = choice.choice([*shadow.seats])
        number, table_number = map(int, place)
        action = choice.choice(
            ["result"] * 6 + ["off", "drop", "back", "undo", "killed"]
        )
        player = choice.choice("ABCDEFGHI"[:size])
        if action in ("result", "killed"):
            text = choice.choice([*SCORES])
            is_new = shadow.scores.get(place) != SCORES[text]
            if action == "killed":
                # The command is given again, whether the killed one was done or not.
                with pytest.MonkeyPatch.context() as patch:
                    cut(patch, choice.randrange(8))
                    with suppress(Killed):
                        result(folder, table_number, text, round=number)
            done = result(folder, table_number, text, round=number)
            if action == "result" and not is_new:
                assert done.step is None
            shadow.scores[place] = SCORES[text]
            if action == "result" and done.step is None:
                earlier.pop()
            if action == "killed":
                earlier.clear()
        elif action == "off":
            done = result(folder, table_number, off=True, round=number)
            if done.step is None:
                earlier.pop()
            shadow.scores.pop(place, None)
        elif action == "drop":
            if drop(folder, player).step is None:
                earlier.pop()
            else:
                shadow.withdraw(player)
        elif action == "back":
            if back(folder, player).step is None:
                earlier.pop()
            shadow.out.discard(player)
        else:
            earlier.pop()
            if earlier:
                undo(folder)
                shadow.scores, shadow.out = earlier.pop()
        shadow.require(folder)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.long
def test_random_events_lose_nothing(tmp_path: Path, seed: int) -> None:
    play_random_event(tmp_path / "event", seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3, 60))
def test_many_random_events_lose_nothing(tmp_path: Path, seed: int) -> None:
    play_random_event(tmp_path / "event", seed, steps=60)


def test_a_round_robin_of_chess_is_in_fide_mode(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("player,fide_id\nA,100013\nB,100021\nC,100030\nD,100048\n")
    folder = tmp_path / "event"
    done = new(folder, listed, format="round-robin", numbers="list", seed=7)
    assert "FIDE mode: on" in map(str, done.said)
    assert tomllib.loads((folder / "event.toml").read_text())["fide"] is True
    # Clubs of other games are asked nothing, and their files say nothing.
    other = founded(tmp_path / "other")
    assert b"fide" not in content(other)["event.toml"]

    pair(folder)
    result(folder, 1, "1-0", round=3)
    result(folder, 1, "0-1", round=3)
    result(folder, 2, "1-0", round=1)
    drop(folder, "B")
    assert read_event(folder).settings.fide
    assert not read_event(folder).origin.breaches

    with pytest.raises(ConfirmationError, match="FIDE mode ends") as raised:
        change(folder, {"tie_breaks": "SB"})
    assert "before: DE/P,WIN,SB/P,KS" in str(raised.value)
    with pytest.raises(ConfirmationError, match="FIDE mode ends"):
        change(folder, {"fide": "false"})


@pytest.mark.parametrize("name", ["BH", "BH/C1", "FB", "AOB", "sos"])
def test_tie_breaks_of_swiss_tournaments_are_refused_in_fide_mode(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(
        UsageError, match="not possible with these settings: tie_breaks"
    ):
        founded(tmp_path / "event", fide=True, tie_breaks=f"SB,{name}")
    folder = founded(tmp_path / "event", fide=True, tie_breaks="SB,KS")
    with pytest.raises(ConfirmationError, match="FIDE mode ends"):
        change(folder, {"tie_breaks": name})
    # Outside FIDE mode, everybody may rank as they like.
    founded(tmp_path / "other", tie_breaks=name)


def test_pairs_of_a_round_robin_that_are_edited_break_fide_mode(tmp_path: Path) -> None:
    folder = paired(tmp_path / "event", "ABCD", fide=True)
    # Round 1 has A-D and B-C; everybody's opponent of round 1 changes by hand.
    path = folder / "matches.csv"
    path.write_text(
        path.read_text().replace("1,1,A,D", "1,1,A,C").replace("1,2,B,C", "1,2,B,D")
    )
    result(folder, 1, "1-0", round=3)
    breaches = [(each.kind, each.round) for each in read_event(folder).origin.breaches]
    assert breaches == [("mode.hand", 1)]
    checked = check_round_robin(read_event(folder))
    assert checked.comparison.differing == [1]
    assert "the table has 1-4, 2-3, and the event has 1-3, 2-4" in str(checked.notes[0])


def test_standings_wait_for_adjourned_games_only_at_the_end(tmp_path: Path) -> None:
    folder = paired(tmp_path / "robin")
    result(folder, 1, "adjourned", round=2)
    # Other games are still to be played, so these are not the final standings.
    assert len(standings(read_event(folder))) == 4
    for round_number, board in ((1, 1), (1, 2), (2, 2), (3, 1), (3, 2)):
        result(folder, board, "1-0", round=round_number)
    with pytest.raises(UsageError, match="final with 1 adjourned game"):
        standings(read_event(folder))


def test_a_table_without_its_last_round_does_not_agree(tmp_path: Path) -> None:
    folder = paired(tmp_path / "robin")
    path = folder / "matches.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("3,")))
    checked = check_round_robin(read_event(folder))
    assert not checked.agrees
    assert checked.comparison.differing == [3]


def test_a_table_of_two_players_is_refused(tmp_path: Path) -> None:
    folder = paired(tmp_path / "robin")
    path = folder / "matches.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + lines[1])
    with pytest.raises(UsageError, match="2 active players"):
        check_round_robin(read_event(folder))


def test_byes_are_no_results_that_somebody_entered(tmp_path: Path) -> None:
    folder = paired(tmp_path / "robin", "ABCDE")
    change(folder, {"title": "Club"})
    assert "results already entered" not in str(undo(folder).said[0])
    result(folder, 1, "1-0", round=1)
    change(folder, {"title": "Club"})
    assert "with 1 result already entered" in str(undo(folder).said[0])
