"""docs/extend: what its pages add is added to a copy of the project, and nothing else is touched."""

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

import from_code
import pages
import pytest
from places import ROOT

pytestmark = pytest.mark.long
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs" / "extend").glob("*.md"))
}
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
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
    kind: (group, place, example)
    for kind, group, place, example in re.findall(
        r"^\| \[[\w-]+\]\(([\w-]+)\.md\) \| `(pairopt\.\w+)` \| `([\w/]+/)` \| `([\w./]+)` \|",
        PAGES["index"],
        re.MULTILINE,
    )
}
"""The group of a kind, where it goes in pairopt, and its example in tests/club, by its page."""
LISTS = {"criterion": "CRITERIA", "constraint": "OTHER_CONSTRAINTS"}
"""The list of events that has a page's rule."""
OUTSIDE = {"index", "world", "contender", "ranking"}
"""Pages that add nothing to pairopt itself; tests/docs/test_club.py runs their examples."""


def part(page: str) -> dict[str, str]:
    """The files of a page's extension, as they would be in pairopt."""
    _, place, example = PARTS.get(page, ("", "", ""))
    every = sorted((EXAMPLES / example).glob("*.py")) if example.endswith("/") else []
    found = {f"{place}{example}{each.name}": each for each in every}
    if example.endswith(".py"):
        found = {place + example: EXAMPLES / example}
    if page == "view":
        template = example.replace(".py", ".html")
        found[f"pairopt/web/templates/{template}"] = EXAMPLES / "templates" / template
    return {
        name: path.read_text(encoding="utf-8").replace(', package="club"', "")
        for name, path in found.items()
    }


def blocks(page: str) -> dict[str, str]:
    """The code blocks of a page that go into files of pairopt, by these files."""
    own = from_code.SECTION.sub("", PAGES[page])
    found = re.findall(
        r"`([\w.-]+/[\w./-]+\.\w+)`:\n\n```\w+\n(.*?)```", own, flags=re.DOTALL
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
    (command,) = re.findall(r"`(pytest [^`]*)`", PAGES[heading])[:1]
    return str(command)


def test_every_page_is_added_by_a_test() -> None:
    code = Path(__file__).read_text(encoding="utf-8")
    assert len(PAGES) >= 16
    for page in {*PAGES} - OUTSIDE:
        assert f'copy.add("{page}")' in code, page
        assert {**part(page), **blocks(page)}, page


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_code_is_run_or_added(page: str) -> None:
    """Blocks of text are the commands and entry points that other tests of the page run."""
    own = from_code.SECTION.sub("", PAGES[page])
    languages = re.findall(r"^```(\w+)$", own, flags=re.MULTILINE)
    known = sum(languages.count(language) for language in ("sh", "python", "text"))
    files = [name for name in pages.named_files(own) if not name.endswith(".py")]
    added = [name for name in blocks(page) if name != "docs/models.md"]
    assert known + len(files) + len(added) == len(languages), page


def test_the_entry_points_of_the_pages_are_those_of_the_club() -> None:
    project = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text("utf-8"))
    groups = project["project"]["entry-points"]
    for page, (group, _, _) in PARTS.items():
        (block,) = re.findall(
            r"```text\n(\[project.entry-points\].*?)```", PAGES[page], flags=re.DOTALL
        )
        shown = tomllib.loads(block)["project"]["entry-points"]
        assert list(shown) == [group], page
        assert shown[group].items() <= groups[group].items(), page


def test_the_table_of_kinds_is_that_of_the_registries_and_of_the_club() -> None:
    told = [group for group, _, _ in PARTS.values()]
    code = [
        path.read_text("utf-8") for path in sorted((ROOT / "pairopt").rglob("*.py"))
    ]
    made = re.compile(
        r"= ExtensionRegistry\(.*?,\s+\w[\w.]*,\s+\"(pairopt\.\w+)\"", re.DOTALL
    )
    known = {found for text in code for found in made.findall(text)}
    assert sorted(told) == sorted(known)
    project = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text("utf-8"))
    assert {*project["project"]["entry-points"]} == {*told}
    for _, place, example in PARTS.values():
        assert (ROOT / place).is_dir(), place
        assert (EXAMPLES / example).exists(), example


