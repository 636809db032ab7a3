"""Requests of programs, random and hostile, and what is to hold of their answers; shares no code
with the package. Tiny rounds are tried out, every pairing of them."""

# ruff: noqa: ARG005 - each kind of hostile request is given a lot and a request
from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

Json = dict[str, Any]
Pairing = list[tuple[str, str | None]]
MODELS = (
    "standard",
    "excalibur",
    "monrad",
    "top-first",
    "double-sided",
    "fide-basic",
    "leaguevine",
    "random",
    "bakert",
    "gatherling",
    "aesops",
    "cobra",
    "fide-dutch",
    "fide-burstein",
)
ODD = (
    "Ann",
    "O'Neil",
    'Bob "B" Lee',
    "Łukasz",
    "Åke",
    "李雷",
    "🦊",
    "a,b;c",
    "=1+1",
    "<b>x</b>",
    "x:y",
    "شطرنج",
    "--force",
    "null",
    "true",
    "1e9",
    "BYE?",
    "line\u2028end",
    "$(id)",
    "../../etc",
    "%s{0}",
    "\u202egnip",
    "N" * 200,
    "e\u0301",
    "\\",
    "0",
    "-1",
    "' OR 1=1 --",
)
TINY = 8  # players to be paired, up to which every pairing is tried


@dataclass(frozen=True)
class Wish:
    """A request, and what its round is: who is to be paired and what was asked, in own words."""

    content: Json
    here: list[str]
    requested: list[str]
    tried: bool


def names_of(rnd: random.Random, many: int) -> list[Any]:
    if rnd.random() < 0.2:
        return rnd.sample(range(1, 10 * many), many)
    odd = rnd.sample(ODD, min(many, rnd.choice([0, 0, 3, len(ODD)])))
    return [*odd, *(f"P{k}" for k in range(many - len(odd)))]


def wish(seed: int) -> Wish:
    """A request that is in order, by its seed."""
    rnd = random.Random(seed)
    many = rnd.choice([2, 3, 4, 5, 6, 6, 7, 7, 8, 8, 9, 12, 16, 21, 32, 40])
    ids = names_of(rnd, many)
    rounds = rnd.randint(0, min(6, many - 1))
    sides = rnd.choice(
        [None, None, ("corp", "runner"), ("white", "black"), ("red", "blue")]
    )
    points = rnd.choice(
        [("3", "1", "0"), ("1", "0.5", "0"), ("6", "3", "0"), ("2", "1", "0")]
    )
    number: Callable[[str], Any] = rnd.choice(
        [str, float, lambda p: int(float(p)) if "." not in p else p]
    )
    played = [_played(rnd, ids, sides, points, number) for _ in range(rounds)]
    left = [p for p in ids if rounds and rnd.random() < 0.07][: many - 2]
    players: list[Json] = [{"player": p} for p in ids]
    for each in players:
        if each["player"] in left:
            each["active"] = False
        elif rnd.random() < 0.2:
            each["active"] = True
    if rnd.random() < 0.6 or not rounds:
        for each in players:
            each["rating"] = rnd.choice(
                [rnd.randint(800, 2800), str(rnd.randint(800, 2800))]
            )
    if rnd.random() < 0.2:
        for k, each in enumerate(players):
            each["name"] = f"Name {k}"
    if rnd.random() < 0.3:
        for each in players:
            each["club"] = rnd.choice(["x", "y", "z", ""])
    content: Json = {"version": 1, "players": players}
    if rounds or rnd.random() < 0.5:
        content["rounds"] = played
    here = [str(p) for p in ids if p not in left]
    options: Json = {}
    if sides and sides[0] == "red":
        content["event"] = {"sides": list(sides)}
    if rnd.random() < 0.5:
        options["points"] = "-".join(points)
    tried = len(here) <= TINY and not sides and rnd.random() < 0.8
    if tried:
        content["model"] = _own_model(rnd)
    elif rnd.random() < 0.8:
        content["model"] = rnd.choice(MODELS)
    requested = _options(rnd, ids, here, options, tried)
    if options or rnd.random() < 0.5:
        content["options"] = options
    if content.get("model") == "fide-burstein" or rnd.random() < 0.2:
        content.setdefault("event", {})["rounds"] = rounds + rnd.randint(1, 4)
    if str(content.get("model")).startswith("fide"):
        options.pop("lookahead", None)
    if rnd.random() < 0.1 and len(here) > 3:
        content.setdefault("event", {})["forbid"] = [rnd.sample(here, 2)]
    if rnd.random() < 0.3:
        content["also"] = rnd.sample(["reasons", "costs", "proof"], rnd.randint(1, 3))
    left_here = [
        p for p in here if p not in options.get("drop", ()) and p not in requested
    ]
    if rnd.random() < 0.15 and len(left_here) >= 2:
        one, two = rnd.sample(left_here, 2)
        content["ask"] = rnd.choice(
            [
                {"why": [[one, two]]},
                {"why_not": [[two, one]]},
                {"why_bye": [one]},
                {"why_float": [two]},
            ]
        )
    return Wish(content, left_here, requested, tried)


