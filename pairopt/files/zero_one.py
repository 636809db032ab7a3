"""Zero-one: a linear program over Booleans in files that solvers read, and their answers.

There is one description; zero_one.toml says how it looks in each form. Numbers are whole, of any
size, and written exactly; a solver that has 53 or 64 bits for them does not read larger ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pairopt.errors import Fault, InputError, TextPlace, UsageError
from pairopt.files.source import Source
from pairopt.records import packaged
from pairopt.words import tell

FORMS = packaged("pairopt.files", "zero_one.toml")
BOOLEAN = re.compile("p[0-9]+[0-9A-Za-z]*_[0-9A-Za-z_]+")
"""A name as the programs of rounds have them."""
NEAR = 1e-5
MOST = 2**63 - 1


class Row(NamedTuple):
    """A sum over some Booleans, by their numbers, that is `value`, or unless `exact` at least."""

    name: str
    of: Sequence[int]
    costs: Sequence[int]
    value: int
    exact: bool = True


@dataclass(frozen=True)
class ZeroOne:
    """Booleans by their names, rows of them, and what each adds to the total that is minimised.
    `remarks` are lines of text without control characters."""

    names: Sequence[str]
    rows: Sequence[Row]
    costs: Sequence[int]
    remarks: Sequence[str] = ()

    def text(self, form: str) -> str:
        """It in one of the `FORMS`. Raises UsageError for one that has too few bits for it."""
        known = FORMS[form]
        sums = (sum(map(abs, costs)) for costs in (self.costs, *(row.costs for row in self.rows)))
        if max(sums).bit_length() > known.get("bits", MOST):
            raise UsageError("program.too_large", bits=known["bits"])
        lines = []
        for pattern in known["lines"]:
            kinds = (kind for kind in ("remark", "row", "boolean", "column")
                     if f"{{{kind}" in pattern)  # fmt: skip
            fields = self._fields(next(kinds, ""), known["between"])
            lines += [pattern.format(**each) for each in fields]
        return "\n".join([*lines, ""])

    def _fields(self, kind: str, between: str) -> Iterator[Mapping[str, Any]]:
        """What stands in the lines of a kind, a line each."""
        every = range(len(self.names))
        if kind == "remark":
            yield from ({kind: each} for each in self.remarks)
        elif kind == "boolean":
            yield from ({kind: each} for each in self.names)
        elif kind == "row":
            for name, of, costs, value, exact in self.rows:
                yield {
                    "row": name, "of": [*of], "costs": [*costs], "value": value,
                    "terms": self._terms(of, costs, between), "relation": "=" if exact else ">=",
                    "letter": "E" if exact else "G", "most": value if exact else MOST,
                }  # fmt: skip
        elif kind == "column":
            entries: list[list[tuple[str, int]]] = [[("total", cost)] for cost in self.costs]
            for row in self.rows:
                for k, cost in zip(row.of, row.costs, strict=True):
                    entries[k].append((row.name, cost))
            for name, own in zip(self.names, entries, strict=True):
                yield from ({"column": name, "entry": entry, "cost": cost} for entry, cost in own)
        else:
            total = self._terms(every, self.costs, between)
            yield {"width": len(every), "height": len(self.rows), "every": [*every],
                   "totals": [*self.costs], "total": total}  # fmt: skip

    def _terms(self, of: Sequence[int], costs: Sequence[int], between: str) -> str:
        """One term at least, as some forms want it, if there are Booleans."""
        some = [f"{cost:+d} {self.names[k]}" for k, cost in zip(of, costs, strict=True) if cost]
        return between.join(some or [f"+0 {name}" for name in self.names[:1]])


def form_of(path: str) -> str:
    """The form of a file by its suffix. Raises UsageError for another one."""
    for suffix in FORMS:
        if path.lower().endswith(suffix):
            return suffix
    raise UsageError("program.suffix", path=path, suffixes=[*FORMS])


def chosen(answer: Source, names: Sequence[str]) -> set[int]:
    """The Booleans that are 1 in the answer of a solver: `v` lines of the pseudo-Boolean
    competitions, else lines of a name and a value, as HiGHS, SCIP, CBC, Gurobi and MIPLIB have
    them. Who is not named is 0. Raises InputError for a name of no Boolean, or a broken value."""
    number = {name: k for k, name in enumerate(names)}
    found, faults = dict[int, int](), list[Fault]()
    for line, text in enumerate(answer.text.partition("# Dual")[0].splitlines(), 1):
        for name, value in _values(text.split()):
            near = [each for each in (0, 1) if abs(_real(value) - each) <= NEAR]
            kind = "" if near else "program.no_boolean"
            if (k := number.get(name)) is None:
                kind = "program.unknown_boolean"
            elif near and found.setdefault(k, near[0]) != near[0]:
                kind = "program.boolean_twice"
            if kind:
                faults.append(Fault(tell(kind, name=name, found=value), TextPlace(line)))
    if faults or not found:
        raise InputError(answer.name, faults or "program.no_answer")
    return {k for k, one in found.items() if one}


def _values(words: list[str]) -> Iterator[tuple[str, str]]:
    """The names in a line of an answer, and the value of each."""
    if words[:1] == ["v"]:
        yield from ((word.lstrip("+-~"), "01"[word[0] not in "-~"]) for word in words[1:])
    elif words and words[0] not in ("#", "c"):
        named = [k for k, word in enumerate(words[:3]) if BOOLEAN.fullmatch(word)]
        yield from ((words[k], "".join(words[k + 1 : k + 2])) for k in named[:1])


def _real(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
