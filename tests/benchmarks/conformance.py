"""Compare pairopt with what others have published, and write docs/conformance.md.

python tests/benchmarks/conformance.py ../shared/data
python tests/benchmarks/conformance.py ../shared/data --only majors

The page has one row for each data set. Data that the folder does not have keep their row.
`conformance_data.py` makes a folder of data from clones of the repositories.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import click
import pandas as pd

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "conformance.md"
sys.path[:0] = [str(ROOT / "tests" / "support")]

import places  # noqa: E402

from pairopt import Event, Result, read_event, solve  # noqa: E402
from pairopt.analysis.draw_odds import count_draws, mechanism_odds  # noqa: E402
from pairopt.event.berger import build_berger_table  # noqa: E402
from pairopt.event.standings import rank_players  # noqa: E402

START, END = "<!-- conformance -->", "<!-- end -->"


@dataclass(frozen=True)
class Tally:
    """How many cases of a data set were compared, and how many agree."""

    cases: int
    agree: int


@dataclass(frozen=True)
class Source:
    """A data set: what is compared, where it comes from, and why cases differ."""

    key: str
    what: str
    origin: str
    files: str
    compare: Callable[[Path], Tally]
    cause: str = ""


def tally(results: Iterator[bool]) -> Tally:
    """Count the cases and those that agree."""
    agreements = list(results)
    return Tally(len(agreements), sum(agreements))


# ------------------------------------------------------------ Go


def go_values(folder: Path) -> Tally:
    """The ten values of each possible match, one case for each match."""
    import mcmahon_data as data

    from pairopt.problem.build import prepare
    from pairopt.rules.criteria.mcmahon import TERMS

    def compare() -> Iterator[bool]:
        for name, number in data.all_rounds():
            given = data.tournament(name)
            problem = prepare(data.event(given, number), data.model(given))
            rule: Any = problem.criteria[0]
            columns = given["columns"]
            rows = given["rounds"][str(number)]["values"]
            arcs = data.pair_arcs(problem.state, rows)
            found = {
                column: rule.term_values(problem.state, arcs, term)
                for term, column in zip((*TERMS, "total"), data.TERMS, strict=True)
            }
            for k, row in enumerate(rows):
                stated = dict(zip(columns[2:], row[2:], strict=True))
                own = {column: int(values[k]) for column, values in found.items()}
                yield stated == {**dict.fromkeys(stated, 0), **own}

    return tally(compare())


def go_rounds(folder: Path) -> Tally:
    """The published rounds that are optimal by their own weights."""
    import mcmahon_data as data

    from pairopt import check

    def compare() -> Iterator[bool]:
        for name, number in data.all_rounds():
            given = data.tournament(name)
            event, model = data.event(given, number), data.model(given)
            yield check(event, data.published_frame(given, number), model).agrees

    return tally(compare())


# ------------------------------------------------------------ draws


def cup_tables(folder: Path, name: str, one: str, two: str) -> Iterator[Any]:
    """Each season of a file with the matches that are allowed."""
    for season in json.loads((folder / "odds" / name).read_text("utf-8"))["seasons"]:
        allowed = [
            [
                a["group"] != b["group"] and a["country"] != b["country"]
                for b in season[two]
            ]
            for a in season[one]
        ]
        yield season, allowed


def uniform_odds(folder: Path) -> Tally:
    """Each pair's count of valid draws."""

    def compare() -> Iterator[bool]:
        for season, allowed in cup_tables(folder, "r16.json", "winners", "runners_up"):
            counts, draws = count_draws(allowed)
            for own, stated in zip(counts, season["uniform"]["counts"], strict=True):
                for a, b in zip(own, stated, strict=True):
                    yield a == b and draws == season["uniform"]["draws"]

    return tally(compare())


def mechanism(folder: Path) -> Tally:
    """Each pair's probability by the mechanism, as a fraction and beside cldraw."""

    def compare() -> Iterator[bool]:
        for season, allowed in cup_tables(folder, "r16.json", "runners_up", "winners"):
            own = mechanism_odds(allowed)
            size = range(len(own))
            for i in size:
                for j in size:
                    stated = Fraction(season["mechanism_fractions"][j][i])
                    other = season["mechanism_cldraw"][j][i]
                    yield own[i][j] == stated and abs(float(own[i][j]) - other) < 1e-12

    return tally(compare())


