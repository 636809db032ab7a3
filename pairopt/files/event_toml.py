"""event.toml: parse the settings of an event folder, and report faults by their keys.

Each command on an event folder reads it, so this module uses no library that is slow to
import.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pairopt.common.limits import (
    IN_FORMS,
    LARGEST_AMOUNT,
    LARGEST_SCORE,
    MOST_AMOUNT_DECIMALS,
    MOST_DECIMALS,
    MOST_NUMBER,
    MOST_PRIZES,
    MOST_ROUNDS,
)
from pairopt.errors import (
    Fault,
    InputError,
    InvalidValueError,
    JsonLocation,
    UsageError,
)
from pairopt.event.forbidden_pairs import Rounds
from pairopt.event.groups import parse_group, require_distinct_groups
from pairopt.event.points import Points, points_of_two_games
from pairopt.event.prizes import GroupPrizes, PrizeRules
from pairopt.event.report_head import (
    parse_day,
    parse_federation,
    parse_person,
    parse_time_control,
)
from pairopt.event.settings import (
    KEYS,
    LIST_COLUMNS,
    SETTINGS,
    EventSettings,
    Form,
    SeparationRule,
    SettingDeclaration,
)
from pairopt.event.source_info import BREACHES, FideModeBreach
from pairopt.files.csv_schema import parse_rounds
from pairopt.files.text_source import TextSource, decode_text, encode_text
from pairopt.messages import message, with_heading
from pairopt.messages.formatting import find_nearest

NAME = "event.toml"
ID_LINE = re.compile(rb'^id = "(\w{1,64})"', re.MULTILINE)
Forbidden = tuple[str, str, Rounds | None]
KeyReader = Callable[[Any, str, list[Fault]], Any]
"""A function (value, key, faults) that parses a value, or adds a fault."""


@dataclass(frozen=True, slots=True)
class AdvanceBye:
    """A bye that a player requested before its round.

    `player` is a name or an identifier. `points` None stands for those of a requested
    bye.
    """

    player: str
    round: int
    points: Fraction | None = None


@dataclass(frozen=True)
class EventToml:
    """The parsed content of an event.toml.

    `id` tells the steps of this event from those of others; "" if the file has none.
    `forbid` has pairs of players and the first and last round (None for all rounds).
    `byes` are requested in advance, and `breaches` are the changes that ended FIDE
    mode. `side` is the label of the side drawn for the first player of round 1, None if
    not drawn. `facts` are what the event's source file says beyond pairopt's own data,
    by "trf" or "json", kept so that it can be written again. `rounds_over` is how many
    rounds are over even if nobody was paired in the last of them.
    """

    settings: EventSettings
    id: str = ""
    forbid: Sequence[Forbidden] = ()
    byes: Sequence[AdvanceBye] = ()
    breaches: tuple[FideModeBreach, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    side: str | None = None
    rounds_over: int = 0


def parse_points(value: object) -> Fraction:
    """Parse an integer or a Decimal as a fraction: a number of points.

    Raises InvalidValueError if the value is not a number from 0 to LARGEST_SCORE, or
    has too many decimals. True and False are not numbers.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise InvalidValueError("key.no_number")
    decimal_points = Decimal(value)
    if not decimal_points.is_finite() or not 0 <= decimal_points <= LARGEST_SCORE:
        raise InvalidValueError("key.too_large", most=LARGEST_SCORE)
    if -int(decimal_points.as_tuple().exponent) > MOST_DECIMALS:
        raise InvalidValueError("key.too_fine", most=MOST_DECIMALS)
    return Fraction(decimal_points)


