"""Alternating paths: exchanges of partners, and what they say of all optimal pairings.

An alternating tree (J. Edmonds, Paths, trees, and flowers, 1965) finds the vertices
that a maximum matching may leave unmatched instead of another one. Shortest alternating
paths find the pairs of all optimal pairings: a pairing is optimal in a level if no
closed alternating walk, even one that uses a player twice, has a negative cost. The
lengths of shortest paths are duals then, and the pairs with zero reduced cost make up
the optimal pairings. Only these remain for the next level.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from pairopt.common.budget import Budget
from pairopt.event.arcs import BoolArray, IntArray

FAR = 2**60  # the cost of a pair that is not allowed


def find_exchangeable_vertices(
    opponents: Sequence[int], mate: list[int], root: int, removed: int = 0
) -> int:
    """Return the vertices that a maximum matching can leave out instead of the root.

    `mate` is each vertex's partner in a maximum matching, -1 for unmatched ones such as
    `root`. `opponents` holds each vertex's neighbours as bits of an integer; `removed`
    are bits of vertices to ignore. The result is bits, too, and includes the root. The
    search grows an alternating tree and shrinks each odd cycle to its base: J. Edmonds,
    Paths, trees, and flowers (1965).
    """
    parent_of_vertex, base_of_vertex = [-1] * len(mate), list(range(len(mate)))
    # vertices at an even distance from the root: they can be left unmatched
    even_vertex_bits, even_vertex_queue = 1 << root, [root]
    unreached_vertex_bits = ~(removed | even_vertex_bits)
    # the vertices of each blossom, by its base
    blossom_bits_by_base = dict[int, int]()

    def iterate_bases(vertex: int) -> Iterator[int]:
        """Yield the base of an even vertex, then those of even vertices above it.

        The last one is that of the root. A base stands for all vertices of its blossom;
        a vertex in no blossom is its own base.
        """
        vertex = base_of_vertex[vertex]
        yield vertex
        while mate[vertex] != -1:
            vertex = base_of_vertex[parent_of_vertex[mate[vertex]]]
            yield vertex

    def reverse_path(vertex: int, top: int, child: int) -> int:
        """Reverse the tree's path from a vertex up to `top`; return its vertices.

        The vertices are bits of an integer. `child` becomes the parent of the vertex,
        and so on up: `parent_of_vertex` is changed, so that paths can go round the odd
        cycle both ways. A blossom on the path counts with all its vertices; the base
        `top` does not count.
        """
        passed_vertex_bits = 0
        while base_of_vertex[vertex] != top:
            for base_node in (base_of_vertex[vertex], base_of_vertex[mate[vertex]]):
                passed_vertex_bits |= blossom_bits_by_base.get(
                    base_node, 1 << base_node
                )
            parent_of_vertex[vertex], child = child, mate[vertex]
            vertex = parent_of_vertex[child]
        return passed_vertex_bits

    for vertex in even_vertex_queue:
        # grow the tree over a vertex that is not in it, and its partner
        while neighbour_bits := opponents[vertex] & unreached_vertex_bits:
            neighbour = _lowest_set_bit(neighbour_bits)
            parent_of_vertex[neighbour] = vertex
            even_vertex_bits |= 1 << mate[neighbour]
            unreached_vertex_bits &= ~(1 << neighbour | 1 << mate[neighbour])
            even_vertex_queue.append(mate[neighbour])
        # shrink the odd cycle that an edge to another even vertex closes
        while cycle_end_bits := (
            opponents[vertex]
            & even_vertex_bits
            & ~blossom_bits_by_base.get(
                base_of_vertex[vertex], 1 << base_of_vertex[vertex]
            )
        ):
            neighbour = _lowest_set_bit(cycle_end_bits)
            bases_to_root = set(iterate_bases(vertex))
            common_base = next(
                base_node
                for base_node in iterate_bases(neighbour)
                if base_node in bases_to_root
            )
            shrunk_vertex_bits = reverse_path(vertex, common_base, neighbour)
            shrunk_vertex_bits |= reverse_path(neighbour, common_base, vertex)
            blossom_bits_by_base[common_base] = (
                blossom_bits_by_base.get(common_base, 1 << common_base)
                | shrunk_vertex_bits
            )
            even_vertex_queue += iterate_set_bits(
                shrunk_vertex_bits & ~even_vertex_bits
            )
            even_vertex_bits |= shrunk_vertex_bits
            for shrunk_vertex in iterate_set_bits(shrunk_vertex_bits):
                base_of_vertex[shrunk_vertex] = common_base
    return even_vertex_bits


def _lowest_set_bit(bits: int) -> int:
    """Return the position of the lowest bit that is set in a positive integer."""
    return (bits & -bits).bit_length() - 1


def iterate_set_bits(bits: int) -> Iterator[int]:
    """Yield the positions of the bits that are set in an integer, the lowest first."""
    while bits:
        yield _lowest_set_bit(bits)
        bits &= bits - 1


def pack_bits(row: BoolArray) -> int:
    """Return a mask of shape (n,) as an integer: bit k is set if entry k is True.

    `row` is the mask.
    """
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def index_pairs(
    first_players: IntArray, second_players: IntArray, matching: IntArray
) -> tuple[IntArray, IntArray]:
    """Return two tables: the number of any two players' pair, and their partners.

    The first, shape (players, players), holds the number k of the pair of
    first_players[k] and second_players[k], -1 for none; the second, shape (players,),
    everybody's partner in the perfect matching that consists of the pairs `matching`,
    given by their numbers.
    """
    partner_of_player = np.empty(2 * len(matching), np.int64)
    first_partners, second_partners = first_players[matching], second_players[matching]
    partner_of_player[first_partners], partner_of_player[second_partners] = (
        second_partners,
        first_partners,
    )
    pair_number_matrix = np.full((len(partner_of_player), len(partner_of_player)), -1)
    pair_number_matrix[first_players, second_players] = pair_number_matrix[
        second_players, first_players
    ] = np.arange(len(first_players))
    return pair_number_matrix, partner_of_player


def pairs_at_minimum_cost(
    costs: IntArray, number: IntArray, mate: IntArray, budget: Budget
) -> tuple[BoolArray, int]:
    """Return the pairs of all pairings that are optimal in the first levels.

    Returns a mask, shape (rows, columns), and the number of levels for which it holds.
    `costs` has shape (pairs, levels), `number`, shape (rows, columns), is the position
    of each pair in it, -1 for none, and `mate` the column of each row in an optimal
    pairing. Levels are certified in order by shortest paths: `mate` is optimal in a
    level if no closed alternating walk has a negative cost, and the distances are duals
    then. Pairs with zero reduced cost are those of the optimal pairings. The first
    level in which a walk is negative ends the count: a walk may use a player twice, if
    rows and columns are the same players. Raises TimeUpError.
    """
    is_possible_pair: BoolArray = number >= 0
    row_indices = np.arange(len(mate))
    for level_index, level_costs in enumerate(costs.T):
        if not level_costs.any():
            continue
        pair_cost_matrix = np.where(is_possible_pair, level_costs[number], FAR)
        mate_cost_of_row = pair_cost_matrix[row_indices, mate]
        # exchange_costs[i, j]: what it costs more if row i takes the partner of row j
        exchange_costs = pair_cost_matrix[:, mate] - mate_cost_of_row
        path_length_to_row, mate_total_cost = (
            np.zeros(len(mate), np.int64),
            mate_cost_of_row.sum(),
        )
        while True:
            shortened_path_lengths = (path_length_to_row[:, None] + exchange_costs).min(
                axis=0
            )
            if shortened_path_lengths.sum() >= path_length_to_row.sum():
                break
            budget.check()
            path_length_to_row = shortened_path_lengths
            # only a negative cycle can be shorter than all costs together
            if path_length_to_row.min() < -mate_total_cost:
                return is_possible_pair, level_index
        is_exchange_tight = (
            path_length_to_row[:, None] + exchange_costs == path_length_to_row
        )
        is_possible_pair = np.zeros_like(is_possible_pair)
        is_possible_pair[:, mate] = is_exchange_tight
    return is_possible_pair, costs.shape[1]
