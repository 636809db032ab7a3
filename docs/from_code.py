"""The parts of the site that are made from the code: rules, models and commands, as Markdown."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from decimal import Decimal
from functools import cache, partial
from inspect import cleandoc
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import api_reference
import checklist
import click
import kept

import pairopt
from pairopt.cli import groups, main
from pairopt.cli.models import model_text
from pairopt.event.event import Event
from pairopt.event.settings import SETTINGS
from pairopt.event.tie_breaks import TIE_BREAKS, TieBreak
from pairopt.folder.protected_facts import KINDS, LAW, Kind
from pairopt.lab.contenders import CONTENDERS
from pairopt.lab.metrics import METRICS
from pairopt.lab.rankings import RANKINGS
from pairopt.lab.worlds import WORLDS
from pairopt.problem.build import prepare
from pairopt.problem.model import Model, load_model, model_names
from pairopt.problem.model_uses import USES, group_models
from pairopt.registry import ExtensionRegistry
from pairopt.rules.base import Constraint, Criterion, Rule
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.rules.criteria import CRITERIA

ROOT = Path(__file__).parents[1]
MOST_LEVELS = 4
REQUIRED = "required"

WORDS: Mapping[Any, str] = {str: "text", int: "whole number", Decimal: "number"}
"""The types of parameters, as a model file has them; others keep their name."""

EXAMPLES: Mapping[Any, Any] = {str: "club", int: 2, Decimal: Decimal(2)}
"""Values for parameters without default that no shipped model sets."""


def criteria() -> str:
    """Every criterion: what it is for, its parameters, its levels and a line of a model file."""
    return "\n\n".join(_criterion(rule) for rule in CRITERIA.values())


def constraints() -> str:
    """Every constraint that a model file can have."""
    held = [rule for rule in CONSTRAINTS.values() if rule.option is None]
    return "\n\n".join(_constraint(rule) for rule in held)


def constraints_by_option() -> str:
    """Every constraint that is a command line option."""
    given = [rule for rule in CONSTRAINTS.values() if rule.option is not None]
    lines = ["| option | constraint | what it does |", "|---|---|---|"]
    named = [(f"--{rule.option.replace('_', '-')}", rule) for rule in given]
    lines += [
        f"| `{option}` | `{rule.kind}` | {_doc(rule)[0]} |" for option, rule in named
    ]
    return "\n".join(lines)


def model_uses() -> str:
    """Who the shipped models are for, and the data that each was checked with."""
    parts = []
    for group, names in group_models(model_names()).items():
        lines = [
            f"### {group}",
            "",
            "| model | rules from | checked with | published rounds reproduced |",
            "|---|---|---|---|",
        ]
        for name in names:
            use = USES.get(name)
            checked = use.checked if use else "not stated"
            rounds = f"{use.reproduced} of {use.published}" if use else ""
            if use is None or not use.published:
                rounds = "none compared"
            source = load_model(name).source.split(":")[0].split(";")[0]
            lines.append(
                f"| [`{name}`](#model-{name}) | {source} | {checked} | {rounds} |"
            )
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def models() -> str:
    """Every shipped model in plain words, and its file."""
    text = "\n\n".join(_model(name) for name in model_names())
    return re.sub(r"\n{3,}", "\n\n", text)


def commands() -> str:
    """The commands by the groups of `--help`, a line and a page each."""
    found = []
    for group, lines in groups().items():
        rows = [
            f"| [`pairopt {name}`](commands/{_stem(name)}.md) | {line} |"
            for name, line in lines.items()
        ]
        found += [
            f"## {group}",
            "\n".join(["| command | what it does |", "|---|---|", *rows]),
        ]
    return "\n\n".join(found)


def command(name: str) -> str:
    """The page of a command: what it does, its arguments and options."""
    top = click.Context(main, info_name="pairopt", **main.context_settings)
    found = main.get_command(top, name)
    if found is None:
        raise KeyError(name)
    return _command(top, name, found)


def command_pages() -> dict[str, str]:
    """A page for each command, by the stem of its file, as the site has it."""
    return {
        _stem(name): f"# pairopt {name}\n\n{command(name)}\n"
        for lines in groups().values()
        for name in lines
    }


def _stem(name: str) -> str:
    return name.replace(" ", "-")


def tie_breaks() -> str:
    """Every tie-break: its definition and where it is published."""
    return "\n\n".join(_tie_break(each) for each in TIE_BREAKS.values())


def plugins(found: ExtensionRegistry[Any]) -> str:
    """What goes by name in a study, each with its definition."""
    lines = ["| name | what it is |", "|---|---|"]
    return "\n".join(
        [*lines, *(f"| `{kind}` | {' '.join(_doc(found[kind]))} |" for kind in found)]
    )


FACTS: Mapping[Kind, str] = {
    "match": "results",
    "bye": "byes of earlier rounds",
    "bracket": "results of the top cut",
    "brought": "points that a player brings",
    "points": "what a win, a draw and a loss give",
}


def law() -> str:
    """What each step of an event folder may do to facts."""
    lines = [
        "| step | may add | may correct | may remove | note |",
        "|---|---|---|---|---|",
    ]
    for verb, rule in LAW.items():
        may = (rule.adds, rule.corrects, rule.takes)
        cells = (
            "all" if [*kinds] == [*KINDS] else ", ".join(map(FACTS.__getitem__, kinds))
            for kinds in may
        )
        lines.append(f"| `{verb}` | {' | '.join(cells)} | {rule.says} |")
    return "\n".join(lines)


AFTER_START = {
    "rounds to come": "to later rounds",
    "any time": "from now on",
    "before round 1": "only before round 1",
    "asks": "from now on; if there are results, pairopt asks (`--sure`)",
}


def settings() -> str:
    """What an event keeps for all its rounds, and what a change of it does after the start."""
    lines = [
        "| key | what it does | a later change applies | FIDE's handbook |",
        "|---|---|---|---|",
    ]
    for key, one in SETTINGS.items():
        choices = "; ".join(f"`{name}`: {words}" for name, words in one.choices if name)
        default = f"Default: {one.otherwise}." if one.otherwise else ""
        words = " ".join(filter(None, (one.hint, choices and f"{choices}.", default)))
        lines.append(f"| `{key}` | {words} | {AFTER_START[one.after]} | {one.fide} |")
    return "\n".join(lines)


CLUB = ROOT / "tests" / "club"
"""A package with an extension of each kind."""


def club_example(name: str) -> str:
    """Show the files of an example of the club, each below its name."""
    project = CLUB / "pyproject.toml"
    template = CLUB / "club" / "templates" / f"{name}.html"
    module, folder = CLUB / "club" / f"{name}.py", CLUB / "club" / name
    paths = [project] if name == "pyproject" else [module, template]
    paths += sorted(folder.glob("*.py"))
    languages = {".py": "py", ".html": "html", ".toml": "toml"}
    return "\n\n".join(
        f"`{path.relative_to(CLUB).as_posix()}`:\n\n```{languages[path.suffix]}\n"
        f"{path.read_text(encoding='utf-8')}```"
        for path in paths
        if path.exists()
    )


def extension_names() -> str:
    """Show the table of names in the first lines of pairopt/extend.py."""
    text = (ROOT / "pairopt" / "extend.py").read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if line.startswith("|"))


PARTS: Mapping[str, Callable[[], str]] = {
    **{
        f"club {name}": partial(club_example, name)
        for name in (
            "pyproject",
            "by_lot",
            *(path.stem for path in sorted((CLUB / "club").glob("[a-z]*.py"))),
        )
    },
    "extend names": extension_names,
    **{
        f"api {name}": partial(api_reference.group, name)
        for name in api_reference.GROUPS
    },
    "api folder": api_reference.folder_functions,
    "api options": api_reference.round_options,
    "checklist": checklist.tables,
    "checklist sources": checklist.sources,
    "checklist summary": checklist.summary,
    "commands": commands,
    "constraints": constraints,
    "constraints by option": constraints_by_option,
    "contenders": partial(plugins, CONTENDERS),
    "criteria": criteria,
    "formats": kept.table,
    "law": law,
    "metrics": partial(plugins, METRICS),
    "models": models,
    "settings": settings,
    "rankings": partial(plugins, RANKINGS),
    "tie-breaks": tie_breaks,
    "model uses": model_uses,
    "worlds": partial(plugins, WORLDS),
}


SECTION = re.compile(
    r"<!-- from code: (.*?) -->(?:\n.*?<!-- end of \1 -->)?", flags=re.DOTALL
)
"""A generated section: empty (the first comment alone), or with its text and both comments."""


def filled(page: str) -> str:
    """Fill each section `<!-- from code: NAME -->` of a page, or replace its old text."""
    return SECTION.sub(lambda found: _between_comments(found[1]), page)


def _between_comments(name: str) -> str:
    return f"<!-- from code: {name} -->\n\n{PARTS[name]()}\n\n<!-- end of {name} -->"


def _criterion(rule: type[Criterion]) -> str:
    example = _example(rule)
    levels = prepare(_sample(), _model_of(example)).levels
    rows = [f"| `{level.label}` | {level.words} |" for level in levels[:MOST_LEVELS]]
    rows += ["| … | and so on |"] * (len(levels) > MOST_LEVELS)
    given = [
        f"{name} = {_toml(value)}"
        for name, value in _values(example).items()
        if value is not None and value != {}
    ]
    return _section(
        "criterion",
        rule,
        *_parameters(rule),
        "In the event `examples/weekly`, the criterion has these levels, the most important "
        "first:",
        "\n".join(["| level | what it counts |", "|---|---|", *rows]),
        _toml_block("[[criteria]]", f'kind = "{rule.kind}"', *given),
    )


def _constraint(rule: type[Constraint]) -> str:
    (value,) = [*_values(_example(rule)).values()] or [True]
    expected = [
        f"In a model file, the value of `{rule.kind}` is a {_type(each)}."
        for each in _types(rule).values()
    ]
    line = _toml_block("[constraints]", f"{rule.kind} = {_toml(value)}")
    return _section("constraint", rule, *expected, line)


def _section(what: str, rule: type[Rule], *rest: str) -> str:
    """Heading, docstring, what is peculiar to its kind, and the models that have it."""
    parts = [f"### {what.title()} `{rule.kind}`", *_doc(rule), *rest]
    if rule.needs_sides:
        parts.append(
            f"If the game has no sides, pairopt ignores `{rule.kind}` and prints a note."
        )
    links = [f"[{model.name}](models.md#model-{model.name})" for model in _having(rule)]
    if len(links) == 1:
        parts.append(f"The model {links[0]} uses the {what} `{rule.kind}`.")
    elif links:
        listed = f"{', '.join(links[:-1])} and {links[-1]}"
        parts.append(f"The models {listed} use the {what} `{rule.kind}`.")
    return "\n\n".join(parts)


def _tie_break(each: type[TieBreak]) -> str:
    heading = f"### Tie-break `{each.kind}`"
    return "\n\n".join(
        [
            heading,
            f"In the standings, the column **{each.head}** shows the tie-break `{each.kind}`.",
            f"`{each.kind}` is {_doc(each)[0][0].lower()}{_doc(each)[0][1:]}",
            *_doc(each)[1:],
            f"The rule for `{each.kind}` comes from {source_of(each)}.",
        ]
    )


C07_TITLE = " (Play-Off and Tie-Break Regulations, in force from 1 March 2026)"
"""The title of FIDE's tie-break regulations, which the page names once at the top."""


