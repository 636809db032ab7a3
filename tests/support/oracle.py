"""Brute-force oracle for one Swiss round.

Everything is computed straight from the definitions of the rules: exact fractions, no solver,
and every perfect matching is tried. It is meant for small fields (about ten players), as an
independent yardstick for the optimizer, and deliberately shares no code with it.

A pairing is a list of arcs: ``(first-side player, second-side player)``, or ``(player, None)`` for
the allocated bye. In a sideless event the order inside an arc means nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from mcmahon_literal import DEFAULTS as MCMAHON_DEFAULTS
from mcmahon_literal import Literal as LiteralMcMahon

Row = dict[str, object]
Player = dict[str, Any]
Model = dict[str, Any]

Arc = tuple[str, str | None]
Pairing = list[Arc]
Vector = dict[tuple[int | str, object], Fraction]
"""Nonzero levels, by the place of the criterion among those that apply, and the label."""

FIRST, SECOND = 1, -1
KNOWN_SIDES = (("corp", "runner"), ("white", "black"))
ONE = Fraction(1)


class Match(NamedTuple):
    """One row of the match list, parsed."""

    round: int
    player1: str
    player2: str | None
    side1: str | None
    score1: Fraction | None
    score2: Fraction | None
    status: str

    @property
    def played(self) -> bool:
        return (
            self.status == "" and self.player2 is not None and self.score1 is not None
        )


class Level(NamedTuple):
    """One level; in sorted order the most important level comes first."""

    place: int
    order: tuple[int, ...]
    label: int | str


class Term(NamedTuple):
    """What one arc adds to one level."""

    order: tuple[int, ...]
    label: int | str
    value: Fraction


@dataclass
class State:
    """What the rounds before say about one player."""

    score: Fraction
    meetings: Counter[str] = field(default_factory=Counter)
    met_as_first: Counter[str] = field(default_factory=Counter)
    sides: list[int] = field(default_factory=list)
    byes: int = 0
    floats: dict[int, int] = field(default_factory=dict)
    won_without_playing: bool = False


class Oracle:
    def __init__(
        self,
        matches: Sequence[Row],
        players: Sequence[Player],
        model: Model,
        *,
        force: Iterable[tuple[str, str]] = (),
        forbid: Iterable[tuple[str, str]] = (),
        bye: str | None = None,
        no_bye: Iterable[str] = (),
    ) -> None:
        self.constraints: dict[str, Any] = dict(model.get("constraints") or {})
        criteria: list[Parameters] = list(model.get("criteria") or [])
        _check_model(self.constraints, criteria)

        self.players = {str(player["player"]): player for player in players}
        history = sorted(
            (_parse(row) for row in matches), key=lambda match: match.round
        )
        self.round = 1 + max(
            (m.round for m in history if m.status != "requested"), default=0
        )
        _check_history(history, self.players, self.round)
        absent = {match.player1 for match in history if match.round == self.round}
        past = [match for match in history if match.round < self.round]

        self.first_label = _first_side(history, list(model.get("sides") or []))
        self.sided = self.first_label is not None
        self.criteria = [
            row for row in criteria if self.sided or not CRITERIA[row["kind"]].sided
        ]
        self.win = self._win_points(past, model.get("win"))
        self.past = past
        self.first_is_white = self.first_label != "black"
        self._mcmahon: dict[str, LiteralMcMahon] = {}
        self.states = self._read_states(past)

        # Active players, in the order of players.csv; their score groups and ranks.
        self.active = [
            name
            for name, player in self.players.items()
            if _is_active(player.get("active")) and name not in absent
            if not _is_finished(name, past, model)
        ]
        self.lowest = self._lowest_for_bye()
        scores = sorted({self.states[name].score for name in self.active}, reverse=True)
        self.group = {
            name: 1 + scores.index(self.states[name].score) for name in self.active
        }
        self.rank, self.group_size = self._read_ranks()

        self.force = [frozenset(pair) for pair in force]
        self.forbid = {frozenset(pair) for pair in forbid}
        self.bye = bye
        self.no_bye = set(no_bye)
        # A forced pair that is not in the round, or a forced bye where there is none.
        self.impossible = any(not pair <= set(self.active) for pair in self.force) or (
            bye is not None and len(self.active) % 2 == 0
        )

        self._price_arcs()

    # ------------------------------------------------------------------ the four answers

    def optimum(self) -> Vector | None:
        """The lexicographically least level vector of all legal pairings; None if there is none.

        Levels add up over the arcs and constraints look at one arc at a time, so the sides of a
        pair can be chosen for that pair alone: its best legal arc.
        """
        best_arc = {
            pair: sorted(arcs, key=lambda arc: self.costs[arc])[:1]
            for pair, arcs in self.legal_arcs.items()
        }
        totals = (
            self._total(pairing) for pairing in self._enumerate(self.active, best_arc)
        )
        best = min(totals, default=None)
        return None if best is None else self._as_vector(best)

    def vector(self, pairing: Sequence[Arc]) -> Vector:
        """The nonzero levels of a pairing, legal or not."""
        for arc in pairing:
            if arc not in self.costs:
                raise ValueError(f"not an arc of this round: {arc!r}")
        return self._as_vector(self._total(pairing))

    def legal(self, pairing: Sequence[Arc]) -> bool:
        """Every active player once, the right number of byes, and no constraint broken."""
        named = [name for arc in pairing for name in arc if name is not None]
        byes = sum(second is None for _, second in pairing)
        return (
            not self.impossible
            and sorted(named) == sorted(self.active)
            and byes == len(self.active) % 2
            and all(self._arc_is_legal(first, second) for first, second in pairing)
        )

    def pairings(self) -> Iterator[Pairing]:
        """Every legal pairing with its sides; in a sideless event every pair once."""
        return self._enumerate(self.active, self.legal_arcs)

    def optima(self) -> list[Pairing]:
        """All legal pairings with the least level vector, with their sides."""
        best, found = None, []
        for pairing in self.pairings():
            total = self._total(pairing)
            if best is None or total < best:
                best, found = total, []
            if total == best:
                found.append(pairing)
        return found

    # ------------------------------------------------------------------ enumeration

    def _enumerate(
        self, left: list[str], choices: dict[tuple[str, str | None], list[Arc]]
    ) -> Iterator[Pairing]:
        """Match the first player left with everyone in turn; an odd number left still needs a bye.

        ``choices`` holds the arcs to try for a pair, whose names are in the order of the field.
        """
        if self.impossible:
            return
        if not left:
            yield []
            return
        player, others = left[0], left[1:]
        partners: list[str | None] = [*others]
        if len(left) % 2 == 1:
            partners.append(None)
        for partner in partners:
            rest = [other for other in others if other != partner]
            for arc in choices[player, partner]:
                for tail in self._enumerate(rest, choices):
                    yield [arc, *tail]

    def _price_arcs(self) -> None:
        """Cost of every arc, and the legal arcs of every pair and bye.

        Costs become integer tuples, one place for each level in order of importance, so that
        tuples compare as the levels do. Each level has its own common denominator.
        """
        terms: dict[Arc, dict[Level, Fraction]] = {}
        self.legal_arcs: dict[tuple[str, str | None], list[Arc]] = {}
        for i, player in enumerate(self.active):
            partners: list[str | None] = [*self.active[i + 1 :], None]
            for partner in partners:
                arcs: list[Arc] = [(player, partner)]
                if self.sided and partner is not None:
                    arcs.append((partner, player))
                for first, second in arcs:
                    terms[first, second] = self._arc_levels(first, second)
                self.legal_arcs[player, partner] = [
                    a for a in arcs if self._arc_is_legal(*a)
                ]
                if not self.sided and partner is not None:
                    terms[partner, player] = terms[player, partner]

        self.levels = sorted({level for cost in terms.values() for level in cost})
        self.scales = [
            math.lcm(
                *(cost[level].denominator for cost in terms.values() if level in cost)
            )
            for level in self.levels
        ]
        self.costs: dict[Arc, tuple[int, ...]] = {
            arc: tuple(
                int(cost.get(level, Fraction(0)) * scale)
                for level, scale in zip(self.levels, self.scales, strict=True)
            )
            for arc, cost in terms.items()
        }

    def _arc_levels(self, first: str, second: str | None) -> dict[Level, Fraction]:
        levels: dict[Level, Fraction] = {}
        for place, given in enumerate(self.criteria):
            for term in CRITERIA[given["kind"]].rule(self, given, first, second):
                level = Level(place, term.order, term.label)
                levels[level] = levels.get(level, Fraction(0)) + term.value
        return levels

    def _total(self, pairing: Sequence[Arc]) -> tuple[int, ...]:
        zero = (0,) * len(self.levels)
        return tuple(
            map(sum, zip(zero, *(self.costs[arc] for arc in pairing), strict=True))
        )

    def _as_vector(self, total: tuple[int, ...]) -> Vector:
        return {
            (level.place, level.label): Fraction(amount, scale)
            for level, scale, amount in zip(
                self.levels, self.scales, total, strict=True
            )
            if amount
        }

    # ------------------------------------------------------------------ what rules read

    def cost_2025(self, corp: str, runner: str) -> Fraction:
        gap = self.states[corp].score - self.states[runner].score
        if not self.sided:
            return gap**2
        power = max(max(self.bias(corp), 0), abs(min(self.bias(runner), 0)))
        return gap**2 + 50**power + (5 if self.states[corp].meetings[runner] else 0)

    def gatherling_weight(
        self, first: str, second: str | None, highest: Fraction
    ) -> Fraction:
        bonus = (highest + 1) ** 4 + 1
        without = [self.states[p].score for p in self.active if not self.states[p].byes]
        one = self.states[first].score
        if self.times_before(first, second):
            return Fraction(0)
        if second is None:
            two = min(without)
            bonus *= 2 if one == two else 1
        else:
            two = self.states[second].score
        return (max(one, two) + 1) ** 2 * (highest - abs(one - two) + 1) ** 2 + bonus

    def bakert_weight(
        self, first: str, second: str | None, highest: Fraction
    ) -> Fraction:
        one = self.states[first].score
        two = Fraction(0) if second is None else self.states[second].score
        weight = (max(one, two) + 1) * (highest - abs(one - two) + 1)
        if second is None:
            counter = Counter({name: state.byes for name, state in self.states.items()})
            other: str | None = first
        else:
            listed = list(self.players)
            later, other = sorted((first, second), key=listed.index, reverse=True)
            counter = self.states[later].meetings + Counter(
                {"the bye": self.states[later].byes}
            )
        if counter[other] and counter[other] < max(counter.values()):
            weight += (highest + 1) ** 2 + 1
        return weight

    def _lowest_for_bye(self) -> set[str]:
        """Who has the bye first in Aesop's Tables of 2025."""
        rounds: Counter[str] = Counter()
        opponents: dict[str, list[str]] = {name: [] for name in self.players}
        for match in self.past:
            rounds.update(name for name in (match.player1, match.player2) if name)
            if match.played and match.player2:
                opponents[match.player1].append(match.player2)
                opponents[match.player2].append(match.player1)

        def mean(values: list[Fraction]) -> Fraction:
            return sum(values, Fraction(0)) / len(values) if values else Fraction(0)

        average = {
            name: self.states[name].score / rounds[name]
            if rounds[name]
            else Fraction(0)
            for name in self.players
        }
        sos = {
            name: mean([average[o] for o in opponents[name]]) for name in self.players
        }
        strength = {
            name: mean([sos[o] for o in opponents[name]]) for name in self.players
        }
        eligible = [p for p in self.active if not self.states[p].byes and opponents[p]]
        fewest = min((self.states[p].byes for p in self.active), default=0)
        eligible = eligible or [p for p in self.active if self.states[p].byes == fewest]
        keys = {p: (self.states[p].score, sos[p], strength[p]) for p in eligible}
        return {p for p in eligible if keys[p] == min(keys.values())}

    def major_order(self, group: int) -> list[str]:
        """The players of a group by difficulty, then by rating; ties keep the list's order."""
        balance: Counter[str] = Counter()
        opponents: dict[str, list[str]] = {name: [] for name in self.players}
        for match in self.past:
            one, two = match.player1, match.player2
            if two is None:
                balance[one] += match.status == "bye"
                continue
            opponents[one].append(two)
            opponents[two].append(one)
            won = _sign((match.score1 or Fraction(0)) - (match.score2 or Fraction(0)))
            balance[one] += won
            balance[two] -= won
        return sorted(
            [name for name in self.active if self.group[name] == group],
            key=lambda name: (
                -sum(balance[other] for other in opponents[name]),
                self._rating_key(name),
            ),
        )

    def mcmahon(self, given: Parameters) -> LiteralMcMahon:
        """The McMahon attributes of the round under these parameters."""
        key = repr(given)
        if key not in self._mcmahon:
            rules = {name: given[name] for name in given if name in MCMAHON_DEFAULTS}
            self._mcmahon[key] = LiteralMcMahon(
                self.past,
                self.players,
                self.active,
                self.round,
                rules,
                self.first_label if self.first_is_white else "white",
            )
        return self._mcmahon[key]

    def overall(self, name: str) -> int:
        """Rank among all active players: those of higher groups come first."""
        above = [other for other in self.active if self.group[other] < self.group[name]]
        return len(above) + self.rank[name]

    def bias(self, name: str) -> int:
        sides = self.states[name].sides
        return sides.count(FIRST) - sides.count(SECOND)

    def times_before(self, first: str, second: str | None) -> int:
        """Meetings of a pair so far, or byes that the player already had."""
        state = self.states[first]
        return state.byes if second is None else state.meetings[second]

    def sides_after(self, first: str, second: str | None) -> list[list[int]]:
        """Sides of all games after this round, for each player of the arc."""
        if second is None:
            return [self.states[first].sides]
        return [
            [*self.states[first].sides, FIRST],
            [*self.states[second].sides, SECOND],
        ]

    def sides_change(
        self, first: str, second: str | None
    ) -> list[tuple[list[int], list[int]]]:
        """Sides before and after a match, for each player of the arc; none for a bye."""
        if second is None:
            return []
        befores = [self.states[first].sides, self.states[second].sides]
        return list(zip(befores, self.sides_after(first, second), strict=True))

    def floats_now(self, first: str, second: str | None) -> list[tuple[str, int]]:
        if second is None:
            return [(first, 1)]
        sign = _sign(self.states[first].score - self.states[second].score)
        return [(first, sign), (second, -sign)]

    def style_cost(self, style: str, first: str, second: str | None) -> int:
        if second is None:
            return self.group_size[first] - self.rank[first]
        if self.group[first] != self.group[second]:
            upper, lower = sorted((first, second), key=lambda name: self.group[name])
            return (self.group_size[upper] - self.rank[upper]) + (self.rank[lower] - 1)
        i, j = sorted((self.rank[first], self.rank[second]))
        n = self.group_size[first]
        m = n - n % 2
        if style == "fold":
            return abs(i + j - (m + 1))
        if style == "slide":
            return abs(2 * (j - i) - m)
        return j - i - 1

    def shared_value(self, column: str, first: str, second: str | None) -> str | None:
        if second is None:
            return None
        value = _column(self.players[first], column)
        return (
            value if value and value == _column(self.players[second], column) else None
        )

    # ------------------------------------------------------------------ constraints

    def _arc_is_legal(self, first: str, second: str | None) -> bool:
        if any(
            pair & {first, second} and pair != {first, second} for pair in self.force
        ):
            return False
        if second is None:
            if first in self.no_bye or (self.bye is not None and self.bye != first):
                return False
        elif (
            first == second
            or self.bye in (first, second)
            or {first, second} in self.forbid
        ):
            return False
        return all(
            CONSTRAINTS[kind].rule(self, value, first, second)
            for kind, value in self.constraints.items()
            if value is not False and (self.sided or not CONSTRAINTS[kind].sided)
        )

    # ------------------------------------------------------------------ the rounds before

    def _win_points(self, past: list[Match], given: object) -> Fraction:
        if given is not None:
            return Fraction(str(given))
        shown = win_shown([(m.score1, m.score2) for m in past if m.played])
        return shown or Fraction(1 if self.first_label == "white" else 3)

    def _read_states(self, past: list[Match]) -> dict[str, State]:
        states = {
            name: State(_number(player.get("score")) or Fraction(0))
            for name, player in self.players.items()
        }
        for number in range(1, self.round):
            before = {name: state.score for name, state in states.items()}
            for match in past:
                if match.round == number:
                    self._read_match(states, before, match)
        return states

    def _read_match(
        self, states: dict[str, State], before: dict[str, Fraction], match: Match
    ) -> None:
        one, points1 = states[match.player1], match.score1 or Fraction(0)
        one.score += points1
        if match.player2 is None:
            one.byes += match.status == "bye"
            enough = points1 >= self.win
            one.won_without_playing |= enough
            one.floats[match.round] = 1 if match.status == "bye" or enough else 0
            return

        two, points2 = states[match.player2], match.score2 or Fraction(0)
        two.score += points2
        if match.status == "forfeit":
            for state, own, other in ((one, points1, points2), (two, points2, points1)):
                won = own > other
                state.won_without_playing |= won or own >= self.win
                # A forfeit loss is never a float, whatever points it gave.
                state.floats[match.round] = int(
                    won or (own == other and own >= self.win)
                )
            return

        gap = _sign(before[match.player1] - before[match.player2])
        one.floats[match.round] = gap
        two.floats[match.round] = -gap
        one.meetings[match.player2] += 1
        two.meetings[match.player1] += 1
        if match.side1 is None:
            return
        if match.side1 == self.first_label:
            one.sides.append(FIRST)
            two.sides.append(SECOND)
            one.met_as_first[match.player2] += 1
        else:
            one.sides.append(SECOND)
            two.sides.append(FIRST)
            two.met_as_first[match.player1] += 1

    def _read_ranks(self) -> tuple[dict[str, int], dict[str, int]]:
        """Rank from 1 inside the own score group (rating, then order of the list), and its size."""
        rank: dict[str, int] = {}
        size: dict[str, int] = {}
        for group in set(self.group.values()):
            members = [name for name in self.active if self.group[name] == group]
            members.sort(key=self._rating_key)
            for place, name in enumerate(members, start=1):
                rank[name] = place
                size[name] = len(members)
        return rank, size

    def _rating_key(self, name: str) -> tuple[bool, Fraction]:
        """Higher ratings first, players without one last; equal keys keep the list's order."""
        rating = _number(self.players[name].get("rating"))
        return (rating is None, -(rating or Fraction(0)))


