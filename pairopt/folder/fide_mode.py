"""Mode: whether an event is played in FIDE mode, what broke that, and what leaves it for good.

It is a state of the files: `fide = true` in event.toml, and `breaches` beside it. The journal asks
here at every step, so that no verb, page or hand has a way around.
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pairopt.common.atomic_write import AGAINST
from pairopt.errors import ConfirmationError, InputError
from pairopt.event.column_layout import ADJOURNED
from pairopt.event.settings import CHESS, SETTINGS
from pairopt.event.source_info import FideModeBreach
from pairopt.files.event_folder import EVENT, MATCHES, Files
from pairopt.files.text_source import decode_text
from pairopt.files.toml_editing import edit_toml
from pairopt.folder.protected_facts import (
    FactChange,
    Row,
    changes,
    describe_changes,
    facts,
    paired_rows,
    parse_points,
    people,
    points_by_player,
)
from pairopt.messages.formatting import decimal_text

FORBID = "forbid"
SYSTEMS = ("fide-dutch", "fide-burstein")
KINDS = {
    "rounds": "mode.rounds",
    "tie_breaks": "mode.tie_breaks",
    FORBID: "mode.prohibition",
}
PAIRING, NOBODY_ASKED = ("pair", "repair"), ("edited by hand", "mend", "new", "found")
AS_PLAYED = "mode.as_played"  # a record of what happened, which is no breach


@dataclass(frozen=True)
class FideModeState:
    """What files say of the mode; `fide` is None where they say nothing, as those of before do.
    `values` are the settings as texts, `round` is the last that is paired.
    """

    fide: bool | None
    breaches: tuple[FideModeBreach, ...]
    values: Mapping[str, str]
    worth: Mapping[str, Fraction]
    rows: Sequence[tuple[int, Row, bool]]
    round: int

    @property
    def left(self) -> FideModeBreach | None:
        return next((each for each in self.breaches if each.asks > 1), None)

    @property
    def by_hand(self) -> bool:
        ended = ("mode.by_hand", "mode.as_due", "mode.mpa")
        return [each.kind for each in self.breaches if each.kind in ended][-1:] == [
            *ended[:1]
        ]


def read_mode(files: Files) -> FideModeState:
    """What files say; those that cannot be read say nothing."""
    with suppress(InputError, AttributeError, ArithmeticError, TypeError, ValueError):
        return _mode(files.get(EVENT, b""), files.get(MATCHES, b""))
    return FideModeState(None, (), {}, {}, (), 0)


@lru_cache(maxsize=8)
def _mode(event: bytes, matches: bytes) -> FideModeState:
    said: dict[str, Any] = tomllib.loads(
        decode_text(EVENT, event).text, parse_float=str
    )
    worth = {name: Fraction(each) for name, each in said.pop("points", {}).items()}
    shown = {name: decimal_text(each) for name, each in worth.items()}
    values = {key: text_of(said[key]) for key in (*SETTINGS, FORBID) if said.get(key)}
    values |= {key: shown[key[7:]] for key in SETTINGS if key[7:] in shown}
    values.setdefault(
        "tie_breaks", ",".join(CHESS)
    )  # they rank where no others are named
    values["points"] = "-".join(
        shown.get(name, "0") for name in ("win", "draw", "loss")
    )
    breaches = tuple(FideModeBreach(**each) for each in said.get("breaches", ()))
    return FideModeState(
        said.get("fide"), breaches, values, worth, *paired_rows(matches)
    )


def unfit(now: FideModeState) -> Iterator[str]:
    """The settings with which no event is in the mode, as byes for what no result gives."""
    said, worth, none = now.values, now.worth, Fraction(0)
    win, draw, loss = (worth.get(name, none) for name in ("win", "draw", "loss"))
    wrong = {
        "model": said.get("model") not in SYSTEMS,
        "sides": said.get("sides", "").lower() != "white,black",
        "points": 2 * draw > win + loss or win <= loss or worth.get("games", 1) != 1,
        "points.bye": worth.get("bye", win) not in (win, draw, loss, none),
        **{
            f"points.{name}": worth.get(name, none) not in (draw, loss, none)
            for name in ("requested_bye", "absent")
        },
        **{key: key in said for key in ("best_of", "first_round", "lookahead")},
    }
    yield from (key for key, there in wrong.items() if there)


def leaves(before: Files, after: Files) -> tuple[FideModeBreach, ...]:
    """What breaks the mode, of all that is another after than before; what asks twice leaves it."""
    old, new = read_mode(before), read_mode(after)
    if not old.fide:
        return ()
    recorded = {each.round for each in added(old, new) if each.kind == AS_PLAYED}
    return (
        *_rules(old, new),
        *_results(old, before, after, recorded),
        *_rounds(old, new, after, recorded),
    )


def added(old: FideModeState, new: FideModeState) -> tuple[FideModeBreach, ...]:
    """Return the breaches that a step itself has written down."""
    known = len(old.breaches)
    if new.breaches[:known] == old.breaches:
        return new.breaches[known:]
    return tuple(each for each in new.breaches if each not in old.breaches)


def _rules(old: FideModeState, new: FideModeState) -> Iterator[FideModeBreach]:
    """Settings that the mode cannot be with, or that are locked once round 1 is paired."""
    wrong = {*unfit(new)} - {*unfit(old)}
    if not new.fide:
        yield FideModeBreach("mode.asked", old.round)
    for key in (*SETTINGS, FORBID):
        was, now = old.values.get(key, ""), new.values.get(key, "")
        locked = key == FORBID or (
            SETTINGS[key].mode == "leaves" and (was or key != "rounds")
        )
        if key in wrong or (was != now and key != "fide" and old.round and locked):
            yield FideModeBreach(
                KINDS.get(key, "mode.setting"), old.round, key, was, now
            )


def _results(
    old: FideModeState, before: Files, after: Files, recorded: Collection[int]
) -> Iterator[FideModeBreach]:
    """What was settled in the round that the last one was paired from, or earlier.

    In the rounds in `recorded` the step says itself what was played instead. Only points that are
    others are a correction there.
    """
    one, two = (people(files) for files in (before, after))
    later = {
        (turn, frozenset((row.get("player1", ""), row.get("player2", ""))))
        for turn, row, _ in old.rows
        if row.get(ADJOURNED) == "true"
    }
    found = changes(facts(before), facts(after))
    for number in sorted(recorded):
        if number < old.round:
            here = [each for each in found if each.fact.round == number]
            yield from _points_correction(here, number, old, before, after)
    for each in found:
        fact = each.fact
        is_of_nobody = not any(player in two for player in fact.players)
        if fact.round in recorded or (fact.status == "requested" and is_of_nobody):
            continue
        if 0 < fact.round < old.round and (each.before or fact.kind == "match"):
            open_ = (
                fact.round,
                frozenset(fact.players),
            ) in later or fact.round == old.round - 1
            kind = "mode.correction" if open_ else "mode.older"
            seats = "-".join(
                one.get(player, {}).get("start") or "?" for player in fact.players
            )
            was, now = (
                "-".join(map(decimal_text, known.scores)) if known else "none"
                for known in (each.before, each.after)
            )
            what = str(describe_changes([each], before, after)[0])
            yield FideModeBreach(kind, fact.round, what, f"{seats}: {was}", now)
    if old.round and any(
        row.get("virtual", "") != two[player].get("virtual", "")
        for player, row in one.items()
        if player in two
    ):
        yield FideModeBreach("mode.setting", old.round, "virtual")


def _points_correction(
    found: Sequence[FactChange],
    number: int,
    old: FideModeState,
    before: Files,
    after: Files,
) -> Iterator[FideModeBreach]:
    """Yield a breach if a record of what was played changes the points of players in that round."""
    was = points_by_player(each.before for each in found)
    now = points_by_player(each.after for each in found)
    differing = sorted(player for player in was if was[player] != now.get(player))
    if not differing:
        return

    rows = people(before)
    starts = {player: rows.get(player, {}).get("start") or "?" for player in differing}
    texts = [
        ", ".join(
            f"{starts[player]}: {decimal_text(points[player])}" for player in differing
        )
        for points in (was, now)
    ]
    kind = "mode.correction" if number == old.round - 1 else "mode.older"
    what = "; ".join(map(str, describe_changes(found, before, after)))
    yield FideModeBreach(kind, number, what, *texts)


def _rounds(
    old: FideModeState, new: FideModeState, after: Files, recorded: Collection[int]
) -> Iterator[FideModeBreach]:
    """Byes for the points of a win, and rounds that are other ones than they were."""
    for turn, player in sorted(_full(new) - _full(old)):
        start = people(after).get(player, {}).get("start") or "?"
        yield FideModeBreach("mode.fpb", turn, player, now=f"{start}=FPB")
    for turn in range(max(old.round, 1), max(old.round, new.round) + 1):
        if turn in recorded:
            continue
        if _pairs(old, turn) != _pairs(new, turn) and not (old.by_hand and new.by_hand):
            yield FideModeBreach("mode.hand", turn)


def _full(now: FideModeState) -> set[tuple[int, str]]:
    win = now.worth.get("win", 1)
    return {
        (turn, row.get("player1", ""))
        for turn, row, asked in now.rows
        if asked and (parse_points(row.get("score1", "")) or 0) >= win
    }


def _pairs(now: FideModeState, number: int) -> set[tuple[frozenset[str], str]]:
    here = (row for turn, row, asked in now.rows if turn == number and not asked)
    return {
        (
            frozenset((one := row.get("player1", ""), row.get("player2", ""))),
            one + row.get("side1", "").lower(),
        )
        for row in here
    }


def has_same_pairs(one: Files, two: Files, number: int) -> bool:
    """Return whether a round has the same pairs and sides in both."""
    return _pairs(read_mode(one), number) == _pairs(read_mode(two), number)


def apply_mode(
    verb: str, before: Files, after: Files, asks: bool = True
) -> tuple[Files, tuple[FideModeBreach, ...]]:
    """Return the files as a step leaves them, and how it breaks the mode.

    What was broken stays, and who has left the mode stays outside. There are two exceptions: an
    undo of that step, before the next round is paired, takes it back. A round by hand that ends as
    it began takes the mark of its begin back.

    Raises
    ------
    ConfirmationError
        The step `asks`: once for what breaks the mode, twice for what leaves it.
    """
    old, new = read_mode(before), read_mode(after)
    undone = any(each.kind == "mode.undone" for each in old.breaches)
    back = verb == "undo" and not (old.left and (undone or old.round > old.left.round))
    if back or not (before.get(EVENT) and after.get(EVENT)):
        return after, ()
    found = tuple(
        each
        for each in (*leaves(before, after), *added(old, new))
        if verb not in PAIRING or each.kind != "mode.hand"
    )
    if verb == "undo":
        found = (FideModeBreach("mode.undone", new.round),) * bool(new.fide)
    need = max((each.asks for each in found), default=0)
    if asks and verb not in NOBODY_ASKED and need > (said := AGAINST.get()):
        kind = "mode.breaks" if need == 1 else "mode.final" if said else "mode.leaves"
        raise ConfirmationError(kind, *(each.said for each in found))
    ended = old.by_hand and new.breaches == without_begin(old.breaches)
    taken_back = verb in PAIRING and ended and not found
    kept = new.breaches if taken_back else (*old.breaches, *found)
    closed = old.fide is False and (old.left or old.round or new.fide is None)
    unready = new.fide and not old.fide and any(unfit(new))
    fide = False if closed or unready or need > 1 else new.fide
    if (fide, kept) != (new.fide, new.breaches):
        after = {**after, EVENT: with_fide_mode(after[EVENT], fide, kept)}
    return after, found


def without_begin(breaches: Sequence[FideModeBreach]) -> tuple[FideModeBreach, ...]:
    """Return the breaches without the last mark that a change by hand began."""
    begun = [k for k, each in enumerate(breaches) if each.kind == "mode.by_hand"]
    return tuple(each for k, each in enumerate(breaches) if k not in begun[-1:])


def with_fide_mode(
    event: bytes, fide: bool | None, breaches: Sequence[FideModeBreach]
) -> bytes:
    """event.toml with another mode; all else stays as its owner has it."""
    # Few steps write the mode, and the others start faster without this import.
    import tomlkit

    def write(content: Any) -> None:
        if fide is not None:
            content["fide"] = fide
        content.pop("breaches", None)
        if breaches:
            rows = [
                {name: each for name, each in asdict(one).items() if each != ""}
                for one in breaches
            ]
            content["breaches"] = tomlkit.item(rows)

    return edit_toml(EVENT, event, write)


def text_of(value: object) -> str:
    """A value of event.toml as it is typed."""
    if isinstance(value, list):
        return ",".join(map(text_of, value)) or "none"
    if isinstance(value, dict):
        return ":".join(map(str, value.values()))
    return str(value).lower() if isinstance(value, bool) else str(value)
