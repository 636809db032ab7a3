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
from pairopt.show.cli import main

Content = dict[str, Any]
Fault = Callable[[Content, Random], bool]
"""Corrupts what a file holds; False where it has nothing of the kind."""
VERIFY = ROOT / "pairopt" / "proof" / "verify.py"
FAULTS: dict[str, Fault] = {}
ONLY_BY_EVENT = {"a digest", "a cost", "a name", "the round", "the model", "a level", "an arc",
                 "a match too many", "a kind too many", "a special pair left out"}  # fmt: skip
"""What a verifier that does not know the event need not see."""


def fault(name: str) -> Callable[[Fault], Fault]:
    def listed(made: Fault) -> Fault:
        FAULTS[name] = made
        return made

    return listed


def changed(text: str, rng: Random) -> str:
    return str(Fraction(text) + rng.choice([-1, 1]) * rng.choice([1, Fraction(1, 2), 1000]))


@fault("a price")
def _(at: Content, rng: Random) -> bool:
    price = rng.choice(at.get("prices") or [[]])
    if price:
        k = rng.randrange(len(price))
        price[k] = changed(price[k], rng)
    return bool(price)


@fault("the price of a set")
def _(at: Content, rng: Random) -> bool:
    price = rng.choice(at.get("set_prices") or [[]])
    if price:
        k = rng.randrange(len(price))
        price[k] = changed(price[k], rng)
    return bool(price)


@fault("a set of negative price")
def _(at: Content, rng: Random) -> bool:
    chosen = rng.randrange(len(at.get("sets") or [0]))
    if not at.get("sets"):
        return False
    at["set_prices"][chosen] = [str(-Fraction(text)) for text in at["set_prices"][chosen]]
    return True


@fault("an even set")
def _(at: Content, rng: Random) -> bool:
    odd = [t for t, members in enumerate(at["types"]) if len(members) % 2]
    if not at.get("sets"):
        return False
    chosen, t = rng.choice(at["sets"]), rng.choice(odd)
    chosen.remove(t) if t in chosen else chosen.append(t)
    return True


@fault("a set left out")
def _(at: Content, rng: Random) -> bool:
    if not at.get("sets"):
        return False
    chosen = rng.randrange(len(at["sets"]))
    del at["sets"][chosen], at["set_prices"][chosen]
    return True


@fault("a value")
def _(at: Content, rng: Random) -> bool:
    if not at["levels"]:
        return False
    k = rng.randrange(len(at["levels"]))
    off = rng.choice([-1, 1])
    at["levels"][k]["value"] += off
    at["totals"][k] += off
    return True


@fault("a level")
def _(at: Content, rng: Random) -> bool:
    if not at["levels"]:
        return False
    level = rng.choice(at["levels"])
    key = rng.choice(["criterion", "level", "words", "value"])
    level[key] = level["value"] - 1 if key == "value" else "x"
    return True


@fault("an arc")
def _(at: Content, rng: Random) -> bool:
    row = rng.choice(at["arcs"])
    k = rng.randrange(len(row))
    row[k] = rng.choice([kind for kind in range(-1, len(at["kinds"])) if kind != row[k]] or [7])
    return True


@fault("a special pair left out")
def _(at: Content, rng: Random) -> bool:
    if at["special"]:
        at["special"].pop(rng.randrange(len(at["special"])))
        return True
    return False


@fault("a match too many")
def _(at: Content, rng: Random) -> bool:
    one, two = (
        sorted(rng.sample(range(len(at["players"])), 2)) if len(at["players"]) > 1 else (0, 0)
    )
    listed = [pair[:2] for pair in at["special"]]
    if not at["kinds"] or one == two or [one, two] in listed:
        return False
    at["special"].append([one, two, rng.choice([-1, len(at["kinds"])])])
    return True


@fault("a cost")
def _(at: Content, rng: Random) -> bool:
    kind = rng.choice(at["kinds"] or [[]])
    if kind:
        kind[rng.randrange(len(kind))] += 1
    return bool(kind)