def _played(
    rnd: random.Random,
    ids: list[Any],
    sides: Any,
    points: tuple[str, str, str],
    number: Any,
) -> list[Json]:
    order = rnd.sample(ids, len(ids))
    away = [order.pop() for _ in range(rnd.choice([0, 0, 0, 1])) if len(order) > 2]
    made: list[Json] = []
    while len(order) > 1:
        one, two = order.pop(), order.pop()
        win, draw, loss = map(number, points)
        s1, s2 = rnd.choice([(win, loss), (draw, draw), (loss, win)])
        match: Json = {"player1": one, "player2": two, "score1": s1, "score2": s2}
        if rnd.random() < 0.05:
            match |= {"status": "forfeit", "score1": win, "score2": loss}
        if sides:
            match["side1"] = rnd.choice(sides)
        made.append(match)
    made += [
        {"player1": p, "status": "bye", "score1": number(points[0])} for p in order
    ]
    asked: Json = {"player2": None, "status": "requested", "score1": number(points[2])}
    return made + [{"player1": p, **asked} for p in away if rnd.random() < 0.5]


def _own_model(rnd: random.Random) -> Json:
    rules = {
        name: True for name in ("no_rematch", "no_repeat_bye") if rnd.random() < 0.5
    }
    kinds: list[Json] = [
        {"kind": "rematches"},
        {"kind": "bye_score"},
        {"kind": "score_groups"},
        {"kind": "score_difference", "power": rnd.choice([1, 2])},
    ]
    criteria = rnd.sample(kinds, rnd.randint(1, 4))
    return {"name": "own", "constraints": rules, "criteria": criteria}


def _options(
    rnd: random.Random, ids: list[Any], here: list[str], options: Json, tried: bool
) -> list[str]:
    if rnd.random() < 0.3:
        options["seed"] = rnd.randint(0, 10**6)
    if rnd.random() < 0.1:
        options["last_round"] = True
    if rnd.random() < 0.15 and len(here) > 3:
        options["drop"] = [rnd.choice(here)]
    requested = [rnd.choice(here)] if rnd.random() < 0.1 and len(here) > 3 else []
    requested = [p for p in requested if p not in options.get("drop", ())]
    if requested:
        options["request_bye"] = requested
    left = [p for p in here if p not in options.get("drop", ()) and p not in requested]
    if rnd.random() < 0.3:
        options["forbid"] = [
            rnd.sample(left, 2) for _ in range(rnd.randint(1, 3)) if len(left) > 1
        ]
    if rnd.random() < 0.1 and len(left) > 1:
        options["force"] = [rnd.sample(left, 2)]
    if rnd.random() < 0.1 and len(left) % 2:
        options["bye"] = rnd.choice(left)
    if rnd.random() < 0.1 and len(left) % 2:
        options["no_bye"] = [rnd.choice(left)]
    if not tried and rnd.random() < 0.05:
        options["lookahead"] = 1
    if rnd.random() < 0.05:
        options["verify"] = True
    if rnd.random() < 0.05 and "lookahead" not in options:  # a lookahead can be neither
        options |= {"choose": "uniform", "count": True}
    return requested


# ---------------------------------------------------------------------- what is to hold


def wrong(given: Wish, answer: Json) -> str:
    """What is wrong with an answer; "" for nothing."""
    if "errors" in answer:
        return f"refused: {answer['errors'][:2]}"
    best = _best(given) if given.tried else None
    if answer["status"] == "infeasible":
        return "there is a pairing" if best else ""
    if answer["status"] not in ("optimal", "heuristic", "feasible"):
        return answer["status"]
    rows = answer["pairings"]
    pairing = [
        (row["player1"], row["player2"]) for row in rows if row["status"] != "requested"
    ]
    if sorted(row["player1"] for row in rows if row["status"] == "requested") != sorted(
        given.requested
    ):
        return "byes asked for"
    if sorted(p for match in pairing for p in match if p) != sorted(given.here):
        return "not everybody once"
    if broken := _broken(given, pairing):
        return broken
    tables = [row["table"] for row in rows if row["player2"]]
    if tables != sorted(set(tables)) or any(
        row["table"] for row in rows if not row["player2"]
    ):
        return "tables"
    if best is not None and (best == () or _worth(given, pairing) != best):
        return f"not the optimum: {_worth(given, pairing)}, {best}"
    for each in answer["unavoidable"]:
        level = answer["levels"][each["level"]]
        if (
            not level["proven"]
            or not level["value"]
            or level["value"] != level["bound"]
        ):
            return "unavoidable"
        if any(tuple(match) not in pairing for match in each["matches"]):
            return "a match that is not"
    return ""


