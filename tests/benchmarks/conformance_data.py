"""Make the data of docs/conformance.md from clones of the repositories, and check them.

python tests/benchmarks/conformance_data.py CLONES FOLDER
python tests/benchmarks/conformance.py FOLDER

CLONES has one clone for each repository, named for example `pairgoth`, `ffrgo/pairgoth`
or `ffrgo+pairgoth`. The script reads the commits that SOURCES names, copies or converts
the files, writes them below FOLDER, and compares each file with its SHA-256 in
`results/conformance-data.csv`. It ends with exit code 1 if a file differs.

A checksum of a JSON file is that of its content, with sorted keys and without spaces.
`--list DATA` writes the list of checksums from files that you already have.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

import click
import networkx as nx

sys.path[:0] = [str(Path(__file__).parents[1] / "support")]

from majors_literal import Stage  # noqa: E402

LIST = Path(__file__).parent / "results" / "conformance-data.csv"
COLUMNS = ("path", "repository", "commit", "sha256")


@dataclass(frozen=True)
class Clone:
    """A clone of a repository, read at one commit."""

    folder: Path
    commit: str

    def git(self, *words: str) -> bytes:
        command = ["git", "-C", str(self.folder), *words]
        return subprocess.run(command, check=True, capture_output=True).stdout

    def read(self, path: str) -> bytes:
        return self.git("show", f"{self.commit}:{path}")

    @cached_property
    def paths(self) -> list[str]:
        names = self.git("ls-tree", "-r", "-z", "--name-only", self.commit)
        return [name for name in names.decode("utf-8").split("\0") if name]

    def below(self, folder: str) -> list[str]:
        """The names of the files below a folder, without the folder."""
        start = folder + "/"
        return [path[len(start) :] for path in self.paths if path.startswith(start)]


Files = Iterator[tuple[str, bytes]]


@dataclass(frozen=True)
class Source:
    """A repository, the commit that is read, and what is made of its files."""

    repository: str
    commit: str
    convert: Callable[..., Files]
    further: tuple[str, str] | None = None
    """A second repository with its commit, which `convert` gets, too."""


# ------------------------------------------------------------ chess: copies


def own_tests(clone: Clone) -> Files:
    """bbpPairings' own test cases."""
    for name in ("dutch_2025_C5", "dutch_2025_C9", "issue_15", "issue_7"):
        for end in ("input", "output.expected"):
            yield f"trf/{name}.{end}", clone.read(f"test/tests/{name}.{end}")


OPENS = (
    "aeroflot_open_2026",
    "budapest_spring_festival_2026_group_b_2250",
    "spring_2026_chesshouse",
)
OPEN_FOLDER = "benchmarks/fixtures/chess_results"
LICHESS = "lichess_swiss_2026.03.03_7TYuxURK_bullet-increment.trf"


def opens(clone: Clone) -> Files:
    """Three chess opens, with absent players marked and nine rounds stated."""
    yield f"trf/{LICHESS}", clone.read(f"benchmarks/fixtures/lichess/{LICHESS}")
    expected = []
    for name in OPENS:
        for file in clone.below(f"{OPEN_FOLDER}/{name}"):
            content = clone.read(f"{OPEN_FOLDER}/{name}/{file}")
            yield f"trf/{name}/{file}", content
        for number in range(1, 10):
            report, row = published_round(clone, name, number)
            yield f"dutch/published/{row['file']}", report.encode()
            expected.append(json.dumps(row))
    yield "dutch/published/expected.jsonl", "".join(f"{r}\n" for r in expected).encode()


