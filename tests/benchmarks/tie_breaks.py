"""Tie-breaks beside Gacrux's, player by player, and standings beside what files state.

python tests/benchmarks/tie_breaks.py FOLDER -o tests/benchmarks/results/tie-breaks.csv
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import pandas as pd

from pairopt import Event, read_event, write_event
from pairopt.event.standings import rank_players

PLAIN = (
    "DE",
    "DE/P",
    "WIN",
    "WON",
    "BPG",
    "BWG",
    "PS",
    "PS/C1",
    "PS/C2",
    "REP",
    "STD",
    "TPN",
    "AOB",
    "AOB/F",
    "SB",
    "SB/C1",
    "SB/C2",
    "SB/P",
    "SB/C1/P",
    "SB/C2/P",
    "KS",
    "KS/L+1",
    "KS/L-1",
)
CUTS = ("", "/C1", "/C2", "/M1", "/M2")
BUCHHOLZ = tuple(
    f"{code}{cut}{forfeits}"
    for code in ("BH", "FB")
    for cut in CUTS
    for forfeits in ("", "/P")
)
RATINGS = (
    *(f"ARO{cut}/U1400" for cut in CUTS),
    "TPR/U1400",
    "PTP/U1400",
    "APRO/U1400",
    "APPO/U1400",
    "RTNG/U1400",
)
CODES = (*PLAIN, *BUCHHOLZ, *RATINGS)
"""Those of FIDE's list MTB26 for players but TPN/R and RTNG/R, orders of the same numbers.

Gacrux gives ratings' tie-breaks to nobody where one player has none, so these get one.
"""
FIRST_ROUND, WIDTH = 89, 10
POINTS, RANK = slice(80, 84), slice(85, 89)
STATED = ("stated points", "stated rank: RTNG")
ROUNDED = {"AOB": Fraction(1, 100)}
"""What Gacrux rounds, by how much it may be off."""


def events(folder: Path) -> Iterator[tuple[str, str, Event, str]]:
    """The events below the folder with their sets, names and texts; without a round left out."""
    published = sorted((folder / "dutch" / "published").glob("*.trf"))
    files = [("opens", path.name, path) for path in published]
    files += [
        ("other files", path.name, path)
        for path in sorted((folder / "trf").glob("*.*"))
        if path.suffix in (".trf", ".input")
    ]
    with tempfile.TemporaryDirectory() as made:
        lines = (
            (folder / "dutch" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
        )
        for k, line in enumerate(lines):
            path = Path(made) / f"{k}.trf"
            path.write_text(json.loads(line)["trf"], encoding="utf-8")
            files.append(("generated", path.name, path))
        for which, name, path in files:
            event = read_event(path)
            if event.round > 1:
                yield which, name, event, path.read_text(encoding="utf-8")


def report(event: Event) -> str:
    """The rounds so far as a TRF that Gacrux takes: no byes asked for later, as many rounds."""
    rounds = event.round - 1
    event = replace(event, acceleration=event.acceleration[:, :0])
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "event.trf"
        write_event(event, path, form="trf16")
        lines = path.read_text(encoding="utf-8").splitlines()
    kept = [
        line[: FIRST_ROUND + WIDTH * rounds] if line.startswith("001") else line
        for line in lines
        if line[:3] not in ("XXR", "212")
    ]
    return "\n".join([*kept, f"XXR {rounds}", ""])


def gacrux(text: str, rounds: int, code: str) -> dict[str, Any]:
    """Gacrux's value of each player by starting number; in direct encounters the places."""
    return gacrux_values(text, rounds, [code])[code]


