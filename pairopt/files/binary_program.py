"""Binary programs: write linear programs over Booleans for solvers, read solutions.

One description gives all file forms; zero_one.toml says how each form looks.
Coefficients are integers of any size, and written exactly. A solver that stores them in
53 or 64 bits cannot read larger ones.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pairopt.common.serialization import read_package_toml
from pairopt.errors import Fault, InputError, TextLocation, UsageError
from pairopt.files.text_source import TextSource
from pairopt.messages import message

FORMS = read_package_toml("pairopt.files", "zero_one.toml")
VALUE = re.compile(
    r"^(?![#c] )(?:\S+ ){0,2}?(p[0-9]+[0-9A-Za-z]*_[0-9A-Za-z_]+)(?!\S) ?(\S*)"
)
"""A name as the programs of rounds have them, maybe after a mark or a number, and its value."""
NEAR = 1e-5
MOST = 2**63 - 1


class LinearConstraint(NamedTuple):
    """A linear constraint over Booleans: the sum is `value`, or at least `value`.

    `of` are the indices of the Booleans, `costs` their coefficients. If `exact`, the
    sum must be equal to `value`.
    """

    name: str
    of: Sequence[int]
    costs: Sequence[int]
    value: int
    exact: bool = True


@dataclass(frozen=True)
class BinaryProgram:
    """A minimisation problem over named Booleans, with linear constraints.

    `costs` are the coefficients of the objective, one per Boolean. `remarks` are lines
    of text without control characters.
    """

    names: Sequence[str]
    rows: Sequence[LinearConstraint]
    costs: Sequence[int]
    remarks: Sequence[str] = ()

    def text(self, form: str) -> str:
        """Write the program in one of the `FORMS`.

        Raises UsageError if its coefficients need more bits than the form has.
        """
        form_rules = FORMS[form]
        bits = form_rules.get("bits", MOST)
        for costs in (self.costs, *(row.costs for row in self.rows)):
            if sum(map(abs, costs)).bit_length() > bits:
                raise UsageError("program.too_large", bits=bits)
        lines = []
        kinds = ("remark", "row", "boolean", "column")
        for pattern in form_rules["lines"]:
            kind = "".join(kind for kind in kinds if f"{{{kind}" in pattern)
            all_fields = self._fields(kind, form_rules["between"])
            lines += [pattern.format(**fields) for fields in all_fields]
        return "\n".join([*lines, ""])

    def _fields(self, kind: str, between: str) -> Iterator[Mapping[str, Any]]:
        """Yield the values for lines of one kind: remark, boolean, row or column."""
        if kind in ("remark", "boolean"):
            yield from (
                {kind: text}
                for text in (self.remarks if kind == "remark" else self.names)
            )
        elif kind == "row":
            for name, of, costs, value, exact in self.rows:
                yield {
                    "row": name,
                    "of": [*of],
                    "costs": [*costs],
                    "value": value,
                    "terms": self._terms(of, costs, between),
                    "relation": "=" if exact else ">=",
                    "letter": "GE"[exact],
                    "most": value if exact else MOST,
                }
        elif kind == "column":
            columns: list[list[tuple[str, int]]] = [
                [("total", cost)] for cost in self.costs
            ]
            for row in self.rows:
                for k, cost in zip(row.of, row.costs, strict=True):
                    columns[k].append((row.name, cost))
            for name, entries in zip(self.names, columns, strict=True):
                yield from (
                    {kind: name, "entry": row, "cost": cost} for row, cost in entries
                )
        else:
            indices = range(len(self.names))
            costs = self.costs
            yield {
                "width": len(indices),
                "height": len(self.rows),
                "every": [*indices],
                "total": self._terms(indices, costs, between),
                "totals": [*costs],
            }

    def _terms(self, of: Sequence[int], costs: Sequence[int], between: str) -> str:
        """Format a linear sum, with at least one term if there are Booleans.

        Some forms do not allow a sum without terms.
        """
        terms = [
            f"{cost:+d} {self.names[k]}"
            for k, cost in zip(of, costs, strict=True)
            if cost
        ]
        return between.join(terms or [f"+0 {name}" for name in self.names[:1]])


def detect_form(path: str) -> str:
    """Return the form of a file by its suffix.

    Raises UsageError for an unknown suffix.
    """
    if suffixes := [suffix for suffix in FORMS if path.lower().endswith(suffix)]:
        return suffixes[0]
    raise UsageError("program.suffix", path=path, suffixes=[*FORMS])


def parse_solution(answer: TextSource, names: Sequence[str]) -> set[int]:
    """Return the indices of the Booleans that are 1 in a solver's answer.

    The answer has `v` lines as in the pseudo-Boolean competitions, otherwise lines with
    a name and a value, as HiGHS, SCIP, CBC, Gurobi and MIPLIB write them. A Boolean
    that is not named is 0. Raises InputError for an unknown name and for a value that
    is neither 0 nor 1.
    """
    # pandas takes a third of a second to import, and only tables need it.
    import pandas as pd

    index_by_name = {name: k for k, name in enumerate(names)}
    values_by_index: dict[int, int] = {}
    faults: list[Fault] = []
    primal_part = answer.text.partition("# Dual")[0]
    for line, text in enumerate(primal_part.splitlines(), 1):
        for name, value in _split_values(text):
            number = pd.to_numeric(value, errors="coerce")
            near_values = [bit for bit in (0, 1) if abs(number - bit) <= NEAR]
            k = index_by_name.get(name)
            kind = ""
            if k is None:
                kind = "program.unknown_boolean"
            elif not near_values:
                kind = "program.no_boolean"
            elif values_by_index.setdefault(k, near_values[0]) != near_values[0]:
                kind = "program.boolean_twice"
            if kind:
                reason = message(kind, name=name, found=value)
                faults.append(Fault(reason, TextLocation(line)))
    if faults or not values_by_index:
        raise InputError(answer.name, faults or "program.no_answer")
    return {k for k, value in values_by_index.items() if value}


def _split_values(line: str) -> list[tuple[str, str]]:
    """Return the names of Booleans in a line of an answer, with their values as text.

    In a `v` line a name alone stands for 1, and one after - or ~ for 0.
    """
    words = line.split()
    if words and words[0] == "v":
        return [
            (literal.lstrip("+-~"), "0" if literal[0] in "-~" else "1")
            for literal in words[1:]
        ]
    return VALUE.findall(" ".join(words))