def published_round(clone: Clone, name: str, number: int) -> tuple[str, dict[str, Any]]:
    """The report before a round with its absent players, and the published pairs."""
    folder = f"{OPEN_FOLDER}/{name}"
    file = f"{name}_r{number:02}.trf"
    report = clone.read(f"{folder}/{file}").decode()
    published = json.loads(clone.read(f"{folder}/published_pairings.json"))
    pairs = published["rounds"][number - 1]["published_pairings"]
    alone = [int(one) for one, two in pairs if two is None]

    # The next report has the colours, and says who had the bye of the pairing (U).
    colours: dict[int, str] = {}
    byes: set[int] = set()
    if number < 9:
        later = clone.read(f"{folder}/{name}_r{number + 1:02}.trf").decode()
        for line in later.splitlines():
            cell = line[91 + 10 * (number - 1) :][:10].split()
            if line.startswith("001") and len(cell) == 3:
                colours[int(line[4:8])] = cell[1]
                byes |= {int(line[4:8])} if cell[2] == "U" else set()
    rows = [
        [int(two), int(one)] if colours.get(int(one)) == "b" else [int(one), int(two)]
        for one, two in pairs
        if two is not None
    ]

    absent = {*alone} - byes
    lines = []
    for line in report.splitlines():
        text = line
        if line.startswith("001") and int(line[4:8]) in absent:
            text = line.ljust(91 + 10 * (number - 1)) + "0000 - Z"
        if line.startswith("XXR"):
            text = "XXR 9"
        lines.append(text)
    return "".join(f"{line}\n" for line in lines), {
        "file": file,
        "round": number,
        "pairs": rows,
        "colours_known": number < 9,
        "alone": alone,
    }


# ------------------------------------------------------------ chess: positions and answers

DELTAS = (
    "delta-1-seed1-r8",
    "delta-3-seed8-r9",
    "delta-5-seed19-r9",
    "delta-7-seed24-r8",
)
DISPUTES = ("seed7073463-r8-p9", "seed8848759-r9-p10")


def disputes(clone: Clone) -> Files:
    """Positions in which programs or the rules of two years differ."""
    expected: dict[str, dict[str, Any]] = {}
    manifest = clone.read("test/fixtures/rule_delta/manifest.exs").decode()
    for name in DELTAS:
        path = f"test/fixtures/rule_delta/{name}.trf"
        yield f"dutch_disputes/{name}.trf", clone.read(path)
        part = manifest.split(f'file: "{name}.trf"')[1].split("file:")[0]
        expected[f"{name}.trf"] = {
            "kind": "rule change 2022 to 2026",
            "rules_2026": elixir_pairs(
                part.split("rules_2026:")[1].split("rules_2022:")[0]
            ),
            "rules_2022": elixir_pairs(part.split("rules_2022:")[1]),
        }
    for name in DISPUTES:
        folder = "test/fixtures/fe1_disputes"
        yield f"dutch_disputes/{name}.trf", clone.read(f"{folder}/{name}.trf")
        text = clone.read(f"{folder}/{name}.txt").decode()
        expected[f"{name}.trf"] = {
            "kind": "dispute: Ainalrami (and Gacrux) against bbpPairings 6.0.0",
            "rules_2026": elixir_pairs(text.split("Ainalrami:")[1].split("\n")[0]),
            "bbppairings": elixir_pairs(text.split("bbpPairings:")[1].split("\n")[0]),
        }
    yield "dutch_disputes/expected.json", as_json(expected)


ESCAPES = {
    "a": 7,
    "b": 8,
    "d": 127,
    "e": 27,
    "f": 12,
    "n": 10,
    "r": 13,
    "s": 32,
    "t": 9,
    "v": 11,
}
"""Elixir prints lists of small numbers as text, for example [8, 10] as ~c"\\b\\n"."""


def elixir_pairs(text: str) -> list[list[int]]:
    """The pairs in a list of Elixir, 0 for nil."""
    found = []
    pattern = r'~c"((?:\\.|[^"])*)"|[\[{](\d+), (\d+|nil)[\]}]'
    for match in re.finditer(pattern, text):
        if match[2]:
            found.append([int(match[2]), 0 if match[3] == "nil" else int(match[3])])
            continue
        signs = re.findall(r"\\.|.", match[1])
        found.append(
            [ESCAPES.get(s[1:], ord(s[-1])) if s[1:] else ord(s) for s in signs]
        )
    return found


SCENARIOS = (
    "10-players-7-rounds",
    "20-players-9-rounds",
    "9-players-5-rounds",
    "withdrawal",
)
GOLDEN_NOTE = (
    "chesspairing (Apache-2.0), answers of bbpPairings and JaVaFo; the history of round r is "
    "rounds 1 to r-1 of bbpPairings with the result that the description says; "
    "[player, null] is the bye"
)