class ByKind(Oracle):
    """The oracle for cases worked by hand: levels by the kind of their criterion, and the label.

    Raises ValueError where two criteria of one kind have a level of one label.
    """

    def _as_vector(self, total: tuple[int, ...]) -> Vector:
        return by_kind(
            super()._as_vector(total), [row["kind"] for row in self.criteria]
        )


def by_kind(vector: Vector, kinds: Sequence[str]) -> Vector:
    """The levels by kind and label, where `kinds` are those of the criteria."""
    named: Vector = {
        (kinds[int(place)], label): v for (place, label), v in vector.items()
    }
    if len(named) < len(vector):
        raise ValueError(f"two levels of one name: {vector}")
    return named


def magnitude(row: Parameters, label: object) -> int:
    """What one unit of a level counts for, beside the weight of its criterion."""
    if row["kind"] == "repeat_floats":
        return int(row.get("rounds", 2)) + 1 - int(str(label))
    if row["kind"] == "score_groups" and row.get("order") == "top_first":
        return int(str(label).split(":")[1])
    one = ("bye_score", "same_side", "score_difference", "pairing_style", "conflicts")
    one += ("mcmahon", "major_order")
    return 1 if row["kind"] in one else int(str(label))


# ---------------------------------------------------------------------- criteria

Terms = Iterator[Term]
Parameters = dict[str, Any]


