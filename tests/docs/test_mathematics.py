"""The worked example of docs/mathematics.md: its numbers are those of brute force and of pairopt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path

import pages
import pytest

PAGE = pages.page("mathematics")
EXAMPLE = PAGE.split("## A worked example")[1].split("\n## ")[0]
PLAYERS = ("Ann", "Bob", "Cem", "Dag", "Eva", "Fay")
CLUBS = ("Leeds", "Leeds", "Leeds", "York", "York", "Hull")
WINNERS = frozenset({"Ann", "Bob", "Cem"})
Vector = tuple[Fraction, ...]


def vector(cell: str) -> Vector:
    """Return the numbers of a cell such as "(0, 1, ½)"."""
    entries = (
        cell.strip()
        .strip("()")
        .replace("\N{MINUS SIGN}", "-")
        .replace("½", "1/2")
        .split(", ")
    )
    return tuple(map(Fraction, entries))


def table(head: str) -> list[list[str]]:
    """Return the cells of the example's table whose first heading is `head`."""
    (rows,) = re.findall(
        rf"^\| {head} \|.*\n\|---.*\n((?:\|.*\n)+)", EXAMPLE, flags=re.MULTILINE
    )
    return [line.strip("| ").split(" | ") for line in rows.splitlines()]


def add(vectors: Sequence[Vector]) -> Vector:
    return tuple(map(sum, zip(*vectors, strict=True)))  # type: ignore[arg-type]


def cost(one: str, other: str) -> Vector:
    """Return what a match of two players costs, from the facts of the example."""
    first, second = sorted((PLAYERS.index(one), PLAYERS.index(other)))
    is_rematch = second == first + 3
    crosses_groups = (one in WINNERS) != (other in WINNERS)
    shares_club = CLUBS[first] == CLUBS[second]
    return tuple(map(Fraction, (is_rematch, crosses_groups, shares_club)))


def pairings(players: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    if not players:
        yield []
    for partner in players[1:]:
        rest = [each for each in players[1:] if each != partner]
        for pairing in pairings(rest):
            yield [(players[0], partner), *pairing]


def value(pairing: Sequence[tuple[str, str]]) -> Vector:
    return add([cost(*pair) for pair in pairing])


@pytest.fixture(scope="module")
def duals() -> dict[frozenset[str], Vector]:
    """The duals of the page, by single players and by the odd set."""
    duals = {}
    for names, cell in table("vertex or set"):
        if "{" in names:
            members = names.split("{")[1].rstrip("}").split(", ")
            duals[frozenset(members)] = vector(cell)
        else:
            duals |= {frozenset({name}): vector(cell) for name in names.split(", ")}
    return duals


def reduced_cost(
    duals: dict[frozenset[str], Vector], one: str, other: str
) -> tuple[Fraction, ...]:
    paid = [dual for members, dual in duals.items() if len(members & {one, other}) == 1]
    return tuple(c - d for c, d in zip(cost(one, other), add(paid), strict=True))


@pytest.mark.parametrize("path", pages.PAGES, ids=lambda path: path.stem)
def test_every_formula_becomes_mathml(path: Path) -> None:
    mathml = pytest.importorskip("mathml", reason="docutils is not installed")
    found = mathml.formulas(pages.text(path))
    for formula, as_block in found:
        assert "<math" in mathml.to_mathml(formula, as_block=as_block)
    assert path.stem != "mathematics" or len(found) > 80


def test_the_largest_total_is_that_of_the_exported_programs() -> None:
    (bits,) = re.findall(r"with 295 players needs\s+([\d,]+)\s+bits", PAGE)
    (row,) = re.findall(r"^\| 295 \| `fide-dutch` .*", pages.page("solvers"), re.M)
    assert row.split(" | ")[4] == bits


def test_costs_and_reduced_costs(duals: dict[frozenset[str], Vector]) -> None:
    listed = {}
    for pairs, costs, reduced in table("pairs"):
        for pair in pairs.split(", "):
            one, other = pair.split("\N{EN DASH}")
            assert vector(costs) == cost(one, other), pair
            assert vector(reduced) == reduced_cost(duals, one, other), pair
            listed[frozenset((one, other))] = vector(reduced)
    assert len(listed) == 15
    assert min(listed.values()) == (0, 0, 0)


def test_values_of_all_pairings() -> None:
    counts = Counter(value(pairing) for pairing in pairings(PLAYERS))
    assert {vector(cell): int(count) for cell, count in table("value")} == counts
    assert min(counts) == (0, 1, 1)
    assert "The best cost is (0, 1, 1)" in EXAMPLE
    (shown,) = re.findall(r"One optimal pairing is (.*?)\.", " ".join(EXAMPLE.split()))
    pairs = [tuple(pair.split("\N{EN DASH}")) for pair in shown.split(", ")]
    assert value(pairs) == (0, 1, 1)  # type: ignore[arg-type]


def test_the_duals_prove_the_optimum(duals: dict[frozenset[str], Vector]) -> None:
    assert add([*duals.values()]) == (0, 1, 1)
    assert all(dual >= (0, 0, 0) for members, dual in duals.items() if len(members) > 1)
    tight = {
        pair
        for pair in combinations(PLAYERS, 2)
        if reduced_cost(duals, *pair) == (0, 0, 0)
    }
    optimal = [p for p in pairings(PLAYERS) if value(p) == (0, 1, 1)]
    by_corollary = [
        p
        for p in pairings(PLAYERS)
        if tight.issuperset(p) and sum(len(WINNERS & {*pair}) == 1 for pair in p) == 1
    ]
    assert optimal == by_corollary
    assert not {("Ann", "Fay"), ("Bob", "Fay")} & {pair for p in optimal for pair in p}


def test_the_fractional_optimum() -> None:
    """An assignment on the double cover is twice a fractional matching."""
    assignments = (
        [(a, b) for a, b in zip(PLAYERS, order, strict=True)]
        for order in permutations(PLAYERS)
        if all(a != b for a, b in zip(PLAYERS, order, strict=True))
    )
    least = min(map(value, assignments))
    assert tuple(entry / 2 for entry in least) == (0, 0, 2)
    assert "This fractional matching costs (0, 0, 2)," in " ".join(EXAMPLE.split())


def test_pairopt_finds_this_certificate(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    duals: dict[frozenset[str], Vector],
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = pages.blocks(EXAMPLE, "python")
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102 - the page's own code
    result = names["result"]
    assert list(result.objective_values) == [0, 1, 1]  # type: ignore[attr-defined]
    content = result.proof.content  # type: ignore[attr-defined]
    players = [name for _, name in content["claim"]["players"]]
    found = {}
    for key in ("prices", "sets"):
        for dual, runs in content["witness"][key]:
            members = _members(players, runs)
            halves = tuple(Fraction(entry, 2) for entry in dual)
            if key == "sets":
                found[frozenset(members)] = halves
            else:
                found |= {frozenset({name}): halves for name in members}
    assert found == duals


def _members(players: Sequence[str], runs: Sequence[int]) -> list[str]:
    """Return the players of a set that the file writes as lengths of runs."""
    members, position = [], 0
    for index, length in enumerate(runs):
        if index % 2:
            members += players[position : position + length]
        position += length
    return members
