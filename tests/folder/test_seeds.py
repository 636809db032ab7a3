"""The seed of an event: drawn once when it is founded, kept, and what it decides."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from telling import said_by
from test_verbs import made, rows, run

from pairopt import read_event, solve
from pairopt.cli import main
from pairopt.folder import bracket, change, check_proofs, create, new, pair
from pairopt.folder.journal import Journal
from pairopt.round.check import check

CHESS = "player,rating\n" + "".join(
    f"{name},{2400 - 50 * k}\n" for k, name in enumerate("ABCDEFGH")
)
EIGHT = "ABCDEFGH"


@pytest.fixture
def seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds that are drawn, one after the other."""
    lots = random.Random(5)
    monkeypatch.setattr(create, "draw_seed", lambda: lots.randrange(10**6))


def chess(folder: Path, **more: object) -> list[str]:
    listed = folder.parent / "chess.csv"
    listed.write_text(CHESS)
    how = {"model": "fide-dutch", "points": "1-½-0", **more}
    return list(said_by(new(folder, listed, **how)))  # type: ignore[arg-type]


def first_round(folder: Path) -> list[tuple[str, str]]:
    pair(folder)
    return [*rows(folder)[["player1", "player2"]].itertuples(index=False, name=None)]


@pytest.mark.long
def test_two_foundings_draw_two_seeds_below_a_million(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("player\nA\nB\n")
    kept = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        command = [
            sys.executable,
            "-m",
            "pairopt",
            "new",
            folder,
            "--players",
            "list.csv",
        ]
        subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
        kept.append(read_event(folder).settings.seed or 0)
    assert kept[0] != kept[1]
    assert max(kept) < 1_000_000


@pytest.mark.long
@pytest.mark.usefixtures("seeds")
def test_a_weekly_with_its_usual_list_has_another_first_round(tmp_path: Path) -> None:
    weeks = [made(tmp_path / f"week{k}", EIGHT) for k in range(4)]
    kept = [read_event(week).settings.seed for week in weeks]
    assert len({*kept}) == 4
    assert None not in kept
    assert len({str(sorted(map(sorted, first_round(week)))) for week in weeks}) > 1
    for week, seed in zip(weeks, kept, strict=True):
        assert f"seed {seed}" in str(Journal(week).steps()[-1].did)


@pytest.mark.long
def test_founding_says_the_seed_and_takes_one(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("player\nA\nB\nC\nD\n")
    said = run("new", tmp_path / "one", "--players", tmp_path / "list.csv").stderr
    assert (
        "Seed: 0, drawn for this event (decides between equally good pairings; change this number with --seed)"
        in said
    )
    said = run(
        "new", tmp_path / "two", "--players", tmp_path / "list.csv", "--seed", "42"
    ).stderr
    assert "drawn" not in said
    assert read_event(tmp_path / "two").settings.seed == 42
    new(tmp_path / "three", read_event(tmp_path / "two"))
    assert read_event(tmp_path / "three").settings.seed == 42
    said = run("new", tmp_path / "four", "--players", tmp_path / "two").stderr
    assert "drawn for this event" in said, "the next evening has another"
    assert pair(tmp_path / "two").result.seed == 42  # type: ignore[union-attr]


@pytest.mark.long
def test_a_seed_that_is_asked_for_overrides_it_and_no_seed_is_0(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", EIGHT, seed=42)
    event = read_event(folder)
    assert (
        solve(event).seed,
        solve(event, seed=0).seed,
        solve(event, seed=3).seed,
    ) == (42, 0, 3)
    printed = {
        options: CliRunner().invoke(
            main, ["solve", str(folder), "--format", "json", *options]
        )
        for options in ((), ("--seed", "0"))
    }
    assert json.loads(printed[()].stdout)["seed"] == 42
    assert json.loads(printed["--seed", "0"].stdout)["seed"] == 0
    change(folder, {"seed": None})
    assert solve(read_event(folder)).seed == 0


@pytest.mark.long
def test_the_seed_is_that_of_every_command_on_the_event(tmp_path: Path) -> None:
    """The pairing of the event's seed is the optimum that it is compared with, and its proof's."""
    folder = made(tmp_path / "event", EIGHT, seed=11)
    before = read_event(folder)
    assert pair(folder, keep_proof=True).result is not None
    found = check(before, folder / "matches.csv")
    assert not found.changed
    assert all(each.holds for each in check_proofs(folder))
    assert next(iter(check_proofs(folder))).paired_with == {}
    other = made(tmp_path / "other", EIGHT)
    result = solve(read_event(other), seed=11)
    assert result.pairs == solve(before).pairs


@pytest.mark.long
def test_a_lot_that_breaks_ties_is_that_of_the_event(tmp_path: Path) -> None:
    orders = set()
    for seed in range(5):
        folder = made(tmp_path / f"event{seed}", EIGHT, seed=seed)
        asked = bracket(folder, 4, by_lot=True)
        assert any(f"random draw number {seed}" in line for line in said_by(asked))
        assert asked.bracket is not None
        orders.add(asked.bracket.players)
    assert len(orders) > 1


@pytest.mark.long
@pytest.mark.usefixtures("seeds")
def test_the_initial_side_is_drawn_and_said_or_asked(tmp_path: Path) -> None:
    sides = set()
    for k in range(8):
        said = chess(tmp_path / f"open{k}")
        kept = (tmp_path / f"open{k}" / "event.toml").read_text()
        side = "white" if 'initial_side = "white"' in kept else "black"
        assert (
            f"Initial side: {side} (drawn by lot; change the side with --initial-side)"
            in said
        )
        pair(tmp_path / f"open{k}")
        first = rows(tmp_path / f"open{k}").iloc[0]
        whites = {
            row.player1 if row.side1 == "white" else row.player2
            for row in rows(tmp_path / f"open{k}").itertuples()
        }
        assert first is not None
        assert ("A" in whites) == (side == "white")
        sides.add(side)
    assert sides == {"white", "black"}
    said = chess(tmp_path / "asked", initial_side="Black")
    assert not [line for line in said if "Initial side" in line]
    assert 'initial_side = "black"' in (tmp_path / "asked" / "event.toml").read_text()


@pytest.mark.long
def test_what_is_assumed_is_said(tmp_path: Path) -> None:
    said = chess(tmp_path / "open")
    assert (
        "Tie-breaks: BH/C1, BH, SB (the default; change the tie-breaks with --tie-breaks)"
        in said
    )
    assert any(line.startswith("Rounds: not set") for line in said)
    chess(tmp_path / "other", tie_breaks=["buchholz", "SB"])
    assert read_event(tmp_path / "other").settings.tie_breaks == ("buchholz", "SB")
    said = [*said_by(new(tmp_path / "copy", tmp_path / "other"))]
    assert read_event(tmp_path / "copy").settings.tie_breaks == ("buchholz", "SB")
    assert any(line.startswith("Tie-breaks: buchholz, SB (from") for line in said)


def test_a_folder_made_from_a_folder_keeps_all_its_rules(tmp_path: Path) -> None:
    more = 'first_round = "fold"\nlookahead = 1\nproofs = false\n'
    folder = made(tmp_path / "event", more=more, rounds=5, seed=9)
    with (folder / "event.toml").open("a") as out:
        out.write(
            '[[conflicts]]\ncolumn = "club"\n[[conflicts]]\ncolumn = "town"\nplace = 2\n'
        )
    (folder / "players.csv").write_text("player,club,town\nA,x,\nB,x,\nC,,y\nD,,y\n")
    new(tmp_path / "copy", folder, title="event")
    own = read_event(folder).settings
    assert read_event(tmp_path / "copy").settings == replace(
        own, seed=0
    )  # as it is drawn here
