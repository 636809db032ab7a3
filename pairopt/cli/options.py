"""Define options that several commands share, and write what a command has computed."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from shlex import quote
from typing import Any, NoReturn

import click

from pairopt.cli.console import say, write_output
from pairopt.common.limits import IN_FORMS
from pairopt.common.lists_folder import FOLDER_VARIABLE, LISTS_FOLDER
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
    """Type of an option: a whole number from `min` to `max`, both included.

    `--help` does not print the range.
    """

    name = "n"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the number that a text spells, if it is in the range.

        Digits of other scripts and underscores are refused. A wrong text raises click's
        BadParameter, which says what to write.
        """
        if isinstance(value, str) and not WHOLE.fullmatch(value):
            self.fail(
                f"Write a whole number from {self.min} to {self.max}. Found {quoted(value)}.",
                param,
                ctx,
            )
        if self.min is None or self.max is None:
            return super().convert(value, param, ctx)
        parsed_number = click.INT.convert(value, param, ctx)
        if not self.min <= parsed_number <= self.max:
            self.fail(
                f"Write a number from {self.min} to {self.max}. Found {parsed_number}.",
                param,
                ctx,
            )
        return parsed_number

    def _describe_range(self) -> str:
        """Return "", so that `--help` has no mathematical range."""
        return ""


class DecimalRange(click.FloatRange):
    """Type of an option: a finite number from `min` to `max`, both included.

    `--help` does not print the range.
    """

    name = "x"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the number that a text spells, if it is in the range.

        What is no plain number, such as inf or nan, is refused. A wrong text raises
        click's BadParameter, which says what to write.
        """
        if isinstance(value, str) and not REAL.fullmatch(value):
            self.fail(
                f"Write a number from {self.min:g} to {self.max:.15g} without a unit. "
                f"Found {quoted(value)}.",
                param,
                ctx,
            )
        if self.min is None or self.max is None:
            return super().convert(value, param, ctx)
        parsed_number = click.FLOAT.convert(value, param, ctx)
        if not self.min <= parsed_number <= self.max:
            self.fail(
                f"Write a number from {self.min:g} to {self.max:.15g}. Found {parsed_number:g}.",
                param,
                ctx,
            )
        return parsed_number

    def _describe_range(self) -> str:
        """Return "", so that `--help` has no mathematical range."""
        return ""


Wrapping = Callable[[Callable[..., Any]], Callable[..., Any]]


class NonEmptyPath(click.Path):
    """Type of a path; an empty text is refused.

    It raises click's BadParameter; a shell variable that is not set gives such a text.
    A folder where a file is needed, or a file where a folder is needed, raises
    UsageError. Subclasses can raise another error for a file in `refuse_file`.
    """

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the path if it may be used.

        An empty text raises click's BadParameter. A folder where a file is needed, or
        the other way round, raises UsageError.
        """
        if not value:
            self.fail("expected a name, found nothing", param, ctx)
        is_file = is_folder = False
        # Python raises for some names that no file can have, such as very long ones.
        with suppress(OSError, ValueError):
            is_file = Path(value).is_file()
            is_folder = Path(value).is_dir()
        if is_file and not self.file_okay:
            self.refuse_file(value)
        if is_folder and not self.dir_okay:
            raise UsageError("command.folder_for_file", path=value)
        return super().convert(value, param, ctx)

    def refuse_file(self, path: str) -> NoReturn:
        """Raise UsageError for a path of a file where a folder is needed."""
        raise UsageError("command.file_for_folder", path=path)


class EventFolderPath(NonEmptyPath):
    """Type of the folder of an event, which need not exist; a file is refused."""

    name = "folder"

    def __init__(self) -> None:
        super().__init__(file_okay=False)

    def refuse_file(self, path: str) -> NoReturn:
        """Raise UsageError for a file; it may be the list of players of a new event."""
        new_command = f"pairopt new friday --players {quote(path)}"
        raise UsageError("command.file_for_event", path=path, now=new_command)


class OutputFilePath(NonEmptyPath):
    """Type of a file that a command writes, or of the common part of several names."""

    def __init__(self, *suffixes: str) -> None:
        """Declare a file, or with `suffixes` one file per suffix.

        A figure, for example, has (".png", ".svg"): the command adds each of them to
        the path that the user types.
        """
        super().__init__(dir_okay=False)
        self.suffixes = suffixes or ("",)


