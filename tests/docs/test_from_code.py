"""What the site says of rules, models and commands is made from the code, and is complete."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Literal

import click
import from_code
import make_pages
import pages
import pytest

from pairopt.cli import COMMANDS, groups, main
from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.state import State
from pairopt.event.tie_breaks import TIE_BREAKS
from pairopt.problem.model import model_names, parse_model
from pairopt.rules.base import Criterion, Label
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.rules.criteria import CRITERIA

RULES, MODELS = (from_code.filled(pages.page(name)) for name in ("rules", "models"))
FILLED = make_pages.pages_with_sections()
"""Pages with generated sections, which are committed."""

IN_FILES = {kind: rule for kind, rule in CONSTRAINTS.items() if rule.option is None}


def section(page: str, what: str, name: str) -> str:
    """The text below a generated heading, up to the next one."""
    heading = re.compile(rf"^##+ {what} `{name}`\n", flags=re.MULTILINE)
    own = heading.split(page)[1]
    return re.split(rf"^##+ {what} `|<!-- end of", own, maxsplit=1, flags=re.MULTILINE)[
        0
    ]


@pytest.mark.parametrize("kind", CRITERIA)
def test_every_criterion_is_documented(kind: str) -> None:
    rule, own = CRITERIA[kind], section(RULES, "Criterion", kind)
    for each in fields(rule):  # type: ignore[arg-type]
        assert f"| `{each.name}` |" in own
    levels = own.partition("| level | what it counts |")[2]
    assert re.search(r"^\| `.+` \| \w+", levels, flags=re.MULTILINE), (
        "no level in words"
    )
    assert_said(rule, own)


@pytest.mark.parametrize("kind", IN_FILES)
def test_every_constraint_is_documented(kind: str) -> None:
    own = section(RULES, "Constraint", kind)
    assert ("the value of `" in own) == bool(fields(IN_FILES[kind]))  # type: ignore[arg-type]
    assert_said(IN_FILES[kind], own)


def assert_said(rule: type, own: str) -> None:
    """The docstring is words and no signature, and the example is a model file."""
    doc = " ".join((rule.__doc__ or "").split())
    assert doc.split(". ")[0].rstrip(".") in " ".join(own.split())
    assert not doc.startswith(f"{rule.__name__}(")
    (example,) = pages.blocks(own, "toml")
    content = tomllib.loads(f'name = "example"\n{example}', parse_float=Decimal)
    model = parse_model(content)
    assert isinstance((*model.constraints, *model.criteria)[0], rule)


def test_constraints_of_the_command_line_are_documented() -> None:
    for kind, rule in CONSTRAINTS.items():
        if rule.option is not None:
            assert f"| `--{rule.option.replace('_', '-')}` | `{kind}` |" in RULES


def test_the_lookahead_is_documented() -> None:
    assert "`lookahead = 2`" in RULES
    assert parse_model({"name": "m", "constraints": {"lookahead": 2}}).lookahead == 2


def test_a_new_criterion_needs_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Hats(Criterion):
        """Nobody wears two hats."""

        kind = "hats"

        most: int = 2

        def labels(self, state: State) -> Sequence[Label]:
            return [1]

        def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
            raise NotImplementedError

        def words(self, label: Label) -> str:
            return "hats"

    monkeypatch.setattr(from_code, "CRITERIA", {**CRITERIA, "hats": Hats})
    own = section(from_code.filled(pages.page("rules")), "Criterion", "hats")
    assert "Nobody wears two hats." in own
    assert "| `most` | whole number | `2` |" in own


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (float, "float"),
        (tuple[int, ...], "list of whole numbers"),
        (Mapping[str, int], "table of whole numbers, as `{ Leeds = 2 }`"),
        (Literal["near", "far"] | None, '`"near"` or `"far"`'),
    ],
)
def test_a_new_type_of_parameter_needs_no_word(hint: object, said: str) -> None:
    assert from_code._type(hint) == said


@pytest.mark.parametrize("kind", TIE_BREAKS)
def test_every_tie_break_is_documented(kind: str) -> None:
    own = section(from_code.filled(pages.page("standings")), "Tie-break", kind)
    assert TIE_BREAKS[kind].describe()[1:] in own
    assert from_code.source_of(TIE_BREAKS[kind]) in own


@pytest.mark.parametrize("name", model_names())
def test_every_model_is_documented(name: str) -> None:
    own = section(MODELS, "Model", name)
    assert "never breaks these constraints" in own or "has no constraints" in own
    (file,) = pages.blocks(own, "toml")
    assert parse_model(tomllib.loads(file, parse_float=Decimal)).name == name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    command_pages = from_code.command_pages()
    own, solve_page = command_pages[name.replace(" ", "-")], command_pages["solve"]
    assert own.startswith(f"# pairopt {name}\n")
    top = click.Context(main)
    command = main.get_command(top, name)
    assert command is not None
    for param in command.params:
        if isinstance(param, click.Option) and not param.hidden:
            option = max(param.opts, key=len)
            row = re.compile(rf"^\| `.*{option}\b.*` \| \S", flags=re.MULTILINE)
            is_shared = option in own.partition("the page [pairopt solve]")[2].split()
            words = row.search(solve_page if is_shared else own)
            assert words, f"{name} {option} is not explained"


def test_commands_are_listed_in_the_groups_of_the_help_a_page_each() -> None:
    listed = from_code.filled(pages.page("commands")).split("<!-- end of")[0]
    assert re.findall("^## (.*)", listed, flags=re.MULTILINE) == [*groups()]
    linked = re.findall(r"^\| \[`pairopt (.*?)`\]\((.*?)\)", listed, flags=re.MULTILINE)
    assert [name for name, _ in linked] == [*COMMANDS]
    assert [path for _, path in linked] == [
        f"commands/{s}.md" for s in from_code.command_pages()
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_on_a_page_for_users(name: str) -> None:
    others = ("settings", "files", "research", "instruments", "solvers")
    users = [pages.ROOT / "docs" / f"{name}.md" for name in others]
    users += [path for path in pages.PAGES if path.parent.name == "how-to"]
    shown = [block for path in users for block in pages.blocks(pages.text(path), "sh")]
    assert re.search(rf"^pairopt {name}\b", "\n".join(shown), flags=re.MULTILINE)


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = "\n".join(pages.blocks(pages.page("index"), r"\{toctree\}")).split()
    docs = [path for path in pages.PAGES if path != pages.README]
    site = {
        path.relative_to(pages.ROOT / "docs").with_suffix("").as_posix()
        for path in docs
    } - {"index"}
    assert site <= set(listed)


def test_a_generated_section_is_replaced_and_nothing_else() -> None:
    page = "before\n<!-- from code: law -->\nold\n<!-- end of law -->\nafter\n"
    again = from_code.filled(page)
    assert "old" not in again
    assert again.startswith("before\n<!-- from code: law -->\n\n| step |")
    assert again.endswith("|\n\n<!-- end of law -->\nafter\n")
    assert from_code.filled(again) == again


@pytest.mark.parametrize("path", FILLED, ids=lambda path: path.stem)
def test_generated_sections_are_current(path: Path) -> None:
    page = pages.text(path)
    assert from_code.filled(page) == page, "run `python tests/make/make_pages.py`"


def test_pages_of_commands_are_current() -> None:
    stored = {path.stem: pages.text(path) for path in make_pages.COMMANDS.glob("*.md")}
    assert stored == from_code.command_pages(), "run `python tests/make/make_pages.py`"
