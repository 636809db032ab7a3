"""Forged proofs: prices of other costs, other claims; none passes for a worse pairing.

The forger (`forger.py`) shares no code with the prover; what is best is said by brute force.
"""

from __future__ import annotations

import copy
import json
from itertools import combinations

import pytest
from forger import sweep
from proofs_codec import (
    ordered,
    pairings,
    put_table,
    table_of,
    text_of,
    total,
    vertices,
)
from proofs_duals import witness_of
from proofs_world import MODELS, SYSTEMS, door_a, door_b, small

KNOWN = "the counter leaves room"
"""Goes with the mark of `test_a_counter_that_leaves_room_shows_that_the_pairing_is_worse`."""
SOME = ("standard", "fide-dutch")


def _file(name: str, seed: int) -> dict:
    return json.loads(small(seed, name).solved().text)


@pytest.mark.long
@pytest.mark.parametrize("name", [*MODELS, *SYSTEMS])
def test_files_are_written_as_the_page_says(name: str) -> None:
    for seed in (0, 1):
        proof = small(seed, name).solved()
        if proof is None:
            continue
        file = json.loads(proof.text)
        assert text_of(file).decode() == proof.text
        again = copy.deepcopy(file["claim"])
        put_table(again, table_of(again))
        assert again == file["claim"]


@pytest.mark.long
@pytest.mark.parametrize("name", ["standard", "excalibur", "leaguevine", "top-first"])
def test_other_prices_show_the_same(name: str) -> None:
    """The forger's own prices are right where the claim is true: so it can do what it is for."""
    world, file = small(1, name), _file(name, 1)
    claim = file["claim"]
    witness = witness_of(
        vertices(claim), table_of(claim), claim["pairing"], file["witness"]["shown"]
    )
    assert witness is not None
    file["witness"].update(witness)
    assert (door_a(text_of(file)), door_b(world, text_of(file))) == (
        "certified",
        "certified",
    )


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("files", "seed"),
    [
        pytest.param(100, 0, id="some"),
        pytest.param(250, 7, id="more", marks=pytest.mark.long),
        pytest.param(5000, 100, id="all", marks=pytest.mark.slow),
    ],
)
def test_no_forged_proof_passes(files: int, seed: int) -> None:
    counts, found = sweep(files, seed, only=SOME if files < 200 else None)
    assert [breach for breach in found if KNOWN not in breach] == []
    # most lies are right by themselves: door A has nothing to say against them
    assert (
        sum(n for (_, a, b), n in counts.items() if (a, b) == ("certified", "none"))
        > files / 20
    )