def gacrux_values(
    text: str, rounds: int, codes: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Gacrux's values by code and starting number, as `gacrux` gives them for one code.

    One run of gacrux computes all codes whose values do not depend on those before.
    """
    from gacrux.tiebreak import tiebreak
    from gacrux.trf2json import trf2json

    found: dict[str, dict[str, Any]] = {}
    for together in runs_of(codes):
        file = trf2json()
        file.parse_file(text, False)
        event = file.get_tournament(1)
        how = {
            "swiss": True,
            "unrated": None,
            "tiebreak": ["PTS", *together],
            "check": False,
        }
        players = tiebreak(event, rounds, how).compute_tiebreaks(event, how)
        for index, code in enumerate(together, 1):
            found[code] = {
                str(each["cid"]): each["rank"]
                if is_direct(code)
                else each["tiebreakScore"][index]
                for each in players["competitors"]
            }
    return found


def ours(event: Event, code: str) -> dict[str, Fraction]:
    """pairopt's, likewise."""
    return our_values(event, [code])[code]


def our_values(event: Event, codes: Sequence[str]) -> dict[str, dict[str, Fraction]]:
    """pairopt's values by code and starting number, likewise."""
    numbers = event.start_numbers.tolist()
    found: dict[str, dict[str, Fraction]] = {}
    for together in runs_of(codes):
        lines = rank_players(event, together)
        for code in together:
            found[code] = {
                str(numbers[event.index[line.player]]): Fraction(line.rank)
                if is_direct(code)
                else line.tie_breaks[code]
                for line in lines
            }
    return found


def is_direct(code: str) -> bool:
    """Return whether a code is a direct encounter, which depends on the codes before."""
    return code.startswith("DE")


def is_fore(code: str) -> bool:
    """Return whether a code is a Fore Buchholz, after which gacrux's others are wrong.

    Gacrux then keeps an adjustment that only the last round of Fore Buchholz has.
    """
    kind, *modifiers = code.split("/")
    return kind == "FB" or "F" in modifiers


def runs_of(codes: Sequence[str]) -> list[list[str]]:
    """Return the codes that can be computed together; each direct encounter is alone."""
    alone = [[code] for code in codes if is_direct(code)]
    others = [code for code in codes if not is_direct(code)]
    fore = [code for code in others if is_fore(code)]
    usual = [code for code in others if not is_fore(code)]
    return [*alone, *filter(None, (usual, fore))]


def differing(
    mine: Mapping[str, Fraction], theirs: Mapping[str, Any], code: str
) -> list[str]:
    """The players whose values differ; None, a value that cannot be told, is a 0."""
    near = ROUNDED.get(code.split("/")[0], Fraction(0))
    return [
        player
        for player, value in mine.items()
        if abs(Fraction(theirs[player] or 0) - value) > near
    ]


def elsewhere(event: Event, text: str) -> dict[str, list[str]]:
    """The players whose points or ranks are not those that the report states."""
    lines = rank_players(event, ["RTNG"])
    many = Counter(line.rank for line in lines)
    stated = {
        str(int(line[4:8])): line
        for line in text.splitlines()
        if line.startswith("001")
    }
    points, rank = STATED
    return {
        points: [
            line.player
            for line in lines
            if Fraction(stated[line.player][POINTS].strip() or 0) != line.points
        ],
        rank: [
            line.player
            for line in lines
            if not 0
            <= int(stated[line.player][RANK] or 0) - line.rank
            < many[line.rank]
        ],
    }


def compared(folder: Path) -> Iterable[dict[str, Any]]:
    """A row for each set of events and code."""
    players: Counter[tuple[str, str]] = Counter()
    equal: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for which, name, event, said in events(folder):
        text = report(event)
        found = {
            code: differing(
                ours(event, code), gacrux(text, event.round - 1, code), code
            )
            for code in CODES
        }
        for code, other in {**found, **elsewhere(event, said)}.items():
            players[which, code] += len(event.players)
            equal[which, code] += len(event.players) - len(other)
            if other:
                first.setdefault((which, code), f"{name} {other[0]}")
    for (which, code), number in players.items():
        yield {
            "set": which,
            "code": code,
            "players": number,
            "equal": equal[which, code],
            "first_difference": first.get((which, code), ""),
        }


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
def main(folder: Path, output: Path) -> None:
    """Compare on the real events below FOLDER."""
    rows = pd.DataFrame(compared(folder))
    rows.to_csv(output, index=False, lineterminator="\n")
    click.echo(rows[rows["players"] != rows["equal"]].to_string(index=False))


if __name__ == "__main__":
    main()
