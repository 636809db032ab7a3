"""Strategies shared by the property tests: whole small tournaments, models and options.

An event is drawn by playing it: every round pairs the players present, and what is written
down are the rows of matches.csv and players.csv, as plain dicts of text.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any, Literal

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from oracle import Model, Oracle, Pairing, Player, Row, Vector
from places import ROOT

from pairopt import Event, Result, read_event
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.problem import model as models_of_pairopt
from pairopt.problem.problem import Problem

MODELS = ROOT / "models"
SHIPPED = ("standard", "excalibur", "double-sided", "top-first")
DOUBLE_SIDED_WIN = 6

REPEATABLE = settings(
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
some_or_all = pytest.mark.parametrize(
    "share",
    [pytest.param(6, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)],
)
"""A sixth of a test's examples by default, all of them with `pytest -m slow`."""

MATCH_COLUMNS = (
    "round",
    "table",
    "player1",
    "player2",
    "side1",
    "score1",
    "score2",
    "status",
)

Style = Literal["random", "fresh", "swiss", "across", "again"]
"""How a round of the past was paired: by lot, with few rematches, by scores, between two
halves of the field, or often as in the round before."""
STYLES: tuple[Style, ...] = ("random", "fresh", "swiss", "across", "again")


@dataclass(frozen=True)
class Points:
    """What a match gives."""

    win: str
    draw: str
    loss: str = "0"
    sides: tuple[str, str] = ("corp", "runner")
    others: tuple[tuple[str, str], ...] = ()


NETRUNNER = Points("3", "1")
CHESS = Points("1", "0.5", sides=("white", "black"))
DOUBLE_SIDED = Points("6", "3", others=(("4", "1"), ("1", "4")))
QUARTERS = Points("2", "0.75", loss="0.25")
POINTS = (NETRUNNER, CHESS, DOUBLE_SIDED, QUARTERS)


@dataclass(frozen=True)
class Field:
    """A tournament up to the round to be paired; `active` are the players of that round."""

    rows: list[Row]
    players: list[Player]
    active: list[str]
    sided: bool


@dataclass(frozen=True)
class Case:
    """A field with the model and the options that it is paired under."""

    rows: list[Row]
    players: list[Player]
    model: Model
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0

    def oracle(self) -> Oracle:
        """The brute-force yardstick of this round."""
        return Oracle(self.rows, self.players, self.model, **self.options)

    def event(self) -> Event:
        """The same rows as pairopt reads them."""
        return event_of(self.rows, self.players)

    def unconstrained(self) -> Case:
        """Without constraints and options."""
        return replace(self, model={**self.model, "constraints": {}}, options={})

    def constrained(self, **constraints: object) -> Case:
        """With further constraints, and nothing to optimise."""
        table = {**self.model["constraints"], **constraints}
        return replace(self, model={**self.model, "constraints": table, "criteria": []})


# ---------------------------------------------------------------------- to and from pairopt


def event_of(rows: Sequence[Row], players: Sequence[Player]) -> Event:
    """The event that pairopt reads from these rows."""
    matches = pd.DataFrame(
        [dict(row) for row in rows], columns=list(MATCH_COLUMNS), dtype=object
    )
    listed = pd.DataFrame([dict(player) for player in players], dtype=object)
    return read_event(matches, listed, relax=["penalties"])


def model_of(model: Mapping[str, Any]) -> models_of_pairopt.Model:
    """The model that pairopt reads from this dict."""
    return models_of_pairopt.parse_model(model)


def vector_of(levels: Iterable[Any]) -> Vector:
    """The nonzero levels in points or matches, as the oracle writes them."""
    return {
        (level.place, level.level): Fraction(level.value, level.scale)
        for level in levels
        if level.value and level.criterion != "weighted_sum"
    }


def pairing_of(result: Result) -> Pairing:
    """The result's matches as the oracle's arcs, first side first; no requested byes."""
    pairing: Pairing = []
    for row in result.matches:
        if row["status"] == "requested":
            continue
        second = row["player2"]
        pairing.append((str(row["player1"]), None if second is None else str(second)))
    return pairing


