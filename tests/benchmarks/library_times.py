"""Every engine and every peer on the rounds of examples/library, in one run; see README.md here.

python tests/benchmarks/library_times.py -o tests/benchmarks/results/library.csv [--only FAMILY,...]
python tests/benchmarks/library_times.py --summary tests/benchmarks/results/library.csv
"""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from rounds import machine

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parents[1] / "make"))
sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "library"))

import validate
from apart import apart
from library.features import said
from library.writing import read

from pairopt import Event, solve
from pairopt.engines.allowed_arcs import AllowedArcs, radix_weights
from pairopt.engines.single_pairs import all_pairs
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.levels import LevelValue
from pairopt.problem.options import RoundOptions
from pairopt.problem.problem import Problem

LIBRARY = Path(__file__).parents[2] / "examples" / "library"
LIMIT = 10.0
"""Seconds by the clock that an engine is given."""
PATIENCE = 40.0
"""Seconds by the clock after which an answer is not waited for."""
OPTIONS = {"time_limit": LIMIT}
PACKAGES = ("networkx", "rustworkx", "scipy", "py4swiss", "swisspair", "gacrux")


@dataclass(frozen=True)
class Stored:
    """A round of the library: its row, its files, the event as it is read from them."""

    row: dict[str, str]
    files: dict[str, str]
    event: Event


@dataclass(frozen=True)
class Answer:
    """What came out: levels above 0 as rounds.csv has them, or pairs, or nothing to compare."""

    status: str
    optimum: str | None = None
    pairs: set[tuple[str, str | None]] | None = None


Job = Callable[[], Answer]
Make = Callable[[Stored], Job]


@dataclass(frozen=True)
class Contender:
    """`make` gets its work ready, and hands back what is timed; only rounds that it `takes`."""

    make: Make
    takes: Callable[[Stored], bool]


def of_model(most: int = 1000) -> Callable[[Stored], bool]:
    """Rounds that add up over matches, with a pairing, of so many players at most."""
    return lambda stored: (
        "round.trf" not in stored.files
        and stored.row["lookahead"] == "0"
        and stored.row["status"] == "optimal"
        and int(stored.row["active"]) <= most
    )


def up_to(most: int) -> Callable[[Stored], bool]:
    return lambda stored: int(stored.row["active"]) <= most


def by_dutch(stored: Stored) -> bool:
    return stored.row["model"] == "fide-dutch"


# ---------------------------------------------------------------------- engines of pairopt


def engine(**options: Any) -> Make:
    """pairopt, from the event in memory to the checked pairing."""

    def make(stored: Stored) -> Job:
        def job() -> Answer:
            result = solve(stored.event, **OPTIONS, **options)
            return Answer(result.status, said(result.level_values))

        return job

    return make


# ---------------------------------------------------------------------- solvers on the same numbers


def _plain(stored: Stored) -> tuple[Problem, AllowedArcs]:
    """A column a legal pair, with what it costs in each level."""
    problem, _ = build_problem_with_budget(
        stored.event, None, RoundOptions, {}, "solve"
    )
    return problem, all_pairs(problem)


def _found(problem: Problem, columns: AllowedArcs, chosen: list[int]) -> Answer:
    totals = columns.costs[chosen].sum(axis=0).tolist()
    values = [
        LevelValue(
            level.criterion,
            level.label,
            t + level.offset,
            None,
            level.scale,
            False,
            "",
            0,
        )
        for t, level in zip(totals, problem.levels, strict=True)
    ]
    complete = 2 * len(chosen) >= len(problem)
    return Answer("optimal" if complete else "no pairing", said(tuple(values)))


def _numbered(columns: AllowedArcs) -> dict[tuple[int, int], int]:
    both = zip(columns.a.tolist(), columns.b.tolist(), strict=True)
    return {pair: k for k, pair in enumerate(both)}


def _weights(columns: AllowedArcs) -> list[int]:
    cost = columns.costs.astype(object) @ np.array(radix_weights(columns), object)
    return (cost.max() - cost).tolist()  # type: ignore[no-any-return]


def networkx(stored: Stored) -> Job:
    """networkx on the legal pairs with ready weights (Python's integers)."""
    import networkx as nx

    problem, columns = _plain(stored)
    graph = nx.Graph()
    graph.add_weighted_edges_from(
        zip(columns.a.tolist(), columns.b.tolist(), _weights(columns), strict=True)
    )
    number = _numbered(columns)

    def job() -> Answer:
        matched = nx.max_weight_matching(graph, maxcardinality=True)
        return _found(problem, columns, [number[min(p), max(p)] for p in matched])

    return job