@fault("a kind too many")
def _(at: Content, rng: Random) -> bool:
    if at["kinds"]:
        at["kinds"].append([99] * len(at["kinds"][0]))
    return bool(at["kinds"]) and bool(at["levels"])


@fault("a class left out")
def _(at: Content, rng: Random) -> bool:
    at["arcs"].pop(rng.randrange(len(at["arcs"])))
    return True


@fault("a type left out")
def _(at: Content, rng: Random) -> bool:
    at["types"].pop(rng.randrange(len(at["types"])))
    return True


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
    at[rng.choice(["format", "version"])] = rng.choice([None, 2, "1", [], True, {}])
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
        at["components"] = [part for part in at["components"]
                            if sum(len(at["types"][t]) for t in part) % 2 == 0]  # fmt: skip
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
                           (9, 4, "leaguevine"), (13, 3, "aesops")):  # fmt: skip
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
    assert sum(bool(content.get("sets")) for content in contents) >= 3


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
    "infinity": lambda: json.dumps({**good(), "totals": [float("inf")]}),
    "a float": lambda: json.dumps({**good(), "version": 1.0}),
    "an exponent": lambda: '{"format": "pairopt-proof", "version": 1e999999999}',
    "a huge number": lambda: '{"format": "pairopt-proof", "version": ' + "9" * 5000 + "}",
    "a huge price": lambda: json.dumps({**good(), "prices": [["9" * 5000]]}),
    "a price with a trap": lambda: json.dumps(
        {**good(), "prices": [["1e999999999"] * len(row) for row in good()["prices"]]}
    ),
    "a price over nothing": lambda: json.dumps(
        {**good(), "prices": [["1/0"] * len(row) for row in good()["prices"]]}
    ),
    "small fractions": lambda: json.dumps(
        {
            **good(),
            "prices": [
                [f"1/{10**9 + 2 * k + 1}" for k, _ in enumerate(row)] for row in good()["prices"]
            ],
        }
    ),
    "numbers as prices": lambda: json.dumps({**good(), "prices": [[1]]}),
    "no prices": lambda: json.dumps({k: v for k, v in good().items() if k != "prices"}),
    "no players": lambda: json.dumps({**good(), "players": []}),
    "players of numbers": lambda: json.dumps({**good(), "players": [[1, 2]]}),
    "a player missing": lambda: json.dumps({**good(), "players": good()["players"][1:]}),
    "a negative player": lambda: json.dumps({**good(), "types": [[-1]]}),
    "a true player": lambda: json.dumps({**good(), "types": [[True]]}),
    "types of types": lambda: json.dumps({**good(), "types": [[[0]]]}),
    "a kind that is none": lambda: json.dumps({**good(), "arcs": [[10**9]]}),
    "kinds of two widths": lambda: json.dumps({**good(), "kinds": [[1], [1, 2]]}),
    "special pairs of three": lambda: json.dumps({**good(), "special": [[0, 1, 2, 3]]}),
    "very many sets": lambda: json.dumps(
        {**good(), "sets": [[0]] * 10**4, "set_prices": [["0"] * len(good()["levels"])] * 10**4}
    ),
    "levels of nothing": lambda: json.dumps({**good(), "levels": [None]}),
    "no levels": lambda: json.dumps({**good(), "levels": 3}),
    "a name that steers": lambda: json.dumps({**good(), "format": "\x1b[31m"}),
    "a lone surrogate": lambda: '{"format": "\\ud800"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_a_line(name: str, tmp_path: Path) -> None:
    file = tmp_path / "hostile.json"
    file.write_text(HOSTILE[name](), "utf-8")
    event = ["--players", str(SAMPLE / "players.csv"), str(SAMPLE / "matches.csv")]
    done = CliRunner().invoke(main, ["check", *event, "--proof", str(file)])
    assert done.exit_code in ((1, 3) if name in ("no levels", "levels of nothing") else (3,))
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