def arcs_in(problem: Problem, pairing: Pairing) -> Arcs:
    """A pairing as pairopt's arcs."""
    place = {name: position for position, name in enumerate(problem.state.names)}
    first = [place[one] for one, _ in pairing]
    second = [BYE if two is None else place[two] for _, two in pairing]
    return arcs_of(first, second)


@cache
def _shipped(name: str) -> Model:
    return tomllib.loads(
        (MODELS / f"{name}.toml").read_text("utf-8"), parse_float=Decimal
    )


def shipped(name: str, last_round: bool = False) -> Model:
    """A shipped model as a dict, in the last round or in any other.

    A double-sided match is two games: the win's points are given, as no match says so.
    """
    raw = dict(_shipped(name))
    last = raw.pop("last_round", {})
    if raw.pop("games", 1) == 2:
        raw["win"] = DOUBLE_SIDED_WIN
    return {**raw, **(last if last_round else {})}


# ---------------------------------------------------------------------- events


@st.composite
def events(
    draw: st.DrawFn,
    min_players: int = 2,
    max_players: int = 8,
    *,
    min_rounds: int = 0,
    max_rounds: int = 7,
    parity: int | None = None,
    sided: bool | None = None,
    styles: Sequence[Style] = STYLES,
    level: bool | None = None,
    byes: bool | None = None,
    quiet: bool | None = None,
) -> Field:
    """Tournaments with `min_players` to `max_players` active players.

    `parity` is that of the active players. With `level` all matches are drawn and nobody
    brings points, so that many players are alike; with `byes` an allocated bye goes to any
    player in even fields too, now and then; `quiet` leaves out forfeits, requested byes and
    players who come late or leave.
    """
    counts = [n for n in range(min_players, max_players + 1) if parity in (None, n % 2)]
    n = draw(st.sampled_from(counts))
    rounds = draw(st.integers(min_rounds, max_rounds))
    points = draw(st.sampled_from(POINTS))
    sided = draw(st.booleans()) if sided is None else sided
    quiet = draw(st.booleans()) if quiet is None else quiet
    level = draw(st.sampled_from([False, False, True])) if level is None else level
    byes = draw(st.booleans()) if byes is None else byes
    style = draw(st.sampled_from(list(styles)))
    rng = draw(st.randoms(use_true_random=True))
    return played(rng, n, rounds, points, sided, quiet, level, byes, style)


def played(
    rng: Random,
    n: int,
    rounds: int,
    points: Points,
    sided: bool,
    quiet: bool,
    level: bool,
    byes: bool,
    style: Style,
) -> Field:
    """A tournament with n active players after so many rounds; `events` says what the rest is."""
    extra = 0 if quiet or not rounds else rng.choice([0, 0, 1, 2])
    names = [f"p{k}" for k in range(n + extra)]
    tour = _Tour(rng, names, rounds, points, sided, quiet, level, byes, style)
    gone = rng.sample(names, extra)
    for name in names:
        if not quiet and rng.random() < 0.15:
            tour.enters[name] = rng.randint(1, rounds + 1)
    requested = []
    for name in gone:
        if rng.random() < 0.4:
            requested.append(name)
        else:
            tour.leaves[name] = rng.randint(1, rounds)
    for number in range(1, rounds + 1):
        tour.play(number)
    for name in requested:
        tour.add(rounds + 1, name, None, points.draw, None, "requested")
    if rng.random() < 0.3:
        rng.shuffle(tour.rows)
    players = [_player(rng, name, name in tour.leaves, level) for name in names]
    return Field(
        tour.rows, players, [name for name in names if name not in gone], sided
    )


RANKS = ("4k", "1d", "7k", "1k", "3d", "2d", "5k")
COUNTRIES = ("FR", "DE", "FR", "PL", None)
"""Go ranks and countries by the number of the player, so that no random draw changes."""


