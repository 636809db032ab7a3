"""Small rounds with what is true of them by brute force, and the two doors of a proof."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import dutch_global
from burstein_literal import Literal as BursteinLiteral
from burstein_round import BursteinRound
from dutch_random import random_round
from events import POINTS, STYLES, event_of, model_of, played, shipped
from oracle import Arc, Model, Oracle
from oracle import magnitude as magnitude_of
from proofs_codec import File, pairings

import pairopt
from pairopt.errors import InputError, PairoptError

MODELS = (
    "standard",
    "excalibur",
    "double-sided",
    "top-first",
    "fide-basic",
    "monrad",
    "random",
    "leaguevine",
    "aesops",
    "aesops-2025",
    "cobra",
    "gatherling",
    "bakert",
)
SYSTEMS = ("fide-dutch", "fide-burstein")
WEIGHTS = tuple(map(Decimal, ("0.5", "1", "2", "7", "100")))
Truth = tuple[tuple[Fraction, ...], bool]


def magnitude(row: dict[str, Any], label: object) -> int:
    """Aesop's second level counts once, too."""
    return 1 if row["kind"] == "aesops_cost" else magnitude_of(row, label)


@dataclass
class World:
    """A round: its event, the options, and by brute force its best pairings and all others."""

    name: str
    event: Any
    model: Any
    options: dict[str, Any]
    sided: bool
    active: list[str]
    best: set[frozenset[Any]] = field(default_factory=set)
    """The best pairings; empty where there is none."""
    legal: list[frozenset[Any]] = field(default_factory=list)
    oracle: Oracle | None = None
    criteria: list[dict[str, Any]] = field(default_factory=list)
    lookahead: int = 0
    published: frozenset[tuple[str, str]] = frozenset()
    given: Any = None
    rows: Any = None
    players: Any = None
    raw: Any = None

    @property
    def exists(self) -> bool:
        return bool(self.legal)

    def solved(self) -> Any:
        """The true proof of pairopt, or None where it has none."""
        return pairopt.solve(self.event, self.model, **self.options).proof

    def arcs(self, claim: File) -> frozenset[Any]:
        """The pairing of a claim as names."""
        names = [player[0] for player in claim["players"]] + [None]
        return frozenset(self.named((names[a], names[b])) for a, b in claim["pairing"])

    def named(self, arc: Any) -> Any:
        """A match; without sides it does not say who is first."""
        return arc if self.sided or arc[1] is None else tuple(sorted(arc))

    def true_values(self, claim: File, pairing: frozenset[Any]) -> bool:
        """Whether the levels of a claim are those of a pairing, as far as the oracle names them."""
        if self.oracle is None:
            return self._true_of_system(claim, pairing)
        stated = [
            (level[0], level[1], Fraction(level[3], level[5]))
            for level in claim["levels"]
        ]
        vector = self.oracle.vector(list(pairing))
        if stated and stated[0][0] == "weighted_sum":
            if self.model_weights is None:
                return True  # exact weights of levels: the order alone is known
            sum_ = sum(
                (
                    self.model_weights[int(place)]
                    * magnitude(self.criteria[int(place)], label)
                    * v
                    for (place, label), v in vector.items()
                ),
                Fraction(0),
            )
            return stated[0][2] == sum_
        mine: dict[tuple[str, str], Fraction] = {}
        for (place, label), value in vector.items():
            mine[self.oracle.criteria[int(place)]["kind"], str(label)] = value
        theirs: dict[tuple[str, str], Fraction] = {}
        for kind, label, value in stated:
            if kind in ("changed_tables", "turned_tables"):
                if value != self.changes(pairing)[kind == "turned_tables"]:
                    return False
            elif value:
                theirs[kind, str(label)] = value
        return mine == theirs

    def changes(self, pairing: Iterable[Any]) -> tuple[int, int]:
        """Published matches that are not made, and those that are turned."""
        arcs = set(pairing)
        turned = sum(
            (b, a) in arcs and self.sided and (a, b) not in arcs
            for a, b in self.published
        )
        same = sum((a, b) in arcs or (b, a) in arcs for a, b in self.published)
        return len(self.published) - same, turned

    @property
    def model_weights(self) -> list[Fraction] | None:
        given = [row.get("weight") for row in self.criteria]
        return None if None in given or not given else [Fraction(str(w)) for w in given]

    def _true_of_system(self, claim: File, pairing: frozenset[Any]) -> bool:
        """C5 and C6 of the Dutch System are those of the pairing."""
        if self.name != "fide-dutch":
            return True
        score = {str(n): self.given.score(n) for n in self.given.here}
        own = [
            tuple(sorted((score.get(n, -1) if n else -1 for n in arc), reverse=True))
            for arc in pairing
        ]
        for kind, label, _, value, _, scale in claim["levels"]:
            amount = Fraction(value, scale)
            if kind == "C6":
                at = int(
                    2
                    * Fraction(
                        label.replace("½", ".5") if isinstance(label, str) else label
                    )
                )
                if amount != sum(high >= at > low for high, low in own):
                    return False
        return True


