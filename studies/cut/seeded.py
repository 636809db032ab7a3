"""What the seeding of a cut is worth: the chances of its players, without playing it.

Who has reached the cut is known after the Swiss rounds. Of a bracket and the chances of all matches
between its players the chance of each to win it follows exactly, by the places that winners and
losers may come from. That is done for the bracket that is seeded by the standings and for brackets
that a lot has seeded; ties in the standings are broken by the lot that seeds a cut in simulations.
"""

from functools import cache

import numpy as np

from pairopt.event.brackets import plan
from pairopt.lab.luck import Purpose, uniforms
from pairopt.lab.simulating import Tournament
from pairopt.lab.worlds import chances_of

PLAYERS = 8
LOTS = 24
"""So many brackets are seeded by lot for each tournament."""
LOT = 0x637574


class Seeded:
    """In single and double elimination of the first eight, seeded by the standings, less the mean
    of brackets that a lot seeds: the chance that the best player of all wins
    (`single_best`, `double_best`), that the first of the Swiss rounds does (`single_first`,
    `double_first`) and the eighth (`single_last`, `double_last`), and the mean rank by true
    strength of who wins (`single_rank`, `double_rank`)."""

    kind = "seeded"
    columns = tuple(f"{name}_{what}" for name in ("single", "double")
                    for what in ("best", "first", "last", "rank"))  # fmt: skip
    ranges = dict.fromkeys((name for name in columns if not name.endswith("rank")), (-1, 1))

    def __call__(self, played: Tournament, /):
        field, everybody = played.field, np.arange(len(played.strength))
        lot = uniforms(field.seed, field.replicate, Purpose.SEED, everybody)
        seeds = np.lexsort((lot, played.place))[::-1][:PLAYERS]
        wins = _wins(played, seeds)
        rank = 1 + (played.strength[None, :] > played.strength[seeds, None]).sum(axis=1)
        rng = np.random.default_rng([LOT, field.seed, field.replicate])
        orders = [rng.permutation(PLAYERS) for _ in range(LOTS)]
        found = {}
        for name, double in (("single", False), ("double", True)):
            by_lot = np.zeros(PLAYERS)
            for order in orders:
                by_lot[order] += champion(wins[np.ix_(order, order)], double) / LOTS
            gain = champion(wins, double) - by_lot
            found |= {
                f"{name}_best": float(gain[rank == 1].sum()),
                f"{name}_first": float(gain[0]),
                f"{name}_last": float(gain[-1]),
                f"{name}_rank": float(gain @ rank),
            }
        return found


def _wins(played, seeds):
    """The chance of each of the seeds to beat each other, shape (players, players)."""
    one, two = np.triu_indices(len(seeds), 1)
    a, b = seeds[one], seeds[two]
    met = played.field.met(played.field.world.rounds, a, b, np.zeros(len(a), np.int64))
    win, draw = chances_of(played.field.world.results, met)
    wins = np.zeros((len(seeds),) * 2)
    wins[one, two] = win + draw / 2
    wins[two, one] = 1 - wins[one, two]
    return wins


def champion(wins, double):
    """The chance of each seed to win a single or double elimination, shape (players,)."""
    winner, loser = _ways(len(wins), double)
    chances = wins[winner, loser].prod(axis=1)
    first, second = winner[:, -1], loser[:, -1]
    if not double:
        return np.bincount(first, chances, len(wins))
    # the unbeaten finalist has to be beaten twice: two finals, of which one is enough for them
    once = wins[second, first]
    ahead = np.bincount(first, chances * (1 - once**2) / wins[first, second], len(wins))
    return ahead + np.bincount(second, chances * once**2 / wins[first, second], len(wins))


@cache
def _ways(players, double):
    """Every way in which the matches may go: who wins and who loses each, arrays of shape
    (ways, matches). Of the finals of a double elimination there is one, which the unbeaten wins."""
    fixtures = plan(players, double)[: -1 if double else None]
    free = len(fixtures) - double
    upset = np.arange(2**free)[:, None] >> np.arange(len(fixtures)) & 1
    winner, loser = (np.zeros((2**free, len(fixtures)), np.int64) for _ in range(2))
    for k, fixture in enumerate(fixtures):
        seats = []
        for entrant in fixture.seats:
            before = {"winner": winner, "loser": loser}.get(entrant.come)
            at = entrant.number - 1
            seats.append(np.full(2**free, at) if before is None else before[:, at])
        winner[:, k], loser[:, k] = np.where(upset[:, k], seats[::-1], seats)
    return winner, loser


seeded = Seeded()