def _matches(given: Wish) -> Iterator[Json]:
    for matches in given.content.get("rounds", []):
        yield from matches


def _history(
    given: Wish,
) -> tuple[dict[str, Fraction], dict[frozenset[str], int], dict[str, int]]:
    scores, met, byes = (
        dict[str, Fraction](),
        dict[frozenset[str], int](),
        dict[str, int](),
    )
    for match in _matches(given):
        one, two = str(match["player1"]), match.get("player2")
        scores[one] = scores.get(one, Fraction(0)) + Fraction(str(match["score1"]))
        if two is None:
            byes[one] = byes.get(one, 0) + (match["status"] == "bye")
            continue
        scores[str(two)] = scores.get(str(two), Fraction(0)) + Fraction(
            str(match["score2"])
        )
        if match.get("status") != "forfeit":
            both = frozenset((one, str(two)))
            met[both] = met.get(both, 0) + 1
    return scores, met, byes


def _broken(given: Wish, pairing: Pairing) -> str:
    options, model = given.content.get("options", {}), given.content.get("model")
    _, met, byes = _history(given)
    pairs = {frozenset(match) for match in pairing if match[1]}
    bye = next((one for one, two in pairing if not two), None)
    rules = model["constraints"] if isinstance(model, dict) else {}
    if model in (
        "monrad",
        "fide-basic",
        "fide-dutch",
        "fide-burstein",
        "random",
        "leaguevine",
    ):
        rules = {"no_rematch": True}
    never = [
        *options.get("forbid", []),
        *given.content.get("event", {}).get("forbid", []),
    ]
    if any(frozenset(map(str, pair)) in pairs for pair in never):
        return "forbidden pair"
    if any(frozenset(map(str, pair)) not in pairs for pair in options.get("force", [])):
        return "forced pair"
    if options.get("bye", bye) != bye or (bye and bye in options.get("no_bye", [])):
        return "bye"
    if rules.get("no_rematch") and any(met.get(pair) for pair in pairs):
        return "rematch"
    return "second bye" if rules.get("no_repeat_bye") and bye and byes.get(bye) else ""


def _worth(given: Wish, pairing: Pairing) -> tuple[Any, ...]:
    """The levels of a model of `_own_model`, the most important first."""
    scores, met, byes = _history(given)
    model: Json = given.content["model"]
    groups = sorted({scores.get(p, Fraction(0)) for p in given.here}, reverse=True)
    made: list[Any] = []
    for each in model["criteria"]:
        if each["kind"] == "bye_score":
            made += [
                sum(scores.get(one, Fraction(0)) for one, two in pairing if not two)
            ]
            continue
        values = []
        for one, two in pairing:
            a, b = scores.get(one, Fraction(0)), scores.get(two or one, Fraction(0))
            if each["kind"] == "rematches":
                values.append(
                    met.get(frozenset((one, two)), 0) if two else byes.get(one, 0)
                )
            elif each["kind"] == "score_groups":
                values.append(abs(groups.index(a) - groups.index(b)))
            else:
                values.append(abs(a - b) ** each["power"])
        if each["kind"] == "score_difference":
            made.append(sum(values))
        else:
            made += [sum(v == k for v in values) for k in range(12, 0, -1)]
    return tuple(made)


def _best(given: Wish) -> tuple[Any, ...]:
    """The least that any pairing is worth, () where none is allowed."""
    every = (
        p
        for p in _pairings(given.here, bool(len(given.here) % 2))
        if not _broken(given, p)
    )
    return min((_worth(given, pairing) for pairing in every), default=())


def _pairings(left: list[str], odd: bool) -> Iterator[Pairing]:
    if not left:
        yield []
        return
    one, rest = left[0], left[1:]
    for k, two in enumerate(rest):
        for more in _pairings(rest[:k] + rest[k + 1 :], odd):
            yield [(one, two), *more]
    if odd:
        for more in _pairings(rest, False):
            yield [(one, None), *more]


