"""FIDE's checklist as a page shows it, from checklist.toml beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".toml")
PASS, FAIL, NOT = ANSWERS = ("pass", "fail", "does not apply")
ENDS = "ends it"
QUESTIONS = 225

Question = Mapping[str, Any]


@cache
def checklist() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def questions() -> Iterator[Question]:
    """All rows, in the order of the file."""
    for part in checklist()["part"]:
        yield from part["question"]


def numbers(question: Question) -> list[int]:
    """Those of a row, as 1-5,7 has them."""
    found = list[int]()
    for piece in str(question["numbers"]).split(","):
        first, _, last = piece.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def counted(rows: Sequence[Question]) -> int:
    return sum(len(numbers(row)) for row in rows)


def summary() -> str:
    """How many questions have each answer, and which of those that fail end it."""
    rows = [*questions()]
    lines = ["| | questions | |", "|---|---|---|"]
    for answer in ANSWERS:
        own = [row for row in rows if row["answer"] == answer]
        ending = ", ".join(_dashed(row) for row in own if row.get("costs") == ENDS)
        said = f"that would end it: {ending}" if answer == FAIL and ending else ""
        lines.append(f"| {answer} | {counted(own)} | {said} |")
    return "\n".join(lines)


def tables() -> str:
    """Each part of the checklist with its questions."""
    return "\n\n".join(_part(part) for part in checklist()["part"])


def sources() -> str:
    rows = (
        f"| {key} | {one['title']} | {one['where']} |"
        for key, one in checklist()["sources"].items()
    )
    return "\n".join(["| | | |", "|---|---|---|", *rows])


def _part(part: Mapping[str, Any]) -> str:
    head = [
        "| | asked | a no | here | shown by | source |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([f"### {part['title']}", "", *head, *map(_row, part["question"])])


def _row(question: Question) -> str:
    answer = f"**{FAIL}**" if question["answer"] == FAIL else question["answer"]
    shown = (f"`{question[key]}`" for key in ("command", "test") if key in question)
    cells = (
        _dashed(question),
        question["asks"],
        question.get("costs", ""),
        ": ".join(filter(None, (answer, question.get("note")))),
        "<br>".join(shown),
        " ".join(question["sources"]),
    )
    return f"| {' | '.join(cells)} |"


def _dashed(question: Question) -> str:
    return str(question["numbers"]).replace("-", "\N{EN DASH}").replace(",", ", ")
