"""Programs over Booleans, read and solved without pairopt: OPB, LP, MPS and CP-SAT's text, every
solution by trying, CP-SAT and HiGHS; and a small checker of cutting planes, as VeriPB has them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import text_format
from ortools.sat import cp_model_pb2
from ortools.sat.python import cp_model

Terms = dict[str, int]


@dataclass
class Program:
    """Names in order, the total to minimise, and rows: terms, relation, value."""

    names: list[str]
    total: Terms
    rows: list[tuple[Terms, str, int]]
    remarks: dict[str, Any] = field(default_factory=dict)

    def said(self) -> Any:
        """What a form of it has to say, whatever the order of terms."""
        return self.names, self.total, self.rows

    def value(self, ones: set[str]) -> int:
        return sum(self.total.get(name, 0) for name in ones)

    def fits(self, ones: set[str]) -> bool:
        for terms, relation, value in self.rows:
            found = sum(cost for name, cost in terms.items() if name in ones)
            if not (found == value if relation == "=" else found >= value):
                return False
        return True

    def solutions(self) -> Iterator[set[str]]:
        """All of them: rows of ones that are exactly 1 are covered one after the other."""
        once = [
            set(terms)
            for terms, relation, value in self.rows
            if relation == "=" and value == 1 and set(terms.values()) <= {1}
        ]

        def go(left: list[set[str]], ones: set[str]) -> Iterator[set[str]]:
            if not left:
                if self.fits(ones):
                    yield ones
                return
            for name in sorted(left[0]):
                rest = [row for row in left if name not in row]
                banned = {other for row in left if name in row for other in row}
                yield from go([row - banned for row in rest], ones | {name})

        yield from go(once, set())

    def players(self) -> dict[str, tuple[str, str]]:
        """Identifier and name of who is called so in the names of matches."""
        return {
            key.split()[1]: tuple(value)
            for key, value in self.remarks.items()
            if key.startswith("player ")
        }

    def levels(self) -> list[list[Any]]:
        return [
            value for key, value in self.remarks.items() if key.startswith("level ")
        ]

    def pairing(self, ones: set[str]) -> list[tuple[str, str | None]]:
        """This round's matches by identifiers."""
        who = self.players()
        made = []
        for name in ones:
            one, two, *later = name.split("_")
            if not later:
                made.append((who[one][0], None if two == "bye" else who[two][0]))
        return made


# ---------------------------------------------------------------------- forms


def _remarks(lines: list[str], mark: str) -> dict[str, Any]:
    found = {}
    for line in lines:
        if line.startswith(f"{mark} ") and (
            match := re.match(r"\S+ ((?:player|level) \S+|\S+) (.+)", line)
        ):
            try:
                found[match[1]] = json.loads(match[2])
            except ValueError:
                continue
    return found


def _sum(words: list[str]) -> Terms:
    both = zip(words[::2], words[1::2], strict=True)
    return {name: int(cost) for cost, name in both if int(cost)}


def read_opb(text: str) -> Program:
    lines = text.splitlines()
    head = re.fullmatch(r"\* #variable= (\d+) #constraint= (\d+)", lines[0])
    assert head, lines[0]
    total, rows, names = {}, [], dict[str, None]()
    for line in (line for line in lines if not line.startswith("*")):
        *words, end = line.split()
        assert end == ";"
        if words[0] == "min:":
            total = _sum(words[1:])
            names |= dict.fromkeys(words[2::2])
        else:
            *sum_, relation, value = words
            names |= dict.fromkeys(sum_[1::2])
            rows.append((_sum(sum_), relation, int(value)))
    assert (len(names), len(rows)) == (int(head[1]), int(head[2]))
    return Program([*names], total, rows, _remarks(lines, "*"))


def read_lp(text: str) -> Program:
    lines = [line for line in text.splitlines() if not line.startswith("\\")]
    assert all(len(line) < 510 for line in lines)
    middle, end = lines.index("Subject To"), lines.index("Binary")
    assert lines[0] == "Minimize"
    assert lines[-1] == "End"
    total = _sum(" ".join(lines[1:middle]).split()[1:])
    rows = []
    for row in re.split(r" \S+:", " ".join(lines[middle + 1 : end]))[1:]:
        *words, relation, value = row.split()
        rows.append((_sum(words), relation, int(value)))
    names = [line.strip() for line in lines[end + 1 : -1]]
    return Program(names, total, rows, _remarks(text.splitlines(), "\\"))