# ---------------------------------------------------------------------- hostile ones


def _set(path: str, value: Any) -> Callable[[random.Random, Json], Any]:
    def change(rnd: random.Random, content: Json) -> Any:
        here: Any = content
        *way, last = path.split(".")
        for key in way:
            if isinstance(here, list):
                here = here[min(int(key), len(here) - 1)] if here else {}
            else:
                here = here.setdefault(key, {})
        if isinstance(here, list):
            here[int(last) : int(last) + 1] = [value]
        else:
            here[last] = value
        return content

    return change


VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**15,
    10**30,
    -(10**40),
    "",
    " ",
    "x",
    "\0",
    "\ud800",
    "\u202e",
    [],
    [[]],
    {},
    {"a": {}},
    [None],
    ["x", None],
    "9" * 5000,
    "A" * 200_000,
    1e308,
    5e-324,
    "1e999999999",
    "NaN",
    "\u0661",
    "½",
    "1,5",
    {"$ref": "#"},
    ["A", "B", "C"],
    [[1, 2], [3]],
    "/etc/passwd",
    "../models/x.toml",
    "=cmd()",
]
PATHS = [
    "version",
    "players",
    "rounds",
    "model",
    "options",
    "ask",
    "also",
    "players.0",
    "players.0.player",
    "players.1.rating",
    "players.0.active",
    "players.0.virtual",
    "players.0.score",
    "players.0.start",
    "players.0.table",
    "players.0.club",
    "players.0.first_round_bye",
    "rounds.0",
    "rounds.0.0",
    "rounds.0.0.player1",
    "rounds.0.0.player2",
    "rounds.0.0.score1",
    "rounds.0.0.status",
    "rounds.0.0.side1",
    "rounds.0.0.table",
    "rounds.0.0.games1",
    "options.forbid",
    "options.force",
    "options.seed",
    "options.time_limit",
    "options.lookahead",
    "options.engine",
    "options.points",
    "options.sides",
    "event",
    "event.sides",
    "event.points",
    "event.forbid",
    "event.byes",
    "event.rounds",
    "event.lookahead",
    "event.conflicts",
    "event.seed",
    "options.relax",
    "options.bye",
    "options.verify",
    "options.published",
    "options.fixed",
    "options.allow_bye",
    "model.constraints",
    "model.criteria",
    "model.name",
    "model.win",
    "model.engine",
    "model.system",
    "model.last_round",
    "model.constraints.lookahead",
    "model.constraints.max_meetings",
    "model.criteria.0",
    "ask.why",
    "ask.why_bye",
    "ask.nothing",
    "also.0",
]


def _model(content: Json) -> Json:
    if not isinstance(content.get("model"), dict):
        content["model"] = {
            "name": "own",
            "constraints": {},
            "criteria": [{"kind": "rematches"}],
        }
    return content


def hostile(seed: int) -> tuple[bytes, bool | None]:
    """A body that is not in order, and whether it has to be refused (None: either)."""
    rnd = random.Random(f"hostile {seed}")
    content = next(
        w.content
        for k in count(seed * 31)
        if len((w := wish(k)).content["players"]) < 13
    )
    kind = rnd.choice(["value"] * 12 + [*SPECIAL])
    if kind != "value":
        return SPECIAL[kind](rnd, content)
    for _ in range(rnd.choice([1, 1, 1, 2, 3])):
        path = rnd.choice(PATHS)
        if path.startswith("model."):
            _model(content)
        try:
            content = _set(path, rnd.choice(VALUES))(rnd, content)
        except (TypeError, ValueError, AttributeError):
            continue
    return _bytes(content), None


def _bytes(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=True).encode()


def _text(content: Json, old: str, new: str) -> bytes:
    return json.dumps(content).replace(old, new, 1).encode()


def _deep(rnd: random.Random, content: Json) -> tuple[bytes, bool | None]:
    many = rnd.choice([50, 900, 1100, 100_000])
    opening, closing = rnd.choice([("[", "]"), ('{"a":', "}")])
    nest = opening * many + "1" + closing * many
    return _bytes(content)[:-1] + b', "model": ' + nest.encode() + b"}", True


