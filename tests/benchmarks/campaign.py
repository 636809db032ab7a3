"""Tournaments of pairopt checked by other programs, and theirs by pairopt; README.md here.

    python tests/benchmarks/campaign.py [--bbp EXECUTABLE] [--program NAME] [--tournaments N]
        [--records] [--everything]

Goes on where results/campaign.csv ends, a block of seeds a row, until there are N each way.
"""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import product
from pathlib import Path
from unittest.mock import patch

import click
import pandas as pd
from fair_checker import Pair, Pairs, by_bbp
from whole_tournaments import SYSTEMS as WHOLE
from whole_tournaments import Tournament, tournament

from pairopt import check_all, read_event
from pairopt.cli.fide.generate import SYSTEMS, UP_TO
from pairopt.cli.fide.random_tournament import (
    EventRates,
    random_entrants,
    random_report,
)

RESULT = Path(__file__).parent / "results" / "campaign.csv"
BLOCK = 100
COLUMNS = ["direction", "first_seed", "tournaments", "rounds", "matches", "differ"]
ROUND = r"^.*Round #(\d+)[ =]*$"
"""How bbpPairings and gacrux begin what they say of a round; nothing follows where it agrees."""
RECORDS = (SOMETHING, NOTHING) = ("162, 260", "162 with a bye of 0, 260")
"""What tournaments have besides, where that is asked for."""
EVERYTHING = "162, 250, 260, 299"
"""All that a report can say of a round: all points, Baku Acceleration, points of no result."""
BBP_POINTS = {
    "PointsForWin": "W",
    "PointsForDraw": "D",
    "PointsForLoss": "L",
    "PointsForForfeitLoss": "FL",
    "PointsForPAB": "PAB",
}
AWAY = "### away "
Points = Mapping[str, Decimal]
Differing = tuple[int, int, list[int]]
"""Rounds, matches, and the rounds that the other program pairs otherwise."""
Said = list[tuple[int, bool]]
"""The rounds that a checker has paired, and whether each is otherwise."""


