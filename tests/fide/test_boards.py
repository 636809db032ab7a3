"""The order of boards (C.04.2, article 3.6; C.04.7, article 1.5), worked out from the articles."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from dutch_cases import BAKU, SECOND, player
from dutch_random import random_round
from dutch_round import Round

from pairopt import read_event, solve
from pairopt.cli import main
from pairopt.cli.fide import main as pairopt_fide
from pairopt.round.manual import check_manual_pairing

AFTER_ONE = (
    player(1, 0, "   4 w 0"),
    player(2, 1, "   5 b 1"),
    player(3, 1, "   6 w 1"),
    player(4, 1, "   1 b 1"),
    player(5, 0, "   2 w 0"),
    player(6, 0, "   3 b 0"),
    "XXR 5",
    "",
)


def in_order(given: Round, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Boards by the article: the higher one's score, the sum, the higher one's number."""

    def board(pair: tuple[int, int]) -> tuple[int, int, int]:
        higher = min(pair, key=lambda number: (-given.score(number), number))
        return -given.score(higher), -sum(map(given.score, pair)), higher

    return sorted(pairs, key=board)


def numbers(pairs: list[tuple[str, ...]]) -> list[tuple[int, int]]:
    return [(int(pair[0]), int(pair[1])) for pair in pairs if len(pair) == 2]


@pytest.mark.long
def test_random_rounds(tmp_path: Path) -> None:
    by_number = accelerated = 0
    for seed in range(120):
        given = random_round(seed, 20, 8)
        (tmp_path / "round.trf").write_text(given.trf())
        result = solve(read_event(tmp_path / "round.trf"), "fide-dutch")
        found = numbers(list(result.pairs))
        assert found == in_order(given, found)
        lower = [min(pair) for pair in found]
        tops = [min(pair, key=lambda n: (-given.score(n), n)) for pair in found]
        by_number += lower != tops
        accelerated += bool(given.virtual)
    assert min(by_number, accelerated) >= 10


def test_the_number_of_who_ranks_higher(tmp_path: Path) -> None:
    """Of two pairs with the same points that of 2 comes first, though 1 is in the other."""
    path = tmp_path / "open.trf"
    path.write_text("\n".join(AFTER_ONE))
    wanted = [("1", "3"), ("2", "6"), ("4", "5")]
    found = check_manual_pairing(read_event(path), wanted, model="fide-dutch")
    assert numbers(list(found.pairs)) == [(2, 6), (1, 3), (4, 5)]
    plain = check_manual_pairing(read_event(path), wanted, model="standard")
    assert numbers(list(plain.pairs)) == [
        (1, 3),
        (2, 6),
        (4, 5),
    ]  # in the order of the list


@pytest.mark.long
def test_virtual_points_count(tmp_path: Path) -> None:
    """1 has 2 points, 2 and 4 have 1½, 3 has 1, as 5 has, who alone of these won without any."""
    path = tmp_path / "baku.trf"
    path.write_text("\n".join([*SECOND, *BAKU, "XXR 8", "XXC white1", ""]))
    found = numbers(list(solve(read_event(path)).pairs))
    assert found == [(2, 1), (3, 4), (6, 5), (7, 8)]
    runner = CliRunner()
    shown = runner.invoke(main, ["solve", str(path), "--format", "trf-pairs"])
    said = [tuple(map(int, line.split())) for line in shown.stdout.splitlines()[1:]]
    assert said == found
    with pytest.raises(SystemExit, match="0"):
        pairopt_fide([str(path), "-p", str(tmp_path / "out")])
    lines = (tmp_path / "out").read_text().splitlines()[1:]
    assert [tuple(map(int, line.split())) for line in lines] == found