def source_of(each: type[TieBreak]) -> str:
    """Where a tie-break is defined, without the title of FIDE's regulations."""
    return each.source.replace(C07_TITLE, "")


def _doc(thing: type[Any]) -> list[str]:
    """The paragraphs of the docstring."""
    return [
        " ".join(part.split()) for part in cleandoc(thing.__doc__ or "").split("\n\n")
    ]


def _parameters(rule: type[Rule]) -> list[str]:
    """The table of a rule's parameters, if it has any."""
    hints = _types(rule)
    rows = [
        f"| `{each.name}` | {_type(hints[each.name])} | {_default(each)} |"
        for each in _own(rule)
    ]
    head = ["| parameter | value | default |", "|---|---|---|"]
    return ["\n".join([*head, *rows])] if rows else []


def _type(hint: Any) -> str:
    """A type in words."""
    if get_origin(hint) is Literal:
        return " or ".join(f"`{_toml(choice)}`" for choice in get_args(hint))
    if get_origin(hint) in (types.UnionType, Union):
        return " or ".join(
            _type(each) for each in get_args(hint) if each is not types.NoneType
        )
    if _of_several(hint):
        item = get_args(hint)[0]
        plural = "" if get_origin(item) is Literal else "s"
        return f"list of {_type(item)}{plural}"
    if _of_keys(hint):
        return f"table of {_type(get_args(hint)[1])}s, as `{_toml(_value(hint))}`"
    return WORDS.get(hint, getattr(hint, "__name__", str(hint)))


