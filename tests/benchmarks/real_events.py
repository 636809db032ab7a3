"""Pairs every round of real events again, from the shell, beside what was really paired.

python tests/benchmarks/real_events.py FOLDER -o tests/benchmarks/results/real-events.csv

FOLDER holds a folder an event, with matches.csv and players.csv. A line a round: players,
seconds from the shell, whether all levels are proven, and the levels (those that are not 0
in both) as `optimum/played`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pandas as pd


def shell(*arguments: str) -> tuple[int, dict[str, Any], float]:
    """Exit code, JSON and seconds of a pairopt command."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "pairopt", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, seconds


def compared(folder: Path) -> list[dict[str, object]]:
    """A row for each round of an event, and one for the next."""
    matches, players = folder / "matches.csv", folder / "players.csv"
    table = pd.read_csv(matches, dtype=str, keep_default_na=False)
    model = "standard" if (table["side1"] != "").any() else "double-sided"
    last = int(table.loc[table["status"] != "requested", "round"].astype(int).max())
    rows: list[dict[str, object]] = []
    for number in range(1, last + 2):
        event = [str(matches), "--players", str(players), "--model", model]
        code, found, seconds = shell(
            "solve", *event, "--round", str(number), "--format", "json"
        )
        assert code == 0, (folder.name, number, code)
        best = {
            (v["criterion"], v["level"]): v["value"] / v["scale"]
            for v in found["levels"]
        }
        played = {}
        if number <= last:
            code, checked, _ = shell(
                "check",
                *event,
                str(matches),
                "--round",
                str(number),
                "--no-solve",
                "--format",
                "json",
            )
            # 3: not a pairing by the rules, as the round with five allocated byes
            assert code in (0, 1, 3), (folder.name, number, code)
            played = {
                (v["criterion"], v["level"]): v["value"] / v["scale"]
                for v in checked.get("levels", [])
            }
        kinds = [key for key in best if best[key] or played.get(key)]
        rows.append(
            {
                "event": folder.name,
                "round": number,
                "model": model,
                "matches": len(found["pairings"]),
                "seconds": round(seconds, 2),
                "proven": all(v["proven"] for v in found["levels"]),
                "levels": "; ".join(
                    f"{kind} {level} {best[kind, level]:g}"
                    + (f"/{played[kind, level]:g}" if played else "")
                    for kind, level in kinds
                ),
            }
        )
        click.echo("  ".join(str(value) for value in rows[-1].values()))
    return rows


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
@click.option("-o", "--output", type=click.Path(dir_okay=False))
def main(folder: str, output: str | None) -> None:
    """Compare every event below FOLDER."""
    events = sorted(path.parent for path in Path(folder).glob("*/matches.csv"))
    rows = [row for event in events for row in compared(event)]
    if output is not None:
        pd.DataFrame(rows).to_csv(output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
