"""The rounds of examples/library with up to 60 to be paired, solved by others from exported files.

python tests/benchmarks/library_solved.py -o tests/benchmarks/results/library-solved.csv \
    [--only FAMILY,...]

pairopt writes a program a round, an .opb and an .mps. CP-SAT reads the one and HiGHS the other,
each in a process of its own that has not imported pairopt; what they find is compared with the
optimum that rounds.csv states, in FIDE's systems, whose program has finer levels, with those and
the pairing that the stored proof states. The one total is minimised as it is where its numbers are
small, else digit by digit: the file's remarks say how often a unit of each level counts, and that
these are digits of the total is checked. `order` says what else was: "total" is its least, as it is
or as no later digit can reach an earlier one; "levels" is the least of each level, those before it
held, where that does not follow from the rows alone (in FIDE's systems at most one match counts in
many levels).
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
LIBRARY = HERE.parents[1] / "examples" / "library"
sys.path[:0] = [str(HERE.parent / "support"), str(LIBRARY)]

import validate  # noqa: E402
from programs import READ, Program, Terms  # noqa: E402

MOST, LIMIT = 60, 300.0
"""Players to be paired; seconds for a round by the clock."""
SMALL = (
    2**20
)  # a total up to this is minimised as it is: with wider ones solvers take minutes
WIDEST = {"CP-SAT": 2**61, "HiGHS": 2**45}
"""Up to so much a solver adds up exactly: one in 64 bits, one in doubles with tolerances."""
FORMS = {"CP-SAT": ".opb", "HiGHS": ".mps"}
COLUMNS = (
    "round",
    "family",
    "active",
    "solver",
    "file",
    "booleans",
    "bits",
    "levels",
    "order",
    "stated",
    "found",
    "seconds",
)


class StoppedError(Exception):
    """Not proven in time."""


# ---------------------------------------------------------------------- from the file alone


Digit = tuple[list[Any], Terms]
"""What the file says of a level, and what each Boolean adds to it."""


def digits(program: Program) -> list[Digit]:
    """The total as sums by the levels' weights, the most important first."""
    left, made = dict(program.total), list[Digit]()
    for level in program.levels():
        own = dict[str, int]()
        for name, cost in left.items():
            own[name], left[name] = divmod(cost, level[5])
        made.append((level, own))
    assert not any(left.values()), "the levels are not the total"
    return made


def apart(program: Program, every: list[Digit]) -> bool:
    """Whether no digit can reach an earlier one: the least of each, in order, is that of the
    total."""
    later = 0
    for level, own in reversed(every):
        if later >= level[5]:
            return False
        later += level[5] * spread(program, own)
    return True


