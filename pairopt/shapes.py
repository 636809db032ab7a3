"""Shapes: a dataclass says by its fields' types what a table of a file may hold, TOML or JSON.

A type is str, bool, int, Decimal, Any, a Literal, a union, list[X], tuple[X, ...], Mapping[str, X]
or a dataclass, whose `__post_init__` may raise ValueError. `Annotated[X, check]` is an X that goes
through `check`: it gives back the value, or what to take for it, or raises ValueError saying what
was expected. A field's metadata may have its `key` in the file; a dataclass with `OPEN` set may be
given keys that it does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from decimal import Decimal
from functools import cache, reduce
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

LONGEST = 60
"""Of a longer value only so many characters are shown."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """What does not fit: where, by its keys from the outside in, why, and what was found."""

    path: tuple[str | int, ...]
    why: str
    found: str | None = None

    def __str__(self) -> str:
        return self.why if self.found is None else f"{self.why} (found {self.found})"

    def place(self, first: int = 0) -> str:
        """Where, such as rounds[2][5].player1.id; lists count from `first`."""
        parts = (f"[{p + first}]" if isinstance(p, int) else f".{p}" for p in self.path)
        return "".join(parts).removeprefix(".")


class MisfitError(Exception):
    """All that does not fit."""

    def __init__(self, misfits: Sequence[Misfit]) -> None:
        super().__init__(misfits)
        self.misfits = misfits


def fitted(kind: Any, value: Any) -> Any:
    """A value of a file as a type says. Raises MisfitError."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    try:
        if origin is Annotated:
            return reduce(lambda made, check: check(made), inner[1:], fitted(inner[0], value))
        if origin in (Union, UnionType):
            return _either(inner, value)
        if origin is Literal:
            return _one_of(inner, value)
        if origin in (list, tuple):
            _expect(isinstance(value, list), "a list")
            return origin(_parts((k, inner[0], each) for k, each in enumerate(value)).values())
        if origin is Mapping:
            _expect(isinstance(value, Mapping), "a table")
            return _parts((key, inner[1], each) for key, each in value.items())
        if is_dataclass(kind):
            _expect(isinstance(value, Mapping), "a table")
            return _table(kind, value)
        return _PLAIN[kind](value)
    except ValueError as error:
        raise MisfitError([Misfit((), str(error), _short(value))]) from None


def _parts(parts: Iterable[tuple[Any, Any, Any]], misfits: Sequence[Misfit] = ()) -> dict[Any, Any]:
    """Parts of a value, given as key, type and value, besides which there are these misfits."""
    made, found = {}, [*misfits]
    for key, kind, value in parts:
        try:
            made[key] = fitted(kind, value)
        except MisfitError as error:
            found += [replace(each, path=(key, *each.path)) for each in error.misfits]
    if found:
        raise MisfitError(found)
    return made


def _table(kind: Any, value: Mapping[str, Any]) -> Any:
    known = keys(kind)
    misfits = [
        Misfit((key,), f"unknown key {key!r}; known keys: {', '.join(known) or 'none'}")
        for key in value
        if key not in known and not getattr(kind, "OPEN", False)
    ]
    misfits += [
        Misfit((key,), "missing")
        for key, (each, _) in known.items()
        if key not in value and each.default is MISSING and each.default_factory is MISSING
    ]
    given = [(key, hint, value[key]) for key, (_, hint) in known.items() if key in value]
    made = _parts(given, misfits)
    return kind(**{known[key][0].name: each for key, each in made.items()})


@cache
def keys(kind: Any) -> Mapping[str, tuple[Field[Any], Any]]:
    """What a table of this shape may have: the key, its field and its type."""
    hints = get_type_hints(kind, include_extras=True)
    return {each.metadata.get("key", each.name): (each, hints[each.name]) for each in fields(kind)}


def _either(kinds: Sequence[Any], value: Any) -> Any:
    """The first of several types that the value fits."""
    if value is None and NoneType in kinds:
        return None
    misfits: list[Misfit] = []
    for kind in kinds:
        if kind is not NoneType:
            try:
                return fitted(kind, value)
            except MisfitError as error:
                misfits += error.misfits
    raise MisfitError(misfits)


def _one_of(choices: Sequence[Any], value: Any) -> Any:
    same = [each for each in choices if type(each) is type(value) and each == value]
    _expect(bool(same), " or ".join(map(repr, choices)))
    return value


def _text(value: Any) -> str:
    _expect(isinstance(value, str), "a text")
    return cast("str", value)


def _truth(value: Any) -> bool:
    _expect(isinstance(value, bool), "true or false")
    return cast("bool", value)


def _number(value: Any) -> Decimal:
    _expect(isinstance(value, int | float | Decimal) and not isinstance(value, bool), "a number")
    number = Decimal(str(value))
    _expect(number.is_finite(), "a finite number")
    return number


def _whole(value: Any) -> int:
    _number(value)
    _expect(isinstance(value, int), "a whole number")
    return cast("int", value)


_PLAIN: Mapping[Any, Callable[[Any], Any]] = {
    str: _text, bool: _truth, int: _whole, Decimal: _number, Any: lambda value: value,
}  # fmt: skip


def _expect(fits: bool, what: str) -> None:
    if not fits:
        raise ValueError(f"expected {what}")


def _short(value: Any) -> str:
    text = str(value) if isinstance(value, Decimal) else repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