def golden(clone: Clone) -> Files:
    """Small events with the answers of two programs."""
    scenarios = []
    for name in SCENARIOS:
        folder = "pairing/dutch/testdata"
        own = json.loads(
            clone.read(f"{folder}/golden-bbppairings/{name}/scenario.json")
        )
        row = {
            "scenario": name,
            "description": own["description"],
            "players": [
                {"id": p["ID"], "rating": p["Rating"], "active": p["Active"]}
                for p in own["players"]
            ],
        }
        for program in ("bbppairings", "javafo"):
            place = f"{folder}/golden-{program}/{name}"
            rounds = {}
            for file in clone.below(place):
                if found := re.fullmatch(r"round-(\d+)\.json", file):
                    rounds[found[1]] = golden_pairs(
                        json.loads(clone.read(f"{place}/{file}"))
                    )
            row[program] = rounds
        scenarios.append(row)
    content = {"note": GOLDEN_NOTE, "scenarios": scenarios}
    yield "dutch_disputes/golden.json", as_json(content)


def golden_pairs(content: dict[str, Any]) -> list[list[str | None]]:
    pairs = [[pair["WhiteID"], pair["BlackID"]] for pair in content["Pairings"]]
    return pairs + [[bye["PlayerID"], None] for bye in content["Byes"] or ()]


# ------------------------------------------------------------ Go

GO = {
    "go1": ("simplemm", (1, 2, 3, 4, 5)),
    "go2": ("Toulouse2024", (1, 2, 3)),
    "go3": ("notsosimpleswiss", (1, 2, 3, 4, 5)),
    "go4": ("20240921-KPMC-Splitbug", (1,)),
}
GO_FOLDER = "api-webapp/src/test/resources/opengotha"
COSTS = {
    "duplicate": "baseDuplicateGameCost",
    "random": "baseRandomCost",
    "colour": "baseBWBalanceCost",
    "category": "mainCategoryCost",
    "score": "mainScoreDiffCost",
    "draw": "mainDUDDCost",
    "seed": "mainSeedCost",
    "handicap": "secHandiCost",
    "geo": "secGeoCost",
    "total": "totalCost",
}


def go(clone: Clone) -> Files:
    """Tournaments of OpenGotha with its ten values of each possible match."""
    for name, (file, numbers) in GO.items():
        text = clone.read(f"{GO_FOLDER}/pairings/{file}.xml").decode("utf-8")
        root = ElementTree.fromstring(text)  # noqa: S314
        content = go_tournament(root, name, max(numbers))
        keys = content.pop("keys")
        rounds = {}
        for number in numbers:
            path = f"{GO_FOLDER}/{file}/{file}_weights_R{number}.txt"
            values = go_values(clone.read(path).decode("utf-8"), keys)
            rounds[str(number)] = go_round(values, content["games"], number)
        content["rounds"] = rounds
        data = as_json(content)
        yield f"mcmahon/{name}.json.gz", gzip.compress(data, mtime=0)


def go_rank(text: str) -> int:
    number = int(text[:-1])
    return number - 1 if text[-1].upper() == "D" else -number


def go_key(name: str) -> str:
    return name.replace(" ", "").upper()


def go_tournament(root: ElementTree.Element, name: str, last: int) -> dict[str, Any]:
    """The players by number, the parameters and the games up to a round."""
    listed = sorted(
        root.iter("Player"), key=lambda p: (p.attrib["name"], p.attrib["firstName"])
    )
    ids: dict[str, str] = {}
    clubs: dict[str, str] = {}
    players = []
    for index, element in enumerate(listed, 1):
        at = element.attrib
        ids[go_key(at["name"] + at["firstName"])] = f"p{index}"
        club = clubs.setdefault(at["club"], f"c{len(clubs) + 1}")
        absent = [k for k, sign in enumerate(at["participating"], 1) if sign == "0"]
        players.append(
            {
                "id": f"p{index}",
                "rank": go_rank(at["rank"]),
                "rating": int(at["rating"]),
                "club": club,
                "country": at["country"],
                "corr": int(at["smmsCorrection"]),
                "absent": absent,
            }
        )
    games = [
        {
            "round": int(g.attrib["roundNumber"]),
            "table": int(g.attrib["tableNumber"]),
            "white": ids[go_key(g.attrib["whitePlayer"])],
            "black": ids[go_key(g.attrib["blackPlayer"])],
            "handicap": int(g.attrib["handicap"]),
            "result": "white" if "WHITEWINS" in g.attrib["result"] else "black",
        }
        for g in root.iter("Game")
        if int(g.attrib["roundNumber"]) <= last
    ]
    byes = [
        {
            "round": int(b.attrib["roundNumber"]),
            "player": ids[go_key(b.attrib["player"])],
        }
        for b in root.iter("ByePlayer")
        if int(b.attrib["roundNumber"]) <= last
    ]
    return {
        "id": name,
        "parameters": go_parameters(root),
        "players": players,
        "games": sorted(games, key=lambda g: (g["round"], g["table"])),
        "byes": sorted(byes, key=lambda b: b["round"]),
        "columns": ["player", "player", *COSTS],
        "keys": ids,
    }