def test_files_that_are_named_exist_or_are_added() -> None:
    text = "\n".join([CONTRIBUTING, *PAGES.values()])
    named = set(re.findall(r"`((?:pairopt|tests|models|examples)/[\w./-]+)`", text))
    made = {name for page in PAGES for name in {**part(page), **blocks(page)}}
    assert len(named) > 20
    assert [name for name in sorted(named - made) if not (ROOT / name).exists()] == []


# ---------------------------------------------------------------------- rules


@pytest.mark.slow
def test_a_criterion_is_its_module_the_oracle_and_the_events(copy: Copy) -> None:
    copy.add("criterion")
    assert copy.touched() == {"pairopt/rules/criteria/rested.py", ORACLE, EVENTS}
    # brute force, the classes, and what is left out
    assert "6 passed" in copy.tested(command_in("criterion"))
    assert "1 passed" in copy.tested("pytest tests/docs/test_from_code.py -k rested")


@pytest.mark.slow
def test_a_criterion_that_forgets_its_pairs_is_caught(copy: Copy) -> None:
    module = "pairopt/rules/criteria/rested.py"
    whole = part("criterion")[module]
    less = re.sub(r"    def pairs.*?\n\n", "", whole, flags=re.DOTALL)
    assert less != whole
    copy.add("criterion", instead={module: less})
    done = copy.run(
        "pytest",
        "tests/rules/test_contract.py",
        "-k",
        "rested",
        "-m",
        "",
        "-p",
        "no:cacheprovider",
    )
    assert done.returncode == 1, done.stdout
    assert "rested depends on more than it declares" in done.stdout


@pytest.mark.slow
def test_a_constraint_is_its_module_the_oracle_and_the_events(copy: Copy) -> None:
    copy.add("constraint")
    assert copy.touched() == {
        "pairopt/rules/constraints/max_score_gap.py",
        ORACLE,
        EVENTS,
    }
    assert "5 passed" in copy.tested(command_in("constraint"))
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
    whole = part("constraint")[module]
    less = re.sub(r"\n    def attributes.*", "", whole, flags=re.DOTALL)
    assert less != whole
    copy.add("constraint", instead={module: less})
    done = copy.run(
        "pytest",
        "tests/rules/test_contract.py",
        "-k",
        "MaxScoreGap",
        "-p",
        "no:cacheprovider",
    )
    assert done.returncode == 1, done.stdout
    assert "max_score_gap depends on more than it declares" in done.stdout


@pytest.mark.slow
def test_a_model_is_its_file_and_a_line_of_the_table(copy: Copy) -> None:
    copy.add("model")
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
    copy.add("tie-break")
    own = "pairopt/event/tie_breaks/games_drawn.py"
    assert copy.touched() == {own, BY_HAND, CROSSTABLE}
    assert " passed" in copy.tested(command_in("tie-break"))
    assert "1 passed" in copy.tested(
        "pytest tests/docs/test_from_code.py -k games_drawn"
    )
    assert "Drawn" in copy.said("standings", *EVENT, "--tie-breaks", "games_drawn")


@pytest.mark.slow
def test_a_tie_break_that_counts_byes_is_caught(copy: Copy) -> None:
    module = "pairopt/event/tie_breaks/games_drawn.py"
    whole = part("tie-break")[module]
    wrong = whole.replace("turn.played and ", "")
    assert wrong != whole
    copy.add("tie-break", instead={module: wrong})
    done = copy.run(*command_in("tie-break").split(), "-p", "no:cacheprovider")
    assert done.returncode == 1, done.stdout
    assert "games_drawn" in done.stdout


@pytest.mark.slow
def test_a_metric_is_its_module(copy: Copy) -> None:
    copy.add("metric")
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
    assert (
        "read this as a list of names"
        in copy.run("pairopt", "solve", "club.roll").stderr
    )
    event.unlink()
    copy.add("format")
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
    copy.add("engine")
    own = {f"pairopt/engines/by_lot/{name}.py" for name in ("__init__", "engine")}
    assert copy.touched() == own
    chosen = ["--engine", "by_lot", "--model", "double-sided"]
    assert (
        "A heuristic procedure made this pairing. Such a procedure can't prove that no pairing is better."
        in copy.said("solve", *EVENT, *chosen)
    )
    assert "by_lot" in copy.said("solve", "--help")


