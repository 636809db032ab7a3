"""When the first rematch comes: a metric of whole tournaments.

In a field of n players n - 1 rounds without a rematch are possible, n where n is odd and the bye is
one more opponent. Up to n / 2 rounds no pairing can force one in an even field: who have not met
make a graph in which everybody still has n / 2 neighbours, and such a graph has a perfect matching
(Dirac, "Some theorems on abstract graphs", Proceedings of the London Mathematical Society 3, 1952).
"""

import numpy as np

from pairopt.lab.simulating import Tournament


class Rematching:
    """`clean_part`: the rounds before the first rematch or second bye, of those that are possible.

    `rematch_by_half` and `rematch_by_three_quarters` are 1 if one came in so many of the possible
    rounds, rounded down, else 0; so are `rematch_before_last`, in all but one of them, and
    `rematch_at_all`."""

    kind = "rematching"
    columns = ("clean_part", "rematch_by_half", "rematch_by_three_quarters",
               "rematch_before_last", "rematch_at_all")  # fmt: skip
    ranges = dict.fromkeys(columns, (0, 1))

    def __call__(self, played: Tournament, /):
        games, n = played.games, len(played.strength)
        possible = n - 1 + n % 2
        low, high = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
        pair = (low + 1) * (n + 1) + high
        _, earliest = np.unique(pair, return_index=True)
        again = np.ones(len(pair), np.bool_)
        again[earliest] = False
        first = int(games.round[again].min(initial=possible + 1))
        clean = min(first - 1, possible)
        parts = (possible // 2, 3 * possible // 4, possible - 1, possible)
        return dict(zip(self.columns, (clean / possible, *(int(first <= part) for part in parts)),
                        strict=True))  # fmt: skip


rematching = Rematching()