class Entry(NamedTuple):
    """A rule of the tables below; `sided` ones are left out of a sideless event."""

    rule: Callable[..., Any]
    sided: bool


CRITERIA: dict[str, Entry] = {}
"""kind: (round, parameters, first, second) -> what the arc adds; zeros may be left out."""
CONSTRAINTS: dict[str, Entry] = {}
"""kind: (round, value, first, second) -> whether the arc is legal."""


def criterion(kind: str, sided: bool = False) -> Callable[[Callable[..., Terms]], Any]:
    return lambda rule: CRITERIA.setdefault(kind, Entry(rule, sided)).rule


def constraint(kind: str, sided: bool = False) -> Callable[[Callable[..., bool]], Any]:
    return lambda rule: CONSTRAINTS.setdefault(kind, Entry(rule, sided)).rule


@criterion("rematches")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    before = at.times_before(first, second)
    if before > 0:
        yield Term((-before,), before, ONE)


@criterion("bye_score")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    if second is None:
        yield Term((), 1, at.states[first].score)


@criterion("side_difference", sided=True)
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    at_least, at_most = given.get("at_least", 3), given.get("at_most")
    for sides in at.sides_after(first, second):
        d = _difference(sides)
        if d >= at_least and (at_most is None or d <= at_most):
            yield Term((-d,), d, ONE)