def _player(rng: Random, name: str, dropped: bool, level: bool) -> Player:
    brings = not level and rng.random() < 0.2
    return {
        "player": name,
        "active": not dropped,
        "score": rng.choice(["1", "3", "0.5", "2.25", "0"]) if brings else None,
        "rating": rng.choice([None, "1500", "1500", "1800", "1650.5", "2100"]),
        "club": rng.choice([None, "Oslo", "Oslo", "Bonn", "Rome"]),
        "team": rng.choice([None, None, "red", "blue"]),
        "rank": RANKS[int(name[1:]) % len(RANKS)],
        "country": COUNTRIES[int(name[1:]) % len(COUNTRIES)],
    }


class _Tour:
    """The rounds of an event, played one after the other."""

    def __init__(
        self,
        rng: Random,
        names: list[str],
        rounds: int,
        points: Points,
        sided: bool,
        quiet: bool,
        level: bool,
        byes: bool,
        style: Style,
    ) -> None:
        self.rng, self.names, self.rounds, self.points = rng, names, rounds, points
        self.sided, self.quiet, self.level, self.byes, self.style = (
            sided,
            quiet,
            level,
            byes,
            style,
        )
        self.enters = dict.fromkeys(names, 1)
        self.leaves: dict[str, int] = {}  # the last round they play
        self.rows: list[Row] = []
        self.score: Counter[str] = Counter()
        self.met: Counter[frozenset[str]] = Counter()
        self.before: list[tuple[str, str]] = []
        self.number = 0
        self.sticky = rng.choice(
            [0.0, 0.0, 0.6, 1.0]
        )  # how often the same player comes first

    def add(
        self,
        number: int,
        one: str,
        two: str | None,
        score1: str,
        score2: str | None,
        status: str,
        side1: str | None = None,
    ) -> None:
        self.rows.append(
            {
                "round": number,
                "table": None,
                "player1": one,
                "player2": two,
                "side1": side1,
                "score1": score1,
                "score2": score2,
                "status": status,
            }
        )
        self.score[one] += Fraction(score1)  # type: ignore[assignment]
        if two is not None and score2 is not None:
            self.score[two] += Fraction(score2)  # type: ignore[assignment]

    def play(self, number: int) -> None:
        """One round: requested byes, allocated byes, then the matches."""
        self.number = number
        here = [
            name
            for name in self.names
            if self.enters[name] <= number <= self.leaves.get(name, self.rounds)
        ]
        here = here or self.names[:1]
        for name in list(here):
            if not self.quiet and len(here) > 1 and self.rng.random() < 0.1:
                here.remove(name)
                given = self.rng.choice(["0", self.points.draw, self.points.win])
                self.add(number, name, None, given, None, "requested")
        if len(here) % 2:
            self._bye(number, here)
        elif self.byes and len(here) > 2 and self.rng.random() < 0.3:
            self._bye(number, here)
            self._bye(number, here, asked_for=True)
        self.before = self._pairs(here)
        for one, two in self.before:
            self._match(number, one, two)

    def _bye(self, number: int, here: list[str], asked_for: bool = False) -> None:
        name = here.pop(self.rng.randrange(len(here)))
        usual = self.level or self.rng.random() < 0.8
        given = self.points.draw if self.level else self.points.win
        if not usual:
            given = self.rng.choice(["0", self.points.draw])
        status = self.rng.choice(["bye", "bye", ""])
        self.add(number, name, None, given, None, "requested" if asked_for else status)

    def _pairs(self, here: list[str]) -> list[tuple[str, str]]:
        if self.style == "again" and self.rng.random() < 0.6:
            kept = [pair for pair in self.before if set(pair) <= set(here)]
            left = [name for name in here if not any(name in pair for pair in kept)]
            return kept + self._by_lot(left)
        if self.style == "across":
            fresh = self._across(here)
            left = [name for name in here if not any(name in pair for pair in fresh)]
            return fresh + self._by_lot(left)
        if self.style == "swiss":
            order = sorted(
                here, key=lambda name: (-self.score[name], self.rng.random())
            )
            return list(zip(order[::2], order[1::2], strict=True))
        if self.style == "fresh":
            return self._fewest_met([self._by_lot(here) for _ in range(8)])
        return self._by_lot(here)

    def _by_lot(self, here: list[str]) -> list[tuple[str, str]]:
        order = self.rng.sample(here, len(here))
        return list(zip(order[::2], order[1::2], strict=True))

    def _across(self, here: list[str]) -> list[tuple[str, str]]:
        """Two teams of odd size, each player one seat on from the round before.

        Once all have met across, rematches are due although everyone has opponents left.
        """
        half = len(self.names) // 2
        half -= 1 - half % 2
        one, two = self.names[:half], self.names[half:]
        shift = self.number % len(two)
        both = zip(one, two[shift:] + two[:shift], strict=False)
        return [pair for pair in both if set(pair) <= set(here)]

    def _fewest_met(self, tried: list[list[tuple[str, str]]]) -> list[tuple[str, str]]:
        return min(
            tried, key=lambda pairs: sum(self.met[frozenset(pair)] for pair in pairs)
        )

    def _match(self, number: int, one: str, two: str) -> None:
        if self.rng.random() < self.sticky and one > two:
            one, two = two, one
        points, side1 = self.points, None
        if not self.quiet and self.rng.random() < 0.12:
            if self.sided and self.rng.random() < 0.5:
                side1 = self.rng.choice(points.sides)
            given = self.rng.choice(
                [
                    (points.win, "0"),
                    ("0", points.win),
                    ("0", "0"),
                    (points.draw, points.draw),
                ]
            )
            self.add(number, one, two, *given, "forfeit", side1)
            return
        if self.sided:
            side1 = points.sides[0]
            if self.rng.random() < 0.3:
                one, two, side1 = two, one, points.sides[1]
        given = (points.draw, points.draw)
        if not self.level:
            usual = [(points.win, points.loss), (points.loss, points.win), given]
            given = self.rng.choice([*usual, *points.others])
        self.met[frozenset((one, two))] += 1
        self.add(number, one, two, *given, "", side1)