def rustworkx(stored: Stored) -> Job:
    """rustworkx on the legal pairs with ready weights; its integers have 128 bits."""
    import rustworkx as rx

    problem, columns = _plain(stored)
    edges = list(
        zip(columns.a.tolist(), columns.b.tolist(), _weights(columns), strict=True)
    )
    number = _numbered(columns)
    if max((weight for *_, weight in edges), default=0) * len(problem) >= 2**126:
        return lambda: Answer("too wide")

    def job() -> Answer:
        graph: Any = rx.PyGraph()
        graph.add_nodes_from([None] * (len(problem) + len(problem) % 2))
        graph.extend_from_weighted_edge_list(edges)
        matched = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
        return _found(problem, columns, [number[min(p), max(p)] for p in matched])

    return job


def highs(stored: Stored) -> Job:
    """HiGHS as scipy has it: a Boolean a legal pair, one solve a level, those before held."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, vstack

    problem, columns = _plain(stored)
    many, vertices = len(columns), len(problem) + len(problem) % 2
    ones = np.ones(2 * many)
    rows = np.concatenate([columns.a, columns.b])
    degree = csr_array(
        (ones, (rows, np.tile(np.arange(many), 2))), shape=(vertices, many)
    )

    def job() -> Answer:
        held, bounds, chosen = degree, [1.0] * vertices, None
        end = time.monotonic() + LIMIT
        for level in range(columns.costs.shape[1]):
            cost = columns.costs[:, level].astype(float)
            if not cost.any():
                continue
            left = end - time.monotonic()
            if left <= 0:
                return Answer("feasible")
            both = LinearConstraint(held, bounds, bounds)
            found = milp(
                cost,
                integrality=np.ones(many),
                bounds=Bounds(0, 1),
                constraints=both,
                options={"time_limit": left},
            )
            if found.status != 0:
                return Answer("feasible" if found.status == 1 else "no pairing")
            chosen = np.flatnonzero(found.x > 0.5)
            held = vstack([held, csr_array(cost[None])])
            bounds = [*bounds, float(cost[chosen].sum())]
        if chosen is None:
            found = milp(
                np.zeros(many),
                integrality=np.ones(many),
                bounds=Bounds(0, 1),
                constraints=LinearConstraint(held, bounds, bounds),
            )
            chosen = np.flatnonzero(found.x > 0.5)
        return _found(problem, columns, chosen.tolist())

    return job


# ---------------------------------------------------------------------- programs with own rules


def gacrux(stored: Stored) -> Job:
    """Gacrux, networkx inside: a report that has been read to pairs."""
    from gacrux.pairingdutch import pairing_dutch
    from gacrux.trf2json import trf2json

    file = trf2json()
    file.parse_file(stored.files["round.trf"], False)
    event = file.get_tournament(1)
    how = {
        "experimental": [],
        "top_color": "w",
        "maxmeets": "0",
        "verbose": 0,
        "unpaired": [],
    }

    def job() -> Answer:
        made = pairing_dutch(event, stored.event.round, how).compute_pairing(
            False, True
        )
        found = [
            pair for bracket in made if bracket for pair in bracket.get("pairs", [])
        ]
        return Answer(
            "paired",
            pairs={(str(p["w"]), str(p["b"]) if p["b"] else None) for p in found},
        )

    return job


def py4swiss(stored: Stored) -> Job:
    """py4swiss, C++ inside: the Dutch System until January 2026."""
    from py4swiss.engines import DutchEngine
    from py4swiss_peer import report_of

    ready = report_of(stored.event)

    def job() -> Answer:
        found = DutchEngine.generate_pairings(ready)
        return Answer(
            "paired",
            pairs={(str(p.white), str(p.black) if p.black else None) for p in found},
        )

    return job


def swisspair(stored: Stored) -> Job:
    """swisspair, Magic's rules, C++ inside, on ready players."""
    import swisspair as sp

    problem, _ = build_problem_with_budget(
        stored.event, None, RoundOptions, {}, "solve"
    )
    state = problem.state
    met: list[set[str]] = [set() for _ in range(len(state))]
    for one, two in state.meetings.pairs().tolist():
        met[one].add(state.names[two])
        met[two].add(state.names[one])
    players = [
        sp.Player(
            state.names[k],
            int(state.score[k]),
            int(state.overall_rank[k]),
            bool(state.byes[k] == 0),
            met[k],
        )
        for k in np.argsort(state.overall_rank)
    ]

    def job() -> Answer:
        sp.create_matches(players)
        return Answer("paired")

    return job


