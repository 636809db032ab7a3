"""Every task of an organiser's desk, played from outside and judged; a table of them.

python tests/desk/run.py                 all, into tests/benchmarks/results/desk-tasks.csv
python tests/desk/run.py --only 21 22    these, and nothing is written
python tests/desk/run.py --evening "open of 60" --persons 1932867
                                         with a rating list of so many persons
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import browser  # noqa: E402
from judged import WORST_LAST, Evening, Judged  # noqa: E402
from organisers import ROOT, Room  # noqa: E402

RESULTS = ROOT / "tests" / "benchmarks" / "results" / "desk-tasks.csv"
COLUMNS = tuple(each.name for each in fields(Judged))


def evenings() -> tuple[Evening, ...]:
    """All of them."""
    from chess_open import chess
    from club_weekly import weekly
    from netrunner_cut import netrunner
    from nine_children import children
    from open_of_sixty import sixty
    from rough_evening import rough
    from round_robins import round_robins
    from store_evening import store
    from two_sections import sections

    return (
        weekly,
        netrunner,
        chess,
        children,
        store,
        sections,
        rough,
        round_robins,
        sixty,
    )


def lines(
    evening: Evening,
    chromium: Any,
    only: frozenset[str] = frozenset(),
    persons: int = 4000,
) -> Iterator[Judged]:
    """The tasks of an evening, judged, in a directory that is thrown away."""
    with (
        tempfile.TemporaryDirectory() as place,
        Room(Path(place), chromium, persons) as room,
    ):
        yield from evening.played(room, only)


def main() -> int:
    """Play, print, write; 1 where a task is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="*", default=[], metavar="NUMBER")
    parser.add_argument(
        "--evening", default="", help="those whose names have this in them"
    )
    parser.add_argument(
        "--persons", type=int, default=4000, help="in the rating list of the open of 60"
    )
    given = parser.parse_args()
    if why := browser.missing():
        parser.error(why)
    found, start = [], time.perf_counter()
    with browser.launched() as chromium:
        for evening in evenings():
            if given.evening not in evening.name:
                continue
            for line in lines(evening, chromium, frozenset(given.only), given.persons):
                found.append(line)
                print(
                    f"{line.number:>3}  {line.task[:62]:62}  {line.judged:10} {line.clicks:4} "
                    f"{line.keys:5} {line.ms:6}  {line.why[:200]}",
                    flush=True,
                )
    counts = Counter(line.judged for line in found)
    print(
        ", ".join(f"{counts[each]} {each}" for each in WORST_LAST),
        f"in {time.perf_counter() - start:.0f} s",
    )
    if not (given.only or given.evening):
        with RESULTS.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            table.writeheader()
            table.writerows(asdict(line) for line in found)
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
