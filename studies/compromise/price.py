"""What score groups cost in side balance, and the other way round, by proven frontiers.

In every round all compromises are found between matches across score groups (floats) and players
whose sides differ by two, the levels above both held at their optimum under `excalibur`
(docs/instruments.md).
"""

from pairopt.lab.frontier.frontier import frontier
from pairopt.lab.simulating import Tournament

OVER = ("score_groups", "side_difference:2")


class Price:
    """Of the rounds of a tournament, those after an even and an odd number of matches.

    `spared_even` and `spared_odd` are players of unequal sides that one float more than is needed
    spares at most, a round; `spared_all_*` what any number of floats spares; `points_*` how many
    compromises there are. In rounds of an odd number the matches before are even.
    """

    kind = "price"
    columns = tuple(f"{name}_{kind}" for kind in ("even", "odd")
                    for name in ("spared", "spared_all", "compromises"))  # fmt: skip

    def __call__(self, played: Tournament, /):
        found = {name: [] for name in self.columns}
        for made in played.pairings[1:]:
            event = made.problem.state.event
            one = frontier(event, OVER, "excalibur", last_round=False)
            if not one.complete or not one.points:
                continue
            kind = "even" if event.round % 2 == 0 else "odd"
            totals = [one.amounts(point.totals) for point in one.points]
            least, most = totals[0]
            near = min(sides for floats, sides in totals if floats <= least + 1)
            found[f"spared_{kind}"].append(most - near)
            found[f"spared_all_{kind}"].append(most - totals[-1][1])
            found[f"compromises_{kind}"].append(len(totals))
        return {name: sum(each) / len(each) for name, each in found.items() if each}


price = Price()