def spread(program: Program, terms: Terms) -> int:
    """How far a sum can reach, of the most that can be on: two of an exactly-one row are never."""
    if not terms or not any(terms.values()):
        return 0
    most, covered = 0, set[str]()
    rows = [
        row
        for row, relation, value in program.rows
        if relation == "=" and value == 1 and set(row.values()) == {1}
    ]
    for row in rows:
        costs = [terms.get(name, 0) for name in row]
        most += max(costs) - min([*costs, 0])
        covered |= {*row}
    assert covered >= {*terms}
    return -(-most // 2) if all(cost >= 0 for cost in terms.values()) else most


def at_least(terms: Terms, found: set[str] | None) -> bool:
    """Whether a solution in hand has nothing of a sum in which there is nothing below 0."""
    return (
        found is not None
        and min(terms.values(), default=0) >= 0
        and not any(terms.get(name, 0) for name in found)
    )


def by_cpsat(program: Program, sums: list[Terms], end: float) -> set[str] | None:
    """CP-SAT, those before held at what they were proven to be."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    on = {name: model.new_bool_var(name) for name in program.names}

    def of(terms: Terms) -> Any:
        used = [name for name, cost in terms.items() if cost]
        return cp_model.LinearExpr.weighted_sum(
            [on[n] for n in used], [terms[n] for n in used]
        )

    for terms, relation, value in program.rows:
        model.add(of(terms) == value if relation == "=" else of(terms) >= value)
    found: set[str] | None = None
    for terms in sums or [{}]:
        if at_least(terms, found):
            model.add(of(terms) == 0)
            continue
        model.minimize(of(terms))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers, solver.parameters.linearization_level = (
            8,
            2,
        )  # for odd sets
        solver.parameters.max_time_in_seconds = max(0.0, end - time.monotonic())
        status = solver.solve(model)
        if status == cp_model.INFEASIBLE and found is None:
            return None
        if status != cp_model.OPTIMAL:
            raise StoppedError
        found = {name for name in program.names if solver.value(on[name])}
        model.add(of(terms) == sum(terms.get(name, 0) for name in found))
    return found


def by_highs(program: Program, sums: list[Terms], end: float) -> set[str] | None:
    """The same by HiGHS; what it finds is made whole numbers of, and added up exactly."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, vstack

    place = {name: k for k, name in enumerate(program.names)}

    def row(terms: Terms) -> Any:
        used = [(place[name], cost) for name, cost in terms.items() if cost]
        at, costs = zip(*used, strict=True) if used else ((), ())
        return csr_array(
            (np.array(costs, float), ([0] * len(used), at)), shape=(1, len(place))
        )

    held = vstack([row(terms) for terms, *_ in program.rows]).tocsr()
    low = [float(value) for *_, value in program.rows]
    high = [
        float(value) if relation == "=" else np.inf
        for _, relation, value in program.rows
    ]
    found: set[str] | None = None
    for terms in sums or [{}]:
        cost = row(terms).toarray()[0]
        if at_least(terms, found):
            held, low, high = (
                vstack([held, row(terms)]).tocsr(),
                [*low, 0.0],
                [*high, 0.0],
            )
            continue
        left = end - time.monotonic()
        if left <= 0:
            raise StoppedError
        made = milp(
            cost,
            integrality=np.ones(len(place)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(held, low, high),
            options={"time_limit": left, "mip_rel_gap": 0},
        )
        if made.status == 2 and found is None:
            return None
        if made.status != 0:
            raise StoppedError
        found = {
            name
            for name, value in zip(program.names, made.x, strict=True)
            if value > 0.5
        }
        value = float(sum(terms.get(name, 0) for name in found))
        held, low, high = (
            vstack([held, row(terms)]).tocsr(),
            [*low, value],
            [*high, value],
        )
    return found


SOLVERS: dict[str, Callable[[Program, list[Terms], float], set[str] | None]] = {
    "CP-SAT": by_cpsat,
    "HiGHS": by_highs,
}


def narrower(terms: Terms, widest: int) -> list[Terms]:
    """A sum as it is, or where its numbers are too wide for a solver none."""
    return [terms] if sum(map(abs, terms.values())) < widest else []


def solved(path: Path, name: str) -> dict[str, Any]:
    """What a solver makes of a file: the levels above 0, exactly, or that there is no solution."""
    program = READ[path.suffix](path.read_text(encoding="utf-8"))
    every, whole = digits(program), narrower(program.total, SMALL)
    sums = whole or [terms for _, terms in every]
    order = "total" if whole or apart(program, every) else "levels"
    row = {
        "order": order,
        "booleans": len(program.names),
        "levels": len(every),
        "bits": sum(program.total.values()).bit_length(),
    }
    if not whole and not all(narrower(terms, WIDEST[name]) for terms in sums):
        return {**row, "found": "numbers too wide", "seconds": ""}
    start = time.process_time()
    try:
        ones = SOLVERS[name](program, sums, time.monotonic() + LIMIT)
    except StoppedError:
        return {
            **row,
            "found": "stopped",
            "seconds": round(time.process_time() - start, 3),
        }
    row["seconds"] = round(time.process_time() - start, 3)
    if ones is None:
        return {**row, "found": "infeasible"}
    assert program.fits(ones), "not a solution"
    above = []
    for level, terms in every:
        criterion, label, _, offset, scale, _ = level
        value = Fraction(sum(terms.get(name, 0) for name in ones) + offset, scale)
        if value:
            above.append((f"{criterion}:{label}", value))
    pairs = sorted(([one, two or ""] for one, two in program.pairing(ones)))
    return {**row, "found": [[key, str(value)] for key, value in above], "pairs": pairs}


# ---------------------------------------------------------------------- the run


def stated(row: dict[str, str]) -> tuple[Any, Any]:
    """The optimum of a round as its row states it: levels with exact values; in a system the finer
    ones of its proof, and the pairing."""
    if row["status"] == "infeasible":
        return "infeasible", None
    claim = json.loads(validate.files_of(LIBRARY / row["file"])["proof.json"])["claim"]
    if claim["system"] is None:
        both = (each.rsplit("=", 1) for each in row["optimum"].split("; ") if each)
        return [[key, str(Fraction(value))] for key, value in both], None
    names = [*(player for player, _ in claim["players"]), ""]
    values = [
        (f"{criterion}:{label}", Fraction(value, scale))
        for criterion, label, _, value, _, scale in claim["levels"]
    ]
    pairs = sorted([names[one], names[two]] for one, two in claim["pairing"])
    return [[key, str(value)] for key, value in values if value], pairs


def exported(rows: list[dict[str, str]], folder: Path) -> None:
    """The programs of rounds, and then nothing of pairopt's is in hand but the files."""
    sys.path.insert(0, str(HERE.parent / "make"))
    from library.writing import read

    from pairopt import export

    for row in rows:
        files = validate.files_of(LIBRARY / row["file"])
        event = read(
            {name: text for name, text in files.items() if name != "proof.json"}
        )
        made = export(event)
        for form in FORMS.values():
            (folder / f"{row['round']}{form}").write_text(
                made.text(form), encoding="utf-8"
            )


def answers(name: str, folder: Path) -> Iterator[dict[str, Any]]:
    """What a solver says of each file, one by one, from a process that knows no pairopt."""
    call = [sys.executable, __file__, "--by", name, str(folder)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as reading:
        assert reading.stdout is not None
        for line in reading.stdout:
            yield json.loads(line)
    assert reading.returncode == 0, name


def read_all(name: str, folder: Path) -> None:
    """The child: each file of a folder that is of the solver's form."""
    for path in sorted(folder.glob(f"*{FORMS[name]}")):
        print(json.dumps({"round": path.stem, **solved(path, name)}), flush=True)
    assert "pairopt" not in sys.modules


def run(output: str, only: list[str]) -> None:
    with (LIBRARY / "rounds.csv").open(encoding="utf-8", newline="") as file:
        every = {row["round"]: row for row in csv.DictReader(file)}
    rows = [
        row
        for row in every.values()
        if int(row["active"]) <= MOST and (not only or row["family"] in only)
    ]
    found = []
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(
            [
                sys.executable,
                __file__,
                "--export",
                place,
                *(row["round"] for row in rows),
            ],
            check=True,
        )
        for name in SOLVERS:
            for answer in answers(name, Path(place)):
                row = every[answer["round"]]
                want, pairs = stated(row)
                got, made = answer.pop("found"), answer.pop("pairs", None)
                if got == want and pairs is not None and made != pairs:
                    got = "another pairing"
                answer |= {key: row[key] for key in ("family", "active")}
                answer |= {"solver": name, "file": FORMS[name]}
                answer["stated"] = row["optimum"] or row["status"]
                answer["found"] = "the same" if got == want else got
                found.append(answer)
                print(
                    answer["round"],
                    name,
                    answer["found"],
                    answer["seconds"],
                    flush=True,
                )
    with Path(output).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    for name in SOLVERS:
        same = [each["found"] == "the same" for each in found if each["solver"] == name]
        print(f"{name}: {sum(same)} of {len(same)} to the stated optimum")


if __name__ == "__main__":
    given = sys.argv[1:]
    if given[0] == "--by":
        read_all(given[1], Path(given[2]))
    elif given[0] == "--export":
        with (LIBRARY / "rounds.csv").open(encoding="utf-8", newline="") as file:
            exported(
                [row for row in csv.DictReader(file) if row["round"] in given[2:]],
                Path(given[1]),
            )
    else:
        families = (
            given[given.index("--only") + 1].split(",") if "--only" in given else []
        )
        run(given[given.index("-o") + 1], families)
