"""Tables for people: a pairing, its levels, a check; names are only ever text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from fractions import Fraction

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pairopt.event import Event
from pairopt.pairing import decimal_text
from pairopt.result import LevelValue, Result
from pairopt.state import points_of


def plain(text: object) -> str:
    """Text without control characters: a name cannot steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(text))


def table_text(columns: Sequence[str], rows: Sequence[Sequence[object]], right: str = "") -> str:
    """A table as plain text; the columns named in `right` (comma-separated) align right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in right.split(",") else "left",
                         no_wrap=True)  # fmt: skip
    for row in rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    out = io.StringIO()
    Console(file=out, width=10_000, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def amount(value: int | None, scale: int) -> str:
    """A value in points or matches."""
    return "-" if value is None else decimal_text(Fraction(value, scale))


def result_table(event: Event, result: Result) -> str:
    """The pairing, then every level with its value and whether it is proven."""
    names = dict(zip(event.players, event.names, strict=True))
    scores = points_of(event).tolist()
    points = {p: amount(s, event.scale) for p, s in zip(event.players, scores, strict=True)}
    sides = event.sides or ("player 1", "player 2")
    rows: list[list[object]] = []
    for row in result.matches:
        if row["player2"] is None:
            what = "bye" if row["status"] == "bye" else "bye on request"
            rows.append(["", points[str(row["player1"])], names[str(row["player1"])], what, ""])
        else:
            one, two = str(row["player1"]), str(row["player2"])
            rows.append([row["table"], points[one], names[one], names[two], points[two]])
    heads = ["table", "points", sides[0].capitalize(), sides[1].capitalize(), "points"]
    header = f"Round {result.round}, model {result.model}, seed {result.seed}\n"
    return f"{header}\n{table_text(heads, rows, 'table,points')}\n{levels_table(result)}"


def levels_table(result: Result) -> str:
    """Every level of the model, and the verdict in one line."""
    rows = [
        [v.criterion, v.level, v.words, amount(v.value, v.scale), _proof(v)]
        for v in result.level_values
    ]
    table = table_text(["criterion", "level", "counts", "value", "proof"], rows, "level,value")
    said = "\n".join(conclusion(result))
    return f"{table}\n{said}\n" if rows else f"{said}\n"


def conclusion(result: Result) -> list[str]:
    """What the result is worth, and how it was chosen, in sentences."""
    return [verdict(result), *(result.choice.words() if result.choice else [])]


def _proof(level: LevelValue) -> str:
    if level.proven:
        return "proven"
    if level.proven is None:
        return ""
    return "not proven" if level.bound is None else f"at least {amount(level.bound, level.scale)}"


def verdict(result: Result) -> str:
    """What the result is worth, in one sentence."""
    if result.status == "optimal":
        return "Every level is proven: no pairing is better under this model."
    if result.status == "feasible":
        return "Stopped at the time limit: the best pairing found so far, not proven best."
    if result.status == "unknown":
        return "No pairing was found: stopped at the time limit, or the procedure gave up."
    if result.status == "heuristic":
        return "Made by a procedure that proves nothing."
    return "No pairing satisfies the constraints."
