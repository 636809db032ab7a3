"""Odd sets: cuts and lower bounds from sets with an odd number of players.

At least one match crosses such a set (Edmonds' odd-set inequalities). A linear
relaxation does not see it: it matches three players to each other by halves. The sets
here are those that a level would keep apart, for example score groups: the components
of types under the columns that cost the level nothing. The parity of the number of
crossing matches becomes an equation.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pairopt.engines.allowed_arcs import AllowedArcs, Reach
from pairopt.event.arcs import BoolArray, IntArray

MOST_SETS = 100  # components, up to which prefixes of their chain are sets, too


def find_odd_set_cuts(
    columns: AllowedArcs, index: IntArray, costs: Iterable[IntArray]
) -> Iterator[tuple[IntArray, int]]:
    """Yield sets of players that levels keep apart, each as a cut.

    A cut is the columns that cross the set, and the number of its players. `index`
    lists the columns that may be used; the crossing columns are positions in it. For
    each array of `costs`, the sets are the components under columns that cost nothing,
    and prefixes of the chain of these components. Sets of a single type are left out.
    """
    first_types, second_types = columns.a[index], columns.b[index]
    type_sizes = np.append(columns.size, int(columns.odd))
    seen_set_bytes = set()
    for level_cost in costs:
        is_cost_free = level_cost[index] == 0
        component_of_type = component_of(
            len(type_sizes), first_types[is_cost_free], second_types[is_cost_free]
        )
        types_per_component = np.bincount(component_of_type, minlength=len(type_sizes))
        joins_two_components = (
            component_of_type[first_types] != component_of_type[second_types]
        )
        masks_of_type_sets = [
            component_of_type == component_number
            for component_number in np.flatnonzero(types_per_component > 1)
        ]
        masks_of_type_sets += _list_prefix_sets(
            component_of_type,
            component_of_type[first_types[joins_two_components]],
            component_of_type[second_types[joins_two_components]],
        )
        for is_type_in_set in masks_of_type_sets:
            set_bytes = is_type_in_set.tobytes()
            if set_bytes in seen_set_bytes:
                continue
            seen_set_bytes.add(set_bytes)
            crosses_set = joins_two_components & (
                is_type_in_set[first_types] != is_type_in_set[second_types]
            )
            yield np.flatnonzero(crosses_set), int(type_sizes[is_type_in_set].sum())


def _list_prefix_sets(
    component: IntArray, starts: IntArray, ends: IntArray
) -> list[BoolArray]:
    """Return the unions of the first 2, 3, ... components of each chain of them.

    `component`, shape (types,), is the component of each type, and a set is a mask of
    types. Columns join the components starts[k] and ends[k]. A chain goes through all
    components that they connect, in breadth-first order from one end; the union of all
    of them is left out. There are no sets if fewer than 3 components are joined, or
    more than `MOST_SETS`.
    """
    neighbours_of_component: dict[int, set[int]] = {}
    for start_component, end_component in zip(
        starts.tolist(), ends.tolist(), strict=True
    ):
        neighbours_of_component.setdefault(start_component, set()).add(end_component)
        neighbours_of_component.setdefault(end_component, set()).add(start_component)
    if not 2 < len(neighbours_of_component) <= MOST_SETS:
        return []
    prefix_set_masks, remaining_components = [], set(neighbours_of_component)
    while remaining_components:
        chain_end = _breadth_first_order(
            neighbours_of_component, min(remaining_components)
        )[-1]
        component_chain = _breadth_first_order(neighbours_of_component, chain_end)
        is_type_in_set = component == component_chain[0]
        for component_number in component_chain[1:-1]:
            is_type_in_set = is_type_in_set | (component == component_number)
            prefix_set_masks.append(is_type_in_set)
        remaining_components -= set(component_chain)
    return prefix_set_masks


def _breadth_first_order(neighbours: dict[int, set[int]], start: int) -> list[int]:
    """Return the nodes that a breadth-first search reaches from `start`, in its order.

    `start` is the first of them; neighbours of a node are taken in ascending order.
    """
    reached_nodes = [start]
    for reached_node in reached_nodes:
        reached_nodes += sorted(neighbours[reached_node] - set(reached_nodes))
    return reached_nodes


def component_of(n: int, a: IntArray, b: IntArray) -> IntArray:
    """Return the connected component of each of n nodes under the edges a[k] - b[k].

    Components are numbered from 0, in the order of their least nodes. A node without
    edges is one by itself.
    """
    label_of_node = np.arange(n)
    while True:
        labels_of_a_ends, labels_of_b_ends = label_of_node[a], label_of_node[b]
        if np.array_equal(labels_of_a_ends, labels_of_b_ends):
            break
        lower_labels, higher_labels = (
            np.minimum(labels_of_a_ends, labels_of_b_ends),
            np.maximum(labels_of_a_ends, labels_of_b_ends),
        )
        np.minimum.at(label_of_node, higher_labels, lower_labels)
        label_of_node = label_of_node[label_of_node]
    return np.asarray(np.unique(label_of_node, return_inverse=True)[1], np.int64)


def max_level_block(columns: AllowedArcs, reach: Reach) -> int:
    """Return an upper bound of how many next levels can all be at their lower bound.

    `reach`, shape (columns,), says for how many next levels each column costs as little
    as the cheapest, -1 for columns that are not alive. If k levels are at their lower
    bound, only columns with at least the reach k are used. They must leave no component
    with an odd number of vertices, the players and the bye, because it has no perfect
    matching. Returns -1 if even all columns alive leave one, so that there is no
    pairing.
    """
    type_sizes = np.concatenate([columns.size, [int(columns.odd)]])
    type_count = len(type_sizes)
    reach_of_type_pair = np.full((type_count, type_count), -1, np.int8)
    np.maximum.at(
        reach_of_type_pair.reshape(-1), columns.a * type_count + columns.b, reach
    )
    reach_of_type_pair = np.maximum(reach_of_type_pair, reach_of_type_pair.T)
    # everybody needs a column
    reach_bound = int(reach_of_type_pair.max(axis=1)[type_sizes > 0].min())
    odd_type_bits = _pack_rows_to_bits(type_sizes[None] % 2 == 1)[0]
    for level_count in range(reach_bound, -1, -1):
        if _has_even_components(
            _pack_rows_to_bits(reach_of_type_pair >= level_count), odd_type_bits
        ):
            return level_count
    return -1


def _pack_rows_to_bits(rows: BoolArray) -> list[int]:
    """Return each row of a matrix as an integer, its first entry as the lowest bit."""
    packed_bytes = np.packbits(rows, axis=1, bitorder="little").tobytes()
    bytes_per_row = -(-rows.shape[1] // 8)
    byte_offsets = range(0, len(packed_bytes), bytes_per_row)
    return [
        int.from_bytes(
            packed_bytes[byte_offset : byte_offset + bytes_per_row], "little"
        )
        for byte_offset in byte_offsets
    ]


def _has_even_components(neighbours: Sequence[int], odd_nodes: int) -> bool:
    """Return whether each connected component has an even number of certain nodes.

    Sets of nodes are bits of integers: `odd_nodes` is the set of the nodes that count,
    and neighbours[v] the set of the neighbours of node v. Components without such a
    node have 0 of them.
    """
    while odd_nodes:
        component_bits = unexplored_bits = odd_nodes & -odd_nodes
        while unexplored_bits:
            explored_node = unexplored_bits.bit_length() - 1
            new_neighbours = neighbours[explored_node] & ~component_bits
            component_bits |= new_neighbours
            unexplored_bits = unexplored_bits ^ 1 << explored_node | new_neighbours
        if (component_bits & odd_nodes).bit_count() % 2:
            return False
        odd_nodes &= ~component_bits
    return True


def odd_set_lower_bound(columns: AllowedArcs, alive: BoolArray, cost: IntArray) -> int:
    """Return a lower bound of a level's value from its odd components.

    A match crosses each component of an odd number of players under the columns that
    cost nothing; it costs at least as much as the cheapest other column, and crosses at
    most two of them. `cost`, shape (columns,), is not negative, and `alive` is a mask
    of the columns that may be used. The bound is 0 if no column alive costs anything.
    """
    has_cost, is_cost_free = alive & (cost > 0), alive & (cost == 0)
    type_sizes = np.append(columns.size, int(columns.odd))
    component_of_type = component_of(
        len(type_sizes), columns.a[is_cost_free], columns.b[is_cost_free]
    )
    players_per_component = np.bincount(component_of_type, type_sizes)
    odd_component_count = int((players_per_component % 2).sum())
    if not has_cost.any():
        return 0
    # one match can cross two of them
    return (odd_component_count + 1) // 2 * int(cost[has_cost].min())
