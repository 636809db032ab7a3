"""Options that several commands share, how their values are read, and how answers are given."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce, wraps
from pathlib import Path
from shlex import quote
from typing import Any

import click

from pairopt.cli.console import give, say
from pairopt.common.limits import IN_FORMS
from pairopt.errors import UsageError
from pairopt.files.named_columns import parse_named_columns
from pairopt.files.overwrite_guard import require_free
from pairopt.files.write import csv_table, json_text, write_all
from pairopt.messages import AnyMessage
from pairopt.messages.formatting import quote as quoted
from pairopt.messages.formatting import split_words

WHOLE = re.compile(r"-?[0-9]+")
REAL = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,9})?", re.IGNORECASE)


class IntegerRange(click.IntRange):
    """A whole number from a least to a most one."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Convert like click, but refuse digits of other scripts and underscores."""
        if isinstance(value, str) and not WHOLE.fullmatch(value):
            self.fail(f"found {quoted(value)}, expected a whole number", param, ctx)
        return super().convert(value, param, ctx)


class DecimalRange(click.FloatRange):
    """A finite number from a least to a most one."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Convert like click, but refuse what is no plain number, such as inf or nan."""
        if isinstance(value, str) and not REAL.fullmatch(value):
            self.fail(f"found {quoted(value)}, expected a number", param, ctx)
        return super().convert(value, param, ctx)


Wrapping = Callable[[Callable[..., Any]], Callable[..., Any]]


class NonEmptyPath(click.Path):
    """A path; nothing, as a shell has it of a variable that was not set, is none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        if not value:
            self.fail("expected a name, found nothing", param, ctx)
        return super().convert(value, param, ctx)


class OutputPath(NonEmptyPath):
    """A file that is written; of a figure one with each of these suffixes."""

    def __init__(self, *suffixes: str) -> None:
        super().__init__(dir_okay=False)
        self.suffixes = suffixes or ("",)


class ReportFile(OutputPath):
    """A report: a page (HTML) or a picture, as the ending of its name says."""

    ENDINGS = (".html", ".htm", ".svg", ".png")

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Refuse an ending that promises another format, such as .pdf."""
        path = Path(super().convert(value, param, ctx))

        if path.suffix and path.suffix.lower() not in self.ENDINGS:
            page = path.with_suffix(".html")
            self.fail(
                f"found {quoted(value)}, expected a name that ends in .html, .svg or .png. "
                f"Type --report {quote(str(page))}; a browser can print that page as PDF.",
                param,
                ctx,
            )
        return value


FILE = NonEmptyPath(dir_okay=False)
FOLDER = NonEmptyPath(file_okay=False)


def named_columns(
    _ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]
) -> dict[str, str] | None:
    """Parse what the headings of a table mean. Raises UsageError if a text has another form."""
    return parse_named_columns(given) or None


COLUMNS = click.option(
    "--columns",
    multiple=True,
    metavar='MEANING="HEADING",...',
    callback=named_columns,
    help='What the headings of EVENT mean, for example player1="Player A",games=Score. '
    "Only needed where pairopt asks for it.",
)
INPUTS = (
    click.argument("event", type=NonEmptyPath()),  # a file, or an event folder
    click.option(
        "--players", type=FILE, help="players.csv: who plays, ratings, clubs, drops."
    ),
    COLUMNS,
)


def apply_decorators(options: Sequence[Wrapping]) -> Wrapping:
    return lambda command: reduce(
        lambda made, option: option(made), reversed(options), command
    )


def bounded(name: str) -> IntegerRange:
    """A whole number within the bounds of this name in `pairopt.common.limits`."""
    allowed = IN_FORMS[name]
    return IntegerRange(allowed[0], allowed[-1])


OUTPUT = click.option(
    "-o", "--output", type=OutputPath(), help="Write to a file instead of the screen."
)
OVERWRITE = click.option(
    "--overwrite",
    is_flag=True,
    help="Replace files that hold results, or that are read.",
)