def _value(hint: Any) -> Any:
    """An example of a type."""
    given = [each for each in get_args(hint) if each is not types.NoneType]
    if get_origin(hint) is Literal:
        return given[0]
    if get_origin(hint) in (types.UnionType, Union):
        return _value(given[0])
    if _of_several(hint):
        return (_value(given[0]),)
    return {"Leeds": _value(given[1])} if _of_keys(hint) else EXAMPLES[hint]


def _of_several(hint: Any) -> bool:
    return get_origin(hint) in (tuple, list, Sequence)


def _of_keys(hint: Any) -> bool:
    return get_origin(hint) in (dict, Mapping)


def _default(each: Field[Any]) -> str:
    if each.default is MISSING:
        return REQUIRED if each.default_factory is MISSING else "none"
    return "none" if each.default is None else f"`{_toml(each.default)}`"


def _own(rule: type[Rule]) -> tuple[Field[Any], ...]:
    return fields(rule)  # type: ignore[arg-type]


def _types(rule: type[Rule]) -> dict[str, Any]:
    hints = get_type_hints(rule)
    return {each.name: hints[each.name] for each in _own(rule)}


def _values(rule: Rule) -> dict[str, Any]:
    return {each.name: getattr(rule, each.name) for each in _own(type(rule))}


def _example(rule: type[Any]) -> Any:
    """The rule with its defaults; where some have none, as a shipped model has it."""
    hints = _types(rule)
    bare = [each.name for each in _own(rule) if _default(each) == REQUIRED]
    shipped = [
        own for model in _having(rule) for own in _rules(model) if isinstance(own, rule)
    ]
    if bare and shipped:
        return shipped[0]
    return rule(**{name: _value(hints[name]) for name in bare})