# ---------------------------------------------------------------------- models and options

CONSTRAINTS: dict[str, st.SearchStrategy[Any]] = {
    "no_rematch": st.just(True),
    "max_meetings": st.integers(1, 3),
    "no_same_sides_rematch": st.just(True),
    "no_repeat_bye": st.just(True),
    "no_bye_after_forfeit_win": st.just(True),
    "max_side_difference": st.integers(1, 3),
    "max_side_streak": st.integers(1, 3),
    "conflicts": st.sampled_from([["club"], ["team"], ["club", "team"]]),
}
OTHER_CONSTRAINTS: dict[str, st.SearchStrategy[Any]] = {
    "aesops_2025_cost_below": st.sampled_from([6, 55, 100]),
    "cobra_meetings": st.just(True),
    "draw_conflicts": st.just(True),
    "lowest_bye": st.just(True),
    "no_equal_absolute_preference": st.just(True),
    "no_equal_absolute_preference_below_topscorers": st.just(True),
}
"""Constraints of other systems; drawn only where a test names them."""


@st.composite
def _ranges(draw: st.DrawFn) -> dict[str, Any]:
    at_least = draw(st.integers(1, 3))
    limit = draw(st.none() | st.integers(at_least, 4))
    return {"at_least": at_least} | ({} if limit is None else {"at_most": limit})


