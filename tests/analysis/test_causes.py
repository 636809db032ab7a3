"""What would explain a round that differs: changes that are planted, and found again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from dutch_round import of_trf
from places import REAL
from planted import KINDS, Planted, plant, tournament

from pairopt import check, read_event, solve
from pairopt.analysis.explain_deviation import (
    LIKELY,
    DeviationCause,
    DeviationCauses,
    find_causes,
)
from pairopt.analysis.what_if import Hypothetical
from pairopt.cli import main
from pairopt.engines import solve_by
from pairopt.messages import message, with_heading
from pairopt.problem.system import SystemAgreement
from pairopt.round.check import Check

BUDAPEST = REAL / "trf" / "budapest_spring_festival_2026_group_b_2250"


def explained(planted: Planted, model: str) -> tuple[Check, DeviationCauses]:
    given = check(planted.event, planted.published, model)
    found = find_causes(given)
    assert found is not None
    return given, found


def require_true(found: DeviationCauses) -> None:
    """Each cause makes the round agree: it is paired with the changes, by itself."""
    for cause in found.causes:
        case = cause.changes[-1].case
        arcs = solve_by(case.engine, case.problem, case.options).arcs
        assert arcs is not None
        assert case.alike(arcs), cause.sentence


def require_different(found: DeviationCauses) -> None:
    """No cause has two changes of one thing; single ones are each of another."""

    def about(change: Hypothetical) -> tuple[object, ...]:
        return (
            change.kind,
            change.players,
            change.kind == "start" or str(change.sentence),
        )

    for cause in found.causes:
        assert len({*map(about, cause.changes)}) == len(cause.changes), cause
    single = [about(each.changes[0]) for each in found.causes if len(each.changes) == 1]
    assert len({*single}) == len(single)


@pytest.mark.long
def test_a_change_that_leaves_a_bracket_without_pairing_is_no_cause(
    tmp_path: Path,
) -> None:
    """Those whom the published pairs above leave had no pairing, had somebody come late."""
    planted = plant(tournament(12, 5, 3, tmp_path), "late", 3)
    require_true(explained(planted, "fide-dutch")[1])


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_planted_is_found(kind: str, tmp_path: Path) -> None:
    planted = plant(tournament(14, 5, 2, tmp_path), kind, 2)
    assert planted is not None
    _, found = explained(planted, "fide-dutch")
    assert any(planted.found_in(cause) for cause in found.causes), found.sentence
    require_true(found)
    require_different(found)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["result", "start", "late"])
def test_under_the_burstein_system(kind: str, tmp_path: Path) -> None:
    planted = plant(
        tournament(16, 7, 3, tmp_path, "fide-burstein"), kind, 3, "fide-burstein"
    )
    assert planted is not None
    _, found = explained(planted, "fide-burstein")
    assert any(planted.found_in(cause) for cause in found.causes), found.sentence
    require_true(found)


@pytest.mark.sweep
def test_two_changes(tmp_path: Path) -> None:
    planted = plant(tournament(16, 5, 5, tmp_path), "result + start", 5)
    assert planted is not None
    _, found = explained(planted, "fide-dutch")
    assert found.causes
    require_true(found)
    require_different(found)


def test_no_cause_is_said_twice_and_no_change_is_made_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One change explains the round here, or two, whatever they are; the same twice is no two."""

    @dataclass(frozen=True)
    class Changed:
        """A round with so many changes, and nobody paired."""

        changes: int = 0
        matches: tuple[tuple[int, int], ...] = ((0, 1),)
        free: tuple[bool, ...] = (False,)
        engine: str = "matching"

    def two(case: Any, _: object) -> Iterator[Hypothetical]:
        for kind, words in (
            ("start", "1"),
            ("start", "2"),
            ("result", "r"),
            ("result", "s"),
        ):
            yield Hypothetical(kind, words, Changed(case.changes + 1), ("A",))  # type: ignore[arg-type]

    def verdict(case: Any, _: object = None) -> SystemAgreement:
        return SystemAgreement(case.changes, case.changes == enough)

    def named(
        _: object, found: Sequence[Hypothetical], **_sides: bool
    ) -> DeviationCause:
        return DeviationCause(tuple(found), "")

    monkeypatch.setattr("pairopt.analysis.explain_deviation.what_ifs", two)
    monkeypatch.setattr(
        "pairopt.analysis.explain_deviation._measure_agreement", verdict
    )
    monkeypatch.setattr(
        "pairopt.analysis.explain_deviation._played_round_of", lambda _: Changed()
    )
    monkeypatch.setattr("pairopt.analysis.explain_deviation._make_cause", named)
    monkeypatch.setattr(
        "pairopt.analysis.explain_deviation.apply_alone", lambda *_: None
    )
    differs: Any = SimpleNamespace(
        agrees=False, optimum=SimpleNamespace(proven=True), violations=()
    )
    for enough in (1, 2):
        found = find_causes(differs)
        assert found is not None
        assert found.causes
        assert {len(each.changes) for each in found.causes} == {enough}
        require_different(found)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["result", "forbidden"])
