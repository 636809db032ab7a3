"""CONTRIBUTING.md: what it adds is added to a copy of the project, and nothing else is touched."""

from __future__ import annotations

import filecmp
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

import pytest
from places import ROOT

pytestmark = pytest.mark.long
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
COPIED = ("pairopt", "models", "examples", "docs", "tests")
LEFT = ("__pycache__", "_build", "jupyter_execute", "notebooks", "results", ".*")
EVENT = ["examples/weekly/matches.csv", "--players", "examples/weekly/players.csv"]

ORACLE, EVENTS = "tests/support/oracle.py", "tests/support/events.py"
BY_HAND, CROSSTABLE = (
    "tests/event/test_tie_breaks.py",
    "tests/support/tie_breaks_oracle.py",
)
SETTINGS = "pairopt/event/settings.py"
OPTIONS = "pairopt/problem/options.py"
PLACES = {
    "docs/models.md": r"^\| model \| what it does \|\n\|---\|---\|\n",
    BY_HAND: r"^BY_HAND = \{\n",
    CROSSTABLE: r"^class Crosstable:\n.*?\n\n",
    ORACLE: r"\Z",
    OPTIONS: r'^class RoundOptions:\n.*?"""\n\n',
    SETTINGS: r'^class EventSettings:\n.*?"""\n\n',
}
"""What a block that goes into a file which is there already comes after."""
EXAMPLES = ROOT / "tests" / "club" / "club"
PARTS = {
    what: (place, example)
    for what, place, example in re.findall(
        r"^\| ([\w-]+) \| `pairopt\.\w+` \| `([\w/]+/)` \| `([\w./]+)` \|",
        TEXT,
        re.MULTILINE,
    )
}
"""Where a part of each kind goes, and the one of tests/club, by the last words of the headings."""
LISTS = {"A criterion, line by line": "CRITERIA", "A constraint": "OTHER_CONSTRAINTS"}
"""The list of events that has a section's rule."""


def section(heading: str) -> str:
    """The text below a heading."""
    return TEXT.split(f"\n### {heading}\n")[1].split("\n### ")[0].split("\n## ")[0]


def part(heading: str) -> dict[str, str]:
    """The files of a section's part, as they would be in pairopt."""
    place, example = PARTS.get(heading.split(",")[0].split(" ", 1)[1], ("", ""))
    every = sorted((EXAMPLES / example).glob("*.py")) if example.endswith("/") else []
    found = {f"{place}{example}{each.name}": each for each in every}
    if example.endswith(".py"):
        found = {place + example: EXAMPLES / example}
    if heading == "A view":
        page = example.replace(".py", ".html")
        found[f"pairopt/web/templates/{page}"] = EXAMPLES / "templates" / page
    return {
        name: path.read_text(encoding="utf-8").replace(', package="club"', "")
        for name, path in found.items()
    }


def blocks(heading: str) -> dict[str, str]:
    """The code blocks of a section by their files."""
    found = re.findall(
        r"`([\w./-]+\.\w+)`:\n\n```\w+\n(.*?)```", section(heading), flags=re.DOTALL
    )
    return dict(found)


@dataclass(frozen=True)
class Copy:
    """A copy of the project that is worked on."""

    folder: Path

    def add(self, heading: str, *, instead: Mapping[str, str] | None = None) -> None:
        """What a section adds."""
        for name, text in {
            **part(heading),
            **blocks(heading),
            **(instead or {}),
        }.items():
            path = self.folder / name
            if path.exists():
                text = self._inserted(heading, name, text)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def _inserted(self, heading: str, name: str, text: str) -> str:
        """A file with a block where its section says that it goes."""
        place = rf"^{LISTS[heading]}: .*? = \{{\n" if name == EVENTS else PLACES[name]
        before = (self.folder / name).read_text(encoding="utf-8")
        found = re.search(place, before, flags=re.MULTILINE | re.DOTALL)
        assert found is not None, name
        written = {
            ORACLE: f"\n\n{text}",
            CROSSTABLE: f"{text}\n",
            OPTIONS: indent(text, "    "),
            SETTINGS: indent(text, "    "),
        }
        text = written.get(name, text)
        return before[: found.end()] + text + before[found.end() :]

    def touched(self) -> set[str]:
        """The files that are not those of the project."""
        here = {
            str(path.relative_to(self.folder))
            for name in COPIED
            for path in (self.folder / name).rglob("*")
            if path.is_file() and not {"__pycache__", ".hypothesis"} & {*path.parts}
        }
        here |= {path.name for path in self.folder.iterdir() if path.is_file()}
        return {
            name
            for name in here
            if not (ROOT / name).exists()
            or not filecmp.cmp(ROOT / name, self.folder / name, shallow=False)
        }

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A module of Python with this copy's package."""
        return subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            capture_output=True,
            encoding="utf-8",
        )

    def tested(self, command: str) -> str:
        """What pytest says at the end; it has to be satisfied."""
        done = self.run(*shlex.split(command), "-p", "no:cacheprovider")
        assert done.returncode == 0, done.stdout
        return done.stdout.splitlines()[-1]

    def said(self, *arguments: str) -> str:
        """What a command of pairopt that works says."""
        done = self.run("pairopt", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """The project without what is only stored."""
    here = tmp_path / "copy"
    for name in COPIED:
        shutil.copytree(ROOT / name, here / name, ignore=shutil.ignore_patterns(*LEFT))
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, here)
    return Copy(here)


