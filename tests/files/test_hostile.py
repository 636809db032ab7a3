"""Files that mean harm, or that nobody meant to make: one clear error, and nothing written."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from places import SAMPLE

from pairopt import InputError, UsageError, read_event, write_event
from pairopt.cli import main
from pairopt.event.score_checks import points_of
from pairopt.files.write import write_all

WEEKLY = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
RED = "\x1b[31m"
MATCHES = "round,player1,player2,score1,score2\n"


def run(*arguments: object) -> Result:
    """As on a terminal, where escape sequences are not taken out."""
    return CliRunner().invoke(
        main, [str(argument) for argument in arguments], color=True
    )


def kept(folder: Path, content: str | bytes, name: str = "event.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def nrtm(**first: Any) -> str:
    """A JSON of one match, with keys of its first player changed."""
    one = {"id": "1", "combinedScore": 3} | first
    two = {"id": "2", "combinedScore": 0}
    players = [{"id": one["id"]}, {"id": "2"}]
    return json.dumps(
        {"players": players, "rounds": [[{"player1": one, "player2": two}]]}
    )


def trf(*lines: str, rounds: tuple[str, str] = ("   2 w 1", "   1 b 0")) -> str:
    heads = (f"{f'001 {k:>4}      P{k}':<91}{cell}" for k, cell in enumerate(rounds, 1))
    return "\n".join([*heads, *lines, ""])


MANY = "9" * 4301
HOSTILE = {
    "a JSON integer of 4,301 digits": (
        nrtm().replace("3", MANY),
        "rounds[0][0].player1.combinedScore: Found '999",
    ),
    "a JSON number beyond every decimal": (
        nrtm().replace("3", "1e" + "9" * 30),
        "rounds[0][0].player1.combinedScore: Found '1e9",
    ),
    "a JSON table of a large exponent": (
        nrtm().replace("[[{", '[[{"table": 1e999999999, '),
        "rounds[0][0].table: Found '1e9",
    ),
    "a JSON number of a large exponent": (
        nrtm(combinedScore="1e9999999"),
        "Write a number",
    ),
    "a CSV number of a large exponent": (
        MATCHES + "1,a,b,1e9999999,0\n",
        "column score1",
    ),
    "a CSV number in Arabic digits": (MATCHES + "1,a,b,\u0663,0\n", "column score1"),
    "a CSV number with an underscore": (MATCHES + "1,a,b,1_0,0\n", "column score1"),
    "a JSON number in Arabic digits": (
        nrtm(combinedScore="\u0663"),
        "Write a number",
    ),
    "a TRF win of many points": (
        trf("XXS W=99999999"),
        "line 3, column 5-14: Found 'W=99999999'",
    ),
    "a TRF win of no number": (
        trf("XXS W=\u0663"),
        "line 3, column 5-7: Found 'W=\u0663'",
    ),
    "a TRF player in superscript": (
        trf("XXZ \u00b2"),
        "line 3, column 5-5: '\u00b2' is not",
    ),
    "a TRF player of 4,301 digits": (
        trf("XXZ " + MANY),
        "line 3, column 5-4305: '999",
    ),
    "a TRF code in superscript": (trf("\u00b2\u00b22 x"), "line 3, column 1-3"),
    "a TRF opponent in superscript": (
        trf(rounds=("   \u00b2 w 1", "   1 b 0")),
        "line 1, column",
    ),
    "a TRF code of two digits": (trf("12"), "line 3, column 1-3: '12' is not a code"),
    "a table of empty cells": (",,\n,,\n", "The file is empty"),
    "a table of blanks that are no ASCII": ("\u2028 \u00a0\n", "The file is empty"),
    "a header cell of 131,073 characters": (
        "player," + "x" * 131_073 + "\na,b\n",
        "row 1",
    ),
    "a cell of 131,073 characters": ("player,x\na," + "x" * 131_073 + "\n", "row 2"),
    "a JSON identifier with a lone surrogate": (nrtm(id="\ud800"), "players[0].id"),
    "a JSON identifier with a NUL": (nrtm(id="a\0"), "players[0].id"),
    "two JSON scores too large together": (
        nrtm(combinedScore=None, corpScore=10**6, runnerScore=1),
        "rounds[0][0].player1: Found '1000001'. Write a number up to",
    ),
    "a JSON round 501": (
        nrtm().replace('"rounds": [', '"rounds": [' + "[], " * 500),
        "rounds: This list is too long. At most 500 entries",
    ),
    "a JSON player twice in a round": (
        nrtm().replace(
            "}]]",
            "}, "
            + json.dumps({"player1": {"id": "2"}, "player2": {"id": None}})
            + "]]",
        ),
        "rounds[0][1].player1.id: '2' is already in round 1, rounds[0][0]. A player has one match or bye per round, so remove or correct one of the two rows.",
    ),
    "a JSON name of 131,073 characters": (
        nrtm().replace('"id": "2"}]', '"id": "2", "name": "' + "x" * 131_073 + '"}]'),
        "players[1].name: Found 'xxx",
    ),
    "a JSON identifier of blanks": (nrtm(id=" "), "players[0].id"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name: str, tmp_path: Path) -> None:
    text, said = HOSTILE[name]
    path, out = kept(tmp_path, text), tmp_path / "out.csv"
    done = run("convert", path, out)
    assert (done.exit_code, done.exception.__class__) == (3, SystemExit)
    assert said in done.stderr
    assert all(len(line) < 600 for line in done.stderr.splitlines())
    assert not out.exists()


@pytest.mark.parametrize("text", ["\ud800", "a\0b"])
def test_a_frame_of_what_no_file_holds(text: str) -> None:
    with pytest.raises(InputError, match="row 3, column player"):
        read_event(pd.DataFrame({"player": ["Ann", text]}, dtype=object))


@pytest.mark.parametrize(
    "cell", [np.array([1, 2]), [1, 2], Decimal("NaN"), pd.NaT, {}, 1e300]
)
def test_a_frame_of_odd_cells(cell: object) -> None:
    rows = pd.DataFrame(
        {
            "round": [cell],
            "player1": ["a"],
            "player2": ["b"],
            "score1": [1],
            "score2": [0],
        },
        dtype=object,
    )
    with pytest.raises(InputError, match="row 2, column round: Found"):
        read_event(rows)


def test_a_frame_with_a_column_twice() -> None:
    with pytest.raises(InputError, match="Two columns have the heading 'player'"):
        read_event(pd.DataFrame([["Ann", "Bob"]], columns=["player", "Player "]))


def test_an_endless_file() -> None:
    done = run("solve", "/dev/zero")
    assert done.exit_code == 3
    assert "larger than" in done.stderr


def test_a_file_that_may_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    done = run("solve", tmp_path / "event.csv")
    assert done.exit_code == 3
    assert "pairopt can't read the file: Permission denied" in done.stderr


# what is written


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_written_files_have_the_permissions_of_any_new_file(
    mask: int, tmp_path: Path
) -> None:
    before = os.umask(mask)
    try:
        (written,) = write_event(
            read_event(SAMPLE / "matches.csv"), tmp_path / "a.json"
        ).files
    finally:
        os.umask(before)
    assert stat.S_IMODE(written.stat().st_mode) == 0o666 & ~mask


def test_a_folder_in_the_way_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(UsageError, match="can't be written"):
        write_all({tmp_path / "a": "x", tmp_path / "b": "y"})
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_a_folder_that_may_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.open

    def opened(path: Path, mode: str = "r", *more: Any) -> Any:
        if "x" in mode:
            raise PermissionError(13, "Permission denied")
        return real(path, mode, *more)

    monkeypatch.setattr(Path, "open", opened)
    done = run("convert", WEEKLY[0], tmp_path / "out.json")
    assert done.exit_code == 2
    assert "out.json can't be written: Permission denied" in done.stderr


@pytest.mark.long
def test_all_outputs_or_none(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    done = run(
        "solve", *WEEKLY, "-o", out, "--report", tmp_path / "nowhere" / "page.html"
    )
    assert done.exit_code == 2
    assert "can't be written" in done.stderr
    assert not list(tmp_path.iterdir())


def test_one_file_is_not_two_outputs(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    done = run("convert", *WEEKLY, out, "--players-out", out)
    assert done.exit_code == 2
    assert not out.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
class TestFullDevice:
    def test_as_a_file(self, tmp_path: Path) -> None:
        full = tmp_path / "full"
        full.symlink_to("/dev/full")
        done = run("convert", WEEKLY[0], full, "--format", "json")
        assert done.exit_code == 2
        assert f"{full} can't be written: No space left" in done.stderr
        assert full.is_char_device()  # it is written to, never replaced
        assert list(tmp_path.iterdir()) == [full]

    @pytest.mark.parametrize(
        "arguments", [["solve", *WEEKLY], ["solve", "--help"], ["--version"]]
    )
    def test_as_the_screen(self, arguments: list[str]) -> None:
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "pairopt", *arguments],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 2
        assert "No space left on device" in done.stderr
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    "name", ["A\rB", "A\nB", "A\r\nB", "a\u2028b", "a\x0bb", "a\x85b", "'", '"']
)
def test_line_ends_within_names(name: str, tmp_path: Path) -> None:
    rows = pd.DataFrame(
        {
            "round": [1],
            "player1": [name],
            "player2": ["C"],
            "score1": [1],
            "score2": [0],
        }
    )
    players = pd.DataFrame({"player": ["C", name], "club": ["x", name]})
    event = read_event(rows, players)
    again = read_event(*write_event(event, tmp_path / "out.csv").files)
    assert again.players == event.players
    assert again.columns["club"] == event.columns["club"]
    assert points_of(again).tolist() == points_of(event).tolist()


# what is shown

SHOWN = {
    "header": f"{RED}x,y\n1,2\n",
    "header twice": f"round,{RED},{RED}\n",
    "a column that is missing": f"round,player1,{RED}\n1,a,b\n",
    "a name": f"round,player1,player2,score1,score2\n1,{RED},{RED},1,0\n",
    "JSON keys": nrtm(id=RED).replace('"2", "combined', '"3", "combined'),
    "TRF": trf(f"XXZ {RED}"),
}


@pytest.mark.parametrize("name", SHOWN)
def test_no_error_steers_a_terminal(name: str, tmp_path: Path) -> None:
    path = kept(tmp_path, SHOWN[name])
    done = run("solve", path)
    assert done.exit_code == 3
    assert "\x1b" not in done.output
    with pytest.raises(InputError) as caught:
        read_event(path)
    assert "\x1b" not in str(caught.value)


def test_no_note_steers_a_terminal(tmp_path: Path) -> None:
    path = kept(tmp_path, MATCHES + f"1,a,b,1,0\n1,c,{RED},1,0\n2,a,b,1,0\n")
    done = run("solve", path, "--drop", "c")
    assert "dropped" in done.stderr
    assert "\x1b" not in done.output


def test_no_usage_error_steers_a_terminal(tmp_path: Path) -> None:
    path = kept(tmp_path, MATCHES + f"1,{RED},b,1,0\n1,c,d,1,0\n")
    done = run("solve", path, "--force", f"{RED}:{RED}")
    assert done.exit_code == 2
    assert "\x1b" not in done.output


HOSTILE_NAMES = ("a\u202eb", RED, "a\x9b2J", "a\nb", ",", "=1+1")


@pytest.mark.parametrize("name", HOSTILE_NAMES)
@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_no_answer_steers_a_terminal_and_files_have_all(
    name: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "event.csv"
    pd.DataFrame({"player": [name, "b", "c"]}).to_csv(path, index=False)
    given = run("solve", path, "--format", form)
    assert given.exit_code == 0
    if form == "json":
        rows = json.loads(given.stdout)["pairings"]
        assert name in [row[side] for row in rows for side in ("player1", "player2")]
    assert name in given.stdout or form != "csv"
    monkeypatch.setattr(
        "click.testing._NamedTextIOWrapper.isatty", lambda self: self.name == "<stdout>"
    )
    shown = run("solve", path, "--format", form)
    assert all(line.isprintable() for line in shown.output.split("\n"))