def _having(rule: type[Rule]) -> list[Model]:
    """The shipped models that have such a rule, in the last round or before."""
    shipped = [load_model(name) for name in model_names()]
    return [
        model
        for model in shipped
        if any(isinstance(own, rule) for own in _rules(model))
    ]


def _rules(model: Model) -> Iterator[Rule]:
    for each in (model, model.for_round(last=True)):
        yield from (*each.constraints, *each.criteria)


def _model_of(criterion: Criterion) -> Model:
    return Model(criterion.kind, "", "", constraints=(), criteria=(criterion,))


@cache
def _sample() -> Event:
    folder = ROOT / "examples" / "weekly"
    return pairopt.read_event(folder / "matches.csv", folder / "players.csv")


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return (
            "{ "
            + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items())
            + " }"
        )
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    return (
        str(value)
        if isinstance(value, Decimal)
        else json.dumps(value, ensure_ascii=False)
    )


def _toml_block(*lines: str) -> str:
    return "\n".join(["```toml", *lines, "```"])


MODEL_SOURCES: Mapping[str, str] = tomllib.loads(
    (ROOT / "docs" / "model_sources.toml").read_text(encoding="utf-8")
)
"""Where models come from, in sentences; other models show the source of their file."""


def _model(name: str) -> str:
    file = (ROOT / "models" / f"{name}.toml").read_text(encoding="utf-8").strip()
    title, *words = model_text(load_model(name)).removeprefix(f"{name}: ").split("\n")
    if words[0].startswith("Source: "):
        words[0] = MODEL_SOURCES.get(name, words[0])
    return "\n\n".join(
        [
            f"## Model `{name}`",
            f"Lists of models show `{name}` with the title **{title}**.",
            "\n".join(map(_linked, words)),
            "<details>\n<summary>The file</summary>",
            _toml_block(file),
            "</details>",
        ]
    )