def command_in(heading: str) -> str:
    """The command of pytest that a section names."""
    (command,) = re.findall(r"`(pytest [^`]*)`", section(heading))[:1]
    return str(command)


def test_every_section_is_added_by_a_test() -> None:
    told = re.findall(r"^### (.*)$", TEXT, flags=re.MULTILINE)
    code = Path(__file__).read_text(encoding="utf-8")
    assert len(told) >= 8
    for heading in told:
        assert f'copy.add("{heading}")' in code, heading
        assert {**part(heading), **blocks(heading)}, heading
    assert TEXT.count("\n```") == 2 * (
        2 + sum(len(blocks(heading)) for heading in told)
    )


def test_the_table_of_parts_is_that_of_the_registries_and_of_the_club() -> None:
    told = re.findall(r"^\| [\w-]+ \| `(pairopt\.\w+)` \|", TEXT, flags=re.MULTILINE)
    code = [
        path.read_text("utf-8") for path in sorted((ROOT / "pairopt").rglob("*.py"))
    ]
    made = re.compile(
        r"= ExtensionRegistry\(.*?,\s+\w[\w.]*,\s+\"(pairopt\.\w+)\"", re.DOTALL
    )
    known = {found for text in code for found in made.findall(text)}
    assert sorted(told) == sorted(known)
    brought = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]
    without = {"pairopt.contenders", "pairopt.rankings"}
    assert {*brought["entry-points"]} == {*told} - without
    for place, example in PARTS.values():
        assert (ROOT / place).is_dir(), place
        assert (EXAMPLES / example).exists(), example


def test_files_that_are_named_exist_or_are_added() -> None:
    named = set(re.findall(r"`((?:pairopt|tests|models|examples)/[\w./-]+)`", TEXT))
    headings = re.findall(r"^### (.*)$", TEXT, re.M)
    made = {
        name for heading in headings for name in {**part(heading), **blocks(heading)}
    }
    assert len(named) > 20
    assert [name for name in sorted(named - made) if not (ROOT / name).exists()] == []


# ---------------------------------------------------------------------- rules


@pytest.mark.slow
def test_a_criterion_is_its_module_the_oracle_and_the_events(copy: Copy) -> None:
    copy.add("A criterion, line by line")
    assert copy.touched() == {"pairopt/rules/criteria/rested.py", ORACLE, EVENTS}
    # brute force, the classes, and what is left out
    assert "4 passed" in copy.tested(command_in("A criterion, line by line"))
    assert "1 passed" in copy.tested("pytest tests/docs/test_from_code.py -k rested")


@pytest.mark.slow
def test_a_criterion_that_forgets_its_pairs_is_caught(copy: Copy) -> None:
    module = "pairopt/rules/criteria/rested.py"
    whole = part("A criterion, line by line")[module]
    less = re.sub(r"    def pairs.*?\n\n", "", whole, flags=re.DOTALL)
    assert less != whole
    copy.add("A criterion, line by line", instead={module: less})
    done = copy.run(
        "pytest",
        "tests/rules/test_contract.py",
        "-k",
        "rested",
        "-p",
        "no:cacheprovider",
    )
    assert done.returncode == 1, done.stdout
    assert "rested reads more than it says" in done.stdout


