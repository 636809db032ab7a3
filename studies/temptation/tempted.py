"""Whether a player does better with a worse result: a metric of whole tournaments.

After each round but the last, each result is exchanged, one at a time, and all opponents that the
player may then have in the next round are found, over all optimal pairings
(docs/instruments.md). A worse result helps certainly where every opponent after it is weaker, by
rating, than every one after the better result.
"""

from collections import Counter

from pairopt import incentive
from pairopt.lab.simulating import Tournament

CHANGES = {"losing": ("win", "loss"), "drawing": ("win", "draw")}
VERDICTS = ("certainly", "possibly", "never")
PARTS = ("early", "late", "top", "bottom")


class Temptation:
    """Shares of all results exchanged: `losing_certainly`, ..., `drawing_never`.

    Of a loss for a win besides: in the first and second half of the rounds (`early`, `late`), and
    of the upper and lower half of the ranking list (`top`, `bottom`); and the mean number of
    `opponents` that are possible after a result.
    """

    kind = "temptation"
    columns = (
        *(f"{change}_{verdict}" for change in CHANGES for verdict in VERDICTS),
        *(f"losing_certainly_{part}" for part in PARTS),
        "opponents",
    )

    def __call__(self, played: Tournament, /) -> dict[str, float | None]:
        rounds = len(played.pairings)
        count: Counter[str] = Counter()
        for made in played.pairings[1:]:
            event, model = made.problem.state.event, made.problem.model
            found = incentive(event, model, by="rating", last_round=event.round == rounds)
            middle = sorted(event.rating.tolist())[len(event.players) // 2]
            rating = dict(zip(event.players, event.rating.tolist(), strict=True))
            for one in found.prospects:
                where = ("late" if 2 * (event.round - 1) > rounds - 1 else "early",
                         "top" if rating[one.player] >= middle else "bottom")  # fmt: skip
                for change, (better, worse) in CHANGES.items():
                    said = one.helps(better, worse)
                    if said == "unknown":
                        continue
                    count[change] += 1
                    count[f"{change}_{said}"] += 1
                    if change == "losing":
                        count.update(where)
                        count.update(f"losing_certainly_{each}" for each in where
                                     if said == "certainly")  # fmt: skip
                sizes = [len(after.opponents) for after in one.after.values() if after.known]
                count["opponents"] += sum(sizes)
                count["sets"] += len(sizes)
        out_of = {f"{change}_{verdict}": change for change in CHANGES for verdict in VERDICTS}
        out_of |= {f"losing_certainly_{part}": part for part in PARTS} | {"opponents": "sets"}
        return {
            name: count[name] / count[whole] if count[whole] else None
            for name, whole in out_of.items()
        }


temptation = Temptation()
