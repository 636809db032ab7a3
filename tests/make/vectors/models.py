"""Vectors of rules that add up over matches: rounds in which one rule decides.

Left out, or a fact read wrongly, another pairing comes out: `without` says which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from oracle import CONSTRAINTS, Oracle, Pairing

from vectors.tiny import Chances, Rules, Tiny, row, tiny

MOST_LEGAL, MOST_BEST, MOST_OTHERS = 60, 4, 12
FEW, MANY = 400, 5000
"""So many events are tried for answers that have nothing in common, and for any."""
BYE, GROUPS = {"kind": "bye_score"}, {"kind": "score_groups"}


@dataclass(frozen=True)
class Group:
    """A file of vectors: its rule in words, models in turn, and what is left out of them.

    `leave` makes the event without the rule, or misread; `told` says what that is.
    """

    name: str
    rule: str
    count: int
    models: tuple[tuple[str, Rules], ...]
    often: Chances
    leave: Callable[[Tiny, str], Tiny]
    told: str
    change: Callable[[Tiny, Random], Tiny] = lambda event, _: event
    wanted: Callable[[dict[str, Any]], bool] = lambda made: True  # noqa: ARG005


def rules(*criteria: dict[str, Any], **constraints: Any) -> Rules:
    return {"constraints": constraints, "criteria": list(criteria)}


def without(event: Tiny, kind: str) -> Tiny:
    return event.without(kind)


def as_played(event: Tiny, _: str) -> Tiny:
    """Matches won without playing read as played ones."""
    rows = tuple(
        {**r, "status": "" if r["status"] == "forfeit" else r["status"]}
        for r in event.rows
    )
    return replace(event, rows=rows)


def as_byes(event: Tiny, _: str) -> Tiny:
    """Rounds before somebody came read as byes without points."""
    rows = list(event.rows)
    for name in (player["player"] for player in event.players):
        mine = [
            int(str(r["round"])) for r in rows if name in (r["player1"], r["player2"])
        ]
        missed = range(1, min(mine, default=1))
        rows += [row(number, name, None, ("0", None), "bye") for number in missed]
    return replace(event, rows=tuple(rows))


def allowed(event: Tiny, _: str) -> Tiny:
    """Nobody is forbidden to meet anybody."""
    return replace(event, forbid=())


def some_forbidden(event: Tiny, chance: Random) -> Tiny:
    names = [p["player"] for p in event.players]
    many = chance.choice((1, 1, 2, 3))
    pairs = {tuple(sorted(chance.sample(names, 2))) for _ in range(many)}
    return replace(event, forbid=tuple(sorted(pairs)))  # type: ignore[arg-type]


STREAKS = {"kind": "side_streak", "at_least": 2}
DIFFERENCES = {"kind": "side_difference", "at_least": 1}
GROUPS_OF = (
    Group(
        "rematch",
        "Two players meet twice only if nothing else is possible, or never.",
        22,
        (
            ("no_rematch", rules(BYE, GROUPS, no_rematch=True)),
            ("rematches", rules({"kind": "rematches"}, BYE, GROUPS)),
            ("max_meetings", rules(GROUPS, max_meetings=2)),
        ),
        Chances(odd=0.3, rounds=(2, 5)),
        without,
        "With {kind} left out",
    ),
    Group(
        "bye",
        "In an odd field, the bye goes to a player with as few points as possible.",
        20,
        (
            ("bye_score", rules(BYE, GROUPS)),
            (
                "bye_score",
                rules({"kind": "rematches"}, BYE, {"kind": "score_difference"}),
            ),
        ),
        Chances(odd=1.0),
        without,
        "With {kind} left out",
    ),
    Group(
        "second_bye",
        "No player gets the bye twice, or after a win without playing.",
        22,
        (
            ("no_repeat_bye", rules(BYE, GROUPS, no_repeat_bye=True)),
            ("rematches", rules({"kind": "rematches"}, BYE)),
            (
                "no_bye_after_forfeit_win",
                rules(BYE, GROUPS, no_bye_after_forfeit_win=True),
            ),
        ),
        Chances(odd=1.0, forfeit=0.1, away=0.1, rounds=(1, 5)),
        without,
        "With {kind} left out",
    ),
    Group(
        "sides",
        "Sides are balanced: differences and streaks stay small, and sides change.",
        30,
        (
            ("max_side_difference", rules(GROUPS, max_side_difference=2)),
            ("max_side_streak", rules(GROUPS, max_side_streak=2)),
            (
                "no_same_sides_rematch",
                rules(GROUPS, DIFFERENCES, no_same_sides_rematch=True),
            ),
            ("side_difference", rules(DIFFERENCES, GROUPS, no_rematch=True)),
            ("side_streak", rules(STREAKS, GROUPS, no_rematch=True)),
            ("same_side", rules(GROUPS, {"kind": "same_side"}, no_rematch=True)),
        ),
        Chances(sided=1.0, odd=0.3, rounds=(2, 4), players=(4, 5)),
        without,
        "With {kind} left out",
    ),
    Group(
        "floats",
        "Players with equal points meet. A player who had to leave the score group does not have to again.",
        30,
        (
            ("score_groups", rules({"kind": "rematches"}, BYE, GROUPS)),
            (
                "score_groups",
                rules({**GROUPS, "order": "top_first"}, {"kind": "rank_gap"}),
            ),
            ("score_difference", rules({"kind": "score_difference"}, no_rematch=True)),
            (
                "repeat_floats",
                rules(BYE, GROUPS, {"kind": "repeat_floats"}, no_rematch=True),
            ),
        ),
        Chances(odd=0.4, rounds=(2, 4)),
        without,
        "With {kind} left out",
    ),
    Group(
        "late_entry",
        "A player who enters late has had no bye, lost no round and met no opponent.",
        16,
        (
            ("no_repeat_bye", rules(BYE, GROUPS, no_repeat_bye=True)),
            ("rematches", rules({"kind": "rematches"}, BYE, GROUPS)),
        ),
        Chances(odd=1.0, late=1.0, rounds=(2, 4)),
        as_byes,
        "With the rounds before read as byes of no points",
    ),
    Group(
        "forfeit",
        "A match that was not played counts as no meeting and has no sides.",
        22,
        (
            ("no_rematch", rules(BYE, GROUPS, no_rematch=True)),
            ("side_difference", rules(DIFFERENCES, GROUPS, {"kind": "rematches"})),
            (
                "no_bye_after_forfeit_win",
                rules(BYE, GROUPS, no_bye_after_forfeit_win=True),
            ),
        ),
        Chances(sided=0.5, odd=0.4, forfeit=0.3, rounds=(1, 4), players=(4, 5)),
        as_played,
        "With what was not played read as played",
    ),
    Group(
        "forbidden_pair",
        "Two players who may not meet do not meet, whatever that costs.",
        16,
        (
            ("forbidden", rules(BYE, GROUPS, no_rematch=True)),
            (
                "forbidden",
                rules({"kind": "rematches"}, BYE, {"kind": "score_difference"}),
            ),
        ),
        Chances(odd=0.3, rounds=(1, 3)),
        allowed,
        "With everybody allowed to meet",
        some_forbidden,
    ),
    Group(
        "clubs",
        "Players of the same club meet as rarely as possible, or never.",
        14,
        (
            (
                "conflicts",
                rules(
                    {"kind": "conflicts", "column": "club"},
                    BYE,
                    GROUPS,
                    no_rematch=True,
                ),
            ),
            ("conflicts", rules(BYE, GROUPS, conflicts=["club"])),
        ),
        Chances(odd=0.3, clubs=True, rounds=(1, 3)),
        without,
        "With {kind} left out",
    ),
)


def drawn(group: Group, without_pairing: int = 2) -> Iterator[dict[str, Any]]:
    """The vectors of a group: the models in turn, each field once, so many without a pairing."""
    seen: set[str] = set()
    left = without_pairing
    for number in range(group.count):
        kind, model = group.models[number % len(group.models)]
        for attempt in range(MANY):
            chance = Random(f"{group.name} {number} {attempt}")
            event = group.change(tiny(chance, model, group.often), chance)
            made = _vector(
                group, kind, event, left > 0 and attempt % 2 == 0, attempt < FEW
            )
            if (
                made is not None
                and group.wanted(made)
                and repr(made["facts"]) not in seen
            ):
                break
        else:
            raise ValueError(f"no vector of {group.name} {kind}")
        seen.add(repr(made["facts"]))
        left -= not made["best"]
        yield {"id": f"{group.name}-{number + 1:03}", **made}


def _vector(
    group: Group, kind: str, event: Tiny, allow_empty: bool, apart: bool
) -> dict[str, Any] | None:
    """The event as a vector, if its rule decides and the answers are few; `apart`: and what comes
    out without the rule is never best."""
    other = group.leave(event, kind)
    if other == event:
        return None
    best, anyway = event.optima(), other.optima()
    instead = [pairing for pairing in anyway if pairing not in best]
    if (
        not instead
        or len(instead) > MOST_OTHERS
        or (apart and len(instead) < len(anyway))
    ):
        return None
    if (not best and not allow_empty) or len(best) > MOST_BEST:
        return None
    legal = event.legal()
    if len(legal) > MOST_LEGAL:
        return None
    why = (
        f"{group.rule} {explained(event, kind, group.told, best, instead, len(legal))}"
    )
    return answered(event, kind, why, legal, best, instead)


def answered(
    event: Tiny,
    kind: str,
    why: str,
    legal: list[Pairing],
    best: list[Pairing],
    instead: list[Pairing] | None,
) -> dict[str, Any]:
    """A vector but for its name, as the schema has it."""
    return {
        "decides": kind,
        "why": why,
        "facts": facts(event),
        "legal": legal,
        "best": best,
        "without": instead,
    }


def facts(event: Tiny) -> dict[str, Any]:
    """What is given to a program."""
    oracle = event.oracle()
    matches = [
        {
            "round": r["round"],
            "first": r["player1"],
            "second": r["player2"],
            "scores": [r["score1"], r["score2"]],
            "status": r["status"] or "played",
        }
        for r in event.rows
    ]
    players = [
        {
            "id": p["player"],
            **({"rating": p["rating"]} if p.get("rating") else {}),
            **({"club": p["club"]} if p.get("club") else {}),
        }
        for p in event.players
    ]
    win, draw, loss = event.points
    return {
        "round": oracle.round,
        "rounds": None,
        "rules": {
            "constraints": dict(event.rules["constraints"]),
            "criteria": list(event.rules["criteria"]),
        },
        "sides": ["white", "black"] if event.sided else None,
        "first_side": None,
        "points": {"win": win, "draw": draw, "loss": loss},
        "players": players,
        "active": list(oracle.active),
        "matches": matches,
        "forbidden": [list(pair) for pair in event.forbid],
        "accelerated": {},
        "trf": None,
    }


# ---------------------------------------------------------------------- words


def explained(
    event: Tiny,
    kind: str,
    told: str,
    best: list[Pairing],
    instead: list[Pairing],
    legal: int,
) -> str:
    """What would be paired otherwise, what is against it, and what the best costs."""
    oracle = event.oracle()
    wrong = instead[0]
    said = f"{told.format(kind=kind)}, {shown(wrong)} would be paired. "
    broken = [(name, arc) for arc in wrong for name in _broken(oracle, event, *arc)]
    if broken:
        said += f"{'; '.join(f'{shown([arc])} is against {name}' for name, arc in broken)}. "
    elif best:
        mine, theirs = oracle.vector(best[0]), oracle.vector(wrong)
        level = next(
            level
            for level in sorted(oracle.levels)
            if mine.get(level[::2], 0) != theirs.get(level[::2], 0)
        )
        criterion = oracle.criteria[level.place]["kind"]
        own, more = (vector.get(level[::2], 0) for vector in (mine, theirs))
        said += f"It has {more} in {criterion}, level {level.label}, where {own} is possible. "
    if not best:
        return said + "Nothing is left: no pairing keeps all constraints."
    many = "is" if len(best) == 1 else "are"
    return (
        said + f"Of {legal} legal pairings {len(best)} {many} best: {shown(best[0])}."
    )


def _broken(oracle: Oracle, event: Tiny, one: str, two: str | None) -> Iterator[str]:
    if two and {one, two} in [set(pair) for pair in event.forbid]:
        yield "the forbidden pair"
    for name, value in oracle.constraints.items():
        entry = CONSTRAINTS[name]
        if (oracle.sided or not entry.sided) and not entry.rule(
            oracle, value, one, two
        ):
            yield name


def shown(pairing: Pairing) -> str:
    return ", ".join(
        f"{one}\N{EN DASH}{two}" if two else f"{one} bye" for one, two in pairing
    )
