"""TRFs by the one writer: nothing of what a file says is lost, and other programs read it.

What files say is found by code that shares none with what reads and writes them."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from decimal import Decimal
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from notes import notes_of
from places import REAL
from trf_facts import facts, made

from pairopt import Event, InputError, read_event, solve, write_event
from pairopt.cli.fide.random_tournament import (
    STANDARD,
    EventRates,
    _TournamentGenerator,
    random_entrants,
)
from pairopt.event.score_checks import points_of
from pairopt.event.table_assignment import assign_tables
from pairopt.files.build_event import ReadOptions
from pairopt.files.formats import convert_event, list_writers
from pairopt.files.formats.trf.reading import read
from pairopt.files.text_source import TextSource, decode_text
from pairopt.problem.options import SolveOptions
from pairopt.round.solve import solve_round

TRF = list_writers()["trf"]
BBP = os.environ.get("BBP_PAIRINGS") or shutil.which("bbpPairings") or ""


def again(text: str) -> tuple[str, tuple[str, ...]]:
    """A file read and written, and what is lost."""
    text_of = convert_event(TRF, read(TextSource("made", text), ReadOptions()))
    return text_of.text, tuple(map(str, text_of.lost))


def comparable(said: dict[str, Any]) -> dict[str, Any]:
    """Byes asked for are what they are worth, one of a round that is over is said by a blank if
    that is nothing; a rating of 0 is none; ranks and points are compared by themselves."""
    cells = {
        key: ("", "", "asked") if cell[2] in "FHZ " and not cell[0] else cell
        for key, cell in said["cells"].items()
        if said["worth"][key] or cell[0] or cell[2] == "U" or key[1] > said["last"]
    }
    players = {
        p: (*own[:3], own[3].lstrip("0"), *own[4:])
        for p, own in said["players"].items()
    }
    worth = {key: said["worth"][key] for key in cells}
    left = ("points", "points after", "breaks")
    return {name: each for name, each in said.items() if name not in left} | {
        "cells": cells,
        "players": players,
        "worth": worth,
    }


def require_nothing_lost(seed: int) -> None:
    text = made(seed)
    before = facts(text)
    more, lost = again(text)
    after = facts(more)
    one, two = comparable(before), comparable(after)
    for name in one:
        assert one[name] == two[name], (seed, name)
    widths = [len(line.rstrip()) for line in more.splitlines() if line[:3] == "001"]
    assert max(widths) <= 91 + 10 * after["last"], (
        seed
    )  # byes of rounds to come are in 240
    assert before["breaks"].items() <= after["breaks"].items(), seed
    assert lost == (), seed
    assert again(more)[0] == more, seed
    for p, shown in after["points"].items():  # columns 81-84, by an own sum
        assert abs(Fraction(shown) - before["points after"][p]) <= Fraction(1, 20), (
            seed,
            p,
        )


@pytest.mark.long
def test_nothing_of_a_generated_file_is_lost() -> None:
    for seed in range(60):
        require_nothing_lost(seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_nothing_of_5000_generated_files_is_lost(part: int) -> None:
    for seed in range(500 * part, 500 * (part + 1)):
        require_nothing_lost(seed)


@pytest.mark.slow
@pytest.mark.skipif(not REAL.exists(), reason="the shared data is not here")
def test_nothing_of_a_real_file_is_lost() -> None:
    cases = (REAL / "dutch" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["trf"] for line in cases]
    files = [*REAL.glob("trf/**/*.trf"), *REAL.glob("dutch/published/*.trf")]
    texts += [decode_text(path.name, path.read_bytes()).text for path in files]
    for text in texts:
        more, lost = again(text)
        assert {
            each for each in lost if not each.startswith("the number of rounds")
        } == set()
        assert again(more) == (more, ())


@pytest.mark.long
def test_what_an_older_file_has_no_word_for_is_named() -> None:
    """TRF16: each fact that is gone has its line, and none that is not."""
    seen = set()
    for seed in range(80):
        text = made(seed)
        event = read(TextSource("made", text), ReadOptions())
        older = convert_event(list_writers()["trf16"], event)
        said = facts(text)
        ranged = {each for each in said["forbidden"] if each[2:] != (1, said["rounds"])}
        assigned = any(said["besides"].values())
        kinds = {each.kind for each in older.lost}
        assert ("lost.forbidden" in kinds) == bool(ranged), seed
        assert bool({"lost.brought", "lost.adjusted"} & kinds) == assigned, seed
        assert kinds <= {
            "lost.forbidden",
            "lost.brought",
            "lost.adjusted",
            "lost.ratings",
            "lost.columns",
            "lost.facts",
            "lost.settings",
        }, (seed, older.lost)
        codes = {line[:3] for line in older.text.splitlines()}
        assert not {
            code for code in codes if re.fullmatch(r"1[4-9]2|[23]\d\d|###|80\d", code)
        } - {"162"}, seed
        seen |= kinds
    assert {"lost.forbidden", "lost.adjusted", "lost.facts", "lost.settings"} <= seen


def shifted(text: str, column: int, by: int) -> str:
    """The lines of players, moved from a column on; to the left only blanks are lost."""
    lines = []
    for line in text.splitlines():
        if line[:3] == "001":
            head, tail = line[: column - 1], line[column - 1 :]
            if by < 0 and head[by:].strip():
                return ""
            line = f"{head}{' ' * by}{tail}" if by > 0 else f"{head[:by]}{tail}"
        lines.append(line)
    return "\n".join([*lines, ""])


WIDTHS = (1, -1, 2, -2, 3, -3)
COLUMNS = (5, 10, 15, 49, 81, 86, 92)
PLACES = [
    pytest.param(column, by, marks=() if (k + j) % 3 == 0 else pytest.mark.slow)
    for k, column in enumerate(COLUMNS)
    for j, by in enumerate(WIDTHS)
]
"""Each column and each width; all of both are slow."""


@pytest.mark.sweep
@pytest.mark.parametrize(("column", "by"), PLACES)
def test_a_shifted_file_is_one_sentence(column: int, by: int) -> None:
    found = 0
    for seed in range(30):
        text = made(seed)
        moved = shifted(text, column, by)
        number = len(facts(text)["players"])
        if not moved or not facts(text)["last"]:
            continue
        with pytest.raises(InputError) as caught:
            read(TextSource("made", moved), ReadOptions())
        said = str(caught.value)
        side = "right" if by > 0 else "left"
        whole = rf"made: \d+ of {number} player lines are shifted to the {side} by {abs(by)} col"
        assert re.match(whole, said), (seed, said)
        assert "\n" not in said
        found += 1
    assert found > 5 or by < -1, (column, by)


def test_a_whole_file_behind_a_blank(tmp_path: Path) -> None:
    path = tmp_path / "made.trf"
    path.write_text("".join(f" {line}\n" for line in made(4).splitlines()))
    number = len(facts(made(4))["players"])
    with pytest.raises(
        InputError,
        match=f"{number} of {number} player lines are shifted to the "
        "right by 1 column, from column 1 or earlier",
    ):
        read_event(path)


def test_what_is_between_fields_is_named() -> None:
    text = made(4)
    line = next(line for line in text.splitlines() if line[:3] == "001")
    wrong = text.replace(line, f"{line[:84]}x{line[85:]}")
    with pytest.raises(
        InputError,
        match="column 85: 'x' can't be here, because this column between two fields must be blank",
    ):
        read(TextSource("made", wrong), ReadOptions())


def test_the_number_of_players_is_theirs(tmp_path: Path) -> None:
    event = read(
        TextSource("made", re.sub("\n062 .*", "\n062 24", made(3))), ReadOptions()
    )
    number = len(event.players)
    assert (
        f"The file states '24' players (062), but has {number} player lines."
        in notes_of(event)
    )
    assert f"\n062 {number}\n" in convert_event(TRF, event).text


def under_way(seed: int, folder: Path, adjusted: float = 0.0) -> tuple[Event, Path]:
    """A random tournament before one of its rounds, as it is written: with byes of that round."""
    entrants = random_entrants(10 + seed % 30, 2500, 1200, seed)
    points = (
        STANDARD,
        STANDARD,
        {
            **STANDARD,
            "W": Decimal(3),
            "D": Decimal(1),
            "FW": Decimal(3),
            "FPB": Decimal(3),
            "HPB": Decimal(1),
            "PAB": Decimal(3),
        },
    )[seed % 3]
    rates = EventRates(
        entrants,
        rounds=6,
        adjusted=adjusted,
        half_byes=0.6,
        unrated=0.02,
        ranged=0.5,
        forbidden=5,
        accelerated=seed % 4 == 0,
        points=points,
    )
    made = _TournamentGenerator(rates, random.Random(seed), seed)
    for turn in range(1, 2 + seed % 4):
        made.draw_byes(turn)
        result = solve_round(made.event(), made.model, SolveOptions())
        if result.arcs is not None:
            made.play_round(turn, result)
    made.draw_byes(made.event().round)
    path = folder / f"{seed}.trf"
    write_event(made.event(), path)
    return made.event(), path


def bbp_agrees(seed: int, folder: Path) -> bool:
    """Whether bbpPairings pairs the round to come as pairopt does, and the rounds before."""
    event, path = under_way(seed, folder)
    pairs, result = folder / f"{seed}.pairs", solve(event, model="fide-dutch")
    for more in (["-p", pairs], ["-c"]):
        done = subprocess.run(
            [BBP, "--dutch", path, *more], capture_output=True, text=True
        )
        if result.arcs is None:
            return done.returncode == 1
        assert done.returncode == 0, (seed, done.stderr)
        assert "Checker pairings" not in done.stdout, (seed, done.stdout)
    found = {
        (*map(int, line.split()),)
        for line in pairs.read_text().splitlines()[1:]
        if line
    }
    names = [*map(int, result.problem.state.names), 0]
    _, arcs = assign_tables(result.problem.state, result.arcs)
    return found == {(names[one], names[two]) for one, two in arcs.pairs}


@pytest.mark.skipif(not BBP, reason="bbpPairings is not here (BBP_PAIRINGS)")
def test_bbp_pairings_reads_what_is_written(tmp_path: Path) -> None:
    assert all(bbp_agrees(seed, tmp_path) for seed in range(12))


def require_gacrux_reads(seed: int, folder: Path) -> None:
    """All that gacrux reads is what the event says; its points and Buchholz are ours."""
    from gacrux.tiebreak import tiebreak
    from gacrux.trf2json import trf2json

    event, path = under_way(seed, folder, adjusted=0.2 * (seed % 2))
    file = trf2json()
    file.parse_file(path.read_text(encoding="utf-8"), False)
    assert file.get_status() in (0, 200), (seed, file.get_status())
    found = file.get_tournament(1)
    assert found["numRounds"] == event.settings.rounds
    assert found["topColor"] == "wb"[event.initial_side or 0]
    pairs = {
        (*each["competitors"], each["firstRound"], each["lastRound"])
        for each in found.get("prohibited", ())
    }
    assert pairs == {
        (each.one + 1, each.two + 1, *(each.rounds or (1, event.settings.rounds)))
        for each in event.prohibited
    }
    virtual = {
        (turn, p): Fraction(each["gamePoints"])
        for each in found.get("accelerated", {"values": ()})["values"]
        for turn in range(each["firstRound"], each["lastRound"] + 1)
        for p in range(each["firstCompetitor"], each["lastCompetitor"] + 1)
    }
    assert virtual == {
        (turn + 1, p + 1): Fraction(int(event.acceleration[p, turn]), event.scale)
        for p, turn in np.argwhere(event.acceleration).tolist()
    }
    how = {"swiss": True, "unrated": None, "tiebreak": ["PTS"], "check": False}
    theirs = tiebreak(found, event.round - 1, how).compute_tiebreaks(found, how)[
        "competitors"
    ]
    points = points_of(event)
    for each in theirs:
        own = Fraction(int(points[each["cid"] - 1]), event.scale)
        assert Fraction(each["tiebreakScore"][0]) == own, (seed, each["cid"])


@pytest.mark.long
@pytest.mark.skipif(find_spec("gacrux") is None, reason="gacrux is not here")
def test_gacrux_reads_what_is_written(tmp_path: Path) -> None:
    for seed in range(12):
        require_gacrux_reads(seed, tmp_path)
