"""Any other value in any place of a true file; matches turned; players in another order."""

from __future__ import annotations

import copy
import json
from random import Random

import pytest
from events import event_of
from proof_fields import all_changes
from proofs_codec import (
    members,
    ordered,
    put_table,
    runs_of,
    table_of,
    text_of,
    true_by_itself,
    vertices,
)
from proofs_world import MODELS, SYSTEMS, World, door_a, door_b, fault, small

import pairopt

ACCEPTED = ("certified", "open")
FREE = ("program:", "witness", "claim.further: ", "claim.pairing")
"""Who wrote it, why it is so, the order of further rounds; pairings are judged by brute force."""
LOOKAHEAD = (
    "claim.settings.lookahead: one less",
    "claim.settings.lookahead: minus",
    "claim.further: one more",
)
"""See `test_further_rounds_are_as_many_as_the_settings_say`."""


def _world(name: str, seed: int) -> tuple[World, dict]:
    world = small(seed, name)
    return world, json.loads(world.solved().text)


def walked(name: str, seed: int, share: float) -> int:
    """Both doors on such a share of all changes; how many there were."""
    world, file = _world(name, seed)
    rng = Random(seed)
    done = 0
    for what, new in all_changes(file):
        if (
            not isinstance(new, dict)
            or rng.random() > share
            or what.startswith(LOOKAHEAD)
        ):
            continue
        text = text_of(new)
        a, b = door_a(text), door_b(world, text)
        done += 1
        assert {a, b} <= {*ACCEPTED, "none", "malformed"}, what
        if b in ACCEPTED:
            assert what.startswith(FREE), what
            assert fault(world, text, b) == "", what
        if a in ACCEPTED:
            assert true_by_itself(json.loads(text)) == a, what
    return done


@pytest.mark.long
@pytest.mark.parametrize(("name", "share"), [("standard", 0.02), ("fide-dutch", 0.002)])
def test_some_other_values(name: str, share: float) -> None:
    assert walked(name, 0, share) > 10


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "share"),
    [("standard", 0.15), ("double-sided", 0.08), ("fide-dutch", 0.008)],
)
def test_many_other_values(name: str, share: float) -> None:
    assert walked(name, 0, share) > 60


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MODELS, *SYSTEMS])
@pytest.mark.parametrize("seed", range(3))
def test_all_other_values(name: str, seed: int) -> None:
    if small(seed, name).solved() is not None:
        assert walked(name, seed, 1) > 500


@pytest.mark.long
@pytest.mark.parametrize("name", [*MODELS, *SYSTEMS])
def test_each_match_turned(name: str) -> None:
    """A match that is turned is another pairing: refused, or as good by brute force."""
    for seed in range(2):
        world, file = _world_or_none(name, seed)
        if file is None or not world.sided or file["claim"]["pairing"] is None:
            continue
        table = table_of(file["claim"])
        for k, pair in enumerate(file["claim"]["pairing"]):
            new = copy.deepcopy(file)
            new["claim"]["pairing"][k] = pair[::-1]
            text = text_of(new)
            a, b = door_a(text), door_b(world, text)
            assert fault(world, text, b) == ""
            same = table.get(tuple(pair)) == table.get(tuple(pair[::-1]))
            assert (b in ACCEPTED) == (same and file["claim"]["system"] is None)
            if not same:
                assert a not in ACCEPTED


def _world_or_none(name: str, seed: int) -> tuple[World, dict | None]:
    world = small(seed, name)
    try:
        proof = world.solved()
    except pairopt.UsageError:
        return world, None
    return world, None if proof is None else json.loads(proof.text)


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["standard", "excalibur", "double-sided", "aesops", "leaguevine"]
)
def test_players_in_another_order(name: str) -> None:
    """The event's players permuted: a proof made anew holds. The file's: it is another file."""
    for seed in range(3):
        world, file = _world_or_none(name, seed)
        if file is None or file["claim"]["pairing"] is None or world.rows is None:
            continue
        rng = Random(seed)
        players = rng.sample(world.players, len(world.players))
        event = event_of(world.rows, players)
        proof = pairopt.solve(event, world.model, **world.options).proof
        assert proof is not None
        other = World(
            name, event, world.model, world.options, world.sided, world.active
        )
        verdict = door_b(other, proof.text.encode())
        assert verdict == door_b(world, text_of(file)) == door_a(proof.text.encode())
        moved = permuted(file, rng)
        assert door_a(text_of(moved)) == verdict
        if moved != file:
            assert door_b(world, text_of(moved)) == "none"


def permuted(file: dict, rng: Random) -> dict:
    """The same proof with its players in another order, rightly made."""
    new = copy.deepcopy(file)
    claim, witness = new["claim"], new["witness"]
    count, n = len(claim["players"]), vertices(claim)
    seat = [*rng.sample(range(count), count), *range(count, n)]
    claim["players"] = [claim["players"][seat.index(k)] for k in range(count)]
    put_table(claim, {(seat[a], seat[b]): c for (a, b), c in table_of(claim).items()})
    claim["pairing"] = ordered([(seat[a], seat[b]) for a, b in claim["pairing"]])
    claim["further"] = [
        sorted(sorted((seat[a], seat[b])) for a, b in each) for each in claim["further"]
    ]
    for part in ("prices", "sets"):
        for each in witness[part]:
            each[1] = runs_of([seat[p] for p in members(each[1])])
    if "counter" in witness:
        witness["counter"] = ordered(
            [(seat[a], seat[b]) for a, b in witness["counter"]]
        )
    return new