def read_mps(text: str) -> Program:
    section, kinds, columns, right, binary = (
        "",
        dict[str, str](),
        dict[str, Terms](),
        {},
        [],
    )
    for line in (line for line in text.splitlines() if not line.startswith("*")):
        words = line.split()
        if not line.startswith(" "):
            section = words[0]
        elif section == "ROWS":
            kinds[words[1]] = words[0]
        elif section == "COLUMNS" and words[1] != "'MARKER'":
            name, row, cost = words
            assert name not in columns or name == [*columns][-1], (
                "a column in two parts"
            )
            assert row not in columns.setdefault(name, {}), "an entry twice"
            columns[name][row] = int(cost)
        elif section == "RHS":
            right[words[1]] = int(words[2])
        elif section == "BOUNDS":
            assert words[:2] == ["BV", "BND"]
            binary.append(words[2])
    assert section == "ENDATA"
    assert sorted(binary) == sorted(columns)
    relation = {"E": "=", "G": ">="}
    (free,) = (row for row, kind in kinds.items() if kind == "N")
    by_row: dict[str, Terms] = {row: {} for row in kinds}
    for name, entries in columns.items():
        for row, cost in entries.items():
            if cost:
                by_row[row][name] = cost
    rows = [
        (by_row[row], relation[kind], right.get(row, 0))
        for row, kind in kinds.items()
        if kind != "N"
    ]
    return Program(binary, by_row[free], rows, _remarks(text.splitlines(), "*"))


def read_pb_txt(text: str) -> Program:
    proto = text_format.Parse(text, cp_model_pb2.CpModelProto())
    names = [each.name for each in proto.variables]
    assert all([*each.domain] == [0, 1] for each in proto.variables)

    def terms(of: Any) -> Terms:
        return {
            names[k]: cost for k, cost in zip(of.vars, of.coeffs, strict=True) if cost
        }

    rows = []
    for each in (row.linear for row in proto.constraints):
        low, high = each.domain
        assert high in (low, 2**63 - 1)
        rows.append((terms(each), "=" if low == high else ">=", low))
    return Program(
        names, terms(proto.objective), rows, _remarks(text.splitlines(), "#")
    )


READ = {".opb": read_opb, ".lp": read_lp, ".mps": read_mps, ".pb.txt": read_pb_txt}


# ---------------------------------------------------------------------- solvers


def by_cpsat(program: Program) -> set[str] | None:
    """The best solution, None for none."""
    model = cp_model.CpModel()
    on = {name: model.new_bool_var(name) for name in program.names}

    def of(terms: Terms) -> Any:
        return sum(cost * on[name] for name, cost in terms.items())

    for terms, relation, value in program.rows:
        if relation == "=":
            model.add(of(terms) == value)
        else:
            model.add(of(terms) >= value)
    model.minimize(of(program.total))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    assert status == cp_model.OPTIMAL
    return {name for name in program.names if solver.value(on[name])}