@pytest.mark.sweep
def test_the_forger_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the event not asked, door B as credulous as door A, worse pairings would pass."""
    monkeypatch.setattr("forger.door_b", lambda _, text: door_a(text))
    _, found = sweep(300, 2, only=("excalibur", "monrad", "fide-dutch"))
    assert sum("worse" in breach for breach in found) > 1


@pytest.mark.long
def test_a_worse_pairing_with_every_true_word() -> None:
    """The whole true claim of a worse pairing, the true prices of the best: the sum differs."""
    tried = 0
    for name in ("standard", "double-sided", "top-first"):
        world, file = small(2, name), _file(name, 2)
        claim = file["claim"]
        table, width = table_of(claim), len(claim["levels"])
        best = total(table, claim["pairing"], width)
        for each in pairings(vertices(claim), table):
            sums = total(table, each, width)
            if sums == best or tried % 50 > 20:
                continue
            new = copy.deepcopy(file)
            new["claim"]["pairing"] = ordered(each)
            for level, value in zip(new["claim"]["levels"], sums, strict=True):
                level[3] = value + level[4]
            text = text_of(new)
            assert (door_a(text), door_b(world, text)) == ("none", "none")
            tried += 1
            if tried % 20 == 0:
                break
    assert tried


@pytest.mark.long
def test_sets_that_show_nothing() -> None:
    """Even sets, and the set of nobody, that would raise any bound."""
    world, file = small(0, "standard"), _file("standard", 0)
    n, width = vertices(file["claim"]), file["witness"]["shown"]
    for who in [[], [*range(n)], *map(list, combinations(range(n), 2))]:
        runs = (
            [0, n]
            if len(who) == n
            else [who[0], 1, who[1] - who[0] - 1, 1]
            if who
            else []
        )
        new = copy.deepcopy(file)
        new["witness"]["sets"] = [[[2] + [0] * (width - 1), runs]]
        assert door_a(text_of(new)) in ("none", "malformed")
        assert door_b(world, text_of(new)) in ("none", "malformed")


@pytest.mark.parametrize("ahead", [0, -1])
def test_further_rounds_are_as_many_as_the_settings_say(ahead: int) -> None:
    """Rule 1 of docs/proof.md, of a file without any lookahead."""
    world = small(0, "double-sided")
    file = _file("double-sided", 0)
    claim = file["claim"]
    claim["settings"]["lookahead"] = ahead
    made = {frozenset(pair) for pair in claim["pairing"]}
    free = [
        pair
        for pair in combinations(range(vertices(claim)), 2)
        if frozenset(pair) not in made
    ]
    claim["further"] = (
        [ordered(next(pairings(vertices(claim), free)))] if ahead == 0 else []
    )
    assert door_a(text_of(file)) in ("none", "malformed")
    assert door_b(world, text_of(file)) in ("none", "malformed")


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "seed"),
    [("gatherling", 100), pytest.param("aesops", 101, marks=pytest.mark.slow)],
)
def test_a_counter_that_leaves_room_shows_that_the_pairing_is_worse(
    name: str, seed: int
) -> None:
    """Open levels: no pairing of those with room may be the counter, as it would be better."""
    world, file = small(seed, name), _file(name, seed)
    claim = file["claim"]
    names = [player[0] for player in claim["players"]] + [None]
    seat = {who: k for k, who in enumerate(names)}
    table, width = table_of(claim), len(claim["levels"])

    def seated(pairing: frozenset) -> list:
        arcs = [(seat[a], seat[b]) for a, b in pairing]
        return ordered([arc if arc in table else arc[::-1] for arc in arcs])

    best = min((seated(each) for each in world.best), key=str)
    accepted = []
    for each in sorted(map(seated, world.legal), key=str):
        mine, theirs = total(table, each, width), total(table, best, width)
        if mine[0] <= theirs[0]:
            continue
        new = copy.deepcopy(file)
        new["claim"]["pairing"] = each
        for level, value in zip(new["claim"]["levels"], mine, strict=True):
            level[3] = value + level[4]
        used = {frozenset(pair) for pair in each}
        met = [
            frozenset((seat[a], seat[b]))
            for a, b in combinations(names, 2)
            if world.oracle is not None and world.oracle.times_before(a, b)
        ]
        free = [
            pair
            for pair in combinations(range(vertices(claim)), 2)
            if frozenset(pair) not in used and frozenset(pair) not in met
        ]
        new["claim"]["further"] = further(vertices(claim), free, world.lookahead)
        n = vertices(claim)
        every = [[k] for k in range(n)]
        for components in (
            None,
            [],
            every[:1],
            every,
            every[:-1],
            [[*range(n)]],
            [[0, 1, 2]],
        ):
            new["witness"] = {
                "shown": 0,
                "prices": [],
                "sets": [],
                "counter": best,
                "components": components,
            }
            verdict = door_b(world, text_of(new))
            by_word = components is None and world.lookahead > 1  # and it says so
            accepted += [verdict] * (verdict in ("open", "certified") and not by_word)
        if accepted:
            break
    assert accepted == []


def further(n: int, free: list, rounds: int) -> list:
    """So many rounds of these pairs."""
    if not rounds:
        return []
    for each in pairings(n, free):
        left = [pair for pair in free if pair not in each]
        rest = further(n, left, rounds - 1)
        if len(rest) == rounds - 1:
            return [ordered(each), *rest]
    return []