CRITERIA: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "rematches": st.just({}),
    "bye_score": st.just({}),
    "side_difference": _ranges(),
    "side_streak": st.builds(lambda least: {"at_least": least}, st.integers(1, 3)),
    "score_groups": st.sampled_from(
        [{}, {"order": "distance"}, {"order": "top_first"}]
    ),
    "same_side": st.just({}),
    "score_difference": st.builds(lambda power: {"power": power}, st.integers(1, 3)),
    "repeat_floats": st.builds(lambda rounds: {"rounds": rounds}, st.integers(1, 3)),
    "conflicts": st.sampled_from(
        [
            {"column": "club"},
            {"column": "team"},
            {"column": "club", "weights": {"Oslo": Decimal("0.5"), "Rome": Decimal(3)}},
            {
                "column": "club",
                "weights": {"Oslo": Decimal(0), "Bonn": Decimal("1.25")},
            },
        ]
    ),
    "pairing_style": st.builds(
        lambda style: {"style": style}, st.sampled_from(["fold", "slide", "adjacent"])
    ),
}
MCMAHON: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "system": st.sampled_from(["mcmahon", "swiss"]),
        "floor": st.sampled_from(["30k", "6k", "4k"]),
        "bar": st.sampled_from(["1k", "1d", "3d", "9d"]),
        "rounds": st.integers(1, 6),
        "levels": st.permutations(
            [
                "bye",
                "total",
                "colours",
                "duplicate",
                "colour",
                "score",
                "draw",
                "seed",
                "geography",
                "drawn_down",
                "drawn_up",
                "draw_place",
            ]
        ).flatmap(lambda names: st.integers(1, 12).map(lambda n: list(names[:n]))),
        "duplicate": st.sampled_from([0, 10**6]),
        "colour": st.sampled_from([1, 1_000_000]),
        "score": st.sampled_from([0, 999, 10**11]),
        "draw": st.sampled_from([0, 17, 10**8]),
        "seed": st.sampled_from([0, 10, 4999]),
        "geography": st.sampled_from([0, 10**11]),
        "draw_upper": st.sampled_from(["top", "middle", "bottom"]),
        "draw_lower": st.sampled_from(["top", "middle", "bottom"]),
        "seed_rounds": st.integers(0, 3),
        "seed_first": st.sampled_from(["slip", "fold"]),
        "seed_then": st.sampled_from(["slip", "fold"]),
        "seed_rating": st.sampled_from(["always", "first", "then", "never"]),
        "country": st.integers(0, 3),
        "club": st.integers(0, 3),
        "no_geography": st.sampled_from([[], ["bar"], ["wins"], ["bar", "wins"]]),
        "no_geography_from": st.sampled_from(["2k", "2d", "9d"]),
        "handicap_by": st.sampled_from(["score", "rank"]),
        "handicap_below": st.sampled_from(["3k", "1d", "9d"]),
        "handicap_correction": st.integers(0, 2),
        "handicap_most": st.sampled_from([0, 3, 9]),
    },
)
FORMULAS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "aesops_cost": st.sampled_from([{}, {"unit": Decimal("1.5")}, {"unit": 3}]),
    "rank_gap": st.builds(lambda power: {"power": power}, st.integers(1, 3)),
    "aesops_2025_cost": st.just({}),
    "cobra_cost": st.just({}),
    "gatherling_quality": st.just({}),
    "bakert_quality": st.just({}),
    "mcmahon": MCMAHON,
    "major_order": st.fixed_dictionaries(
        {},
        optional={
            "first_round": st.sampled_from(["slide", "fold"]),
            "six": st.sampled_from(["table", "highest"]),
        },
    ),
}
"""Costs of other systems; drawn only where a test names them."""
COARSE = tuple(kind for kind in CRITERIA if kind != "pairing_style")


@st.composite
def criteria(
    draw: st.DrawFn,
    kinds: Sequence[str] = tuple(CRITERIA),
    needed: Sequence[str] = (),
    most: int = 5,
) -> list[dict[str, Any]]:
    """Some of these kinds of criteria with parameters in some order, a kind more than once too."""
    chosen = draw(st.lists(st.sampled_from(sorted(kinds)), max_size=most))
    for kind in needed:
        if kind not in chosen:
            chosen.insert(draw(st.integers(0, len(chosen))), kind)
    listed = [{"kind": kind, **draw((CRITERIA | FORMULAS)[kind])} for kind in chosen]
    wide = next((c for c in listed if c["kind"] == "side_difference"), {"at_least": 1})
    if wide["at_least"] > 1 and draw(st.booleans()):
        lower = {
            "kind": "side_difference",
            "at_least": 1,
            "at_most": wide["at_least"] - 1,
        }
        listed.append(lower)
    return listed


