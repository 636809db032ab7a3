"""Fields whose histories pairopt did not make: same kind and number, same event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from random import Random

import networkx
import pandas as pd

import pairopt
from pairopt.event.event import Event
from pairopt.event.forbidden_pairs import ForbiddenMeeting
from pairopt.event.settings import SeparationRule

COLUMNS = ("round", "player1", "player2", "side1", "score1", "score2", "status")
SIDED = ("white", "black")
SIDES = ("alternating", "by coin", "all equal")
FORBIDDEN = 300_000
"""So many pairs are forbidden at most: a table of more is no event's."""
Points = dict[str, float]
Order = Callable[[list[str], Points, Random], list[str]]
"""Players in the order in which neighbours meet, by their points."""
Scores = Callable[[str, str, Random], tuple[float, float]]
"""What two players who meet get."""
Span = tuple[int, int]


@dataclass(frozen=True)
class Field:
    """An event in words; `model` where it is to be paired by this one."""

    name: str
    event: Event
    model: str | None = None


def by_lot(players: list[str], points: Points, chance: Random) -> list[str]:
    """Anybody meets anybody."""
    return chance.sample(players, len(players))


def monrad(players: list[str], points: Points, chance: Random) -> list[str]:
    """Neighbours in the standings."""
    return sorted(by_lot(players, points, chance), key=lambda player: -points[player])


def dutch(players: list[str], points: Points, chance: Random) -> list[str]:
    """In each score group the upper half meets the lower."""
    order: list[str] = []
    groups: dict[float, list[str]] = {}
    for player in sorted(players, key=lambda player: int(player[1:])):
        groups.setdefault(points[player], []).append(player)
    for score in sorted(groups, reverse=True):
        half = (len(groups[score]) + 1) // 2
        upper, lower = groups[score][:half], groups[score][half:]
        order += [p for both in zip(upper, lower, strict=False) for p in both]
        order += upper[len(lower) :]
    return order


