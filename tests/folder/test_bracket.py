"""The cut: seedings by hand, whole brackets by lot, the file as people edit it, the page."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sampled import one_in
from telling import said_by

from pairopt.cli import main
from pairopt.errors import ConfirmationError, InputError, UsageError
from pairopt.event.brackets import BracketFixture, plan
from pairopt.event.elimination import EliminationBracket
from pairopt.event.points import Score
from pairopt.folder import undo
from pairopt.folder.create import new
from pairopt.folder.pair_round import pair
from pairopt.folder.results import result
from pairopt.folder.top_cut import bracket

HOSTILE = '<script>alert(1)</script>"'
ESCAPE = "Eve \x1b[2J"
WIN = Score(Fraction(2), Fraction(1))
LOSS = Score(Fraction(1), Fraction(2))
FEWER = (2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 32)
"""Players of brackets, those beside a power of two with them."""


def short(fixture: BracketFixture) -> str:
    """A match as 1-8, or w3-l4: who won B3 and who lost B4."""
    return "-".join(f"{seat.come[0].strip('s')}{seat.number}" for seat in fixture.seats)


@pytest.mark.parametrize(
    ("players", "matches"),
    [
        (2, "1-2"),
        (3, "2-3 1-w1"),
        (4, "1-4 2-3 w1-w2"),
        (5, "4-5 1-w1 2-3 w2-w3"),
        (6, "4-5 3-6 1-w1 2-w2 w3-w4"),
        (7, "4-5 2-7 3-6 1-w1 w2-w3 w4-w5"),
        (8, "1-8 4-5 2-7 3-6 w1-w2 w3-w4 w5-w6"),
        (9, "8-9 1-w1 4-5 2-7 3-6 w2-w3 w4-w5 w6-w7"),
    ],
)
def test_single_eliminations_by_hand(players: int, matches: str) -> None:
    assert " ".join(map(short, plan(players))) == matches


@pytest.mark.parametrize(
    ("players", "matches"),
    [
        (2, "1-2 w1-l1 w2-l2"),
        (3, "2-3 1-w1 l1-l2 w2-w3 w4-l4"),
        (4, "1-4 2-3 l1-l2 w1-w2 w3-l4 w4-w5 w6-l6"),
        (6, "4-5 3-6 1-w1 2-w2 l1-l4 l2-l3 w5-w6 w3-w4 w7-l8 w8-w9 w10-l10"),
        (
            8,
            "1-8 4-5 2-7 3-6 l1-l2 l3-l4 w1-w2 w3-w4 w5-l8 w6-l7 w9-w10 w7-w8 w11-l12 w12-w13 "
            "w14-l14",
        ),
    ],
)
def test_double_eliminations_by_hand(players: int, matches: str) -> None:
    assert " ".join(map(short, plan(players, double=True))) == matches


def test_the_names_of_rounds() -> None:
    titles = list(dict.fromkeys(fixture.title for fixture in plan(12)))
    assert titles == ["Round 1", "Quarter-finals", "Semi-finals", "Final"]


def started(players: int, double: bool = False) -> EliminationBracket:
    return EliminationBracket(
        tuple(f"p{seed}" for seed in range(1, players + 1)), double
    )


def by_lot(made: EliminationBracket, seed: int) -> EliminationBracket:
    """Played to its end, the open matches in any order."""
    lot = random.Random(seed)
    while ready := [match for match in made.matches if match.open]:
        assert made.champion is None
        number = lot.choice(ready).fixture.number
        made = made.with_result(number, lot.choice((WIN, LOSS)))
    return made


def lost(made: EliminationBracket) -> Counter[int]:
    return Counter(match.loser for match in made.matches if match.loser is not None)


@pytest.mark.sweep
@pytest.mark.parametrize("players", range(2, 33))
def test_whole_single_eliminations(players: int) -> None:
    for seed in range(20):
        made = by_lot(started(players), seed)
        champion = made.needed[-1].winner
        assert champion is not None
        assert made.champion == f"p{champion}"
        assert lost(made) == {p: 1 for p in range(1, players + 1) if p != champion}
        assert len(made.results) == len(made.matches) == players - 1
        meetings = [match for match in made.matches if set(match.seeds) == {1, 2}]
        assert meetings in ([], [made.matches[-1]])
        assert all(
            one is not None and two is not None and one < two
            for one, two in (match.seeds for match in made.matches)
        )


@pytest.mark.long
@pytest.mark.parametrize(
    "players",
    [
        pytest.param(k, marks=() if k in FEWER else pytest.mark.slow)
        for k in range(2, 33)
    ],
)
def test_whole_double_eliminations(players: int) -> None:
    lengths, last = set(), 2 * players - 2
    for seed in range(20):
        made = by_lot(started(players, double=True), seed)
        champion = made.needed[-1].winner
        assert champion is not None
        assert made.champion == f"p{champion}"
        losses = lost(made)
        assert losses.pop(champion, 0) <= 1
        assert losses == {p: 2 for p in range(1, players + 1) if p != champion}
        lengths.add(len(made.results))
        assert len(made.results) == len(made.needed)
        # a second final is played when the first was the loser's first lost match
        before = lost(
            replace(made, results={k: s for k, s in made.results.items() if k < last})
        )
        assert (len(made.needed) == last + 1) == (
            before[made.matches[last - 1].loser] == 0
        )
    assert lengths == {2 * players - 2, 2 * players - 1}


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "earliest"),
    [(8, 3), (16, 4), pytest.param(32, 5, marks=pytest.mark.slow)],
)
def test_rematches_in_the_losers_bracket_come_late(players: int, earliest: int) -> None:
    """As late as can be: with two places left for those of three rounds, two have to share one."""
    found = set()
    for seed in range(80):
        met: set[frozenset[int | None]] = set()
        for match in by_lot(started(players, double=True), seed).matches:
            both = frozenset(match.seeds)
            if match.fixture.part == "losers" and both in met:
                found.add(match.fixture.round)
            met.add(both)
    assert min(found) == earliest


def test_a_result_that_cannot_be() -> None:
    made = started(4)
    for number, score, said in (
        (0, WIN, "no match B0"),
        (4, WIN, "The last match of the bracket is B3"),
        (
            3,
            WIN,
            "B3 can't have a result yet, because its players, the winner of B1 and the winner of B2, are not known yet",
        ),
        (1, Score(Fraction(1), Fraction(1)), "in a draw"),
        (1, Score(Fraction(0), Fraction(0), forfeit=True), "1F-0F"),
    ):
        with pytest.raises(ValueError, match=said):
            made.with_result(number, score)


def test_a_correction_keeps_what_was_played_since() -> None:
    made = started(8, double=True)
    for number in range(1, 8):
        made = made.with_result(number, WIN)
    with pytest.raises(
        ValueError, match=r"winner of B1, because B5, B7 have been played"
    ):
        made.with_result(1, LOSS)
    same = made.with_result(1, Score(Fraction(2), Fraction(0)))
    assert same.matches[4:] == made.matches[4:]
    assert made.with_result(7, LOSS).matches[6].winner == 4


# The event folder -----------------------------------------------------------------------------


def event(tmp_path: Path, names: list[str], scores: list[int] | None = None) -> Path:
    """A folder of players who brought so many points in; by default the first most."""
    scores = scores if scores is not None else list(range(len(names), 0, -1))
    listed = tmp_path / "list.csv"
    _write(listed, [["player"], *([name] for name in names)])
    folder = tmp_path / "event"
    new(folder, listed, title="Friday", rounds=3)
    players = [(*both, "true") for both in zip(names, scores, strict=True)]
    _write(folder / "players.csv", [["player", "score", "active"], *players])
    return folder


def _write(path: Path, lines: Iterable[Iterable[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)


def letters(count: int) -> list[str]:
    return [f"Player {chr(ord('A') + k)}" for k in range(count)]


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "bracket.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def edited(folder: Path, *changes: tuple[str, str]) -> None:
    path = folder / "bracket.csv"
    text = path.read_text(encoding="utf-8")
    for old, changed in changes:
        assert old in text
        text = text.replace(old, changed)
    path.write_text(text, encoding="utf-8")


def test_the_cut_takes_the_best_who_are_still_active(tmp_path: Path) -> None:
    folder = event(tmp_path, letters(6), [1, 5, 4, 9, 3, 2])
    assert run("drop", folder, "Player D").exit_code == 0
    done = bracket(folder, 4)
    assert done.bracket is not None
    assert done.bracket.players == ("Player B", "Player C", "Player E", "Player F")
    assert (
        "You made the top cut early: only 0 of 3 rounds have been played."
        in said_by(done)
    )
    assert (
        said_by(done)[-1]
        == "Matches that can be played now: B1 Player B - Player F, B2 Player C - Player E."
    )
    first = rows(folder)[0]
    assert list(first.values()) == [
        "B1",
        "main",
        "1",
        "1",
        "Player B",
        "4",
        "Player F",
        "",
        "",
        "",
    ]
    again = bracket(folder)
    assert again.bracket == done.bracket
    assert again.step is None


@pytest.mark.long
def test_a_tie_at_the_cut_is_broken_only_as_asked(tmp_path: Path) -> None:
    folder = event(tmp_path, letters(6), [9, 8, 7, 5, 5, 5])
    with pytest.raises(
        UsageError, match=r"equal for the last place: Player D, .*at random"
    ):
        bracket(folder, 4)
    assert not (folder / "bracket.csv").exists()
    found = set()
    for seed in range(8):
        done = bracket(folder, 4, by_lot=True, seed=seed)
        assert done.bracket is not None
        drawn = next(each for each in done.said if each.kind == "standing.cut_by_lot")
        assert drawn.fields["seed"] == seed
        found.add(done.bracket.players[-1])
        undo(folder)
    assert len(found) > 1


def test_equal_seeds_are_said(tmp_path: Path) -> None:
    folder = event(tmp_path, letters(4), [9, 5, 5, 1])
    said = said_by(bracket(folder, 4))
    equal = "the bracket places them in the order of players.csv: Player B, Player C."
    assert any(equal in line and "--by-lot" in line for line in said)


def test_an_unfinished_round_comes_first(tmp_path: Path) -> None:
    folder = event(tmp_path, letters(4))
    pair(folder, model="double-sided")
    with pytest.raises(InputError, match="Enter the missing results first"):
        bracket(folder, 2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "double"),
    one_in(
        3,
        [[players, double] for double in (False, True) for players in (2, 3, 5, 8, 13)],
    ),
)
def test_played_and_undone_in_a_folder(
    players: int, double: bool, tmp_path: Path
) -> None:
    folder = event(tmp_path, letters(players))
    kept = ("event.toml", "players.csv", "matches.csv")
    start = [(folder / name).read_bytes() for name in kept]
    made = bracket(folder, players, double=double).bracket
    states = [(folder / "bracket.csv").read_bytes()]
    lot = random.Random(players)
    while made is not None and made.champion is None:
        ready = [match for match in made.matches if match.open]
        name = lot.choice(ready).fixture.name
        done = result(folder, name, lot.choice(("2-1", "0-1", "1F-0F", "½-0")))
        assert done.bracket == bracket(folder).bracket  # the file says all of it
        made = done.bracket
        states.append((folder / "bracket.csv").read_bytes())
    assert said_by(done)[-1].endswith("has won the bracket.")
    for state in states[-2::-1]:
        undo(folder)
        assert (folder / "bracket.csv").read_bytes() == state
    undo(folder)
    assert not (folder / "bracket.csv").exists()
    assert [(folder / name).read_bytes() for name in kept] == start


@pytest.mark.long
def test_swiss_tables_and_the_bracket_are_not_mixed_up(tmp_path: Path) -> None:
    folder = event(tmp_path, letters(4))
    assert run("result", folder, "B1", "2-0").stderr.startswith(
        "Error: There is no bracket yet"
    )
    pair(folder, model="double-sided")
    for table in (1, 2):
        assert run("result", folder, table, "3-0").exit_code == 0
    bracket(folder, 4)
    before = (folder / "matches.csv").read_bytes()
    for arguments, said in (
        (("result", folder, "1", "0-3"), "Type a match of the bracket, for example B1"),
        (("result", folder, "B1", "2-0", "--round", "1"), "Leave out --round"),
        (("result", folder, "C1", "2-0"), "a match of the bracket"),
        (("result", folder, "B1", "1-1"), "a draw"),
        (("result", folder, "B1", "0F-0F"), "a draw"),
        (("result", folder, "B9", "1-0"), "The last match of the bracket is B3"),
        (("pair", folder), "is already made"),
        (("pair", folder, "--again"), "is already made"),
        (("bracket", folder, "--cut", "2"), "is already made"),
        (("bracket", folder, "--double"), "need --cut"),
    ):
        answer = run(*arguments)
        assert answer.exit_code == 2, arguments
        assert said in answer.stderr
    assert (folder / "matches.csv").read_bytes() == before
    seeds = rows(folder)
    answer = run("result", folder, "1", "0-3", "--round", "1")
    assert "keeps its seeding" in answer.stderr
    assert rows(folder) == seeds
    undo(folder, 2)
    assert pair(folder, model="double-sided").step is not None


@pytest.mark.long
def test_a_correction_in_the_folder(tmp_path: Path) -> None:
    folder = event(tmp_path, letters(4))
    bracket(folder, 4)
    for name in ("B1", "B2", "B3"):
        result(folder, name, "2-0")
    kept = (folder / "bracket.csv").read_bytes()
    with pytest.raises(
        ConfirmationError,
        match=r"If B1 gets another winner.* lose these results: B3 2-0",
    ):
        result(folder, "B1", "0-2")
    assert (folder / "bracket.csv").read_bytes() == kept
    assert "before: 2-0" in said_by(result(folder, "B1", "2-1"))[0]
    assert result(folder, "b1", "2-1").step is None
    done = result(folder, "B1", "0-2", sure=True)
    assert (
        "Other players now play in these matches, so pairopt removed their results: B3 2-0."
        in said_by(done)
    )
    undo(folder, 2)  # a step each: the correction, and B3
    assert said_by(result(folder, "B2", "2-1"))[0].endswith("(before: 2-0).")
    assert run("result", folder, "B1", "0-2").exit_code == 2
    done = result(folder, "B1", "0-2", sure=True)
    assert (
        said_by(done)[-1] == "Matches that can be played now: B3 Player B - Player D."
    )


def test_a_score_that_the_file_cannot_hold(tmp_path: Path) -> None:
    folder = event(tmp_path, letters(2))
    bracket(folder, 2)
    kept = (folder / "bracket.csv").read_bytes()
    answer = run("result", folder, "B1", "999999999999-0")
    assert answer.exit_code == 3
    assert "row 2, column score1" in answer.stderr
    assert (folder / "bracket.csv").read_bytes() == kept


# Edited by hand -------------------------------------------------------------------------------


def test_what_is_edited_by_hand_is_read(tmp_path: Path) -> None:
    folder = event(tmp_path, letters(5))
    bracket(folder, 4)
    edited(folder, ("4,Player D,,,", "4,Player E,1,2,"))  # D went home, E has beaten A
    done = bracket(folder)
    assert (
        said_by(done)[-1] == "Matches that can be played now: B2 Player B - Player C."
    )
    path = folder / "bracket.csv"
    text = path.read_text(encoding="utf-8").replace(",", ";")
    head, *lines = (
        text.replace("B2;", "b2;").replace("status", "Status;Stream").splitlines()
    )
    lines = [
        f"{line};yes" for line in reversed(lines)
    ]  # sorted another way, with a column more
    path.write_bytes("\r\n".join([head, *lines, ""]).encode("utf-8-sig"))
    done = result(folder, "B2", "0-1")
    assert (
        said_by(done)[-1] == "Matches that can be played now: B3 Player C - Player E."
    )
    written = path.read_bytes().decode("utf-8-sig").split("\r\n")
    assert written[0] == head
    assert written[1] == "B3;main;2;3;Player C;4;Player E;;;;yes"
    assert written[2].endswith(";0;1;;yes")


def test_names_stand_beside_identifiers(tmp_path: Path) -> None:
    folder = event(tmp_path, ["a", "b", "c"])
    names = [
        ["player", "name", "score"],
        ["a", "Ann", "3"],
        ["b", "Bo", "2"],
        ["c", "Bo", "1"],
    ]
    _write(folder / "players.csv", names)
    assert (
        said_by(bracket(folder, 3))[-1]
        == "Matches that can be played now: B1 Bo (b) - Bo (c)."
    )
    result(folder, "B1", "0-1")
    assert [(row["player2"], row["name1"], row["name2"]) for row in rows(folder)] == [
        ("c", "Bo", "Bo"),
        ("c", "Ann", "Bo"),
    ]


def test_a_result_corrected_by_hand_moves_who_is_next(tmp_path: Path) -> None:
    folder = event(tmp_path, letters(4))
    bracket(folder, 4)
    result(folder, "B1", "2-0")
    edited(folder, ("Player D,2,0", "Player D,0,2"))
    result(folder, "B2", "2-0")
    assert rows(folder)[2]["player2"] == "Player D"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([("B2,main", "B1,main")], ["B1 has 2 rows", "B2 has no row"]),
        ([("B2,main", "B77,main")], ["B2 has no row", "Remove the row B77"]),
        (
            [("B2,main", "X,main")],
            [
                "row 3, column match: Found 'X'. Write the name of a match of the bracket, for example B1"
            ],
        ),
        ([("B2,main", "B9999999999,main")], ["row 3, column match"]),
        (
            [("B2,main,1", "B2,main,2")],
            [
                "row 3, column round: Found the player '2', but 1 plays in this place of match B2"
            ],
        ),
        ([("B2,main", "B2,losers")], ["B4, B5, B6, B7 have no rows"]),
        (
            [("2,Player B", "3,Player B")],
            ["row 3, column seed1: Found seed 3, but this player must have seed 2"],
        ),
        (
            [("Player B", "Player A")],
            ["row 3, column player1", "in the bracket twice"],
        ),
        (
            [("Player B", "Zoe")],
            ["row 3, column player1: 'Zoe' is not a player of this event"],
        ),
        (
            [("Player B", ESCAPE)],
            ["row 3, column player1", "is not a player of this event"],
        ),
        ([("Player B,3", "Player B,")], ["row 3, column seed2: The seed is missing"]),
        (
            [("Player D,,,", "Player D,1,1,")],
            ["row 2, column score1: A match of the bracket can't end in a draw"],
        ),
        (
            [("Player D,,,", "Player D,1,,")],
            ["row 2, column score2: The score of one player is missing"],
        ),
        (
            [("Player D,,,", "Player D,,,forfeit")],
            ["row 2, column score1: The score of one player is missing"],
        ),
        ([("Player D,,,", "Player D,-1,0,")], ["row 2, column score1: Found '-1'"]),
        (
            [("Player D,,,", "Player D,x,y,")],
            ["column score1: Found 'x'", "column score2"],
        ),
        ([("Player D,,,", "Player D,1,0,bye")], ["row 2, column status: Found 'bye'"]),
        (
            [("2,,,,,,,", "2,,,,,1,0,")],
            [
                "B3 can't have a result yet, because its players, the winner of B1 and the winner of B2, are not known yet"
            ],
        ),
        (
            [
                ("Player D,,,", "Player D,1,0,"),
                ("Player C,,,", "Player C,1,0,"),
                ("2,,,,,,,", "2,1,Player A,3,Player C,1,0,"),
            ],
            [
                "row 4, column player2: Found 'Player C', but Player B plays in this match"
            ],
        ),
        (
            [("match,bracket", "matches,bracket")],
            ["row 1, column match: This column is missing"],
        ),
    ],
)
def test_faults_of_the_file(
    changes: list[tuple[str, str]], said: list[str], tmp_path: Path
) -> None:
    folder = event(tmp_path, letters(4))
    bracket(folder, 4)
    edited(folder, *changes)
    kept = (folder / "bracket.csv").read_bytes()
    for arguments in (("bracket", folder), ("result", folder, "B1", "2-0")):
        answer = run(*arguments)
        assert answer.exit_code == 3
        assert all(each in answer.stderr for each in said), answer.stderr
        assert "\x1b" not in answer.stderr
        assert "bracket.csv: " in answer.stderr
    assert (folder / "bracket.csv").read_bytes() == kept


@pytest.mark.parametrize(
    "content", [b"", b"\0", b"\xff\xfe\xff", b"match\n", b",,,\n", b'"']
)
def test_no_bracket_at_all(content: bytes, tmp_path: Path) -> None:
    folder = event(tmp_path, letters(4))
    (folder / "bracket.csv").write_bytes(content)
    answer = run("bracket", folder)
    assert answer.exit_code == 3
    assert "bracket.csv" in answer.stderr


def test_what_follows_from_a_fault_is_not_one(tmp_path: Path) -> None:
    folder = event(tmp_path, letters(4))
    bracket(folder, 4)
    for name in ("B1", "B2", "B3"):
        result(folder, name, "0-2")
    edited(
        folder,
        ("Player D,0,2", "Player D,2,2"),
        ("2,Player B,3,Player C,0", "2,Player B,3,Player C,2"),
    )
    with pytest.raises(InputError) as caught:
        bracket(folder)
    assert [str(fault.place) for fault in caught.value.faults] == [
        "row 2, column score1",
        "row 3, column score1",
    ]


@pytest.mark.long
def test_damaged_files_give_clean_errors(tmp_path: Path) -> None:
    folder = event(tmp_path, letters(5))
    bracket(folder, 5, double=True)
    for name in ("B1", "B2", "B3"):
        result(folder, name, "2-1")
    path = folder / "bracket.csv"
    good = path.read_text(encoding="utf-8")
    lot = random.Random(7)
    errors = []
    for _ in range(200):
        text = good
        for _ in range(lot.randint(1, 4)):
            at = lot.randrange(len(text))
            piece = lot.choice(
                ["", ",", "\n", "9", "B", "-", '"', "é", text[at : at + 9]]
            )
            text = text[:at] + piece + text[at + lot.randint(0, 3) :]
        path.write_text(text, encoding="utf-8")
        try:
            bracket(folder)
        except InputError as error:
            errors.append(str(error))
    assert (
        100 < len(errors) < 200
    )  # most do harm, a name or a number may be another one
    assert all(error.startswith(str(path)) for error in errors)


# Shown ----------------------------------------------------------------------------------------


def test_the_rounds_on_the_screen(tmp_path: Path) -> None:
    folder = event(tmp_path, [*letters(5), ESCAPE])
    answer = run("bracket", folder, "--cut", "6")
    assert answer.exit_code == 0
    assert "\x1b" not in answer.output
    lines = [line.split() for line in answer.stdout.splitlines()]
    assert lines[2] == [
        "Quarter-finals",
        "B1",
        "4",
        "Player",
        "D",
        "next",
        "Player",
        "E",
        "5",
    ]
    assert lines[4] == ["Semi-finals", "B3", "1", "Player", "A", "winner", "of", "B1"]
    run("result", folder, "B1", "1F-0F")
    assert "1F-0F" in run("bracket", folder).stdout


@pytest.mark.long
def test_the_page(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    folder = event(tmp_path, [HOSTILE, *letters(4)])
    page = tmp_path / "page.html"
    assert run("bracket", folder, "--cut", "5", "--double", "-o", page).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "http" not in text  # one file, nothing is fetched
    for words in (
        "Friday",
        "Losers&#39; bracket",
        "loser of B1",
        "0 of 8 matches of the bracket have been played.",
    ):
        assert words in text
    first = page.read_bytes()
    run("result", folder, "B1", "2-0")
    assert (
        run("bracket", folder, "-o", page).exit_code == 0
    )  # its own page, a newer one
    assert page.read_bytes() != first
    assert '<tr class="won">' in page.read_text(encoding="utf-8")
    same = page.read_bytes()
    run("bracket", folder, "-o", page)
    assert page.read_bytes() == same


@pytest.mark.long
def test_the_page_replaces_nothing_else(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    folder = event(tmp_path, letters(4))
    players = folder / "players.csv"
    before = players.read_bytes()
    answer = run("bracket", folder, "--cut", "4", "-o", players)
    assert answer.exit_code == 2
    assert "--overwrite" in answer.stderr
    assert players.read_bytes() == before
    assert not (folder / "bracket.csv").exists()  # all of it or nothing
    for name in ("bracket.csv", "nowhere/page.html"):
        assert run("bracket", folder, "--cut", "4", "-o", folder / name).exit_code == 2
        assert not (folder / "bracket.csv").exists()
    other = tmp_path / "other.html"
    other.write_text("mine", encoding="utf-8")
    assert (
        "no page of a bracket"
        in run("bracket", folder, "--cut", "4", "-o", other).stderr
    )
    assert other.read_text(encoding="utf-8") == "mine"
    assert (
        run("bracket", folder, "--cut", "4", "-o", other, "--overwrite").exit_code == 0
    )
    assert "Player A" in other.read_text(encoding="utf-8")