def go_parameters(root: ElementTree.Element) -> dict[str, Any]:
    """The parameters of a tournament of OpenGotha that its terms read."""
    general, handicap, pairing = (
        next(root.iter(f"{part}ParameterSet")).attrib
        for part in ("General", "Handicap", "Pairing")
    )
    first = next(root.iter("PlacementParameterSet"))
    names = [each.attrib["name"] for each in first.iter("PlacementCriterion")]
    placement = [name for name in names if name != "NULL"]

    def is_true(text: str) -> bool:
        return text == "true"

    return {
        "system": "mcmahon" if placement[0] == "MMS" else "swiss",
        "rounds": int(general["numberOfRounds"]),
        "floor": go_rank(general["genMMFloor"]),
        "bar": go_rank(general["genMMBar"]),
        "absent_mms": int(general["genMMS2ValueAbsent"]) / 2,
        "round_down": is_true(general["genRoundDownNBWMMS"]),
        "placement": placement,
        "handicap": {
            "on_mms": is_true(handicap["hdBasedOnMMS"]),
            "none_above": go_rank(handicap["hdNoHdRankThreshold"]),
            "correction": int(handicap["hdCorrection"]),
            "ceiling": int(handicap["hdCeiling"]),
        },
        "weights": {
            "duplicate": int(pairing["paiBaAvoidDuplGame"]),
            "colour": int(pairing["paiBaBalanceWB"]),
            "random": int(pairing["paiBaRandom"]),
            "category": int(pairing["paiMaAvoidMixingCategories"]),
            "score": int(pairing["paiMaMinimizeScoreDifference"]),
            "draw": int(pairing["paiMaDUDDWeight"]),
            "seed": int(pairing["paiMaMaximizeSeeding"]),
            "geo": int(pairing["paiSeAvoidSameGeo"]),
            "minimise_handicap": int(pairing["paiSeMinimizeHandicap"]),
        },
        "concavity": float(pairing["paiStandardNX1Factor"]),
        "draw_compensate": is_true(pairing["paiMaCompensateDUDD"]),
        "draw_upper": pairing["paiMaDUDDUpperMode"],
        "draw_lower": pairing["paiMaDUDDLowerMode"],
        "seed_until": int(pairing["paiMaLastRoundForSeedSystem1"]),
        "seed1": pairing["paiMaSeedSystem1"],
        "seed2": pairing["paiMaSeedSystem2"],
        "seed_extra1": pairing["paiMaAdditionalPlacementCritSystem1"],
        "seed_extra2": pairing["paiMaAdditionalPlacementCritSystem2"],
        "geo": {
            "country": int(pairing["paiSePreferMMSDiffRatherThanSameCountry"]),
            "club": int(pairing["paiSePreferMMSDiffRatherThanSameClub"]),
            "bar": is_true(pairing["paiSeBarThresholdActive"]),
            "rank": go_rank(pairing["paiSeRankThreshold"]),
            "wins": is_true(pairing["paiSeNbWinsThresholdActive"]),
        },
    }


def go_values(text: str, ids: dict[str, str]) -> list[list[Any]]:
    """The values of each pair once, in the order of the players."""
    blocks: dict[tuple[int, int], list[int]] = {}
    for block in text.split("Player1Name=")[1:]:
        names_and_values = dict(
            line.split("=", 1)
            for line in ("Player1Name=" + block).splitlines()
            if "=" in line
        )
        one, two = (
            int(ids[go_key(names_and_values[f"Player{k}Name"])][1:]) for k in (1, 2)
        )
        row = [int(float(names_and_values[column])) for column in COSTS.values()]
        blocks[min(one, two), max(one, two)] = row
    return [[f"p{a}", f"p{b}", *blocks[a, b]] for a, b in sorted(blocks)]