def test_a_model_of_criteria(kind: str, tmp_path: Path) -> None:
    planted = plant(tournament(12, 5, 4, tmp_path), kind, 2, "standard")
    assert planted is not None
    given, found = explained(planted, "standard")
    assert any(planted.found_in(cause) for cause in found.causes), found.sentence
    said = str(found.sentence)
    assert (
        said.endswith(" no pairing is better")
        or "the first cause is the most likely" in said
    )
    sentence = found.causes[0].sentence.to_dict()
    assert sentence["kind"] == "cause.none_better"
    changes = [str(change.sentence) for change in found.causes[0].changes]
    assert sentence["changes"] == changes
    assert not given.agrees


@pytest.mark.long
def test_a_round_that_agrees_needs_none(tmp_path: Path) -> None:
    event = tournament(20, 6, 2, tmp_path)
    result = solve(event, "fide-dutch")
    assert find_causes(check(event, result.pairings, "fide-dutch")) is None


@pytest.mark.long
@pytest.mark.skipif(not BUDAPEST.is_dir(), reason="the real files are not here")
def test_the_published_round_that_differs() -> None:
    from published import trf_rounds

    event, pairing = next(trf_rounds(BUDAPEST))
    found = find_causes(check(event, pairing, "fide-dutch"))
    assert found is not None
    assert str(found.sentence) == (
        "Brienen, Jacob came after the round was paired, when Badmaev, Aldar "
        "had the bye: all other 39 pairs agree"
    )
    require_true(found)


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    """A tournament in which a game of round 3 was won, and its file says it was a draw."""
    tournament(30, 7, 5, tmp_path)
    path = tmp_path / "5.trf"
    text = path.read_text(encoding="utf-8")
    cell = of_trf(text).cell(1, 3)
    assert (cell.opponent, cell.side, cell.result) == (4, "w", "1")
    lines = text.splitlines()
    for k, line in enumerate(lines):
        if line.startswith("001    1 "):
            lines[k] = line.replace("   4 w 1", "   4 w =")
        if line.startswith("001    4 "):
            lines[k] = line.replace("   1 b 0", "   1 b =")
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


WHY = "Player 1 - Player 4 in round 3 was won by Player 1: all 15 pairs agree"


def run(*arguments: object, code: int = 1) -> str:
    done = CliRunner().invoke(main, [*map(str, arguments)])
    assert done.exit_code == code, done.output
    return str(done.stdout)


@pytest.mark.slow
@pytest.mark.long
def test_the_command_says_it(wrong: Path, tmp_path: Path) -> None:
    said = run("check", "--all", wrong, "--why")
    assert said.count(f"  What would explain it: {WHY}.\n") == 2
    assert "explain" not in run("check", "--all", wrong)
    rounds = json.loads(run("check", "--all", wrong, "--why", "--format", "json"))[
        "rounds"
    ]
    assert [each["causes"] is None for each in rounds] == [
        k not in (4, 5) for k in range(1, 8)
    ]
    (cause,) = rounds[3]["causes"]["found"]
    assert cause["sentence"] == WHY
    assert (cause["changes"][0]["kind"], cause["changes"][0]["players"]) == (
        "result",
        ["1", "4"],
    )
    other = tmp_path / "other.trf"
    other.write_text(wrong.read_text(encoding="utf-8"), encoding="utf-8")
    assert run("check", "--all", wrong, other, "--why").count(WHY) == 4


