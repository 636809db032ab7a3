"""Compare all candidates of a small bracket.

If few pairs are left after the criteria of quality, listing all pairings takes less time
than a search for the first candidate. It also proves that the candidate is the first.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pairopt.fide.dutch.bracket_pairs import BracketPairs
from pairopt.fide.dutch.bracket_system import BracketSystem

# pairs of a bracket of which all pairings are listed; there are at most a few dozen
MOST_PAIRS = 16
# for each upper player, the possible pairs: its index, the lower player, and its costs
PairsByUpper = Mapping[int, Sequence[tuple[int, int, list[int]]]]


def find_first_pairing(system: BracketSystem, s: int, block: BracketPairs) -> list[int]:
    """Return the first pairing of group `s`'s bracket that has the block's values.

    "First" is the system's order of candidates. All such pairings are compared, so the
    block must have few pairs, and at least one pairing. The result is the indices of
    the pairs in the block.
    """
    pairs_by_upper = defaultdict(list)
    pair_columns = (block.a.tolist(), block.b.tolist(), block.costs.tolist())
    for pair_index, (upper_rank, lower_rank, pair_costs) in enumerate(
        zip(*pair_columns, strict=True)
    ):
        pairs_by_upper[upper_rank].append((pair_index, lower_rank, pair_costs))

    pairings = [
        *_iterate_pairings(
            block.vertices.tolist(), pairs_by_upper, block.values.tolist()
        )
    ]
    if len(pairings) == 1:
        return pairings[0]
    return min(
        pairings,
        key=lambda pairing: system.compute_order_values(
            s, block.a[pairing], block.b[pairing]
        ),
    )


def _iterate_pairings(
    vertices: list[int], pairs_by_upper: PairsByUpper, values: list[int]
) -> Iterator[list[int]]:
    """Yield all pairings of the vertices that cost no more than these values.

    `vertices` are in ascending order, and `pairs_by_upper` has the possible pairs of
    each upper vertex. The values are optimal, so that no pairing stays below them. Each
    item is the indices of the pairs; without vertices it is one empty list.
    """
    if not vertices:
        yield []
        return

    upper_vertex, *other_vertices = vertices
    for pair_index, lower_vertex, pair_costs in pairs_by_upper[upper_vertex]:
        remaining_values = [
            level_value - level_cost
            for level_value, level_cost in zip(values, pair_costs, strict=True)
        ]
        if lower_vertex in other_vertices and min(remaining_values, default=0) >= 0:
            unpaired_vertices = [
                vertex for vertex in other_vertices if vertex != lower_vertex
            ]
            for later_pairs in _iterate_pairings(
                unpaired_vertices, pairs_by_upper, remaining_values
            ):
                yield [pair_index, *later_pairs]