def go_round(values: list[list[Any]], games: list[Any], number: int) -> dict[str, Any]:
    """The values of a round with the greatest total and that of the published pairs."""
    graph = nx.Graph()
    for one, two, *row in values:
        graph.add_edge(one, two, weight=row[-1])
    pairs = [(g["white"], g["black"]) for g in games if g["round"] == number]
    best = nx.max_weight_matching(graph, maxcardinality=True)
    return {
        "greatest_total": sum(graph.edges[pair]["weight"] for pair in best),
        "published_total": sum(graph.edges[pair]["weight"] for pair in pairs),
        "pairs": len(pairs),
        "values": values,
    }


# ------------------------------------------------------------ Majors

CS, GO_CS = "src/container/CS2", "src/container/CSGO"
MAJORS = {
    "cs01": (f"{GO_CS}/2022/Antwerp/Antwerp2022", "finalDataLegends", "1v16"),
    "cs03": (f"{GO_CS}/2022/Antwerp/Antwerp2022RMR", "AME", "1v16"),
    "cs05": (f"{GO_CS}/2022/Antwerp/Antwerp2022RMR", "EUB", "1v16"),
    "cs07": (f"{CS}/2024/Copenhagen/Copenhagen2024", "initialDataChallenger", "1v9"),
    "cs09": (f"{CS}/2024/Copenhagen/Copenhagen2024Qual", "NAM", "1v9"),
    "cs11": (f"{CS}/2024/Copenhagen/Copenhagen2024RMR", "AM", "1v9"),
    "cs13": (f"{CS}/2024/Copenhagen/Copenhagen2024RMR", "EUB", "1v9"),
    "cs15": (f"{GO_CS}/2023/Paris2023", "initialDataChallenger", "1v16"),
    "cs17": (f"{GO_CS}/2023/Paris2023Qual", "EUB", "1v16"),
    "cs19": (f"{GO_CS}/2023/Paris2023Qual", "SAM", "1v16"),
    "cs21": (f"{GO_CS}/2023/Paris2023RMR", "EUA", "1v16"),
    "cs23": (f"{GO_CS}/2022/Rio/Rio2022", "finalDataLegends", "1v16"),
    "cs25": (f"{GO_CS}/2022/Rio/Rio2022RMR", "AME", "1v16"),
    "cs27": (f"{GO_CS}/2022/Rio/Rio2022RMR", "EUB", "1v16"),
    "cs29": (
        f"{CS}/2024/Shanghai/Shanghai2024Provisional",
        "initialDataChallenger",
        "1v9",
    ),
    "cs31": (f"{CS}/2024/Shanghai/Shanghai2024Qual", "EUB", "1v9"),
    "cs33": (f"{CS}/2024/Shanghai/Shanghai2024RMR", "AM", "1v9"),
    "cs35": (f"{CS}/2024/Shanghai/Shanghai2024RMR", "EUB", "1v9"),
    "cs37": (f"{GO_CS}/2021/Stockholm2021", "initialDataChallenger", "1v16"),
}
"""The folder, the list of teams and the first round of each stage."""
TWO_LOSSES = {"cs11"}
MAJORS_FORMAT = (
    "teams are numbered by their seed in the stage; each round is a list of [winner, loser]; "
    "wins, losses: how many take a team out"
)


def majors(clone: Clone, budapest: Clone) -> Files:
    """Stages of Majors: each match as winner and loser by seed."""
    stages = []
    for name, (folder, teams, first_round) in MAJORS.items():
        seeds = major_seeds(clone, folder, teams)
        results = major_results(clone, folder, teams, seeds)
        title = f"iebb/MajorMatchups {PurePosixPath(folder).name} {teams}"
        stages.append(major_stage(name, title, first_round, results))
    title = "sazarkin/major-pickems-sim swisssystem_test.go Budapest 2025 stage 2"
    stages.append(major_stage("cs39", title, "1v9", budapest_results(budapest)))
    yield "majors/stages.json", as_json({"format": MAJORS_FORMAT, "stages": stages})


