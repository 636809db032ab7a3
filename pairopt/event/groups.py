"""Groups: players of one sex, age, rating or category, for lists and prizes of their own.

A group is written as its name, a colon and its conditions, for example
"Girls U18: sex is w and born 2009 or later". `pairopt.event.group_members` finds its
players.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pairopt.errors import InvalidValueError

LONGEST_NAME, LONGEST_TEXT, MOST_GROUPS = 60, 300, 50
SEPARATOR = ";"
"""The sign between groups in one line; names and values may have commas."""
EXAMPLES = ("U18: born 2009 or later", "Women: sex is w", "B: rating 1400 to 1799")
NumberKind = Literal["born", "rating"]
"""The numbers of players that conditions know: the year of birth, and the rating."""
_NUMBER_CONDITION = re.compile(
    r"(born|rating) +(\d{1,6})(?: +to +(\d{1,6})| +or +(later|more|earlier|less))?"
)
_CELL_CONDITION = re.compile(r"([\w-]+) +is +(\S.*)")
_BETWEEN_CONDITIONS = re.compile(r" and (?=(?:born|rating) \d|[\w-]+ is )")


@dataclass(frozen=True, slots=True)
class NumberCondition:
    """A condition that the year of birth or the rating is in a range.

    `kind` is "born" or "rating". `low` and `high` belong to the range; None means that
    there is no limit. At least one of them is given.
    """

    kind: NumberKind
    low: int | None = None
    high: int | None = None

    def __str__(self) -> str:
        upwards, downwards = (
            ("later", "earlier") if self.kind == "born" else ("more", "less")
        )
        if self.high is None:
            return f"{self.kind} {self.low} or {upwards}"
        if self.low is None:
            return f"{self.kind} {self.high} or {downwards}"
        if self.low == self.high:
            return f"{self.kind} {self.low}"
        return f"{self.kind} {self.low} to {self.high}"

    def includes(self, number: float) -> bool:
        """Whether a number is in the range; the limits belong to it."""
        is_high_enough = self.low is None or number >= self.low
        return is_high_enough and (self.high is None or number <= self.high)


@dataclass(frozen=True, slots=True)
class CellCondition:
    """A condition that a column of the list of players has a value.

    `column` is its name in lower case. Case and blanks of the value don't matter.
    """

    column: str
    value: str

    def __str__(self) -> str:
        return f"{self.column} is {self.value}"


Condition = NumberCondition | CellCondition


@dataclass(frozen=True, slots=True)
class PlayerGroup:
    """A group of players with a name and one condition or more.

    A player belongs to the group if all its conditions hold.
    """

    name: str
    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        return f"{self.name}: {' and '.join(map(str, self.conditions))}"


def parse_group(text: str) -> PlayerGroup:
    """Parse a group from a text such as "U18: born 2009 or later".

    A condition is "born YEAR or later", "born YEAR or earlier", "born YEAR to YEAR",
    "rating NUMBER or more", "rating NUMBER or less", "rating NUMBER to NUMBER", a
    single number such as "born 2010", or "COLUMN is VALUE" with a column of the list of
    players. "and" stands between two conditions. Raises InvalidValueError for any other
    text, for a semicolon, and for a name or text that is too long.
    """
    if len(text) > LONGEST_TEXT:
        raise InvalidValueError("group.too_long", most=LONGEST_TEXT)
    group_name, _, conditions_text = " ".join(text.split()).partition(":")
    group_name = group_name.strip()
    has_usable_name = bool(group_name) and len(group_name) <= LONGEST_NAME
    if not has_usable_name or not conditions_text or SEPARATOR in text:
        raise InvalidValueError("group.no_group", examples=[*EXAMPLES])
    texts_of_conditions = _BETWEEN_CONDITIONS.split(conditions_text.strip())
    return PlayerGroup(group_name, tuple(map(_parse_condition, texts_of_conditions)))


def require_distinct_groups(groups: Sequence[PlayerGroup]) -> tuple[PlayerGroup, ...]:
    """Return the groups of an event as they are, as a tuple, if they can be told apart.

    Raises InvalidValueError for two groups whose names are equal but for their case,
    and for more than MOST_GROUPS groups.
    """
    if len(groups) > MOST_GROUPS:
        raise InvalidValueError("group.too_many", most=MOST_GROUPS)
    earlier_folded_names = set()
    for player_group in groups:
        folded_name = player_group.name.casefold()
        if folded_name in earlier_folded_names:
            raise InvalidValueError("group.twice", name=player_group.name)
        earlier_folded_names.add(folded_name)
    return tuple(groups)


def split_groups(text: str) -> list[str]:
    """Return the texts of groups that semicolons separate, without blanks around.

    Empty ones are left out. The text `none` gives an empty list. Nothing is parsed.
    """
    group_texts = [group_text.strip() for group_text in text.split(SEPARATOR)]
    return (
        []
        if text.strip() == "none"
        else [group_text for group_text in group_texts if group_text]
    )


def _parse_condition(text: str) -> Condition:
    """Parse one condition of a group, such as "born 2009 or later" or "club is Elo".

    A single number is a range of one. Raises InvalidValueError for any other text, and
    for a range whose first number is the larger one.
    """
    if number_match := _NUMBER_CONDITION.fullmatch(text):
        kind_word, first_digits, last_digits, direction_word = number_match.groups()
        number_kind: NumberKind = "born" if kind_word == "born" else "rating"
        first_number = int(first_digits)
        last_number = int(last_digits or first_digits)
        if direction_word in ("later", "more"):
            return NumberCondition(number_kind, low=first_number)
        if direction_word in ("earlier", "less"):
            return NumberCondition(number_kind, high=first_number)
        if first_number <= last_number:
            return NumberCondition(number_kind, first_number, last_number)
    if cell_match := _CELL_CONDITION.fullmatch(text):
        return CellCondition(cell_match[1].lower(), cell_match[2])
    raise InvalidValueError("group.no_condition", found=text, examples=[*EXAMPLES])
