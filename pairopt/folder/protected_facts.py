"""Facts: what is settled in the files of an event, and is nobody's to lose.

They are read from the files by themselves, as far as these can be read: also of a folder that is
damaged, or that somebody has edited. Names are none of them: facts are of identifiers. The law says
which of them each verb may add, correct or take away (law.toml): the journal asks at every step.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal, get_args

from pairopt.common.limits import MOST_ROUNDS, parse_digits
from pairopt.common.serialization import read_package_toml
from pairopt.errors import InputError, PairoptError
from pairopt.event.column_layout import GAMES, rows_of_columns
from pairopt.event.points import Games, Score
from pairopt.files.csv_schema import parse_number
from pairopt.files.event_folder import BRACKET, EVENT, MATCHES, PLAYERS, Files
from pairopt.files.text_source import decode_text
from pairopt.files.text_tables import parse_table
from pairopt.messages import Message, Note, Value, message, with_heading
from pairopt.messages.formatting import decimal_text

Kind = Literal["match", "bye", "bracket", "brought", "points"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SCORED: tuple[Kind, ...] = ("match", "bye", "bracket")  # those that are results
SAID = {
    ("match", True, True): "fact.match_with_side",
    ("match", True, False): "fact.match",
    ("match", False, True): "fact.no_table_with_side",
    ("match", False, False): "fact.no_table",
    ("bye", False, False): "fact.bye",
    ("bracket", False, False): "fact.bracket",
    ("brought", False, False): "fact.brought",
    ("points", False, False): "fact.points",
}
"""How each is told, by whether its table and its side are known."""
MOST_NAMED, BOTH = 20, 2
EXCHANGED = 2  # tables that take each other's opponents
Row = Mapping[str, str]
Facts = frozenset["ProtectedFact"]


@dataclass(frozen=True, slots=True)
class ProtectedFact:
    """One thing that is settled.

    A `match` with both scores, and its games where they are known; a `bye` of a round before the
    last, allocated or asked for, with its points; a match of the `bracket`, whose name is its
    `table`; the points that a player has `brought`; what a win, a draw and a loss give in `points`
    (and as `status` the games of a match). `side` is that of the first player.
    """

    kind: Kind
    scores: tuple[Fraction, ...]
    round: int = 0
    table: str = ""
    players: tuple[str, ...] = ()
    side: str = ""
    status: str = ""
    games: Games | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What it is about: in an event there is one of it."""
        who = (self.table,) if self.kind == "bracket" else tuple(sorted(self.players))
        return KINDS.index(self.kind), self.round, who

    def said(self, called: Mapping[str, str]) -> Message:
        value = self.value(called)
        return Message(value.form, value.parts)

    def value(self, called: Mapping[str, str]) -> Value:
        """It as a value of a message."""
        one, two = [*(called.get(player, player) for player in self.players), "", ""][
            :2
        ]
        kind = SAID[self.kind, bool(self.round and self.table), bool(self.side)]
        score: str = str(
            Score(self.scores[0], self.scores[-1], bool(self.status), self.games)
        )
        if self.kind == "points":
            kind = "fact.points_of_games" if self.status else "fact.points"
            score = "-".join(map(decimal_text, self.scores))
        return Value(
            kind,
            {
                "round": self.round,
                "table": self.table,
                "one": one,
                "two": two,
                "side": self.side,
                "score": score,
                "points": self.scores[0],
            },
        )


@dataclass(frozen=True, slots=True)
class FactChange:
    """What a fact was before, and is after; None where it was not there, or is not any more."""

    before: ProtectedFact | None
    after: ProtectedFact | None

    @property
    def fact(self) -> ProtectedFact:
        known = self.after or self.before
        assert known is not None
        return known

    @property
    def corrected(self) -> bool:
        """Whether the same players have other scores, and nothing else is another."""
        one, two = self.before, self.after
        if one is None or two is None:
            return False
        return (
            replace(one, scores=two.scores, status=two.status, games=two.games) == two
        )

    def said(self, called: Mapping[str, str]) -> Message:
        fact = self.fact.value(called)
        if self.after is None:
            return message("fact.gone", fact=fact)
        if self.before is None:
            return message("fact.new", fact=fact)
        return message("fact.changed", fact=fact, before=self.before.value(called))


def facts(files: Files) -> Facts:
    """Return the facts that these files fix. Files that cannot be read are skipped."""
    return _facts(
        *(files.get(name, b"") for name in (EVENT, PLAYERS, MATCHES, BRACKET))
    )


