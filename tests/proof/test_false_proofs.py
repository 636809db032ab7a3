"""Changed and hostile files: the event's door takes none that says anything else, nor the other."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import simulation
from click.testing import CliRunner
from places import ROOT, SAMPLE
from sampled import one_in

from pairopt import Event, InputError, check_proof, read_event, solve
from pairopt.cli import main
from pairopt.proof.file import format_proof
from pairopt.proof.verify import InvalidProof, read, verify

Content = dict[str, Any]
VERIFY = ROOT / "pairopt" / "proof" / "verify.py"


@cache
def proofs() -> tuple[tuple[Event, str, dict[str, Any], str], ...]:
    """Events, models and options, with the text of each proof: of every kind."""
    made = []
    for n, seed, model, options in (
        (7, 1, "excalibur", {}),
        (10, 2, "standard", {"forbid": [("p0", "p1")]}),
        (12, 5, "monrad", {}),
        (9, 4, "leaguevine", {}),
        (8, 3, "double-sided", {}),
        (6, 8, "excalibur", {"lookahead": 2}),
        (9, 6, "fide-dutch", {}),
    ):
        for event, _ in simulation.rounds(
            n, 4, seed, "double-sided", draws=0.2, drops=0.0
        ):
            proof = solve(event, model, **options).proof
            if proof is not None:
                made.append((event, model, options, proof.text))
    for seed in (0, 3, 6, 11, 12, 22):
        for event, result in simulation.rounds(
            6 + seed % 5, 9, seed, "fide-basic", draws=0.3
        ):
            if result.status == "infeasible":
                assert result.proof is not None
                made.append(
                    (event, "fide-basic", {"seed": result.seed}, result.proof.text)
                )
                break
    return tuple(made)


def accepted(event: Event, proof: Any, model: str, **options: Any) -> bool:
    try:
        return check_proof(event, proof, model, **options).holds
    except InputError as error:
        assert str(error).count("\n") == 0  # noqa: PT017
        return False


def alone(content: Content) -> bool:
    try:
        verify(content)
    except (InvalidProof, ValueError):
        return False
    return True


@pytest.mark.long
def test_the_proofs_are_good_and_of_every_kind() -> None:
    contents = []
    for event, model, options, text in proofs():
        assert check_proof(event, text.encode(), model, **options).holds
        contents.append(read(text))
        assert alone(contents[-1])
        assert format_proof(contents[-1]) == text
    witnesses = [content["witness"] for content in contents]
    assert sum("components" in witness for witness in witnesses) >= 2
    assert sum(bool(witness.get("sets")) for witness in witnesses) >= 2
    assert sum("counter" in witness for witness in witnesses) >= 1
    assert sum(len(witness.get("steps", ())) > 3 for witness in witnesses) >= 3


# ---------------------------------------------------------------------- each field


def leaves(
    at: Any, path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place of a content, and what is there; lists and objects too."""
    yield path, at
    if isinstance(at, dict | list):
        for key, each in at.items() if isinstance(at, dict) else enumerate(at):
            yield from leaves(each, (*path, key))


def others(value: Any) -> Iterator[Any]:
    """Other values than this one, of its kind and of none."""
    yield from (each for each in (None, [], {}, "", "x", 0, -1, True) if each != value)
    if type(value) is int:
        yield from (value + 1, value - 1, -value - 1, 2 * value + 3, 10**30)
    if isinstance(value, str) and value:
        yield from (value + "x", value[1:], value.swapcase() + " ")
    if isinstance(value, list) and value:
        yield from (value[1:], value[:-1], value[::-1], [*value, value[-1]])
    if isinstance(value, dict):
        yield {**value, "more": 0}
        yield dict([*value.items()][1:])


def changed(content: Content, path: tuple[Any, ...], value: Any) -> Content:
    made = copy.deepcopy(content)
    at: Any = made
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return made


SWEEPS = [
    pytest.param(21, marks=pytest.mark.long),
    pytest.param(1, marks=pytest.mark.slow),
]


