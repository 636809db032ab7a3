"""Berger tables against printed tables, and the properties of round robins."""

import json
from collections import Counter
from itertools import combinations, groupby, pairwise
from pathlib import Path

import pytest

from pairopt.event.berger import build_berger_table, find_bye

PRINTED = Path(__file__).parents[3] / "shared" / "data" / "roundrobin" / "berger.json"
SIZES = range(3, 41)


def _colours(rounds, number):
    """Return the colours of a start number, round by round, without byes."""
    return [
        "w" if number == white else "b"
        for boards in rounds
        for white, black in boards
        if number in (white, black)
    ]


@pytest.mark.skipif(not PRINTED.exists(), reason="the printed tables are not here")
@pytest.mark.parametrize("size", [4, 6, 10])
def test_equal_to_the_printed_table(size):
    printed_rounds = json.loads(PRINTED.read_text())["tables"][str(size)]
    rounds = [[list(board) for board in boards] for boards in build_berger_table(size)]
    assert rounds == printed_rounds


def test_the_table_of_six_by_hand():
    assert build_berger_table(6) == [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ]


def test_the_opponent_of_the_missing_number_has_the_bye():
    rounds = build_berger_table(5)
    assert [find_bye(boards, 5) for boards in rounds] == [1, 4, 2, 5, 3]
    assert rounds[0] == [(2, 5), (3, 4)]
    assert find_bye(build_berger_table(6)[0], 6) is None


def test_a_double_round_robin_of_four_by_hand():
    assert build_berger_table(4, cycles=2) == [
        [(1, 4), (2, 3)],
        [(2, 4), (3, 1)],
        [(4, 3), (1, 2)],
        [(4, 1), (3, 2)],
        [(3, 4), (2, 1)],
        [(4, 2), (1, 3)],
    ]


@pytest.mark.parametrize("cycles", [1, 2])
@pytest.mark.parametrize("size", SIZES)
def test_everybody_meets_everybody(size, cycles):
    rounds = build_berger_table(size, cycles=cycles)
    assert len(rounds) == cycles * (size - 1 + size % 2)
    meetings = Counter(frozenset(board) for boards in rounds for board in boards)
    expected_pairs = map(frozenset, combinations(range(1, size + 1), 2))
    assert meetings == Counter(dict.fromkeys(expected_pairs, cycles))
    for boards in rounds:
        seated_numbers = [number for board in boards for number in board]
        assert len(seated_numbers) == len(set(seated_numbers)) == size - size % 2


@pytest.mark.parametrize("size", SIZES)
def test_colours_are_balanced(size):
    for number in range(1, size + 1):
        single = Counter(_colours(build_berger_table(size), number))
        assert abs(single["w"] - single["b"]) == 1 - size % 2
        double = Counter(_colours(build_berger_table(size, cycles=2), number))
        assert double["w"] == double["b"]


@pytest.mark.parametrize("size", SIZES)
def test_two_players_have_each_colour_once_in_a_double_round_robin(size):
    rounds = build_berger_table(size, cycles=2)
    boards = [board for boards in rounds for board in boards]
    assert len(set(boards)) == len(boards) == size * (size - 1)


@pytest.mark.parametrize("size", SIZES)
def test_nobody_has_a_colour_three_times_in_a_row(size):
    rounds = build_berger_table(size, cycles=2)
    for number in range(1, size + 1):
        runs = (len([*run]) for _, run in groupby(_colours(rounds, number)))
        assert max(runs) <= 2


@pytest.mark.parametrize("size", [6, 7])
def test_reversed_colours_exchange_every_board(size):
    for boards, reversed_boards in zip(
        build_berger_table(size, cycles=2),
        build_berger_table(size, cycles=2, is_reversed=True),
        strict=True,
    ):
        assert reversed_boards == [(black, white) for white, black in boards]


def test_the_last_number_alternates_in_a_single_round_robin():
    colours = _colours(build_berger_table(12), 12)
    assert all(colour != next_colour for colour, next_colour in pairwise(colours))


@pytest.mark.parametrize(("size", "cycles"), [(2, 1), (41, 1), (6, 0), (6, 3)])
def test_other_sizes_have_no_table(size, cycles):
    with pytest.raises(ValueError, match="No Berger table"):
        build_berger_table(size, cycles=cycles)


@pytest.mark.parametrize("size", range(4, 41, 2))
def test_equal_to_gacrux(size):
    gacrux_berger = pytest.importorskip("gacrux.berger")
    pairing = gacrux_berger.bergertables(size)["pairing"]
    rounds = [
        [(board["white"], board["black"]) for board in pairing[number].values()]
        for number in range(1, size)
    ]
    assert build_berger_table(size) == rounds


@pytest.mark.parametrize("size", range(4, 41, 2))
def test_equal_to_caissify(size):
    engine = pytest.importorskip("caissify_pairings.engines.round_robin")
    assert build_berger_table(size) == engine.berger_schedule(size)
