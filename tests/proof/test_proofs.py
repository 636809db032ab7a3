"""Proofs: written, verified from the file alone, and compared with the event."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import simulation
from burstein_round import burstein
from click.testing import CliRunner
from dutch_random import random_round
from events import (
    REPEATABLE,
    Case,
    cases,
    constraints,
    events,
    model_of,
    models,
    vector_of,
)
from hypothesis import given, settings
from places import ROOT, SAMPLE
from test_verify_by_hand import OTHERWISE

from pairopt import (
    Event,
    InputError,
    Result,
    UsageError,
    check_proof,
    read_event,
    solve,
)
from pairopt.cli import main
from pairopt.event.event import FORFEIT
from pairopt.event.score_checks import infer_points
from pairopt.folder import new, pair, result
from pairopt.problem.model import parse_model
from pairopt.proof import proving
from pairopt.proof import verify as verifier
from pairopt.proof.file import format_proof
from pairopt.proof.verify import InvalidProof, read, verify, verify_file
from pairopt.round.explain import find_reasons

EVENT = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
VERIFY = ROOT / "pairopt" / "proof" / "verify.py"


def values_in(content: Any) -> list[Fraction]:
    """The levels of a claim in points or matches."""
    return [
        Fraction(value, scale) for *_, value, _, scale in content["claim"]["levels"]
    ]


def accepted(event: Event, content: Any, model: Any, **options: Any) -> bool:
    try:
        return check_proof(event, content, model, **options).holds
    except InputError:
        return False


def run(*arguments: str | Path) -> tuple[int, str]:
    """Exit code and what is said of a command."""
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    return done.exit_code, done.output


def alone(file: Path) -> subprocess.CompletedProcess[str]:
    """The verifier for everybody, without anything installed."""
    command = [sys.executable, "-I", "-S", str(VERIFY), str(file)]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """That of the sample's next round."""
    file = tmp_path_factory.mktemp("proof") / "proof.json"
    assert run("solve", *EVENT, "--proof", file, "-o", file.with_suffix(".csv"))[0] == 0
    return file.read_bytes()


@pytest.mark.long
def test_a_proof_is_written_and_verified_twice(tmp_path: Path) -> None:
    file = tmp_path / "round6.proof.json"
    code, said = run("solve", *EVENT, "--proof", file, "-o", tmp_path / "round6.csv")
    assert code == 0
    assert f"proof: written to {file}\n" in said
    once = file.read_bytes()
    assert run("solve", *EVENT, "--proof", file, "-o", tmp_path / "round6.csv")[0] == 0
    assert file.read_bytes() == once
    code, said = run("check", *EVENT, "--proof", file)
    assert code == 0
    assert "No pairing of these 37 players is better" in said
    done = alone(file)
    assert (done.returncode, done.stderr) == (0, "")
    assert "No pairing of these 37 players is better" in done.stdout