def europa_league(folder: Path) -> Tally:
    """Each pair's count of valid draws among up to 7·10¹² draws."""

    def compare() -> Iterator[bool]:
        for season, allowed in cup_tables(folder, "el32.json", "seeded", "unseeded"):
            counts, draws = count_draws(allowed)
            for own, stated in zip(counts, season["counts"], strict=True):
                for a, b in zip(own, stated, strict=True):
                    yield a == b and draws == season["draws"]

    return tally(compare())


# ------------------------------------------------------------ Majors


def majors(folder: Path) -> Tally:
    """Each round of each stage, paired again from the results before."""
    from majors_data import event_after, model_of_stage, pairs_of, stages

    def compare() -> Iterator[bool]:
        for stage in stages():
            model = model_of_stage(stage)
            for number, games in enumerate(stage["rounds"]):
                event = event_after(stage["rounds"][:number])
                yield pairs_of(event, model) == {frozenset(game) for game in games}

    return tally(compare())


# ------------------------------------------------------------ chess


def numbered_pairs(result: Result) -> set[tuple[int, int]]:
    """White and Black of each match by number, 0 for the bye."""
    assert result.arcs is not None
    names = [int(name.lstrip("p")) for name in result.problem.state.names] + [0]
    return {(names[one], names[two]) for one, two in result.arcs.pairs}


def read_text_event(text: str) -> Event:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "round.trf"
        path.write_text(text, encoding="utf-8")
        return read_event(path)


def generator(folder: Path) -> Tally:
    """Random rounds of bbpPairings' generator, with colours."""
    lines = (folder / "dutch" / "cases.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    return tally(
        numbered_pairs(solve(read_text_event(case["trf"]), "fide-dutch"))
        == {*map(tuple, case["pairs"])}
        for case in cases
    )


def opens(folder: Path) -> Tally:
    """Published rounds of opens, without colours and without byes."""
    place = folder / "dutch" / "published"
    lines = (place / "expected.jsonl").read_text("utf-8").splitlines()

    def compare() -> Iterator[bool]:
        for record in map(json.loads, lines):
            found = numbered_pairs(
                solve(read_event(place / record["file"]), "fide-dutch")
            )
            own = {frozenset(pair) for pair in found if 0 not in pair}
            yield own == {frozenset(pair) for pair in record["pairs"]}

    return tally(compare())


def lichess_rounds(folder: Path) -> Tally:
    """Rounds of a Swiss tournament on Lichess, with colours and byes."""
    import own_rules

    from pairopt import check

    if not list((folder / "trf").glob("lichess_swiss_*.trf")):
        return Tally(0, 0)
    return tally(
        check(each.event, each.rows, each.model).agrees
        for each in own_rules.lichess(folder)
    )


def disputes(folder: Path) -> Tally:
    """Positions in which programs or rules of different years disagree."""
    place = folder / "dutch_disputes"
    expected = json.loads((place / "expected.json").read_text("utf-8"))

    def compare() -> Iterator[bool]:
        for name, record in expected.items():
            found = numbered_pairs(solve(read_event(place / name), "fide-dutch"))
            stated = {frozenset(pair) for pair in record["rules_2026"]}
            yield {frozenset(pair) for pair in found} == stated

    return tally(compare())


def golden(folder: Path) -> Tally:
    """Small events in which the higher-rated player always wins."""
    content = json.loads((folder / "dutch_disputes" / "golden.json").read_text("utf-8"))

    def compare() -> Iterator[bool]:
        for scenario in content["scenarios"]:
            rounds = scenario["bbppairings"]
            for number in map(int, rounds):
                event = golden_event(scenario, number)
                listed = [name for pair in rounds[str(number)] for name in pair if name]
                gone = [name for name in event.players if name not in listed]
                found = numbered_pairs(solve(event, "fide-dutch", drop=gone))
                yield found == {
                    (int(one[1:]), int(two[1:]) if two else 0)
                    for one, two in rounds[str(number)]
                }

    return tally(compare())