def parse_money(value: object) -> Fraction:
    """Parse an integer or a Decimal as a fraction: an amount of money above 0.

    Raises InvalidValueError if the value is not a number, is too large, or has more
    than MOST_AMOUNT_DECIMALS decimals. True and False are not numbers.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise InvalidValueError("key.no_number")
    decimal_amount = Decimal(value)
    if not decimal_amount.is_finite() or not 0 < decimal_amount <= LARGEST_AMOUNT:
        raise InvalidValueError("prizes.no_amount", most=LARGEST_AMOUNT)
    if -int(decimal_amount.as_tuple().exponent) > MOST_AMOUNT_DECIMALS:
        raise InvalidValueError("key.too_fine", most=MOST_AMOUNT_DECIMALS)
    return Fraction(decimal_amount)


def parse_money_text(text: str) -> Fraction:
    """Parse an amount of money that is written as a text, such as "60" or "33.50".

    Raises InvalidValueError for any other text, also for 0, an amount above
    LARGEST_AMOUNT, and too many decimals.
    """
    if not re.fullmatch(r"[0-9]{1,10}([.][0-9]{1,6})?", text.strip()):
        raise InvalidValueError("prizes.no_amount", most=LARGEST_AMOUNT)
    return parse_money(Decimal(text.strip()))


def parse_group_prizes(value: object) -> GroupPrizes:
    """Parse the prizes of a group from a text such as "U18: 50, 30".

    The name may have colons; the last colon ends it. Raises InvalidValueError for any
    other value, if a prize is higher than the one before it, and for more than
    MOST_PRIZES prizes.
    """
    group_name, colon, amounts_text = _parse_filled_text(value).rpartition(":")
    if not colon or not group_name.strip():
        raise InvalidValueError("prizes.no_group_prizes")
    prize_amounts = _require_sorted_prizes(
        [parse_money_text(amount_text) for amount_text in amounts_text.split(",")]
    )
    return GroupPrizes(" ".join(group_name.split()), prize_amounts)


def _require_sorted_prizes(amounts: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the prizes of a list as they are.

    `amounts` are the prizes, the first place's first. Raises InvalidValueError if a
    prize is higher than the one before it, or if there are more than MOST_PRIZES.
    """
    if len(amounts) > MOST_PRIZES:
        raise InvalidValueError("prizes.too_many", most=MOST_PRIZES)
    if [*amounts] != sorted(amounts, reverse=True):
        raise InvalidValueError("prizes.not_descending")
    return tuple(amounts)


def _build_prizes(fields: dict[str, Any]) -> PrizeRules:
    """Build the rules for prizes from the keys of the table `prizes`.

    `fields` has the parsed values by key, and loses `per_person`; without this key each
    person gets one prize. Raises InvalidValueError if a group has two lists of prizes.
    """
    per_person = fields.pop("per_person", "one")
    prize_rules = PrizeRules(**fields, one_each=per_person == "one")
    group_names = [group_prizes.group.casefold() for group_prizes in prize_rules.groups]
    if len({*group_names}) < len(group_names):
        raise InvalidValueError("prizes.group_twice")
    return prize_rules


def parse_text(value: object) -> str:
    """Return the value if it is a text, also an empty one.

    Raises InvalidValueError for any other value.
    """
    if not isinstance(value, str):
        raise InvalidValueError("key.no_text")
    return value


def _parse_filled_text(value: object) -> str:
    """Return the value if it is a text that is not empty.

    Raises InvalidValueError for any other value.
    """
    if not parse_text(value):
        raise InvalidValueError("key.empty")
    return str(value)


def integer_parser(allowed: range) -> Callable[[object], int]:
    """Return a function that accepts only integers in the range `allowed`.

    The function returns its argument, and raises InvalidValueError for other values,
    also for true and false.
    """

    def read(value: object) -> int:
        """Return the value if it is an allowed integer, or raise InvalidValueError."""
        if (
            isinstance(value, bool)
            or not isinstance(value, int)
            or value not in allowed
        ):
            raise InvalidValueError("key.no_whole", low=allowed[0], high=allowed[-1])
        return value

    return read


def choice_parser(allowed: tuple[str, ...]) -> Callable[[object], object]:
    """Return a function that accepts only the `allowed` texts.

    The function returns its argument, and raises InvalidValueError for all other
    values.
    """

    def read(value: object) -> object:
        """Return the value if it is an allowed text, or raise InvalidValueError."""
        if value not in allowed:
            raise InvalidValueError(
                "key.none_of", known=[f'"{choice}"' for choice in allowed]
            )
        return value

    return read


def parse_bool(value: object) -> bool:
    """Return the value if it is true or false.

    Raises InvalidValueError for any other value, also for 0 and 1.
    """
    if not isinstance(value, bool):
        raise InvalidValueError("key.no_truth")
    return value


