"""The reference of the Python interface as Markdown, from signatures and docstrings."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from pairopt.problem.option_declaration import OptionDeclaration
from pairopt.problem.options import CompareOptions, RoundOptions, SolveOptions

HEADING = re.compile(r"^(\w+)\n-+\n", flags=re.MULTILINE)
"""The heading of a section of a docstring, underlined as numpydoc has it."""

GROUPS: dict[str, tuple[str, ...]] = {
    "events": (
        "pairopt.read_event",
        "pairopt.write_event",
        "pairopt.standings",
        "pairopt.Event",
    ),
    "models": ("pairopt.load_model", "pairopt.Model"),
    "round": (
        "pairopt.solve",
        "pairopt.repair",
        "pairopt.check",
        "pairopt.check_proof",
        "pairopt.explain",
        "pairopt.compare",
        "pairopt.export",
        "pairopt.Exported",
        "pairopt.read_solution",
        "pairopt.program",
        "pairopt.Program",
        "pairopt.show_versions",
    ),
    "results": (
        "pairopt.Result",
        "pairopt.round.check.Check",
        "pairopt.proof.file.Proof",
        "pairopt.proof.check.CheckedProof",
        "pairopt.round.explain.Explanation",
        "pairopt.round.compare_models.Comparison",
    ),
    "studies": (
        "pairopt.lab.simulate",
        "pairopt.lab.Tournament",
        "pairopt.lab.World",
        "pairopt.lab.compare_models",
        "pairopt.lab.compare_on_events",
        "pairopt.lab.orderings",
        "pairopt.lab.per_tournament",
        "pairopt.lab.means",
        "pairopt.lab.differences",
        "pairopt.lab.designs",
        "pairopt.lab.ended_early",
    ),
    "analysis": (
        "pairopt.frontier",
        "pairopt.frontiers",
        "pairopt.analysis.frontier.Frontier",
        "pairopt.analysis.frontier_slopes.table_of",
        "pairopt.analysis.frontier_slopes.prices",
        "pairopt.odds",
        "pairopt.analysis.chances.Odds",
        "pairopt.analysis.chances.PlayerProbabilities",
        "pairopt.analysis.chances.MeetingProbability",
        "pairopt.draw_odds",
        "pairopt.analysis.draw_odds.DrawOdds",
        "pairopt.analysis.draw_odds.DrawPair",
        "pairopt.typical",
        "pairopt.analysis.typical.Typical",
        "pairopt.analysis.typical.Statistic",
        "pairopt.incentive",
        "pairopt.incentives",
        "pairopt.analysis.incentive.Incentives",
        "pairopt.analysis.incentive.PlayerProspect",
        "pairopt.analysis.agreements.agreements",
        "pairopt.analysis.agreements.Agreements",
        "pairopt.analysis.agreements.TableCutProbabilities",
        "pairopt.analysis.agreements.AgreementOutcome",
        "pairopt.analysis.agreements.CutProbability",
    ),
    "errors": ("pairopt.PairoptError", "pairopt.InputError", "pairopt.UsageError"),
}


def group(name: str) -> str:
    """Describe the functions and classes of a group."""
    return "\n\n".join(map(describe, GROUPS[name]))


def folder_functions() -> str:
    """Describe the functions and classes of an event folder."""
    names = importlib.import_module("pairopt.folder").__all__
    return "\n\n".join(describe(f"pairopt.folder.{name}") for name in names)


def round_options() -> str:
    """Describe the options of a round, and which functions take them."""
    lines = ["| keyword | default | meaning |", "|---|---|---|"]
    shared = {field.name for field in fields(RoundOptions)}
    compared = {field.name for field in fields(CompareOptions)}
    for field in fields(SolveOptions):
        declaration: OptionDeclaration = field.metadata["option"]
        meaning = declaration.help
        if declaration.choices:
            choices = ", ".join(f'`"{choice}"`' for choice in declaration.choices)
            meaning = f"{meaning} One of {choices}."
        if field.name not in shared:
            takers = "`solve` and `compare`" if field.name in compared else "`solve`"
            meaning = f"{meaning} Only {takers}."
        default = f"`{declaration.default!r}`"
        lines.append(f"| `{field.name}` | {default} | {_cell(meaning)} |")
    return "\n".join(lines)


def describe(path: str) -> str:
    """Describe a function or class: heading, call, docstring and members."""
    thing = _find(path)
    title, sections = _sections(inspect.getdoc(thing) or "")
    parts = [f"### `{path}`"]
    if not isinstance(thing, type):
        parts.append(f"```text\n{_call(path, thing, sections)}\n```")
    if isinstance(thing, type):
        title = _described_class(path.rpartition(".")[2], title)
    parts.append(title)
    short_name = path.removeprefix("pairopt.").removeprefix("analysis.")
    parts += [_section(short_name, name, text) for name, text in sections.items()]
    if isinstance(thing, type):
        if not {"Parameters", "Attributes"} & {*sections}:
            parts.append(_fields(thing))
        parts.append(_members(thing))
    return "\n\n".join(filter(None, parts))


def _described_class(name: str, title: str) -> str:
    """Return the description of a class as a sentence about its name."""
    article = re.match(r"(A|An|The) ", title)
    if article is None:
        return title
    noun = re.split(r" (?:of|that|to|between|for) ", title)[0]
    is_plural = article[1] == "The" and re.search(r"[^s]s$", noun)
    verb = "contains" if is_plural else "is"
    return f"`{name}` {verb} {title[0].lower()}{title[1:]}"


def _find(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _sections(doc: str) -> tuple[str, dict[str, str]]:
    """Split a docstring into what comes first, and its sections by heading."""
    first, *rest = HEADING.split(doc)
    return first.strip(), dict(zip(rest[::2], rest[1::2], strict=True))


def _call(path: str, function: Any, sections: dict[str, str]) -> str:
    """Return the call of a function; options that `**options` stands for are left out."""
    documented = set(re.findall(r"\w+", " ".join(_heads(sections.get("Parameters")))))
    has_options = "**options" in sections.get("Parameters", "")
    listed, options = [], []
    for parameter in inspect.signature(function).parameters.values():
        text = parameter.name
        if parameter.kind is parameter.VAR_KEYWORD:
            options = [f"**{parameter.name}"]
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            listed.append(f"*{parameter.name}")
            continue
        if parameter.default is not parameter.empty:
            text += f"={_value(parameter.default)}"
        if has_options and parameter.name not in documented:
            options = ["**options"]
        else:
            if parameter.kind is parameter.KEYWORD_ONLY and not any(
                each.startswith("*") for each in listed
            ):
                listed.append("*")
            listed.append(text)
    return f"{path}({', '.join([*listed, *options])})"


def _value(default: Any) -> str:
    text = repr(default)
    return "..." if " at 0x" in text or text.startswith("<") else text


def _section(subject: str, name: str, text: str) -> str:
    """Return a section of a docstring as Markdown; `subject` returns or raises."""
    if name == "Examples":
        code = re.sub(r" *# doctest: .*", "", text.strip())
        return f"```pycon\n{code}\n```"
    items = list(_items(text))
    if name in ("Parameters", "Attributes"):
        lines = [f"| {name[:-1].lower()} | meaning |", "|---|---|"]
        lines += [
            f"| {_names(head)} | {_typed(head)}{_cell(body)} |" for head, body in items
        ]
        return "\n".join(lines)
    if name in ("Returns", "Yields"):
        lines = [f"- {_returned(subject, name, head, body)}" for head, body in items]
        return f"{name}:\n\n" + "\n".join(lines)
    if name == "Raises":
        lines = [f"- {_raised(subject, head, body)}" for head, body in items]
        return f"{name}:\n\n" + "\n".join(lines)
    return f"{name}: {' '.join(text.split())}"


def _returned(subject: str, name: str, head: str, body: str) -> str:
    """Return the sentences on what a function returns or yields."""
    if name == "Yields":
        return f"`{subject}` yields `{head}` objects: {body[0].lower()}{body[1:]}"
    article = "an" if head[0] in "AEIOU" else "a"
    if message := re.match("The (messages?|answer) ", body):
        return (
            f"`{subject}` returns {article} `{head}` object, "
            f"whose {message[1]} {body[message.end() :]}"
        )
    return f"`{subject}` returns {article} `{head}`: {body[0].lower()}{body[1:]}"


def _raised(subject: str, head: str, body: str) -> str:
    """Return one sentence for each condition under which the errors of `head` are raised."""
    first, *others = re.split(r",? or if |, if ", body)
    errors = _names(head).replace(", ", " or ")
    sentences = [f"`{subject}` raises {errors} {first[0].lower()}{first[1:]}"]
    sentences += [f"`{subject}` also raises {errors} if {each}" for each in others]
    return ". ".join(sentences)


def _items(text: str) -> Iterator[tuple[str, str]]:
    """Split a section into its heads, which are not indented, and what is below each."""
    for item in re.split(r"\n(?=\S)", text.strip()):
        head, _, body = item.partition("\n")
        yield head.strip(), " ".join(body.split())


def _heads(section: str | None) -> list[str]:
    return [head.partition(" : ")[0] for head, _ in _items(section or "")]


def _names(head: str) -> str:
    names = head.partition(" : ")[0].split(", ")
    return ", ".join(f"`{name}`" for name in names)


def _typed(head: str) -> str:
    kind = head.partition(" : ")[2]
    return f"*{_cell(kind)}.* " if kind else ""


def _cell(text: str) -> str:
    """Return a text for the cell of a table."""
    return " ".join(text.split()).replace("|", r"\|")


def _fields(kind: type[Any]) -> str:
    """List a dataclass's fields with their types; the text of the class explains them."""
    if not is_dataclass(kind):
        return ""
    annotations = {
        node.target.id: ast.unparse(node.annotation).strip("'\"")
        for definition in _definitions(kind)
        for node in definition.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    names = [each.name for each in fields(kind) if not each.name.startswith("_")]
    rows = [
        f"| `{name}` | `{_cell(annotations[name])}` |"
        for name in names
        if name in annotations
    ]
    return "\n".join(["| field | type |", "|---|---|", *rows])


def _members(kind: type[Any]) -> str:
    """Return the table of the public properties and methods of a class."""
    rows = {}
    for definition in _definitions(kind):
        for node in definition.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                rows[node.name] = _member(node)
    lines = ["| member | type | meaning |", "|---|---|---|", *rows.values()]
    return "\n".join(lines) if rows else ""


def _member(node: ast.FunctionDef) -> str:
    """Return the row of a property or method."""
    decorators = {ast.unparse(each) for each in node.decorator_list}
    meaning = _cell((ast.get_docstring(node) or "").split("\n\n")[0])
    if decorators & {"property", "cached_property"}:
        hint = ast.unparse(node.returns).strip("'\"") if node.returns else ""
        return f"| `{node.name}` | `{_cell(hint)}` | {meaning} |"
    names = [each.arg for each in (*node.args.args, *node.args.kwonlyargs)]
    given = ", ".join(name for name in names if name not in ("self", "cls"))
    return f"| `{node.name}({given})` | method | {meaning} |"


def _definitions(kind: type[Any]) -> Sequence[ast.ClassDef]:
    """Return the definitions of a class and its bases in pairopt, the bases first."""
    found = []
    for each in reversed(kind.__mro__):
        if each.__module__.split(".")[0] == "pairopt":
            tree = ast.parse(textwrap.dedent(inspect.getsource(each)))
            found += [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return found
