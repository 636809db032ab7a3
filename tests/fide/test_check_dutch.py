"""Rounds of the Dutch System checked, compared and shown: what differs first, and what is not 0."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from dutch_cases import field
from dutch_random import random_round
from places import REAL

from pairopt import Event, Result, check, compare, read_event, solve
from pairopt.cli import main
from pairopt.common.serialization import LARGEST_EXACT_INTEGER

ARTICLE = re.compile(r"\((C\d+|4\.[\d.]+)\)$")
PUBLISHED = REAL / "dutch" / "published"


@pytest.fixture
def forty(tmp_path: Path) -> Path:
    """Forty players before round 1, of whom 1 may not meet 21."""
    path = tmp_path / "round.trf"
    path.write_text("\n".join([*field(40), "XXR 9", "XXC white1", "XXP 1 21", ""]))
    return path


def points(event: Event) -> dict[str, int]:
    state = solve(event, "fide-dutch").problem.state
    return dict(zip(state.names, state.fide.score.tolist(), strict=True))


def with_bye_higher_up(event: Event, result: Result) -> pd.DataFrame | None:
    """The pairing with the bye for somebody with more points; None where nobody has more."""
    rows, score = result.pairings, points(event)
    bye = rows.index[rows["status"] == "bye"]
    if not len(bye):
        return None
    lowest = rows.loc[bye[0], "player1"]
    for k, row in rows[rows["player2"].notna()].iterrows():
        if score[row["player1"]] > score[lowest]:
            rows.loc[bye[0], "player1"] = row["player1"]
            rows.loc[k, "player1"] = lowest
            if row["side1"] is not None:
                rows.loc[k, "side1"] = row["side1"]
            return rows
    return None


@pytest.mark.long
def test_a_bye_with_more_points_than_needed(tmp_path: Path) -> None:
    path, seen = tmp_path / "round.trf", 0
    for seed in range(40):
        path.write_text(random_round(seed).trf(), encoding="utf-8")
        event = read_event(path)
        result = solve(event, "fide-dutch")
        changed = with_bye_higher_up(event, result) if result.matches else None
        if changed is None:
            continue
        seen += 1
        found = check(event, changed, "fide-dutch")
        assert found.better == 0
        level = found.checked[0]
        assert level.criterion == "C5"
        assert found.difference is not None
        assert re.fullmatch(
            r"(.*\((C1|C2|C3|5\.2\.\d)\)\. )?Compared with an optimal pairing: "
            r"Player \d+ with [\d.]+ points? would have the bye, although "
            r"Player \d+ with [\d.]+ points? can have the bye \(C5\)",
            found.difference,
        )
        assert found.to_dict()["difference"] == found.difference
        assert level.optimum is not None
        assert level.value > level.optimum
    assert seen >= 10


def exchanged(event: Event, result: Result, one: int, two: int) -> pd.DataFrame:
    """The pairing with two opponents exchanged."""
    rows = result.pairings
    rows.loc[[one, two], "player2"] = rows.loc[[two, one], "player2"].to_numpy()
    return rows


@pytest.mark.long
@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the real files are not here")
@pytest.mark.parametrize(
    "name", ["aeroflot_open_2026_r04", "spring_2026_chesshouse_r03"]
)
def test_published_rounds_with_two_exchanged(name: str) -> None:
    event = read_event(PUBLISHED / f"{name}.trf")
    result = solve(event, "fide-dutch")
    for one, two in ((0, 1), (10, 40), (60, 61)):
        found = check(event, exchanged(event, result, one, two), "fide-dutch")
        assert found.difference is not None
        assert ARTICLE.search(found.difference), found.difference


def test_a_pairing_that_is_better_as_it_breaks_a_rule(forty: Path) -> None:
    free = solve(read_event(forty), "fide-dutch")
    found = check(read_event(forty), free.pairings, "fide-dutch", forbid=[("1", "22")])
    assert not found.legal
    assert found.difference is not None
    assert found.difference == (
        "Player 1 and Player 22: the organiser has forbidden this match. In an optimal pairing: no "
        "other rule decides, so the order by pairing number decides: Player 1 would "
        "meet Player 23 instead of Player 22 (4.2)"
    )


def run(*arguments: object) -> str:
    done = CliRunner().invoke(main, [*map(str, arguments)])
    assert done.exit_code == 0, done.output
    return str(done.stdout)


@pytest.mark.long
def test_levels_that_are_0_are_counted(forty: Path, tmp_path: Path) -> None:
    solved = json.loads(
        run("solve", forty, "--model", "fide-dutch", "--format", "json")
    )
    shown = run("solve", forty, "--model", "fide-dutch")
    levels = [level["value"] for level in solved["levels"]]
    zeros = levels.count(0)
    assert 0 < zeros < len(levels)
    assert f"\n{zeros} more levels are 0.\n" in shown
    assert "players who float down" not in shown
    assert "number of the transposition of S2 (4.2)" in shown
    report = tmp_path / "round.html"
    run("solve", forty, "--model", "fide-dutch", "--report", report)
    page = report.read_text(encoding="utf-8")
    assert f"<p>{zeros} more levels are 0.</p>" in page
    assert "players who float down" not in page
    pairs = tmp_path / "pairs.csv"
    run("solve", forty, "--model", "fide-dutch", "-o", pairs)
    checked = run("check", forty, pairs, "--model", "fide-dutch")
    assert f"\n{zeros} more levels are 0.\n" in checked
    assert "and no pairing is better" in checked


def numbers(content: Any) -> list[int]:
    """All integers of a JSON document."""
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, list):
        return [number for each in content for number in numbers(each)]
    return [content] if isinstance(content, int) else []


@pytest.mark.long
def test_json_has_no_number_that_others_cannot_read(
    forty: Path, tmp_path: Path
) -> None:
    """The place of a transposition of 20 players is beyond what 64-bit floats hold."""
    pairs = tmp_path / "pairs.csv"
    run("solve", forty, "--model", "fide-dutch", "-o", pairs)
    for call in (
        ("solve", forty, "--model", "fide-dutch"),
        ("check", forty, pairs, "--model", "fide-dutch"),
        ("explain", forty, "--model", "fide-dutch"),
        ("compare", forty, "--models", "fide-dutch,fide-basic"),
    ):
        text = run(*call, "--format", "json")
        assert max(numbers(json.loads(text))) <= LARGEST_EXACT_INTEGER
        assert re.search(r'"\d{17,}"', text), call


@pytest.mark.long
def test_a_system_beside_other_models(forty: Path) -> None:
    for models in ("fide-dutch,fide-basic", "fide-basic,fide-dutch"):
        found = compare(read_event(forty), models.split(","))
        own = [m for m in found.measured if m.of_system]
        place = found.models.index("fide-dutch")
        levels = found.results[place].level_values
        assert [(m.criterion, m.amounts[place]) for m in own] == [
            (level.criterion, level.value) for level in levels
        ]
        zeros = sum(not any(m.amounts) for m in own)
        assert f"\n{zeros} more levels are 0.\n" in run(
            "compare", forty, "--models", models
        )


@pytest.mark.long
def test_what_a_change_costs_is_said_once(forty: Path) -> None:
    call = ["solve", str(forty), "--model", "fide-dutch", "--force", "1:3"]
    said = CliRunner().invoke(main, call).stderr.splitlines()
    start = said.index("than without --force:")
    assert said[start + 1] == (
        "  no other rule decides, so the order by pairing number decides: "
        "Player 3 would go to the lower half of the group and Player 21 to the upper half, "
        "although no exchange is needed (4.3.2.1)"
    )
    assert len([line for line in said if "(4." in line or "(C" in line]) == 1


@pytest.mark.long
@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the real files are not here")
def test_the_heaviest_article_is_said_first() -> None:
    """Two who have met are paired again, and their opponents with each other: C1 comes before all
    that this makes worse; sides turned alone are 5.2."""
    event = read_event(PUBLISHED / "budapest_spring_festival_2026_group_b_2250_r05.trf")
    rows = solve(event, "fide-dutch").pairings
    turned = rows.assign(side1=rows["side1"].replace({"white": "black"}))
    found = check(event, turned, "fide-dutch")
    assert found.better is None
    assert re.fullmatch(
        r"(.+) and (.+): \2 has White, .*\(5\.2\.\d\)", str(found.difference)
    )
    mates = rows.index[rows["player2"].notna()].tolist()
    games = event.matches.paired_rows(4)
    met = {
        frozenset((event.players[a], event.players[b]))
        for a, b in zip(games.first, games.second, strict=True)
        if b >= 0
    }
    one, other = next(
        (i, k)
        for i in mates
        for k in mates
        if frozenset((rows["player1"][i], rows["player2"][k])) in met
    )
    both = exchanged(event, solve(event, "fide-dutch"), one, other)
    both["side1"] = turned["side1"]
    found = check(event, both, "fide-dutch")
    assert {"no_rematch", "allocated_sides"} <= {each.rule for each in found.violations}
    assert re.match(
        r".+ and .+: the two players have met in round 4 \(C1\)\. Compared with ",
        str(found.difference),
    )
    assert found.violations[0].rule == "no_rematch"
