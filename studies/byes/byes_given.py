"""Who has the byes: a metric of whole tournaments."""

import numpy as np

from pairopt.lab.simulating import Tournament


class ByesGiven:
    """Of all byes of a tournament the parts that went to a player of the fewest points in the round
    (`bye_lowest`), and of the fewest among those without a bye before (`bye_lowest_without`);
    `second_bye` is 1 if anybody had two, else 0."""

    kind = "byes_given"
    columns = ("bye_lowest", "bye_lowest_without", "second_bye")
    ranges = dict.fromkeys(columns, (0, 1))

    def __call__(self, played: Tournament, /):
        lowest, without, second, count = 0, 0, 0, 0
        had = np.zeros(len(played.strength), np.bool_)
        for made in played.pairings:
            state, arcs = made.problem.state, made.arcs
            here = ~had[state.player]
            for k in arcs.first[arcs.bye].tolist():
                count += 1
                lowest += bool(state.score[k] == state.score.min())
                fewest = state.score[here].min() if here.any() else state.score.min()
                without += bool(state.score[k] == fewest and here[k])
                second += not here[k]
                had[state.player[k]] = True
        parts = (lowest / count, without / count) if count else (None, None)
        return dict(zip(self.columns, (*parts, int(second > 0)), strict=True))


byes_given = ByesGiven()