def major_seeds(clone: Clone, folder: str, teams: str) -> dict[str, int]:
    """The seed of each team's code. Legends come with those of the stage before."""
    text = clone.read(f"{folder}/initial_data.js").decode("utf-8")
    names = [teams, "initialDataLegends"] if teams == "finalDataLegends" else [teams]
    seeds: dict[str, int] = {}
    for name in names:
        part = text.split(f"export const {name} =")[1].split("export const")[0]
        if found := re.match(r"\s*require\(\"\./(.*?)\"\)", part):
            part = clone.read(f"{folder}/{found[1]}").decode("utf-8")
        for block in re.findall(r"\{[^{}]*\}", part):
            code = re.search(r"\"?code\"?:\s*\"(.*?)\"", block)
            number = re.search(r"\"?seed\"?:\s*(\d+)", block)
            if code and number:
                seeds[code[1]] = int(number[1])
    order = sorted(seeds, key=seeds.__getitem__)
    return {code: place for place, code in enumerate(order, 1)}


def major_results(
    clone: Clone, folder: str, teams: str, seeds: dict[str, int]
) -> dict[frozenset[int], int]:
    """The seed of the winner of each match of these teams."""
    text = clone.read(f"{folder}/scores.js").decode("utf-8")
    is_legends = "Legends" in teams
    own = f"FinalResults{'Legends' if is_legends else 'Challenger'} ="
    start = own if own in text else "const Scores"
    text = text.split(start)[1].split("export const")[0]
    parts = re.split(r"\"[0-9]\":\s*\{", text)
    if len(parts) > 1:
        text = parts[2 if is_legends else 1]
    scores = {
        match[1]: json.loads(re.sub(r",(\s*\])", r"\1", match[2]))
        for match in re.finditer(r"\"([^\"]+)\":\s*(\[[\s\d,\[\]]*\])", text)
    }
    results = {}
    for one, seed in seeds.items():
        for two, other in seeds.items():
            if maps := scores.get(f"{one}-{two}"):
                won = sum(a > b for a, b in maps) > sum(a < b for a, b in maps)
                results[frozenset((seed, other))] = seed if won else other
    return results


def budapest_results(clone: Clone) -> dict[frozenset[int], int]:
    """The seed of the winner of each match of Budapest 2025, stage 2."""
    text = clone.read("swisssystem_test.go").decode("utf-8")
    part = text.split("func TestBudapest2025Stage2")[1].split("for _, m := range")[0]
    rows = re.findall(r"\{(\d+), (\d+)\},", part)
    return {frozenset((int(won), int(lost))): int(won) for won, lost in rows}


def major_stage(
    name: str, source: str, first_round: str, results: dict[frozenset[int], int]
) -> dict[str, Any]:
    """Order the matches of a stage by rounds, as the text of the rules pairs them."""
    losses = 2 if name in TWO_LOSSES else 3
    half = range(1, 9)
    pairs = [(k, k + 8) if first_round == "1v9" else (k, 17 - k) for k in half]
    rounds: list[list[list[int]]] = []
    while pairs:
        winners = [(results[frozenset(pair)], pair) for pair in pairs]
        games = [[won, two if won == one else one] for won, (one, two) in winners]
        rounds.append(games)
        played = [(a, b) for turn in rounds for a, b in turn]
        pairs = Stage(played).pairs(losses=losses)
    assert sum(map(len, rounds)) == len(results), name
    return {
        "id": name,
        "source": source,
        "first_round": first_round,
        "wins": 3,
        "losses": losses,
        "rounds": rounds,
        "order": "table",
    }


# ------------------------------------------------------------ the Europa League's draws

SEASONS = ("2012/13", "2014/15", "2016/17", "2018/19", "2020/21")
DRAWS_NOTE = (
    "Europa League round of 32, clubs from eminga/cldraw (MIT); draws and counts (rows "
    "seeded, columns unseeded) by the curator with a dynamic program over sets; clubs from "
    "the Champions League have no group"
)


def draws(clone: Clone) -> Files:
    """Clubs of five seasons, and how many valid draws have each pair."""
    root = ElementTree.fromstring(clone.read("config.xml"))  # noqa: S314
    seasons = []
    for season in SEASONS:
        (found,) = root.findall(f"teams[@competition='el'][@season='{season}']")
        clubs = {
            pot: [club_row(each) for each in found.findall(f"{pot}/team")]
            for pot in ("seeded", "unseeded")
        }
        allowed = [
            [
                a["group"] != b["group"] and a["country"] != b["country"]
                for b in clubs["unseeded"]
            ]
            for a in clubs["seeded"]
        ]
        counts, total = draw_counts(allowed)
        seasons.append({"season": season, **clubs, "draws": total, "counts": counts})
    yield "odds/el32.json", as_json({"note": DRAWS_NOTE, "seasons": seasons})


