"""The library of rounds: what it states, what would be noticed, that it is made from seeds."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from oracle import Oracle
from places import ROOT

sys.path.insert(0, str(ROOT / "examples" / "library"))

import make_library
import validate
from events import shipped
from library.families import FAMILIES, large
from library.features import facts, said
from library.writing import files_of, read

from pairopt import check_proof, read_event, solve
from pairopt.proof.verify import verify_file

LIBRARY = ROOT / "examples" / "library"
MOST_BYTES = 3_000_000
Files = dict[str, str]


BEYOND = ("lookahead", "fide-dutch", "fide-burstein")
"""Families that the oracle of single matches does not tell of."""


@cache
def rows(table: str) -> list[dict[str, str]]:
    with (LIBRARY / table).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


NAMES = [row["round"] for row in rows("rounds.csv")]
ROW = {row["round"]: row for row in rows("rounds.csv")}


@cache
def files(name: str) -> Files:
    content: Files = validate.files_of(LIBRARY / ROW[name]["file"])
    return content


def some(every: int) -> list[Any]:
    """All rounds as parameters, each so-many-th of them long and the others slow."""
    marks = {0: pytest.mark.long}
    return [
        pytest.param(name, marks=marks.get(k % every, pytest.mark.slow), id=name)
        for k, name in enumerate(NAMES)
    ]


@pytest.mark.long
def test_there_are_two_hundred_in_their_families() -> None:
    assert len(NAMES) == len({*NAMES}) == 200
    for family, kind in FAMILIES.items():
        mine = [row for row in rows("rounds.csv") if row["family"] == family]
        assert len(mine) == kind.count
        assert {row["status"] for row in mine} == {kind.wanted}
    sizes = [int(row["players"]) for row in rows("rounds.csv")]
    assert min(sizes) == 6
    assert max(sizes) == 400
    stored = {str(p.relative_to(LIBRARY)) for p in LIBRARY.glob("*/*")} - {
        "__pycache__"
    }
    assert {row["file"] for row in rows("rounds.csv")} == {
        p for p in stored if "__pycache__" not in p
    }


def test_it_is_small() -> None:
    every = [
        p for p in LIBRARY.rglob("*") if p.is_file() and "__pycache__" not in p.parts
    ]
    assert sum(p.stat().st_size for p in every) <= MOST_BYTES


def test_every_column_is_explained() -> None:
    explained = {(row["table"], row["column"]) for row in rows("columns.csv")}
    for table in ("rounds.csv", "families.csv", "large.csv", "real.csv"):
        assert {(table, column) for column in rows(table)[0]} == {
            each for each in explained if each[0] == table
        }
    assert all(row["says"] for row in rows("columns.csv"))


@pytest.mark.long
def test_validate_py_finds_nothing_wrong_in_small_rounds() -> None:
    for name in [n for n in NAMES if int(ROW[n]["players"]) <= 10]:
        assert validate.faults_of(files(name))[0] == [], name


@pytest.mark.long
def test_validate_py_finds_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert validate.main([]) == 0
    assert capsys.readouterr().out.startswith("200 rounds, 0 with faults")


# ---------------------------------------------------------------------- faults put back


Content = dict[str, Any]


def _with(name: str, change: Callable[[Content], object]) -> list[str]:
    """What validate.py says of a round whose proof.json is changed."""
    content = json.loads(files(name)["proof.json"])
    change(content)
    found: list[str] = validate.said_of(
        {**files(name), "proof.json": json.dumps(content)}
    )[0]
    return found


def _exchanged(content: Content, one: int, two: int) -> None:
    pairs = content["claim"]["pairing"]
    pairs[one][1], pairs[two][1] = pairs[two][1], pairs[one][1]


PLAIN = [
    n for n in NAMES if ROW[n]["status"] == "optimal" and int(ROW[n]["active"]) <= 12
]


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [n for n in PLAIN if ROW[n]["family"] != "fide-burstein"]
)
def test_every_level_that_is_another_is_noticed(name: str) -> None:
    levels = json.loads(files(name)["proof.json"])["claim"]["levels"]
    known = [k for k, level in enumerate(levels) if not level[0].startswith("4.")]
    assert known
    for at in known:

        def change(content: Content, at: int = at) -> None:
            content["claim"]["levels"][at][3] += content["claim"]["levels"][at][5]

        criterion, label = levels[at][:2]
        assert any(f"{criterion} {label}: " in fault for fault in _with(name, change))


@pytest.mark.long
@pytest.mark.parametrize("name", PLAIN)
def test_a_pairing_that_is_another_is_noticed(name: str) -> None:
    """Exchanged opponents break something, cost something else, or are as good, by the oracle."""
    pairs = json.loads(files(name)["proof.json"])["claim"]["pairing"]
    noticed = sum(
        bool(_with(name, lambda c, a=a, b=b: _exchanged(c, a, b)))
        for a in range(len(pairs))
        for b in range(a)
    )
    many = len(pairs) * (len(pairs) - 1) // 2
    optima = int(ROW[name]["optima"] or 1)
    assert many - noticed <= optima - 1 or ROW[name]["family"] in BEYOND


@pytest.mark.parametrize(
    ("change", "said_of_it"),
    [
        (lambda c: c["claim"]["pairing"].pop(), "everybody once"),
        (
            lambda c: c["claim"]["pairing"].append(c["claim"]["pairing"][0]),
            "everybody once",
        ),
        (lambda c: c["claim"].update(round=c["claim"]["round"] + 1), "is next"),
        (lambda c: c["claim"]["players"].pop(), "everybody once"),
        (lambda c: c["claim"]["players"].clear(), "cannot be read"),
        (lambda c: c["claim"]["levels"].clear(), " is stated, it is "),
    ],
)
def test_what_is_no_pairing_of_the_round_is_noticed(
    change: Callable[[Content], object], said_of_it: str
) -> None:
    name = next(
        n for n in PLAIN if int(ROW[n]["positive"]) > 0 and n.startswith("foreign")
    )
    found = _with(name, change)
    assert any(said_of_it in fault for fault in found), found


def test_facts_that_are_others_are_noticed() -> None:
    """A forbidden pair, a rematch, a bye had: each in the event's files, where a match is such."""
    name = next(n for n in PLAIN if n.startswith("scarce"))
    mine = files(name)
    one, two = next(pair for pair in _pairing(name) if pair[1])
    toml = f'forbid = [["{two}", "{one}"]]\n' + mine["event.toml"]
    for file, text, broken in (
        ("event.toml", toml, f"{one}-{two} breaks a forbidden pair"),
        (
            "matches.csv",
            _met(mine["matches.csv"], one, two),
            f"{one}-{two} breaks no_rematch",
        ),
    ):
        assert broken in validate.faults_of({**mine, file: text})[0]
    odd = [
        n
        for n in PLAIN
        if ROW[n]["family"] not in BEYOND
        and int(ROW[n]["active"]) % 2
        and _has(n, "no_repeat_bye")
    ]
    assert odd
    for name in odd:
        mine = files(name)
        alone = next(one for one, two in _pairing(name) if two is None)
        text = _bye(mine["matches.csv"], alone)
        found = validate.faults_of({**mine, "matches.csv": text})[0]
        assert f"{alone}-bye breaks no_repeat_bye" in found


