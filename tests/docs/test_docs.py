"""The pages: their commands run, and their tables and figures are those of the results."""

from __future__ import annotations

import re
from pathlib import Path

import from_code
import make_tables
import outputs
import pages
import pandas as pd
import peers
import pytest
from places import ROOT
from study_text import HARD

from pairopt.cli import COMMANDS
from pairopt.lab import World, simulate
from pairopt.lab.metrics.rounds import PAIRING
from pairopt.lab.statistics.comparing import METRICS
from pairopt.lab.studies.schema import StudyClaim, StudyFile, WorldTable
from pairopt.lab.table import GAMES

STUDY_PAGES = [path for path in pages.PAGES if path.parent.name == "studies"]
CODE = [
    path
    for path in pages.PAGES
    if path not in STUDY_PAGES
    and path not in outputs.pages_with_outputs()
    and pages.blocks(pages.text(path), "(?:sh|python)")
]
"""Pages whose commands run here; those that show outputs run in tests/docs/test_outputs.py."""


STUDIES = (
    "federation",
    "instruments",
    "laboratory",
    "research",
    "researcher-three",
    "worlds",
)
"""Pages whose commands take long; tests of their own run what they show."""


def flat(name: str) -> str:
    return " ".join(pages.page(name).split())


@pytest.mark.long
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(p, marks=pytest.mark.slow if p.stem in STUDIES else ())
        for p in CODE
    ],
    ids=lambda path: path.stem,
)
def test_every_command_runs(
    path: Path,
    weekly: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The first in a shell, and what only a shell understands; all else here, which is sooner."""
    monkeypatch.chdir(weekly)
    for name, content in pages.named_files(pages.text(path)).items():
        (weekly / name).write_text(content, encoding="utf-8")
    shell = True
    for command in pages.blocks(pages.text(path), "sh"):
        if pages.SETUP in command:
            continue
        *before, last = command.strip().splitlines()
        if " serve " in last:
            # A server does not end, so the commands above it run first.
            for line in before:
                assert pages.run(line, weekly).returncode == 0, line
            assert "http://127.0.0.1:" in pages.said_first(
                f"{last} --no-browser", weekly
            )
            continue
        lines = () if shell else pages.plain_lines(command)
        if lines:
            for line in lines:
                assert pages.run_here(line, capsys)[0] == 0, line
            continue
        done, shell = pages.run(command, weekly), False
        assert done.returncode == 0, (command, done.stderr)
    for code in pages.blocks(pages.text(path), "python"):
        done = pages.run_python(code, weekly)
        assert done.returncode == 0, (code, done.stderr)


def test_there_are_commands_to_run() -> None:
    assert {"README", "browser", "systems", "choosing", "research", "api"} <= {
        p.stem for p in CODE
    }
    assert len(pages.blocks(pages.text(pages.README), "sh")) >= 4


@pytest.mark.parametrize(
    "path",
    [
        ROOT / "docs" / f"{name}.md"
        for name in (
            "arbiter",
            "page",
            "settings",
            "files",
            "federation",
            "fide-dutch",
            "standings",
        )
    ]
    + [path for path in pages.PAGES if path.parent.name == "how-to"],
    ids=lambda path: path.stem,
)
def test_organisers_commands_are_those_of_any_system(path: Path) -> None:
    """Nothing that the command line of Windows lacks or takes otherwise."""
    for block in pages.blocks(pages.text(path), "sh"):
        for line in block.strip().splitlines():
            shown = re.sub(r'"[^"$`]*"', '""', line)
            assert re.fullmatch(r"pairopt(-fide)? [^'\\|<>;&$`]*", shown), line


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
                assert command in pages.text(
                    ROOT / "tests" / "benchmarks" / "README.md"
                )


@pytest.mark.parametrize("path", pages.PAGES, ids=lambda path: path.stem)
def test_commands_that_are_named_exist(path: Path) -> None:
    content = pages.text(path)
    shown = "\n".join(pages.blocks(content, "sh"))
    named = re.findall(r"`pairopt ([a-z]+)", content) + re.findall(
        r"\bpairopt ([a-z]+) ", shown
    )
    of_extensions = {"roster"} if path.parent.name == "extend" else set()
    assert set(named) <= set(COMMANDS) | of_extensions


@pytest.mark.parametrize(
    "path", [*pages.PAGES, ROOT / "tests" / "README.md"], ids=lambda path: path.stem
)
def test_files_that_are_named_exist(path: Path) -> None:
    # a file that a page adds is followed by its content
    named = re.findall(
        r"`((?:pairopt|tests|models|examples)/[\w./-]+)`(?!:\n\n```)", pages.text(path)
    )
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.long
def test_the_cost_of_options(weekly: Path) -> None:
    page = pages.page("how-to/spreadsheet")
    (command,) = [block for block in pages.blocks(page, "sh") if "--force" in block]
    assert "than without --force --drop:" in pages.run(command, weekly).stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--model aesops-by-hand", 0, "A heuristic procedure made this pairing"),
        ("--model monrad --force 'Tomás Vega:Anton Berg'", 1, "without the rule"),
        ("--model nothing", 2, "no model"),
        ("--players matches.csv", 3, "row 1, column player"),
        ("--time-limit 0.000001", 4, "time limit"),
    ],
)
def test_the_exit_codes(options: str, code: int, said: str, weekly: Path) -> None:
    assert f"| {code} | " in pages.page("commands")
    players = "" if "--players" in options else "--players players.csv"
    done = pages.run(f"pairopt solve matches.csv {players} {options}", weekly)
    assert done.returncode == code, done.stderr
    assert said in done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.parametrize(("model", "rematches"), [("bakert", 2), ("gatherling", 0)])
def test_the_rematch_that_could_be_avoided(
    model: str, rematches: int, weekly: Path
) -> None:
    (command,) = [b for b in pages.blocks(pages.page("systems"), "sh") if model in b]
    done = pages.run(command, weekly)
    lines = [line.split() for line in done.stdout.splitlines()]
    pairs = [{"Ann", "Bob"}, {"Cem", "Dag"}]
    assert sum(pair <= set(line) for line in lines for pair in pairs) == rematches


@pytest.mark.long
def test_the_command_of_the_lot(weekly: Path) -> None:
    (command,) = pages.blocks(pages.page("choosing"), "sh")
    assert "exactly as likely" in pages.run(command, weekly).stdout


@pytest.mark.sweep
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
    seconds = small.pivot_table(
        "seconds", ["players", "round"], "contender", aggfunc="median"
    )
    faster = seconds["pairopt cpsat"] / seconds["pairopt matching"]
    range_of_factors = f"{faster.min():.0f} to {faster.max():.0f} times"
    assert f"matching is {range_of_factors} as fast as cpsat" in flat("speed")


@pytest.mark.slow
def test_a_small_run_beside_peers() -> None:
    names = ["pairopt auto", "before", "rustworkx", "pairopt fide-dutch"]
    table = peers.run([16], names, {"before": str(ROOT)})
    assert list(table["contender"].unique()) == names
    assert table["same"].astype(bool).all()
    assert list(table["status"].unique()) == ["optimal", "paired"]
    assert (table.loc[table["contender"] == names[0], "ratio"] == 1).all()
    assert (
        peers.summary(table).count("| 16 | 2 |") == 2
    )  # by the model, and by other rules


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
        f"in {len(large)} rounds of up to 301 players, with "
        f"10^{int(large['log10'].min())} to 10^{int(large['log10'].max())} optimal pairings each. "
        "All draws were exact. To solve a round and draw its pairing took "
        f"{large['uniform_seconds'].median():.2f} s in the median, and "
        f"{large['uniform_seconds'].max():.1f} s at most. pairopt counted the optimal pairings exactly in "
        f"{large['exact_count'].sum()} rounds, and estimated their number in one round."
    ) in flat("speed")


def test_other_figures_of_speed_are_the_committed_results() -> None:
    text = flat("speed")
    rounds = pd.read_csv(pages.RESULTS / "rounds.csv").groupby("players")["seconds"]
    medians = rounds.median()
    assert f"a round of 300 players in {medians[300]:.2f} s (median)" in text
    assert f"a round of 1,000 players in {medians[1000]:.2f} s" in text
    first = pd.read_csv(pages.RESULTS / "growth.csv").iloc[0]
    assert f"which uses {first['event_mb']} MB before it pairs anything" in text
    small = pd.read_csv(pages.RESULTS / "small-fields.csv", index_col=0)["here"]
    for row, digits in ((0, 1), (2, 1), (3, 0)):
        assert f"| {small.iloc[row]:.{digits}f} ms |" in text


def test_intervals_hold_their_level_where_the_bootstrap_does_not() -> None:
    """The BCa bootstrap of scipy is the yardstick of another project, of the same samples."""
    table = pd.read_csv(pages.RESULTS / "coverage-bootstrap.csv")
    assert {*table["n"]} == {10, 20, 50}
    many = table[table["vary"] >= 0.4].groupby("n")[["coverage", "student", "bca"]]
    assert (many.mean()["coverage"] >= 0.93).all()
    assert (many.mean()["coverage"] >= many.mean()["bca"]).all()
    few = table[(table["vary"] < 0.4) & (table["n"] == 10)]
    assert few["bca"].mean() < 0.7
    assert few["coverage"].min() >= 0.95


def test_intervals_hold_their_level() -> None:
    """0.93 to 0.97 from 20 tournaments on, on the average of what was published and differs in most
    tournaments, and of normal and Laplace values; more where few differ, but for heavy tails."""
    table = pd.read_csv(pages.RESULTS / "coverage.csv")
    made = table["world"] == "made up"
    assert set(METRICS) <= set(
        table.loc[~made & (table["of"] == "difference"), "metric"]
    )
    many = table[~made & (table["n"] >= 20) & (table["vary"] >= 0.4)]
    assert len(many) > 100
    for _, own in many.groupby("n"):
        assert 0.94 <= own["coverage"].mean() <= 0.97
    assert ((many["coverage"] >= 0.93) & (many["coverage"] <= 0.98)).mean() >= 0.93
    assert many["coverage"].min() >= 0.88
    few = table[
        ~made
        & (table["of"] == "difference")
        & (table["n"] >= 20)
        & (table["vary"] < 0.4)
    ]
    assert few["coverage"].min() >= 0.90
    assert few[few["n"] == 20]["student"].min() < 0.5
    even = table[made & (table["n"] >= 20) & (table["model"] == "1 of tournaments")]
    for kind in (
        "normal",
        "Laplace",
    ):  # samples are few: 0.015 is the error of one share
        own = even.loc[even["metric"] == kind, "coverage"]
        assert len(own) == 4
        assert own.between(0.915, 0.985).all()
        assert 0.93 <= own.mean() <= 0.97
    large = many[many["n"] >= 100]
    assert (large["half_width"] / large["student_half_width"]).median() < 1.03
    rare = table[made & (table["n"] >= 10) & (table["vary"] < 0.25)]
    assert rare[~rare["metric"].isin(HARD)]["coverage"].min() >= 0.87
    assert (table["half_width"] > 0).all()


def test_the_rule_that_stops_keeps_its_level() -> None:
    until = pd.read_csv(pages.RESULTS / "coverage-precision.csv")
    keys = ["world", "model", "metric", "students"]
    rules = {rule: rows.set_index(keys) for rule, rows in until.groupby("rule")}
    assert (
        rules["here"]["tournaments"] <= rules["before"]["tournaments"]
    ).mean() > 0.95
    many = rules["here"][rules["here"]["vary"] >= 0.4]
    many = many[~many.index.get_level_values("metric").isin(HARD)]
    assert many["coverage"].mean() >= 0.94
    assert (
        many["tournaments"] / many.index.get_level_values("students")
    ).median() < 1.4


def test_the_speed_of_studies() -> None:
    result = (pages.RESULTS / "study-speed.txt").read_text(encoding="utf-8")
    (own,) = re.findall(r"^excalibur +([\d.]+) ms a round", result, flags=re.MULTILINE)
    (peer,) = re.findall(
        r"^py4swiss alone +([\d.]+) ms a round", result, flags=re.MULTILINE
    )
    (both,) = re.findall(r"([\d.]+) s with 2\b", result)
    text = flat("research")
    assert f"take {float(both):.0f} seconds in two processes" in text
    assert (
        f"takes {float(own):.1f} ms to pair and check with pairopt, and {float(peer):.0f} ms with"
        in text
    )


def names_in(heading: str) -> list[str]:
    """The names in the first column of a section's own tables on the laboratory's page."""
    page = from_code.SECTION.sub("", pages.page("laboratory"))
    section = re.split(rf"^#+ {heading}$", page, flags=re.M)[1]
    rows = re.findall(r"^\| (`.*?) \|", re.split("^##", section, flags=re.M)[0], re.M)
    return [name for cell in rows for name in re.findall(r"`(.*?)`", cell)]


def test_what_a_contender_may_read_is_there() -> None:
    event = simulate("random", World(players=5, rounds=2)).event
    of_event = names_in("Contenders")
    assert {"players", "before", "settings.rounds", "start_numbers"} <= {*of_event}
    for name in of_event:
        assert eval(f"event.{name}", {"event": event}) is not None, name  # noqa: S307


def test_the_columns_of_the_games_are_those_of_the_table() -> None:
    found = names_in("Columns of the games")
    assert [name for name in found if name != "world_..."] == [*GAMES]


def test_every_key_of_a_study_is_in_the_reference() -> None:
    shown = names_in("Keys")
    tables = {
        f"[{key}]" for key in ("world", "grid", "folder", "registration", "versions")
    }
    tables |= {"[digests]", "[[hypotheses]]", "[[exploratory]]"}
    keys = {key for key in StudyFile.model_fields if f"[{key}]" not in tables}
    assert {*shown} == (keys - {"hypotheses", "exploratory"}) | tables
    assert {*names_in("Claims")} >= {*StudyClaim.model_fields}
    assert {*names_in("Settings of a world")} == {*WorldTable.model_fields}


def test_every_metric_of_a_study_is_in_the_reference() -> None:
    shown = {*names_in("Standard metrics")}
    assert {*METRICS} <= shown
    for name in PAIRING:
        stem = re.sub("_[1-4]$", "_0", name)
        assert stem in shown or name == "bye_points", name