def small_model(seed: int, name: str, busy: bool = True, largest: int = 7) -> World:
    """A round of a model with options drawn by the seed; of at most 8 players."""
    rng = Random(f"{name} {seed}")
    n = rng.randint(4, largest)
    sided = rng.random() < 0.75
    field_ = played(
        rng,
        n,
        rng.randint(0, 4),
        rng.choice(POINTS),
        sided,
        rng.random() < 0.5,
        rng.random() < 0.25,
        rng.random() < 0.5,
        rng.choice(STYLES),
    )
    last = rng.random() < 0.2
    raw: Model = shipped(name, last_round=last)
    model: Any = name
    options: dict[str, Any] = {"last_round": last} if last else {}
    asked: dict[str, Any] = {}
    relaxed: list[str] = []
    lookahead = 0
    published: frozenset[tuple[str, str]] = frozenset()
    here = list(field_.active)
    if busy:
        kind = rng.choice(
            [
                "",
                "",
                "",
                "force",
                "forbid",
                "bye",
                "no_bye",
                "relax",
                "published",
                "lookahead",
                "lookahead",
                "weighted",
                "weights",
            ]
        )
        if kind in ("force", "forbid"):
            asked[kind] = [tuple(rng.sample(here, 2))]
        elif kind == "bye" and n % 2:
            asked["bye"] = rng.choice(here)
        elif kind == "no_bye" and n % 2:
            asked["no_bye"] = [rng.choice(here)]
        elif kind == "relax" and raw.get("constraints"):
            relaxed = [rng.choice(sorted(raw["constraints"]))]
        elif kind == "published":
            some = rng.sample(here, 2 * rng.randint(1, n // 2))
            pairs = list(zip(some[::2], some[1::2], strict=True))
            published = frozenset(pairs)
            options["published"] = pairs
        elif kind == "lookahead":
            lookahead = rng.choice([1, 1, 2])
            options["lookahead"] = lookahead
        elif kind == "weighted":
            options["objective"] = "weighted"
        elif kind == "weights" and raw.get("criteria"):
            last = False
            options = {}
            raw = {**shipped(name), "objective": "weighted"}
            raw["criteria"] = [
                {**row, "weight": rng.choice(WEIGHTS)} for row in raw["criteria"]
            ]
            model = model_of(raw)
    options |= asked | ({"relax": relaxed} if relaxed else {})
    truth = {
        **raw,
        "constraints": {
            k: v for k, v in raw.get("constraints", {}).items() if k not in relaxed
        },
    }
    truth["criteria"] = [
        {k: v for k, v in row.items() if k != "weight"} for row in raw["criteria"]
    ]
    oracle = Oracle(field_.rows, field_.players, truth, **asked)
    event = event_of(field_.rows, field_.players)
    world = World(
        name,
        event,
        model,
        options,
        oracle.sided,
        list(oracle.active),
        oracle=oracle,
        criteria=[
            row
            for row, bare in zip(raw["criteria"], truth["criteria"], strict=True)
            if any(bare is each for each in oracle.criteria)
        ],
        lookahead=lookahead,
        published=published,
        rows=field_.rows,
        players=field_.players,
        raw=raw,
    )
    _by_brute_force(world)
    return world


def _by_brute_force(world: World) -> None:
    oracle = world.oracle
    assert oracle is not None
    weights = world.model_weights if world.model is not world.name else None

    def key(arcs: Sequence[Arc]) -> Any:
        changed = world.changes(arcs)
        if weights is None:
            return (changed, oracle._total(list(arcs)))
        sum_ = sum(
            (
                weights[int(place)] * magnitude(world.criteria[int(place)], label) * v
                for (place, label), v in oracle.vector(list(arcs)).items()
            ),
            Fraction(0),
        )
        return (changed, sum_)

    seen: dict[frozenset[Any], bool] = {}

    def room(arcs: Sequence[Arc]) -> bool:
        met = frozenset(frozenset(arc) for arc in arcs)
        if met not in seen:
            seen[met] = _room(oracle, met, world.lookahead)
        return seen[met]

    every = [arcs for arcs in oracle.pairings() if not world.lookahead or room(arcs)]
    world.legal = [frozenset(world.named(arc) for arc in arcs) for arcs in every]
    keys = [key(arcs) for arcs in every]
    if keys:
        least = min(keys)
        world.best = {a for a, k in zip(world.legal, keys, strict=True) if k == least}


def _room(oracle: Oracle, now: frozenset[frozenset[Any]], rounds: int) -> bool:
    """Whether so many further rounds are left in which nobody meets again."""
    names: list[Any] = [*oracle.active, *([None] if len(oracle.active) % 2 else [])]
    number = {name: k for k, name in enumerate(names)}
    free = set()
    for one, two in combinations(names, 2):
        before = oracle.times_before(one, two)
        if not before and frozenset((one, two)) not in now:
            free.add((number[one], number[two]))

    def rest(left: set[tuple[int, int]], more: int) -> bool:
        if not more:
            return True
        return any(
            rest(left - set(each), more - 1)
            for each in pairings(len(names), sorted(left))
        )

    return rest(free, rounds)


def event_of_round(given: Any) -> Any:
    """The event that pairopt reads from the round's TRF."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "event.trf"
        path.write_text(given.trf())
        return pairopt.read_event(path)


def small_system(seed: int, name: str, largest: int = 7) -> World:
    """A round of one of FIDE's systems; the bye is nobody."""
    given = random_round(seed, largest)
    if name == "fide-burstein":
        given = BursteinRound(
            given.cells, given.rounds, given.initial, given.forbidden, given.virtual
        )
        best = BursteinLiteral(given).pairs()
    else:
        best = dutch_global.pairs(given)
    event = event_of_round(given)
    names = {n: str(n) for n in given.here}

    def named(pairs: Sequence[tuple[int, int]]) -> frozenset[Any]:
        return frozenset((names[a], names[b] if b else None) for a, b in pairs)

    world = World(name, event, name, {}, True, list(names.values()), given=given)
    for arcs in dutch_global._pairings(given, given.here):
        pairs = []
        for arc in arcs:
            first = given.white(arc.upper, arc.lower) if arc.lower else arc.upper
            pairs.append((first, arc.upper + arc.lower - first))
        world.legal.append(named(pairs))
    world.best = {named(best)} if best is not None else set()
    return world


@functools.cache
def small(seed: int, name: str) -> World:
    """A round of a model or a system."""
    return small_system(seed, name) if name in SYSTEMS else small_model(seed, name)


# ---------------------------------------------------------------------- the doors

VERIFY = Path(pairopt.__file__).parent / "proof" / "verify.py"
CODES = {0: "certified", 4: "open", 1: "none", 3: "malformed"}


def door_a(text: bytes) -> str:
    """What the stand-alone verifier says of a file, by its exit code."""
    with tempfile.NamedTemporaryFile(suffix=".json") as held:
        held.write(text)
        held.flush()
        old = sys.argv
        sys.argv = ["verify.py", held.name]
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                exec(_code(), {"__name__": "__main__", "__file__": str(VERIFY)})  # noqa: S102
            code: Any = 0
        except SystemExit as ended:
            code = ended.code
        finally:
            sys.argv = old
    return CODES[code or 0]


@functools.cache
def _code() -> Any:
    return compile(VERIFY.read_text("utf-8"), str(VERIFY), "exec")


def door_b(world: World, text: bytes, **other: Any) -> str:
    """What `check_proof` says with the event."""
    try:
        checked = pairopt.check_proof(
            world.event, text, world.model, **{**world.options, **other}
        )
    except InputError:
        return "malformed"
    except PairoptError as error:
        return f"refused: {error}"[:60]
    if checked.faults:
        return "none"
    return "open" if checked.open else "certified"


def fault(world: World, text: bytes, verdict: str) -> str:
    """Why a file that door B accepted should not have been; "" where it is right.

    Open levels may be worse: only that nothing is better in those shown, and that what is better
    in the next one leaves no room, has to be true.
    """
    if verdict not in ("certified", "open"):
        return ""
    file = json.loads(text.decode("utf-8-sig"))
    claim = file["claim"]
    if claim["pairing"] is None:
        return "a pairing exists" if world.exists else ""
    arcs = world.arcs(claim)
    if arcs not in set(world.legal):
        return f"illegal: {sorted(map(str, arcs))}"
    if not world.true_values(claim, arcs):
        return "values"
    if arcs in world.best:
        return ""
    if verdict == "certified":
        return f"worse: {sorted(map(str, arcs))}"
    counter = world.arcs({**claim, "pairing": file["witness"]["counter"]})
    return "worse, and the counter leaves room" if counter in set(world.legal) else ""