def by_hand(players: list[str], points: Points, chance: Random) -> list[str]:
    """Neighbours in the standings, with players put in wrong places."""
    order = monrad(players, points, chance)
    for _ in range(len(order) // 12):
        order.insert(
            chance.randrange(len(order)), order.pop(chance.randrange(len(order)))
        )
    return order


ORDERS: tuple[Order, ...] = (by_lot, monrad, dutch, by_hand)


def never_twice() -> Order:
    """By lot among those who have not met, as long as that pairs everybody."""
    met: set[frozenset[str]] = set()

    def never_twice(players: list[str], points: Points, chance: Random) -> list[str]:
        there = chance.sample(players, len(players))
        graph = networkx.Graph()
        graph.add_nodes_from(range(len(there)))
        graph.add_weighted_edges_from(
            (one, two, chance.randrange(100))
            for one, two in combinations(range(len(there)), 2)
            if frozenset((there[one], there[two])) not in met
        )
        # not rustworkx, whose answer is another in every process
        matched = networkx.max_weight_matching(graph, maxcardinality=True)
        seated = [there[k] for pair in sorted(map(sorted, matched)) for k in pair]
        order = seated + [player for player in there if player not in seated]
        met.update(frozenset(pair) for pair in list(pairwise(order))[::2])
        return order

    return never_twice


def shared(draws: float, won: float = 0.55) -> Scores:
    """2 points a match: a share is drawn, of the others the first player has won so many."""

    def scores(one: str, two: str, chance: Random) -> tuple[int, int]:
        score = 1 if chance.random() < draws else 2 * (chance.random() < won)
        return score, 2 - score

    return scores


def of_the_match(one: str, two: str, chance: Random) -> tuple[float, float]:
    """Each match has points of its own."""
    return round(chance.uniform(0, 10), 3), round(chance.uniform(0, 10), 3)


def of_the_player(worth: Points) -> Scores:
    """A win is worth what the player who has won is worth."""

    def scores(one: str, two: str, chance: Random) -> tuple[float, float]:
        return (worth[one], 0) if chance.random() < 0.5 else (0, worth[two])

    return scores


@dataclass(frozen=True)
class History:
    """How rounds were paired and ended; `byes` is the share who ask for one in each."""

    order: Order
    sides: str
    scores: Scores
    byes: float = 0.0

    def event(self, players: int, played: int, chance: Random) -> Event:
        """An event after so many rounds."""
        names = [f"p{k}" for k in range(players)]
        points: Points = dict.fromkeys(names, 0)
        last = dict.fromkeys(names, 0)
        rows: list[tuple[object, ...]] = []
        for number in range(1, played + 1):
            away = dict.fromkeys(p for p in names if chance.random() < self.byes)
            rows += [
                (number, player, None, None, 1, None, "requested") for player in away
            ]
            for player in away:
                points[player] += 1
            there = self.order(
                [player for player in names if player not in away], points, chance
            )
            if len(there) % 2:
                rows.append((number, there[-1], None, None, 2, None, "bye"))
                points[there.pop()] += 2
            for one, two in list(pairwise(there))[::2]:
                if (self.sides == "alternating" and last[one] > last[two]) or (
                    self.sides == "by coin" and chance.random() < 0.5
                ):
                    one, two = two, one
                last[one], last[two] = number, 0
                score1, score2 = self.scores(one, two, chance)
                forfeit = score1 != score2 and chance.random() < 0.03
                status = "forfeit" if forfeit else None
                rows.append((number, one, two, SIDED[0], score1, score2, status))
                points[one] += score1
                points[two] += score2
        ratings = [chance.randint(1000, 2400) for _ in names]
        listed = pd.DataFrame({"player": names, "rating": ratings, "active": "yes"})
        event = pairopt.read_event(
            pd.DataFrame(rows, columns=list(COLUMNS), dtype=object), listed
        )
        return replace(event, settings=replace(event.settings, rounds=played + 3))


def mixed(chance: Random, sizes: Span, rounds: Span = (1, 14)) -> Field:
    """Any order, sides, draws and byes."""
    players, played = chance.randint(*sizes), chance.randint(*rounds)
    order, sides = chance.choice(ORDERS), chance.choice(SIDES)
    draws, byes = chance.choice((0, 0.1, 0.3, 0.6)), chance.choice((0, 0.05, 0.3))
    event = History(order, sides, shared(draws), byes).event(players, played, chance)
    said = f"{players} players, {played} rounds {order.__name__}, sides {sides}, "
    return Field(f"{said}{draws:.0%} draws, {byes:.0%} byes", event)


def distinct(chance: Random, sizes: Span) -> Field:
    """Hardly two players have the same score: each match or each player has points of its own."""
    players, played = chance.randint(*sizes), chance.randint(1, 9)
    order, sides = chance.choice(ORDERS), chance.choice(SIDES)
    worth = {f"p{k}": round(chance.uniform(0.1, 10), 3) for k in range(players)}
    whose, scores = chance.choice(
        (("match", of_the_match), ("player", of_the_player(worth)))
    )
    event = History(order, sides, scores).event(players, played, chance)
    said = f"{players} players, {played} rounds {order.__name__}, sides {sides}, "
    return Field(f"{said}points of each {whose}", event)


def clubs(chance: Random, sizes: Span) -> Field:
    """Three big clubs whose players are kept apart, always or where the model's levels allow."""
    field = mixed(chance, sizes, (1, 9))
    members = chance.choices("abc", (40, 35, 25), k=len(field.event.players))
    place = chance.choice((None, 1, 2))
    event = replace(
        field.event,
        columns={**field.event.columns, "club": tuple(members)},
        settings=replace(field.event.settings, apart=(SeparationRule("club", place),)),
    )
    said = "always" if place is None else f"as criterion {place}"
    return Field(f"{field.name}, three clubs apart {said}", event)


def forbidden(chance: Random, sizes: Span) -> Field:
    """Many pairs are forbidden."""
    field = mixed(chance, sizes, (1, 9))
    pairs = list(combinations(range(len(field.event.players)), 2))
    share = chance.choice((0.05, 0.3, 0.6, 0.9))
    drawn = chance.sample(pairs, min(round(share * len(pairs)), FORBIDDEN))
    name = f"{field.name}, {len(drawn) / len(pairs):.0%} of all pairs forbidden"
    pairs = tuple(ForbiddenMeeting(*pair) for pair in sorted(drawn))
    return Field(name, replace(field.event, prohibited=pairs))


def late(chance: Random, sizes: Span) -> Field:
    """Hardly anybody is left to meet: 12 players after 9 rounds, 20 after 17 and the like."""
    players = chance.randint(*sizes)
    played = max(1, players - chance.randint(2, 5))
    sides, draws = chance.choice(SIDES), chance.choice((0, 0.1, 0.3, 0.6))
    event = History(never_twice(), sides, shared(draws)).event(players, played, chance)
    said = f"{players} players, {played} rounds without a rematch, sides {sides}"
    return Field(f"{said}, {draws:.0%} draws", event)


def cliff(chance: Random, sizes: Span) -> Field:
    """Neighbours in the standings, ties by lot, sides by coin, 40% won, drawn 20%, lost 40%."""
    players = chance.randint(*sizes)
    event = History(monrad, "by coin", shared(0.2, 0.5)).event(players, 5, chance)
    return Field(
        f"{players} players, 5 rounds monrad, sides by coin", event, "excalibur"
    )


KINDS: dict[str, tuple[Callable[[Random, Span], Field], Span, bool]] = {
    "mixed": (mixed, (40, 400), True),
    "distinct": (distinct, (40, 400), True),
    "clubs": (clubs, (40, 400), True),
    "forbidden": (forbidden, (40, 400), True),
    "late": (late, (6, 24), False),
    "cliff": (cliff, (500, 1200), True),
}
"""How each kind is drawn, of so many players, and whether another number of them may be asked."""


def drawn(number: int, kind: str = "mixed", sizes: Span | None = None) -> Field:
    """The field of that kind and number."""
    draw, usual, free = KINDS[kind]
    chance = Random(number) if kind == "mixed" else Random(f"{kind} {number}")
    field = draw(chance, sizes if sizes is not None and free else usual)
    said = f"{number}: " if kind == "mixed" else f"{kind} {number}: "
    return replace(field, name=said + field.name)
