"""Conversion losses: what an event lacks after it was written and read again."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from pairopt.event.arcs import IntArray
from pairopt.event.column_layout import OWN
from pairopt.event.event import FORFEIT, REQUESTED, Event
from pairopt.event.points import CHESS, Points
from pairopt.event.settings import EventSettings
from pairopt.event.tie_breaks import tie_break_of
from pairopt.files.bracket_csv import load_bracket
from pairopt.files.formats.nrtm_json.top_cut import FACTS_KEY, OF_CUT, has_cut, read_cut
from pairopt.files.formats.trf.records import is_written_from_event
from pairopt.messages import Message, message

SEXES = {
    **dict.fromkeys(("m", "male", "man"), "m"),
    **dict.fromkeys(("w", "f", "female"), "w"),
}
Row = tuple[Any, ...]
"""Status, points of both, whether these are known, side of the first, table, row of the file, games
of both, those drawn."""


def find_losses(event: Event, again: Event) -> tuple[Message, ...]:
    """Return a message for each kind of information that `again` lacks."""
    if len(event.players) != len(again.players):
        return (
            message("lost.players", was=len(event.players), now=len(again.players)),
        )
    found = [
        message(kind) for kind, fact in FACTS.items() if fact(event) != fact(again)
    ]
    every = (
        _compare_matches,
        _compare_names,
        _compare_sides,
        _compare_columns,
        _compare_settings,
        _compare_facts,
        _compare_cuts,
    )
    return (*found, *(said for each in every for said in each(event, again)))


def _list_points(event: Event, given: IntArray) -> list[list[Fraction]]:
    """Return points by player and round, without the zeros at the end of each list.

    `given` are whole numbers on the scale of the event, by player or by player and
    round.
    """
    lists: list[list[int]] = given.reshape(len(event.players), -1).tolist()
    last = [max((k for k, v in enumerate(own, 1) if v), default=0) for own in lists]
    return [
        [Fraction(v, event.scale) for v in own[:end]]
        for own, end in zip(lists, last, strict=True)
    ]


FACTS: Mapping[str, Callable[[Event], object]] = {
    "lost.identifiers": lambda event: event.players,
    "lost.round": lambda event: event.round,
    "lost.brought": lambda event: _list_points(event, event.brought),
    "lost.byes_brought": lambda event: event.byes_brought.tolist(),
    "lost.adjusted": lambda event: _list_points(event, event.adjusted),
    "lost.virtual": lambda event: _list_points(event, event.acceleration),
    "lost.fixed_tables": lambda event: event.fixed_table.tolist(),
    "lost.first_round_byes": lambda event: event.first_round_bye.tolist(),
    "lost.order": lambda event: event.start_numbers.argsort(kind="stable").tolist(),
    "lost.initial_side": lambda event: event.initial_side,
    "lost.active": lambda event: event.active.tolist(),
    "lost.forbidden": lambda event: {
        (
            frozenset((each.one, each.two)),
            None
            if each.rounds == (1, event.settings.rounds or event.round)
            else each.rounds,
        )
        for each in event.prohibited
    },
}
"""What an event says, as values that are equal where it is the same, by the kind of its loss."""


def _index_matches(event: Event, other: Event) -> Mapping[Row, Row]:
    """Return the matches by round and players, with points on a common scale.

    The player with the lower index comes first in a key, and in its row.
    """
    rows, made = event.matches, dict[Row, Row]()
    columns = (
        rows.round,
        rows.first,
        rows.second,
        rows.score1 * other.scale,
        rows.score2 * other.scale,
        rows.side,
        rows.status,
        rows.scored.astype(int),
        rows.table,
        rows.row,
        *rows.games.T,
    )
    every = zip(*(column.tolist() for column in columns), strict=True)
    for turn, one, two, mine, theirs, side, status, *more in every:
        if 0 <= two < one:
            one, two, mine, theirs = two, one, theirs, mine
            side = 1 - side if side >= 0 else -1
            more[3:5] = more[4:2:-1]
        made[turn, one, two] = (status, mine, theirs, more[0], side, *more[1:])
    return made


def _compare_matches(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on lost matches, byes, results, sides, tables and cells."""
    before, after = _index_matches(event, again), _index_matches(again, event)
    lost, cells = Counter[str](), Counter[str]()
    for key, row in before.items():
        now = after.get(key)
        if row[0] == REQUESTED and (now is None or now[0] != REQUESTED):
            lost["lost.byes"] += 1
        elif row[0] == FORFEIT and now is not None and now[0] != FORFEIT:
            lost["lost.forfeits"] += 1
        elif now is None or now[0] != row[0]:
            lost["lost.matches"] += 1
        if now is not None:
            lost["lost.results"] += row[1:4] != now[1:4]
            lost["lost.seats"] += key[2] >= 0 and row[4] != now[4]
            lost["lost.tables"] += row[5] != now[5]
            lost["lost.games"] += row[7:] != now[7:]
        for name in event.origin.cells:
            own = event.origin.cell(name, row[6])
            cells[name] += _normalize_cell(own) != _normalize_cell(
                again.origin.cell(name, now[6]) if now else ""
            )
    yield from (
        message(kind, number=number) for kind, number in sorted(lost.items()) if number
    )
    if names := sorted(+cells):
        yield message("lost.cells", names=names)
    if any(row[0] == REQUESTED for key, row in after.items() if key not in before):
        yield message("lost.left", round=event.round)


