"""Rounds of 10 to 60 players against their neighbours: none is legal and better.

All pairings are too many there. What is tried: every exchange of two matches, changes of three to
five, climbs from the answer disturbed and from any legal pairing; now and then the least sum by
networkx. What is better the oracles say (`support/neighbours.py`).
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from burstein_round import burstein
from dutch_random import covered
from dutch_round import Round, of_trf
from events import MODELS as FILES
from events import Case, model_of, pairing_of, shipped, vector_of
from larger_fields import LARGEST, WEIGHTED, drawn, system_after, system_round, tight
from neighbours import (
    Ahead,
    Brackets,
    Pairs,
    Priced,
    Sums,
    Yardstick,
    any_legal,
    climb,
    disturbed,
    first_better,
    in_order,
    least,
    matching,
)
from oracle import Oracle, Pairing
from places import REAL

from pairopt import InputError, read_event, solve

MODELS = tuple(
    path.stem
    for path in sorted(FILES.glob("*.toml"))
    if "engine" not in shipped(path.stem)
)
"""The shipped models that are proven and add up over matches."""
SYSTEMS = ("fide-dutch", "fide-burstein")
SAMPLED = 150
"""Changes of three to five matches."""
STEPS, FIDE_STEPS = 1000, 400
"""Steps of a climb: where costs add up, and in the systems."""
IN_A_ROW = 3
"""So many rounds of an event, one after the other."""
WHOLE, CPSAT = 15, 6
"""Of so many rounds one is matched by networkx too, and one is paired by CP-SAT alone."""
FEW = 40
"""The most players for CP-SAT alone: some larger fields take it a quarter of a minute."""
TRIALS = 3000
"""So many steps of a search for further rounds."""
Tally = Counter[str]


def nothing_better(
    yardstick: Yardstick, pairs: Pairs, chance: Random, tally: Tally, steps: int
) -> None:
    """Neither a neighbour nor what a climb finds is better than the pairs."""
    tried, found = first_better(yardstick, pairs, chance, SAMPLED)
    tally["rounds"] += 1
    tally[f"of {yardstick.seats // 10}x seats"] += 1
    tally["neighbours"] += tried
    assert found is None, f"better: {found} than {pairs}"
    starts = [disturbed(yardstick, pairs, chance, chance.randint(2, 6))]
    anywhere = any_legal(yardstick, chance, 10 * steps)
    starts += [] if anywhere is None else [anywhere]
    for start in starts:
        top = climb(yardstick, start, chance, steps)
        ours, theirs = (
            [p for p in pairs if p not in top],
            [p for p in top if p not in pairs],
        )
        better = ours and yardstick.standing(pairs).better(ours, theirs)
        assert not better, f"better: {top} than {pairs}"
        tally["climbs"] += 1
        tally["to the top"] += not (
            ours and yardstick.standing(top).better(theirs, ours)
        )


# ---------------------------------------------------------------------- models that add up


def compared(
    case: Case, chance: Random, tally: Tally, lookahead: int = 0
) -> Pairing | None:
    """The round as it is solved, after all comparisons; None where it has no pairing."""
    options = case.options | ({"lookahead": lookahead} if lookahead else {})
    plain = not lookahead and case.model.get("objective") != "weighted"
    if plain and chance.randrange(CPSAT) == 0 and len(case.players) <= FEW:
        options["engine"] = "cpsat"
    result = solve(case.event(), model_of(case.model), seed=case.seed, **options)
    oracle = Priced(case.rows, case.players, case.model, **case.options)
    ahead = Ahead(oracle, lookahead, TRIALS) if lookahead else None
    sums = Sums(oracle, ahead)
    if result.status == "infeasible":
        some = matching(sums.seats, sums.allowed)
        assert some is None or ahead is not None
        others = [any_legal(sums, chance, STEPS) for _ in range(5 if some else 0)]
        assert not any(ahead(pairs) for pairs in (some, *others) if pairs and ahead)
        tally["infeasible"] += 1
        return None
    assert result.status == "optimal"
    pairing = pairing_of(result)
    assert oracle.legal(pairing)
    assert vector_of(result.level_values) == oracle.vector(pairing)
    pairs = placed(oracle, pairing)
    assert oracle.total(pairing) == sums.total(pairs), (
        "a match the other way round is better"
    )
    nothing_better(sums, pairs, chance, tally, STEPS)
    tally.update(covered_of(case, options))
    if ahead is not None:
        kept = ahead(pairs)
        assert kept or (kept is None and lookahead > 1)
        tally[f"further rounds: {kept}"] += 1
        tally["lookahead binds"] += binds(case, sums, pairs)
    elif chance.randrange(WHOLE) == 0:
        assert sums.total(pairs) == least(sums)
        tally["whole"] += 1
    return pairing


def covered_of(case: Case, options: dict[str, Any]) -> set[str]:
    """What a round has of options and unplayed matches."""
    status = {row["status"] for row in case.rows}
    kinds = {row["kind"] for row in case.model["criteria"]} | {
        *case.model.get("constraints", {})
    }
    clubs = {"clubs"} if "conflicts" in kinds else set()
    return {f"with {name}" for name in {*options} | clubs} | {
        f"after {s}" for s in status if s
    }


def binds(case: Case, sums: Sums, pairs: Pairs) -> bool:
    """Whether the lookahead costs anything: then no rounds may follow on what is best without."""
    result = solve(case.event(), model_of(case.model), seed=case.seed, **case.options)
    without = placed(sums.oracle, pairing_of(result))
    assert sums.total(without) <= sums.total(pairs)
    ours, others = (
        [p for p in pairs if p not in without],
        [p for p in without if p not in pairs],
    )
    assert not sums.standing(pairs).better(ours, others), (
        f"better: {without} than {pairs}"
    )
    return sums.total(without) < sums.total(pairs)


def placed(oracle: Oracle, pairing: Pairing) -> Pairs:
    place: dict[str | None, int] = {
        name: k for k, name in enumerate([*oracle.active, None])
    }
    return sorted(in_order(place[one], place[two]) for one, two in pairing)


def sweep(
    model: str, rounds: int, weighted: bool = False, largest: int = LARGEST
) -> Tally:
    """So many rounds of events under a model."""
    tally, number = Tally(), 0
    while tally["rounds"] < rounds:
        now, chance = (
            drawn(number, model, weighted, largest),
            Random(f"{model} {number}"),
        )
        for _ in range(min(IN_A_ROW, rounds - tally["rounds"])):
            try:
                pairing = compared(now.case, chance, tally)
            except AssertionError as error:
                raise AssertionError(f"{model}, number {number}: {error}") from error
            except InputError as error:  # by the model, all have advanced or are out
                assert error.kind == "round.nobody"  # noqa: PT017
                break
            if pairing is None:
                break
            now = now.after(pairing, chance)
        number += 1
    return tally


# ---------------------------------------------------------------------- FIDE's systems


def paired(given: Round, path: Path, model: str) -> list[tuple[int, int]] | None:
    """White and Black of each pair, the bye as (player, 0); None where there is no pairing."""
    path.write_text(given.trf(), encoding="utf-8")
    result = solve(read_event(path), model)
    assert result.status in ("optimal", "infeasible")
    if result.arcs is None:
        return None
    names = [*map(int, result.problem.state.names), 0]
    both = zip(result.arcs.first.tolist(), result.arcs.second.tolist(), strict=True)
    return [(names[one], names[two]) for one, two in both]


def compared_system(
    given: Round, path: Path, model: str, chance: Random, tally: Tally
) -> list[tuple[int, int]] | None:
    """The same of a system."""
    found, brackets = paired(given, path, model), Brackets(given)
    if found is None:
        assert matching(brackets.seats, brackets.allowed) is None
        tally["infeasible"] += 1
        return None
    pairs = sorted(
        in_order(*(brackets.rank[number] for number in pair)) for pair in found
    )
    assert sorted({seat for pair in pairs for seat in pair}) == list(
        range(brackets.seats)
    )
    assert all(brackets.allowed(*pair) for pair in pairs)
    assert all(given.white(*pair) == pair[0] for pair in found if pair[1])
    nothing_better(brackets, pairs, chance, tally, FIDE_STEPS)
    tally.update(f"with {name}" for name in covered(given))
    tally["seeding"] += model == "fide-burstein" and not brackets.burstein
    return found


def sweep_system(model: str, rounds: int, path: Path, first: int = 0) -> Tally:
    """So many rounds of a system."""
    tally, number = Tally(), first
    while tally["rounds"] < rounds:
        now, chance = system_round(number, model), Random(f"{model} {number}")
        for _ in range(min(IN_A_ROW, rounds - tally["rounds"])):
            try:
                found = compared_system(now, path, model, chance, tally)
            except AssertionError as error:
                raise AssertionError(f"{model}, number {number}: {error}") from error
            if found is None or now.last:
                break
            now = system_after(now, found, chance)
        number += 1
    return tally


def sweep_ahead(rounds: int, first: int = 0) -> Tally:
    """So many rounds with a lookahead."""
    tally, number = Tally(), first
    while tally["rounds"] < rounds:
        case, lookahead = tight(number)
        try:
            compared(case, Random(f"ahead {number}"), tally, lookahead)
        except AssertionError as error:
            raise AssertionError(f"lookahead, number {number}: {error}") from error
        number += 1
    return tally


# ---------------------------------------------------------------------- a few, and many


@pytest.mark.sweep
@pytest.mark.parametrize("model", MODELS)
def test_a_few_rounds(model: str) -> None:
    assert sweep(model, 3, largest=36)["neighbours"] > 400


@pytest.mark.long
def test_a_few_weighted_rounds() -> None:
    assert sum(sweep(model, 1, True, 36)["rounds"] for model in WEIGHTED) == len(
        WEIGHTED
    )


@pytest.mark.long
@pytest.mark.parametrize("model", SYSTEMS)
def test_a_few_rounds_of_the_systems(model: str, tmp_path: Path) -> None:
    assert sweep_system(model, 5, tmp_path / "round.trf")["neighbours"] > 1000


@pytest.mark.slow
@pytest.mark.long
def test_a_few_rounds_with_a_lookahead() -> None:
    assert sweep_ahead(8)["lookahead binds"]


SWEEP = [
    *((model, 470, 0) for model in MODELS),
    *((f"{model} weighted", 150, 0) for model in WEIGHTED),
    *((model, 220, part) for model in SYSTEMS for part in range(6)),
    *(("lookahead", 90, part) for part in range(4)),
]
"""What, how many rounds, and the part of them: 10,010 rounds in all."""
PART = 10_000
"""So many numbers lie between the parts."""


@pytest.mark.slow
@pytest.mark.parametrize(("what", "rounds", "part"), SWEEP)
def test_many_rounds(what: str, rounds: int, part: int, tmp_path: Path) -> None:
    model, _, weighted = what.partition(" ")
    if model == "lookahead":
        tally = sweep_ahead(rounds, PART * part)
        assert tally["lookahead binds"] > rounds // 10
    elif model in SYSTEMS:
        tally = sweep_system(model, rounds, tmp_path / "round.trf", PART * part)
    else:
        tally = sweep(model, rounds, bool(weighted))
        assert tally["whole"] > rounds // 50
    print(f"{what} {part}: {dict(sorted(tally.items()))}")
    assert tally["climbs"] > rounds
    assert model == "lookahead" or all(tally[f"of {k}x seats"] for k in range(1, 6))


# ---------------------------------------------------------------------- real events


real = pytest.mark.skipif(not REAL.is_dir(), reason="the real files are not here")


def real_rounds(
    name: str,
) -> Iterator[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """The rounds of a real event: what was played before, and who was there."""
    folder = REAL / "csv" / name
    with (folder / "matches.csv").open(encoding="utf-8") as file:
        rows = [
            {key: value or None for key, value in row.items()}
            for row in csv.DictReader(file)
        ]
    with (folder / "players.csv").open(encoding="utf-8") as file:
        players = [dict(row) for row in csv.DictReader(file)]
    for turn in range(2, 1 + max(int(str(row["round"])) for row in rows)):
        now = [row for row in rows if int(str(row["round"])) == turn]
        there = {row[key] for row in now for key in ("player1", "player2")}
        listed = [{**p, "active": p["player"] in there} for p in players]
        yield [row for row in rows if int(str(row["round"])) < turn], listed


@real
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["2020_worlds1a", "afroeuros", "blm", "open169", "open176"]
)
def test_real_rounds(name: str) -> None:
    chance, tally = Random(name), Tally()
    for number, (rows, players) in enumerate(real_rounds(name)):
        for model in chance.sample(MODELS, 4):
            compared(Case(rows, players, shipped(model), {}, number), chance, tally)
    print(f"{name}: {dict(sorted(tally.items()))}")
    assert tally["rounds"] > 8


def compared_texts(texts: list[str], path: Path, model: str) -> Tally:
    chance, tally = Random(model), Tally()
    for text in texts:
        given = of_trf(text)
        given = burstein(given) if model == "fide-burstein" else given
        compared_system(given, path, model, chance, tally)
    print(f"{model}: {dict(sorted(tally.items()))}")
    return tally


def random_events() -> list[str]:
    """The rounds before those that bbpPairings has paired."""
    lines = (REAL / "dutch" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["trf"] for line in lines]


@real
@pytest.mark.sweep
@pytest.mark.parametrize("model", SYSTEMS)
def test_some_rounds_that_another_program_has_drawn(model: str, tmp_path: Path) -> None:
    assert (
        compared_texts(random_events()[:12], tmp_path / "round.trf", model)["rounds"]
        > 10
    )


@real
@pytest.mark.slow
@pytest.mark.parametrize("model", SYSTEMS)
def test_published_rounds_of_the_systems(model: str, tmp_path: Path) -> None:
    files = sorted((REAL / "dutch" / "published").glob("*.trf"))
    texts = random_events() + [file.read_text(encoding="utf-8") for file in files]
    assert compared_texts(texts, tmp_path / "round.trf", model)["rounds"] > 100
