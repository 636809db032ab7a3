"""The pages: their commands run, and their tables and figures are those of the results."""

from __future__ import annotations

import re
from pathlib import Path

import make_tables
import pages
import pandas as pd
import peers
import pytest
from places import ROOT
from study_text import HARD

from pairopt.lab import World, simulate
from pairopt.lab.measuring.statistics.comparing import METRICS
from pairopt.lab.measuring.table import GAMES
from pairopt.show.cli import COMMANDS

STUDY_PAGES = [path for path in pages.PAGES if path.parent.name == "studies"]
CODE = [path for path in pages.PAGES
        if path not in STUDY_PAGES and pages.blocks(pages.text(path), "(?:sh|python)")]  # fmt: skip


STUDIES = ("federation", "guide", "instruments", "laboratory", "research", "worlds")
"""Pages whose commands take long; tests of their own run what they show."""


def flat(name: str) -> str:
    return " ".join(pages.page(name).split())


@pytest.mark.long
@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=pytest.mark.slow if p.stem in STUDIES else ()) for p in CODE],
    ids=lambda path: path.stem,
)
def test_every_command_runs(path: Path, weekly: Path) -> None:
    for command in pages.blocks(pages.text(path), "sh"):
        if pages.SETUP in command:
            continue
        if " serve " in command:
            assert "http://127.0.0.1:" in pages.said_first(
                f"{command.strip()} --no-browser", weekly
            )
            continue
        done = pages.run(command, weekly)
        assert done.returncode == 0, (command, done.stderr)
    for code in pages.blocks(pages.text(path), "python"):
        done = pages.run_python(code, weekly)
        assert done.returncode == 0, (code, done.stderr)


def test_there_are_commands_to_run() -> None:
    assert {"README", "guide", "systems", "choosing", "research", "api"} <= {p.stem for p in CODE}
    assert len(pages.blocks(pages.text(pages.README), "sh")) >= 4


@pytest.mark.parametrize(
    "name", ["arbiter", "guide", "page", "federation", "fide-dutch", "standings"]
)
def test_organisers_commands_are_those_of_any_system(name: str) -> None:
    """Nothing that the command line of Windows lacks or takes otherwise."""
    for block in pages.blocks(pages.page(name), "sh"):
        for line in block.strip().splitlines():
            assert re.fullmatch(r"pairopt(-fide)? [^'\\|<>;&$`]*", line), line


@pytest.mark.parametrize("path", STUDY_PAGES, ids=lambda path: path.stem)
def test_the_commands_of_studies_are_those_that_the_slow_sweep_runs(path: Path) -> None:
    """tests/docs/test_studies.py makes each anew; that of a benchmark is in its README."""
    for block in pages.blocks(pages.text(path), "sh"):
        for command in block.strip().splitlines():
            words = command.split()
            if words[:3] == ["pairopt", "study", "run"]:
                assert (ROOT / words[3]).is_file()
                assert words[4:] == ["-o", Path(words[3]).parent.name, "--jobs", "2"]
            else:
                assert command in pages.text(ROOT / "tests" / "benchmarks" / "README.md")


@pytest.mark.parametrize("path", pages.PAGES, ids=lambda path: path.stem)
def test_commands_that_are_named_exist(path: Path) -> None:
    content = pages.text(path)
    shown = "\n".join(pages.blocks(content, "sh"))
    named = re.findall(r"`pairopt ([a-z]+)", content) + re.findall(r"\bpairopt ([a-z]+) ", shown)
    assert set(named) <= set(COMMANDS)


@pytest.mark.parametrize(
    "path", [*pages.PAGES, ROOT / "tests" / "README.md"], ids=lambda path: path.stem
)
def test_files_that_are_named_exist(path: Path) -> None:
    named = re.findall(r"`((?:pairopt|tests|models|examples)/[\w./-]+)`", pages.text(path))
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.long
def test_the_guides_cost_of_options(weekly: Path) -> None:
    (command,) = [b for b in pages.blocks(pages.page("guide"), "sh") if "--force" in b]
    assert "than without --force --drop:" in pages.run(command, weekly).stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--model aesops-by-hand", 0, "proves nothing"),
        ("--model monrad --force 'Tomás Vega:Anton Berg'", 1, "without the rule"),
        ("--model nothing", 2, "no model"),
        ("--players matches.csv", 3, "row 1, column player"),
        ("--time-limit 0.000001", 4, "time limit"),
    ],
)
def test_the_guides_exit_codes(options: str, code: int, said: str, weekly: Path) -> None:
    assert f"| {code} | " in pages.page("guide")
    players = "" if "--players" in options else "--players players.csv"
    done = pages.run(f"pairopt solve matches.csv {players} {options}", weekly)
    assert done.returncode == code, done.stderr
    assert said in done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.parametrize(("model", "rematches"), [("bakert", 2), ("gatherling", 0)])
def test_the_rematch_that_could_be_avoided(model: str, rematches: int, weekly: Path) -> None:
    (command,) = [b for b in pages.blocks(pages.page("systems"), "sh") if model in b]
    done = pages.run(command, weekly)
    lines = [line.split() for line in done.stdout.splitlines()]
    pairs = [{"Ann", "Bob"}, {"Cem", "Dag"}]
    assert sum(pair <= set(line) for line in lines for pair in pairs) == rematches


@pytest.mark.long
def test_the_command_of_the_lot(weekly: Path) -> None:
    (command,) = pages.blocks(pages.page("choosing"), "sh")
    assert "exactly as likely" in pages.run(command, weekly).stdout


