"""Match lists with a column that says whether a match was a draw."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from pairopt import Event, InputError, read_event
from pairopt.cli import main


def event_of(folder: Path, text: str) -> Event:
    path = folder / "m.csv"
    path.write_text(text, encoding="utf-8")
    return read_event(path)


def scores(event: Event) -> list[tuple[float, float]]:
    frame = event.matches_frame
    pairs = zip(frame["score1"], frame["score2"], strict=True)
    return [(float(one), float(two)) for one, two in pairs]


@pytest.mark.parametrize("heading", ["Draw", "Tie?", "Remis", "is_draw"])
@pytest.mark.parametrize(
    ("yes", "no"), [("yes", "no"), ("1", "0"), ("TRUE", "FALSE"), ("draw", "")]
)
def test_a_draw_among_winners_and_losers_is_a_draw(
    tmp_path: Path, heading: str, yes: str, no: str
) -> None:
    text = f"Round,Winner,Loser,{heading}\n1,Ann,Bob,{yes}\n1,Cy,Dee,{no}\n"
    assert scores(event_of(tmp_path, text)) == [(1.0, 1.0), (3.0, 0.0)]


def test_a_draw_without_a_winner_is_a_draw(tmp_path: Path) -> None:
    text = "Round,Player 1,Player 2,Winner,Draw\n1,Ann,Bob,,yes\n1,Cy,Dee,Dee,no\n"
    assert scores(event_of(tmp_path, text)) == [(1.0, 1.0), (0.0, 3.0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Round,Winner,Loser,Draw\n1,Ann,Bob,perhaps\n",
            "Write yes if the match was a draw",
        ),
        (
            "Round,Player 1,Player 2,Winner,Draw\n1,Ann,Bob,Ann,yes\n",
            "a winner in another",
        ),
        ("Round,Winner,Loser,Status\n1,Ann,Bob,draw\n", "a winner in another"),
        (
            "Round,Winner,Loser,Draws\n1,Ann,Bob,1\n",
            "Write draws, forfeits and byes in a column",
        ),
        (
            "Round,Winner,Loser,Forfeit\n1,Ann,Bob,yes\n",
            "Write draws, forfeits and byes",
        ),
        ("Round,Winner,Loser,Result\n1,Ann,Bob,agreed draw\n", "Found 'agreed draw'"),
    ],
)
def test_no_column_that_means_a_result_is_left_unread(
    tmp_path: Path, text: str, expected: str
) -> None:
    with pytest.raises(InputError, match=expected):
        event_of(tmp_path, text)


def test_a_column_of_forfeits_that_says_no_changes_nothing(tmp_path: Path) -> None:
    text = "Round,Winner,Loser,Forfeit\n1,Ann,Bob,no\n1,Cy,Dee,\n"
    assert scores(event_of(tmp_path, text)) == [(3.0, 0.0), (3.0, 0.0)]


def test_a_zero_among_numbers_of_winners_is_asked_about_once(tmp_path: Path) -> None:
    text = "Round,Player 1,Player 2,Winner\n1,Ann,Bob,1\n1,Cy,Dee,2\n2,Ann,Cy,0\n2,Bob,Dee,0\n"
    with pytest.raises(InputError, match="write draw in place of 0") as refused:
        event_of(tmp_path, text)
    assert len(refused.value.faults) == 1


def test_a_result_that_is_not_read_leads_to_the_option(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("Round,Player 1,Player 2,Winner\n1,Ann,Bob,Zoe\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["standings", str(path)])
    assert done.exit_code == 3
    assert "--columns result=" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_changes_no_pairing_of_named_players(
    tmp_path: Path, seed: int
) -> None:
    players = tmp_path / "players.csv"
    names = ["Ann", "Bob", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal"]
    players.write_text("\n".join(["player", *names]), encoding="utf-8")
    rows = ["1,Ann,Bob", "1,Cy,Dee", "1,Eve,Fay", "1,Gus,Hal", "2,Ann,Cy", "2,Eve,Gus"]
    rows += ["2,Bob,Dee", "2,Fay,Hal"]
    path = tmp_path / "m.csv"
    found = []
    for order in (rows, random.Random(seed).sample(rows, len(rows))):
        path.write_text(
            "Round,Winner,Loser\n" + "\n".join(order) + "\n", encoding="utf-8"
        )
        made = ["solve", str(path), "--players", str(players), "--seed", "1"]
        done = CliRunner().invoke(
            main, [*made, "-o", str(tmp_path / "next.csv"), "--overwrite"]
        )
        assert done.exit_code == 0, done.output
        lines = (tmp_path / "next.csv").read_text(encoding="utf-8").splitlines()
        found.append(
            sorted(line.split(",")[2:4] for line in lines if line.startswith("3,"))
        )
    assert found[0] == found[1]
    assert len(found[0]) == 4
