"""Arguments of the laboratory's functions: errors that name the parameter and what it can be."""

from collections.abc import Collection, Iterable, Mapping
from numbers import Integral, Real
from os import PathLike

from pairopt.errors import UsageError

# letters of a value that a message shows
LONGEST = 60


def require(
    is_valid: bool, call: str, parameter: str, value: object, expected: str
) -> None:
    """Raise UsageError unless the value of a parameter is valid.

    The message shows the value as `repr` writes it, cut to 60 letters.

    Parameters
    ----------
    is_valid
        Whether the value can be used.
    call
        The function or class that has the parameter, for example `World`.
    parameter
        The parameter's name.
    value
        The value that the caller passed.
    expected
        What the parameter can be, with an example to type.
    """
    if is_valid:
        return

    value_text = repr(value)
    if len(value_text) > LONGEST:
        value_text = f"{value_text[:LONGEST]}…"
    raise UsageError(
        "lab.argument",
        call=call,
        parameter=parameter,
        found=value_text,
        expected=expected,
    )


def is_whole(value: object) -> bool:
    """Return whether a value is of an integer type, NumPy's included.

    2.0 is not a whole number here, nor are True and False.
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Return whether a value is a real number, NumPy's and fractions included.

    Values of the types `bool` and `decimal.Decimal` are not. Infinite numbers and nan
    are.
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def require_whole(call: str, parameter: str, value: object, example: int) -> None:
    """Raise UsageError unless an argument is a whole number.

    The message names the function `call`, its `parameter`, and an `example` to type.
    """
    expected_text = f"a whole number, for example {parameter}={example}"
    require(is_whole(value), call, parameter, value, expected_text)


def require_number(call: str, parameter: str, value: object, example: float) -> None:
    """Raise UsageError unless an argument is a real number.

    The message names the function `call`, its `parameter`, and an `example` to type.
    """
    expected_text = f"a number, for example {parameter}={example:g}"
    require(is_number(value), call, parameter, value, expected_text)


def require_list(call: str, parameter: str, value: object, example: str) -> None:
    """Raise UsageError for a text or bytes, or a value that is not iterable.

    The message names the function `call`, its `parameter`, and `example`, a list as
    Python writes it.
    """
    is_list = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    require(
        is_list, call, parameter, value, f"a list, for example {parameter}={example}"
    )


def require_choice(
    call: str, parameter: str, value: object, choices: Collection[str]
) -> None:
    """Raise UsageError unless an argument is one of the texts `choices`.

    The message names the function `call` and its `parameter`.
    """
    is_choice = isinstance(value, str) and value in choices
    expected_text = "one of " + ", ".join(f'"{choice}"' for choice in choices)
    require(is_choice, call, parameter, value, expected_text)


def require_path(call: str, parameter: str, value: object, example: str) -> None:
    """Raise UsageError unless an argument is a text, a path object or None.

    Whether the file exists is not checked. The message names the function `call`, its
    `parameter`, and an `example` of a path.
    """
    is_path = value is None or isinstance(value, str | PathLike)
    expected_text = f'the path of a file, for example {parameter}="{example}"'
    require(is_path, call, parameter, value, expected_text)


def require_numbers(call: str, parameter: str, value: object, example: str) -> None:
    """Raise UsageError unless an argument maps names to numbers, or is None.

    `call` and `parameter` name the function and its argument, and `example` is a
    mapping in Python; the message has all three.
    """
    is_mapping = value is None or isinstance(value, Mapping)
    mapping_values = value.values() if isinstance(value, Mapping) else ()
    is_valid = is_mapping and all(map(is_number, mapping_values))
    expected_text = f"numbers by name, for example {parameter}={example}"
    require(is_valid, call, parameter, value, expected_text)


def require_confidence(call: str, value: object) -> None:
    """Raise UsageError unless the argument `confidence` is between 0 and 1.

    0 and 1 themselves are refused. `call` is the function that has the argument.
    """
    is_between_0_and_1 = isinstance(value, int | float) and 0 < value < 1
    expected_text = "a number between 0 and 1, for example confidence=0.95"
    require(is_between_0_and_1, call, "confidence", value, expected_text)