def require_free_outputs(ctx: click.Context, overwrite: bool) -> None:
    """Raises UsageError where a file that a command writes is one that it reads, or holds results.
    Which these are, the types of its options and arguments say.
    """
    written, reads = list[str](), list[str]()
    for each in ctx.command.params:
        given = ctx.params.get(str(each.name)) or ()
        paths = [given] if isinstance(given, str) else given
        if isinstance(each.type, OutputPath):
            written += [
                f"{path}{suffix}" for path in paths for suffix in each.type.suffixes
            ]
        elif isinstance(each.type, NonEmptyPath):
            reads += paths
    require_free(written, reads, overwrite)


def labels_of(text: str | None) -> list[str] | None:
    """A,B as two labels; none as no label, for a game without sides."""
    return None if text is None else split_words(text)


Table = tuple[Sequence[str], Iterable[Iterable[object]]]  # columns, and rows
File = tuple[str | None, str | None, str | bytes]
"""A path, what is said of the file, and what is in it."""


@dataclass(frozen=True, kw_only=True)
class CommandOutput:
    """What a command has found; each form of it is made only where it is asked for: `text` for
    people, `content` for JSON, `table` for CSV, other `forms` by name. `what` is said of its file,
    nothing if None. `files` are further ones; all are written or none, empty ones not at all.
    `after` is said in the end, then the command exits with `code`.
    """

    text: Callable[[], str]
    content: Callable[[], Mapping[str, object]]
    table: Callable[[], Table] | None = None
    forms: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    what: str | None = ""
    files: Sequence[File] = ()
    after: Sequence[str | AnyMessage] = ()
    code: int = 0

    def form(self, name: str) -> str:
        if name in self.forms:
            return self.forms[name]()
        if name == "csv" and self.table is not None:
            return csv_table(*self.table())
        return json_text(self.content()) if name == "json" else self.text()


def answering(
    *forms: str,
    more: Sequence[Wrapping] = (),
    output: bool = True,
    by_name: bool = True,
) -> Callable[[Callable[..., CommandOutput]], Callable[..., None]]:
    """The options of a command that hands back its `Answer`, which is given then: --format with
    these forms and, with `output`, -o, `more` and --overwrite; `by_name` a file says its form.
    """
    shown: dict[str, Any] = {"default": "table"}
    if output and by_name:
        shown = {"help": "Default: table; with -o by the file's name, .json or csv."}
    options: list[Wrapping] = [
        click.option("--format", "form", type=click.Choice(forms), **shown)
    ]
    if output:
        options += [OUTPUT, *more, OVERWRITE]

    def decorated(command: Callable[..., CommandOutput]) -> Callable[..., None]:
        @click.pass_context
        @wraps(command)
        def answered(
            ctx: click.Context,
            /,
            form: str | None,
            output: str | None = None,
            overwrite: bool = False,
            **given: Any,
        ) -> None:
            require_free_outputs(ctx, overwrite)
            form = form or form_of(output)
            answer = command(**given)
            _give(answer, form, output)
            ctx.exit(answer.code)

        return apply_decorators(options)(answered)

    return decorated


def form_of(output: str | None) -> str:
    if output is None:
        return "table"
    if output.lower().endswith(".xlsx"):
        raise UsageError(
            f"{output}: workbooks are read, not written; expected .csv or .json"
        )
    return "json" if output.lower().endswith(".json") else "csv"


def _give(answer: CommandOutput, form: str, output: str | None) -> None:
    text = answer.form(form)
    files = [(output, answer.what, text), *answer.files]
    written = [
        (Path(path), said, content) for path, said, content in files if path and content
    ]
    write_all({path: content for path, _, content in written})
    if output is None:
        give(text, form)
    for path, said, _ in written:
        if said is not None:
            say(f"{said}: written to {path}" if said else f"written to {path}")
    for line in answer.after:
        say(line)