def _parse_side_labels(sides: list[str]) -> tuple[str, ...]:
    """Return the labels of two sides in small letters.

    An empty list gives an empty tuple: the event has no sides. Raises
    InvalidValueError if there is one label, more than two, or one twice.
    """
    if len(sides) not in (0, 2) or len({*sides}) < len(sides):
        raise InvalidValueError("key.no_two_labels")
    return tuple(map(str.lower, sides))


def _parse_tie_break(value: object) -> str:
    """Return the name of a tie-break that is given by its name or code.

    Raises InvalidValueError if there is no such tie-break, or the value is no text.
    """
    from pairopt.event.tie_breaks import tie_break_of  # most events name none

    try:
        return tie_break_of(_parse_filled_text(value)).name
    except UsageError as error:
        raise InvalidValueError(error.reason) from None


def _parse_forbidden(value: object) -> Forbidden:
    """Parse a list of two players who may not meet, or a table with `players`.

    Returns (player, player, rounds). The rounds are the first and last one of the
    table's `rounds`, such as "2-4", or None for all rounds. Raises InvalidValueError
    for any other value, unknown keys, and a player who is named twice.
    """
    forbidden_table = value if isinstance(value, Mapping) else {"players": value}
    player_pair = forbidden_table.get("players")
    rounds_text = forbidden_table.get("rounds")
    if (
        not isinstance(player_pair, list)
        or len(player_pair) != 2
        or not all(isinstance(player, str) and player for player in player_pair)
        or player_pair[0] == player_pair[1]
    ):
        raise InvalidValueError("key.no_two_players")
    if forbidden_table.keys() - {"players", "rounds"} or not isinstance(
        rounds_text, str | None
    ):
        raise InvalidValueError("key.no_pair_with_rounds")
    return (
        player_pair[0],
        player_pair[1],
        None if rounds_text is None else parse_rounds(rounds_text),
    )


def parse_table_as_json(value: object) -> object:
    """Return a TOML table as a dict that JSON can hold.

    Dates and decimals become texts, also inside. Raises InvalidValueError if the value
    is not a table.
    """
    if not isinstance(value, dict):
        raise InvalidValueError("key.no_table")
    return _make_json_value(value)


def _make_json_value(value: Any) -> Any:
    """Return a TOML value that JSON can hold: dates and decimals become texts.

    Tables and lists are converted with all that is in them.
    """
    if isinstance(value, dict):
        return {
            table_key: _make_json_value(nested_value)
            for table_key, nested_value in value.items()
        }
    if isinstance(value, list):
        return [_make_json_value(nested_value) for nested_value in value]
    return value if isinstance(value, str | int) else str(value)


def _build_points(fields: dict[str, Any]) -> Points:
    """Build the points of a match from the keys of the table `points`.

    If the table has `games = 2`, its points are those of one game of two. `fields` has
    the parsed values by key, and loses `games`, `win`, `draw` and `loss`; the latter
    three are 0 if missing. The other keys, such as `bye`, are taken as they are. Raises
    InvalidValueError unless win > loss and win ≥ draw ≥ loss.
    """
    has_two_games = fields.pop("games", 1) == 2
    zero_points = Fraction(0)
    win_points, draw_points, loss_points = (
        fields.pop(result_name, zero_points) for result_name in ("win", "draw", "loss")
    )
    if not win_points > loss_points or not win_points >= draw_points >= loss_points:
        raise InvalidValueError("points.out_of_order")
    points_of_match = Points(win_points, draw_points, loss_points)
    return replace(
        points_of_two_games(points_of_match) if has_two_games else points_of_match,
        **fields,
    )


def value_parser(
    make: Callable[[Any], Any], parts: KeyReader = lambda value, *_: value
) -> KeyReader:
    """Return a reader that converts a value with `make`, or adds a fault at its key.

    The reader gets a value, its key and a list of faults. `parts` has the same
    arguments and reads the value first, for example the entries of a list; by default
    the value stays as it is. `make` gets its result, but is not called if `parts` has
    added faults. An InvalidValueError of either becomes a fault. With any fault the
    reader returns None.
    """

    def read(value: Any, key: str, faults: list[Fault]) -> Any:
        """Parse the value at `key`; add a fault and return None if it is not valid.

        The fault goes to the list `faults`, at the location `key`.
        """
        fault_count_before = len(faults)
        try:
            value_of_parts = parts(value, key, faults)
            return make(value_of_parts) if len(faults) == fault_count_before else None
        except InvalidValueError as error:
            found_value_note = message("key.unfit", found=format_value(value))
            faults.append(
                Fault(
                    with_heading(
                        error.said,
                        found_value_note,
                        mark="; ",
                        name=found_value_note.kind,
                    ),
                    JsonLocation(key),
                )
            )

    return read


