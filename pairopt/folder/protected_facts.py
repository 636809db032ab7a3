"""Protected facts: results and points in the files of an event that nobody may lose.

They are read from the files alone, as far as these can be read: also from a folder that
is damaged, or that somebody has edited. They use identifiers of players, not names.
law.toml says which facts each command may add, correct or delete; the journal checks
that at every step.
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
# The kinds that are results.
SCORED: tuple[Kind, ...] = ("match", "bye", "bracket")
FACT_MESSAGES = {
    ("match", True, True): "fact.match_with_side",
    ("match", True, False): "fact.match",
    ("match", False, True): "fact.no_table_with_side",
    ("match", False, False): "fact.no_table",
    ("bye", False, False): "fact.bye",
    ("bracket", False, False): "fact.bracket",
    ("brought", False, False): "fact.brought",
    ("points", False, False): "fact.points",
}
"""The message of a fact, by its kind and by whether its table and its side are
known."""
# The most facts that a message names.
MOST_NAMED = 20
TWO_SCORES = 2
# The tables of a round that exchange their opponents.
EXCHANGED_TABLES = 2
Row = Mapping[str, str]
Facts = frozenset["ProtectedFact"]


@dataclass(frozen=True, slots=True)
class ProtectedFact:
    """A fact in the files of an event that no command may lose without permission.

    The `kind` is one of these:

    - `match`: a match with both scores, and with its games if they are known.
    - `bye`: a bye of a round before the last one, allocated or requested, with its
      points.
    - `bracket`: a match of the bracket; `table` is its name.
    - `brought`: the points that a player has brought.
    - `points`: what a win, a draw and a loss give; `status` is "2" if a match has two
      games.

    `round` is 0 for facts of no round. `players` are identifiers, and `scores` are in
    their order. `side` is the side of the first player. `status` is the cell of
    matches.csv, such as "forfeit".
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
        """The kind, round and subject of the fact, to compare versions of the files.

        An event has at most one fact with each key. The subject is the players in
        ascending order, or the match of the bracket.
        """
        if self.kind == "bracket":
            subject_key: tuple[str, ...] = (self.table,)
        else:
            subject_key = tuple(sorted(self.players))
        return KINDS.index(self.kind), self.round, subject_key

    def describe(self, names: Mapping[str, str]) -> Message:
        """Return the fact as a message for people.

        `names` are players' names by identifier; a player without one there is called
        by the identifier.
        """
        fact_value = self.to_value(names)
        return Message(fact_value.form, fact_value.parts)

    def to_value(self, names: Mapping[str, str]) -> Value:
        """Return the fact as a value that can be a field of a message.

        `names` are players' names by identifier. A player without a name there is
        called by the identifier.
        """
        shown_names = [names.get(identifier, identifier) for identifier in self.players]
        name_of_first_player, name_of_second_player = [*shown_names, "", ""][:2]

        if self.kind == "points":
            message_id = "fact.points_of_games" if self.status else "fact.points"
            score_text = "-".join(map(decimal_text, self.scores))
        else:
            has_table = bool(self.round and self.table)
            message_id = FACT_MESSAGES[self.kind, has_table, bool(self.side)]
            is_forfeit = bool(self.status)
            score_text = str(
                Score(self.scores[0], self.scores[-1], is_forfeit, self.games)
            )
        return Value(
            message_id,
            {
                "round": self.round,
                "table": self.table,
                "one": name_of_first_player,
                "two": name_of_second_player,
                "side": self.side,
                "score": score_text,
                "points": self.scores[0],
            },
        )


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact before and after a change; one of the two may be missing.

    `before` is None for a new fact, `after` is None for a fact that is gone.
    """

    before: ProtectedFact | None
    after: ProtectedFact | None

    @property
    def fact(self) -> ProtectedFact:
        """The fact after the change, or the fact before it if it is gone."""
        present_fact = self.after or self.before
        assert present_fact is not None
        return present_fact

    @property
    def is_correction(self) -> bool:
        """Whether only the scores, games or forfeit of the fact are different.

        It is False for a fact that is new or gone.
        """
        fact_before, fact_after = self.before, self.after
        if fact_before is None or fact_after is None:
            return False
        corrected_fact = replace(
            fact_before,
            scores=fact_after.scores,
            status=fact_after.status,
            games=fact_after.games,
        )
        return corrected_fact == fact_after

    def describe(self, names: Mapping[str, str]) -> Message:
        """Return the change as a message: the fact is new, gone, or has other values.

        `names` are players' names by identifier.
        """
        fact_value = self.fact.to_value(names)
        if self.after is None:
            return message("fact.gone", fact=fact_value)
        if self.before is None:
            return message("fact.new", fact=fact_value)
        return message(
            "fact.changed", fact=fact_value, before=self.before.to_value(names)
        )


def read_facts(files: Files) -> Facts:
    """Return the protected facts in these files, given by their contents.

    Files that are missing or cannot be read have no facts. The result is cached.
    """
    file_names = (EVENT, PLAYERS, MATCHES, BRACKET)
    return _read_facts(*(files.get(file_name, b"") for file_name in file_names))


def compare_facts(before: Facts, after: Facts) -> tuple[FactChange, ...]:
    """Return the changes between two sets of facts, in the order of their keys.

    `before` and `after` are the sets. Facts that are equal in both are left out. A fact
    whose key only one set has is new or gone.
    """
    removed_by_key = {
        protected_fact.key: protected_fact
        for protected_fact in sorted(before - after, key=repr)
    }
    added_by_key = {
        protected_fact.key: protected_fact
        for protected_fact in sorted(after - before, key=repr)
    }
    fact_keys = sorted(removed_by_key.keys() | added_by_key.keys())
    return tuple(
        FactChange(removed_by_key.get(fact_key), added_by_key.get(fact_key))
        for fact_key in fact_keys
    )


def is_as_played(changes: Sequence[FactChange]) -> bool:
    """Return whether changes may only record what was played instead.

    Either one match stays at its table, with its sides reversed or another score. Or
    two tables of a round have exchanged opponents: the same four players are at the
    same two tables.
    """
    if len(changes) == 1:
        fact_before, fact_after = changes[0].before, changes[0].after
        if fact_before is None or fact_after is None:
            return False
        return fact_before.kind == "match" and fact_before.table == fact_after.table

    removed_facts = [
        fact_change.before for fact_change in changes if fact_change.before is not None
    ]
    added_facts = [
        fact_change.after for fact_change in changes if fact_change.after is not None
    ]
    if len(removed_facts) != EXCHANGED_TABLES or len(added_facts) != EXCHANGED_TABLES:
        return False
    if len(changes) != 2 * EXCHANGED_TABLES:
        return False
    kinds_and_rounds = {
        (changed_fact.kind, changed_fact.round)
        for changed_fact in (*removed_facts, *added_facts)
    }
    if kinds_and_rounds != {("match", removed_facts[0].round)}:
        return False

    removed_tables = {changed_fact.table for changed_fact in removed_facts}
    removed_players = {
        identifier
        for changed_fact in removed_facts
        for identifier in changed_fact.players
    }
    added_players = [
        identifier
        for changed_fact in added_facts
        for identifier in changed_fact.players
    ]
    return (
        len(removed_tables) == EXCHANGED_TABLES
        and "" not in removed_tables
        and removed_tables == {changed_fact.table for changed_fact in added_facts}
        and sorted(removed_players) == sorted(added_players)
    )


def points_by_player(facts: Iterable[ProtectedFact | None]) -> dict[str, Fraction]:
    """Return each player's points in these facts, by identifier; None is skipped.

    If a player is in several facts, the last one counts; points are not added.
    """
    return {
        identifier: player_points
        for bye_or_match_fact in facts
        if bye_or_match_fact is not None
        for identifier, player_points in zip(
            bye_or_match_fact.players, bye_or_match_fact.scores, strict=True
        )
    }


def describe_changes(changes: Sequence[FactChange], *files: Files) -> tuple[Note, ...]:
    """Describe changes of facts, at most `MOST_NAMED` of them.

    `files` are versions of the event's files. A player's name is taken from the last
    version that has the player. A last note counts the changes that are left out.
    """
    name_by_player = _find_names(files)
    return _limit_notes(
        [fact_change.describe(name_by_player) for fact_change in changes]
    )


def describe_facts(facts: Iterable[ProtectedFact], *files: Files) -> tuple[Note, ...]:
    """Describe facts in the order of their keys, at most `MOST_NAMED` of them.

    `files` are versions of the event's files. A player's name is taken from the last
    version that has the player. A last note counts the facts that are left out.
    """
    name_by_player = _find_names(files)
    sorted_facts = sorted(
        facts, key=lambda described_fact: (described_fact.key, repr(described_fact))
    )
    return _limit_notes(
        [described_fact.describe(name_by_player) for described_fact in sorted_facts]
    )


def _find_names(versions: Iterable[Files]) -> Mapping[str, str]:
    """Return players' names by identifier, from the last version that has each.

    `versions` are versions of the event's files, by name. A player without a name gets
    the identifier.
    """
    return {
        identifier: player_row.get("name") or identifier
        for version_files in versions
        for identifier, player_row in read_player_rows(version_files).items()
    }


def _limit_notes(notes: Sequence[Note]) -> tuple[Note, ...]:
    """Return at most `MOST_NAMED` notes, and one more that counts those left out."""
    excess_count = len(notes) - MOST_NAMED
    if excess_count <= 0:
        return (*notes,)
    return (*notes[:MOST_NAMED], Message("fact.more", {"count": excess_count}))


@lru_cache(maxsize=8)
def _read_facts(event: bytes, players: bytes, matches: bytes, bracket: bytes) -> Facts:
    """Read the facts in the contents of the four files.

    The parameters are the contents of event.toml, players.csv, matches.csv and
    bracket.csv. A file that cannot be read has none.
    """
    return frozenset(
        (
            *_read_points_facts(event),
            *_read_initial_score_facts(players),
            *_read_result_facts(matches),
            *_read_bracket_facts(bracket),
        )
    )


def _read_points_facts(content: bytes) -> Iterator[ProtectedFact]:
    """Yield one fact: what a win, a draw and a loss give by event.toml.

    `content` is the content of the file. Points that it does not name count as 0.
    Nothing is yielded if the file has no points or cannot be read.
    """
    with suppress(InputError, ValueError, TypeError, AttributeError, KeyError):
        event_text = decode_text(EVENT, content).text
        points_in_event_toml = tomllib.loads(event_text, parse_float=Decimal)["points"]
        result_points = tuple(
            Fraction(points_in_event_toml.get(result_name, 0))
            for result_name in ("win", "draw", "loss")
        )
        games_status = "2" if points_in_event_toml.get("games") == 2 else ""
        yield ProtectedFact("points", result_points, status=games_status)


def _read_initial_score_facts(content: bytes) -> Iterator[ProtectedFact]:
    """Yield a fact for each player who has brought points, by players.csv.

    `content` is the content of the file. The column `score` has the points. A score of
    0 is a fact, too; an empty cell is none.
    """
    for player_row in read_rows(PLAYERS, content):
        brought_points = parse_points(player_row.get("score", ""))
        if brought_points is not None:
            yield ProtectedFact(
                "brought", (brought_points,), players=(_get_identifier(player_row),)
            )


def _read_result_facts(content: bytes) -> Iterator[ProtectedFact]:
    """Yield the results in matches.csv: matches with both scores, byes with a score.

    `content` is the content of the file. Nothing is yielded if it cannot be read. Byes
    of the last paired round and later are skipped, because they may still change, and
    so are rows without a round.
    """
    match_rows, last_round = read_match_rows(content)
    for round_number, match_row, _ in match_rows:
        first_player = match_row.get("player1", "")
        second_player = match_row.get("player2", "")
        match_scores = _parse_scores(match_row)
        row_status = match_row.get("status", "").lower()
        has_two_players = bool(first_player and second_player)
        if round_number and has_two_players and len(match_scores) == TWO_SCORES:
            yield ProtectedFact(
                "match",
                match_scores,
                round_number,
                table=match_row.get("table", "").removesuffix(".0"),
                players=(first_player, second_player),
                side=match_row.get("side1", "").lower(),
                status=row_status,
                games=_parse_games(match_row),
            )
            continue

        is_bye = bool(first_player and not second_player and match_scores)
        if is_bye and 0 < round_number < last_round:
            yield ProtectedFact(
                "bye",
                match_scores[:1],
                round_number,
                players=(first_player,),
                status=row_status or "bye",
            )


def _parse_games(row: Row) -> Games | None:
    """Return the games that each player won, and those drawn, in a row of matches.csv.

    None if the cell for the first player's games is empty or missing. Other cells that
    are no numbers count as 0. What follows a decimal point is ignored.
    """
    if not row.get(GAMES[0]):
        return None
    game_texts = [row.get(games_column, "").partition(".")[0] for games_column in GAMES]
    game_counts = [
        parse_digits(game_text, MOST_ROUNDS) or 0 for game_text in game_texts
    ]
    return game_counts[0], game_counts[1], game_counts[2]


@lru_cache(maxsize=8)
def read_match_rows(content: bytes) -> tuple[Sequence[tuple[int, Row, bool]], int]:
    """Read the rows of matches.csv, and the last round that is paired (0 for none).

    `content` is the content of the file. Each row comes with its round (0 if it has
    none) before it, and whether it is a requested bye after it. Requested byes alone
    pair no round.
    """
    rows_with_rounds = []
    last_round = 0
    for match_row in read_rows(MATCHES, content):
        round_text = match_row.get("round", "").partition(".")[0]
        round_number = parse_digits(round_text, MOST_ROUNDS) or 0
        is_requested_bye = match_row.get("status", "").lower() == "requested"
        rows_with_rounds.append((round_number, match_row, is_requested_bye))
        if not is_requested_bye:
            last_round = max(last_round, round_number)
    return rows_with_rounds, last_round


def _read_bracket_facts(content: bytes) -> Iterator[ProtectedFact]:
    """Yield a fact for each result in bracket.csv.

    `content` is the content of the file. Matches without both scores are skipped.
    """
    for bracket_row in read_rows(BRACKET, content):
        match_scores = _parse_scores(bracket_row)
        if len(match_scores) == TWO_SCORES:
            yield ProtectedFact(
                "bracket",
                match_scores,
                table=bracket_row.get("match", "").upper(),
                players=(
                    bracket_row.get("player1", ""),
                    bracket_row.get("player2", ""),
                ),
                status=bracket_row.get("status", "").lower(),
            )


def _parse_scores(row: Row) -> tuple[Fraction, ...]:
    """Return the scores in a row: two, one, or none.

    Cells that are empty or no number are skipped.
    """
    parsed_cells = (
        parse_points(row.get(score_column, "")) for score_column in ("score1", "score2")
    )
    return tuple(
        parsed_points for parsed_points in parsed_cells if parsed_points is not None
    )


def read_rows(name: str, content: bytes) -> Sequence[Row]:
    """Read the rows of a CSV file as cells by column, with decimal points in numbers.

    `name` is the name of the file, and `content` its bytes. There are no rows if it
    cannot be read, or is empty.
    """
    with suppress(InputError):
        csv_table = parse_table(decode_text(name, content))
        return rows_of_columns(
            {
                column_name: csv_table.get_plain_cells(column_name)
                for column_name in csv_table.columns
            }
        )
    return []


def parse_points(cell: str) -> Fraction | None:
    """Return the points in a cell, exactly; None if it is empty or no number."""
    with suppress(ValueError):
        parsed_number = parse_number(cell)
        return None if parsed_number is None else Fraction(parsed_number)
    return None


def _get_identifier(row: Row) -> str:
    """Return the identifier of a player: the cell `player`, or else the cell `name`.

    It is "" if the row has neither.
    """
    return row.get("player") or row.get("name", "")


def read_player_rows(files: Files) -> Mapping[str, Row]:
    """Return the rows of players.csv by the players' identifiers.

    `files` are the contents of the event's files by name. A row is the cells by column.
    The result is empty if players.csv is not there or cannot be read.
    """
    player_rows = read_rows(PLAYERS, files.get(PLAYERS, b""))
    return {_get_identifier(player_row): player_row for player_row in player_rows}


Kinds = Sequence[Kind]


class InvariantError(PairoptError):
    """Raised when a command would change a fact that it may not change.

    That is a bug in pairopt; the files stay as they are.
    """


@dataclass(frozen=True, slots=True)
class CommandPermission:
    """The facts that a command may change, by their kinds (a section of law.toml).

    - `adds`, `takes`: it may add or delete such facts.
    - `corrects`: it may change their scores, but not the players and sides.
    - `turns`: it may change them in any way.
    - `as_played`: it may record what was played instead: a match with reversed sides or
      another score, or two tables that exchanged opponents.
    - `one`: it changes no more than one fact otherwise.
    - `one_player`: all facts that it changes are of one player.
    - `forfeits`: all facts that it adds are forfeits of one player.
    - `names`: the journal itself adds the changed facts to the step's message.
    - `says` is for readers of law.toml: how the log tells of the change.
    """

    adds: Kinds = ()
    corrects: Kinds = ()
    takes: Kinds = ()
    turns: Kinds = ()
    as_played: Kinds = ()
    one: bool = False
    one_player: bool = False
    forfeits: bool = False
    names: bool = False
    says: str = ""

    def allows(self, change: FactChange) -> bool:
        """Return whether the command may make this change, by its kind alone.

        Limits on the number of changes are not checked here.
        """
        fact_kind = change.fact.kind
        if change.before is None:
            return fact_kind in self.adds
        if change.after is None:
            return fact_kind in self.takes
        return fact_kind in self.turns or (
            change.is_correction and fact_kind in self.corrects
        )


LAWS = read_package_toml("pairopt.folder", "law.toml")
LAW: Mapping[str, CommandPermission] = {
    verb: CommandPermission(**rule) for verb, rule in LAWS.items()
}
"""The permissions by the verbs of steps. Pages post steps of these verbs, too. A verb
that is not listed changes no facts."""


def forbidden_changes(before: Facts, after: Facts, verb: str) -> tuple[FactChange, ...]:
    """Return the changes that a command may not make; none if all are allowed.

    `before` and `after` are the facts before and after the step, and `verb` is its
    command. All changes are returned if the command may change only one fact, facts of
    one player, or add only forfeits of one player, and there are others.
    """
    command_permission = LAW.get(verb, CommandPermission())
    fact_changes = compare_facts(before, after)
    if (
        is_as_played(fact_changes)
        and fact_changes[0].fact.kind in command_permission.as_played
    ):
        return ()
    if command_permission.one and len(fact_changes) > 1:
        return fact_changes
    players_of_changes = {fact_change.fact.players for fact_change in fact_changes}
    if command_permission.one_player and len(players_of_changes) > 1:
        return fact_changes
    if command_permission.forfeits and not are_forfeits_of_one(fact_changes):
        return fact_changes
    return tuple(
        fact_change
        for fact_change in fact_changes
        if not command_permission.allows(fact_change)
    )


def are_forfeits_of_one(changes: Sequence[FactChange]) -> bool:
    """Return whether all facts after some changes are forfeits with a common player.

    Changed facts count as well as new ones; facts that are gone do not. It is True if
    there are only those.
    """
    added_facts = [
        fact_change.after for fact_change in changes if fact_change.after is not None
    ]
    if any(added_fact.status != "forfeit" for added_fact in added_facts):
        return False
    players_by_fact = [{*added_fact.players} for added_fact in added_facts]
    return not players_by_fact or bool(set.intersection(*players_by_fact))


def describe_step(verb: str, did: Message, before: Files, after: Files) -> Message:
    """Return the message of a step, with the changed facts if its command names them.

    `did` is the message without these facts; `before` and `after` are the files. Raise
    InvariantError if the command `verb` may not change these facts.
    """
    facts_before = read_facts(before)
    facts_after = read_facts(after)
    if forbidden_facts := forbidden_changes(facts_before, facts_after, verb):
        change_notes = describe_changes(forbidden_facts, before, after)
        raise InvariantError(
            with_heading(message("fact.barred", verb=verb), *change_notes)
        )

    command_permission = LAW.get(verb, CommandPermission())
    named_changes = (
        compare_facts(facts_before, facts_after) if command_permission.names else ()
    )
    if not named_changes:
        return did
    heading_note = message("fact.named", files=did.fields["value"])
    files_and_changes = str(
        with_heading(heading_note, *describe_changes(named_changes, before, after))
    )
    return Message(did.kind, {**did.fields, "value": files_and_changes})
