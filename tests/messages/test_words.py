"""Facts below, words above: every kind has its sentence, and no text below `show` names a door."""

from __future__ import annotations

import ast
import pickle
import re
import string
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from places import ROOT

from pairopt.errors import CellLocation, Fault, InputError, UsageError
from pairopt.messages import (
    AND,
    ENGLISH,
    FORMS,
    KIND,
    PASSAGES,
    SPOKEN,
    Located,
    Message,
    MessageFormatter,
    Passage,
    Value,
    join_notes,
    message,
    pair_value,
    with_heading,
)

PACKAGE = ROOT / "pairopt"
ENGLISH_FILES = sorted((PACKAGE / "messages" / "english").glob("*.toml"))
LENGTHS = [
    path
    for name in ("spoken", "full")
    for path in (PACKAGE / "messages" / name).glob("*.toml")
]
DOORS = [
    *sorted((PACKAGE / "messages" / "interfaces").rglob("*/*.toml")),
    *sorted(LENGTHS),
]


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


TOLD = sorted(
    {room(path) for path in PACKAGE.rglob("*.py")} - {"api", "cli", "report", "web"}
)
"""Rooms whose errors are all kinds with fields."""
DECLARED_COMMANDS = PACKAGE / "folder" / "commands"
"""Their help stands with their declarations, and names options."""
OPTION = re.compile(r"(?<![\w-])--[a-z]|\bpairopt (?!is\b)[a-z-]+ (?=[A-Z{])|`pairopt ")
FOREIGN = ("--dutch",)
"""Options of other programs, which pairopt calls."""
CALLS = {"message": 0, "tell": 0, "Message": 0, "Value": 0, "Fault": 0, "InputError": 1}


def sentences(path: Path) -> dict[str, str]:
    return {
        f"{path.stem}.{what}": said
        for what, said in tomllib.loads(path.read_text()).items()
    }


def calls(nodes: list[ast.AST]) -> Iterator[tuple[ast.Call, ast.expr]]:
    """What tells something, and its kind or text."""
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        place = CALLS.get(name, 0 if name.endswith("Error") and is_ours(name) else None)
        if place is not None and len(node.args) > place:
            yield node, node.args[place]


def is_ours(name: str) -> bool:
    return name in own_errors()


@cache
def code() -> dict[Path, list[ast.AST]]:
    """All nodes of each module."""
    return {
        path: [*ast.walk(ast.parse(path.read_text()))]
        for path in sorted(PACKAGE.rglob("*.py"))
    }


@cache
def own_errors() -> set[str]:
    """The names of pairopt's own errors, by their bases."""
    bases = {
        node.name: {getattr(base, "id", "") for base in node.bases}
        for nodes in code().values()
        for node in nodes
        if isinstance(node, ast.ClassDef)
    }
    ours = {"PairoptError"}
    while more := {name for name, above in bases.items() if above & ours} - ours:
        ours |= more
    return ours


KINDS = {kind: said for path in ENGLISH_FILES for kind, said in sentences(path).items()}


@pytest.mark.long
def test_every_kind_that_is_told_has_a_sentence_with_its_fields() -> None:
    wrong = []
    for path, nodes in code().items():
        for call, first in calls(nodes):
            if not isinstance(first, ast.Constant) or not KIND.fullmatch(
                str(first.value)
            ):
                continue
            kind, where = str(first.value), f"{path.relative_to(ROOT)}:{call.lineno}"
            if kind not in KINDS:
                wrong.append(f"{where}: {kind} has no sentence")
                continue
            if any(word.arg is None for word in call.keywords) or len(call.args) > 2:
                continue
            if getattr(call.func, "id", "") in ("Message", "Value", "Fault"):
                continue
            given = {word.arg for word in call.keywords} - {"hint"}
            if missing := fields_of(KINDS[kind]) - given:
                wrong.append(
                    f"{where}: {kind} is not given {', '.join(sorted(missing))}"
                )
    assert wrong == []