def club_row(element: ElementTree.Element) -> dict[str, str]:
    name = element.text or ""
    group = element.get("group") or f"none {name}"
    return {"name": name, "group": group, "country": element.attrib["country"]}


def draw_counts(allowed: list[list[bool]]) -> tuple[list[list[int]], int]:
    """How many valid draws have each pair, and how many there are, by sets of columns."""
    size = len(allowed)
    masks = [sum(1 << j for j in range(size) if row[j]) for row in allowed]
    first = [0] * (1 << size)  # rows 0 to k-1 have the columns of a set of k
    last = [0] * (1 << size)  # the other rows have the columns outside of the set
    first[0] = last[-1] = 1
    for used in range(1 << size):
        row = used.bit_count()
        if row < size and first[used]:
            for j in range(size):
                if masks[row] >> j & 1 and not used >> j & 1:
                    first[used | 1 << j] += first[used]
    counts = [[0] * size for _ in range(size)]
    for used in reversed(range((1 << size) - 1)):
        row = used.bit_count()
        for j in range(size):
            if masks[row] >> j & 1 and not used >> j & 1:
                further = last[used | 1 << j]
                last[used] += further
                counts[row][j] += first[used] * further
    return counts, first[-1]


# ------------------------------------------------------------ all

SOURCES = (
    Source("BieremaBoyzProgramming/bbpPairings", "16a000f", own_tests),
    Source("gbtami/swisspairing", "193ad99", opens),
    Source("AuroraRyunix/Ainalrami", "e3ae30a", disputes),
    Source("gnutterts/chesspairing", "a413c36", golden),
    Source("ffrgo/pairgoth", "e00be2d", go),
    Source("eminga/cldraw", "3ff0f3b", draws),
    Source(
        "iebb/MajorMatchups",
        "13a9aef",
        majors,
        ("sazarkin/major-pickems-sim", "0491fa4"),
    ),
)


def as_json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def checksum(path: str, data: bytes) -> str:
    """The SHA-256 of a file, of a JSON file that of its content."""
    content = gzip.decompress(data) if path.endswith(".gz") else data
    if ".json" in PurePosixPath(path).name:
        text = content.decode("utf-8")
        parts = text.splitlines() if path.endswith(".jsonl") else [text]
        values = [json.loads(part) for part in parts]
        content = json.dumps(values, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()


def find_clone(clones: Path, repository: str, commit: str) -> Clone | None:
    """The clone of a repository below a folder, None if there is none."""
    owner, name = repository.split("/")
    for place in (name, f"{owner}/{name}", f"{owner}+{name}"):
        for folder in (clones / place, clones / place / "repo"):
            if (folder / ".git").exists() or (folder / "HEAD").exists():
                return Clone(folder, commit)
    return None


def stated() -> dict[str, dict[str, str]]:
    """The rows of the list of checksums by path."""
    with LIST.open(newline="", encoding="utf-8") as file:
        return {row["path"]: row for row in csv.DictReader(file)}


@click.command()
@click.argument("clones", type=click.Path(exists=True, path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--list", "data", type=click.Path(exists=True, path_type=Path))
def main(clones: Path, folder: Path, data: Path | None) -> None:
    """Convert the files of the repositories in CLONES to FOLDER, and check them."""
    listed = {} if data else stated()
    rows = []
    differing = 0
    for source in SOURCES:
        needed = [(source.repository, source.commit)]
        needed += [source.further] if source.further else []
        found = [find_clone(clones, *each) for each in needed]
        if None in found:
            click.echo(f"{needed[found.index(None)][0]}: no clone in {clones}")
            continue
        made = {}
        for path, content in source.convert(*found):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            made[path] = checksum(path, content)
            if data:
                own = checksum(path, (data / path).read_bytes())
                rows.append((path, source.repository, source.commit, own))
                listed[path] = {"sha256": own}
        wrong = [
            path for path, digest in made.items() if listed[path]["sha256"] != digest
        ]
        for path in wrong:
            click.echo(f"  differs: {path}")
        differing += len(wrong)
        equal = len(made) - len(wrong)
        click.echo(
            f"{source.repository} {source.commit}: {equal} of {len(made)} files equal"
        )
    if data:
        with LIST.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([COLUMNS, *sorted(rows)])
    raise SystemExit(bool(differing))


if __name__ == "__main__":
    main()
