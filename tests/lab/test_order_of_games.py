"""Games of FIDE's systems are kept in the order in which the published studies have them."""

from __future__ import annotations

from pairopt.lab import World, simulate


def test_boards_of_the_handbook_change_no_study() -> None:
    world = World(players=16, rounds=4, rating_error=200.0)
    event = simulate("fide-dutch", world, seed=3).event
    rows = event.matches.paired_rows(1)
    pairs = [*zip(rows.first.tolist(), rows.second.tolist(), strict=True)]
    order = [min(pair) for pair in pairs]
    assert order == sorted(order)
    ranks = [int(event.start_numbers[[*pair]].min()) for pair in pairs]
    assert ranks != sorted(ranks)  # as boards would be