@pytest.mark.long
def test_one_round_and_what_does_not_go_together(wrong: Path, tmp_path: Path) -> None:
    event = read_event(wrong)
    rows = event.matches.paired_rows(4)
    pairs = [
        (event.players[a], event.players[b], ("white", "black")[side])
        for a, b, side in zip(rows.first, rows.second, rows.side, strict=True)
    ]
    frame = pd.DataFrame(pairs, columns=["player1", "player2", "side1"])
    path = tmp_path / "pairs.csv"
    frame.assign(round=4).to_csv(path, index=False)
    said = run("check", wrong, path, "--why", "--round", 4, code=0)
    assert said.endswith(f"What would explain it: {WHY}.\n")
    run("check", "--all", wrong, "--why", "--no-solve", code=2)


@pytest.mark.long
def test_several_start_numbers_moved_at_once(tmp_path: Path) -> None:
    """Five of the lower half of 60 players; the fewest that explain it are named, and hold."""
    planted = plant(tournament(60, 1, 4, tmp_path), "starts", 4)
    assert planted is not None
    _, found = explained(planted, "fide-dutch")
    assert any(planted.found_in(cause) for cause in found.causes), found.sentence
    assert all(len(cause.changes) == 1 for cause in found.causes)
    assert max(len(cause.changes[0].players) for cause in found.causes) > 1
    require_true(found)


@pytest.mark.sweep
@pytest.mark.parametrize("turned", [0, 3])
def test_who_had_the_bye_was_listed_last_too(turned: int, tmp_path: Path) -> None:
    """Round 1 of 25 by hand: the true list has four of the lower half elsewhere, one of them last;
    where some tables were played the other way round, that is said."""
    true = [*range(1, 15), 20, 15, 17, 18, 23, 19, 21, 22, 24, 25, 16]
    lines = [
        f"001 {n:>4}      {f'Player {n}':<33} {2600 - n:>4}{'':>28} 0.0 {n:>4}"
        for n in range(1, 26)
    ]
    path = tmp_path / "list.trf"
    path.write_text(
        "\n".join(["012 By hand", "142 9", "152 W", *lines, ""]), encoding="utf-8"
    )
    pairs = [
        (*both, "white") if k % 2 == (k >= turned) else (*both[::-1], "white")
        for k, both in enumerate(zip(true[:12], true[12:24], strict=True), 1)
    ]
    rows = [(1, *map(str, (one, two)), side) for one, two, side in pairs] + [
        (1, "16", "", "")
    ]
    made = pd.DataFrame(rows, columns=["round", "player1", "player2", "side1"])
    found = find_causes(check(read_event(path), made, "fide-dutch"))
    assert found is not None
    said = str(found.causes[0].sentence)
    assert {*found.causes[0].changes[0].players} == {"16", "20", "23"}
    agree = "all 12 pairs and the bye agree"
    assert said.endswith(f"{agree}, not all of their sides" if turned else agree), said
    require_true(found)


@pytest.mark.sweep
def test_who_left_beside_a_wrong_result(tmp_path: Path) -> None:
    """The one says nothing of the other, as its bracket is above; both are found."""
    planted = plant(tournament(40, 7, 40001, tmp_path), "result + withdrawn", 40001)
    assert planted is not None
    _, found = explained(planted, "fide-dutch")
    assert any(planted.found_in(cause) for cause in found.causes), found.sentence
    require_true(found)


@pytest.mark.parametrize("kind", LIKELY)
def test_of_several_causes_the_first_says_why_it_is_the_likeliest(kind: str) -> None:
    change: Any = SimpleNamespace(kind=kind)
    agree = message("cause.agree", pairs=5, other=0, bye=0, apart=0)
    one = DeviationCause((change,), with_heading(message("with A"), agree))
    assert str(DeviationCauses((one,), 9).sentence) == "with A: all 5 pairs agree"
    for many in (2, 7):
        said = str(DeviationCauses((one,) * many, 9).sentence)
        assert said.partition("; the first cause is the most likely: ")[2] == str(
            message(LIKELY[kind])
        )