@criterion("side_streak", sided=True)
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    for sides in at.sides_after(first, second):
        s = _streak(sides)
        if s >= given.get("at_least", 3):
            yield Term((-s,), s, ONE)


@criterion("score_groups")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    if second is not None:
        higher, lower = sorted((at.group[first], at.group[second]))
        g = lower - higher
        if g > 0 and given.get("order", "distance") == "top_first":
            yield Term((higher, -g), f"{higher}:{g}", ONE)
        elif g > 0:
            yield Term((-g,), g, ONE)


@criterion("same_side", sided=True)
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    if second is not None:
        for sides in at.sides_after(first, second):
            if len(sides) >= 2 and sides[-1] == sides[-2]:
                yield Term((), 1, ONE)


@criterion("score_difference")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    if second is not None:
        gap = abs(at.states[first].score - at.states[second].score)
        yield Term((), 1, gap ** int(given.get("power", 2)))


@criterion("repeat_floats")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    for player, now in at.floats_now(first, second):
        for ago in range(1, given.get("rounds", 2) + 1):
            if now != 0 and now == at.states[player].floats.get(at.round - ago, 0):
                yield Term((ago,), ago, ONE)


@criterion("pairing_style")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    yield Term((), 1, Fraction(at.style_cost(given["style"], first, second)))


