"""Alternating: who could be left alone instead of somebody, by a change of partners. Source: J.
Edmonds, Paths, trees, and flowers (1965): a tree of alternating paths, in which odd cycles are
shrunk to their base."""

from __future__ import annotations


def exchangeable(  # noqa: C901 - one search, one loop
    opponents: list[set[int]], mate: list[int], root: int
) -> tuple[int, ...]:
    """`root`, whom a maximum matching leaves alone, and who could be left alone instead."""
    n = len(mate)
    parent, base, outer = [-1] * n, list(range(n)), [False] * n
    queue, outer[root] = [root], True

    def common_base(one: int, two: int) -> int:
        passed = set()
        while True:
            one = base[one]
            passed.add(one)
            if mate[one] == -1:
                break
            one = parent[mate[one]]
        while base[two] not in passed:
            two = parent[mate[base[two]]]
        return base[two]

    def mark(blossom: set[int], one: int, top: int, child: int) -> None:
        while base[one] != top:
            blossom |= {base[one], base[mate[one]]}
            parent[one], child = child, mate[one]
            one = parent[mate[one]]

    for one in queue:
        for two in opponents[one]:
            if base[one] == base[two] or mate[one] == two:
                continue
            if two == root or (mate[two] != -1 and parent[mate[two]] != -1):
                top, blossom = common_base(one, two), set[int]()
                mark(blossom, one, top, two)
                mark(blossom, two, top, one)
                for each in range(n):
                    if base[each] in blossom:
                        base[each] = top
                        if not outer[each]:
                            outer[each] = True
                            queue.append(each)
            elif parent[two] == -1:
                parent[two] = one
                outer[mate[two]] = True
                queue.append(mate[two])
    return tuple(p for p in range(n) if outer[p])
