"""Random events written as reports (TRF26) and read back; README.md here.

    python tests/benchmarks/round_trips.py [--events 5000] [--jobs 2] [--readers]

With `--readers`, gacrux also reads a sample of the files, if it is installed. Goes on where
results/round-trips.csv ends, a block of seeds a row.
"""

from __future__ import annotations

import csv
import importlib.util
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import click
import numpy as np
from report_events import report_event

from pairopt.event.event import Event
from pairopt.event.stated_standings import compare_stated_standings
from pairopt.files.build_event import ReadOptions
from pairopt.files.conversion_losses import find_losses
from pairopt.files.formats.trf.reading import read
from pairopt.files.formats.trf.writing import write
from pairopt.files.text_source import TextSource

RESULT = Path(__file__).parent / "results" / "round-trips.csv"
BLOCK = 100
COLUMNS = ("first_seed", "events", "rounds", "matches", "unequal")


def differences(event: Event) -> list[str]:
    """What is not equal after an event was written and read again; also its text, once more."""
    text = write(event).text
    again = read(TextSource("report", text), ReadOptions(round=event.round))
    added = [lost for lost in find_losses(again, event) if lost.kind != "lost.facts"]
    found = [str(lost) for lost in (*find_losses(event, again), *added)]
    if write(again).text != text:
        found.append("another text")
    arrays = ("rating", "rated", "adjusted", "acceleration", "start_numbers")
    found += [
        name
        for name in arrays
        if not np.array_equal(getattr(event, name), getattr(again, name))
    ]
    if event.settings != again.settings:
        found.append("settings")
    stated = compare_stated_standings(again)
    if stated is not None and not stated.agrees:
        found.append("stated standings")
    return found


def block(first: int) -> dict[str, object]:
    """A row of the results: the events of some seeds."""
    events = {seed: report_event(seed) for seed in range(first, first + BLOCK)}
    unequal = [str(seed) for seed, event in events.items() if differences(event)]
    return {
        "first_seed": first,
        "events": len(events),
        "rounds": sum(
            int(event.matches.round.max(initial=0)) for event in events.values()
        ),
        "matches": sum(
            int((event.matches.second >= 0).sum()) for event in events.values()
        ),
        "unequal": " ".join(unequal),
    }


def read_by_gacrux(events: int) -> str:
    """How many files gacrux reads, and what it says of the first one that it does not."""
    from campaign import gacrux_says

    read_files, refused = 0, ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.trf"
        for seed in range(events):
            path.write_text(write(report_event(seed)).text, encoding="utf-8")
            try:
                gacrux_says("-i", path, "-c", "-dT")
            except BaseException as error:  # it ends by SystemExit, too
                refused = refused or f"; seed {seed}: {error!r}"
            else:
                read_files += 1
    return f"gacrux reads {read_files} of {events} files{refused}"


@click.command()
@click.option("--events", default=5000)
@click.option("--jobs", default=1)
@click.option("--readers", is_flag=True)
def main(events: int, jobs: int, readers: bool) -> None:
    """Write what is missing in the results, and print the sums."""
    if readers:
        installed = importlib.util.find_spec("gacrux") is not None
        click.echo(
            read_by_gacrux(min(events, 200)) if installed else "gacrux is not installed"
        )
        return
    rows: list[dict[str, object]] = []
    if RESULT.exists():
        with RESULT.open(encoding="utf-8") as file:
            rows += csv.DictReader(file)
    done = {int(str(row["first_seed"])) for row in rows}
    missing = [first for first in range(0, events, BLOCK) if first not in done]
    with ProcessPoolExecutor(jobs) as pool:
        for row in pool.map(block, missing):
            rows.append(row)
            with RESULT.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(
                    sorted(rows, key=lambda each: int(str(each["first_seed"])))
                )
    unequal = [seed for row in rows for seed in str(row["unequal"]).split()]
    click.echo(
        f"{sum(int(str(row['events'])) for row in rows)} events, unequal: {len(unequal)}"
    )


if __name__ == "__main__":
    main()