@criterion("conflicts")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    shared = at.shared_value(str(given["column"]), first, second)
    if shared is not None:
        weights = given.get("weights") or {}
        yield Term((), 1, Fraction(str(weights.get(shared, 1))))


@criterion("rank_gap")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    last = len(at.active) + 1
    gap = abs(at.overall(first) - (last if second is None else at.overall(second)))
    yield Term((), 1, Fraction(gap ** int(given.get("power", 2))))


@criterion("aesops_cost", sided=True)
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    biases = [at.bias(name) for name in (first, second) if name is not None]
    if second is None:
        yield Term((1,), 2, Fraction(abs(biases[0])))
    else:
        d = abs(at.states[first].score - at.states[second].score)
        d /= Fraction(str(given.get("unit", 1)))
        away = abs(sum(biases))
        yield Term((0,), 1, d * (d + 1) / 2 + (8**away if away else 0))
        yield Term((1,), 2, Fraction(abs(biases[0] + 1) + abs(biases[1] - 1)))


@criterion("aesops_2025_cost", sided=True)
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    if second is not None:
        yield Term((), 1, at.cost_2025(first, second))


@criterion("cobra_cost")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    alone = (at.states[first].score + 1) ** 2
    yield Term((), 1, alone if second is None else at.cost_2025(first, second))


