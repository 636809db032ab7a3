"""The list of formats: what follows from it, and that a new one is its module alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from places import DATA, ROOT

from pairopt import InputError, UsageError, read_event, write_event
from pairopt.cli import main
from pairopt.errors import CellLocation, JsonLocation
from pairopt.files.formats import FORMATS, list_outputs, list_suffixes, list_writers
from pairopt.lab.comparison import read_events


def test_names_and_suffixes() -> None:
    assert len({form.name for form in FORMATS.values()}) == len(FORMATS)
    assert list(list_writers()) == ["csv", "json", "trf", "trf16"]
    assert list(list_outputs()) == ["csv", "json", "pgn", "h9", "trf", "trf16"]
    assert list_suffixes() == (".csv", ".json", ".trf", ".trfx", ".trf16")


def test_what_follows_from_the_list(tmp_path: Path) -> None:
    assert (
        "[csv|json|pgn|h9|trf|trf16]"
        in CliRunner().invoke(main, ["convert", "--help"]).output
    )
    event = read_event(DATA / "matches_bom.csv")
    with pytest.raises(
        UsageError,
        match=r"ends in \.csv, \.json, \.pgn, \.h9, \.trf or \.trf16, or choose a format",
    ):
        write_event(event, tmp_path / "event.pdf")
    with pytest.raises(
        UsageError, match=r"has no events\. Put \.csv, \.json, \.trf or \.trf16 files"
    ):
        read_events(tmp_path)
    write_event(event, tmp_path / "a.trfx")
    (tmp_path / "README.txt").write_text("no event", encoding="utf-8")
    assert [name for name, _ in read_events(tmp_path)] == ["a.trfx"]
    assert write_event(event, tmp_path / "b.txt").files == (tmp_path / "b.txt",)


@pytest.mark.parametrize(
    "name", ["standings.csv", "players.csv", "aesops.json", "lichess.csv"]
)
def test_who_holds_players_takes_no_others(name: str) -> None:
    with pytest.raises(
        InputError,
        match="This file already contains the players",
    ):
        read_event(DATA / name, DATA / "players.csv", relax=["history"])


NEW = '''
"""Lines such as "1 Ann Bob 3 0": round, players, scores."""

from pairopt.errors import TextLocation
from pairopt.files.build_event import PlayerTable, build_event
from pairopt.files.formats.base import EventText, Format
from pairopt.files.csv_schema import MatchRow, PlayerRow, parse_row
from pairopt.files.text_source import TextSource

KEYS = ("round", "player1", "player2", "score1", "score2")


def read(source, how):
    cells = [line.split() for line in source.text.splitlines()[1:]]
    rows = [
        parse_row(MatchRow, dict(zip(KEYS, row, strict=True)), place=TextLocation(number))
        for number, row in enumerate(cells, 2)
    ]
    names = dict.fromkeys(name for row in rows for name in (row.player1, row.player2))
    players = [PlayerRow(player=name) for name in names]
    return build_event(source.name, rows, PlayerTable(source.name, players), how)


def write(event):
    rows = event.matches
    cells = zip(rows.round, rows.first, rows.second, rows.score1, rows.score2, strict=True)
    lines = [f"{r} {event.players[a]} {event.players[b]} {s} {t}" for r, a, b, s, t in cells]
    return EventText("\\n".join(["PAIRS", *lines, ""]))


FORMAT = Format(
    name="lines", expected="PAIRS and lines", of=TextSource, suffixes=(".lines",),
    recognises=lambda source: source.text.startswith("PAIRS"), read=read, write=write,
)
'''


@pytest.mark.long
def test_a_new_format_is_its_module_alone(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "pairopt", tmp_path / "pairopt")
    (tmp_path / "pairopt" / "files" / "formats" / "lines.py").write_text(
        NEW, encoding="utf-8"
    )
    (tmp_path / "a.csv").write_text(
        "round,table,player1,player2,score1,score2\n1,7,Ann,Bob,3,0\n", "utf-8"
    )

    def convert(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "pairopt", "convert", *arguments],
            cwd=tmp_path,
            text=True,
            capture_output=True,
            check=False,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
        )
        return done.stdout + done.stderr

    assert "[lines|csv|json|pgn|h9|trf|" in convert("--help")
    assert ".lines" in convert("a.csv", "a.pdf")
    assert "written to a.lines" in convert("a.csv", "a.lines")
    assert (tmp_path / "a.lines").read_text(
        encoding="utf-8"
    ) == "PAIRS\n1 Ann Bob 3 0\n"
    assert "written to b.csv" in convert("a.lines", "b.csv")
    (tmp_path / "a.lines").write_text(
        "PAIRS\n1 Ann Bob 3 0\n1 Ann Cid 3 0\n", encoding="utf-8"
    )
    assert (
        "line 3: 'Ann' is already in round 1, line 2. A player has one match or bye per round, so remove or correct one of the two rows."
        in convert("a.lines", "c.csv")
    )


# the place of a fault


def test_an_unfinished_round_has_a_place(tmp_path: Path) -> None:
    """Also long after the file was read."""
    table = tmp_path / "event.csv"
    text = (DATA / "matches_bom.csv").read_text(encoding="utf-8-sig")
    table.write_text(
        text.replace("2,1,Ann,Cid,runner,0,3,", "2,1,Ann,Cid,runner,,,"), "utf-8"
    )
    event = tmp_path / "event.json"
    text = (DATA / "cobra_single_sided.json").read_text(encoding="utf-8")
    for key in ("combinedScore", "corpScore", "runnerScore"):
        text = text.replace(f'"{key}": 1', f'"{key}": null')
    event.write_text(text, encoding="utf-8")
    for path, place in (
        (table, CellLocation(4, "score1")),
        (event, JsonLocation("rounds[1][1].player1")),
    ):
        with pytest.raises(InputError) as caught:
            read_event(path)
        assert [fault.place for fault in caught.value.faults] == [place]
        with pytest.raises(InputError) as caught:
            read_event(path, round=2).at_round(3)
        assert [fault.place for fault in caught.value.faults] == [place]


def test_a_bye_on_either_side_of_a_json_has_its_place(tmp_path: Path) -> None:
    text = (DATA / "cobra_double_sided_2020.json").read_text(encoding="utf-8")
    for old, new, place in (
        (
            '"id": 15,\n     "runnerScore": null',
            '"id": 99,\n     "runnerScore": null',
            "rounds[0][2].player2.id",
        ),
        (
            '"id": 13,\n     "runnerScore": null',
            '"id": 99,\n     "runnerScore": null',
            "rounds[1][2].player1.id",
        ),
    ):
        assert old in text
        path = tmp_path / "event.json"
        path.write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(InputError) as caught:
            read_event(path)
        assert [fault.place for fault in caught.value.faults] == [JsonLocation(place)]