def _large_model(rnd: random.Random, content: Json) -> tuple[bytes, bool | None]:
    rules = rnd.choice(
        [
            {"constraints": {"lookahead": 10**9}},
            {"constraints": {"lookahead": 499}},
            {"criteria": [{"kind": "score_difference", "power": 10**6}]},
            {"criteria": [{"kind": "score_difference", "power": 60}]},
            {"criteria": [{"kind": "rematches"}] * 2000},
            {
                "criteria": [{"kind": "rematches", "weight": 10**30}],
                "objective": "weighted",
            },
            {"criteria": [{"kind": "side_difference", "at_least": 10**12}]},
            {"criteria": [{"kind": "conflicts", "column": "nothing"}]},
            {"games": 10**9, "win": 1e300, "criteria": [{"kind": "rematches"}]},
            {"system": "dutch"},
            {"system": "os"},
            {"engine": "aesops-by-hand"},
            {"engine": "os.system"},
        ]
    )
    return _bytes({**content, "model": {"name": "own", **rules}}), None


SPECIAL: dict[str, Callable[[random.Random, Json], tuple[bytes, bool | None]]] = {
    "truncated": lambda r, c: (_bytes(c)[: r.randint(0, len(_bytes(c)) - 1)], True),
    "not a number": lambda r, c: (
        _text(
            {**c, "options": {"seed": 7}},
            '"seed": 7',
            f'"seed": {r.choice(["NaN", "Infinity", "-Infinity"])}',
        ),
        True,
    ),
    "twice": lambda r, c: (_bytes(c)[:-1] + b', "version": 1}', True),
    "deep": _deep,
    "half a character": lambda r, c: (
        _bytes(
            {
                **c,
                "players": [{"player": "\ud83e"}, {"player": "x\udc00"}],
                "rounds": [],
            }
        ),
        True,
    ),
    "other encodings": lambda r, c: (
        json.dumps({**c, "extra é": 1}, ensure_ascii=False).encode(
            r.choice(["utf-16", "latin-1", "utf-32"]), "replace"
        ),
        True,
    ),
    "missing": lambda r, c: (
        _bytes({k: v for k, v in c.items() if k != r.choice(["version", "players"])}),
        None,
    ),
    "nothing": lambda r, c: (
        r.choice(
            [b"", b" ", b"\0", b"null", b"[]", b"1", b'""', b"<html>", b"PK\x03\x04"]
        ),
        True,
    ),
    "unknown": lambda r, c: (
        _bytes({**c, r.choice(["x", "__class__", "constructor", "Players", ""]): 1}),
        True,
    ),
    "unknown option": lambda r, c: (
        _bytes({**c, "options": {r.choice(["workers", "round", "proof"]): 1}}),
        True,
    ),
    "many players": lambda r, c: (
        _bytes({"version": 1, "players": [{"player": f"P{k}"} for k in range(2001)]}),
        True,
    ),
    "a million players": lambda r, c: (
        b'{"version":1,"players":['
        + b",".join([b'{"player":"x"}'] * 1_000_000)
        + b"]}",
        True,
    ),
    "many values": lambda r, c: (
        b'{"version":1,"players":[' + b"0," * 2_000_000 + b"0]}",
        True,
    ),
    "many keys": lambda r, c: (
        _bytes(
            {
                "version": 1,
                "players": [
                    {"player": "A", **{f"k{k}": 1 for k in range(50_000)}},
                    {"player": "B"},
                ],
            }
        ),
        None,
    ),
    "many rounds": lambda r, c: (_bytes({**c, "rounds": [[]] * 200}), True),
    "same player": lambda r, c: (
        _bytes({**c, "players": [{"player": "A"}, {"player": "A"}]}),
        True,
    ),
    "nobody": lambda r, c: (_bytes({**c, "players": []}), True),
    "stranger": lambda r, c: (
        _bytes(
            {
                **c,
                "rounds": [
                    [{"player1": "nobody", "player2": "else", "score1": 1, "score2": 0}]
                ],
            }
        ),
        True,
    ),
    "open round": lambda r, c: (
        _bytes(
            {
                "version": 1,
                "players": [{"player": "A"}, {"player": "B"}],
                "rounds": [[{"player1": "A", "player2": "B"}]],
            }
        ),
        True,
    ),
    "large model": _large_model,
    "large integer": lambda r, c: (
        _text({**c, "options": {"seed": 7}}, '"seed": 7', '"seed": ' + "9" * 100_000),
        True,
    ),
    "exponent": lambda r, c: (
        _text({**c, "options": {"time_limit": 7}}, "7", "1e-999999999"),
        None,
    ),
    "bits": lambda r, c: (
        bytes(b ^ (r.random() < 0.01) << r.randint(0, 7) for b in _bytes(c)),
        None,
    ),
}
