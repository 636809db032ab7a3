"""Checked file: a model file of somebody's own, whose keys and types are checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pairopt.bounds import MOST_DIGITS, exact
from pairopt.errors import Fault
from pairopt.problem.model_file import AsWritten, ModelFile, Variant


class Checked(AsWritten):
    """The same of a file whose types may be wrong."""

    def file(self, raw: Mapping[str, Any]) -> ModelFile | None:
        try:
            made: ModelFile | None = self._within(TypeAdapter(ModelFile).validate_python(raw))
            return made
        except ValidationError as error:
            self.faults += [_fault(each, _keys_at(each["loc"])) for each in error.errors()]
        return None

    def rule(self, kind: type[Any], arguments: Mapping[str, Any], where: str) -> Any:
        try:
            return self._within(TypeAdapter(kind).validate_python(dict(arguments)), where)
        except ValidationError as error:
            known = [each.name for each in fields(kind)]
            self.faults += [_fault(each, known, where) for each in error.errors()]
        return None

    def _within(self, made: Any, where: str = "") -> Any:
        """What was made, None where a number in it has too many digits for exact sums."""
        for each in fields(made):
            value = getattr(made, each.name)
            if isinstance(value, Decimal) and not exact(value):
                at = f"{where}.{each.name}".lstrip(".")
                self.faults.append(Fault(f"{at}: expected at most {MOST_DIGITS} digits"))
                return None
        return made


def _keys_at(loc: tuple[int | str, ...]) -> list[str]:
    return [each.name for each in fields(Variant if loc[:1] == ("last_round",) else ModelFile)]


def _fault(error: Any, known: Sequence[str], where: str = "") -> Fault:
    at = ".".join([where] * bool(where) + [str(part) for part in error["loc"]])
    if error["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        return Fault(f"unknown key {at!r}; known keys: {', '.join(known) or 'none'}")
    if error["type"] == "missing":
        return Fault(f"{at}: missing")
    message = str(error["msg"]).removeprefix("Value error, ")
    return Fault(f"{at}: {message} (found {error['input']!r})")
