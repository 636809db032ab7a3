"""Every round of an event checked by the rounds before it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from dutch_cases import BAKU, SECOND, THIRD, player
from engine_calls import Called
from places import REAL, SAMPLE

from pairopt import InputError, UsageError, check, check_all, read_event, solve
from pairopt.cli import main
from pairopt.folder.create import new
from pairopt.lab import World, compare_models
from pairopt.messages import Message
from pairopt.round.check import Check

PUBLISHED = REAL / "dutch" / "published"
STATED = "The points agree with the results. Ranks were not compared: the file contains no ranks."
PAIRS = ((2, 1), (3, 4), (6, 5), (7, 8))
"""Round 2 after `SECOND`, as worked by hand in `dutch_cases`."""


def scored(line: str, more: float) -> str:
    """A player line that states more points."""
    return f"{line[:80]}{float(line[80:84]) + more:>4}{line[84:]}"


def played(
    folder: Path, *pairs: tuple[int, int], result: str = "=", more: str = ""
) -> Path:
    """Two rounds of eight players, the second with these pairs, White first."""
    cells = {white: f"{black:>4} w {result}" for white, black in pairs}
    cells |= {black: f"{white:>4} b {result}" for white, black in pairs}
    more_points = 0.5 if result == "=" else 0
    lines = [
        f"{scored(line, more_points)}  {cells[number]}"
        for number, line in enumerate(SECOND, 1)
    ]
    path = folder / "event.trf"
    path.write_text("\n".join([*lines, "XXR 8", *BAKU, more, ""]), encoding="utf-8")
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["check", "--all", *map(str, arguments)])


@pytest.mark.parametrize("result", ["=", " "])
def test_rounds_that_agree(tmp_path: Path, result: str) -> None:
    """The last one may be still open."""
    done = run(played(tmp_path, *PAIRS, result=result), "--model", "fide-dutch")
    assert done.exit_code == 0, done.stderr
    one, two, standings = done.stdout.splitlines()
    assert (one, two) == (
        "Round 1: agrees with fide-dutch.",
        "Round 2: agrees with fide-dutch.",
    )
    assert "anks were not compared" in standings


def test_the_first_difference_is_said(tmp_path: Path) -> None:
    """1 meets 4 instead of 2: both had White, so one has not his preference (C12)."""
    path = played(tmp_path, (4, 1), (2, 3), (6, 5), (7, 8))
    done = run(path, "--model", "fide-dutch")
    one, two, due, *_ = done.stdout.splitlines()
    assert one == "Round 1: agrees with fide-dutch."
    assert two.startswith("Round 2: It ")
    assert "(C12)" in two
    assert (
        "Player 1 and Player 4 would meet, and one of them would get the wrong colour, because both are due Black"
        in two
    )
    assert due == "  that level is due to: Player 4 - Player 1"


SIDE = "Player 8 and Player 7: Player 7 has White, because this grants every colour preference (5.2.1)"


def test_sides_that_the_articles_do_not_give(tmp_path: Path) -> None:
    done = run(played(tmp_path, *PAIRS[:3], (8, 7)), "--model", "fide-dutch")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-3:] == [
        f"Round 2: It breaks a constraint. {SIDE}.",
        f"  {SIDE}",
        f"Standings: {STATED}",
    ]


@pytest.mark.long
def test_the_side_drawn_is_the_one_that_round_1_shows(tmp_path: Path) -> None:
    path = played(tmp_path, *PAIRS)
    for seed in range(4):
        assert run(path, "--model", "fide-dutch", "--seed", seed).exit_code == 0
    black = played(tmp_path, *PAIRS, more="XXC black1")
    said = run(black, "--model", "fide-dutch").stdout
    assert "Player 1 and Player 3: Player 3 has White by the start number" in said


def third_round(folder: Path, pairs: str, *more: str) -> Path:
    """Three rounds of the players of `THIRD`, the third with these pairs, White first, drawn."""
    cells = {}
    for pair in pairs.split():
        white, black = map(int, pair.split("-"))
        cells[white] = f"{black} w ="
        cells[black] = f"{white} b ="
    lines = [f"{scored(line, 0.5)}     {cells[k]}" for k, line in enumerate(THIRD, 1)]
    path = folder / "event.trf"
    path.write_text("\n".join([*lines, *more, ""]), encoding="utf-8")
    return path


TOPSCORERS_MEET = "2-1 6-4 5-3"
"""1 and 2 of `THIRD` meet as topscorers (C3), which the rules of the last round alone allow."""
AGREES = "Round 3: agrees with fide-dutch."


def checked_third(
    folder: Path, pairs: str, *options: str, rounds: str = ""
) -> tuple[str, str]:
    """What is said of the third round, and the notes."""
    done = run(third_round(folder, pairs, rounds), "--model", "fide-dutch", *options)
    return next(
        x for x in done.stdout.splitlines() if x.startswith("Round 3")
    ), done.stderr


@pytest.mark.long
def test_the_last_round_is_the_one_that_is_said(tmp_path: Path) -> None:
    assert checked_third(tmp_path, TOPSCORERS_MEET, rounds="XXR 3") == (AGREES, "")
    assert checked_third(tmp_path, TOPSCORERS_MEET, "--last-round") == (AGREES, "")
    said, notes = checked_third(tmp_path, TOPSCORERS_MEET, rounds="XXR 4")
    assert said.startswith("Round 3: It breaks a constraint")
    assert notes == ""


def earlier_pairs(folder: Path) -> str:
    """How pairopt pairs round 3 if more rounds follow."""
    path = third_round(folder, TOPSCORERS_MEET, "XXR 4")
    pairs = solve(read_event(path), "fide-dutch", round=3).matches
    return " ".join(
        f"{row['player2']}-{row['player1']}"
        if row["side1"] == "black"
        else f"{row['player1']}-{row['player2']}"
        for row in pairs
    )


@pytest.mark.long
def test_a_round_that_may_be_the_last_one_is_checked_both_ways(tmp_path: Path) -> None:
    """Files of other programs often leave out the number of rounds; either way is right."""
    said, notes = checked_third(tmp_path, TOPSCORERS_MEET)
    assert said == AGREES
    assert "rules for a last round, but not with those for earlier rounds" in notes
    said, notes = checked_third(tmp_path, earlier_pairs(tmp_path))
    assert said == AGREES
    assert "rules for earlier rounds, but not with those for a last round" in notes
    said, notes = checked_third(tmp_path, "1-2 4-6 5-3")
    assert said.startswith("Round 3: It breaks a constraint")
    assert (
        "neither with the rules for a last round nor with those for earlier rounds"
        in notes
    )
    assert "Add --last-round" in notes


def single_check(
    folder: Path, pairs: str, *options: object, rounds: str = ""
) -> Result:
    """Check pairs, White first, that are not in the event's file, as round 3 of its players."""
    lines = [line for line in (*THIRD, rounds) if line]
    event = folder / "before.trf"
    event.write_text("\n".join([*lines, ""]), encoding="utf-8")
    rows = ["round,player1,player2,side1"]
    for pair in pairs.split():
        white, black = pair.split("-")
        rows.append(f"3,Player {white},Player {black},white")
    pairing = folder / "pairs.csv"
    pairing.write_text("\n".join([*rows, ""]), encoding="utf-8")
    arguments = ["check", event, pairing, "--model", "fide-dutch", *options]
    return CliRunner().invoke(main, [*map(str, arguments)])