def golden_event(scenario: Mapping[str, Any], number: int) -> Event:
    """The event before a round: White is first, and the smaller number wins."""
    rows = []
    for turn in range(1, number):
        for one, two in scenario["bbppairings"][str(turn)]:
            wins = two is None or int(one[1:]) < int(two[1:])
            score2 = None if two is None else int(not wins)
            side = None if two is None else "white"
            rows.append((turn, one, two, side, int(wins), score2))
    columns = ["round", "player1", "player2", "side1", "score1", "score2"]
    players = pd.DataFrame(scenario["players"]).rename(columns={"id": "player"})
    event = read_event(
        pd.DataFrame(rows, columns=columns, dtype=object),
        players.drop(columns="active"),
    )
    settings = replace(event.settings, rounds=len(scenario["bbppairings"]))
    event = replace(event, settings=settings, initial_side=0)
    return event if event.sides else event.with_sides(("white", "black"))


def own_tests(folder: Path) -> Tally:
    """bbpPairings' own test cases of the Dutch System."""

    def compare() -> Iterator[bool]:
        for path in sorted((folder / "trf").glob("*.input")):
            if path.stem == "issue_15":  # a case of the Burstein System
                continue
            answer = path.with_suffix(".output.expected").read_text("utf-8")
            pairs = [tuple(map(int, line.split())) for line in answer.split("\n")[1:]]
            found = numbered_pairs(solve(read_event(path), "fide-dutch"))
            yield found == {pair for pair in pairs if pair}

    return tally(compare())


def tie_breaks(folder: Path) -> Tally:
    """The values of FIDE's worked examples, one case for each player and code."""
    content = json.loads((folder / "tiebreaks" / "held.json").read_text("utf-8"))
    event = read_event(folder / "tiebreaks" / content["file"])

    def compare() -> Iterator[bool]:
        for code, stated in content["expected"]["2026"].items():
            found = {
                line.player: line.tie_breaks[code]
                for line in rank_players(event, [code])
            }
            for player, value in stated.items():
                yield found[player] == Fraction(value)

    return tally(compare())


def round_robins(folder: Path) -> Tally:
    """Each round of printed Berger tables, with colours and boards."""
    tables = json.loads((folder / "roundrobin" / "berger.json").read_text("utf-8"))

    def compare() -> Iterator[bool]:
        for size, stated in tables["tables"].items():
            for own, printed in zip(build_berger_table(int(size)), stated, strict=True):
                yield [list(board) for board in own] == printed

    return tally(compare())


