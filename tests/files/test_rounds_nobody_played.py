"""A round in which every player has an entry, and nobody was paired: the next one is paired."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from dutch_cases import SECOND
from engine_calls import Called
from notes import notes_of

from pairopt import read_event, solve, write_event
from pairopt.cli import main
from pairopt.folder import new, pair

PAIRS = {("5", "1"), ("2", "8"), ("6", "4"), ("3", "7")}
"""Round 3 after round 1 of `SECOND` and a round of byes of no points; bbpPairings has the same."""


def report(folder: Path, *byes: str, rounds: str = "142 8") -> Path:
    """A report of round 1 of eight players, and for each further round the byes of all."""
    lines = []
    for number, line in enumerate(SECOND):
        lines.append(line + "".join(f"  0000 - {each[number]}" for each in byes))
    path = folder / "event.trf"
    path.write_text("\n".join([*lines, rounds, ""]), encoding="utf-8")
    return path


def pairs(path: Path) -> set[tuple[str, str]]:
    """White and Black of the round that is paired next."""
    found = set()
    for row in solve(read_event(path)).matches:
        white, black = row["player1"], str(row["player2"])
        if row["side1"] == "black":
            white, black = black, white
        found.add((white, black))
    return found


def test_the_next_round_is_paired(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = report(tmp_path, "ZZZZZZZZ")
    event = read_event(path)
    assert event.round == 3
    assert "Every player has an entry in round 2" in " ".join(notes_of(event))
    assert pairs(path) == PAIRS
    done = Called(capsys)("--dutch", path, "-p")
    assert {tuple(line.split()) for line in done.out.splitlines()[1:]} == PAIRS
    shown = CliRunner().invoke(main, ["solve", str(path)])
    assert shown.exit_code == 0
    assert "Round 3, by fide-dutch" in shown.stdout


def test_any_number_of_such_rounds(tmp_path: Path) -> None:
    assert read_event(report(tmp_path, "ZZZZZZZZ", "HZHZHZHZ")).round == 4


def test_a_round_that_lacks_an_entry_is_still_to_be_paired(tmp_path: Path) -> None:
    event = read_event(report(tmp_path, "ZZZZZZZ "))
    assert event.round == 2
    assert event.active.tolist() == [False] * 7 + [True]


def test_it_is_written_and_read_again(tmp_path: Path) -> None:
    event = read_event(report(tmp_path, "ZZZZZZZZ"))
    write_event(event, tmp_path / "again.trf")
    assert pairs(tmp_path / "again.trf") == PAIRS


@pytest.mark.long
def test_an_event_folder_keeps_it(tmp_path: Path) -> None:
    new(tmp_path / "kept", report(tmp_path, "ZZZZZZZZ"), initial_side="white")
    done = pair(tmp_path / "kept")
    assert done.event is not None
    assert done.event.round == 4
    assert done.event.matches.paired_rows(3).round.tolist() == [3] * 4


def test_the_rounds_before_are_checked(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, ["check", "--all", str(report(tmp_path, "ZZZZZZZZ"))]
    )
    rounds = [line for line in done.stdout.splitlines() if line.startswith("Round ")]
    assert [line.split(":")[0] for line in rounds] == ["Round 1"]