@pytest.mark.sweep
@pytest.mark.parametrize("one_of", SWEEPS)
def test_any_other_value_in_a_claim_is_refused(one_of: int) -> None:
    tally = Counter[str]()
    rng = Random(1)
    for event, model, options, text in proofs()[::one_of]:
        content = read(text)
        places = [(path, value) for path, value in leaves(content["claim"]) if path]
        short = [each for each in places if len(each[0]) < 3]
        for path, value in [*short, *rng.sample(places, min(60, len(places)))]:
            for other in others(value):
                if repr(other) == repr(value):
                    continue
                bad = changed(content, ("claim", *path), other)
                if path[0] in ("pairing", "further") and alone(bad):
                    continue  # as good, by the levels that the claim states
                assert not accepted(event, bad, model, **options), (path, other)
                tally["alone" if alone(bad) else "none"] += 1
    print(dict(tally))
    assert tally["none"] > 20_000 // one_of
    assert (
        tally["alone"] > 350 // one_of
    )  # headings, and costs of one's own, are for the event to tell


@pytest.mark.sweep
def test_any_other_byte_of_a_claim_is_refused() -> None:
    """Blanks and line breaks, too: what is compared are bytes."""
    rng = Random(2)
    for event, model, options, text in proofs()[::9]:
        raw = text.encode()
        end = raw.index(b',\n"witness":')
        breaks = [k for k in range(end) if raw[k : k + 1] == b"\n"]
        for k in [*breaks, *rng.sample(range(end), 40)]:
            for new in (b"", b" ", b"\n", b"\r\n", b"0", b"x"):
                if new == raw[k : k + 1]:
                    continue
                if k < raw.index(b'"claim"') and b"program" in raw[k - 40 : k]:
                    continue  # which version wrote it is no claim
                bad = raw[:k] + new + raw[k + 1 :]
                assert not accepted(event, bad, model, **options), (k, new)


@pytest.mark.parametrize("one_of", SWEEPS)
def test_another_witness_proves_the_same_or_nothing(one_of: int) -> None:
    tally = Counter[str]()
    rng = Random(3)
    for event, model, options, text in proofs()[::one_of]:
        content = read(text)
        places = [(path, value) for path, value in leaves(content["witness"]) if path]
        for path, value in rng.sample(places, min(40, len(places))):
            for other in others(value):
                bad = changed(content, ("witness", *path), other)
                door, free = accepted(event, bad, model, **options), alone(bad)
                assert free or not door
                tally[f"{door} {free}"] += 1
    print(dict(tally))
    assert tally["False False"] > 3500 // one_of


@pytest.mark.long
def test_a_match_turned_round_or_exchanged_is_refused() -> None:
    refused = Counter[bool]()
    for event, model, options, text in proofs():
        content = read(text)
        pairing = content["claim"]["pairing"]
        for k in range(len(pairing or ())):
            turned = [*pairing[:k], pairing[k][::-1], *pairing[k + 1 :]]
            bad = changed(content, ("claim", "pairing"), turned)
            found = accepted(event, bad, model, **options)
            same = alone(bad)  # where both ways round cost the same
            assert same or not found
            refused[found] += 1
    assert refused[False] > 50


# ---------------------------------------------------------------------- hostile files


def good() -> Content:
    content: Content = read(proofs()[1][3])
    return content


def claimed(**more: Any) -> str:
    content = good()
    return json.dumps({**content, "claim": {**content["claim"], **more}})


def witnessed(**more: Any) -> str:
    content = good()
    return json.dumps({**content, "witness": {**content["witness"], **more}})