PAIRGOTH = "ffrgo/pairgoth (e00be2d), Apache-2.0"
CLDRAW = "eminga/cldraw (3ff0f3b), MIT"
CHESSPAIRING = "gnutterts/chesspairing (a413c36), Apache-2.0"
SOURCES = (
    Source(
        "go-values",
        "OpenGotha's ten values of each possible match (Go)",
        PAIRGOTH,
        "api-webapp/src/test/resources/opengotha",
        go_values,
    ),
    Source(
        "go-rounds",
        "published rounds that are optimal by their own weights (Go)",
        PAIRGOTH,
        "api-webapp/src/test/resources/opengotha",
        go_rounds,
        'One published pairing is 33,332 below the greatest total ("split bug")',
    ),
    Source(
        "draw-uniform",
        "valid draws with each pair, round of 16 of the Champions League",
        f"clubs: {CLDRAW}",
        "clubs of 11 seasons",
        uniform_odds,
    ),
    Source(
        "draw-mechanism",
        "probability of each pair by UEFA's mechanism",
        CLDRAW,
        "program, run for 11 seasons",
        mechanism,
    ),
    Source(
        "draw-32",
        "valid draws with each pair, round of 32 of the Europa League",
        f"clubs: {CLDRAW}",
        "clubs of five seasons",
        europa_league,
    ),
    Source(
        "majors",
        "rounds of Counter-Strike Majors",
        "iebb/MajorMatchups (13a9aef) and sazarkin/major-pickems-sim (0491fa4), MIT",
        "matches and seeds of 20 stages",
        majors,
    ),
    Source(
        "dutch-generator",
        "random rounds of the Dutch System, paired by bbpPairings",
        "BieremaBoyzProgramming/bbpPairings 6",
        "its random generator, 100 rounds",
        generator,
    ),
    Source(
        "dutch-opens",
        "published rounds of three chess opens of 2026",
        "gbtami/swisspairing (193ad99), MIT",
        "benchmarks/fixtures/chess_results, nine rounds of each open",
        opens,
        "In one round 1, a late player met the player who had the bye",
    ),
    Source(
        "dutch-lichess",
        "rounds of a Swiss tournament on Lichess",
        "gbtami/swisspairing (193ad99), MIT",
        "benchmarks/fixtures/lichess, one tournament of 14 rounds",
        lichess_rounds,
        "In four rounds, one wrong fact in the file explains the difference "
        "(a pairing number, or a bye of 0 points); in one round a match has other colours",
    ),
    Source(
        "dutch-own-tests",
        "bbpPairings' own test cases of the Dutch System",
        "BieremaBoyzProgramming/bbpPairings (16a000f), Apache-2.0",
        "dutch_2025_C5, dutch_2025_C9, issue_7",
        own_tests,
    ),
    Source(
        "dutch-disputes",
        "positions in which programs or the rules of 2022 and 2026 differ",
        "AuroraRyunix/Ainalrami (e3ae30a), Apache-2.0",
        "four changes of rules, two disputes",
        disputes,
    ),
    Source(
        "dutch-golden",
        "small events, paired by bbpPairings",
        CHESSPAIRING,
        "golden files of four scenarios",
        golden,
    ),
    Source(
        "tie-breaks",
        "values of FIDE's worked examples of tie-breaks, by the rules of 2026",
        "OttoMilvang/TieBreakServer (b411582), MIT",
        "M. Held's exercises, seven codes of 16 players",
        tie_breaks,
    ),
    Source(
        "round-robin",
        "rounds of printed Berger tables",
        "c.w.fox.tripod.com/chess/berger.html; scribd 381712253",
        "tables for 4, 6 and 10 players",
        round_robins,
    ),
)


def row_text(source: Source, counts: Tally) -> str:
    """Return the row of a data set on the page."""
    differ = counts.cases - counts.agree
    return (
        f"| {source.what} | {source.origin} | {source.files} | {counts.cases:,} | "
        f"{counts.agree:,} | {differ:,} | {source.cause or 'none'} |"
    )


@cache
def page_counts() -> dict[str, Tally]:
    """Return the counts that the page states, by what is compared."""
    part = PAGE.read_text("utf-8").partition(START)[2].partition(END)[0]
    rows = [
        line.split(" | ") for line in part.splitlines() if re.search(r"\d \|", line)
    ]
    return {
        row[0].removeprefix("| "): Tally(*(int(c.replace(",", "")) for c in row[3:5]))
        for row in rows
    }


def compare_if_there(source: Source, folder: Path) -> Tally | None:
    """Compare a data set, None if the folder does not have it."""
    try:
        counts = source.compare(folder)
    except FileNotFoundError:
        return None
    return counts if counts.cases else None


@click.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.option("--only", default="", help="Compare only this data set.")
def main(folder: Path, only: str) -> None:
    """Compare pairopt with each data set in FOLDER, and write the page."""
    # The modules that read data of one format look for it there.
    places.REAL = folder.resolve()
    rows = []
    stated = page_counts()
    for source in SOURCES:
        counts = stated.get(source.what)
        if not only or source.key == only:
            found = compare_if_there(source, folder)
            if found is None:
                click.echo(f"{source.key}: not in {folder}")
            else:
                counts = found
                click.echo(f"{source.key}: {counts.agree} of {counts.cases} agree")
        if counts is not None:
            rows.append(row_text(source, counts))
    head = (
        "| what is compared | source | files | cases | agree | differ | cause |",
        "|---|---|---|---|---|---|---|",
    )
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(START)
    after = rest.partition(END)[2]
    table = "\n".join([*head, *rows])
    PAGE.write_text(f"{before}{START}\n{table}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