def test_the_abilities_of_an_engine_are_those_that_there_are() -> None:
    from pairopt.engines.base import EngineAbilities

    told = re.findall(r"^- `(\w+)` is true ", PAGES["engine"], flags=re.MULTILINE)
    assert told == list(EngineAbilities.__dataclass_fields__)


@pytest.mark.slow
def test_a_system_is_its_module(copy: Copy) -> None:
    copy.add("system")
    assert copy.touched() == {"pairopt/fide/king_of_the_hill.py"}
    for name, content in pages.named_files(PAGES["system"]).items():
        (copy.folder / name).write_text(content, encoding="utf-8")
    for engine in ("matching", "cpsat"):
        said = copy.said(
            "solve", *EVENT, "--model", "hill.toml", "--engine", engine, "--verify"
        )
        assert "Proven: no pairing is better" in said
        assert re.search(r"places of opponents +25 +proven", said)
        assert "cross-check" in said
    assert "differences between the places" in copy.said("models", "hill.toml")
    assert "Femi Adeyemi (15 points) meets Kwame Mensah" in copy.said(
        "explain", *EVENT, "--model", "hill.toml"
    )
    done = copy.run(
        "pairopt", "solve", *EVENT, "--model", "hill.toml", "--engine", "aesops_by_hand"
    )
    assert "can't pair one score group after another" in done.stderr


NAMES_PAGE = """
import sys
from pathlib import Path
sys.path.insert(0, "tests/support")
from organiser import client, event

browser = client(event(Path("friday"), ["Bob", "ann"]))
print(browser.get("/names").text)
"""


def test_a_view_is_its_module_and_its_template(copy: Copy) -> None:
    copy.add("view")
    web = "pairopt/web"
    assert copy.touched() == {f"{web}/views/names.py", f"{web}/templates/names.html"}
    (copy.folder / "asked.py").write_text(NAMES_PAGE, encoding="utf-8")
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
    copy.add("option")
    for script in re.findall(r"`python (tests/make/\w+\.py)`", PAGES["option"]):
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
    assert "UsageError: arbiter is 3. Give a text" in refused.stderr


@pytest.mark.sweep
def test_a_setting_is_a_field(copy: Copy) -> None:
    assert (
        copy.run("pairopt", "new", "x", "--players", "y", "--venue", "z").returncode
        == 2
    )
    copy.add("setting")
    assert copy.touched() == {SETTINGS}
    assert 'venue = "The hall"' in founded(copy, "--venue", "The hall")
    assert "venue: The inn (before: The hall)" in copy.said(
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
    copy.add("folder-command")
    assert copy.touched() == {"pairopt/folder/commands/unseat.py"}
    founded(copy)
    assert re.search(r"unseat +Remove the fixed tables", copy.said("--help"))
    assert "--above N" in copy.said("unseat", "--help")
    assert copy.run("pairopt", "unseat", "friday", "--above", "0").returncode == 2
    assert "The fixed tables are removed." in copy.said(
        "unseat", "friday", "--above", "5"
    )
    players = copy.folder / "friday" / "players.csv"
    assert [
        line.split(",")[1] for line in players.read_text("utf-8").splitlines()[1:3]
    ] == [
        "3",
        "",
    ]
    assert "Did you mean unseat" in copy.run("pairopt", "unseet", "friday").stderr
    shown = everywhere(copy)
    assert 'action="/players/unseat"' in shown
    assert '<input name="above"' in shown
    assert "# pairopt unseat" in shown


def test_a_command_is_its_module_and_its_line(copy: Copy) -> None:
    copy.add("command")
    assert copy.touched() == {"pairopt/cli/roster.py"}
    assert "There is no command" in copy.run("pairopt", "roster", *EVENT).stderr
    commands = copy.folder / "pairopt" / "cli" / "commands.py"
    text = commands.read_text(encoding="utf-8")
    line = '    "One round": {\n        "roster": "Who plays, a line each.",\n'
    commands.write_text(text.replace('    "One round": {\n', line, 1), encoding="utf-8")
    assert "Femi Adeyemi" in copy.said("roster", *EVENT)
    assert "Who plays, a line each." in copy.said("--help")