@pytest.mark.long
def test_a_single_round_that_may_be_the_last_one_is_checked_both_ways(
    tmp_path: Path,
) -> None:
    done = single_check(tmp_path, TOPSCORERS_MEET)
    assert done.exit_code == 0, done.output
    assert done.stdout.endswith("It is legal, and no pairing is better.\n")
    assert (
        "rules for a last round, but not with those for earlier rounds" in done.stderr
    )
    done = single_check(tmp_path, earlier_pairs(tmp_path))
    assert done.exit_code == 0
    assert (
        "rules for earlier rounds, but not with those for a last round" in done.stderr
    )
    done = single_check(tmp_path, "1-2 4-6 5-3")
    assert done.exit_code == 1
    assert (
        "neither with the rules for a last round nor with those for earlier rounds"
        in done.stderr
    )


@pytest.mark.long
def test_a_single_round_is_checked_once_if_its_rules_are_known(tmp_path: Path) -> None:
    twice = "pairopt checked this round twice"
    done = single_check(tmp_path, TOPSCORERS_MEET, "--last-round")
    assert (done.exit_code, twice in done.stderr) == (0, False)
    done = single_check(tmp_path, TOPSCORERS_MEET, rounds="XXR 3")
    assert (done.exit_code, twice in done.stderr) == (0, False)
    done = single_check(tmp_path, TOPSCORERS_MEET, rounds="XXR 4")
    assert (done.exit_code, twice in done.stderr) == (1, False)


@pytest.mark.long
def test_a_single_round_before_others_is_not_the_last_one(tmp_path: Path) -> None:
    event = read_event(third_round(tmp_path, TOPSCORERS_MEET))
    rows = event.matches_frame
    assert "checked.only_last_round" in kinds(check(event, rows, "fide-dutch", round=3))
    assert not kinds(check(event, rows, "fide-dutch", round=2))


