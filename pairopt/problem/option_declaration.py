"""Declare an option, and check a value that a Python call passes by its declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Literal, TypeGuard

import numpy as np

from pairopt.common.limits import MOST_SECONDS
from pairopt.errors import UsageError
from pairopt.messages.formatting import shorten

Reading = Literal[
    "flag",
    "switch",
    "choice",
    "number",
    "seconds",
    "engine",
    "text",
    "labels",
    "name",
    "names",
    "pairs",
]


@dataclass(frozen=True, slots=True)
class OptionDeclaration:
    """How an option of a round is shown to people, and which values it may have.

    `reading` says how its text is read: `names` and `pairs` may be given several times,
    `name` once. `metavar` stands for the value in `--help`. A number has to be in
    `allowed` (None allows all), a choice in `choices`. `default` is the value of an
    option that is not given.
    """

    reading: Reading
    help: str
    default: Any = None
    metavar: str | None = None
    allowed: range | None = None
    choices: tuple[str, ...] = ()


def option(
    reading: Reading,
    help: str,
    *,
    default: Any = None,
    metavar: str | None = None,
    allowed: range | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """Declare an option as a field of a dataclass.

    The field has the value `default`, and an `OptionDeclaration` with all arguments
    under "option" in its metadata. `reading` says what kind of value it is, such as
    "number" or "names", and `help` is its description. `metavar` stands for the value
    in `--help`, `allowed` is the range of a number (None: any), and `choices` are the
    texts that a choice may have. The command line, JSON requests with their schema, the
    docs and the check of Python's keywords follow from it.
    """
    declaration = OptionDeclaration(reading, help, default, metavar, allowed, choices)
    return field(default=default, metadata={"option": declaration})


def require_value(name: str, declaration: OptionDeclaration, value: object) -> None:
    """Raise UsageError for a value that an option cannot have by its declaration.

    `name` is the option's name in Python. An error is raised for a wrong type, a text
    that is none of the choices, an integer outside `declaration.allowed`, and a time
    that is not above 0 seconds or is longer than MOST_SECONDS. None counts as a wrong
    type, too. Nothing is returned.
    """
    shown_value = shorten(repr(value))
    if declaration.reading == "choice":
        if value not in declaration.choices:
            first_choice, second_choice = declaration.choices
            raise UsageError(
                "option.choice",
                name=name,
                one=first_choice,
                two=second_choice,
                found=shown_value,
            )
        return

    has_right_type, message_kind = TYPES[declaration.reading]
    if not has_right_type(value):
        raise UsageError(message_kind, name=name, found=shown_value)
    if isinstance(value, Integral) and declaration.allowed is not None:
        whole_number = int(value)
        least_allowed, most_allowed = declaration.allowed[0], declaration.allowed[-1]
        if not least_allowed <= whole_number <= most_allowed:
            raise UsageError(
                "option.range",
                name=name,
                found=whole_number,
                least=least_allowed,
                most=most_allowed,
            )
    is_time = declaration.reading == "seconds"
    if is_time and isinstance(value, Real) and not 0 < float(value) <= MOST_SECONDS:
        raise UsageError("option.seconds", name=name, found=float(value))


def _is_flag(value: object) -> bool:
    """Whether a value is a truth value of Python or numpy."""
    return isinstance(value, bool | np.bool_)


def _is_switch(value: object) -> bool:
    """Whether a value is a truth value or the text "small"."""
    return _is_flag(value) or value == "small"


def _is_whole_number(value: object) -> bool:
    """Whether a value is an integer and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    """Whether a value is a real number and no truth value."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    """Whether a value is a str."""
    return isinstance(value, str)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a value is a list, a tuple or another sequence that is no text."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_list_of_texts(value: object) -> bool:
    """Whether a value is a sequence of texts, possibly empty; a text is none."""
    return _is_list(value) and all(isinstance(list_entry, str) for list_entry in value)


def _is_pair(value: object) -> bool:
    """Whether a value is a sequence of exactly two texts."""
    return _is_list(value) and len(value) == 2 and _is_list_of_texts(value)


def _is_list_of_pairs(value: object) -> bool:
    """Whether a value is a sequence of pairs, each a sequence of two texts."""
    return _is_list(value) and all(map(_is_pair, value))


TYPES: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "flag": (_is_flag, "option.no_flag"),
    "switch": (_is_switch, "option.no_switch"),
    "number": (_is_whole_number, "option.no_number"),
    "seconds": (_is_number, "option.no_seconds"),
    "engine": (_is_text, "option.no_text"),
    "text": (_is_text, "option.no_text"),
    "name": (_is_text, "option.no_name"),
    "names": (_is_list_of_texts, "option.no_names"),
    "labels": (_is_list_of_texts, "option.no_labels"),
    "pairs": (_is_list_of_pairs, "option.no_pairs"),
}
"""The test of a value and the message where it fails, by how the option is read."""