CONTENDERS = {
    "pairopt auto": Contender(engine(), up_to(1000)),
    "pairopt matching": Contender(
        engine(engine="matching"), lambda stored: stored.row["lookahead"] == "0"
    ),
    "pairopt cpsat": Contender(engine(engine="cpsat"), up_to(60)),
    "pairopt cpsat pairs": Contender(
        engine(engine="cpsat", formulation="pairs"), of_model(24)
    ),
    "rustworkx": Contender(rustworkx, of_model()),
    "networkx": Contender(networkx, of_model(60)),
    "HiGHS": Contender(highs, of_model(40)),
    "gacrux": Contender(gacrux, by_dutch),
    "py4swiss": Contender(py4swiss, by_dutch),
    "swisspair": Contender(swisspair, lambda s: s.row["family"] == "double-sided"),
}
"""In the order of the table."""
OWN_RULES = ("py4swiss", "swisspair")
"""Whose rules are others than those of the round: their answers are not compared."""


def rounds_of(families: list[str]) -> list[Stored]:
    with (LIBRARY / "rounds.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if not families or row["family"] in families
        ]
    made = []
    for row in rows:
        files = validate.files_of(LIBRARY / row["file"])
        made.append(
            Stored(
                row, files, read({k: v for k, v in files.items() if k != "proof.json"})
            )
        )
    return made


def measured(stored: Stored, name: str) -> dict[str, Any]:
    """One contender on one round, in a process of its own: the seconds of the processor."""

    def timed() -> tuple[Answer, float]:
        job = CONTENDERS[name].make(stored)
        start = time.process_time()
        return job(), time.process_time() - start

    row = {
        "round": stored.row["round"],
        "family": stored.row["family"],
        "active": int(stored.row["active"]),
        "contender": name,
    }
    try:
        ended = apart(timed, PATIENCE)
    except Exception as error:  # whatever another program raises
        return {**row, "status": type(error).__name__, "same": "", "seconds": None}
    if ended.ended:
        return {**row, "status": ended.ended, "same": "", "seconds": None}
    found, seconds = ended.value
    return {
        **row,
        "status": found.status,
        "same": _same(stored, name, found),
        "seconds": round(seconds, 4),
    }


def _same(stored: Stored, name: str, found: Answer) -> str:
    """Whether it is the library's answer; nothing where there is nothing to compare."""
    if name in OWN_RULES or found.status not in ("optimal", "paired", "infeasible"):
        return ""
    if found.pairs is not None:
        pairing, *_ = validate.stated(json.loads(stored.files["proof.json"])["claim"])
        return str(found.pairs == {*pairing})
    same = (
        found.status == stored.row["status"] and found.optimum == stored.row["optimum"]
    )
    return str(same)


def summary(table: pd.DataFrame) -> str:
    """Of each contender and family: rounds, answered, the same as the library's, median seconds."""
    lines = [
        "| contender | rounds | answered | the library's | another | median | longest |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, rows in table.groupby("contender", sort=False):
        answered = rows[rows["status"].isin(["optimal", "paired", "infeasible"])]
        same = answered["same"].astype(str)
        compared = "own rules" if name in OWN_RULES else str((same == "True").sum())
        other = "" if name in OWN_RULES else str((same == "False").sum())
        lines.append(
            f"| {name} | {len(rows)} | {len(answered)} | {compared} | {other} | "
            f"{_shown(answered['seconds'].median())} | {_shown(answered['seconds'].max())} |"
        )
    return "\n".join(lines)


def _shown(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


@click.command()
@click.argument("table", type=click.Path(path_type=Path), required=False)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Run, and write this file."
)
@click.option("--only", default="", help="Families, separated by commas.")
@click.option("--summary", "summed", is_flag=True, help="Print TABLE as markdown.")
def main(table: Path | None, output: Path | None, only: str, summed: bool) -> None:
    """Run the benchmark, or print its table."""
    if output:
        made: list[dict[str, Any]] = []
        every = rounds_of([name for name in only.split(",") if name])
        for contender in CONTENDERS.values():
            contender.make(
                next(filter(contender.takes, every), every[0])
            )()  # loads what is used
        for stored in every:
            for name, contender in CONTENDERS.items():
                if contender.takes(stored):
                    made.append(measured(stored, name))
            last = made[-1]["round"]
            click.echo(
                " ".join(
                    f"{r['contender']}={r['status']}/{r['same']}/{r['seconds']}"
                    for r in made
                    if r["round"] == last
                ),
                err=True,
            )
            pd.DataFrame(made).to_csv(output, index=False, lineterminator="\n")
        about = json.dumps(machine(*PACKAGES), indent=1)
        output.with_suffix(".json").write_text(about + "\n", encoding="utf-8")
        rows = pd.read_csv(output)
    elif table:
        rows = pd.read_csv(table)
    else:
        raise click.UsageError("say -o FILE to run, or name a TABLE")
    if output or summed:
        click.echo(summary(rows))


if __name__ == "__main__":
    main()