def _compare_names(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on names and ratings that are lost or cut."""
    pairs = list(zip(event.names, again.names, strict=True))
    if event.names != again.names:
        cut = all(" ".join(name.split()).startswith(now) for name, now in pairs)
        yield message(
            "lost.names_cut" if cut else "lost.names", most=max(map(len, again.names))
        )
    players = range(len(pairs))
    ratings = [[each.rating_text(k) or "0" for k in players] for each in (event, again)]
    if many := sum(one != two for one, two in zip(*ratings, strict=True)):
        yield message("lost.ratings", number=many, all=int(event.rated.sum()))


def _compare_sides(event: Event, again: Event) -> Iterator[Message]:
    """Yield a message if the labels of the sides are lost or others."""
    if event.sides is not None and again.sides is None:
        yield message("lost.sides", sides=",".join(event.sides))
    elif event.sides and again.sides and event.sides != again.sides:
        first, second = again.sides
        yield message(
            "lost.other_sides", was=event.sides[0], first=first, second=second
        )


def _normalize_cell(cell: str) -> object:
    """Return a cell as it is compared: numbers by value, words in one form."""
    text = SEXES.get(cell.strip().casefold(), " ".join(cell.split()))
    try:
        return Decimal(text)
    except InvalidOperation:
        return text.replace("/", "-")


def _compare_columns(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on columns of players that are lost, in whole or in part."""
    lost: dict[str, list[str]] = {"lost.columns": [], "lost.in_part": []}
    for name, cells in event.columns.items():
        kept = [*map(_normalize_cell, again.columns.get(name, [""] * len(cells)))]
        if name not in OWN and [*map(_normalize_cell, cells)] != kept:
            some = any(now != "" for now in kept)
            lost["lost.in_part" if some else "lost.columns"].append(name)
    yield from (
        message(kind, names=sorted(names)) for kind, names in lost.items() if names
    )


def _compare_settings(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on settings that are lost, and on an added number of rounds.

    A FIDE report that names no points has the usual ones of chess.
    """
    own, now = event.settings, again.settings
    lost = []
    for name in (
        each.name
        for each in fields(EventSettings)
        if each.name not in ("sides", "fide")
    ):
        said, kept = getattr(own, name), getattr(now, name)
        if name == "points" and kept is None and again.origin.chess:
            kept = CHESS
        if name == "rounds" and kept is None:
            kept = again.round - 1  # all are played
        if said != getattr(EventSettings(), name) and _normalize_setting(
            said
        ) != _normalize_setting(kept):
            lost.append(name)
    if lost:
        yield message("lost.settings", names=lost)
    if own.rounds is None and now.rounds is not None:
        yield message("lost.rounds", rounds=now.rounds)


def _normalize_setting(value: Any) -> object:
    """Return a setting as it is compared: points, tie-breaks and texts in one form."""
    if isinstance(value, Points):
        more = value.requested_bye, value.absent, str(value)
        return value.win, value.draw, value.loss, value.allocated_bye, more
    if isinstance(value, tuple):
        return [
            tie_break_of(each).code if isinstance(each, str) else each for each in value
        ]
    return " ".join(value.split()) if isinstance(value, str) else value


def _compare_facts(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on further facts of the source file that are lost."""
    for source, facts in event.origin.facts.items():
        own, now = _index_facts(facts), _index_facts(again.origin.facts.get(source, ()))
        owned = OF_CUT if source == FACTS_KEY and event.origin.bracket else ()
        if isinstance(own, Counter):
            own -= Counter(now)  # more lines are no loss
        if lost := [
            key for key in own if key not in owned and own[key] != now.get(key)
        ]:
            yield message("lost.facts", keys=lost, source=source)


def _index_facts(facts: Mapping[str, Any] | Iterable[str]) -> Mapping[str, Any]:
    """Return facts by their keys.

    For the lines of a TRF, the number of lines by code.
    """
    if isinstance(facts, Mapping):
        return facts
    return Counter(line[:3] for line in facts if not is_written_from_event(line))


def _compare_cuts(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on lost players, scores and the form of the top cut."""
    own = load_bracket(event)
    if own is None:
        return
    filed, now = read_cut(event), load_bracket(again) or read_cut(again)
    if has_cut(event) and (filed is None or filed.players != own.players):
        yield message("lost.cut_before")
    seeds = [
        [each.index.get(player) for player in made.players] if made else None
        for each, made in ((event, own), (again, now))
    ]
    if now is None or seeds[0] != seeds[1]:
        yield message("lost.cut")
        return
    if own.double != now.double:
        yield message("lost.single_cut")
    if lost := [k for k, score in own.results.items() if now.results.get(k) != score]:
        yield message("lost.scores_of_cut", number=len(lost))