LONGEST_SETTINGS = 60
"""So many characters of a rule's settings are shown in its sentence."""


def _linked(line: str) -> str:
    """A line of a model in words as Markdown: its rule a link, or else a paragraph of its own."""
    if not line.startswith(" "):
        return f"\n{line}\n"
    what = "constraint" if line.startswith("  -") else "criterion"
    found = re.search(r"\[(\w+)([^\[\]]*)\](?= \(weight|$)", line)
    if found is None or found[1] not in {*CRITERIA, *CONSTRAINTS, "lookahead"}:
        return line  # levels of systems have articles instead
    settings = (
        found[2] if len(found[2]) <= LONGEST_SETTINGS else ""
    )  # the file has them
    rule = f"[[{found[1]}](rules.md#{what}-{found[1]}){settings}]"
    return f"{line[: found.start()]}{rule}{line[found.end() :]}"


MANY_SHARED = 10
"""So many options that a page refers to those of `pairopt solve`."""


def _command(top: click.Context, name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name, parent=top)
    pieces = command.collect_usage_pieces(context)
    usage = " ".join([context.command_path, *pieces])
    records = _option_records(command, context)
    shared_names: list[str] = []
    if name not in ("solve", "pair"):
        solve_records = _option_records(_solve_command(top), context)
        shared = [record for record in records if record in solve_records]
        if len(shared) >= MANY_SHARED:
            shared_names = [re.findall(r"--[\w-]+", record[0])[0] for record in shared]
            records = [record for record in records if record not in shared]
    rows = [
        f"| `{_cell(option)}` | {_cell(help_text)} |" for option, help_text in records
    ]
    table = "\n".join(["| option | meaning |", "|---|---|", *rows])
    if shared_names:
        listed = textwrap.fill(
            " ".join(shared_names), 88, break_on_hyphens=False, break_long_words=False
        )
        table += (
            f"\n\n`pairopt {name}` also has the following options, which the page "
            f"[pairopt solve](solve.md) explains:\n\n```text\n{listed}\n```"
        )
    help_text = _with_list_blocks(cleandoc(command.help or ""))
    return "\n\n".join([help_text, f"```text\n{usage}\n```", table])


def _option_records(
    command: click.Command, context: click.Context
) -> list[tuple[str, str]]:
    """The options of a command, each with its help."""
    records = [
        param.get_help_record(context)
        for param in command.params
        if isinstance(param, click.Option)
    ]
    return [record for record in records if record is not None]


def _solve_command(top: click.Context) -> click.Command:
    solve = main.get_command(top, "solve")
    if solve is None:
        raise KeyError("solve")
    return solve


def _with_list_blocks(help_text: str) -> str:
    """Turn the paragraphs of examples and of exit codes in a help text into blocks."""
    paragraphs = help_text.split("\n\n")
    for place, paragraph in enumerate(paragraphs):
        if paragraph.startswith("\b\n"):
            _, head, *lines = paragraph.split("\n")
            block = textwrap.dedent("\n".join(lines))
            paragraphs[place] = f"{head}\n\n```text\n{block}\n```"
    return "\n\n".join(paragraphs)


def _cell(text: str) -> str:
    """A text for the cell of a table."""
    return " ".join(text.split()).replace("|", r"\|")
