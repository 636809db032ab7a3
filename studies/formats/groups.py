"""A format of two stages: groups of four, then a knockout of the better halves."""

import numpy as np

from pairopt.event.brackets import seeding

SIZE = 4
ROUNDS = SIZE - 1
TABLE = (((0, 3), (1, 2)), ((3, 2), (0, 1)), ((1, 3), (2, 0)))
"""Berger's table of four players."""


class GroupsThenKnockout:
    """Groups by a serpentine of the starting numbers, three rounds all against all; then the first
    two of each group, seeded by their points and starting numbers, in a knockout."""

    kind = "groups_then_knockout"
    partial = True

    def __call__(self, event, seed, /):
        order = np.argsort(event.start_numbers, kind="stable").tolist()
        count = len(order) // SIZE
        groups = [[order[row * count + (g if row % 2 == 0 else count - 1 - g)]
                   for row in range(SIZE)] for g in range(count)]  # fmt: skip
        if event.round <= ROUNDS:
            pairs = [(group[a], group[b]) for group in groups for a, b in TABLE[event.round - 1]]
            return [(event.players[a], event.players[b]) for a, b in pairs]
        points = self._points(event)
        place = event.start_numbers
        ahead = [sorted(group, key=lambda p: (-points[p], place[p]))[:2] for group in groups]
        seeds = sorted((p for two in ahead for p in two), key=lambda p: (-points[p], place[p]))
        return self._knockout(event, seeds)

    def _points(self, event):
        rows = event.matches.take(event.matches.round <= ROUNDS)
        total = np.zeros(len(event.players))
        np.add.at(total, rows.first, rows.score1)
        np.add.at(total, rows.second, rows.score2)
        return total

    def _knockout(self, event, seeds):
        slots = [seeds[s - 1] for s in seeding(len(seeds))]
        for number in range(ROUNDS + 1, event.round):
            if len(slots) == 1:
                return []
            rows = event.matches.take(event.matches.round == number)
            won = {}
            columns = (rows.first, rows.second, rows.score1, rows.score2)
            for a, b, x, y in zip(*(column.tolist() for column in columns), strict=True):
                won[frozenset((a, b))] = a if (x, seeds.index(b)) > (y, seeds.index(a)) else b
            slots = [won[frozenset(pair)] for pair in zip(slots[::2], slots[1::2], strict=True)]
        if len(slots) == 1:
            return []
        turn = 1 if event.round % 2 else -1
        return [tuple(event.players[p] for p in pair[::turn])
                for pair in zip(slots[::2], slots[1::2], strict=True)]  # fmt: skip


groups_then_knockout = GroupsThenKnockout()