@criterion("gatherling_quality")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    highest = max(at.states[name].score for name in at.active)
    top = 3 * (highest + 1) ** 4 + 2
    yield Term((), 1, top - at.gatherling_weight(first, second, highest))


@criterion("bakert_quality")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    highest = max(at.states[name].score for name in at.active)
    top = 2 * (highest + 1) ** 2 + 1
    yield Term((), 1, top - at.bakert_weight(first, second, highest))


@criterion("mcmahon")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    literal = at.mcmahon(given)
    levels = given.get("levels", MCMAHON_DEFAULTS["levels"])
    for place, level in enumerate(levels):
        if level == "bye":
            value = literal.bye(first) if second is None else 0
        elif second is None:
            value = 0
        elif level == "colours":
            white = first if at.first_is_white else second
            black = second if at.first_is_white else first
            value = int(at.sided and literal.is_wrong(white, black))
        else:
            value = literal.missing(level, first, second)
        yield Term((place,), level, Fraction(value))


MAJOR_SIX = {12: 16, 13: 12, 14: 5, 15: 2, 23: 7, 24: 1, 36: 1, 46: 2, 56: 3}
"""Weights of pairs in a group of six: 36 is third against sixth."""


@criterion("major_order")
def _(at: Oracle, given: Parameters, first: str, second: str | None) -> Terms:
    if second is None or at.group[first] != at.group[second]:
        return
    order = at.major_order(at.group[first])
    n = len(order)
    a, b = sorted((order.index(first) + 1, order.index(second) + 1))
    if at.round == 1:
        folds = given.get("first_round", "slide") == "fold"
        cost = abs(a + b - n - 1) if folds else abs(2 * (b - a) - n)
        yield Term((1,), 1, Fraction(cost))
    elif n == 6 and given.get("six", "table") == "table":
        yield Term((1,), 1, Fraction(MAJOR_SIX.get(10 * a + b, 0)))
    else:
        # In groups of up to eight, all places are in one level.
        largest = max(map(len, map(at.major_order, set(at.group.values()))))
        share = int(45 / math.log2(largest + 1))
        assert n <= share
        yield Term((1,), 1, Fraction((n - b) * (largest + 1) ** (share - a)))