def kinds(found: Check) -> set[str]:
    """The notes of a check on the rules that it followed."""
    said = {note.kind for note in found.notes if isinstance(note, Message)}
    return {kind for kind in said if kind.startswith("checked.")}


def test_a_round_that_is_right_both_ways_says_so(tmp_path: Path) -> None:
    done = run(without_rounds(played(tmp_path, *PAIRS)), "--model", "fide-dutch")
    assert done.exit_code == 0
    assert (
        "the rules for a last round, and also with those for earlier rounds"
        in done.stderr
    )


def without_rounds(path: Path) -> Path:
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("XXR 8\n", ""), encoding="utf-8")
    return path


@pytest.mark.long
def test_the_command_of_other_engines_checks_both_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = third_round(tmp_path, TOPSCORERS_MEET)
    done = Called(capsys)("--dutch", path, "-c")
    assert done.out.endswith("event: Round #3\n")  # no pairs below it: it agrees
    assert "round 3: The event does not say how many rounds it has" in done.err


@pytest.mark.long
def test_a_folder_made_from_such_a_file_accuses_no_round(tmp_path: Path) -> None:
    for pairs, accused in ((TOPSCORERS_MEET, False), ("1-2 4-6 5-3", True)):
        path = third_round(tmp_path, pairs)
        done = new(
            tmp_path / str(accused), path, model="fide-dutch", initial_side="white"
        )
        breaches = [
            said.fields["round"] for said in done.said if said.kind == "mode.import"
        ]
        assert (3 in breaches) == accused


def test_as_json_and_without_a_solver(tmp_path: Path) -> None:
    path = played(tmp_path, *PAIRS)
    done = run(path, "--model", "fide-dutch", "--no-solve", "--format", "json")
    rounds = json.loads(done.stdout)["rounds"]
    assert [(each["round"], each["legal"], each["status"]) for each in rounds] == [
        (1, True, None),
        (2, True, None),
    ]
    found = [*check_all(read_event(path), "fide-dutch")]
    assert [each.better for each in found] == [None, None]


@pytest.mark.long
def test_an_event_folder(tmp_path: Path) -> None:
    new(tmp_path / "kept", played(tmp_path, *PAIRS), model="fide-dutch")
    done = run(tmp_path / "kept")
    assert (
        done.stdout
        == "Round 1: agrees with fide-dutch.\nRound 2: agrees with fide-dutch.\n"
    )


@pytest.mark.long
def test_a_simulated_tournament_agrees(tmp_path: Path) -> None:
    chess = (
        "--points",
        "1,0.5",
        "--sides",
        "white,black",
        "--draws",
        "0.3",
        "--drops",
        "0.05",
    )
    size = ("--players", "15", "--rounds", "5", "--seed", "3")
    made = tmp_path / "open"
    done = CliRunner().invoke(
        main, ["simulate", "--model", "fide-dutch", *size, *chess, "-o", str(made)]
    )
    assert done.exit_code == 0, done.output
    done = run(
        made / "matches.csv", "--players", made / "players.csv", "--model", "fide-dutch"
    )
    assert done.stdout == "".join(
        f"Round {k}: agrees with fide-dutch.\n" for k in range(1, 6)
    )
    world = World(
        players=15,
        rounds=5,
        win=Fraction(1),
        draw=Fraction(1, 2),
        draws=0.3,
        drops=0.05,
        sides=("white", "black"),
    )
    frame = compare_models(
        ["fide-dutch", "monrad"], world, replicates=2, seed=3, levels=True
    )
    own = frame[frame["model"] == "fide-dutch"]
    assert len(own) == 10
    assert set(own["status"]) == {"optimal"}
    assert not own["levels"].str.contains("=0(?:;|$)").any()
    assert own["levels"].str.contains("4.2 ").any()


def test_any_model() -> None:
    done = run(SAMPLE / "matches.csv", "--players", SAMPLE / "players.csv")
    verdicts = done.stdout.splitlines()
    rounds = read_event(SAMPLE / "matches.csv", SAMPLE / "players.csv").round - 1
    assert len([line for line in verdicts if line.startswith("Round ")]) == rounds > 1


def test_what_does_not_go_together(tmp_path: Path) -> None:
    path = played(tmp_path, *PAIRS)
    assert run(path, path).exit_code == 2
    assert "leave out --round" in run(path, "--round", 2).stderr
    assert "so --all can't be combined with --round" in run(path, "--drop", "1").stderr
    empty = tmp_path / "players.csv"
    empty.write_text("player\nAnn\nBob\n")
    done = run(empty)
    assert done.exit_code == 2
    assert "No round has been paired yet" in done.stderr
    with pytest.raises(UsageError, match="No round has been paired yet"):
        next(check_all(read_event(empty)))


