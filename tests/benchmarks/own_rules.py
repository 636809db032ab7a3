"""How far published rounds were from the optimum of their own rules, level by level.

python tests/benchmarks/own_rules.py ../shared/data

The script writes two tables with numbers only. `results/own-rules.csv` has one row for each
round, and `results/own-rules-levels.csv` one row for each criterion. A round is compared
under the rules by which it was paired: chess under the Dutch System, stages of Majors under
Valve's rules, Go rounds under their own weights of OpenGotha, and Netrunner events under the
rules of Cobra.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "tests" / "benchmarks" / "results"
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "benchmarks")]

import places  # noqa: E402

from pairopt import Event, check, read_event  # noqa: E402
from pairopt.event.event import BYE_ROW, FORFEIT, PLAYED  # noqa: E402
from pairopt.round.check import Check  # noqa: E402

COLUMNS = (
    "community",
    "event",
    "round",
    "rules",
    "matches",
    "broken",
    "levels",
    "equal_levels",
    "optimal",
    "first_criterion",
    "first_level",
    "published",
    "optimum",
    "same_matches",
)


LEVEL_COLUMNS = ("rules", "criterion", "levels", "equal", "first_worse")
LevelCounts = defaultdict[tuple[str, str], Counter[str]]


class Round(NamedTuple):
    """A published round: the event before it, its rows, and the rules."""

    community: str
    event_name: str
    event: Event
    rows: pd.DataFrame
    rules: str
    model: Any


def opens(folder: Path) -> Iterator[Round]:
    """Rounds of chess opens. In the last round, nobody published the colours."""
    place = folder / "dutch" / "published"
    for line in (place / "expected.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        event = read_event(place / record["file"])
        pairs = [(str(one), str(two)) for one, two in record["pairs"]]
        paired = {name for pair in pairs for name in pair}
        active = [event.players[p] for p in np.flatnonzero(event.active)]
        byes = [name for name in active if name not in paired]
        known = record["colours_known"]
        # `check` takes the better colours of a forfeit.
        rows = [
            (*pair, "white" if known else None, "" if known else "forfeit")
            for pair in pairs
        ]
        rows += [(name, None, None, "bye") for name in byes]
        columns = ["player1", "player2", "side1", "status"]
        frame = pd.DataFrame(rows, columns=columns, dtype=object)
        frame.insert(0, "round", record["round"])
        name = record["file"].rsplit("_r", 1)[0]
        yield Round("chess", name, event, frame, "Dutch System", "fide-dutch")


def lichess(folder: Path) -> Iterator[Round]:
    """Rounds of a Swiss tournament on Lichess, which one report holds."""
    (path,) = (folder / "trf").glob("lichess_swiss_*.trf")
    whole = read_event(path)
    names = [*whole.players, None]
    status_of = {PLAYED: "", FORFEIT: "forfeit", BYE_ROW: "bye"}
    for number in range(1, whole.round):
        rows = whole.matches.take(whole.matches.round == number)
        frame = pd.DataFrame(
            {
                "round": number,
                "player1": [names[player] for player in rows.first],
                "player2": [names[player] for player in rows.second],
                "side1": [("white", "black", None)[side] for side in rows.side],
                "status": [status_of.get(each, "requested") for each in rows.status],
            },
            dtype=object,
        )
        event = read_event(path, round=number)
        yield Round(
            "chess", "lichess_swiss", event, frame, "Dutch System", "fide-dutch"
        )


def majors(folder: Path) -> Iterator[Round]:
    """Rounds of stages of Majors."""
    from majors_data import event_after, model_of_stage, stages

    for stage in stages():
        model = model_of_stage(stage)
        for number, games in enumerate(stage["rounds"], 1):
            event = event_after(stage["rounds"][: number - 1])
            rows = [(number, f"T{one}", f"T{two}") for one, two in games]
            frame = pd.DataFrame(
                rows, columns=["round", "player1", "player2"], dtype=object
            )
            yield Round("Counter-Strike", stage["id"], event, frame, "Valve", model)


def go(folder: Path) -> Iterator[Round]:
    """Rounds of Go tournaments, with the weights of their files."""
    import mcmahon_data as data

    for name, number in data.all_rounds():
        given = data.tournament(name)
        event, frame = data.event(given, number), data.published_frame(given, number)
        yield Round("Go", name, event, frame, "OpenGotha", data.model(given))


def netrunner(folder: Path) -> Iterator[Round]:
    """Rounds of double-sided Netrunner events."""
    from published import nrtm_rounds

    for path in sorted((folder / "nrtm").glob("*.json")):
        for event, frame in nrtm_rounds(path):
            yield Round("Netrunner", path.stem, event, frame, "Cobra", "cobra")


COMMUNITIES = {
    "chess": opens,
    "lichess": lichess,
    "majors": majors,
    "go": go,
    "netrunner": netrunner,
}


ORDERS = ("4.",)
"""Beginnings of criteria whose values are places in an order, which have no size."""


def compared(published: Round, counts: LevelCounts) -> dict[str, Any]:
    """The row of a round. Counts its levels by criterion, too."""
    found = check(published.event, published.rows, published.model)
    assert found.optimum is not None
    assert found.optimum.proven, (published.event_name, published.event.round)
    best = {(v.criterion, v.level): v.value for v in found.optimum.level_values}
    levels = [(v, best.get((v.criterion, v.level), 0)) for v in found.level_values]
    differing = [(v, optimum) for v, optimum in levels if v.value != optimum]
    for value, optimum in levels:
        count = counts[published.rules, value.criterion]
        count["levels"] += 1
        count["equal"] += value.value == optimum
        count["first_worse"] += bool(differing) and value is differing[0][0]
    row = {
        "community": published.community,
        "event": published.event_name,
        "round": published.event.round,
        "rules": published.rules,
        "matches": int(published.rows["player2"].notna().sum()),
        "broken": len(found.violations),
        "levels": len(levels),
        "equal_levels": len(levels) - len(differing),
        "optimal": int(found.agrees),
        "same_matches": same_matches(published, found),
    }
    if differing:
        first, optimum = differing[0]
        row |= {"first_criterion": first.criterion, "first_level": first.level}
        if not first.criterion.startswith(ORDERS):
            row["published"] = f"{float(first.value / first.scale):g}"
            row["optimum"] = f"{float(optimum / first.scale):g}"
            if first.value > 10**6:
                row["published"], row["optimum"] = first.value, optimum
    return row


def same_matches(published: Round, found: Check) -> int:
    """How many of the published matches are also in pairopt's pairing."""
    assert found.optimum is not None
    own = {frozenset(pair) for pair in found.optimum.pairs}
    rows = published.rows
    pairs = zip(rows["player1"], rows["player2"], strict=True)
    return sum(frozenset(pair) in own for pair in pairs if pair[1])


def write_table(
    path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@click.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.option(
    "-o", "output", type=click.Path(path_type=Path), default=RESULTS, help="Folder."
)
def main(folder: Path, output: Path) -> None:
    """Compare each published round in FOLDER with the optimum of its rules."""
    places.REAL = folder.resolve()
    counts: LevelCounts = defaultdict(Counter)
    rows = []
    for name, rounds in COMMUNITIES.items():
        rows += [compared(each, counts) for each in rounds(folder)]
        click.echo(f"{name}: {len(rows)} rounds so far")
    write_table(output / "own-rules.csv", COLUMNS, rows)
    level_rows = [
        {"rules": rules, "criterion": criterion, **count}
        for (rules, criterion), count in counts.items()
    ]
    write_table(output / "own-rules-levels.csv", LEVEL_COLUMNS, level_rows)


if __name__ == "__main__":
    main()
