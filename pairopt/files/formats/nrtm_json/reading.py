"""Read NRTM JSON.

Imported only if there is such a file, because pydantic is slow to import.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from pairopt.common.limits import MOST_NUMBER, MOST_PLAYERS, MOST_ROUNDS
from pairopt.errors import Fault, InputError, InvalidValueError, JsonLocation
from pairopt.event.event import Event
from pairopt.files.build_event import PlayerTable, ReadOptions, build_event
from pairopt.files.csv_schema import MatchRow, PlayerRow, parse_number, parse_row
from pairopt.files.formats.nrtm_json import top_cut
from pairopt.files.text_source import TextSource, is_text, parse_json
from pairopt.messages import Note, message, with_heading

KEYS = {
    "player1": "player1.id",
    "player2": "player2.id",
    "side1": "player1.role",
    "score1": "player1",
    "score2": "player2",
    "table": "table",
}
"""The keys of a table, by the columns of matches.csv."""


def _parse_text(value: object) -> str:
    """Return a text or a number as text without blanks at its ends; "" for null.

    Raises InvalidValueError for other values, and for texts that no CSV cell can hold.
    """
    if value is None:
        return ""
    if isinstance(value, bool | dict | list) or not is_text(str(value)):
        raise InvalidValueError("nrtm.no_text")
    return str(value).strip()


def _clean_text(value: object) -> str:
    """Return a text with single blanks, for fields that nothing depends on.

    Any other value, and a text that no CSV cell can hold, becomes "".
    """
    return " ".join(value.split()) if isinstance(value, str) and is_text(value) else ""


Id = Annotated[str, BeforeValidator(_parse_text)]
Number = Annotated[int, Field(ge=0, le=MOST_NUMBER)]
Words = Annotated[str, BeforeValidator(_clean_text)]
Mark = Annotated[bool, BeforeValidator(lambda value: value is True)]
SeatScore = Annotated[
    Decimal | None, BeforeValidator(lambda value: parse_number(_parse_text(value)))
]


class SeatEntry(BaseModel):
    """One player of a table, with their id, side and scores.

    `role` is the side, None if the file does not say it. `corp` and `runner` are the
    scores of the games on each side, `combined` that of the match. The score of a game
    that was not played is None.
    """

    id: Id
    role: Literal["corp", "runner"] | None = None
    corp: SeatScore = Field(None, alias="corpScore")
    runner: SeatScore = Field(None, alias="runnerScore")
    combined: SeatScore = Field(None, alias="combinedScore")

    @property
    def score(self) -> Decimal | None:
        """The points in the match: combinedScore, or the sum of the known games.

        None if the seat has no score.
        """
        if self.combined is not None:
            return self.combined
        game_scores = [score for score in (self.corp, self.runner) if score is not None]
        return sum(game_scores, Decimal(0)) if game_scores else None

    @property
    def side(self) -> str:
        """The side played: "corp" or "runner".

        It is the role, or the only side with a score. It is "" if the player played
        both, or nothing says which.
        """
        if self.role:
            return self.role
        has_corp_score = self.corp is not None
        has_runner_score = self.runner is not None
        if has_corp_score == has_runner_score:
            return ""
        return "corp" if has_corp_score else "runner"


class TableEntry(BaseModel):
    """One match of a round, or a bye, in which one of the players has the id "".

    `table` and `number` are two keys for the table's number. `elimination` says that it
    is a match of the cut. `draw` is an intentional draw, and `two_for_one` says that
    one game counted for two.
    """

    table: Number | None = None
    number: Number | None = Field(None, alias="tableNumber")
    player1: SeatEntry
    player2: SeatEntry
    elimination: bool = Field(False, alias="eliminationGame")
    draw: Mark = Field(False, alias="intentionalDraw")
    two_for_one: Mark = Field(False, alias="twoForOne")


class PlayerEntry(BaseModel):
    """One player of the event, with the identities that they play on both sides.

    `id` is a text that is not empty. `name` and the identities may be "".
    """

    id: Annotated[Id, Field(min_length=1)]
    name: Id = ""
    corp_identity: Words = Field("", alias="corpIdentity")
    runner_identity: Words = Field("", alias="runnerIdentity")


class NrtmFile(BaseModel):
    """An NRTM file: players, and rounds of tables.

    `swiss` is the number of Swiss rounds, the first ones in `rounds`; all others are of
    the cut. If it is None or 0, all rounds are Swiss rounds.
    """

    name: Words = ""
    players: list[PlayerEntry] = Field(max_length=MOST_PLAYERS)
    rounds: list[list[TableEntry]] = Field(max_length=MOST_ROUNDS)
    swiss: int | None = Field(None, alias="preliminaryRounds", ge=0)


def read(source: TextSource, options: ReadOptions) -> Event:
    """Read the event of the Swiss rounds, and store the cut among its facts.

    `source` is the text of the file. The file does not mark players who dropped. A
    player who is in none of its Swiss rounds becomes inactive, and a note says so; but
    not if nobody has played. Raises InputError for values of the wrong kind, for
    unknown players and for those listed twice.
    """
    json_values = parse_json(source)
    try:
        nrtm_file = NrtmFile.model_validate(json_values)
    except ValidationError as error:
        raise InputError(
            source.name,
            [_describe_error(error_detail) for error_detail in error.errors()],
        ) from None
    swiss_rounds = (
        nrtm_file.rounds[: nrtm_file.swiss] if nrtm_file.swiss else nrtm_file.rounds
    )
    numbered_tables = [
        (round_number, table_position, table_entry)
        for round_number, round_tables in enumerate(swiss_rounds, 1)
        for table_position, table_entry in enumerate(round_tables)
        if not table_entry.elimination
    ]
    match_rows = [
        _build_match_row(source, *numbered_table) for numbered_table in numbered_tables
    ]
    _require_known_players(source, nrtm_file, match_rows)
    player_rows = [
        PlayerRow(player=player_entry.id, name=player_entry.name)
        for player_entry in nrtm_file.players
    ]
    identity_columns = {
        identity_column: identity_cells
        for identity_column in top_cut.IDENTITIES
        if any(
            identity_cells := [
                getattr(player_entry, identity_column)
                for player_entry in nrtm_file.players
            ]
        )
    }
    player_roster = PlayerTable(source.name, player_rows, identity_columns)
    # The format does not mark byes that players asked for.
    event = build_event(
        source.name, match_rows, player_roster, replace(options, any_byes=True)
    )
    facts = _collect_facts(source, json_values, nrtm_file)
    game_columns = _collect_games([table_entry for *_, table_entry in numbered_tables])
    source_info = replace(event.origin, cells=game_columns, facts=facts, forfeits=False)
    planned_rounds = (
        nrtm_file.swiss
        if nrtm_file.swiss and nrtm_file.swiss != len(nrtm_file.rounds)
        else None
    )  # else so far
    settings = replace(event.settings, title=nrtm_file.name, rounds=planned_rounds)
    event = replace(event, settings=settings, origin=source_info)
    has_never_played = ~event.matches.player_mask(len(player_rows))
    if has_never_played.all() or not has_never_played.any():
        return event
    absent_players = [
        event.shown[player_position]
        for player_position in np.flatnonzero(has_never_played)
    ]
    notes = (*event.notes, message("nrtm.never_played", players=absent_players))
    is_active = event.active & ~has_never_played
    return replace(event, active=is_active, declared_active=is_active, notes=notes)


def _collect_facts(source: TextSource, raw: Any, file: NrtmFile) -> dict[str, Any]:
    """Return what a file says besides the event, under the key FACTS_KEY.

    `source` gives the name of the file, `raw` is the parsed JSON, and `file` the same
    after its check. The cut is among the facts: all rounds after the Swiss ones, and
    elimination games in the others. Usual values and nulls are left out. Returns an
    empty dict if nothing is left. Raises InputError for texts that no CSV cell can
    hold, and for values that are nested too deeply.
    """
    swiss_count = file.swiss or len(file.rounds)
    further_facts: dict[str, Any] = {}
    cut_rounds = []
    try:
        for json_key, json_value in raw.items():
            is_usual_value = json_value in (None, top_cut.USUAL.get(json_key))
            if json_key not in top_cut.OF_EVENT and not is_usual_value:
                further_facts[json_key] = without_nulls(json_value, json_key)
        for round_number, round_tables in enumerate(raw["rounds"], 1):
            raw_and_parsed_tables = zip(
                round_tables, file.rounds[round_number - 1], strict=True
            )
            cut_tables = [
                without_nulls(raw_table, "rounds")
                for raw_table, parsed_table in raw_and_parsed_tables
                if round_number > swiss_count or parsed_table.elimination
            ]
            cut_rounds.append(cut_tables)
    except RecursionError:
        raise InputError(source.name, "nrtm.too_deep") from None
    except ValueError as error:
        text_fault = Fault("nrtm.expected_text", JsonLocation(str(error)))
        raise InputError(source.name, [text_fault]) from None
    if any(cut_rounds):
        further_facts[top_cut.CUT] = cut_rounds
    return {top_cut.FACTS_KEY: further_facts} if further_facts else {}


def without_nulls(value: Any, key: str) -> Any:
    """Return a copy of a JSON value without nulls, which TOML does not have.

    Nulls in lists and dicts are removed at all depths. Raises ValueError for a text
    that no CSV cell can hold; `key` is the text of that error.
    """
    if isinstance(value, dict):
        return {
            str(without_nulls(entry_key, key)): without_nulls(nested_value, key)
            for entry_key, nested_value in value.items()
            if nested_value is not None
        }
    if isinstance(value, list):
        return [
            without_nulls(nested_value, key)
            for nested_value in value
            if nested_value is not None
        ]
    if isinstance(value, str) and not is_text(value):
        raise ValueError(key)
    return value


def _collect_games(tables: Sequence[TableEntry]) -> dict[str, list[str]]:
    """Return further columns of matches by name, without the empty ones.

    They are the scores of both games of a match, and whether a table is marked as an
    intentional draw or as two for one. A match in which a player had only one side has
    no scores of games.
    """
    column_names = (*top_cut.GAMES, *top_cut.MARKS)
    cells_by_column: dict[str, list[str]] = {
        column_name: [] for column_name in column_names
    }
    for table in tables:
        first_seat, second_seat = _order_seats(table)
        has_opponent = bool(first_seat.id and second_seat.id)
        has_two_games = has_opponent and not first_seat.side and not second_seat.side
        game_scores = (
            first_seat.corp,
            first_seat.runner,
            second_seat.corp,
            second_seat.runner,
        )
        for column_name, game_score in zip(top_cut.GAMES, game_scores, strict=True):
            cells_by_column[column_name].append(
                _format_score(game_score) if has_two_games else ""
            )
        table_marks = (table.draw, table.two_for_one)
        for column_name, is_marked in zip(top_cut.MARKS, table_marks, strict=True):
            cells_by_column[column_name].append("true" if is_marked else "")
    return {
        column_name: column_cells
        for column_name, column_cells in cells_by_column.items()
        if any(column_cells)
    }


def _describe_error(error: Any) -> Fault:
    """Return a validation error of pydantic as a fault, at the path of its key.

    `error` is a dict from pydantic's `errors()`. The path is, for example,
    players[0].id. The message says that the key is missing, that a list is too long, or
    what was found and expected.
    """
    path_parts = [
        f"[{path_key}]" if isinstance(path_key, int) else f".{path_key}"
        for path_key in error["loc"]
    ]
    key_location = JsonLocation("".join(path_parts).lstrip("."))
    if error["type"] == "missing":
        return Fault(message("nrtm.missing"), key_location)
    if error["type"] == "too_long":
        most_list_entries = error["ctx"]["max_length"]
        return Fault(message("nrtm.too_long", most=most_list_entries), key_location)
    original_error = (error.get("ctx") or {}).get("error")
    expected_value_note: Note
    if isinstance(original_error, InvalidValueError):
        expected_value_note = original_error.said
    else:
        expected_value_note = message(error["msg"])
    found_value_note = message("cell.unfit", found=str(error["input"]))
    return Fault(
        with_heading(found_value_note, expected_value_note, mark=", "), key_location
    )


@dataclass(frozen=True, slots=True)
class _TableLocation(JsonLocation):
    """The location of a table, whose cells are the keys of its two seats.

    `turned` says that its player2 is the first player of the row in matches.csv.
    """

    turned: bool = False

    def at(self, column: str) -> JsonLocation:
        """Return the location of the key that a column of matches.csv is read from.

        If the seats were exchanged, the key has the number of the other seat.
        """
        json_key = KEYS.get(column, "").translate(
            {49: "2", 50: "1"} if self.turned else {}
        )
        return JsonLocation(f"{self.path}.{json_key}".rstrip("."))


def _order_seats(match: TableEntry) -> tuple[SeatEntry, SeatEntry]:
    """Return both seats of a table; player2 comes first if player1 has no id.

    `match` is the table, which is not changed.
    """
    first_seat = match.player1
    second_seat = match.player2
    return (first_seat, second_seat) if first_seat.id else (second_seat, first_seat)


def _build_match_row(
    source: TextSource, number: int, k: int, match: TableEntry
) -> MatchRow:
    """Build the row of matches.csv for a table of a round.

    `source` gives the name of the file, and `match` is the table. `number` is the round
    from 1, and `k` the position of the table in it from 0. If a seat has no player, the
    row is a bye. Raises InputError for a value that a row cannot have.
    """
    first_seat, second_seat = _order_seats(match)
    table_location = _TableLocation(
        f"rounds[{number - 1}][{k}]", first_seat is match.player2
    )
    row_cells = {
        "round": str(number),
        "player1": first_seat.id,
        "player2": second_seat.id,
        "score1": _format_score(first_seat.score),
        "table": str(match.table or match.number or ""),
        "side1": "",
        "status": "bye",
    }
    if second_seat.id:
        row_cells |= {
            "score2": _format_score(second_seat.score),
            "side1": first_seat.side,
            "status": "",
        }
    return parse_row(MatchRow, row_cells, source.name, table_location)


def _format_score(score: Decimal | None) -> str:
    """Return a score as the text of a cell, "" for None."""
    return "" if score is None else str(score)


def _require_known_players(
    source: TextSource, file: NrtmFile, matches: Sequence[MatchRow]
) -> None:
    """Raise InputError for players listed twice, and for unknown players in matches.

    `source` gives the name of the file, `file` has the listed players, and `matches`
    are the rows to check. There is one fault for each of these locations, by its path
    in the file.
    """
    first_position_by_id = dict[str, int]()
    faults = [
        Fault(
            message("nrtm.twice", player=player_entry.id),
            JsonLocation(f"players[{player_position}].id"),
        )
        for player_position, player_entry in enumerate(file.players)
        if first_position_by_id.setdefault(player_entry.id, player_position)
        != player_position
    ]
    for match_row in matches:
        columns_and_players = (
            ("player1", match_row.player1),
            ("player2", match_row.player2),
        )
        faults += [
            Fault(
                message("nrtm.no_player", found=player_id),
                match_row.place.at(column_name),
            )
            for column_name, player_id in columns_and_players
            if player_id and player_id not in first_position_by_id
        ]
    if faults:
        raise InputError(source.name, faults)
