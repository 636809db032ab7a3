"""Model file: what it holds, as it is written; `checked_file` is for files that do not ship."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar, Literal

from pairopt.errors import Fault

Objective = Literal["lexicographic", "weighted"]
_ALL_KNOWN = {"extra": "forbid"}


@dataclass(frozen=True)
class Variant:
    """What is different in the last round."""

    __pydantic_config__: ClassVar = _ALL_KNOWN

    constraints: Mapping[str, Any] | None = None
    criteria: Sequence[Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class ModelFile:
    """The keys of a model file, their types and what is there without them."""

    __pydantic_config__: ClassVar = _ALL_KNOWN

    name: str
    title: str = ""
    source: str = ""
    objective: Objective = "lexicographic"
    sides: Sequence[str] = ()
    win: Decimal | None = None
    games: int = 1
    engine: str | None = None
    system: str | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    criteria: Sequence[Mapping[str, Any]] = ()
    last_round: Variant | None = None


class AsWritten:
    """Makes what a file says, and notes what is wrong with it in `faults`.

    This one is for the files that ship, whose types are right: that takes no import.
    """

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def file(self, raw: Mapping[str, Any]) -> ModelFile | None:
        """The file; None with faults."""
        last = raw.get("last_round")
        return ModelFile(**{**raw, "last_round": last and Variant(**last)})

    def rule(self, kind: type[Any], arguments: Mapping[str, Any], where: str) -> Any:
        """A rule with these parameters; None with faults."""
        return kind(
            **{
                name: tuple(value) if isinstance(value, list) else value
                for name, value in arguments.items()
            }
        )