@pytest.mark.slow
def test_a_constraint_is_its_module_the_oracle_and_the_events(copy: Copy) -> None:
    copy.add("A constraint")
    assert copy.touched() == {
        "pairopt/rules/constraints/max_score_gap.py",
        ORACLE,
        EVENTS,
    }
    assert "3 passed" in copy.tested(command_in("A constraint"))
    assert "1 passed" in copy.tested(
        "pytest tests/docs/test_from_code.py -k max_score_gap"
    )
    assert " passed" in copy.tested("pytest tests/problem/test_model_files.py")
    model = 'name = "near"\n[constraints]\nmax_score_gap = -1\n'
    (copy.folder / "near.toml").write_text(model, encoding="utf-8")
    done = copy.run("pairopt", "solve", *EVENT, "--model", "near.toml")
    assert "max_score_gap: expected 0 or more, found -1" in done.stderr


@pytest.mark.slow
def test_a_constraint_that_forgets_its_attribute_is_caught(copy: Copy) -> None:
    module = "pairopt/rules/constraints/max_score_gap.py"
    whole = part("A constraint")[module]
    less = re.sub(r"\n    def attributes.*", "", whole, flags=re.DOTALL)
    assert less != whole
    copy.add("A constraint", instead={module: less})
    done = copy.run(
        "pytest",
        "tests/rules/test_contract.py",
        "-k",
        "MaxScoreGap",
        "-p",
        "no:cacheprovider",
    )
    assert done.returncode == 1, done.stdout
    assert "max_score_gap reads more than it says" in done.stdout


@pytest.mark.slow
def test_a_model_is_its_file_and_a_line_of_the_table(copy: Copy) -> None:
    copy.add("A model")
    assert copy.touched() == {"models/club-night.toml", "docs/models.md"}
    assert "club-night" in copy.said("models")
    assert "Proven: no pairing is better" in copy.said(
        "solve", *EVENT, "--model", "club-night"
    )
    assert " passed" in copy.tested(
        "pytest tests/docs/test_from_code.py tests/docs/test_readme.py "
        "tests/problem/test_model_files.py -k 'club-night or described'"
    )


# ---------------------------------------------------------------------- what ranks and measures


@pytest.mark.slow
def test_a_tie_break_is_its_module_its_oracle_and_its_values(copy: Copy) -> None:
    copy.add("A tie-break")
    own = "pairopt/event/tie_breaks/games_drawn.py"
    assert copy.touched() == {own, BY_HAND, CROSSTABLE}
    assert " passed" in copy.tested(command_in("A tie-break"))
    assert "1 passed" in copy.tested(
        "pytest tests/docs/test_from_code.py -k games_drawn"
    )
    assert "Drawn" in copy.said("standings", *EVENT, "--tie-breaks", "games_drawn")


@pytest.mark.slow
def test_a_tie_break_that_counts_byes_is_caught(copy: Copy) -> None:
    module = "pairopt/event/tie_breaks/games_drawn.py"
    whole = part("A tie-break")[module]
    wrong = whole.replace("turn.played and ", "")
    assert wrong != whole
    copy.add("A tie-break", instead={module: wrong})
    done = copy.run(*command_in("A tie-break").split(), "-p", "no:cacheprovider")
    assert done.returncode == 1, done.stdout
    assert "games_drawn" in done.stdout


