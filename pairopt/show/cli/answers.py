"""Answers: what a command has found, in the form that is asked for, on the screen or in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import click

from pairopt.errors import UsageError
from pairopt.files.write import csv_table, json_text, write_all
from pairopt.show.cli.console import give, say
from pairopt.show.cli.options import OUTPUT, OVERWRITE, Wrapping, require_free_outputs, stacked
from pairopt.words import Said

Table = tuple[Sequence[str], Iterable[Iterable[object]]]
"""Columns, and rows."""
File = tuple[str | None, str | None, str | bytes]
"""A path, what is said of the file, and what is in it."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a command has found; each form of it is made only where it is asked for: `text` for
    people, `content` for JSON, `table` for CSV, other `forms` by name. `what` is said of its file,
    nothing if None. `files` are further ones; all are written or none, empty ones not at all.
    `after` is said in the end, then the command exits with `code`."""

    text: Callable[[], str]
    content: Callable[[], Mapping[str, object]]
    table: Callable[[], Table] | None = None
    forms: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    what: str | None = ""
    files: Sequence[File] = ()
    after: Sequence[str | Said] = ()
    code: int = 0

    def form(self, name: str) -> str:
        """The answer in the form of this name."""
        if name in self.forms:
            return self.forms[name]()
        if name == "csv" and self.table is not None:
            return csv_table(*self.table())
        return json_text(self.content()) if name == "json" else self.text()


def answering(
    *forms: str, more: Sequence[Wrapping] = (), output: bool = True, by_name: bool = True
) -> Callable[[Callable[..., Answer]], Callable[..., None]]:
    """The options of a command that hands back its `Answer`, which is given then: --format with
    these forms and, with `output`, -o, `more` and --overwrite; `by_name` a file says its form."""
    shown: dict[str, Any] = {"default": "table"}
    if output and by_name:
        shown = {"help": "Default: table; with -o by the file's name, .json or csv."}
    options: list[Wrapping] = [click.option("--format", "form", type=click.Choice(forms), **shown)]
    if output:
        options += [OUTPUT, *more, OVERWRITE]

    def decorated(command: Callable[..., Answer]) -> Callable[..., None]:
        @click.pass_context
        @wraps(command)
        def answered(
            ctx: click.Context, /, form: str | None, output: str | None = None,
            overwrite: bool = False, **given: Any,
        ) -> None:  # fmt: skip
            require_free_outputs(ctx, overwrite)
            form = form or form_of(output)
            answer = command(**given)
            _give(answer, form, output)
            ctx.exit(answer.code)

        return stacked(options)(answered)

    return decorated


def form_of(output: str | None) -> str:
    """How a result is written unless --format says."""
    if output is None:
        return "table"
    if output.lower().endswith(".xlsx"):
        raise UsageError(f"{output}: workbooks are read, not written; expected .csv or .json")
    return "json" if output.lower().endswith(".json") else "csv"


def _give(answer: Answer, form: str, output: str | None) -> None:
    """Write an answer and what belongs to it, and say where it is."""
    text = answer.form(form)
    files = [(output, answer.what, text), *answer.files]
    written = [(Path(path), said, content) for path, said, content in files if path and content]
    write_all({path: content for path, _, content in written})
    if output is None:
        give(text, form)
    for path, said, _ in written:
        if said is not None:
            say(f"{said}: written to {path}" if said else f"written to {path}")
    for line in answer.after:
        say(line)
