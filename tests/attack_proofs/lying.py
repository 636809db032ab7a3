"""A lying prover: pairopt's own, on a problem that lies; its files are checked on the true one.

    python tests/attack_proofs/lying.py --files 20000 --seed 0 --state lying.json

Each lie is told three times: as the file is, with the true heading, and with the true claim of the
lying pairing beside the lying witness. Prints counts by lie and verdict with the event, and every
breach. With `--state` it goes on where it stopped.
"""

# ruff: noqa: ARG005 what is called has the arguments of its kind

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

if __name__ == "__main__":
    HERE = Path(__file__).resolve().parent
    sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "support")]

from burstein_round import BursteinRound
from events import event_of
from proofs_codec import File, put_table, table_of, text_of, total, true_by_itself
from proofs_world import (
    MODELS,
    SYSTEMS,
    World,
    door_a,
    door_b,
    event_of_round,
    fault,
    small,
)

import pairopt
from pairopt.errors import PairoptError
from pairopt.event.arcs import BYE, Arcs

HEADING = (
    "round",
    "model",
    "system",
    "seed",
    "options",
    "settings",
    "made_by",
    "rules",
    "event",
)
Lie = Callable[[World, Random], Any]
"""Gives the lying proof, or None."""


# ---------------------------------------------------------------------- rules that lie


def _turned(arcs: Arcs) -> Arcs:
    match = arcs.second != BYE
    return Arcs(
        np.where(match, arcs.second, arcs.first),
        np.where(match, arcs.first, arcs.second),
    )


def _seated(arcs: Arcs, one: int, two: int) -> Arcs:
    def seat(players: Any) -> Any:
        return np.where(players == one, two, np.where(players == two, one, players))

    return Arcs(seat(arcs.first), seat(arcs.second))


Told = Callable[[Any, Callable[[Arcs], Any], Arcs, int], Any]
"""What a rule says: of a state, its true answer for any arcs, the arcs asked for, and a number."""