def list_parser(read_entry: KeyReader) -> KeyReader:
    """Return a reader of lists, which reads each entry with `read_entry`.

    Both readers get a value, its key and a list of faults. The reader returns the list
    of what `read_entry` returns for the entries. It raises InvalidValueError if the
    value is not a list.
    """

    def read(value: Any, key: str, faults: list[Fault]) -> list[Any]:
        """Read each entry of a list; the key of the first one is `key[0]`.

        `faults` gets the faults of the entries. Raises InvalidValueError if the value
        is not a list.
        """
        if not isinstance(value, list):
            raise InvalidValueError("key.no_list")
        return [
            read_entry(list_entry, f"{key}[{entry_position}]", faults)
            for entry_position, list_entry in enumerate(value)
        ]

    return read


def table_parser(keys: Mapping[str, KeyReader], *needed: str) -> KeyReader:
    """Return a reader of tables whose values are read by the readers in `keys`.

    The reader gets a value, its key and a list of faults. A key in `needed` that is
    missing adds a fault, and so does an unknown key; all other keys may be missing. The
    reader returns the read values by key, without unknown keys, and raises
    InvalidValueError if the value is not a table.
    """

    def read(value: Any, key: str, faults: list[Fault]) -> dict[str, Any]:
        """Read each known value of a table; add faults for unknown and missing keys.

        `key` is the path of the table, "" for the whole file. Faults go to the list
        `faults`. Raises InvalidValueError if the value is not a table.
        """
        if not isinstance(value, dict):
            raise InvalidValueError("key.no_table")
        location_by_key = {
            key_name: JsonLocation(key).at(key_name) for key_name in (*value, *needed)
        }
        for key_name in (key_name for key_name in value if key_name not in keys):
            similar_key = find_nearest(key_name, keys)
            message_kind = "key.unknown" if similar_key is None else "key.mistyped"
            faults.append(
                Fault(
                    message(
                        message_kind, key=key_name, near=similar_key, known=[*keys]
                    ),
                    location_by_key[key_name],
                )
            )
        faults += [
            Fault("key.missing", location_by_key[key_name])
            for key_name in needed
            if key_name not in value
        ]
        return {
            key_name: keys[key_name](
                table_value, location_by_key[key_name].path, faults
            )
            for key_name, table_value in value.items()
            if key_name in keys
        }

    return read