@dataclass(frozen=True)
class Size:
    """A tournament by lot."""

    seed: int
    players: int
    rounds: int
    lots: random.Random

    @classmethod
    def of(cls, seed: int) -> Size:
        """That of a seed."""
        lots = random.Random(seed)
        players, rounds = lots.randint(6, 40), lots.randint(4, 9)
        return cls(seed, players, min(rounds, players // 2), lots)


@dataclass(frozen=True)
class Program:
    """Another program: it makes a tournament (False: it found no pairing), and checks one.

    It counts by the points that are given, if any. `records` says whether it reads forbidden pairs
    and virtual points (250, 260).
    """

    make: Callable[[Size, Path, Points | None], bool]
    check: Callable[[Path], Said]
    records: bool = True
    pair: Callable[[Path], Pair] | None = None
    """What pairs a report's next round, files in a folder; for tournaments of everything."""
    request: Callable[[Tournament, dict[int, str]], str] = Tournament.request


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True)


def said(text: str) -> Said:
    """What is printed round by round."""
    parts = re.split(ROUND, text.partition("Check:")[0], flags=re.MULTILINE)[1:]
    every = zip(parts[::2], parts[1::2], strict=True)
    return [(int(number), bool(told.strip())) for number, told in every]


def virtual(text: str) -> tuple[str, Decimal]:
    """A report of pairopt's with points of no result (299) as virtual ones (XXA), by players, as
    bbpPairings reads no 299; and the lowest of them, below 0, by which all have more."""
    lines = text.splitlines()
    adjusted = [line for line in lines if line.startswith("299")]
    if not adjusted:
        return text, Decimal(0)
    rounds = next(int(line[4:]) for line in lines if line.startswith("142"))
    players = [int(line[4:8]) for line in lines if line.startswith("001")]
    played = max(
        -(-len(line[91:].rstrip()) // 10) for line in lines if line.startswith("001")
    )
    besides = {
        (player, turn): Decimal(0) for player in players for turn in range(rounds + 1)
    }
    more = dict(besides)
    for line in adjusted:
        for turn in range(int(line[19:22]), rounds + 1):
            besides[int(line[23:27]), turn] += Decimal(line[13:17].strip())
    for line in lines:
        if line.startswith("250"):
            first, last, low, high = (int(line[k : k + 4]) for k in (14, 18, 22, 27))
            for player, turn in product(range(low, high + 1), range(first - 1, last)):
                more[player, turn] = Decimal(line[9:13].strip())
    lowest = min(besides.values())
    for k, line in enumerate(lines):
        if line.startswith("001"):
            points = Decimal(line[80:84].strip()) - besides[int(line[4:8]), played]
            lines[k] = f"{line[:80]}{points:>4}{line[84:]}"
    for player in players:
        own = (
            besides[player, turn] - lowest + more[player, turn]
            for turn in range(rounds)
        )
        lines.append(f"XXA {player:>4} " + " ".join(f"{each:>4.1f}" for each in own))
    kept = (line for line in lines if line[:3] not in ("250", "299"))
    return "\n".join([*kept, ""]), lowest


def bbp(executable: Path | None) -> Program:
    """bbpPairings, a program built from its sources."""

    def make(size: Size, path: Path, points: Points | None) -> bool:
        config, lots = path.with_suffix(".cfg"), size.lots
        config.write_text(
            f"PlayersNumber={size.players}\nRoundsNumber={size.rounds}\n"
            f"DrawPercentage={lots.randint(0, 60)}\n"
            f"ForfeitRate={lots.randint(5, 60)}\n"
            f"RetiredRate={lots.randint(10, 200)}\n"
            f"HalfPointByeRate={lots.randint(10, 200)}\n"
            + "".join(
                f"{key}={points[name]}\n" for key, name in BBP_POINTS.items() if points
            ),
            "utf-8",
        )
        done = run(executable, "--dutch", "-g", config, "-o", path, "-s", size.seed)
        if "No valid pairing exists" in done.stderr + done.stdout:
            return False
        if done.returncode:
            raise click.ClickException(
                f"bbpPairings, seed {size.seed}: {done.stderr.strip()}"
            )
        return True

    def check(path: Path) -> Said:
        text, lowest = virtual(
            path.read_text("utf-8")
        )  # an absence is Z there, in TRF26 A
        path.write_text(re.sub("^(162 .*)A", r"\1Z", text, flags=re.MULTILINE), "utf-8")
        done = run(executable, "--dutch", path, "-c")
        if done.returncode:
            raise click.ClickException(f"bbpPairings: {done.stderr.strip()}")
        told = said(done.stdout)
        return (
            told[:-1] if lowest else told
        )  # half of the points is of other points (1.8)

    return Program(make, check, pair=partial(by_bbp, executable))


def gacrux() -> Program:
    """Gacrux, a package: its generator (draws by ratings, byes, forfeits) and its checker."""

    def make(size: Size, path: Path, _: Points | None) -> bool:
        rates = [size.lots.uniform(0, most) for most in (0.05, 0.2, 0.1)]
        baku = ["-a"] * (size.seed % 4 == 0)
        done = run(
            sys.executable,
            "-m",
            "gacrux.tournamentgenerator",
            "-n",
            size.rounds,
            "-p",
            size.players,
            "-S",
            *rates,
            *baku,
            "-o",
            path,
            "-g",
            size.seed,
            1,
        )
        if "GacruxNoLegalPairing" in done.stderr:
            return False
        if done.returncode:
            raise click.ClickException(
                f"gacrux, seed {size.seed}: {done.stderr.strip()}"
            )
        return True

    def check(path: Path) -> Said:
        return said(gacrux_says("-i", path, "-c", "-dT"))

    return Program(make, check, pair=by_gacrux, request=so_far)


def gacrux_says(*arguments: object) -> str:
    """What gacrux prints, called here: it takes longer to start than to pair a round."""
    from gacrux.pairingchecker import pairingchecker

    printed = io.StringIO()
    with (
        patch.object(sys, "argv", ["gacrux", *map(str, arguments)]),
        redirect_stdout(printed),
    ):
        pairingchecker().common_main()
    return printed.getvalue()


def by_gacrux(folder: Path) -> Pair:
    """What pairs, by gacrux, which reads a report (TRF26) and is told who is away."""

    def pair(text: str) -> Pairs | None:
        path, (lines, _, away) = folder / "request.trf", text.partition(AWAY)
        path.write_text(lines, "utf-8")
        turn = (max(map(len, lines.splitlines())) - 89) // 10 + 1
        more = ["-u", *away.split()] if away else []
        said = gacrux_says("-i", path, "-p", "-n", turn, "-dT", *more).split("\n")
        if not said[0].strip().isdigit():
            return None
        return [
            (int(line.split()[0]), int(line.split()[1]))
            for line in said[1:]
            if line.strip()
        ]

    return pair


def so_far(made: Tournament, absent: Mapping[int, str]) -> str:
    """The report before a round, without what is to come; and who is away."""
    after = len(made.cells[1])
    adjusted = [each for each in made.adjusted if each[0] <= after]
    text = replace(made, adjusted=adjusted, tie_breaks=(), shared=False).text()
    return text + AWAY + " ".join(map(str, absent)) * bool(absent)


def caissify() -> Program:
    """caissify-pairings, a package: its generator (games alone) and its checker."""

    def make(size: Size, path: Path, _: Points | None) -> bool:
        from caissify_pairings.rtg import generate_tournament

        draws = size.lots.uniform(0, 0.6)
        path.write_text(
            generate_tournament(
                size.players, size.rounds, draw_rate=draws, seed=size.seed
            ),
            "utf-8",
        )
        return True

    def check(path: Path) -> Said:
        from caissify_pairings.fpc import check_trf

        rounds = check_trf(path.read_text("utf-8"))["rounds"]
        return [(each["round"], not each["match"]) for each in rounds]

    return Program(make, check, records=False)


def programs(executable: Path | None) -> dict[str, Program]:
    """All of them by name; bbpPairings where its executable is named."""
    found = {"bbpPairings": bbp(executable)} if executable else {}
    return {**found, "gacrux": gacrux(), "caissify-pairings": caissify()}


def counted_by(seed: int, records: str) -> Points:
    """The points of a tournament of all records: with a bye that is worth something, or nothing."""
    if records == EVERYTHING:
        return SYSTEMS[seed % len(SYSTEMS)]
    fitting = [each for each in SYSTEMS if (each["PAB"] == 0) == (records == NOTHING)]
    return fitting[seed % len(fitting)]


def made(program: Program, seed: int, path: Path, records: str = "") -> None:
    """A tournament of pairopt's, with all that happens and the other program reads.

    With `records` also with other points, and pairs that are forbidden in some rounds alone.
    """
    size = Size.of(seed)
    entrants = random_entrants(size.players, 2500, 1200, seed)
    more = {"accelerated": seed % 4 == 0} if program.records else {"forbidden": 0}
    if records:
        more |= {
            "forbidden": seed % 7,
            "ranged": 0.7,
            "late": 0.1,
            "withdrawn": 0.1,
            "points": counted_by(seed, records),
        }
    if records == EVERYTHING:
        more |= {name: size.lots.random() * most for name, most in UP_TO.items()}
        more["adjusted"] *= size.lots.random() < 1 / 2
        more["accelerated"] = size.lots.random() < 1 / 3
    rates = EventRates(entrants, rounds=size.rounds, **more)  # type: ignore[arg-type]
    path.write_text(random_report(rates, seed).text, encoding="utf-8")


def ours(program: Program, seed: int, path: Path, records: str = "") -> Differing:
    """A tournament of pairopt's, checked by the other."""
    made(program, seed, path, records)
    told = program.check(path)
    return len(told), _matches(path), [number for number, differs in told if differs]


def theirs(program: Program, seed: int, path: Path, records: str = "") -> Differing:
    """A tournament of the other's own generator, checked by pairopt.

    With `records` some who met are forbidden in the rounds before and after; no pairing that kept
    this was any better. With everything it is one of a generator that shares no code with either.
    """
    if not brought(program, seed, path, records):
        return 0, 0, []
    checks = [*check_all(read_event(path), model="fide-dutch")]
    told = [each.problem.event.round for each in checks if not each.agrees]
    return len(checks), _matches(path), told


def brought(program: Program, seed: int, path: Path, records: str = "") -> bool:
    """A tournament that another program pairs; whether it found pairings."""
    if records == EVERYTHING and program.pair is not None:
        system, pair = [*WHOLE][seed % len(WHOLE)], program.pair(path.parent)
        made = tournament(
            seed,
            pair,
            most=40,
            system=system,
            baku=seed % 3 == 0,
            request=program.request,
        )
        if made is not None:
            path.write_text(made.text(), "utf-8")
        return made is not None
    done = program.make(
        Size.of(seed), path, counted_by(seed, records) if records else None
    )
    if done and records:
        forbid(path, random.Random(seed))
    return done


def forbid(path: Path, lots: random.Random) -> None:
    """Add forbidden pairs that met, in the rounds before and after, to a report; and the number of
    rounds."""
    rows = read_event(path).matches
    met = [
        frozenset(pair)
        for pair in zip(rows.first.tolist(), rows.second.tolist(), strict=True)
    ]
    games = [k for k, pair in enumerate(met) if -1 not in pair and met.count(pair) == 1]
    last = int(rows.round.max())
    lines = [f"142 {last}\n"]
    for k in lots.sample(games, min(len(games), 6)):
        turn, pair = (
            int(rows.round[k]),
            sorted((int(rows.first[k]) + 1, int(rows.second[k]) + 1)),
        )
        for low, high in ((1, turn - 1), (turn + 1, last)):
            if low <= high:
                lines.append(f"260 {low:>3} {high:>3} {pair[0]:>4} {pair[1]:>4}\n")
    with path.open("a", encoding="utf-8") as file:
        file.writelines(lines)


def _matches(path: Path) -> int:
    event = read_event(path)
    return int((event.matches.second >= 0).sum())


def ways(name: str, records: str = "") -> dict[str, Callable[..., Differing]]:
    """Both directions of a program."""
    owner = f"{name}'" if name.endswith("s") else f"{name}'s"
    if records:
        return {
            f"pairopt ({records}) by {name}": partial(ours, records=records),
            f"{name} ({records}) by pairopt": partial(theirs, records=records),
        }
    return {f"pairopt's by {name}": ours, f"{owner} by pairopt": theirs}


def block(executable: Path | None, asked: tuple[str, str, int]) -> dict[str, object]:
    """A row: so many tournaments from a seed on."""
    name, direction, first = asked
    program = programs(executable)[name]
    every = ("", *RECORDS, EVERYTHING)
    way = {way: does for of in every for way, does in ways(name, of).items()}[direction]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tournament.trf"
        found = [way(program, seed, path) for seed in range(first, first + BLOCK)]
    differ = [
        f"{first + k}/{number}" for k, (*_, told) in enumerate(found) for number in told
    ]
    sizes = [sum(each[k] for each in found) for k in (0, 1)]
    return dict(
        zip(COLUMNS, [direction, first, BLOCK, *sizes, " ".join(differ)], strict=True)
    )


def left(
    done: pd.DataFrame, names: list[str], tournaments: int, records: tuple[str, ...]
) -> Iterator[tuple[str, str, int]]:
    """Blocks that are not played yet, of all directions in turn."""
    known = set(zip(done["direction"], done["first_seed"], strict=True))
    every = product(range(0, tournaments, BLOCK), names, records)
    for first, name, of in every:
        yield from (
            (name, way, first) for way in ways(name, of) if (way, first) not in known
        )


@click.command()
@click.option(
    "--bbp", type=click.Path(exists=True, path_type=Path), help="Its executable."
)
@click.option(
    "--program", multiple=True, help="Only this one (by default all that are there)."
)
@click.option("--tournaments", default=5000, show_default=True, help="Each way.")
@click.option("--records", is_flag=True, help="With other points and ranges of 260.")
@click.option(
    "--everything", is_flag=True, help="With all that a report can say, 299 too."
)
@click.option("--jobs", default=1, show_default=True)
def main(
    bbp: Path | None,
    program: tuple[str, ...],
    tournaments: int,
    records: bool,
    everything: bool,
    jobs: int,
) -> None:
    """Check tournaments both ways; a discrepancy is named as SEED/ROUND."""
    done = (
        pd.read_csv(RESULT, keep_default_na=False)
        if RESULT.exists()
        else pd.DataFrame(columns=COLUMNS)
    )
    executable = bbp and bbp.resolve()
    names = [*(program or programs(executable))]
    kinds = (EVERYTHING,) if everything else RECORDS if records else ("",)
    with ProcessPoolExecutor(jobs) as pool:
        for row in pool.map(
            partial(block, executable), [*left(done, names, tournaments, kinds)]
        ):
            done = pd.concat([done, pd.DataFrame([row])], ignore_index=True)
            done.sort_values(["direction", "first_seed"]).to_csv(RESULT, index=False)
            click.echo(" ".join(map(str, row.values())))


if __name__ == "__main__":
    main()
