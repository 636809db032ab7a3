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
    """A linear constraint over Booleans, whose weighted sum has a bound.

    `of` are the indices of the Booleans, `costs` their coefficients. If `exact`, the
    sum must equal `value`, otherwise it must be at least `value`.
    """

    name: str
    of: Sequence[int]
    costs: Sequence[int]
    value: int
    exact: bool = True


@dataclass(frozen=True)
class BinaryProgram:
    """A minimisation problem over named Booleans, with linear constraints.

    `names` are the names of the Booleans, `rows` the constraints, and `costs` the
    coefficients of the objective, one per Boolean. `remarks` are lines of text without
    control characters.
    """

    names: Sequence[str]
    rows: Sequence[LinearConstraint]
    costs: Sequence[int]
    remarks: Sequence[str] = ()

    def text(self, form: str) -> str:
        """Return the program as text in a form, which is a file suffix in `FORMS`.

        Raises UsageError if the coefficients of the objective or of one constraint
        could add up to more bits than the form has, and KeyError for an unknown form.
        """
        file_form = FORMS[form]
        most_bits = file_form.get("bits", MOST)
        for coefficients in (
            self.costs,
            *(constraint.costs for constraint in self.rows),
        ):
            if sum(map(abs, coefficients)).bit_length() > most_bits:
                raise UsageError("program.too_large", bits=most_bits)
        program_lines = []
        line_kinds = ("remark", "row", "boolean", "column")
        for line_pattern in file_form["lines"]:
            line_kind = "".join(
                line_kind
                for line_kind in line_kinds
                if f"{{{line_kind}" in line_pattern
            )
            fields_of_lines = self._fields(line_kind, file_form["between"])
            program_lines += [
                line_pattern.format(**fields_of_line)
                for fields_of_line in fields_of_lines
            ]
        return "\n".join([*program_lines, ""])

    def _fields(self, kind: str, between: str) -> Iterator[Mapping[str, Any]]:
        """Yield one mapping of values per line of a kind, for example per constraint.

        Kinds are remark, boolean, row and column. A row is a constraint, and a column
        is one coefficient of a Boolean in the objective or in a constraint. For any
        other kind there is a single mapping, with values of the whole program. Keys are
        the placeholders of zero_one.toml, for example row, terms and relation for a
        row, or width, height and total for the program. `between` separates the terms
        of a sum.
        """
        if kind in ("remark", "boolean"):
            yield from (
                {kind: line_text}
                for line_text in (self.remarks if kind == "remark" else self.names)
            )
        elif kind == "row":
            for (
                constraint_name,
                boolean_indices,
                coefficients,
                constraint_bound,
                is_exact,
            ) in self.rows:
                yield {
                    "row": constraint_name,
                    "of": [*boolean_indices],
                    "costs": [*coefficients],
                    "value": constraint_bound,
                    "terms": self._terms(boolean_indices, coefficients, between),
                    "relation": "=" if is_exact else ">=",
                    "letter": "GE"[is_exact],
                    "most": constraint_bound if is_exact else MOST,
                }
        elif kind == "column":
            constraints_and_costs_by_boolean: list[list[tuple[str, int]]] = [
                [("total", cost)] for cost in self.costs
            ]
            for constraint in self.rows:
                for boolean_index, cost in zip(
                    constraint.of, constraint.costs, strict=True
                ):
                    constraints_and_costs_by_boolean[boolean_index].append(
                        (constraint.name, cost)
                    )
            for boolean_name, constraint_names_and_costs in zip(
                self.names, constraints_and_costs_by_boolean, strict=True
            ):
                yield from (
                    {kind: boolean_name, "entry": constraint_name, "cost": cost}
                    for constraint_name, cost in constraint_names_and_costs
                )
        else:
            all_indices = range(len(self.names))
            coefficients = self.costs
            yield {
                "width": len(all_indices),
                "height": len(self.rows),
                "every": [*all_indices],
                "total": self._terms(all_indices, coefficients, between),
                "totals": [*coefficients],
            }

    def _terms(self, of: Sequence[int], costs: Sequence[int], between: str) -> str:
        """Return a linear sum such as `+3 x1 -2 x2`, without coefficients that are 0.

        `of` are indices of Booleans, `costs` their coefficients, and `between` is put
        between terms. A sum without terms becomes `+0` times the first Boolean of the
        program, because some forms do not allow an empty sum.
        """
        term_texts = [
            f"{cost:+d} {self.names[boolean_index]}"
            for boolean_index, cost in zip(of, costs, strict=True)
            if cost
        ]
        return between.join(
            term_texts or [f"+0 {boolean_name}" for boolean_name in self.names[:1]]
        )


def detect_form(path: str) -> str:
    """Return the form of a file, which is a key of `FORMS`, by the end of its name.

    `path` is the name of the file, which need not exist. Case does not count. Raises
    UsageError if no form has this suffix.
    """
    if matching_suffixes := [
        suffix for suffix in FORMS if path.lower().endswith(suffix)
    ]:
        return matching_suffixes[0]
    raise UsageError("program.suffix", path=path, suffixes=[*FORMS])


def parse_solution(answer: TextSource, names: Sequence[str]) -> set[int]:
    """Return the indices of the Booleans that are 1 in a solver's answer.

    `names` are the Booleans of the program, in order. The answer has lines that begin
    with v, as in the pseudo-Boolean competitions, or lines with a name and a value, as
    HiGHS, SCIP, CBC, Gurobi and MIPLIB write them. Dual values are skipped, and a
    Boolean that is not named is 0. Raises InputError for an unknown name, for a value
    that is neither 0 nor 1 (to 1e-5), for a Boolean with both values, and if no line
    has a value.
    """
    # pandas takes a third of a second to import, and only tables need it.
    import pandas as pd

    index_by_name = {
        boolean_name: boolean_index for boolean_index, boolean_name in enumerate(names)
    }
    bit_by_index: dict[int, int] = {}
    faults: list[Fault] = []
    primal_text = answer.text.partition("# Dual")[0]
    for line_number, line_text in enumerate(primal_text.splitlines(), 1):
        for boolean_name, value_text in _split_values(line_text):
            parsed_value = pd.to_numeric(value_text, errors="coerce")
            near_bits = [
                possible_bit
                for possible_bit in (0, 1)
                if abs(parsed_value - possible_bit) <= NEAR
            ]
            boolean_index = index_by_name.get(boolean_name)
            message_kind = ""
            if boolean_index is None:
                message_kind = "program.unknown_boolean"
            elif not near_bits:
                message_kind = "program.no_boolean"
            elif bit_by_index.setdefault(boolean_index, near_bits[0]) != near_bits[0]:
                message_kind = "program.boolean_twice"
            if message_kind:
                reason = message(message_kind, name=boolean_name, found=value_text)
                faults.append(Fault(reason, TextLocation(line_number)))
    if faults or not bit_by_index:
        raise InputError(answer.name, faults or "program.no_answer")
    return {
        boolean_index
        for boolean_index, solution_bit in bit_by_index.items()
        if solution_bit
    }


def _split_values(line: str) -> list[tuple[str, str]]:
    """Return the names of Booleans in a line of an answer, with their values as text.

    A pair is (name, value). In a `v` line a name alone has the value "1", and one after
    - or ~ has "0". Other lines have a name followed by a value, which may be ""; a line
    without the name of a Boolean gives an empty list.
    """
    line_words = line.split()
    if line_words and line_words[0] == "v":
        return [
            (signed_name.lstrip("+-~"), "0" if signed_name[0] in "-~" else "1")
            for signed_name in line_words[1:]
        ]
    return VALUE.findall(" ".join(line_words))