AMOUNT = value_parser(parse_points)
FILLED = value_parser(_parse_filled_text)
POINTS: Mapping[str, KeyReader] = {
    **dict.fromkeys(("win", "draw", "loss", "bye", "requested_bye", "absent"), AMOUNT),
    "games": value_parser(integer_parser(range(1, 3))),
}
BYE = {
    "player": FILLED,
    "round": value_parser(integer_parser(range(1, MOST_ROUNDS + 1))),
    "points": AMOUNT,
}
BREACH = {
    "kind": value_parser(choice_parser((*BREACHES,))),
    "round": value_parser(integer_parser(range(MOST_ROUNDS + 1))),
    **dict.fromkeys(("what", "before", "now"), value_parser(parse_text)),
}
CONFLICT = {
    "column": FILLED,
    "place": value_parser(integer_parser(range(1, MOST_NUMBER + 1))),
}
MONEY = value_parser(parse_money)
PRIZES: Mapping[str, KeyReader] = {
    "main": value_parser(_require_sorted_prizes, list_parser(MONEY)),
    "groups": value_parser(tuple, list_parser(value_parser(parse_group_prizes))),
    "sharing": value_parser(choice_parser(("none", "equal", "hort"))),
    "shared": value_parser(choice_parser(("main", "all"))),
    "per_person": value_parser(choice_parser(("one", "several"))),
    "equal_players": value_parser(choice_parser(("lot", "share"))),
    "rounding": MONEY,
    "least_share": MONEY,
    "least_players": value_parser(integer_parser(IN_FORMS["players"])),
}
SOURCE = {
    "trf": value_parser(list, list_parser(value_parser(parse_text))),
    "json": value_parser(parse_table_as_json),
}
FORMS: Mapping[Form, Callable[[SettingDeclaration], KeyReader]] = {
    "text": lambda _: value_parser(parse_text),
    "model": lambda _: FILLED,
    "label": lambda _: value_parser(lambda value: _parse_filled_text(value).lower()),
    "number": lambda setting: value_parser(integer_parser(setting.allowed)),
    "ahead": lambda setting: value_parser(
        lambda value: (
            value if value == "all" else integer_parser(setting.allowed)(value)
        )
    ),
    "choice": lambda setting: value_parser(
        choice_parser(tuple(name for name, _ in setting.choices if name))
    ),
    "truth": lambda _: value_parser(parse_bool),
    "labels": lambda _: value_parser(_parse_side_labels, list_parser(FILLED)),
    "tie-breaks": lambda _: value_parser(
        tuple, list_parser(value_parser(_parse_tie_break))
    ),
    "columns": lambda _: value_parser(
        tuple,
        list_parser(
            value_parser(
                lambda fields: SeparationRule(**fields),
                table_parser(CONFLICT, "column"),
            )
        ),
    ),
    "points": lambda _: value_parser(
        _build_points, table_parser(POINTS, "win", "draw")
    ),
    "groups": lambda _: value_parser(
        require_distinct_groups,
        list_parser(value_parser(lambda value: parse_group(_parse_filled_text(value)))),
    ),
    "list-columns": lambda _: value_parser(
        lambda columns: tuple(dict.fromkeys(columns)),
        list_parser(value_parser(choice_parser(LIST_COLUMNS))),
    ),
    "federation": lambda _: value_parser(parse_federation),
    "day": lambda _: value_parser(parse_day),
    "days": lambda _: value_parser(tuple, list_parser(value_parser(parse_day))),
    "person": lambda _: value_parser(parse_person),
    "persons": lambda _: value_parser(tuple, list_parser(value_parser(parse_person))),
    "time control": lambda _: value_parser(parse_time_control),
}
"""The readers of settings, by their forms; "amount" is a key of `POINTS`."""
FILE: Mapping[str, KeyReader] = {
    "id": value_parser(parse_text),
    "forbid": value_parser(tuple, list_parser(value_parser(_parse_forbidden))),
    "byes": value_parser(
        tuple,
        list_parser(
            value_parser(
                lambda fields: AdvanceBye(**fields),
                table_parser(BYE, "player", "round"),
            )
        ),
    ),
    "breaches": value_parser(
        tuple,
        list_parser(
            value_parser(
                lambda fields: FideModeBreach(**fields),
                table_parser(BREACH, "kind", "round"),
            )
        ),
    ),
    "source": value_parser(dict, table_parser(SOURCE)),
    "rounds_over": value_parser(integer_parser(range(MOST_ROUNDS + 1))),
    **{
        key: FORMS[setting.form](setting)
        for key, setting in SETTINGS.items()
        if setting.form in FORMS and "." not in key
    },
    "prizes": value_parser(_build_prizes, table_parser(PRIZES)),
}
"""The readers of all keys of event.toml."""


def read_identity(content: bytes) -> str:
    """Return the id in an event.toml; "" if it has none or cannot be read.

    `content` are the bytes of the whole file, which must be valid TOML.
    """
    with suppress(InputError, ValueError, RecursionError):
        event_id = tomllib.loads(decode_text(NAME, content).text).get("id")
        return event_id if isinstance(event_id, str) else ""
    return ""


def find_identity_line(content: bytes) -> str:
    """Return the id in the first line `id = "…"` of an event.toml; "" without one.

    `content` are the bytes of the file, the rest of which may be damaged. The id may
    have up to 64 letters, digits and underscores.
    """
    id_match = ID_LINE.search(content)
    return id_match[1].decode() if id_match else ""