@st.composite
def constraints(
    draw: st.DrawFn,
    kinds: Sequence[str] = tuple(CONSTRAINTS),
    least: int = 0,
    most: int = 3,
) -> dict[str, Any]:
    """A subset of these kinds of constraints with parameters."""
    chosen = st.lists(
        st.sampled_from(sorted(kinds)), unique=True, min_size=least, max_size=most
    )
    return {kind: draw(CONSTRAINTS[kind]) for kind in draw(chosen)}


@st.composite
def models(
    draw: st.DrawFn,
    kinds: Sequence[str] = tuple(CRITERIA),
    *,
    needed: Sequence[str] = (),
    hard: st.SearchStrategy[dict[str, Any]] | None = None,
    as_shipped: bool | None = None,
    weighted: bool = False,
) -> Model:
    """Models as dicts: an order that ships with pairopt, or criteria of these kinds.

    `hard` draws the constraints; a shipped model often keeps its own. With `weighted` each
    criterion has a weight, an integer or a decimal, now and then so large that sums of them
    are no longer exact as floats.
    """
    hard = constraints() if hard is None else hard
    as_shipped = draw(st.booleans()) if as_shipped is None else as_shipped
    if as_shipped and not weighted:
        last_round = draw(st.booleans())
        made = shipped(draw(st.sampled_from(SHIPPED)), last_round)
        if draw(st.booleans()):
            made = {**made, "constraints": made["constraints"] | draw(hard)}
        return made
    made = {
        "name": "drawn",
        "objective": "weighted" if weighted else "lexicographic",
        "sides": draw(st.sampled_from([[], ["corp", "runner"], ["white", "black"]])),
        "constraints": draw(hard),
        "criteria": draw(criteria(kinds, needed)),
    }
    if weighted:
        weight = (
            st.integers(0, 20)
            | st.decimals(0, 5, places=2)
            | st.sampled_from([10**12, 10**14])
        )
        made["criteria"] = [{**row, "weight": draw(weight)} for row in made["criteria"]]
    if draw(st.integers(0, 4)) == 0:
        made["win"] = draw(st.sampled_from([1, 3, 6]))
    return made


@st.composite
def options(
    draw: st.DrawFn, active: Sequence[str], busy: bool = False
) -> dict[str, Any]:
    """The options force, forbid, bye and no_bye, about active players; often none."""
    made: dict[str, Any] = {}
    if not busy and draw(st.booleans()):
        return made
    rng = draw(st.randoms(use_true_random=True))
    if len(active) > 1:
        if rng.random() < 0.25:
            order = rng.sample(active, len(active))
            made["force"] = list(zip(order[::2], order[1::2], strict=False))[
                : rng.choice([1, 2])
            ]
        if rng.random() < 0.6:
            many = rng.randint(1, len(active))
            made["forbid"] = [
                (a, b) for a, b in (rng.sample(active, 2) for _ in range(many))
            ]
    if len(active) % 2 and rng.random() < 0.4:
        made["no_bye"] = rng.sample(active, rng.randint(1, len(active)))
    if rng.random() < (0.15 if len(active) % 2 else 0.03):
        made["bye"] = rng.choice(active)
    return made


@st.composite
def cases(
    draw: st.DrawFn,
    fields: st.SearchStrategy[Field] | None = None,
    rules: st.SearchStrategy[Model] | None = None,
    *,
    busy: bool | None = None,
) -> Case:
    """A field, a model and options; `busy` for many options, False for none."""
    drawn = draw(events() if fields is None else fields)
    model = draw(models() if rules is None else rules)
    given = {} if busy is False else draw(options(drawn.active, bool(busy)))
    return Case(drawn.rows, drawn.players, model, given, draw(st.integers(0, 3)))