# ---------------------------------------------------------------------- constraints


@constraint("no_rematch")
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    return second is None or at.times_before(first, second) == 0


@constraint("max_meetings")
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    return second is None or at.times_before(first, second) < int(value)


@constraint("no_same_sides_rematch", sided=True)
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    return second is None or not at.states[first].met_as_first[second]


@constraint("no_repeat_bye")
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    return second is not None or not at.states[first].byes


@constraint("no_bye_after_forfeit_win")
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    return second is not None or not at.states[first].won_without_playing


@constraint("lowest_bye")
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    return second is not None or first in at.lowest


@constraint("conflicts")
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    return all(at.shared_value(column, first, second) is None for column in value)


@constraint("draw_conflicts")
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    columns = ("pot", "group", "federation", "country")
    return all(at.shared_value(column, first, second) is None for column in columns)


@constraint("cobra_meetings")
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    met = 0 if second is None else at.times_before(first, second)
    if second is None or met == 0:
        return True
    if not at.sided or met > 1 or at.states[first].met_as_first[second]:
        return False
    return at.bias(first) <= at.bias(
        second
    )  # else they should have the sides of before


@constraint("aesops_2025_cost_below", sided=True)
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    return second is None or at.cost_2025(first, second) < value


@constraint("max_side_difference", sided=True)
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    return all(
        _difference(after) <= max(int(value), _difference(before))
        for before, after in at.sides_change(first, second)
    )


@constraint("no_equal_absolute_preference", sided=True)
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    return second is None or _must(at.states[first]) * _must(at.states[second]) <= 0


@constraint("no_equal_absolute_preference_below_topscorers", sided=True)
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    if second is None or _must(at.states[first]) * _must(at.states[second]) <= 0:
        return True
    half = at.win * (at.round - 1) / 2
    return at.states[first].score > half or at.states[second].score > half


@constraint("max_side_streak", sided=True)
def _(at: Oracle, value: Any, first: str, second: str | None) -> bool:
    return all(
        _streak(after) <= max(int(value), _streak(before))
        for before, after in at.sides_change(first, second)
    )


# ---------------------------------------------------------------------- small definitions


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def _must(state: State) -> int:
    """The side that a player must have: of two games more on the other, else of two in a row."""
    if abs(sum(state.sides)) > 1:
        return -1 if sum(state.sides) > 0 else 1
    return -state.sides[-1] if _streak(state.sides) > 1 else 0


def _difference(sides: list[int]) -> int:
    return abs(sum(sides))


def _streak(sides: list[int]) -> int:
    streak = 0
    for side in reversed(sides):
        if side != sides[-1]:
            break
        streak += 1
    return streak


# ---------------------------------------------------------------------- reading


def _text(value: object) -> str | None:
    text = "" if value is None else str(value).strip()
    return text or None


def _number(value: object) -> Fraction | None:
    text = _text(value)
    return None if text is None else Fraction(text)


def _column(player: Player, column: str) -> str | None:
    for name, value in player.items():
        if name.lower() == column.lower():
            return _text(value)
    return None


def _is_active(value: object) -> bool:
    return True if value is None else bool(value)