def test_a_proof_says_what_it_is_about() -> None:
    found = solve(read_event(*EVENT[::2]), "excalibur")
    assert found.proof is not None
    content = found.proof.content
    assert json.loads(found.proof.text) == content
    claim = content["claim"]
    assert (claim["round"], claim["model"]) == (6, "excalibur")
    assert values_in(content) == [
        Fraction(level.value, level.scale) for level in found.level_values
    ]
    assert sorted(name for name, _ in claim["players"]) == sorted(
        found.problem.state.names
    )
    assert found.proof.digest == hashlib.sha256(found.proof.text.encode()).hexdigest()
    assert str(found.proof.said) == "The certificate proves that no pairing is better."


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (["--model", "monrad"], "model: found 'standard', expected 'monrad'"),
        (["--drop", "{a}"], "event: found "),
        (["--seed", "7"], "seed: found '0', expected '7'"),
        (["--points", "3-1-0"], "options: found "),
        (["--last-round"], "options: found "),
        (["--relax", "no_repeat_bye"], "options: found "),
        (["--lookahead", "1"], "options: found "),
        (["--objective", "weighted"], "options: found "),
        (["--allow", "{a}:{c}"], "options: found "),
        (["--published", "{a}:{b}"], "options: found "),
        (["--forbid", "{a}:{b}"], "options: found "),
        (["--forbid", "{a}:{c}"], "options: found "),
        (["--force", "{a}:{c}"], "options: found "),
        (["--force", "{a}:{b}"], "options: found "),
        (["--bye", "{a}"], "options: found "),
        (["--no-bye", "{a}"], "options: found "),
    ],
)
def test_a_proof_of_another_round_is_none(
    more: list[str], fault: str, proof: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "proof.json"
    file.write_bytes(proof)
    content = json.loads(proof)
    names = [name for _, name in content["claim"]["players"]]
    a, b = sorted(next(pair for pair in content["claim"]["pairing"] if 0 in pair))
    who = {"a": names[a], "b": names[b], "c": names[2 if b == 1 else 1]}
    code, said = run(
        "check", *EVENT, "--proof", file, *(each.format(**who) for each in more)
    )
    assert code == 1
    assert re.search(fault, said)


@pytest.mark.long
def test_options_are_part_of_what_is_proven(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    free = solve(read_event(*EVENT[::2]))
    row = free.matches[0]
    more = ["--forbid", f"{row['player1']}:{row['player2']}"]
    assert run("solve", *EVENT, "--proof", file, *more)[0] == 0
    assert run("check", *EVENT, "--proof", file, *more)[0] == 0
    assert run("check", *EVENT, "--proof", file)[0] == 1


CHANGES: dict[str, Callable[[Event], Event]] = {
    "points brought in": lambda event: replace(event, brought=event.brought + 1),
    "byes brought in": lambda event: replace(
        event, byes_brought=event.byes_brought + 1
    ),
    "sides": lambda event: replace(event, sides=("white", "black")),
    "a result": lambda event: replace(
        event, matches=replace(event.matches, score1=event.matches.score1[::-1])
    ),
    "a side": lambda event: replace(
        event, matches=replace(event.matches, side=1 - event.matches.side)
    ),
    "a forfeit": lambda event: replace(
        event, matches=replace(event.matches, status=np.full(3, FORFEIT))
    ),
}
"""Another history for players of whom all may meet at the same cost."""


@pytest.mark.parametrize("change", CHANGES)
def test_a_proof_knows_the_history_it_was_written_for(change: str) -> None:
    first = simulation.opening(6)
    won = [
        {**row, "score1": 3 - k, "score2": 0}
        for k, row in enumerate(solve(first).matches)
    ]
    lots = np.random.default_rng(1)
    event = simulation.played(first, won, lots, np.zeros(6), draws=0.0, drops=0.0)
    model = parse_model({"name": "any"})
    proof = solve(event, model).proof
    assert proof is not None
    assert check_proof(event, proof.content, model).holds
    (fault,) = check_proof(CHANGES[change](event), proof.content, model).faults
    assert fault.startswith("sides: found " if change == "sides" else "event: found ")


def test_later_rounds_with_half_points_change_nothing() -> None:
    first = simulation.opening(9)
    played = simulation.played(
        first, solve(first).matches, np.random.default_rng(1), np.zeros(9)
    )
    proof = solve(played, "monrad").proof
    assert proof is not None
    finer = replace(
        played,
        scale=2 * played.scale,
        brought=2 * played.brought,
        matches=replace(
            played.matches,
            score1=2 * played.matches.score1,
            score2=2 * played.matches.score2,
        ),
    )
    assert infer_points(finer).win == infer_points(played).win
    assert check_proof(finer, proof.content, "monrad").holds


def test_in_very_large_fields_there_is_no_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proving, "MOST_PLAYERS", 8)
    result = solve(simulation.opening(9), "monrad")
    with pytest.raises(UsageError, match="up to 8 players"):
        _ = result.proof
    with pytest.raises(
        UsageError, match="up to 8 players"
    ):  # before anything is paired
        proving.require_proof(simulation.opening(9), "monrad")
    assert find_reasons(result) == ()


@pytest.mark.long
def test_checking_imports_no_solver(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    run("solve", *EVENT, "--proof", file, "-o", tmp_path / "round6.csv")
    code = (
        "import sys; from pairopt.cli import main\n"
        f"main(['check', *{EVENT!r}, '--proof', {str(file)!r}], standalone_mode=False)\n"
        "print(sorted({'ortools', 'rustworkx', 'scipy', 'networkx'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert "The proof is valid" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.long
def test_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    code = f"from pairopt.cli import main; main(['solve', *{EVENT!r}, '--proof', '%s'])"
    made = []
    for seed in ("1", "2"):
        file = tmp_path / f"{seed}.json"
        subprocess.run(
            [sys.executable, "-c", code % file],
            check=True,
            capture_output=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        )
        made.append(file.read_bytes())
    assert made[0] == made[1]


def test_what_has_no_proof_is_said_before_it_is_paired(tmp_path: Path) -> None:
    out, by_hand = tmp_path / "round.csv", ["--model", "aesops-by-hand"]
    code, said = run(
        "solve", *EVENT, *by_hand, "--proof", tmp_path / "proof.json", "-o", out
    )
    assert code == 2
    assert "can't prove that a pairing is optimal" in said
    assert not [*tmp_path.iterdir()]
    with pytest.raises(UsageError, match="can't prove that a pairing is optimal"):
        _ = solve(read_event(*EVENT[::2]), "aesops-by-hand").proof


def test_what_is_not_proven_has_no_proof(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    code, said = run("solve", *EVENT, "--time-limit", "0.000001", "--proof", file)
    assert code == 4
    assert "no proof is written" in said
    assert not file.exists()


def test_two_outputs_are_never_one_file(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    code, said = run("solve", *EVENT, "-o", file, "--proof", file)
    assert (code, "named for two outputs" in said) == (2, True)
    assert not file.exists()


def test_check_is_given_pairings_or_a_proof() -> None:
    """With neither, it checks the last round of the event."""
    assert run("check")[0] == 2
    assert run("check", *EVENT)[0] == 0
    assert run("check", *EVENT, EVENT[2], "--proof", EVENT[0])[0] == 2


@pytest.mark.long
def test_a_folder_keeps_a_proof_of_each_round(tmp_path: Path) -> None:
    folder, first, second = (
        tmp_path / "weekly",
        tmp_path / "1.json",
        tmp_path / "2.json",
    )
    players = tmp_path / "list.csv"
    players.write_text("player\n" + "\n".join("ABCDEFG"))
    new(folder, players)
    assert run("pair", folder, "--proof", first)[0] == 0
    for table in ("1", "2", "3"):
        result(folder, table, "3-0")
    assert run("pair", folder, "--proof", second)[0] == 0
    for file in (first, second):  # the round is that of the proof
        assert run("check", folder, "--proof", file)[0] == 0
    assert run("check", folder, "--round", "1", "--proof", second)[0] == 1
    before = (folder / "matches.csv").read_bytes()
    with pytest.raises(UsageError, match="is a file of an event folder"):
        pair(folder, proof=folder / "matches.csv")
    assert (folder / "matches.csv").read_bytes() == before


# ---------------------------------------------------------------------- against brute force


def proven(case: Case) -> str:
    """Pair a case, and verify its proof; what was the case."""
    event, model = case.event(), model_of(case.model)
    try:
        found: Result = solve(event, model, seed=case.seed, **case.options)
    except UsageError:
        return "refused"
    best = case.oracle().optimum()
    assert (best is None) == (found.status == "infeasible")
    assert best is None or vector_of(found.level_values) == best
    assert found.proof is not None
    values = [Fraction(level.value or 0, level.scale) for level in found.decisive]
    assert values_in(found.proof.content) == values
    assert verify(read(found.proof.text))
    checked = check_proof(
        event, found.proof.content, model, seed=case.seed, **case.options
    )
    assert checked.faults == ()
    return found.status


def against_brute_force(examples: int) -> Counter[str]:
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=examples)
    @given(cases(events(1, 8)))
    def anything(case: Case) -> None:
        tally[proven(case)] += 1

    @settings(REPEATABLE, max_examples=examples)
    @given(cases(events(2, 8, min_rounds=3), models(hard=constraints(least=2, most=4))))
    def overdone(case: Case) -> None:
        tally[proven(case)] += 1

    anything()
    overdone()
    print(dict(tally))
    return tally


@pytest.mark.sweep
def test_proofs_of_small_rounds() -> None:
    tally = against_brute_force(60)
    assert tally["optimal"] >= 40
    assert tally["infeasible"] >= 10


@pytest.mark.slow
def test_proofs_of_2000_small_rounds() -> None:
    assert sum(against_brute_force(1000).values()) >= 2000


# ---------------------------------------------------------------------- FIDE's systems, lookahead


def chained(model: str, event: Event) -> str:
    """Pair a round of a system, and verify its proof by both verifiers; what became of it."""
    found = solve(event, model)
    assert found.proof is not None
    assert verify(read(found.proof.text))
    checked = check_proof(event, read(found.proof.text), model)
    assert checked.faults == ()
    if found.status == "optimal":
        again = solve(event, model, verify=True)
        assert again.pairs == found.pairs
    return found.status


def of_systems(seeds: range, folder: Path) -> Counter[str]:
    tally = Counter[str]()
    for seed in seeds:
        given = random_round(seed)
        for model, one in (("fide-dutch", given), ("fide-burstein", burstein(given))):
            path = folder / "round.trf"
            path.write_text(one.trf(), encoding="utf-8")
            tally[f"{model} {chained(model, read_event(path))}"] += 1
    print(dict(tally))
    return tally


@pytest.mark.sweep
def test_proofs_of_small_rounds_of_systems(tmp_path: Path) -> None:
    assert len(of_systems(range(16), tmp_path)) == 4


@pytest.mark.slow
def test_proofs_of_2000_small_rounds_of_systems(tmp_path: Path) -> None:
    assert sum(of_systems(range(1000), tmp_path).values()) == 2000


def test_a_round_of_a_system_is_a_chain_of_steps() -> None:
    *_, (_, found) = simulation.rounds(21, 4, 1, "fide-dutch", draws=0.3)
    assert found.proof is not None
    claim = found.proof.content["claim"]
    criteria = [level[0] for level in claim["levels"]]
    assert len(found.proof.content["witness"]["steps"]) > 1
    assert criteria[0] == "C5"
    assert {"C6", "C12", "4.2"} <= {*criteria}
    assert str(found.proof.said) == "The certificate proves that no pairing is better."
    first, *rest = claim["pairing"]
    with pytest.raises(InvalidProof, match="but may not meet with these sides"):
        verify(
            {**found.proof.content, "claim": {**claim, "pairing": [first[::-1], *rest]}}
        )


def ahead(seed: int, rounds: int) -> Result:
    """A late round of a small field that has to leave room."""
    *_, (event, _) = simulation.rounds(6, 3, seed, "excalibur", drops=0.0)
    return solve(event, "excalibur", lookahead=rounds)


@pytest.mark.long
def test_of_a_lookahead_what_can_be_shown_is_shown(tmp_path: Path) -> None:
    seen = Counter[str]()
    for seed in range(20):
        found = ahead(seed, 2)
        proof = found.proof
        if found.arcs is None:
            seen["none, and shown" if proof else "none, as the engine says"] += 1
            continue
        assert proof is not None
        claim, witness = proof.content["claim"], proof.content["witness"]
        assert len(claim["further"]) == 2
        assert proof.certified + proof.open == len(found.level_values)
        assert verify(read(proof.text))
        model = "excalibur"
        checked = check_proof(found.event, read(proof.text), model, lookahead=2)
        assert checked.faults == ()
        assert checked.verdict == ("open" if proof.open else "certified")
        free = solve(found.event, model)
        agree = 0
        while agree < len(free.level_values) and (
            free.level_values[agree].value == found.level_values[agree].value
        ):
            agree += 1
        assert proof.certified == agree  # until a pairing without room is better
        seen["open" if proof.open else "all"] += 1
        assert ("The solver claims" in str(proof.said)) == bool(proof.open)
        fewer = {**proof.content, "claim": {**claim, "further": claim["further"][:1]}}
        assert check_proof(found.event, fewer, model, lookahead=2).faults
        if proof.open:
            assert "counter" in witness
            own = {
                **witness,
                "counter": claim["pairing"],
            }  # as good in the first open level
            less = {**witness, "shown": witness["shown"] - 1}
            for changed in (own, less):
                claimed = {**proof.content, "witness": changed}
                with pytest.raises((InvalidProof, ValueError)):
                    verify(claimed)
                assert not accepted(found.event, claimed, model, lookahead=2)
    assert seen["open"] > 0
    assert seen["all"] > 0


@pytest.mark.parametrize("model", ["excalibur", "standard", "monrad", "fide-dutch"])
def test_that_nothing_fits_is_shown_under_weights_too(model: str) -> None:
    event = simulation.opening(6)  # two trios, of whom nobody may meet the other
    forbid = [(f"p{i}", f"p{j}") for i in range(3) for j in range(3, 6)]
    weights = {} if model == "fide-dutch" else {"objective": "weighted"}
    found = solve(event, model, forbid=forbid, **weights)
    assert found.status == "infeasible"
    assert found.proof is not None
    assert (
        str(found.proof.said) == "The certificate proves that no pairing is possible."
    )
    assert verify(read(found.proof.text)).said.startswith(
        "There is no pairing among those with "
    )
    content = read(found.proof.text)
    assert check_proof(event, content, model, forbid=forbid, **weights).faults == ()
    assert check_proof(event, content, model, **weights).faults


@pytest.mark.parametrize("how", OTHERWISE)
def test_a_file_in_other_bytes_is_malformed_for_both_verifiers(
    how: str, proof: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "proof.json"
    other = OTHERWISE[how](raw := proof)
    if other == raw:
        pytest.skip("a file that has none of these bytes")
    file.write_bytes(other)
    assert run("check", *EVENT, "--proof", file)[0] == 3
    with pytest.raises(ValueError, match=r"expected|decode|Expecting|Unexpected"):
        verify_file(other)


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--force", "{a}:{c}"], "is better among those with .* - .* forced"),
        (
            ["--forbid", "{a}:{b}", "--no-bye", "{a}"],
            ".* - .* forbidden; no bye for [A-Z]",
        ),
        (["--relax", "no_repeat_bye"], "with no_repeat_bye left out"),
        (
            ["--drop", "{a}", "--drop", "{b}"],
            "2 active players have no match in the round.",
        ),
        (["--request-bye", "{a}", "--drop", "{b}"], "2 active players have no match"),
    ],
)
def test_the_line_says_what_was_asked(
    options: list[str], said: str, tmp_path: Path
) -> None:
    file = tmp_path / "proof.json"
    free = solve(read_event(*EVENT[::2])).pairs
    who = {"a": free[0][0], "b": free[0][1], "c": free[1][0]}
    given = [each.format(**who) for each in options]
    assert run("solve", *EVENT, *given, "--proof", file)[0] == 0
    code, line = run("check", *EVENT, *given, "--proof", file)
    assert code == 0
    assert re.search(said, line)
    if "--drop" not in options:
        assert "among those with" in alone(file).stdout
        assert run("check", *EVENT, "--proof", file)[0] == 1


@pytest.mark.long
def test_exit_codes_of_verdicts(tmp_path: Path) -> None:
    *_, (event, _) = simulation.rounds(6, 3, 8, "excalibur", drops=0.0)
    path, file = tmp_path / "matches.csv", tmp_path / "proof.json"
    event.matches_frame.to_csv(path, index=False)
    given = [path, "--model", "excalibur", "--lookahead", "2"]
    assert run("solve", *given, "--proof", file)[0] == 0
    code, said = run("check", *given, "--proof", file)
    assert (code, "are not proven" in said) == (4, True)
    assert alone(file).returncode == 4
    content = json.loads(file.read_text("utf-8"))
    content["witness"]["shown"] += 1
    file.write_text(format_proof(content), "utf-8")
    assert run("check", *given, "--proof", file)[0] in (1, 3)
    for version in (1, 2):
        text = json.dumps(
            {"format": "pairopt-proof", "version": version, "round": 6}, indent=1
        )
        file.write_text(text, "utf-8")
        code, said = run("check", *given, "--proof", file)
        assert (
            code,
            f"This proof has the old version {version}, which does not state what the proof proves. Write the proof again: "
            in said,
        ) == (
            3,
            True,
        )
        assert alone(file).returncode == 3


@pytest.mark.long
def test_what_is_certified_is_said_in_json_too(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    done = CliRunner().invoke(
        main, ["solve", *EVENT, "--proof", str(file), "--format", "json"]
    )
    said = json.loads(done.stdout)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert said["proof"] == {
        "certified": len(said["levels"]),
        "open": 0,
        "sha256": digest,
    }
    assert "The certificate proves that no pairing is better." in done.stderr
    assert digest in alone(file).stdout


WEIGHTED = {
    "name": "weighted",
    "objective": "weighted",
    "constraints": {"no_rematch": True},
    "criteria": [
        {"kind": "score_groups", "weight": 3},
        {"kind": "rematches", "weight": 1},
    ],
}


@pytest.mark.parametrize(
    ("at", "value"),
    [(0, "x"), (2, ""), (3, 0), (3, 10**6), (3, "x"), (4, None), (5, None)],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_an_open_level_is_that_of_the_pairing(
    weighted: bool, at: int, value: object
) -> None:
    """Of one weighted sum, too, which stands before the levels that it is made of."""
    model: Any = parse_model(WEIGHTED) if weighted else "excalibur"
    *_, (event, _) = simulation.rounds(6, 3, 8, "excalibur", drops=0.0)
    proof = solve(event, model, lookahead=2).proof
    assert proof is not None
    assert proof.open
    content = read(proof.text)
    assert check_proof(event, content, model, lookahead=2).faults == ()
    content["claim"]["levels"][-1][at] = value
    (fault,) = check_proof(event, content, model, lookahead=2).faults
    assert fault.startswith("levels: ")


@pytest.mark.long
def test_a_proof_is_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, (event, found) = simulation.rounds(9, 3, 1, "fide-dutch", draws=0.3)
    assert found.proof is not None
    narrowed, narrow = [], verifier.check_step
    monkeypatch.setattr(
        verifier, "check_step", lambda *at: (narrowed.append(1), narrow(*at))
    )
    assert check_proof(event, found.proof.content, "fide-dutch", seed=1).holds
    assert len(narrowed) == len(found.proof.content["witness"]["steps"])


def test_two_criteria_of_one_kind() -> None:
    players = pd.DataFrame(
        {"player": list("ABCD"), "club": list("XXYY"), "team": list("RSRS")}
    )
    kinds = [
        {"kind": "conflicts", "column": "club"},
        {"kind": "conflicts", "column": "team"},
    ]
    result = solve(read_event(players), parse_model({"name": "two", "criteria": kinds}))
    assert [level.value for level in result.level_values] == [0, 0]
    assert result.proof is not None