def _pair(state: Any, arcs: Arcs, k: int) -> Any:
    n = len(state.player)
    one, two = k % n, (k // n) % n
    first, second = arcs.first, arcs.second
    return ((first == one) & (second == two)) | ((first == two) & (second == one))


VALUES: dict[str, Told] = {
    "turned": lambda s, true, arcs, k: true(_turned(arcs)),
    "cheaper way": lambda s, true, arcs, k: np.minimum(true(arcs), true(_turned(arcs))),
    "dearer way": lambda s, true, arcs, k: np.maximum(true(arcs), true(_turned(arcs))),
    "left out": lambda s, true, arcs, k: 0 * true(arcs),
    "doubled": lambda s, true, arcs, k: 2 * true(arcs),
    "halved": lambda s, true, arcs, k: true(arcs) // 2,
    "shifted": lambda s, true, arcs, k: true(arcs) + 1,
    "matches shifted": lambda s, true, arcs, k: (
        true(arcs) + (arcs.second != BYE)[:, None]
    ),
    "swapped": lambda s, true, arcs, k: true(
        _seated(arcs, k % len(s.player), (k // 7) % len(s.player))
    ),
    "a pair zeroed": lambda s, true, arcs, k: np.where(
        _pair(s, arcs, k)[:, None], 0, true(arcs)
    ),
    "a pair dearer": lambda s, true, arcs, k: (
        true(arcs) + 3 * _pair(s, arcs, k)[:, None]
    ),
    "the other way round": lambda s, true, arcs, k: np.maximum(9 - true(arcs), 0),
    "levels reversed": lambda s, true, arcs, k: true(arcs)[:, ::-1],
    "levels rolled": lambda s, true, arcs, k: np.roll(true(arcs), 1, axis=1),
    "noise": lambda s, true, arcs, k: (
        true(arcs) + ((arcs.first * 31 + arcs.second * 17 + k) % 5 == 0)[:, None]
    ),
}
LEGAL: dict[str, Told] = {
    "all may": lambda s, true, arcs, k: true(arcs) | True,
    "turned": lambda s, true, arcs, k: true(_turned(arcs)),
    "either way": lambda s, true, arcs, k: true(arcs) | true(_turned(arcs)),
    "both ways": lambda s, true, arcs, k: true(arcs) & true(_turned(arcs)),
    "a pair may not": lambda s, true, arcs, k: true(arcs) & ~_pair(s, arcs, k),
    "a pair may": lambda s, true, arcs, k: true(arcs) | _pair(s, arcs, k),
    "a player may not": lambda s, true, arcs, k: (
        true(arcs) & ((arcs.first + arcs.second) % 5 != k % 5)
    ),
    "all byes may": lambda s, true, arcs, k: true(arcs) | (arcs.second == BYE),
    "the opposite": lambda s, true, arcs, k: ~true(arcs),
}


def _model(world: World) -> Any:
    return (
        pairopt.load_model(world.model) if isinstance(world.model, str) else world.model
    )


def _rules(world: World, legal: bool) -> list[type]:
    model = _model(world)
    return sorted(
        {type(rule) for rule in (model.constraints if legal else model.criteria)},
        key=lambda rule: rule.__name__,
    )


@contextlib.contextmanager
def lying_rules(rules: list[type], name: str, told: Told, k: int) -> Iterator[None]:
    """The method `name` of these classes lies."""
    with contextlib.ExitStack() as stack:
        for rule in rules:
            true = getattr(rule, name)

            def lie(
                self: Any, state: Any, arcs: Arcs, *more: Any, true: Any = true
            ) -> Any:
                return told(
                    state, lambda these: true(self, state, these, *more), arcs, k
                )

            stack.enter_context(patch.object(rule, name, lie))
        yield


def of_rules(legal: bool, name: str, told: Told) -> Lie:
    """All rules of the model lie, or one."""

    def lie(world: World, rng: Random) -> Any:
        rules = _rules(world, legal)
        if not rules:
            return None
        some = rules if rng.random() < 0.4 else [rng.choice(rules)]
        with lying_rules(
            some, "legal" if legal else "values", told, rng.randrange(1000)
        ):
            return world.solved()

    return lie


def of_numbers(name: str, change: Callable[[Any], Any]) -> Lie:
    """What a criterion says of itself lies: labels, scale, offset, magnitude."""

    def lie(world: World, rng: Random) -> Any:
        rules = _rules(world, False)
        if not rules:
            return None
        rule = rng.choice(rules)
        true = getattr(rule, name)
        with patch.object(rule, name, lambda self, *given: change(true(self, *given))):
            return world.solved()

    return lie


def of_system(name: str, change: Callable[..., Any]) -> Lie:
    """A system's `costs` or `summed` lie."""

    def lie(world: World, rng: Random) -> Any:
        if world.given is None:
            return None
        rule = type(pairopt.solve(world.event, world.model).problem.system)
        true = getattr(rule, name)
        k = rng.randrange(1000)
        with patch.object(
            rule, name, lambda self, arcs: change(lambda a: true(self, a), arcs, k)
        ):
            return world.solved()

    return lie


def _without(true: Any, arcs: Arcs, k: int) -> Any:
    every = list(true(arcs))
    return every[: k % len(every)] + every[k % len(every) + 1 :]


def _twice(true: Any, arcs: Arcs, k: int) -> Any:
    every = list(true(arcs))
    return (
        every[: k % len(every)] + every[k % len(every) :][:1] + every[k % len(every) :]
    )


def _exchanged(true: Any, arcs: Arcs, k: int) -> Any:
    every = list(true(arcs))
    k %= max(len(every) - 1, 1)
    every[k : k + 2] = every[k : k + 2][::-1]
    return every


# ---------------------------------------------------------------------- events that lie


def of_event(change: Callable[[list[Any], list[Any], Random], None]) -> Lie:
    """Other rows or players."""

    def lie(world: World, rng: Random) -> Any:
        if world.rows is None:
            return None
        rows, players = copy.deepcopy((world.rows, world.players))
        change(rows, players, rng)
        return pairopt.solve(
            event_of(rows, players), world.model, **world.options
        ).proof

    return lie


def _played(rows: list[Any], rng: Random) -> Any:
    return rng.choice([row for row in rows if row["player2"] is not None])


def points(rows: list[Any], players: list[Any], rng: Random) -> None:
    _played(rows, rng)["score1"] = rng.choice(["0", "1", "3", "0.5"])


def results_swapped(rows: list[Any], players: list[Any], rng: Random) -> None:
    row = _played(rows, rng)
    row["score1"], row["score2"] = row["score2"], row["score1"]


def opponents_swapped(rows: list[Any], players: list[Any], rng: Random) -> None:
    row = _played(rows, rng)
    same = [r for r in rows if r["round"] == row["round"] and r["player2"] is not None]
    other = rng.choice(same)
    row["player2"], other["player2"] = other["player2"], row["player2"]


def sides_turned(rows: list[Any], players: list[Any], rng: Random) -> None:
    row = _played(rows, rng)
    row["player1"], row["player2"] = row["player2"], row["player1"]


def left_out(rows: list[Any], players: list[Any], rng: Random) -> None:
    rows.remove(_played(rows, rng))


def bye_for_another(rows: list[Any], players: list[Any], rng: Random) -> None:
    row = rng.choice([r for r in rows if r["player2"] is None])
    row["status"] = "requested" if row["status"] != "requested" else "bye"


def forfeited(rows: list[Any], players: list[Any], rng: Random) -> None:
    row = _played(rows, rng)
    row["status"] = "" if row["status"] else "forfeit"


def order(rows: list[Any], players: list[Any], rng: Random) -> None:
    rng.shuffle(players)


def ratings(rows: list[Any], players: list[Any], rng: Random) -> None:
    rng.choice(players)["rating"] = rng.choice(["1000", "2500"])


def brought(rows: list[Any], players: list[Any], rng: Random) -> None:
    rng.choice(players)["score"] = rng.choice(["1", "3", "-1"])


def dropped(rows: list[Any], players: list[Any], rng: Random) -> None:
    player = rng.choice(players)
    player["active"] = not player["active"]


def names_exchanged(rows: list[Any], players: list[Any], rng: Random) -> None:
    one, two = rng.sample(players, 2)
    one["player"], two["player"] = two["player"], one["player"]


EVENTS = (
    points,
    results_swapped,
    opponents_swapped,
    sides_turned,
    left_out,
    bye_for_another,
    forfeited,
    order,
    ratings,
    brought,
    dropped,
    names_exchanged,
)


def of_round(change: Callable[[Any, Random], Any]) -> Lie:
    """Another round of a system, as a TRF."""

    def lie(world: World, rng: Random) -> Any:
        if world.given is None:
            return None
        given = change(world.given, rng)
        return pairopt.solve(event_of_round(given), world.model).proof

    return lie


def _result(given: BursteinRound, rng: Random) -> Any:
    games = [
        (n, r)
        for n, row in given.cells.items()
        for r, cell in enumerate(row)
        if cell.played
    ]
    number, turn = rng.choice(games)
    opponent = given.cells[number][turn].opponent
    cells = {n: list(row) for n, row in given.cells.items()}
    one, two = cells[number][turn], cells[opponent][turn]
    if rng.random() < 0.5:
        cells[number][turn] = replace(one, result=two.result)
        cells[opponent][turn] = replace(two, result=one.result)
    else:
        cells[number][turn] = replace(one, side=two.side)
        cells[opponent][turn] = replace(two, side=one.side)
    return replace(given, cells={n: tuple(row) for n, row in cells.items()})


def _numbers(given: Any, rng: Random) -> Any:
    one, two = rng.sample(sorted(given.cells), 2)
    seat = {one: two, two: one}
    cells = {
        seat.get(n, n): tuple(
            replace(c, opponent=seat.get(c.opponent, c.opponent)) for c in row
        )
        for n, row in given.cells.items()
    }
    return replace(given, cells=cells)


ROUNDS: dict[str, Callable[[Any, Random], Any]] = {
    "a result": _result,
    "numbers exchanged": _numbers,
    "the first side": lambda g, rng: replace(
        g, initial="b" if g.initial == "w" else "w"
    ),
    "the number of rounds": lambda g, rng: replace(
        g, rounds=rng.choice([g.played + 1, 99])
    ),
    "nobody forbidden": lambda g, rng: replace(g, forbidden=frozenset()),
    "a pair forbidden": lambda g, rng: replace(
        g, forbidden=frozenset({frozenset(rng.sample(sorted(g.cells), 2))})
    ),
    "virtual points": lambda g, rng: replace(
        g, virtual=dict.fromkeys(rng.sample(sorted(g.cells), 2), (2,) * (g.played + 1))
    ),
}

# ---------------------------------------------------------------------- options that lie


def of_options(change: Callable[[World, Random], dict[str, Any]]) -> Lie:
    """Other options, or another model (`model`)."""

    def lie(world: World, rng: Random) -> Any:
        other = {**world.options, **change(world, rng)}
        model = other.pop("model", world.model)
        return pairopt.solve(world.event, model, **other).proof

    return lie


def _constraints(world: World) -> Any:
    return _model(world).constraints


def _two(world: World, rng: Random) -> list[tuple[str, str]]:
    one, two = rng.sample(world.active, 2)
    return [(one, two)]


OPTIONS: dict[str, Callable[[World, Random], dict[str, Any]]] = {
    "model": lambda w, rng: {"model": rng.choice([*MODELS, *SYSTEMS])},
    "seed": lambda w, rng: {"seed": rng.randint(1, 99)},
    "round": lambda w, rng: {"round": max(1, w.event.round - rng.randint(1, 2))},
    "last_round": lambda w, rng: {"last_round": not w.options.get("last_round", False)},
    "lookahead": lambda w, rng: {"lookahead": 0 if w.lookahead else rng.randint(1, 2)},
    "objective": lambda w, rng: {"objective": "weighted"},
    "force": lambda w, rng: {"force": _two(w, rng)},
    "forbid": lambda w, rng: {"forbid": _two(w, rng)},
    "allow": lambda w, rng: {"allow": _two(w, rng)},
    "published": lambda w, rng: {"published": _two(w, rng)},
    "bye": lambda w, rng: {"bye": rng.choice(w.active)},
    "no_bye": lambda w, rng: {"no_bye": [rng.choice(w.active)]},
    "allow_bye": lambda w, rng: {"allow_bye": [rng.choice(w.active)]},
    "drop": lambda w, rng: {"drop": rng.sample(w.active, 2)},
    "request_bye": lambda w, rng: {"request_bye": rng.sample(w.active, 1)},
    "relax": lambda w, rng: {
        "relax": [rng.choice([rule.kind for rule in _constraints(w)] or ["no_rematch"])]
    },
    "points": lambda w, rng: {
        "points": rng.choice(["3-1-0", "1-0.5-0", "6-3-0", "2-1-0"])
    },
    "asked for nothing": lambda w, rng: {
        name: {
            "last_round": False,
            "lookahead": None,
            "bye": None,
            "objective": None,
        }.get(name, ())
        for name in w.options
    },
}

LIES: dict[str, Lie] = {
    **{f"values {name}": of_rules(False, name, told) for name, told in VALUES.items()},
    **{f"legal {name}": of_rules(True, name, told) for name, told in LEGAL.items()},
    "labels: one less": of_numbers("labels", lambda labels: list(labels)[:-1]),
    "labels reversed": of_numbers("labels", lambda labels: list(labels)[::-1]),
    "scale doubled": of_numbers("scale", lambda scale: 2 * scale),
    "offset": of_numbers("offset", lambda offset: offset - 1),
    "magnitude": of_numbers("magnitude", lambda size: size + 1),
    "system: costs turned": of_system(
        "costs", lambda true, arcs, k: true(_turned(arcs))
    ),
    "system: costs zero": of_system("costs", lambda true, arcs, k: 0 * true(arcs)),
    "system: costs doubled": of_system("costs", lambda true, arcs, k: 2 * true(arcs)),
    "system: sums without one": of_system("summed", _without),
    "system: sums with one twice": of_system("summed", _twice),
    "system: sums exchanged": of_system("summed", _exchanged),
    "system: sums of two exchanged": of_system(
        "summed", lambda true, arcs, k: true(_seated(arcs, k % 4, (k // 4) % 4))
    ),
    "system: sums of turned": of_system(
        "summed", lambda true, arcs, k: true(_turned(arcs))
    ),
    **{
        f"event {change.__name__.replace('_', ' ')}": of_event(change)
        for change in EVENTS
    },
    **{f"round: {name}": of_round(change) for name, change in ROUNDS.items()},
    **{f"option {name}": of_options(change) for name, change in OPTIONS.items()},
}

OF_MODELS = (
    "values",
    "labels",
    "scale",
    "offset",
    "magnitude",
    "event",
    "option pub",
    "option obj",
    "option look",
)
OF_SYSTEMS = ("system:", "round:")


def lies_for(name: str) -> list[str]:
    """The lies that can be told of a model, or of a system."""
    not_of = OF_MODELS if name in SYSTEMS else OF_SYSTEMS
    return sorted(lie for lie in LIES if not lie.startswith(not_of))


# ---------------------------------------------------------------------- what is made of a lie


def told(true: File | None, lying: File) -> Iterator[tuple[str, File]]:
    """The lying file, with the true heading, and with the true claim of its pairing."""
    yield "as it is", lying
    if true is None:
        return
    if true["claim"]["players"] == lying["claim"]["players"]:
        new = copy.deepcopy(lying)
        for key in HEADING:
            new["claim"][key] = true["claim"][key]
        yield "true heading", new
    own = seated(true["claim"], lying)
    if own is not None:
        yield "true claim", own


def seated(true: File, lying: File) -> File | None:
    """The true claim with the lying pairing, and its witness with the players' numbers kept."""
    claim = copy.deepcopy(true)
    if lying["claim"]["pairing"] is None:
        claim["pairing"], claim["further"] = None, []
        return {**lying, "claim": claim}
    names = [*map(tuple, true["players"]), None]
    theirs = [*map(tuple, lying["claim"]["players"]), None]
    if len(names) != len(theirs) or set(names) != set(theirs):
        return None

    def moved(pairs: Any) -> Any:
        both = [[names.index(theirs[a]), names.index(theirs[b])] for a, b in pairs]
        return sorted(both, key=min)

    claim["pairing"] = moved(lying["claim"]["pairing"])
    claim["further"] = [
        [sorted(pair) for pair in moved(each)] for each in lying["claim"]["further"]
    ]
    table = table_of(claim)
    if claim["system"] is None and all(tuple(arc) in table for arc in claim["pairing"]):
        sums = total(table, claim["pairing"], len(claim["levels"]))
        for level, value in zip(claim["levels"], sums, strict=True):
            level[3] = value + level[4]
        put_table(claim, table)
    return {**lying, "claim": claim}


def lied(world: World, lie: Lie, rng: Random) -> File | None:
    """What the lying prover writes; None where it does not."""
    try:
        proof = lie(world, rng)
    except (
        PairoptError,
        AssertionError,
        ValueError,
        IndexError,
        KeyError,
        TypeError,
        RuntimeError,
        AttributeError,
        NotImplementedError,
        ZeroDivisionError,
        OverflowError,
    ):
        return None
    return None if proof is None else json.loads(proof.text)


def tell(
    seed: int, name: str, lies: list[str]
) -> Iterator[tuple[str, str, str, str, str]]:
    """Each lie of a round: name, how it was told, the verdict, what is wrong with it, text."""
    world = small(seed, name)
    try:
        true_proof = world.solved()
    except PairoptError:
        return  # a model that says nothing of this event
    true = None if true_proof is None else json.loads(true_proof.text)
    for lie in lies:
        lying = lied(world, LIES[lie], Random(f"{seed} {name} {lie}"))
        if lying is None:
            yield lie, "", "not written", "", ""
            continue
        for how, file in told(true, lying):
            text = text_of(file)
            verdict = door_b(world, text)
            wrong = fault(world, text, verdict)
            if verdict not in ("certified", "open", "none", "malformed"):
                wrong = verdict
            if (
                verdict in ("certified", "open")
                and not wrong
                and true_by_itself(file) != verdict
            ):
                wrong = f"{verdict}, but all pairings say {true_by_itself(file)}"
            if (
                not wrong
                and verdict in ("certified", "open")
                and door_a(text) != verdict
            ):
                wrong = "door A differs"
            if verdict == "none" and wrong_pairing(world, file):
                verdict = "none, and worse"
            yield lie, how, verdict, wrong, text.decode()


def wrong_pairing(world: World, file: File) -> bool:
    """Whether the file speaks for a pairing that is not among the best."""
    claim = file["claim"]
    if claim["pairing"] is None:
        return world.exists
    return world.arcs(claim) not in world.best


def sweep(
    files: int,
    seed: int,
    counts: Counter[str],
    on: Callable[[int], None] = lambda at: None,
    keep: Path | None = None,
    most: int = 12,
) -> list[str]:
    """So many files; breaches. `counts` has how many of each lie, telling and verdict."""
    found: list[str] = []
    at = seed
    while counts["files"] < files:
        for name in (*MODELS, *SYSTEMS):
            rng = Random(f"lies {at} {name}")
            for lie, how, verdict, wrong, text in tell(
                at, name, rng.sample(lies_for(name), most)
            ):
                counts[f"{lie} | {how} | {verdict}"] += 1
                counts["files"] += verdict != "not written"
                if wrong:
                    found.append(f"{name} {at} {lie}, {how}: {wrong}")
                    if keep is not None:
                        (keep / f"{name}-{at}-{lie}-{how}.json").write_text(text)
            small.cache_clear()
        at += 1
        on(at)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--keep", type=Path, help="a folder for the files of breaches")
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    seed, breaches = asked.seed, 0
    if asked.state and asked.state.exists():
        held = json.loads(asked.state.read_text())
        seed, counts, breaches = held["seed"], Counter(held["counts"]), held["breaches"]

    def on(at: int) -> None:
        if asked.state:
            asked.state.write_text(
                json.dumps({"seed": at, "counts": counts, "breaches": breaches})
            )

    found = sweep(asked.files, seed, counts, on, asked.keep)
    print("\n".join(found))
    breaches += len(found)
    by_verdict: Counter[str] = Counter()
    for key, times in sorted(counts.items()):
        print(f"{times:7}  {key}")
        by_verdict[key.split(" | ")[-1]] += times
    print(dict(by_verdict))
    print(f"{counts['files']} files, {breaches} breaches")


if __name__ == "__main__":
    main()
