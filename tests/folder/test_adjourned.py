"""Adjourned games: draws until they are played on, and nothing final before."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from test_verbs import rows

from pairopt import UsageError, read_event, standings
from pairopt.cli import main
from pairopt.errors import ConfirmationError
from pairopt.files.formats.trf.writing import write, write16
from pairopt.folder import new, pair, result, undo
from pairopt.folder.fide_mode import read_mode

ROUNDS = 3


def made(folder: Path, first: str) -> Path:
    """Eight players of FIDE mode, whose first round is over but for the first result."""
    lines = "".join(f"P{k},{2000 - k},{1000 + k}\n" for k in range(1, 9))
    folder.mkdir()
    (folder / "list.csv").write_text(
        f"player,rating,fide_id\n{lines}", encoding="utf-8"
    )
    event = folder / "open"
    new(event, folder / "list.csv", model="fide-dutch", rounds=ROUNDS, seed=1)
    pair(event)
    result(event, 1, first)
    for table in (2, 3, 4):
        result(event, table, "1-0")
    return event


def finish(folder: Path) -> None:
    while len(rows(folder)["round"].unique()) < ROUNDS:
        pair(folder)
        for table in (1, 2, 3, 4):
            result(folder, table, "1-0")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


@pytest.mark.sweep
@pytest.mark.parametrize("word", ["adjourned", "*", "?"])
def test_it_is_a_draw_in_pairing(word: str, tmp_path: Path) -> None:
    """The rounds after it are those after a draw."""
    late, drawn = made(tmp_path / "late", word), made(tmp_path / "drawn", "½-½")
    for folder in (late, drawn):
        finish(folder)
    columns = ["round", "player1", "player2", "side1", "score1", "score2"]
    assert rows(late)[columns].equals(rows(drawn)[columns])
    assert [*rows(late)["adjourned"]].count("true") == 1
    assert "adjourned" not in rows(drawn).columns


@pytest.mark.long
def test_nothing_is_final_before(tmp_path: Path) -> None:
    folder = made(tmp_path / "late", "adjourned")
    said = run("standings", folder)
    assert said.exit_code == 0
    assert "1 game is adjourned and counts as a draw until" in said.stderr
    assert (
        "1 game is adjourned and counts as a draw until" in run("pair", folder).stderr
    )
    undo(folder)
    finish(folder)
    for asked in (
        ("standings", folder),
        ("convert", folder, tmp_path / "out.trf"),
        ("convert", folder, tmp_path / "out16.trf", "--format", "trf16"),
    ):
        refused = run(*asked)
        assert refused.exit_code == 2, refused.output
        assert "adjourned game" in refused.stderr
    assert not [*tmp_path.glob("out*")]
    event = read_event(folder)
    for make in (standings, write, write16):
        with pytest.raises(UsageError, match="adjourned game"):
            make(event)
    result(folder, 1, "½-½", round=1)
    assert run("standings", folder).stderr == ""
    assert run("convert", folder, tmp_path / "out.trf").exit_code == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("score", "asked"), [("½-½", 0), ("1-0", 1), ("0-1", 1), ("0F-1F", 1)]
)
def test_the_result_comes_when_it_comes(score: str, asked: int, tmp_path: Path) -> None:
    """Two rounds later too: a draw is no correction, and what else it is never leaves the mode."""
    folder = made(tmp_path / "late", "adjourned")
    finish(folder)
    before = (folder / "matches.csv").read_bytes()
    if asked:
        with pytest.raises(ConfirmationError):
            result(folder, 1, score, round=1)
        assert (folder / "matches.csv").read_bytes() == before
    done = run("result", folder, 1, score, "--round", 1, *["--against-fide"] * asked)
    assert done.exit_code == 0, done.output
    text = (folder / "event.toml").read_bytes()
    now = read_mode(
        {"event.toml": text, "matches.csv": (folder / "matches.csv").read_bytes()}
    )
    assert now.fide
    assert [each.kind for each in now.breaches] == ["mode.correction"] * asked
    assert "true" not in [*rows(folder)["adjourned"]]
    undo(folder)
    assert (folder / "matches.csv").read_bytes() == before


@pytest.mark.long
def test_another_result_of_that_round_leaves_it_as_ever(tmp_path: Path) -> None:
    folder = made(tmp_path / "late", "adjourned")
    finish(folder)
    with pytest.raises(ConfirmationError, match="FIDE mode ends for this event"):
        result(folder, 2, "0-1", round=1)


@pytest.mark.long
def test_it_can_be_said_of_a_result_and_taken_back(tmp_path: Path) -> None:
    folder = made(tmp_path / "late", "½-½")
    assert "(adjourned)" in str(result(folder, 1, "adjourned").said[0])
    assert result(folder, 1, "*").step is None
    result(folder, 1, off=True)
    assert read_event(folder, unfinished=True).adjourned.round.size == 0