def changes(before: Facts, after: Facts) -> tuple[FactChange, ...]:
    """What is another after than before, by what it is about."""
    old, new = (
        {fact.key: fact for fact in sorted(some, key=repr)}
        for some in (before - after, after - before)
    )
    return tuple(
        FactChange(old.get(key), new.get(key))
        for key in sorted(old.keys() | new.keys())
    )


def is_as_played(found: Sequence[FactChange]) -> bool:
    """Return whether changes record what was played instead, without losing or adding a result.

    Either one match has its sides reversed, at the same table, maybe with another score. Or two
    tables of a round have exchanged opponents: the same four players are at the same two tables.
    """
    if len(found) == 1:
        before, after = found[0].before, found[0].after
        if before is None or after is None:
            return False
        return before.kind == "match" and before.table == after.table

    gone = [change.before for change in found if change.before is not None]
    new = [change.after for change in found if change.after is not None]
    if not len(found) == 2 * len(gone) == 2 * len(new) == 2 * EXCHANGED:
        return False
    if {(fact.kind, fact.round) for fact in (*gone, *new)} != {
        ("match", gone[0].round)
    }:
        return False

    tables = {fact.table for fact in gone}
    players = {player for fact in gone for player in fact.players}
    return (
        len(tables) == EXCHANGED
        and "" not in tables
        and tables == {fact.table for fact in new}
        and sorted(players) == sorted(player for fact in new for player in fact.players)
    )


def points_by_player(known: Iterable[ProtectedFact | None]) -> dict[str, Fraction]:
    """Return the points that each player has from these matches; None is skipped."""
    return {
        player: points
        for fact in known
        if fact is not None
        for player, points in zip(fact.players, fact.scores, strict=True)
    }


def describe_changes(found: Sequence[FactChange], *files: Files) -> tuple[Note, ...]:
    """Changes, of very many the first; the names are those of the last files that have them."""
    called = _called(files)
    return _first([each.said(called) for each in found])


def told_facts(found: Iterable[ProtectedFact], *files: Files) -> tuple[Note, ...]:
    """Say facts, the first of very many; the names are those of the last files that have them."""
    called = _called(files)
    in_order = sorted(found, key=lambda fact: (fact.key, repr(fact)))
    return _first([fact.said(called) for fact in in_order])


def _called(files: Iterable[Files]) -> Mapping[str, str]:
    return {
        player: row.get("name") or player
        for each in files
        for player, row in people(each).items()
    }


def _first(said: Sequence[Note]) -> tuple[Note, ...]:
    """Return the first of very many sentences, and one that says how many there are more."""
    more = len(said) - MOST_NAMED
    if more <= 0:
        return (*said,)
    return (*said[:MOST_NAMED], Message("fact.more", {"count": more}))


@lru_cache(maxsize=8)
def _facts(event: bytes, players: bytes, matches: bytes, bracket: bytes) -> Facts:
    found = (
        _points(event),
        _initial_score_facts(players),
        _result_facts(matches),
        _cut(bracket),
    )
    return frozenset(fact for some in found for fact in some)


def _points(content: bytes) -> Iterator[ProtectedFact]:
    with suppress(InputError, ValueError, TypeError, AttributeError, KeyError):
        said = tomllib.loads(decode_text(EVENT, content).text, parse_float=Decimal)[
            "points"
        ]
        worth = tuple(Fraction(said.get(name, 0)) for name in ("win", "draw", "loss"))
        yield ProtectedFact("points", worth, status="2" * (said.get("games") == 2))


def _initial_score_facts(content: bytes) -> Iterator[ProtectedFact]:
    for row in rows_of(PLAYERS, content):
        points = parse_points(row.get("score", ""))
        if points is not None:
            yield ProtectedFact("brought", (points,), players=(_player(row),))


def _result_facts(content: bytes) -> Iterator[ProtectedFact]:
    """The results of matches.csv; the byes of its last round are not settled yet."""
    rows, last = paired_rows(content)
    for number, row, _ in rows:
        one, two = row.get("player1", ""), row.get("player2", "")
        scores, status = _scores(row), row.get("status", "").lower()
        if number and one and two and len(scores) == BOTH:
            table = row.get("table", "").removesuffix(".0")
            side = row.get("side1", "").lower()
            games = [
                parse_digits(row.get(name, "").partition(".")[0], MOST_ROUNDS) or 0
                for name in GAMES
            ]
            known = (games[0], games[1], games[2]) if row.get(GAMES[0]) else None
            yield ProtectedFact(
                "match", scores, number, table, (one, two), side, status, known
            )
        elif one and not two and scores and 0 < number < last:
            yield ProtectedFact(
                "bye", scores[:1], number, players=(one,), status=status or "bye"
            )


