"""Format FIDE's checklist for its page, from checklist.toml in this folder."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".toml")
PASS, FAIL, NOT = ANSWERS = ("pass", "fail", "does not apply")
ENDS = "verification ends"
QUESTIONS = 225

Question = Mapping[str, Any]


@cache
def checklist() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def questions() -> Iterator[Question]:
    """Yield all rows in the order of the file."""
    for part in checklist()["part"]:
        yield from part["question"]


def numbers(question: Question) -> list[int]:
    """List the question numbers of a row, which it writes like 1-5,7."""
    found = list[int]()
    for piece in str(question["numbers"]).split(","):
        first, _, last = piece.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def counted(rows: Sequence[Question]) -> int:
    return sum(len(numbers(row)) for row in rows)


def lost(rows: Sequence[Question]) -> int:
    """Sum the percentages of rows; those that end the verification have none."""
    costs = (str(row.get("costs", "")) for row in rows)
    return sum(int(cost.split()[0]) for cost in costs if cost.endswith("%"))


def summary() -> str:
    """Count the questions for each answer, and name failures that end the verification."""
    rows = [*questions()]
    lines = ["| | questions | |", "|---|---|---|"]
    for answer in ANSWERS:
        own = [row for row in rows if row["answer"] == answer]
        ending = ", ".join(_dashed(row) for row in own if row.get("costs") == ENDS)
        remark = f"{lost(own)} % lost" if answer == FAIL else ""
        if answer == FAIL and ending:
            remark = f"{remark}; verification ends at {ending}"
        lines.append(f"| {answer} | {counted(own)} | {remark} |")
    return "\n".join(lines)


def tables() -> str:
    """Format each part of the checklist as a table of its questions."""
    return "\n\n".join(_part(part) for part in checklist()["part"])


def sources() -> str:
    rows = (
        f"| {key} | {one['title']} | {one['where']} |"
        for key, one in checklist()["sources"].items()
    )
    return "\n".join(["| | | |", "|---|---|---|", *rows])


def _part(part: Mapping[str, Any]) -> str:
    head = [
        "| | question | if not | pairopt | shown by | source |",
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
