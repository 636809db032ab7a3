"""The tables of docs/systems.md, from the committed benchmark results.

python tests/make_tables.py
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "tests" / "benchmarks" / "results"
PAGE = ROOT / "docs" / "systems.md"


def lookahead_table() -> str:
    """Events with a forced rematch, without and with the lookahead that is left."""
    rows = pd.read_csv(RESULTS / "lookahead.csv")
    lines = ["| model | players | rounds | events | without | with |", "|---|---|---|---|---|---|"]
    for (model, players, rounds), both in rows.groupby(["model", "players", "rounds"], sort=False):
        count = both.set_index("lookahead")["forced_rematch"]
        events = both["events"].iloc[0]
        lines.append(
            f"| `{model}` | {players} | {rounds} | {events} | {count[False]} | {count[True]} |"
        )
    return "\n".join(lines)


def published_table() -> str:
    """Each round's levels as published, with the optimum in brackets where it differs."""
    rows = pd.read_csv(RESULTS / "published.csv", keep_default_na=False, dtype=str)
    lines = ["| event | round | matches | level: played (optimum) |", "|---|---|---|---|"]
    for (event, number), levels in rows.groupby(["event", "round"], sort=False):
        said = [_level(level) for _, level in levels.iterrows() if level["criterion"]]
        matches = levels["matches"].iloc[0]
        lines.append(f"| {event} | {number} | {matches} | {', '.join(said) or 'all 0'} |")
    return "\n".join(lines)


def _level(level: pd.Series[str]) -> str:
    played, best = (f"{float(level[name]):g}" for name in ("published", "optimum"))
    known = played if played == best else f"**{played} ({best})**"
    return f"{level['criterion']} {level['level']}: {known}"


TABLES = {"lookahead": lookahead_table, "published": published_table}


def page(text: str) -> str:
    """The page with its tables made anew, each between its two marks."""
    for name, table in TABLES.items():
        marks = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        made = table()
        text = re.sub(marks, lambda m, made=made: f"{m[1]}{made}\n{m[2]}", text, flags=re.DOTALL)
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