HOSTILE: dict[str, Callable[[], str]] = {
    "nothing": lambda: "",
    "no JSON": lambda: "round,table,player1",
    "another JSON": lambda: '{"players": []}',
    "a list": lambda: "[]",
    "a number": lambda: "1",
    "deep": lambda: "[" * 100_000,
    "deep in a key": lambda: '{"format": "pairopt-proof", "claim": ' + "[" * 100_000,
    "a key twice": lambda: '{"format": "pairopt-proof", "format": "pairopt-proof"}',
    "NaN": lambda: json.dumps({**good(), "version": float("nan")}),
    "infinity": lambda: claimed(seed=float("inf")),
    "a float": lambda: json.dumps({**good(), "version": 3.0}),
    "an exponent": lambda: '{"format": "pairopt-proof", "version": 1e999999999}',
    "a huge number": lambda: (
        '{"format": "pairopt-proof", "version": ' + "9" * 5000 + "}"
    ),
    "a huge price": lambda: witnessed(prices=[[[int("9" * 201)], [0, 1]]]),
    "no prices": lambda: witnessed(prices=None),
    "no players": lambda: claimed(players=[]),
    "players of numbers": lambda: claimed(players=[[1, 2]]),
    "a player missing": lambda: claimed(players=good()["claim"]["players"][1:]),
    "60,000 players": lambda: claimed(players=[[str(k), "x"] for k in range(60_000)]),
    "a negative player": lambda: claimed(pairing=[[-1, 0]]),
    "a true player": lambda: claimed(pairing=[[True, 0]]),
    "a kind that is none": lambda: claimed(rows=[[10**9]]),
    "a kind repeated for ever": lambda: claimed(rows=[[2, -(10**12)]]),
    "a set that never ends": lambda: witnessed(sets=[[[0], [0, 10**12]]]),
    "very many sets": lambda: witnessed(sets=[[[0], [0, 1]]] * 10**4),
    "more keys": lambda: json.dumps({**good(), "more": 0}),
    "more keys in the claim": lambda: claimed(more=0),
    "more keys in the witness": lambda: witnessed(more=0),
    "options of nothing": lambda: claimed(options=None),
    "settings of nothing": lambda: claimed(settings=None),
    "a name that steers": lambda: json.dumps({**good(), "program": "\x1b[31m"}),
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
@pytest.mark.parametrize("name", HOSTILE)
def test_the_verifier_for_everybody_refuses_them_too(name: str, tmp_path: Path) -> None:
    file = tmp_path / "hostile.json"
    file.write_text(HOSTILE[name](), "utf-8")
    command = [sys.executable, "-I", str(VERIFY), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "")
    assert len(done.stdout.splitlines()) == 1
    assert done.stdout.isascii()


@pytest.mark.long
def test_a_file_that_is_not_there_is_no_proof(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.json", tmp_path):
        command = [sys.executable, "-I", str(VERIFY), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (3, "")


SIZE, MEMORY = 10_000_000, 300_000_000
FILLED: dict[str, Callable[[str, str], str]] = {
    "lists": lambda *_: "[" + ",".join(["[]"] * (SIZE // 3)) + "]",
    "lists of a number": lambda *_: "[" + ",".join(["[0]"] * (SIZE // 4)) + "]",
    "objects": lambda *_: "[" + ",".join(["{}"] * (SIZE // 3)) + "]",
    "numbers": lambda *_: "[" + ",".join(["777"] * (SIZE // 4)) + "]",
    "texts": lambda *_: "[" + ",".join(['"ab"'] * (SIZE // 5)) + "]",
    "a text": lambda *_: '"' + "x" * SIZE + '"',
    "digits": lambda *_: "9" * SIZE,
    "lists as a pairing": lambda head, _: (
        head + ",".join(["[0,1]"] * (SIZE // 6)) + "]"
    ),
    "lists as a witness": lambda _, text: (
        text + ",".join(["[]"] * (SIZE // 3)) + "]}}\n"
    ),
    "lists of a number as a witness": lambda _, text: (
        text + ",".join(["[0]"] * (SIZE // 4)) + "]}}\n"
    ),
    "numbers as a witness": lambda _, text: (
        text + ",".join(["777"] * (SIZE // 4)) + "]}}\n"
    ),
    "prices of nobody": lambda _, text: (
        text + ",".join(["[[0],[]]"] * (SIZE // 9)) + "]}}\n"
    ),
    "steps": lambda _, text: (
        text[: text.rindex('"prices"')]
        + '"steps":['
        + ",".join(["{}"] * (SIZE // 3))
        + "]}}\n"
    ),
}


USED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_maxrss)
sys.exit(code)
"""
"""What a process of its own has used, not what its parent had before it."""


@pytest.mark.sweep
@pytest.mark.parametrize("name", one_in(4, FILLED))
def test_10_megabytes_are_refused_in_300_megabytes(name: str, tmp_path: Path) -> None:
    event = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
    file = tmp_path / "proof.json"
    assert (
        CliRunner().invoke(main, ["solve", *event, "--proof", str(file)]).exit_code == 0
    )
    text = file.read_text("utf-8")
    head = text[: text.index('"pairing":[') + len('"pairing":[')]
    file.write_text(
        FILLED[name](head, text[: text.rindex('"prices":[') + len('"prices":[')])
    )
    commands = (
        [sys.executable, "-m", "pairopt", "check", *event, "--proof", str(file)],
        [sys.executable, "-I", str(VERIFY), str(file)],
    )
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-c", USED, *command], capture_output=True, text=True
        )
        assert done.returncode in (1, 3), done.stderr
        memory = int(done.stdout.splitlines()[-1])
        assert memory * 1024 < MEMORY, memory


def test_reading_needs_a_whole_event() -> None:
    with pytest.raises(InputError):
        check_proof(read_event(SAMPLE / "matches.csv"), {"format": "pairopt-proof"})