def _pairing(name: str) -> list[tuple[str, str | None]]:
    pairing: list[tuple[str, str | None]]
    pairing, *_ = validate.stated(json.loads(files(name)["proof.json"])["claim"])
    return pairing


def _has(name: str, constraint: str) -> bool:
    return bool(shipped(ROW[name]["model"])["constraints"].get(constraint))


def _met(text: str, one: str, two: str) -> str:
    """The first match of the first round is between these two as well."""
    return text + f"1,,{one},{two},,0,0,\n"


def _bye(text: str, one: str) -> str:
    return text + f"1,,{one},,,0,,bye\n"


CLASHES = [n for n in NAMES if ROW[n]["status"] == "infeasible"]


@pytest.mark.parametrize("name", CLASHES)
def test_a_clash_that_is_none_is_noticed(name: str) -> None:
    """No component, all in one, everybody alone: the condition fails, or matches join them."""

    assert validate.faults_of(files(name))[0] == []
    vertices = int(ROW[name]["active"]) + int(ROW[name]["active"]) % 2
    for components in ([], [[0, vertices]], [[k, 1] for k in range(vertices)]):
        found = _with(
            name, lambda c, other=components: c["witness"].update(components=other)
        )
        if len(components) < vertices or int(ROW[name]["legal"]) >= vertices // 2:
            assert any("there may be a pairing" in fault for fault in found)


# ---------------------------------------------------------------------- what is stated


@pytest.mark.sweep
@pytest.mark.parametrize("name", some(8))
def test_proofs_hold_and_optima_are_found_again(name: str, tmp_path: Path) -> None:
    """From the files as anybody has them: the event, its facts, the best levels, and the proof."""
    mine, row = files(name), ROW[name]
    for file, text in mine.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    place = tmp_path / "round.trf" if "round.trf" in mine else tmp_path
    event = read_event(place)
    assert facts(mine) == row["facts"]
    result = solve(event, engine="cpsat" if int(row["active"]) <= 12 else None)
    assert result.status == row["status"]
    assert said(result.level_values) == row["optimum"]
    if "proof.json" in mine:
        assert result.proof is not None
        spoken = _in_words_of(result.proof.content, json.loads(mine["proof.json"]))
        verdict = check_proof(event, spoken).verdict
        assert verdict == {"clash": "certified"}.get(row["proof"], row["proof"])
        assert verify_file((tmp_path / "proof.json").read_bytes()).open == int(
            row["open"]
        )