class ReportFile(OutputFilePath):
    """Type of a report file: its suffix must be that of a page or a picture.

    It may also have no suffix.
    """

    ENDINGS = (".html", ".htm", ".svg", ".png")

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the path if its suffix is one of ENDINGS or missing.

        Another suffix, such as .pdf, raises click's BadParameter with the name to type.
        """
        report_path = Path(super().convert(value, param, ctx))

        if report_path.suffix and report_path.suffix.lower() not in self.ENDINGS:
            page_path = report_path.with_suffix(".html")
            self.fail(
                f"The report needs a name that ends in .html, .svg or .png. Found "
                f"{quoted(value)}. Type --report {quote(str(page_path))}; a browser can print that page as PDF.",
                param,
                ctx,
            )
        return value


LISTS_HELP = f"Folder of the rating lists. Default: the environment variable {FOLDER_VARIABLE}, otherwise a folder of your own on this computer."
FILE = NonEmptyPath(dir_okay=False)
FOLDER = NonEmptyPath(file_okay=False)
FOLDER.name = "folder"
EVENT_FOLDER = EventFolderPath()


def parse_columns(
    _ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str] | None:
    """Parse the texts of --columns: a column's heading by its meaning.

    This is click's callback of the option. The result is None if the option is not
    given. Raises UsageError for malformed texts.
    """
    return parse_named_columns(texts) or None


COLUMNS = click.option(
    "--columns",
    multiple=True,
    metavar='MEANING="HEADING",...',
    callback=parse_columns,
    help='Meanings of the headings in the file, for example player1="Player A",games=Score, for headings that pairopt does not recognise. Repeatable.',
)
INPUTS = (
    # A file, or an event folder.
    click.argument("event", type=NonEmptyPath()),
    click.option(
        "--players",
        type=FILE,
        help="File players.csv with the list of players: names, ratings, clubs, and who has dropped.",
    ),
    COLUMNS,
)


def apply_decorators(decorators: Sequence[Wrapping]) -> Wrapping:
    """Return one decorator that applies several, so that the first is the outermost.

    Options therefore appear in the help text in the order of the list.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        """Return a command with all decorators applied, the last one first."""
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def bounded(name: str) -> IntegerRange:
    """Return the type of an option: a whole number within the limits of this name.

    `IN_FORMS` in `common.limits` has the limits by name, for example "rounds".
    """
    allowed_numbers = IN_FORMS[name]
    return IntegerRange(allowed_numbers[0], allowed_numbers[-1])


def choose_lists_folder(
    _ctx: click.Context, _param: click.Parameter, folder: str | None
) -> None:
    """Use `folder` for rating lists until the command ends; None changes nothing.

    This is the callback of the option --lists, which has no value for the command.
    """
    if folder is not None:
        LISTS_FOLDER.set(folder)


LISTS = click.Option(
    ["--lists"],
    metavar="FOLDER",
    expose_value=False,
    callback=choose_lists_folder,
    help=LISTS_HELP,
)
LISTS_FOLDER_OPTION = click.option(
    "--lists",
    metavar="FOLDER",
    expose_value=False,
    callback=choose_lists_folder,
    help=LISTS_HELP,
)
OUTPUT = click.option(
    "-o",
    "--output",
    type=OutputFilePath(),
    help="Write the output to FILE instead of the screen.",
)
OVERWRITE = click.option(
    "--overwrite",
    is_flag=True,
    help="Replace an existing file even if it holds results, or if pairopt reads it.",
)


def require_free_outputs(ctx: click.Context, overwrite: bool) -> None:
    """Raise UsageError if a command would write to a file that it reads or that has results.

    The types of its options and arguments tell which files it reads and writes. With
    `overwrite` only two outputs of the same name are refused.
    """
    written_paths: list[str] = []
    read_paths: list[str] = []
    for parameter in ctx.command.params:
        parameter_value = ctx.params.get(str(parameter.name)) or ()
        parameter_paths = (
            [parameter_value] if isinstance(parameter_value, str) else parameter_value
        )
        if isinstance(parameter.type, OutputFilePath):
            suffixes = parameter.type.suffixes
            written_paths += [
                f"{typed_path}{suffix}"
                for typed_path in parameter_paths
                for suffix in suffixes
            ]
        elif isinstance(parameter.type, NonEmptyPath):
            read_paths += parameter_paths
    require_free(written_paths, read_paths, overwrite)