def with_event_id(content: bytes, event_id: str) -> bytes:
    """Return the bytes of an event.toml with an id added as its first line.

    `content` are the bytes of the file. If the file has an id already or cannot be
    read, or the new id is empty, they are returned unchanged.
    """
    with suppress(InputError):
        event_text = decode_text(NAME, content)
        content_with_id = encode_text(
            f'id = "{event_id}"{event_text.newline}{event_text.text}', event_text.marked
        )
        if event_id and read_identity(content_with_id) == event_id:
            return content_with_id
    return content


def read_event_file(source: TextSource) -> EventToml:
    """Read the text of an event.toml.

    `source` has the text and the name of the file for errors. Missing keys get their
    defaults. Raises InputError if the text is not TOML. Otherwise its InputError has
    every fault, by its key.
    """
    try:
        toml_values = tomllib.loads(source.text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise InputError(source.name, "key.not_toml", error=str(error)) from None
    faults: list[Fault] = []
    parsed_values = table_parser(FILE)(toml_values, "", faults)
    if faults:
        raise InputError(source.name, faults)
    return parse_event_toml(parsed_values, source.name)


def parse_event_toml(values: Mapping[str, Any], name: str) -> EventToml:
    """Build an `EventToml` from parsed values by their keys in event.toml.

    `values` are those that the readers in `FILE` return. `name` is the file's name in
    errors. Missing keys get their defaults, and empty facts are left out, except for an
    empty list of TRF records. Raises InputError if values do not fit together:
    `best_of` with points of games, `lookahead = "all"` without `rounds`, or prizes that
    the groups or the rounding do not allow.
    """
    settings = EventSettings(
        **{
            setting_name: values[toml_key]
            for setting_name, toml_key in KEYS.items()
            if toml_key in values
        }
    )
    if settings.best_of and settings.points and settings.points.game:
        raise InputError(name, [Fault("key.best_of_two", JsonLocation("best_of"))])
    if settings.lookahead == "all" and settings.rounds is None:
        raise InputError(name, [Fault("key.all_of_what", JsonLocation("lookahead"))])
    prize_faults = _find_prize_faults(settings)
    if prize_faults:
        raise InputError(name, prize_faults)
    source_facts = {
        fact_key: source_fact
        for fact_key, source_fact in values.get("source", {}).items()
        if source_fact or fact_key == "trf"
    }
    further_keys = ("id", "forbid", "byes", "breaches", "rounds_over")
    further_values_by_key = {
        toml_key: values[toml_key] for toml_key in further_keys if toml_key in values
    }
    return EventToml(
        settings,
        facts=source_facts,
        side=values.get("initial_side"),
        **further_values_by_key,
    )


def _find_prize_faults(settings: EventSettings) -> list[Fault]:
    """Return a fault per prize list of an unknown group, and one for the rounding.

    `settings` are those of the event, with its groups and prizes. The rounding has a
    fault if an amount is not a multiple of it; the first such amount is named. Returns
    an empty list without rules for prizes.
    """
    prize_rules = settings.prizes
    if prize_rules is None:
        return []
    faults = []
    group_names = {player_group.name.casefold() for player_group in settings.groups}
    all_amounts = [*prize_rules.main]
    for group_prizes in prize_rules.groups:
        all_amounts += group_prizes.amounts
        if group_prizes.group.casefold() not in group_names:
            group_reason = message("prizes.no_group", group=group_prizes.group)
            faults.append(Fault(group_reason, JsonLocation("prizes.groups")))
    unrounded_amounts = [
        prize_amount
        for prize_amount in all_amounts
        if prize_amount % prize_rules.rounding
    ]
    if unrounded_amounts:
        rounding_reason = message(
            "prizes.no_multiple", amount=unrounded_amounts[0], unit=prize_rules.rounding
        )
        faults.append(Fault(rounding_reason, JsonLocation("prizes.rounding")))
    return faults


def format_value(value: object) -> str:
    """Return a value as Python shows it, for messages: at most 60 characters.

    A longer text is cut to 57 characters and ends with three dots. A Decimal is written
    as a number.
    """
    value_text = str(value) if isinstance(value, Decimal) else repr(value)
    return value_text if len(value_text) <= 60 else f"{value_text[:57]}..."
