"""Pairs large fields of foreign histories, and shows that no pairing is better; see README.md.

python tests/benchmarks/certified.py -o tests/benchmarks/results/certified.csv
python tests/benchmarks/certified.py --fields 45 59 --limit 120
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from apart import apart, peak_mb
from certificates import arcs_of_result, recorded, require_best
from foreign import exact_models, warmed_up
from foreign_fields import Field, drawn

import pairopt

FIELDS = 60
SMALLER, MIDDLE, LEAST, MOST = 45, 3000, 1000, 10_000
"""So many fields have up to `MIDDLE` players and are paired by both engines."""
PATIENCE = 900
"""Seconds after which a field's process is ended."""
KINDS = ("mixed", "distinct", "clubs", "mixed", "cliff", "forbidden")
LARGE = ("mixed", "clubs", "mixed", "cliff", "distinct")
WITHOUT = ("fide-dutch", "fide-burstein", "random")
"""Models of brackets, and one without levels."""
COSTS = ("aesops", "aesops-2025", "bakert", "cobra", "gatherling", "leaguevine")
"""Models whose costs do not hold points of each match or player."""
COLUMNS = [
    "field",
    "players",
    "round",
    "model",
    "engine",
    "cpu_seconds",
    "peak_mb",
    "status",
    "levels",
    "proven",
    "checked",
    "check_seconds",
]


def players(number: int) -> int:
    """Of each field, by a constant factor from one to the next."""
    if number < SMALLER:
        return round(LEAST * (MIDDLE / LEAST) ** (number / (SMALLER - 1)))
    return round(
        MIDDLE * (MOST / MIDDLE) ** ((number - SMALLER + 1) / (FIELDS - SMALLER))
    )


def field_of(number: int) -> tuple[Field, str]:
    """The field of this number, and the model that it is paired under."""
    kinds = KINDS if number < SMALLER else LARGE
    models = [name for name in exact_models() if name not in WITHOUT]
    kind = kinds[number % len(kinds)]
    if kind == "distinct":
        models = [name for name in models if name not in COSTS]
    field = drawn(number, kind, (players(number),) * 2)
    return field, field.model or models[number % len(models)]


def lines(field: Field, model: str, engine: str, limit: float) -> dict[str, object]:
    """One solve in this process, by the matching also checked on all pairs, as parts of a row."""
    start = time.process_time()
    with recorded() as record:
        try:
            result = pairopt.solve(field.event, model, engine=engine, time_limit=limit)
        except pairopt.PairoptError as error:
            return {"status": type(error).__name__}
    found = {
        "cpu_seconds": round(time.process_time() - start, 2),
        "peak_mb": peak_mb(),
        "status": result.status,
        "levels": len(result.level_values),
        "proven": sum(level.proven is True for level in result.level_values),
        "values": [level.value for level in result.level_values],
    }
    if engine == "matching" and result.status == "optimal":
        start, arcs = time.process_time(), arcs_of_result(result)
        try:
            values = require_best(result.problem, record.runs, arcs)
            offsets = (level.offset for level in result.problem.levels)
            same = found["values"] == [
                a + b for a, b in zip(values, offsets, strict=True)
            ]
            found["checked"] = "all pairs" if same else "WRONG VALUES"
        except AssertionError as error:
            found["checked"] = f"WRONG: {error}"
        found["check_seconds"] = round(time.process_time() - start, 2)
    return found


def rows(number: int, limit: float) -> list[dict[str, object]]:
    """A row for each engine."""
    field, model = field_of(number)
    size, found = len(field.event.players), list[dict[str, object]]()
    for engine in ("matching", "cpsat")[: 1 + (size <= MIDDLE)]:
        row = {
            "field": number,
            "players": size,
            "round": field.name,
            "model": model,
            "engine": engine,
        }
        ended = apart(partial(lines, field, model, engine, limit), PATIENCE)
        found.append(
            row | (ended.value or {"status": ended.ended, "peak_mb": ended.peak_mb})
        )
    if len(found) == 2 and all(
        row["status"] in ("optimal", "infeasible") for row in found
    ):
        same = [row["status"] for row in found][:1] * 2 == [
            row["status"] for row in found
        ]
        same &= found[0].get("values") == found[1].get("values")
        found[1]["checked"] = "same levels" if same else "WRONG: other levels"
    return found


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--fields", type=(int, int), default=(0, FIELDS - 1), help="From the first to last."
)
@click.option("--step", default=1, help="Each second, third, ... of them.")
@click.option("--limit", default=120.0, help="Seconds that a solve may take.")
def main(output: Path | None, fields: tuple[int, int], step: int, limit: float) -> None:
    """Pair the fields one after the other; rows of others in the output stay."""
    warmed_up()
    frame = pd.DataFrame(columns=COLUMNS)
    for number in range(fields[0], fields[1] + 1, step):
        found = pd.DataFrame(rows(number, limit)).reindex(columns=COLUMNS)
        click.echo(found.to_csv(index=False, header=False), nl=False, err=True)
        frame = pd.concat([frame, found]) if len(frame) else found
    if output is not None:
        if output.exists():
            known = pd.read_csv(output)
            frame = pd.concat([known[~known["field"].isin(frame["field"])], frame])
        frame.sort_values("field", kind="stable").to_csv(
            output, index=False, lineterminator="\n"
        )
    wrong = frame["checked"].astype(str).str.startswith("WRONG")
    click.echo(f"{len(frame)} solves, {int(wrong.sum())} wrong")


if __name__ == "__main__":
    main()