def parse_labels(text: str | None) -> list[str] | None:
    """Split a text such as "A,B" at its commas into labels.

    "none" gives [], and None stays None.
    """
    return None if text is None else split_words(text)


Table = tuple[Sequence[str], Iterable[Iterable[object]]]
"""The columns and the rows of a table."""
File = tuple[str | None, str | None, str | bytes]
"""A path, what is said about the file, and its content."""


@dataclass(frozen=True, kw_only=True)
class CommandOutput:
    """What a command has computed, with a function for each form of output.

    Attributes
    ----------
    text, content, table : callable
        Return the output for people, for JSON, and for CSV.
    forms : mapping
        Functions for further forms by name.
    what : str or None
        What the output file holds, for the line that says where it is: "" for a line
        without that, None for no line.
    files : sequence of File
        Further files. All files are written or none; empty ones are left out.
    after : sequence of str or message
        Lines to write to stderr at the end.
    code : int
        The exit code.
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
        """Return the output in the form of this name, as a text.

        It is the text for people if there is no such form.
        """
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
    """Return a decorator that writes the `CommandOutput` that a command returns.

    Parameters
    ----------
    *forms : str
        The forms of output that the option --format offers.
    more : sequence of decorators
        Further options, after -o.
    output : bool
        Whether to add the options -o, `more` and --overwrite.
    by_name : bool
        Whether the name of the output file can determine the form.
    """
    format_options: dict[str, Any] = {
        "default": "table",
        "help": "Format of the output.",
    }
    if output and by_name:
        format_options = {
            "help": "Format of the output. Default: table; with -o, json for a file that "
            "ends in .json, and csv for other files."
        }
    output_options: list[Wrapping] = [
        click.option("--format", "form", type=click.Choice(forms), **format_options)
    ]
    if output:
        output_options += [OUTPUT, *more, OVERWRITE]

    def decorate(command: Callable[..., CommandOutput]) -> Callable[..., None]:
        """Return `command` with the output options; it then writes what it returns.

        The new command returns nothing, and exits with the code of the `CommandOutput`.
        """

        @click.pass_context
        @wraps(command)
        def run_and_write(
            ctx: click.Context,
            /,
            form: str | None,
            output: str | None = None,
            overwrite: bool = False,
            **arguments: Any,
        ) -> None:
            """Run the command, write its output, and exit with its code.

            Before that, raise UsageError if a file would be replaced, unless
            `overwrite` is given. Without --format (`form` None), the name of the
            `output` file determines the form.
            """
            require_free_outputs(ctx, overwrite)
            form = form or form_of(output)
            command_output = command(**arguments)
            _write_output(command_output, form, output)
            ctx.exit(command_output.code)

        return apply_decorators(output_options)(run_and_write)

    return decorate


def form_of(output: str | None) -> str:
    """Return the form of output for a file name: "json", or otherwise "csv".

    Without a file it is "table". Raises UsageError for a workbook (.xlsx).
    """
    if output is None:
        return "table"
    if output.lower().endswith(".xlsx"):
        raise UsageError(
            f"{output}: workbooks are read, not written; expected .csv or .json"
        )
    return "json" if output.lower().endswith(".json") else "csv"


def _write_output(result: CommandOutput, form: str, output: str | None) -> None:
    """Write a command's output to the file `output`, or to stdout if that is None.

    `form` is the form of the output, for example "json". Further files of the command
    are written, too: all files or none. Stderr gets the names of the files, and then
    the command's last lines.
    """
    output_text = result.form(form)
    all_files = [(output, result.what, output_text), *result.files]
    written_files = [
        (Path(written_path), file_description, file_content)
        for written_path, file_description, file_content in all_files
        if written_path and file_content
    ]
    write_all(
        {written_path: file_content for written_path, _, file_content in written_files}
    )
    if output is None:
        write_output(output_text, form)
    for written_path, file_description, _ in written_files:
        if file_description:
            say(f"{file_description}: written to {written_path}")
        elif file_description is not None:
            say(f"written to {written_path}")
    for last_line in result.after:
        say(last_line)