def _parse(row: Row) -> Match:
    player2 = _text(row.get("player2"))
    status = (_text(row.get("status")) or "").lower()
    if player2 is None and status == "":
        status = "bye"
    side1 = _text(row.get("side1"))
    return Match(
        round=int(str(row["round"])),
        player1=str(row["player1"]),
        player2=player2,
        side1=None if side1 is None else side1.lower(),
        score1=_number(row.get("score1")),
        score2=_number(row.get("score2")),
        status=status,
    )


def _is_finished(name: str, past: list[Match], model: Model) -> bool:
    """Whether a player has so many wins or losses that no further round pairs them.

    A bye and a forfeit win are wins, and a forfeit loss is a loss.
    """
    wins = losses = 0
    for match in past:
        own, other = match.score1, match.score2
        if match.player2 == name:
            own, other = other, own
        if name not in (match.player1, match.player2) or match.status == "requested":
            continue
        if match.status == "bye":
            wins += 1
        elif own is not None and other is not None:
            wins += own > other
            losses += own < other
    return wins >= model.get("advance_wins", math.inf) or (
        losses >= model.get("eliminate_losses", math.inf)
    )


def _check_history(
    history: list[Match], players: dict[str, Player], new_round: int
) -> None:
    seen: set[tuple[int, str]] = set()
    for match in history:
        if match.status not in {"", "bye", "requested", "forfeit"}:
            raise ValueError(f"unknown status: {match}")
        if (match.player2 is None) != (match.status in {"bye", "requested"}):
            raise ValueError(f"status and player2 do not agree: {match}")
        if match.player2 is not None and (match.score1 is None or match.score2 is None):
            raise ValueError(f"match without scores: {match}")
        if match.round < 1 or match.round > new_round:
            raise ValueError(f"row outside the rounds up to {new_round}: {match}")
        for name in (match.player1, match.player2):
            if name is None:
                continue
            if name not in players:
                raise ValueError(f"not in the list of players: {name}")
            if (match.round, name) in seen:
                raise ValueError(f"twice in round {match.round}: {name}")
            seen.add((match.round, name))


def _check_model(constraints: Parameters, criteria: list[Parameters]) -> None:
    unknown = set(constraints) - set(CONSTRAINTS)
    if unknown:
        raise ValueError(f"constraints not supported here: {sorted(unknown)}")
    for criterion in criteria:
        if criterion["kind"] not in CRITERIA:
            raise ValueError(f"criterion not supported here: {criterion['kind']}")
        if criterion["kind"] == "pairing_style" and criterion.get("style") not in {
            "fold",
            "slide",
            "adjacent",
        }:
            raise ValueError(f"style not supported here: {criterion.get('style')}")
        if criterion["kind"] == "score_groups" and criterion.get(
            "order", "distance"
        ) not in {
            "distance",
            "top_first",
        }:
            raise ValueError(f"order not supported here: {criterion['order']}")


def _first_side(history: list[Match], model_sides: list[str]) -> str | None:
    """The label of the first side; None in a sideless event.

    Sides found in the rows decide; without any, a played match makes the event sideless, and
    before the first played match the model decides.
    """
    declared = tuple(label.lower() for label in model_sides)
    used = {match.side1 for match in history if match.side1 is not None}
    if not used:
        if not declared or any(match.played for match in history):
            return None
        return declared[0]
    for labels in (*KNOWN_SIDES, declared):
        if used <= set(labels):
            return labels[0]
    raise ValueError(f"unknown sides: {sorted(used)}")


def win_shown(scores: list[tuple[Fraction | None, Fraction | None]]) -> Fraction | None:
    """A win's points as results show them: 1-0.5-0, 3-1-0 or 2-1-0, or two such games a match;
    else the commonest decisive result."""
    ended = [
        (max(a, b), min(a, b)) for a, b in scores if a is not None and b is not None
    ]
    systems = [(1, Fraction(1, 2)), (3, 1), (2, 1)]
    for win, draw in systems:
        if ended and all(each in [(win, 0), (draw, draw)] for each in ended):
            return Fraction(win)
    for win, draw in systems:
        games = [(win, 0), (draw, draw), (0, win)]
        matches = games + [(a + c, b + d) for a, b in games for c, d in games]
        if ended and all(each in matches for each in ended):
            return Fraction(2 * win)
    decisive = [each for each in ended if each[0] > each[1]]
    return (
        max(decisive, key=lambda each: (decisive.count(each), each))[0]
        if decisive
        else None
    )