def test_a_round_that_is_none(tmp_path: Path) -> None:
    """Two without an opponent and without a bye: no pairing of who was in the round."""
    path = tmp_path / "event.trf"
    lines = (
        player(1, 1, "0000 - U"),
        player(2, 1, "0000 - U"),
        player(3, 0, "0000 - Z"),
    )
    path.write_text("\n".join([*lines, "XXR 5", ""]))
    with pytest.raises(InputError, match=r"event\.trf, round 1: "):
        [*check_all(read_event(path), "fide-basic")]


@pytest.mark.long
@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the real files are not here")
@pytest.mark.parametrize("name", ["aeroflot_open_2026", "spring_2026_chesshouse"])
def test_published_rounds_agree(name: str) -> None:
    event = read_event(PUBLISHED / f"{name}_r09.trf")
    found = [*check_all(event, "fide-dutch")]
    assert [each.round for each in found] == [*range(1, 9)]
    assert all(each.legal and each.better is None for each in found)


@pytest.mark.long
@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the real files are not here")
def test_start_numbers_that_were_changed_after_a_round() -> None:
    """Budapest B: the first round was paired with other start numbers than the rest."""
    path = PUBLISHED / "budapest_spring_festival_2026_group_b_2250_r09.trf"
    first, *others = check_all(read_event(path), "fide-dutch")
    assert first.better is not None
    assert "(4.2)" in first.checked[first.better].words
    assert all(each.legal and each.better is None for each in others)


@pytest.mark.long
def test_a_round_that_differs_is_exit_code_1(tmp_path: Path) -> None:
    path = played(tmp_path, (4, 1), (2, 3), (6, 5), (7, 8))
    assert run(path, "--model", "fide-dutch").exit_code == 1
    assert (
        run(path, "--model", "fide-dutch", "--no-solve").exit_code == 0
    )  # it is legal
    assert run(played(tmp_path, *PAIRS), "--model", "fide-dutch").exit_code == 0


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    """Events: one as it should be, one whose second round differs, one that is none."""
    for name in ("one", "two", "none"):
        (tmp_path / name).mkdir()
    good = played(tmp_path / "one", *PAIRS)
    other = played(tmp_path / "two", (4, 1), (2, 3), (6, 5), (7, 8))
    bad = tmp_path / "none" / "event.trf"
    bad.write_text("001 nobody\n", encoding="utf-8")
    return [good, other, bad]


@pytest.mark.long
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.long)])
def test_several_events_a_line_a_round_and_a_count(
    three: list[Path], jobs: int
) -> None:
    good, other, bad = three
    done = run(good, other, "--model", "fide-dutch", "--jobs", jobs)
    assert done.exit_code == 1
    *lines, count = done.stdout.splitlines()
    assert lines[:4] == [
        f"{good}, round 1: agrees with fide-dutch.",
        f"{good}, round 2: agrees with fide-dutch.",
        f"{good}, Standings: {STATED}",
        f"{other}, round 1: agrees with fide-dutch.",
    ]
    assert len(lines) == 6
    assert lines[4].startswith(f"{other}, round 2: It ")
    assert "(C12)" in lines[4]
    assert (
        count == f"2 events, 4 rounds: 3 as they should be, 1 differs: {other} round 2"
    )
    done = run(bad, good, "--model", "fide-dutch", "--jobs", jobs)
    assert done.exit_code == 3
    assert "is not the starting number" in done.stderr
    assert done.stdout.splitlines()[-1] == (
        f"2 events, 2 rounds: 2 as they should be; not checked to the end: {bad}"
    )


@pytest.mark.long
def test_several_events_as_json(three: list[Path]) -> None:
    good, other, bad = three
    done = run(good, other, bad, "--model", "fide-dutch", "--format", "json")
    content = json.loads(done.stdout)
    assert (content["agree"], content["differ"]) == (3, 1)
    assert [file["file"] for file in content["files"]] == [
        str(good),
        str(other),
        str(bad),
    ]
    assert [each["agrees"] for each in content["files"][1]["rounds"]] == [True, False]
    assert "(C12)" in content["files"][1]["rounds"][1]["difference"]
    assert "is not the starting number" in content["files"][2]["fault"]


def test_what_is_of_one_event_alone(three: list[Path]) -> None:
    good, other, _ = three
    assert "--players" in run(good, other, "--players", good).stderr
    assert run(good, other, "--model", "none-such").exit_code == 2
    done = CliRunner().invoke(main, ["check", str(good), str(other), str(other)])
    assert (done.exit_code, "Check one thing at a time" in done.stderr) == (2, True)
