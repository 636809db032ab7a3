"""Odds of cup draws: every order of balls tried, published counts, and pages."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from places import REAL, ROOT

import pairopt
from pairopt import Event, UsageError, draw_odds, read_event
from pairopt.analysis.draw_odds import count_draws, mechanism_odds
from pairopt.cli import main
from pairopt.common.budget import Budget, TimeUpError

CLUBS = ROOT / "examples" / "cup-draw" / "players.csv"
SEASONS = ROOT / "examples" / "cup-draw" / "seasons.csv"
FOLDER = REAL / "odds"
needs_data = pytest.mark.skipif(
    not FOLDER.exists(), reason="the shared data is not here"
)
DASH, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"
Table = list[list[bool]]
Shares = list[list[Fraction]]


def valid_draws(allowed: Table) -> list[tuple[int, ...]]:
    """The opponents of each line in every valid draw."""
    lines = range(len(allowed))
    return [
        draw for draw in permutations(lines) if all(allowed[i][draw[i]] for i in lines)
    ]


def by_every_order(allowed: Table) -> Shares:
    """The mechanism by trying every order of balls; nothing is remembered."""
    size = len(allowed)
    draws = valid_draws(allowed)
    shares = [[Fraction(0)] * size for _ in range(size)]

    def draw_on(drawn: dict[int, int], chance: Fraction) -> None:
        left = [line for line in range(size) if line not in drawn]
        for line in left:
            possible = {
                draw[line]
                for draw in draws
                if all(draw[one] == two for one, two in drawn.items())
            }
            for column in possible:
                share = chance / len(left) / len(possible)
                shares[line][column] += share
                draw_on({**drawn, line: column}, share)

    draw_on({}, Fraction(1))
    return shares


def random_tables() -> list[Table]:
    rng = Random(1)
    tables = []
    for size in (1, 2, 3, 4, 4, 5, 5):
        while True:
            table = [[rng.random() < 0.7 for _ in range(size)] for _ in range(size)]
            if valid_draws(table):
                tables.append(table)
                break
    return tables


@pytest.mark.parametrize("allowed", random_tables())
def test_both_lotteries_by_brute_force(allowed: Table) -> None:
    draws = valid_draws(allowed)
    size = range(len(allowed))
    counts, number = count_draws(allowed)
    assert number == len(draws)
    assert counts == [[sum(d[i] == j for d in draws) for j in size] for i in size]
    assert mechanism_odds(allowed) == by_every_order(allowed)


def test_two_clubs_by_hand() -> None:
    """A may meet only X. So B meets Y, whoever is drawn first."""
    allowed = [[True, False], [True, True]]
    assert count_draws(allowed) == ([[1, 0], [0, 1]], 1)
    assert mechanism_odds(allowed) == [[1, 0], [0, 1]]


def test_three_clubs_by_hand() -> None:
    """C can't meet Z. There are four valid draws.

    A meets Z in two of the four. By the mechanism: A first (1/3) meets X, Y or Z, and
    Z with 1/3. B first (1/3) meets Z with 1/3; otherwise, A or C is next. If it is A,
    only Z is possible, because C can't meet Z. If it is C, it leaves Z for A. So A
    meets Z with 2/3. C first (1/3) meets X or Y; then A and B share Z equally.
    """
    allowed = [[True, True, True], [True, True, True], [True, True, False]]
    counts, number = count_draws(allowed)
    assert (counts[0][2], number) == (2, 4)
    expected = Fraction(1, 3) * (Fraction(1, 3) + Fraction(2, 3) + Fraction(1, 2))
    assert mechanism_odds(allowed)[0][2] == expected


def test_no_valid_draw() -> None:
    assert count_draws([[True, False], [True, False]]) == ([[0, 0], [0, 0]], 0)


def test_the_deadline_is_kept() -> None:
    over = Budget(deadline=0.0)
    for compute in (count_draws, mechanism_odds):
        with pytest.raises(TimeUpError):
            compute([[True]], over)
    found = draw_odds(read_event(CLUBS), time_limit=1e-9)
    assert (found.status, found.pairs) == ("unknown", ())


# ------------------------------------------------------------ published figures


def tables(season: dict[str, Any], one: str, two: str) -> Table:
    return [
        [
            line["group"] != column["group"] and line["country"] != column["country"]
            for column in season[two]
        ]
        for line in season[one]
    ]


def seasons(name: str) -> list[Any]:
    if not FOLDER.exists():
        return []
    content = json.loads((FOLDER / name).read_text("utf-8"))
    return [pytest.param(each, id=each["season"]) for each in content["seasons"]]


@needs_data
@pytest.mark.long
@pytest.mark.parametrize("season", seasons("r16.json"))
def test_the_round_of_16_of_a_season(season: dict[str, Any]) -> None:
    """Runners-up are drawn first; the data have a row for each winner."""
    allowed = tables(season, "runners_up", "winners")
    counts, draws = count_draws(allowed)
    mechanism = np.array(mechanism_odds(allowed)).T
    assert draws == season["uniform"]["draws"]
    assert np.array(counts).T.tolist() == season["uniform"]["counts"]
    stated = [[Fraction(cell) for cell in row] for row in season["mechanism_fractions"]]
    assert mechanism.tolist() == stated
    apart = np.abs(mechanism.astype(float) - np.array(season["mechanism_cldraw"]))
    assert apart.max() < 1e-12

    for figure in season["published"]:
        (pair,) = {
            (i, j)
            for i, winner in enumerate(season["winners"])
            for j, runner_up in enumerate(season["runners_up"])
            if figure["pair"][0] in winner["name"]
            and figure["pair"][1] in runner_up["name"]
        }
        uniform = Fraction(season["uniform"]["counts"][pair[0]][pair[1]], draws)
        printed = Fraction(figure["value"])
        assert figure["mechanism"] == (
            abs(mechanism[pair] - printed) < abs(uniform - printed)
        )


@needs_data
@pytest.mark.long
@pytest.mark.parametrize("season", seasons("el32.json"))
def test_the_round_of_32_of_the_europa_league(season: dict[str, Any]) -> None:
    counts, draws = count_draws(tables(season, "seeded", "unseeded"))
    assert draws == season["draws"]
    assert counts == season["counts"]


# ------------------------------------------------------------ the page


def own_season(name: str) -> Event:
    with SEASONS.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["season"] == name]
    frame = pd.DataFrame(rows).drop(columns="season")
    return read_event(frame)


def page_rows() -> list[list[str]]:
    page = (ROOT / "docs" / "draws.md").read_text("utf-8")
    part = page.partition("<!-- cup draws -->")[2].partition("<!-- end -->")[0]
    lines = re.findall(r"^\| (\d.*) \|$", part, flags=re.MULTILINE)
    return [line.split(" | ") for line in lines]


def test_the_page_has_every_season() -> None:
    with SEASONS.open(encoding="utf-8") as file:
        names = {row["season"] for row in csv.DictReader(file)}
    assert [row[0] for row in page_rows()] == sorted(names)
    assert len(names) == 21


@pytest.mark.long
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row[0], marks=pytest.mark.sweep if k % 5 else ())
        for k, row in enumerate(page_rows())
    ],
)
def test_the_table_of_seasons(row: list[str]) -> None:
    season, draws, match, uniform, mechanism, bias = row
    found = draw_odds(own_season(season))
    assert f"{found.draws:,}" == draws
    pair = found.most_biased
    assert pair is not None
    assert pair.mechanism is not None
    assert pair.bias is not None
    stated = [p for p in found.pairs if f"{p.opponent} {DASH} {p.drawn_first}" == match]
    # Several matches may be biased equally.
    assert [abs(each.bias or 0) for each in stated] == [abs(pair.bias)]
    shown = stated[0]
    assert f"{100 * float(shown.uniform):.2f} %" == uniform
    assert f"{100 * float(shown.mechanism or 0):.2f} %" == mechanism
    assert f"{100 * float(shown.bias or 0):+.2f}".replace("-", MINUS) == bias


def test_the_paradox_of_2012() -> None:
    """Klößner and Becker: fewer draws have the match that is more likely."""
    found = draw_odds(own_season("2012/13"))
    schalke = {
        pair.drawn_first: pair for pair in found.pairs if pair.opponent == "Schalke"
    }
    shakhtar, galatasaray = schalke["Shakhtar"], schalke["Galatasaray"]
    assert (found.draws, shakhtar.draws, galatasaray.draws) == (5463, 646, 643)
    assert round(float(shakhtar.mechanism or 0), 4) == 0.1190
    assert round(float(galatasaray.mechanism or 0), 4) == 0.1202


# ------------------------------------------------------------ events and commands


def test_uniform_odds_are_those_of_the_command_odds() -> None:
    event = read_event(CLUBS)
    uniform = {
        (player.player, chance.opponent): chance.exact
        for player in pairopt.odds(event, "draw").players
        for chance in player.chances
    }
    found = draw_odds(event).pairs
    assert len(found) == len(uniform) / 2
    assert all(
        uniform[pair.drawn_first, pair.opponent] == pair.uniform for pair in found
    )


def test_probabilities_of_a_club_add_up() -> None:
    found = draw_odds(read_event(CLUBS), first="1")
    assert found.pot == "1"
    sums: dict[str, list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
    for pair in found.pairs:
        for club in (pair.drawn_first, pair.opponent):
            sums[club][0] += pair.uniform
            sums[club][1] += pair.mechanism or 0
    assert len(sums) == 16
    assert all(each == [1, 1] for each in sums.values())


def test_the_order_of_pots_changes_the_mechanism_alone() -> None:
    one, two = (draw_odds(read_event(CLUBS), first=pot) for pot in "12")
    turned = {(pair.opponent, pair.drawn_first): pair for pair in one.pairs}
    same = [turned[pair.drawn_first, pair.opponent] for pair in two.pairs]
    assert [pair.uniform for pair in same] == [pair.uniform for pair in two.pairs]
    assert [pair.mechanism for pair in same] != [pair.mechanism for pair in two.pairs]


def test_a_match_that_is_drawn_already() -> None:
    """After Lille against Chelsea the rest is a draw of seven against seven."""
    event = read_event(CLUBS)
    given = draw_odds(event, force=[("Lille", "Chelsea")])
    rest = draw_odds(event.without(["Lille", "Chelsea"]))
    certain, *others = given.pairs
    assert (certain.drawn_first, certain.opponent) == ("Chelsea", "Lille")
    assert (certain.uniform, certain.mechanism) == (1, 1)
    assert tuple(others) == rest.pairs
    assert given.draws == rest.draws == 1192


@pytest.mark.parametrize(
    ("players", "options", "expected"),
    [
        ("player,pot\nA,1\nB,2\nC,2\n", {}, "has 1 in pot 1, 2 in pot 2"),
        ("player,club\nA,1\nB,2\n", {}, "no column pot"),
        ("player,pot\nA,1\nB,2\n", {"first": "3"}, "There is no pot '3'"),
        ("player,pot\nA,1\nB,2\n", {"model": "monrad"}, "without criteria"),
        ("player,pot\nA,1\nB,1\nC,2\nD,2\n", {"model": None}, "without criteria"),
    ],
)
def test_faults(
    tmp_path: Path, players: str, options: dict[str, Any], expected: str
) -> None:
    (tmp_path / "players.csv").write_text(players)
    event = read_event(tmp_path / "players.csv")
    with pytest.raises(UsageError, match=expected):
        draw_odds(event, **options)


def test_a_model_that_allows_matches_in_a_pot_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        'name = "own"\n[constraints]\nno_rematch = true\n'
    )
    with pytest.raises(
        UsageError, match="allows matches between two clubs of the same pot"
    ):
        draw_odds(read_event(CLUBS), tmp_path / "own.toml")


def test_a_draw_of_32_has_uniform_odds_alone(tmp_path: Path) -> None:
    lines = [f"{pot}{k},{pot},{k}" for pot in "12" for k in range(16)]
    (tmp_path / "players.csv").write_text("player,pot,group\n" + "\n".join(lines))
    found = draw_odds(read_event(tmp_path / "players.csv"))
    assert found.draws == 7_697_064_251_745  # derangements of 16
    assert found.most_biased is None
    assert {pair.uniform for pair in found.pairs} == {Fraction(1, 15)}
    done = CliRunner().invoke(main, ["draw", str(tmp_path / "players.csv")])
    assert "too large for the probabilities of the mechanism" in done.output


def test_the_command() -> None:
    done = CliRunner().invoke(main, ["draw", str(CLUBS), "--format", "json"])
    content = json.loads(done.stdout)
    assert (content["instrument"], content["draws"]) == ("draw", 4781)
    assert all({"uniform", "mechanism"} <= {*pair} for pair in content["pairs"])
    assert not any("probability" in key for pair in content["pairs"] for key in pair)


@pytest.mark.parametrize(
    ("forced", "words"),
    [([], "4,781 valid draws\n"), (["--force", "Lille:Chelsea"], "1 valid draw\n")],
)
def test_the_command_counts_in_words(
    tmp_path: Path, forced: list[str], words: str
) -> None:
    """With Lille - Chelsea drawn, Villarreal can only meet Bayern."""
    clubs = "player,pot,group\nAjax,1,A\nBayern,1,B\nLille,1,C\n"
    clubs += "Chelsea,2,D\nBenfica,2,B\nVillarreal,2,A\n"
    (tmp_path / "players.csv").write_text(clubs)
    place = tmp_path / "players.csv" if forced else CLUBS
    done = CliRunner().invoke(main, ["draw", str(place), *forced])
    assert words in done.output


def test_the_command_without_a_valid_draw(tmp_path: Path) -> None:
    (tmp_path / "players.csv").write_text("player,pot,group\nA,1,X\nB,2,X\n")
    done = CliRunner().invoke(main, ["draw", str(tmp_path / "players.csv")])
    assert done.exit_code == 1
    assert "There is no valid draw." in done.output
