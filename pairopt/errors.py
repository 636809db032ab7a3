"""Errors that users see. Infeasibility is a status of a result, not one of these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class PairoptError(Exception):
    """Base of every error pairopt raises on purpose."""


class UsageError(PairoptError):
    """An option or argument that cannot be used so (exit code 2)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in an input file; `row` counts the header as row 1."""

    message: str
    row: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        place = [f"row {self.row}"] if self.row is not None else []
        place += [f"column {self.column}"] if self.column else []
        return f"{', '.join(place)}: {self.message}" if place else self.message


class InputError(PairoptError):
    """Invalid input (exit code 3): every fault found in one source, with its place."""

    def __init__(self, source: str, faults: Iterable[Fault] | str) -> None:
        self.source = source
        self.faults = (Fault(faults),) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(f"{source}: {fault}" for fault in self.faults))
