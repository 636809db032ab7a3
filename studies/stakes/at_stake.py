"""What is at stake in the last round: a metric of whole tournaments.

Csató, Molontay and Pintér (International Transactions in Operational Research 31, 2024) call a
match weakly stakeless where one of its sides is indifferent to its result, and strongly where both
are, as their rank does not depend on it any more; the part of such matches tells schedules apart.
"""

import numpy as np

from pairopt.event.event import PLAYED
from pairopt.lab.simulating import Tournament

PLACES = {"cut": 8, "first": 1}
RESULTS = ((2, 0), (1, 1), (0, 2))
"""Of a match, in halves of a win."""


class AtStake:
    """Which part of the matches of the last round has a stake for both players, for one and for
    none: in a place among the first eight (`cut_both`, `cut_one`, `cut_none`) and in the first
    place (`first_both`, ...), by points, shared or not.

    A player has a stake if with some results of all other matches a win gives such a place and a
    loss does not. A draw is half a win here, forfeits are not foreseen."""

    kind = "at_stake"
    columns = tuple(f"{prize}_{who}" for prize in PLACES for who in ("both", "one", "none"))
    ranges = dict.fromkeys(columns, (0, 1))

    def __call__(self, played: Tournament, /):
        games, last = played.games, played.event.round - 1
        rows = games.take((games.round == last) & (games.status == PLAYED))
        scale = played.event.scale
        points = np.rint(played.points * scale).astype(np.int64) * 2
        np.subtract.at(points, rows.first, 2 * rows.score1)
        np.subtract.at(points, rows.second, 2 * rows.score2)
        half = int(played.field.world.points.win * scale)
        pairs = np.column_stack([rows.first, rows.second]).tolist()
        found = {}
        for prize, places in PLACES.items():
            count = [sum(stake(points.tolist(), pairs, match, seat, half, places)
                         for seat in (0, 1)) for match in range(len(pairs))]  # fmt: skip
            parts = [count.count(k) / len(count) if count else None for k in (2, 1, 0)]
            found |= dict(zip((f"{prize}_{who}" for who in ("both", "one", "none")), parts,
                              strict=True))  # fmt: skip
        return found


def stake(points, pairs, match, seat, half, places):
    """Whether the player on this seat of a match has a stake in one of the first places.

    `points` are those before the round; of the other matches each result puts so many of its two
    players above who has won and above who has lost: of all results that leave the winner a place
    those count that put most above the loser."""
    own, opponent = points[pairs[match][seat]], points[pairs[match][1 - seat]]
    won, lost = own + 2 * half, own
    playing = {player for pair in pairs for player in pair}
    idle = [score for player, score in enumerate(points) if player not in playing]
    above_won = sum(score > won for score in (*idle, opponent))
    above_lost = sum(score > lost for score in (*idle, opponent + 2 * half))
    # by how many are above who has won, the most that can be above who has lost
    most = {above_won: above_lost} if above_won < places else {}
    for number, (a, b) in enumerate(pairs):
        if number == match:
            continue
        ends = {(sum(end > won for end in both), sum(end > lost for end in both))
                for x, y in RESULTS for both in [(points[a] + x * half, points[b] + y * half)]
                }  # fmt: skip
        after = {}
        for high, low in most.items():
            for more, fewer in ends:
                if high + more < places:
                    after[high + more] = max(after.get(high + more, 0), low + fewer)
        most = after
    return max(most.values(), default=0) >= places


at_stake = AtStake()
