"""Random tournaments as reports: read without a fault, and paired exactly as they say."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from zlib import crc32

import pytest
from notes import notes_of

from pairopt import UsageError, check_all, read_event
from pairopt.cli.fide.random_tournament import (
    STANDARD,
    EventRates,
    RandomPlayer,
    random_entrants,
    random_report,
)
from pairopt.event.event import Event
from pairopt.files.formats.trf.writing import format_points_records

P = Decimal
WINS = {"W": P(3), "D": P(1), "FW": P(3), "FPB": P(3), "HPB": P(1), "PAB": P(3)}
POINTS = (
    STANDARD,
    {**STANDARD, **WINS},
    {**STANDARD, "PAB": P("0.5")},
    {**STANDARD, **WINS, "D": P(2), "L": P(1), "HPB": P(2)},
    {
        **STANDARD,
        "W": P(2),
        "D": P(1),
        "FW": P(2),
        "FPB": P(2),
        "HPB": P(1),
        "PAB": P(1),
    },
    {**STANDARD, **WINS, "HPB": P(2), "FL": P("0.5"), "ZPB": P(0)},
)
"""1-½-0, 3-1-0, a bye of half a point, 3-2-1-0, 2-1-0, and one that takes 299."""
MUCH = {
    "late": 0.1,
    "withdrawn": 0.1,
    "forfeits": 0.05,
    "double_forfeits": 0.02,
    "odd": 0.02,
    "unrated": 0.02,
    "half_byes": 0.4,
    "zero_byes": 0.3,
    "full_byes": 0.1,
    "forbidden": 3,
}


def fractions(points: Mapping[str, Decimal]) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in points.items()}


def rates_of(seed: int, most: int = 40) -> EventRates:
    """A tournament of any kind."""
    rng = random.Random(seed)
    players = rng.randint(8, most)
    return EventRates(
        random_entrants(players, 2600, 1200, seed),
        rounds=rng.randint(3, min(9, players - 3)),
        system="fide-burstein" if seed % 5 == 4 else "fide-dutch",
        accelerated=seed % 3 == 0,
        points=POINTS[seed % 7 % len(POINTS)],
        **MUCH,
    )


def written(rates: EventRates, seed: int, folder: Path) -> Event:
    path = folder / f"{seed}.trf"
    path.write_text(random_report(rates, seed).text, encoding="utf-8")
    return read_event(path)


def paired_as_it_says(seed: int, folder: Path, most: int = 40) -> int:
    """Check every round of a tournament; how many there are."""
    rates = rates_of(seed, most)
    event = written(rates, seed, folder)
    assert not [note for note in notes_of(event) if "81-84" in note], notes_of(event)
    assert len(event.players) == len(rates.entrants)
    assert (event.settings.rounds, event.settings.model) == (rates.rounds, rates.system)
    found = [*check_all(event)] if event.round > 1 else []
    for each in found:
        assert each.agrees, (seed, each.round, each.difference, each.violations)
    return len(found)


@pytest.mark.long
def test_a_tournament_is_paired_as_it_says(tmp_path: Path) -> None:
    assert sum(paired_as_it_says(seed, tmp_path, 14) for seed in range(4)) > 8


@pytest.mark.long
def test_a_draw_with_a_loss_may_look_like_a_win(tmp_path: Path) -> None:
    """With 3-1-0 a draw is 1-1, and a draw for one player alone is 1-0."""
    rates = EventRates(
        random_entrants(12, 2500, 1200, 1),
        rounds=4,
        points=POINTS[1],
        draws=0.5,
        odd=0.5,
    )
    event = written(rates, 1, tmp_path)
    scores = {*zip(event.matches.score1, event.matches.score2, strict=True)}
    assert scores >= {(1, 1), (1, 0)}


@pytest.mark.slow
def test_twenty_of_all_kinds(tmp_path: Path) -> None:
    assert sum(paired_as_it_says(seed, tmp_path, 24) for seed in range(20)) > 80


@pytest.mark.slow
def test_two_hundred_of_all_kinds(tmp_path: Path) -> None:
    assert sum(paired_as_it_says(seed, tmp_path) for seed in range(200)) > 1000


@pytest.mark.long
def test_the_same_seed_makes_the_same_bytes() -> None:
    rates = rates_of(3, 14)
    assert random_report(rates, 7) == random_report(rates, 7)
    assert random_report(rates, 7).text != random_report(rates, 8).text
    assert random_report(rates, 7).text.startswith(
        "012 Random tournament, seed 7\n062 "
    )


@pytest.mark.long
def test_a_seed_makes_what_it_always_made() -> None:
    """The campaigns of tests/benchmarks name tournaments by their seeds; boards are no matter."""
    rates = EventRates(random_entrants(24, 2500, 1200, 4), rounds=7, accelerated=True)
    assert crc32(random_report(rates, 4).text.encode()) == 1086137791


@pytest.mark.long
def test_all_that_happens_does() -> None:
    seen: Counter[str] = Counter()
    for seed in range(6):
        text = random_report(replace(rates_of(seed, 20), unrated=0.2), seed).text
        for line in text.splitlines():
            code = line[:3]
            seen[code] += 1
            if code == "001":
                seen.update(cell[-1] for cell in line[91:].split("  ") if cell.strip())
    assert set("10=WDL+-UHFZ") <= {*seen}
    assert {"012", "062", "142", "152", "162", "192", "250", "260"} <= {*seen}


def test_start_numbers_follow_ratings_and_names_are_kept(tmp_path: Path) -> None:
    entrants = (
        RandomPlayer("Low", 1500),
        RandomPlayer("None", 0),
        RandomPlayer("High", 2400),
        RandomPlayer("Mid", 2000),
    )
    event = written(EventRates(entrants, rounds=2, forbidden=0), 1, tmp_path)
    assert event.names == ("High", "Mid", "Low", "None")
    assert event.players == ("1", "2", "3", "4")


@pytest.mark.long
def test_who_enters_late_is_accelerated_with_those_around(tmp_path: Path) -> None:
    """C.04.7: the last of the first half is whoever it was before round 1."""
    rates = replace(rates_of(0, 40), accelerated=True, late=0.4, rounds=8)
    text = random_report(rates, 3).text
    last = next(
        int(line[27:31]) for line in text.splitlines() if line.startswith("250")
    )
    there = [
        int(line[4:8])
        for line in text.splitlines()
        if line.startswith("001") and line[91:].strip()[:8] != "0000 - Z"
    ]
    late = len(rates.entrants) - len(there)
    assert late > 2
    among = [number for number in there if number <= last]
    assert len(among) == 2 * -(-len(there) // 4)
    event = written(rates, 3, tmp_path)
    assert (event.acceleration[:, 0] > 0).sum() == last


@pytest.mark.long
def test_forbidden_pairs_hold_in_a_report_that_is_over(tmp_path: Path) -> None:
    rates = EventRates(random_entrants(6, 2000, 1500, 1), rounds=2, forbidden=4)
    text = random_report(rates, 1).text
    assert text.count("\n260 ") >= 2
    event = written(rates, 1, tmp_path)
    assert len(event.prohibited) == text.count("\n260 ")


def test_a_player_has_one_bye_at_most_per_round() -> None:
    """Both kinds are drawn for everybody, and the first one counts."""
    rates = EventRates(
        random_entrants(6, 2000, 1500, 1), rounds=1, zero_byes=1, half_byes=1
    )
    rows = [
        line for line in random_report(rates, 1).text.splitlines() if line[:3] == "001"
    ]
    assert sum(row.endswith("0000 - Z") for row in map(str.rstrip, rows)) == 4


@pytest.mark.long
def test_byes_of_a_round_without_a_pairing_are_left_out() -> None:
    """Everybody has a cell for each round that there is."""
    ended = 0
    for seed in range(12):
        rates = EventRates(
            random_entrants(5, 2000, 1500, seed), rounds=6, half_byes=3, zero_byes=0
        )
        made = random_report(rates, seed)
        ended += not made.complete
        rows = [line for line in made.text.splitlines() if line.startswith("001")]
        assert len({len(row) for row in rows}) == 1, made.text
    assert ended > 3


@pytest.mark.long
def test_no_pairing_ends_a_report(tmp_path: Path) -> None:
    rates = EventRates(
        random_entrants(4, 2000, 1500, 1),
        rounds=5,
        forbidden=0,
        late=0,
        withdrawn=0,
        forfeits=0,
        double_forfeits=0,
        zero_byes=0,
        half_byes=0,
        full_byes=0,
    )
    made = random_report(rates, 1)
    assert not made.complete
    event = written(rates, 1, tmp_path)
    assert 1 < event.round <= 4
    assert not [note for note in notes_of(event) if "81-84" in note]


@pytest.mark.long
@pytest.mark.parametrize("rounds", [1, 2, 3, 6])
def test_a_tournament_has_the_rounds_that_are_asked_for(
    rounds: int, tmp_path: Path
) -> None:
    rates = EventRates(
        random_entrants(14, 2400, 1400, rounds), rounds=rounds, late=0.5, withdrawn=0.5
    )
    event = written(rates, rounds, tmp_path)
    assert sorted({*event.matches.round.tolist()}) == [*range(1, rounds + 1)]
    assert event.settings.rounds == rounds


@pytest.mark.parametrize(
    "wrong",
    [
        {"rounds": 0},
        {"rounds": 501},
        {"draws": 1.5},
        {"late": -0.1},
        {"system": "monrad"},
        {"entrants": (RandomPlayer("A", 1),)},
    ],
)
def test_rates_that_cannot_be(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="expected"):
        replace(rates_of(0), **wrong)  # type: ignore[arg-type]


def test_points_are_said_where_they_are_not_the_usual_ones() -> None:
    assert format_points_records(fractions(STANDARD)) == []
    assert format_points_records(fractions(POINTS[1])) == [
        "162  W 3.0    D 1.0    L 0.0    P 3.0"
    ]
    assert format_points_records(fractions(POINTS[5])) == [
        "162  W 3.0    D 1.0    L 0.0    P 3.0",
        "299 -         0.5",
        "299 H         2.0",
    ]