def _in_words_of(now: Any, stored: Content) -> Content:
    """A stored proof with its levels told as they are told today: a claim has their words."""
    mine, today = stored["claim"]["levels"], now["claim"]["levels"]
    assert [level[:2] + level[4:] for level in mine] == [
        level[:2] + level[4:] for level in today
    ]
    for level, other in zip(mine, today, strict=True):
        level[2] = other[2]
    return stored


def _small() -> Iterator[str]:
    for name in NAMES:
        if int(ROW[name]["active"]) <= 8 and ROW[name]["family"] not in BEYOND:
            yield name


@pytest.mark.parametrize("name", [*_small()])
@pytest.mark.long
def test_small_optima_are_those_of_brute_force(name: str) -> None:
    """Levels and the number of optimal pairings, by the oracle of tests/support from the files."""
    mine, row = files(name), ROW[name]
    event = validate.Event(mine)
    matches = [
        {
            **r,
            "player2": r["player2"] or None,
            "side1": r["side1"] or None,
            "score1": r["score1"] or None,
            "score2": r["score2"] or None,
        }
        for r in csv.DictReader(mine["matches.csv"].splitlines())
    ]
    players = [
        {
            "player": r["player"],
            "rating": r.get("rating") or None,
            "club": r.get("club") or None,
            "active": r["player"] in event.active
            or _away(mine, r["player"], event.round),
        }
        for r in csv.DictReader(mine["players.csv"].splitlines())
    ]
    model = shipped(row["model"])
    model["criteria"] = list(model["criteria"])
    for apart in event.said.get("conflicts", []):
        if "place" in apart:
            at = apart["place"] - 1
            model["criteria"].insert(
                at, {"kind": "conflicts", "column": apart["column"]}
            )
        else:
            model["constraints"] = {
                **model["constraints"],
                "conflicts": [apart["column"]],
            }
    if event.win is not None:
        model["win"] = event.win
    forbid = [tuple(pair) for pair in event.said.get("forbid", [])]
    oracle = Oracle(matches, players, model, forbid=forbid)
    best = oracle.optima()
    assert len(best) == int(row["optima"] or 0)
    if best:
        vector = oracle.vector(best[0])
        kinds = [r["kind"] for r in oracle.criteria]
        mine_ = {
            f"{kinds[int(place)]}:{label}": v for (place, label), v in vector.items()
        }
        stated = dict(part.split("=") for part in row["optimum"].split("; ") if part)
        assert {k: Fraction(v) for k, v in stated.items()} == mine_


def _away(mine: Files, player: str, number: int) -> bool:
    rounds = csv.DictReader(mine["matches.csv"].splitlines())
    return any(r["player1"] == player and int(r["round"]) == number for r in rounds)


# ---------------------------------------------------------------------- made from seeds


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.long
def test_a_round_is_made_from_its_number(family: str) -> None:
    row = next(row for row in rows("rounds.csv") if row["family"] == family)
    made = FAMILIES[family].draw(int(row["number"]))
    stored = {
        name: text for name, text in files(row["round"]).items() if name != "proof.json"
    }
    assert files_of(made) == stored


@pytest.mark.parametrize("number", [0, 10, 20, 26])
@pytest.mark.slow
def test_large_rounds_are_made_from_their_numbers(number: int) -> None:
    name, made = [*large()][number]
    (row,) = [row for row in rows("large.csv") if row["round"] == name]
    written = files_of(made)
    assert facts(written) == row["facts"]
    result = solve(read(written), made.model)
    assert said(result.level_values) == row["optimum"]


def test_the_large_ones_are_thirty() -> None:
    assert len(rows("large.csv")) == 30
    assert {row["status"] for row in rows("large.csv")} == {"optimal"}
    assert max(int(row["players"]) for row in rows("large.csv")) == 10_000


@pytest.mark.skipif(
    not make_library.REAL.is_dir(), reason="the real files are not here"
)
@pytest.mark.long
def test_real_rounds_have_the_optimum_that_is_known() -> None:
    for row in rows("real.csv")[::7]:
        path = make_library.REAL / row["file"]
        event = read_event(path, path.with_name("players.csv"), round=int(row["round"]))
        result = solve(event, row["model"])
        assert (result.status, said(result.level_values)) == (
            row["status"],
            row["optimum"],
        )