def fields_of(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


TABLES = (
    "fide/articles.toml",
    "files/formats/other_standings.toml",
    "files/formats/trf/records.toml",
)
"""Tables beside modules that say what is told."""


@pytest.mark.long
def test_every_sentence_is_told_somewhere() -> None:
    used = {
        node.value
        for nodes in code().values()
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    for table in TABLES:
        used |= {*re.findall(r'"([a-z]+\.[a-z_]+)"', (PACKAGE / table).read_text())}
    assert [kind for kind in (*KINDS, *PASSAGES) if kind not in used] == []


def test_a_passage_has_no_text_of_its_own_and_a_value_has_one() -> None:
    assert PASSAGES & KINDS.keys() == set()
    assert KINDS.keys() >= FORMS


@pytest.mark.long
def test_a_door_says_only_what_there_is() -> None:
    for path in DOORS:
        for kind, sentence in sentences(path).items():
            assert kind in KINDS, f"{path.parent.name}: {kind}"
            besides = (
                set() if path.stem == "step" else {"folder"}
            )  # steps are read from files
            if path in LENGTHS:  # all of a subject are told with the same fields
                alike = [
                    said
                    for other, said in KINDS.items()
                    if other.startswith(f"{path.stem}.")
                ]
                besides = {"due", "dues", "granted"}.union(*map(fields_of, alike))
            assert fields_of(sentence) <= fields_of(KINDS[kind]) | besides, kind


def test_no_sentence_names_an_option_or_a_command() -> None:
    assert [kind for kind, sentence in KINDS.items() if OPTION.search(sentence)] == []


@pytest.mark.long
def test_a_room_tells_kinds_and_names_no_option() -> None:
    wrong = []
    for path, nodes in code().items():
        if room(path) not in TOLD:
            continue
        for call, first in calls(nodes):
            text = isinstance(first, ast.JoinedStr) or (
                isinstance(first, ast.Constant) and not KIND.fullmatch(str(first.value))
            )
            if text:
                wrong.append(
                    f"{path.relative_to(ROOT)}:{call.lineno}: told without a kind"
                )
        if path.is_relative_to(DECLARED_COMMANDS):
            continue
        wrong += [
            f"{path.relative_to(ROOT)}:{node.lineno}: {node.value!r}"
            for node in texts(nodes)
            if OPTION.search(str(node.value)) and node.value not in FOREIGN
        ]
    assert wrong == []


def texts(nodes: list[ast.AST]) -> Iterator[ast.Constant]:
    """Strings that are no docstrings."""
    docs = {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docs
        ):
            yield node


def test_a_message_is_drawn_with_its_values() -> None:
    said = message("input.place", place="row 3")
    assert str(said) == "row 3"
    assert said.to_dict() == {"kind": "input.place", "place": "row 3", "text": "row 3"}
    words = MessageFormatter()
    assert words.format("{x}", x=Fraction(5, 2)) == "2.5"
    assert words.format("{x:q}", x="a" * 99) == repr("a" * 60 + "...")
    assert words.format("{x:matches} {y:points}", x=2, y=1) == "2 matches 1 point"
    assert words.format("{x:points}", x=Fraction(1, 2)) == "0.5 points"
    assert words.format("{x:match|matches}", x=2) == "matches"
    assert words.format("{x:match|matches}", x=["B1"]) == "match"
    assert words.format("{x:list}", x=["A", "B"]) == "A, B"
    assert words.format("{x:else none} {y:else none}", x="", y="3-0") == "none 3-0"
    assert words.format("won{x:brackets}{y:brackets}", x=None, y="2-1") == "won (2-1)"


def test_a_value_has_a_form_for_each_interface() -> None:
    pair = pair_value("Ann", "Bob")
    assert (str(pair), SPOKEN.format_value(pair)) == ("Ann - Bob", "Ann and Bob")
    with pytest.raises(ValueError, match="not the form of a value"):
        Value("input.place", {"place": "row 3"})


def test_a_passage_puts_messages_side_by_side() -> None:
    found, expected = message("cell.unfit", found="x"), message("cell.no_number")
    passage = join_notes(
        [with_heading(found, expected, mark=", "), message("cell.unfit_rows", rows=4)]
    )
    assert isinstance(passage, Passage)
    assert (
        str(passage)
        == "Found 'x'. Write a number, for example 3 or 0.5. All 4 filled cells of this column have the same fault."
    )
    assert [each.kind for each in passage.messages] == [
        "cell.unfit",
        "cell.no_number",
        "cell.unfit_rows",
    ]
    content = passage.to_dict()
    assert (content["kind"], content["found"]) == ("cell.unfit", "x")
    assert [each["kind"] for each in content["messages"]] == [
        each.kind for each in passage.messages
    ]
    assert join_notes([found]) is found


def test_no_field_of_a_message_holds_another() -> None:
    """`tests/conftest.py` checks this in every test; mypy checks the types of fields."""
    for value in (
        message("cell.no_number"),
        ["Ann", with_heading(message("cell.no_number"))],
    ):
        with pytest.raises(AssertionError, match="the field x holds"):
            message("input.place", x=value)  # type: ignore[call-overload]


def test_values_are_never_read_as_sentences() -> None:
    assert str(message("verb.missing", name="{said}")) == "Fill in {said}."


def test_an_error_is_the_same_in_another_process() -> None:
    error = InputError(
        "a.csv", [Fault("wrong", CellLocation(3, "score1"))], hint=message("file.mend")
    )
    error.add(["and more"])
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (str(again), again.faults, again.kind) == (
        str(error),
        error.faults,
        "said.text",
    )
    assert str(error).split("\n")[0] == (
        "a.csv: row 3, column score1: wrong (Recover the last intact state of the event.)"
    )
    other = UsageError("verb.missing", name="y")
    assert pickle.loads(pickle.dumps(other)).said == other.said  # noqa: S301 - our own


def test_a_text_that_looks_like_a_kind_stands_as_it_is() -> None:
    """A player may be called so, or a file."""
    for text in ("anna.bert", "input.place", "matches.csv", "{said}"):
        assert ENGLISH.format_message(text) == text


def test_what_no_catalogue_has_is_shown_as_it_is() -> None:
    assert ENGLISH.format_message(Message("acme.odd", {"x": 1})) == "acme.odd {'x': 1}"


def test_sentences_in_a_passage_need_no_marks_between_them() -> None:
    sentence = message("verdict.heuristic")
    text = str(sentence)
    assert text.endswith(".")
    assert str(with_heading(sentence, sentence, sentence)) == " ".join([text] * 3)
    assert str(join_notes([sentence], end=".")) == text
    hinted = Located(sentence, place="row 3", hint=sentence)
    assert str(hinted) == f"row 3: {text} {text}"


def test_json_has_no_marks_between_sentences_either() -> None:
    sentence = message("verdict.heuristic")
    text = str(sentence)
    unfit = message("setting.unfit", key="points", found="3")
    assert with_heading(unfit, sentence, sentence).to_dict()["said"] == f"{text} {text}"
    reason = with_heading(sentence, sentence, mark=AND)
    assert join_notes([unfit, reason]).to_dict()["said"] == f"{text} and {text}"
