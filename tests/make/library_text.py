"""What the pages of the library and the vectors have from their files and results."""

from __future__ import annotations

import json

import library_times as times
import pandas as pd
import vectors_passed as passed
from places import ROOT

RESULTS = ROOT / "tests" / "benchmarks" / "results"
LIBRARY, VECTORS = ROOT / "examples" / "library", ROOT / "examples" / "vectors"


def families() -> str:
    """Each family: its rounds, their sizes, and what is known of them."""
    known = pd.read_csv(LIBRARY / "families.csv")
    rows = pd.read_csv(
        LIBRARY / "rounds.csv", dtype={"optima": str}, keep_default_na=False
    )
    lines = [
        "| family | rounds | players | optima known | what they are |",
        "|---|---|---|---|---|",
    ]
    for family in known.itertuples():
        mine = rows[rows["family"] == family.family]
        counted = int((mine["optima"] != "").sum())
        lines.append(
            f"| `{family.family}` | {len(mine)} | {mine['players'].min()} to "
            f"{mine['players'].max()} | {counted} | {family.about} |"
        )
    return "\n".join(lines)


def columns() -> str:
    """Every column of every table."""
    rows = pd.read_csv(LIBRARY / "columns.csv")
    lines = ["| table | column | |", "|---|---|---|"]
    lines += [f"| `{r.table}` | `{r.column}` | {r.says} |" for r in rows.itertuples()]
    return "\n".join(lines)


def library_times() -> str:
    return times.summary(pd.read_csv(RESULTS / "library.csv"))


def large() -> str:
    """The rounds that are not stored, with what is known of them."""
    rows = pd.read_csv(LIBRARY / "large.csv", keep_default_na=False)
    lines = [
        "| round | model | status | levels above 0 | found by | seconds | date |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| `{r.round}` | `{r.model}` | {r.status} | {_few(str(r.optimum))} | {r.engine} "
        f"| {r.seconds} | {r.date} |"
        for r in rows.itertuples()
    ]
    return "\n".join(lines)


def _few(optimum: str, most: int = 3) -> str:
    """The first levels of a long list."""
    parts = [part for part in optimum.split("; ") if part]
    more = f"; and {len(parts) - most} more" if len(parts) > most else ""
    return "; ".join(parts[:most]) + more or "none"


def groups() -> str:
    """Each file of vectors."""
    lines = ["| file | vectors | what decides |", "|---|---|---|"]
    for path in sorted(VECTORS.glob("*.json")):
        if path.stem not in ("schema", "disputes"):
            content = json.loads(path.read_text(encoding="utf-8"))
            lines.append(
                f"| `{path.name}` | {len(content['vectors'])} | {content['rule']} |"
            )
    return "\n".join(lines)


def disputes() -> str:
    content = json.loads((VECTORS / "disputes.json").read_text(encoding="utf-8"))
    lines = ["| vector | asked in | about | decides |", "|---|---|---|---|"]
    for each in content["vectors"]:
        source = each["source"]
        lines.append(
            f"| `{each['id']}` | [{source['name']}]({source['url']}) | {source['about']} "
            f"| `{each['decides']}` |"
        )
    return "\n".join(lines)


def programs() -> str:
    return passed.summary(pd.read_csv(RESULTS / "vectors.csv"))


TEXTS = {
    "library-families": families,
    "library-columns": columns,
    "library-times": library_times,
    "library-large": large,
    "vectors-groups": groups,
    "vectors-disputes": disputes,
    "vectors-programs": programs,
}