@pytest.mark.slow
def test_a_metric_is_its_module(copy: Copy) -> None:
    copy.add("A metric")
    assert copy.touched() == {"pairopt/lab/metrics/upsets.py"}
    size = [
        "--players",
        "8",
        "--rounds",
        "3",
        "--replicates",
        "2",
        "--models",
        "standard",
    ]
    copy.said("study", *size, "--metrics", "upsets", "-o", "made")
    head, *rows = (
        (copy.folder / "made" / "tournaments.csv")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    place = head.split(",").index("upsets")
    values = [row.split(",")[place] for row in rows]
    assert all(0 <= float(value) <= 1 for value in values if value)
    assert any(values)
    assert "1 passed" in copy.tested(
        "pytest tests/lab/test_worlds.py -k says_what_it_is"
    )


# ---------------------------------------------------------------------- formats, engines, systems


def test_a_format_is_its_module(copy: Copy) -> None:
    event = copy.folder / "club.roll"
    event.write_text("Players:\nAnn\nBob\n", encoding="utf-8")
    assert "read as a list of names" in copy.run("pairopt", "solve", "club.roll").stderr
    event.unlink()
    copy.add("A format")
    assert copy.touched() == {"pairopt/files/formats/roll_text.py"}
    event.write_text("Players:\nAnn\nBob\n", encoding="utf-8")
    done = copy.run("pairopt", "solve", "club.roll", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert {"Ann", "Bob"} <= set(done.stdout.replace("\n", ",").split(","))
    event.write_text("Players:\nAnn\nAnn\n", encoding="utf-8")
    again = copy.run("pairopt", "solve", "club.roll")
    assert (again.returncode, "expected each name once" in again.stderr) == (3, True)
    bad = copy.folder / "other.txt"
    bad.write_text("nothing known\n", encoding="utf-8")
    assert "a roll of players" in copy.run("pairopt", "solve", "other.txt").stderr


@pytest.mark.slow
def test_an_engine_is_its_folder(copy: Copy) -> None:
    copy.add("An engine")
    own = {f"pairopt/engines/by_lot/{name}.py" for name in ("__init__", "engine")}
    assert copy.touched() == own
    chosen = ["--engine", "by_lot", "--model", "double-sided"]
    assert "Made by a procedure that proves nothing." in copy.said(
        "solve", *EVENT, *chosen
    )
    assert "by_lot" in copy.said("solve", "--help")


def test_the_abilities_of_an_engine_are_those_that_there_are() -> None:
    from pairopt.engines.base import EngineAbilities

    told = re.findall(r"^- `(\w+)`: ", section("An engine"), flags=re.MULTILINE)
    assert told == list(EngineAbilities.__dataclass_fields__)


@pytest.mark.slow
def test_a_system_is_its_module(copy: Copy) -> None:
    copy.add("A system")
    assert copy.touched() == {"pairopt/fide/king_of_the_hill.py", "hill.toml"}
    for engine in ("matching", "cpsat"):
        said = copy.said(
            "solve", *EVENT, "--model", "hill.toml", "--engine", engine, "--verify"
        )
        assert "Proven: no pairing is better" in said
        assert re.search(r"the bye behind the last +25 +proven", said)
        assert "verified by" in said
    assert "places between opponents" in copy.said("models", "hill.toml")
    assert "Femi Adeyemi (15 points) meets Kwame Mensah" in copy.said(
        "explain", *EVENT, "--model", "hill.toml"
    )
    done = copy.run(
        "pairopt", "solve", *EVENT, "--model", "hill.toml", "--engine", "aesops_by_hand"
    )
    assert "has no brackets" in done.stderr


PAGES = """
import sys
from pathlib import Path
sys.path.insert(0, "tests/support")
from organiser import client, event

browser = client(event(Path("friday"), ["Bob", "ann"]))
print(browser.get("/names").text)
"""


def test_a_view_is_its_module_and_its_template(copy: Copy) -> None:
    copy.add("A view")
    web = "pairopt/web"
    assert copy.touched() == {f"{web}/views/names.py", f"{web}/templates/names.html"}
    (copy.folder / "asked.py").write_text(PAGES, encoding="utf-8")
    done = copy.run("asked")
    assert done.returncode == 0, done.stderr
    assert re.search(r"<li>ann</li>\s*<li>Bob</li>", done.stdout)
    assert '<a href="/names" aria-current="page">Names</a>' in done.stdout


# ---------------------------------------------------------------------- settings and verbs

ASKED = """
import sys
from pathlib import Path
sys.path[:0] = ["tests/support", "docs"]
from organiser import client
import from_code

browser = client(Path("friday"))
print(browser.get("/players").text, browser.get("/settings").text)
print(client(Path("another")).get("/new").text)
print(*(part() for part in from_code.PARTS.values()), *from_code.command_pages().values())
"""


def founded(copy: Copy, *more: str) -> str:
    """An event folder of the copy."""
    (copy.folder / "list.csv").write_text(
        "player,table\nAnn,3\nBob,7\nCid,\nDan,\n", "utf-8"
    )
    copy.said("new", "friday", "--players", "list.csv", *more)
    return (copy.folder / "friday" / "event.toml").read_text("utf-8")


def everywhere(copy: Copy) -> str:
    """The page's views of an event and of a new one, and what the docs make from the code."""
    (copy.folder / "asked.py").write_text(ASKED, encoding="utf-8")
    done = copy.run("asked")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.sweep
def test_an_option_is_a_field(copy: Copy) -> None:
    copy.add("An option")
    for script in re.findall(r"`python (tests/make/\w+\.py)`", section("An option")):
        assert copy.run(script.removesuffix(".py").replace("/", ".")).returncode == 0
    assert copy.touched() == {OPTIONS, "pairopt/problem/keywords.py", "docs/door.json"}

    for command in ("solve", "explain", "pair"):
        assert re.search(
            r"--arbiter NAME +The arbiter who is", copy.said(command, "--help")
        )
    copy.said("solve", *EVENT, "--arbiter", "Ann")
    schema = (copy.folder / "docs" / "door.json").read_text("utf-8")
    assert "The arbiter who is responsible" in schema
    called = "import pairopt; pairopt.solve(pairopt.read_event('{}', '{}'), arbiter=3)"
    refused = subprocess.run(
        [sys.executable, "-c", called.format(EVENT[0], EVENT[2])],
        cwd=copy.folder,
        env={**os.environ, "PYTHONPATH": str(copy.folder)},
        capture_output=True,
        encoding="utf-8",
    )
    assert "UsageError: arbiter: found 3, expected text" in refused.stderr


@pytest.mark.sweep
def test_a_setting_is_a_field(copy: Copy) -> None:
    assert (
        copy.run("pairopt", "new", "x", "--players", "y", "--venue", "z").returncode
        == 2
    )
    copy.add("A setting")
    assert copy.touched() == {SETTINGS}
    assert 'venue = "The hall"' in founded(copy, "--venue", "The hall")
    assert "venue: The inn (was The hall)" in copy.said(
        "set", "friday", "venue", "The inn"
    )
    assert re.search(r"--venue TEXT +Where it is played", copy.said("new", "--help"))
    toml = copy.folder / "friday" / "event.toml"
    toml.write_text(toml.read_text("utf-8").replace('"The inn"', "5"), "utf-8")
    refused = copy.run("pairopt", "standings", "friday")
    assert (refused.returncode, "venue: " in refused.stderr) == (3, True)
    toml.write_text(
        toml.read_text("utf-8").replace("venue = 5", 'venue = "The inn"'), "utf-8"
    )
    shown = everywhere(copy)
    assert '<input name="venue" value="The inn"' in shown
    assert '<input name="venue" value=""' in shown
    assert "| `venue` |" in shown
    assert "`--venue TEXT`" in shown


@pytest.mark.sweep
def test_a_verb_is_its_module(copy: Copy) -> None:
    copy.add("A verb")
    assert copy.touched() == {"pairopt/folder/commands/unseat.py"}
    founded(copy)
    assert re.search(r"unseat +Nobody has a table", copy.said("--help"))
    assert "--above N" in copy.said("unseat", "--help")
    assert copy.run("pairopt", "unseat", "friday", "--above", "0").returncode == 2
    assert "everybody sits anywhere" in copy.said("unseat", "friday", "--above", "5")
    players = copy.folder / "friday" / "players.csv"
    assert [
        line.split(",")[1] for line in players.read_text("utf-8").splitlines()[1:3]
    ] == [
        "3",
        "",
    ]
    assert "did you mean unseat" in copy.run("pairopt", "unseet", "friday").stderr
    shown = everywhere(copy)
    assert 'action="/players/unseat"' in shown
    assert '<input name="above"' in shown
    assert "# pairopt unseat" in shown


def test_a_command_is_its_module_and_its_line(copy: Copy) -> None:
    copy.add("A command")
    assert copy.touched() == {"pairopt/cli/roster.py"}
    assert "No such command" in copy.run("pairopt", "roster", *EVENT).stderr
    commands = copy.folder / "pairopt" / "cli" / "commands.py"
    text = commands.read_text(encoding="utf-8")
    line = '    "One round": {\n        "roster": "Who plays, a line each.",\n'
    commands.write_text(text.replace('    "One round": {\n', line, 1), encoding="utf-8")
    assert "Femi Adeyemi" in copy.said("roster", *EVENT)
    assert "Who plays, a line each." in copy.said("--help")