def by_highs(program: Program) -> set[str] | None:
    """The same by HiGHS, in floating point: for small numbers."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    place = {name: k for k, name in enumerate(program.names)}
    matrix = np.zeros((len(program.rows), len(place)))
    low, high = np.zeros(len(program.rows)), np.zeros(len(program.rows))
    for r, (terms, relation, value) in enumerate(program.rows):
        low[r], high[r] = value, value if relation == "=" else np.inf
        for name, cost in terms.items():
            matrix[r, place[name]] = cost
    total = np.array([program.total.get(name, 0) for name in program.names], float)
    limits = {"integrality": np.ones(len(place)), "bounds": Bounds(0, 1)}
    found = milp(total, constraints=LinearConstraint(matrix, low, high), **limits)
    if found.status == 2:
        return None
    assert found.status == 0, found.message
    return {
        name for name, value in zip(program.names, found.x, strict=True) if value > 0.5
    }


# ---------------------------------------------------------------------- cutting planes


class Refused(Exception):  # noqa: N818
    """A proof does not hold."""


@dataclass
class Plane:
    """Terms of literals, `~x` for a negated one, all above 0, that are at least so much."""

    terms: dict[str, int]
    least: int

    @staticmethod
    def of(terms: Mapping[str, int], least: int) -> Plane:
        made: dict[str, int] = {}
        for name, cost in terms.items():
            if cost < 0:
                name, cost, least = f"~{name}", -cost, least - cost
            if cost:
                made[name] = cost
        return Plane(made, least)

    def plain(self) -> tuple[dict[str, int], int]:
        terms, least = dict[str, int](), self.least
        for literal, cost in self.terms.items():
            if literal[0] == "~":
                terms[literal[1:]] = -cost
                least -= cost
            else:
                terms[literal] = cost
        return terms, least

    def plus(self, other: Plane) -> Plane:
        (mine, least), (theirs, more) = self.plain(), other.plain()
        terms = {
            name: mine.get(name, 0) + theirs.get(name, 0) for name in {*mine, *theirs}
        }
        return Plane.of(terms, least + more)

    def times(self, factor: int) -> Plane:
        if factor < 1:
            raise Refused("factor")
        return Plane(
            {name: factor * cost for name, cost in self.terms.items()},
            factor * self.least,
        )

    def over(self, divisor: int) -> Plane:
        return Plane(
            {name: -(-cost // divisor) for name, cost in self.terms.items()},
            -(-self.least // divisor),
        )

    @property
    def contradicts(self) -> bool:
        return sum(self.terms.values()) < self.least


def verified(opb: str, proof: str) -> int | None:
    """The least total that a proof shows, None for no solution at all. Raises Refused."""
    program, planes, best = read_opb(opb), list[Plane](), None
    for terms, relation, value in program.rows:
        planes.append(Plane.of(terms, value))
        if relation == "=":
            planes.append(
                Plane.of({name: -cost for name, cost in terms.items()}, -value)
            )
    head, count, *lines = (
        line.removesuffix(";").split() for line in proof.splitlines()
    )
    version = {"1.2": 1, "2.0": 2, "3.0": 3}[head[-1]]
    if count != ["f", str(len(planes))]:
        raise Refused("f")
    for rule, *words in lines:
        if rule == "pol":
            planes.append(_polish(words, planes))
        elif rule == ("o" if version == 1 else "soli"):
            ones = {word for word in words if word[0] != "~"}
            if {word.lstrip("~") for word in words} != {
                *program.names
            } or not program.fits(ones):
                raise Refused("no solution")
            best = program.value(ones)
            bound = {name: -cost for name, cost in program.total.items()}
            planes.append(Plane.of(bound, 1 - best))
        elif rule == "c" and version == 1:
            if not planes[int(words[0]) - 1].contradicts:
                raise Refused("no contradiction")
            return best
        elif rule == "conclusion":
            stated = "INF" if best is None else str(best)
            if words != ["BOUNDS", stated, ":", words[3], stated]:
                raise Refused("conclusion")
            if not planes[int(words[3]) - 1].contradicts:
                raise Refused("no contradiction")
            return best
        elif [rule, *words] != ["output", "NONE"]:
            raise Refused(rule)
    raise Refused("no conclusion")


def _polish(words: list[str], planes: list[Plane]) -> Plane:
    stack: list[Any] = []
    for word in words:
        if word == "+":
            two, one = stack.pop(), stack.pop()
            stack.append(_plane(one, planes).plus(_plane(two, planes)))
        elif word in ("*", "d"):
            number, one = stack.pop(), stack.pop()
            made = _plane(one, planes)
            stack.append(made.times(number) if word == "*" else made.over(number))
        else:
            stack.append(int(word))
    (made,) = stack
    return _plane(made, planes)


def _plane(at: Plane | int, planes: list[Plane]) -> Plane:
    if isinstance(at, Plane):
        return at
    if not 0 < at <= len(planes):
        raise Refused(f"no constraint {at}")
    return planes[at - 1]


# ---------------------------------------------------------------------- VeriPB


def veripb() -> str | None:
    """The program where it is installed: what the variable VERIPB says, or on the path."""
    return os.environ.get("VERIPB") or shutil.which("veripb")


def accepts(folder: Path, opb: str, proof: str) -> bool:
    """Whether VeriPB takes a proof."""
    files = folder / "round.opb", folder / "round.pbp"
    for path, text in zip(files, (opb, proof), strict=True):
        path.write_text(text, "ascii")
    ran = subprocess.run(
        [str(veripb()), *map(str, files)], capture_output=True, text=True, check=False
    )
    good = "Verification succeeded" in ran.stdout
    assert good == (ran.returncode == 0), (ran.stdout, ran.stderr)
    return good