@pytest.mark.long
def test_the_tables_are_those_of_the_results() -> None:
    stored = [pages.text(path) for path in make_tables.PAGES]
    for page in stored:
        assert make_tables.page(page) == page, "run `python tests/make/make_tables.py`"
    assert all(table() in "".join(stored) for table in make_tables.TABLES.values())


def test_what_is_said_of_speed_is_in_the_results() -> None:
    assert pd.read_csv(pages.RESULTS / "rounds.csv")["proven"].all()
    real = pd.read_csv(pages.RESULTS / "real-events.csv")
    assert real["proven"].all()
    assert real["event"].nunique() == 5
    assert real["seconds"].max() < 1.1


def test_peers_are_the_committed_results() -> None:
    table = pd.read_csv(pages.RESULTS / "peers.csv")
    right = table[table["contender"] != "caissify"]  # some sides of its differ
    assert right["same"].dropna().astype(bool).all()
    ours = table[table["contender"].str.startswith("pairopt")]
    assert ours["status"].isin(["optimal", "paired"]).all()
    assert set(table["players"]) == set(peers.PLAN)
    small = ours[(ours["players"] <= 40) & (ours["round"] >= 5)]
    seconds = small.pivot_table("seconds", ["players", "round"], "contender", aggfunc="median")
    faster = seconds["pairopt cpsat"] / seconds["pairopt matching"]
    assert f"from round 5 on {faster.min():.0f} to {faster.max():.0f} times" in flat("speed")


@pytest.mark.slow
def test_a_small_run_beside_peers() -> None:
    names = ["pairopt auto", "before", "rustworkx", "pairopt fide-dutch"]
    table = peers.run([16], names, {"before": str(ROOT)})
    assert list(table["contender"].unique()) == names
    assert table["same"].astype(bool).all()
    assert list(table["status"].unique()) == ["optimal", "paired"]
    assert (table.loc[table["contender"] == names[0], "ratio"] == 1).all()
    assert peers.summary(table).count("| 16 | 2 |") == 2  # by the model, and by other rules


@pytest.mark.slow
def test_a_peer_that_fails_says_how(tmp_path: Path) -> None:
    names = ["pairopt auto", "bbpPairings"]
    table = peers.run([16], names, {"bbpPairings": str(tmp_path / "none")})
    failed = table[table["contender"] == "bbpPairings"]
    assert set(failed["status"]) == {"FileNotFoundError"}
    assert "FileNotFoundError" in peers.summary(table)


def test_choosing_figures_are_the_committed_results() -> None:
    frame = pd.read_csv(pages.RESULTS / "choosing.csv")
    large = frame[frame["players"] == 301]
    assert large["exact_draw"].all()
    assert (
        f"In {len(large)} rounds of up to 301 players there were 10^{int(large['log10'].min())} to "
        f"10^{int(large['log10'].max())} optimal pairings. All draws by lot were exact and "
        f"took, with the solve, up to {large['uniform_seconds'].max():.1f} s (median "
        f"{large['uniform_seconds'].median():.2f} s); {large['exact_count'].sum()} of the counts "
        "were exact, the others estimates with an interval."
    ) in flat("speed")


def test_intervals_hold_their_level() -> None:
    """At least 0.94 from 10 tournaments on, for every metric of what was played, and for made-up
    differences but those whose tails are said to be too heavy."""
    table = pd.read_csv(pages.RESULTS / "coverage.csv")
    real = table[table["world"] != "made up"]
    for of in ("mean", "difference"):
        assert set(METRICS) == set(real.loc[real["of"] == of, "metric"])
    assert real["n"].min() == 5
    assert real["coverage"].min() >= 0.93
    assert real[real["n"] == 20]["student"].min() < 0.5
    held = table[(table["n"] >= 10) & ~table["metric"].isin(HARD)]
    assert {"exponential", "geometric", "one", "one to either side"} <= {*held["metric"]}
    assert held["coverage"].min() >= 0.94
    assert (table["half_width"] > 0).all()
    until = pd.read_csv(pages.RESULTS / "coverage-precision.csv")
    assert {"exponential", "geometric", "chi-squared with 3"} <= {*until["metric"]}
    assert until.loc[~until["metric"].isin(HARD), "coverage"].min() >= 0.93


def test_the_speed_of_studies() -> None:
    result = (pages.RESULTS / "study-speed.txt").read_text(encoding="utf-8")
    (own,) = re.findall(r"^excalibur +([\d.]+) ms a round", result, flags=re.MULTILINE)
    (peer,) = re.findall(r"^py4swiss alone +([\d.]+) ms a round", result, flags=re.MULTILINE)
    (both,) = re.findall(r"([\d.]+) s with 2\b", result)
    text = flat("research")
    assert f"take {float(both):.0f} seconds in two processes" in text
    assert f"takes {float(own):.1f} ms to pair and check, and {float(peer):.0f} ms with" in text


def test_what_a_contender_may_read_is_there() -> None:
    told = re.findall(r"^\| (`.*?) \|", pages.page("laboratory"), re.M)
    names = [name for cell in told for name in re.findall(r"`(.*?)`", cell)]
    event = simulate("random", World(players=5, rounds=2)).event
    of_event = names[: names.index('columns["strength"]') + 1]
    assert {"players", "before", "settings.rounds", "start_numbers"} <= {*of_event}
    for name in of_event:
        assert eval(f"event.{name}", {"event": event}) is not None, name  # noqa: S307
    games = names[len(of_event) :]
    assert [name for name in games if name != "world_..."] == [*GAMES]