@lru_cache(maxsize=8)
def paired_rows(content: bytes) -> tuple[Sequence[tuple[int, Row, bool]], int]:
    """The rows of matches.csv with their rounds, 0 for none, and whether they are byes that were
    asked for; and the last round that is paired.
    """
    rows = [
        (
            parse_digits(row.get("round", "").partition(".")[0], MOST_ROUNDS) or 0,
            row,
            row.get("status", "").lower() == "requested",
        )
        for row in rows_of(MATCHES, content)
    ]
    return rows, max((turn for turn, _, asked in rows if not asked), default=0)


def _cut(content: bytes) -> Iterator[ProtectedFact]:
    for row in rows_of(BRACKET, content):
        if len(scores := _scores(row)) == BOTH:
            both = row.get("player1", ""), row.get("player2", "")
            yield ProtectedFact(
                "bracket",
                scores,
                0,
                row.get("match", "").upper(),
                both,
                "",
                row.get("status", "").lower(),
            )


def _scores(row: Row) -> tuple[Fraction, ...]:
    found = (parse_points(row.get(name, "")) for name in ("score1", "score2"))
    return tuple(points for points in found if points is not None)


def rows_of(name: str, content: bytes) -> Sequence[Row]:
    """The rows of a table, its numbers with a point; none where it cannot be read."""
    with suppress(InputError):
        table = parse_table(decode_text(name, content))
        return rows_of_columns(
            {column: table.get_plain_cells(column) for column in table.columns}
        )
    return []


def parse_points(cell: str) -> Fraction | None:
    with suppress(ValueError):
        number = parse_number(cell)
        return None if number is None else Fraction(number)
    return None


def _player(row: Row) -> str:
    return row.get("player") or row.get("name", "")


def people(files: Files) -> Mapping[str, Row]:
    """The rows of players.csv by their identifiers."""
    return {_player(row): row for row in rows_of(PLAYERS, files.get(PLAYERS, b""))}


Kinds = Sequence[Kind]


class InvariantError(PairoptError):
    """A verb would have changed a fact that is not its to change: a fault of ours."""


@dataclass(frozen=True, slots=True)
class CommandPermission:
    """What a verb may do to facts, by their kinds.

    What it `corrects` has other scores, and the same players and sides; what it may `turn` can
    become anything. `as_played` are the kinds of which it may record what was played instead, see
    `is_as_played`. `one` is for a verb that changes no more than one fact otherwise, `one_player`
    for one that changes facts of one player alone. `says` is how whoever reads the log learns of
    it; the journal itself `names` what is another after some.
    """

    adds: Kinds = ()
    corrects: Kinds = ()
    takes: Kinds = ()
    turns: Kinds = ()
    as_played: Kinds = ()
    one: bool = False
    one_player: bool = False
    names: bool = False
    says: str = ""

    def lets(self, change: FactChange) -> bool:
        kind = change.fact.kind
        if change.before is None or change.after is None:
            return kind in (self.adds if change.before is None else self.takes)
        return kind in self.turns or (change.corrected and kind in self.corrects)


LAWS = read_package_toml("pairopt.folder", "law.toml")
LAW: Mapping[str, CommandPermission] = {
    verb: CommandPermission(**rule) for verb, rule in LAWS.items()
}
"""By the verbs as steps have them; what the page posts is a step of one of these. One that is not
in it changes no facts."""


def forbidden_changes(before: Facts, after: Facts, verb: str) -> tuple[FactChange, ...]:
    """What a verb changes that it may not: nothing where it is allowed."""
    rule, found = LAW.get(verb, CommandPermission()), changes(before, after)
    if is_as_played(found) and found[0].fact.kind in rule.as_played:
        return ()
    if rule.one and len(found) > 1:
        return found
    if rule.one_player and len({change.fact.players for change in found}) > 1:
        return found
    return tuple(change for change in found if not rule.lets(change))


def describe_step(verb: str, did: Message, before: Files, after: Files) -> Message:
    """What a step did, with the facts that it changes where it has to name them. Raises InvariantError
    where the verb may not change what it does.
    """
    one, two = facts(before), facts(after)
    if barred := forbidden_changes(one, two, verb):
        raise InvariantError(
            with_heading(
                message("fact.barred", verb=verb),
                *describe_changes(barred, before, after),
            )
        )
    if not LAW.get(verb, CommandPermission()).names or not (found := changes(one, two)):
        return did
    what = with_heading(
        message("fact.named", files=did.fields["value"]),
        *describe_changes(found, before, after),
    )
    return Message(did.kind, {**did.fields, "value": str(what)})
