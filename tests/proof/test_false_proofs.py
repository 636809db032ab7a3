"""Corrupted and hostile proofs: neither verifier takes any of them."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import simulation
from click.testing import CliRunner
from places import ROOT, SAMPLE

from pairopt import Event, InputError, check_proof, read_event, solve
from pairopt.proof.verify import Wrong, read, verify
from pairopt.proof.verify import step_of as verify_step
from pairopt.show.cli import main

Content = dict[str, Any]
Fault = Callable[[Content, Random], bool]
"""Corrupts what a file holds; False where it has nothing of the kind."""
VERIFY = ROOT / "pairopt" / "proof" / "verify.py"
FAULTS: dict[str, Fault] = {}
ONLY_BY_EVENT = {"a digest", "a cost", "a name", "the round", "the model", "a level", "an arc",
                 "a match too many", "a special pair left out", "a way round", "an offset",
                 "an open level", "two steps exchanged", "a step left out"}  # fmt: skip
"""What a verifier that does not know the event need not see."""


def fault(name: str) -> Callable[[Fault], Fault]:
    def listed(made: Fault) -> Fault:
        FAULTS[name] = made
        return made

    return listed


def changed(text: str, rng: Random) -> str:
    return str(Fraction(text) + rng.choice([-1, 1]) * rng.choice([1, Fraction(1, 2), 1000]))


def step_of(at: Content, rng: Random) -> Content:
    step: Content = rng.choice(at["steps"])
    return step


@fault("a price")
def _(at: Content, rng: Random) -> bool:
    price = rng.choice(step_of(at, rng).get("prices") or [[]])
    if price:
        k = rng.randrange(len(price))
        price[k] = changed(price[k], rng)
    return bool(price)


@fault("the price of a set")
def _(at: Content, rng: Random) -> bool:
    price = rng.choice(step_of(at, rng).get("set_prices") or [[]])
    if price:
        k = rng.randrange(len(price))
        price[k] = changed(price[k], rng)
    return bool(price)


@fault("a set of negative price")
def _(at: Content, rng: Random) -> bool:
    step = step_of(at, rng)
    if not step.get("sets"):
        return False
    chosen = rng.randrange(len(step["sets"]))
    step["set_prices"][chosen] = [str(-Fraction(text)) for text in step["set_prices"][chosen]]
    return True


@fault("an even set")
def _(at: Content, rng: Random) -> bool:
    step = step_of(at, rng)
    odd = [t for t, members in enumerate(step["types"]) if len(members) % 2]
    if not step.get("sets") or not odd:
        return False
    chosen, t = rng.choice(step["sets"]), rng.choice(odd)
    chosen.remove(t) if t in chosen else chosen.append(t)
    return True


@fault("a set left out")
def _(at: Content, rng: Random) -> bool:
    step = step_of(at, rng)
    if not step.get("sets"):
        return False
    chosen = rng.randrange(len(step["sets"]))
    del step["sets"][chosen], step["set_prices"][chosen]
    return True


@fault("a value")
def _(at: Content, rng: Random) -> bool:
    levels = step_of(at, rng)["levels"]
    if levels:
        rng.choice(levels)["value"] += rng.choice([-1, 1])
    return bool(levels)


@fault("an offset")
def _(at: Content, rng: Random) -> bool:
    levels = step_of(at, rng)["levels"]
    if levels:
        level, off = rng.choice(levels), rng.choice([-1, 1])
        level["value"] += off
        level["offset"] += off
    return bool(levels)


@fault("a level")
def _(at: Content, rng: Random) -> bool:
    step = step_of(at, rng)
    if not step["levels"]:
        return False
    k = rng.randrange(len(step["levels"]))
    level, key = step["levels"][k], rng.choice(["criterion", "level", "words", "scale"])
    counts = any(way[k] for kind in step["kinds"] for way in kind if way)
    if key == "scale" and not (counts or level["offset"]):
        return False  # nothing is on that scale
    level[key] = 7 * level[key] if key == "scale" else "x"
    return True


@fault("an open level")
def _(at: Content, rng: Random) -> bool:
    if "components" not in at:
        at["open"].append({"value": 0, "offset": 0, "scale": 1})
    return "components" not in at


@fault("a step left out")
def _(at: Content, rng: Random) -> bool:
    at["steps"].pop(rng.randrange(len(at["steps"])))
    return True


@fault("two steps exchanged")
def _(at: Content, rng: Random) -> bool:
    steps = at["steps"]
    if len(steps) < 3:
        return False
    k = rng.randrange(len(steps) - 1)
    steps[k], steps[k + 1] = steps[k + 1], steps[k]
    return steps[k]["levels"] != steps[k + 1]["levels"]


@fault("a match turned round")
def _(at: Content, rng: Random) -> bool:
    sided = any(len(kind) > 1 for step in at["steps"] for kind in step["kinds"])
    if not at.get("pairing") or not sided:
        return False
    last = at["steps"][-1]
    turned = [k for k, (i, j) in enumerate(at["pairing"]) if differs(at, last, i, j)]
    if turned:
        at["pairing"][rng.choice(turned)].reverse()
    return bool(turned)


def differs(at: Content, step: Content, i: int, j: int) -> bool:
    """Whether it matters in a step which of two has the first side."""
    count = len(at["players"])
    read_step = verify_step(step, count + count % 2)
    try:
        return read_step.cost(i, j) != read_step.cost(j, i)
    except Wrong:
        return True


@fault("a way round")
def _(at: Content, rng: Random) -> bool:
    kind = rng.choice(step_of(at, rng)["kinds"] or [[0]])
    if None in kind:
        kind[kind.index(None)] = [*kind[1 - kind.index(None)]]
    elif len(kind) == 2:
        kind[rng.randrange(2)] = None
    return len(kind) == 2


@fault("an arc")
def _(at: Content, rng: Random) -> bool:
    data, count = at["steps"][0], len(at["players"])
    step = verify_step(data, count + count % 2)
    met = [(a, b) for a, one in enumerate(step.types) for b, two in enumerate(step.types) if b >= a
           and any(i != j and (i, j) not in step.special for i in one for j in two)]  # fmt: skip
    if not met:
        return False
    a, b = rng.choice(met)
    row, k = data["arcs"][a], b - a
    row[k] = rng.choice([kind for kind in range(-1, len(data["kinds"])) if kind != row[k]] or [7])
    return True


@fault("a special pair left out")
def _(at: Content, rng: Random) -> bool:
    step = at["steps"][0]
    if step["special"]:
        step["special"].pop(rng.randrange(len(step["special"])))
        return True
    return False


@fault("a match too many")
def _(at: Content, rng: Random) -> bool:
    step = step_of(at, rng)
    if len(at["players"]) < 2:
        return False
    one, two = sorted(rng.sample(range(len(at["players"])), 2))
    listed = [sorted(pair[:2]) for pair in step["special"]]
    if not step["kinds"] or [one, two] in listed:
        return False
    step["special"].append([one, two, len(step["kinds"])])
    return True


@fault("a cost")
def _(at: Content, rng: Random) -> bool:
    ways = [way for kind in step_of(at, rng)["kinds"] for way in kind if way]
    if ways:
        way = rng.choice(ways)
        way[rng.randrange(len(way))] += 1
    return bool(ways)


@fault("a kind too many")
def _(at: Content, rng: Random) -> bool:
    step = step_of(at, rng)
    step["kinds"].append([[99] * len(step["levels"])])
    return True


@fault("a class left out")
def _(at: Content, rng: Random) -> bool:
    arcs = step_of(at, rng)["arcs"]
    arcs.pop(rng.randrange(len(arcs)))
    return True


@fault("a type left out")
def _(at: Content, rng: Random) -> bool:
    types = step_of(at, rng)["types"]
    if types:
        types.pop(rng.randrange(len(types)))
    return bool(types)


@fault("a further round")
def _(at: Content, rng: Random) -> bool:
    if "components" not in at:
        at["further"].append(at["pairing"])
    return "components" not in at


@fault("a digest")
def _(at: Content, rng: Random) -> bool:
    key = rng.choice(["event", "rules"])
    k = rng.randrange(64)
    at[key] = at[key][:k] + ("0" if at[key][k] != "0" else "1") + at[key][k + 1 :]
    return True


@fault("the round")
def _(at: Content, rng: Random) -> bool:
    at["round"] += 1
    return True


@fault("the model")
def _(at: Content, rng: Random) -> bool:
    at["model"] += "?"
    return True


@fault("the format")
def _(at: Content, rng: Random) -> bool:
    at[rng.choice(["format", "version"])] = rng.choice([None, 1, "2", [], True, {}])
    return True


@fault("a player twice")
def _(at: Content, rng: Random) -> bool:
    one, two = rng.choice(at["players"]), rng.choice(at["players"])
    if one == two:
        return False
    two[:] = one
    return True


@fault("a name")
def _(at: Content, rng: Random) -> bool:
    rng.choice(at["players"])[rng.randrange(2)] += "?"
    return True


@fault("a player paired twice")
def _(at: Content, rng: Random) -> bool:
    if len(at.get("pairing", ())) < 2:
        return False
    one, two = rng.sample(at["pairing"], 2)
    one[0] = two[0]
    return True


@fault("a match left out")
def _(at: Content, rng: Random) -> bool:
    if not at.get("pairing"):
        return False
    at["pairing"].pop(rng.randrange(len(at["pairing"])))
    return True


@fault("components left out")
def _(at: Content, rng: Random) -> bool:
    if "components" in at:
        count = len(at["players"])
        step = verify_step(at["steps"][0], count + count % 2)
        sizes = [len(members) for members in step.types]
        at["components"] = [part for part in at["components"]
                            if sum(sizes[t] for t in part) % 2 == 0]  # fmt: skip
    return "components" in at


@fault("all components in one")
def _(at: Content, rng: Random) -> bool:
    if "components" in at:
        at["components"] = [[t for part in at["components"] for t in part]]
    return "components" in at


@fault("a component twice")
def _(at: Content, rng: Random) -> bool:
    if "components" in at:
        at["components"].append(rng.choice(at["components"]))
    return "components" in at


@cache
def proofs() -> tuple[tuple[Event, str, str], ...]:
    """Events and models, with the text of each proof: some with sets, some of no pairing."""
    made = []
    for n, seed, model in ((7, 1, "excalibur"), (10, 2, "standard"), (12, 5, "monrad"),
                           (9, 4, "leaguevine"), (13, 3, "aesops"),
                           (9, 6, "fide-dutch")):  # fmt: skip
        for event, _ in simulation.rounds(n, 4, seed, "double-sided", draws=0.2):
            proof = solve(event, model).proof
            assert proof is not None
            made.append((event, model, proof.text))
    for seed in (0, 3, 6, 11, 12, 22):
        for event, result in simulation.rounds(6 + seed % 5, 9, seed, "fide-basic", draws=0.3):
            if result.status == "infeasible":
                assert result.proof is not None
                made.append((event, "fide-basic", result.proof.text))
                break
    return tuple(made)


def corrupted(times: int, seed: int) -> Iterator[tuple[Event, str, str, Content]]:
    """Proofs with a fault each, every fault as often as any other."""
    rng, names = Random(seed), list(FAULTS)
    given = [(event, model, read(text)) for event, model, text in proofs()]
    for k in range(times):
        while True:
            event, model, content = rng.choice(given)
            bad = copy.deepcopy(content)
            if FAULTS[names[k % len(names)]](bad, rng):
                break
        yield event, model, names[k % len(names)], bad


def refuted(times: int, seed: int) -> Counter[str]:
    """How many of corrupted proofs were refused, by their faults; all of them, or this fails."""
    tally = Counter[str]()
    for event, model, name, bad in corrupted(times, seed):
        try:
            assert not check_proof(event, bad, model).holds, name
        except InputError as error:
            assert str(error).count("\n") == 0  # noqa: PT017
        try:
            verify(bad)
        except (Wrong, ValueError):
            tally[name] += 1
        else:
            assert name in ONLY_BY_EVENT
            tally["only by the event"] += 1
    print(dict(tally))
    return tally


@pytest.mark.long
def test_the_proofs_are_good_and_of_every_kind() -> None:
    contents = [read(text) for _, _, text in proofs()]
    for event, model, text in proofs():
        assert check_proof(event, read(text), model).holds
    assert sum("components" in content for content in contents) >= 2
    steps = [step for content in contents for step in content["steps"]]
    assert sum(bool(step.get("sets")) for step in steps) >= 3
    assert sum(len(content["steps"]) > 1 for content in contents) >= 4


@pytest.mark.long
def test_no_corrupted_proof_passes() -> None:
    refuted(4 * len(FAULTS), 1)


@pytest.mark.slow
def test_none_of_1000_corrupted_proofs_passes() -> None:
    assert sum(refuted(1000 + len(FAULTS), 2).values()) >= 1000


# ---------------------------------------------------------------------- hostile files


def good() -> Content:
    content: Content = read(proofs()[1][2])
    return content


def stepped(**more: Any) -> Content:
    """The same with its first step otherwise."""
    content = good()
    return {**content, "steps": [{**content["steps"][0], **more}]}


HOSTILE: dict[str, Callable[[], str]] = {
    "nothing": lambda: "",
    "no JSON": lambda: "round,table,player1",
    "another JSON": lambda: '{"players": []}',
    "a list": lambda: "[]",
    "a number": lambda: "1",
    "deep": lambda: "[" * 100_000,
    "deep in a key": lambda: '{"format": "pairopt-proof", "players": ' + "[" * 100_000,
    "a key twice": lambda: '{"format": "pairopt-proof", "format": "pairopt-proof"}',
    "NaN": lambda: json.dumps({**good(), "version": float("nan")}),
    "infinity": lambda: json.dumps({**good(), "seed": float("inf")}),
    "a float": lambda: json.dumps({**good(), "version": 1.0}),
    "an exponent": lambda: '{"format": "pairopt-proof", "version": 1e999999999}',
    "a huge number": lambda: '{"format": "pairopt-proof", "version": ' + "9" * 5000 + "}",
    "a huge price": lambda: json.dumps(stepped(prices=[["9" * 5000]])),
    "a price with a trap": lambda: json.dumps(
        stepped(prices=[["1e999999999"] * len(row) for row in good()["steps"][0]["prices"]])
    ),
    "a price over nothing": lambda: json.dumps(
        stepped(prices=[["1/0"] * len(row) for row in good()["steps"][0]["prices"]])
    ),
    "small fractions": lambda: json.dumps(
        stepped(
            prices=[
                [f"1/{10**9 + 2 * k + 1}" for k, _ in enumerate(row)]
                for row in good()["steps"][0]["prices"]
            ]
        )
    ),
    "numbers as prices": lambda: json.dumps(stepped(prices=[[1]])),
    "no prices": lambda: json.dumps(stepped(prices=None)),
    "no players": lambda: json.dumps({**good(), "players": []}),
    "players of numbers": lambda: json.dumps({**good(), "players": [[1, 2]]}),
    "a player missing": lambda: json.dumps({**good(), "players": good()["players"][1:]}),
    "a negative player": lambda: json.dumps(stepped(types=[[-1]])),
    "a true player": lambda: json.dumps(stepped(types=[[True]])),
    "types of types": lambda: json.dumps(stepped(types=[[[0]]])),
    "a kind that is none": lambda: json.dumps(stepped(arcs=[[10**9]])),
    "kinds of two widths": lambda: json.dumps(stepped(kinds=[[[1]], [[1, 2]]])),
    "special pairs of three": lambda: json.dumps(stepped(special=[[0, 1, 2, 3]])),
    "very many sets": lambda: json.dumps(
        stepped(sets=[[0]] * 10**4, set_prices=[["0"] * len(good()["steps"][0]["levels"])] * 10**4)
    ),
    "levels of nothing": lambda: json.dumps(stepped(levels=[None])),
    "no levels": lambda: json.dumps(stepped(levels=3)),
    "a name that steers": lambda: json.dumps({**good(), "format": "\x1b[31m"}),
    "a lone surrogate": lambda: '{"format": "\\ud800"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_a_line(name: str, tmp_path: Path) -> None:
    file = tmp_path / "hostile.json"
    file.write_text(HOSTILE[name](), "utf-8")
    event = ["--players", str(SAMPLE / "players.csv"), str(SAMPLE / "matches.csv")]
    done = CliRunner().invoke(main, ["check", *event, "--proof", str(file)])
    assert done.exit_code == 3
    assert "\x1b" not in done.output
    assert "Internal error" not in done.output


@pytest.mark.long
@pytest.mark.parametrize("name", ["deep", "a huge number", "a lone surrogate", "a name that steers",
                                  "very many sets", "nothing"])  # fmt: skip
def test_the_verifier_for_everybody_refuses_them_too(name: str, tmp_path: Path) -> None:
    file = tmp_path / "hostile.json"
    file.write_text(HOSTILE[name](), "utf-8")
    for path in (file, tmp_path / "missing.json", tmp_path):
        command = [sys.executable, "-I", str(VERIFY), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (3, "")
        assert len(done.stdout.splitlines()) == 1
        assert done.stdout.isascii()


def test_reading_needs_a_whole_event() -> None:
    with pytest.raises(InputError):
        check_proof(read_event(SAMPLE / "matches.csv"), {"format": "pairopt-proof"})
