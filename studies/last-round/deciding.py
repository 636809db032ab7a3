"""What the last round is like: a metric of whole tournaments."""

import numpy as np

from pairopt.lab.simulating import Tournament


class LastRound:
    """Of the last round: `last_floats`, its matches across score groups; `leaders_apart`, 1 if a
    player with the most points does not meet one with as many, where there are at least two;
    `last_third`, players whose side difference or streak is 3 or more after it, and
    `last_unbalanced`, those whose side difference is 2 or more."""

    kind = "last_round"
    columns = ("last_floats", "leaders_apart", "last_third", "last_unbalanced")
    ranges = dict.fromkeys(columns, (0, "players")) | {"leaders_apart": (0, 1)}

    def __call__(self, played: Tournament, /):
        made = played.pairings[-1]
        state, arcs = made.problem.state, made.arcs
        one, two = arcs.first[arcs.match], arcs.second[arcs.match]
        apart = state.score[one] != state.score[two]
        top = state.score.max()
        leads = np.maximum(state.score[one], state.score[two]) == top
        # one float of an odd group of leaders cannot be helped
        needed = int((state.score == top).sum() % 2)
        bias, streak = state.bias.copy(), state.streak.copy()
        for side, players in enumerate((one, two)):
            bias[players] += 1 - 2 * side
            streak[players] = np.where(state.last_side[players] == side, streak[players] + 1, 1)
        difference = np.abs(bias)
        return {
            "last_floats": int(apart.sum()),
            "leaders_apart": int((apart & leads).sum() > needed),
            "last_third": int(((difference >= 3) | (streak >= 3)).sum()),
            "last_unbalanced": int((difference >= 2).sum()),
        }


last_round = LastRound()
