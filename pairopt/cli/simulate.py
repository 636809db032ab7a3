"""`pairopt simulate` and `plot`, and the keys of a study.toml as options, which `study` has too."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from pairopt.cli import EXIT_INFEASIBLE
from pairopt.cli.console import say
from pairopt.cli.options import (
    FOLDER,
    OVERWRITE,
    REAL,
    WHOLE,
    IntegerRange,
    NonEmptyPath,
    Wrapping,
    apply_decorators,
    bounded,
)
from pairopt.errors import Fault, InputError, UsageError
from pairopt.files.overwrite_guard import require_free
from pairopt.files.write import make_folder, write_all
from pairopt.lab import figures, simulating
from pairopt.lab.contenders import Contender
from pairopt.lab.grid import UNRATED, fitted_worlds
from pairopt.lab.identity import name_of
from pairopt.lab.studies.run import read_rounds
from pairopt.lab.studies.schema import StrictTable, StudyFile, WorldTable
from pairopt.lab.studies.study_file import StudyDesign, study_of
from pairopt.lab.table import read_table
from pairopt.lab.world import MOST_PLAYERS, World
from pairopt.lab.worlds import WORLDS
from pairopt.messages.interfaces import TERMINAL
from pairopt.problem.model import Model

POINTS = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?")
SPELLED: Final = {
    "win": "points",
    "draw": "points",
    "games": "two_games",
    "base": "world",
    "results": "world",
    "plugins": "plugin",
    "hypotheses": "margin",
}
"""Options that are called otherwise than their key in a study.toml."""


def keys_of(table: type[StrictTable]) -> list[str]:
    return [name for name, field in table.model_fields.items() if field.description]


def key_options(table: type[StrictTable], names: Iterable[str]) -> Wrapping:
    """Keys as options; what they may be is said by the table, and their defaults by the world."""
    return apply_decorators([_option(table, name) for name in names])


def _option(table: type[StrictTable], name: str) -> Wrapping:
    key, option = table.model_fields[name], f"--{name.replace('_', '-')}"
    extra: Any = key.json_schema_extra
    if extra["reading"] == "flag":
        return click.option(option, is_flag=True, help=key.description)
    default = getattr(World, name, None) if key.default is None else key.default or None
    return click.option(
        option,
        default=default,
        type=str,
        metavar=extra["metavar"],
        help=key.description,
    )


of_luck = key_options(StudyFile, ["seed", "choose"])
world_options = apply_decorators(
    [
        key_options(WorldTable, keys_of(WorldTable)),
        of_luck,
        click.option(
            "--unrated", is_flag=True, help="Nobody has a rating, as by default."
        ),
        click.option("--points", default="3,1", metavar="WIN,DRAW"),
        click.option(
            "--sides",
            default="corp,runner",
            metavar="A,B",
            help="Labels of both sides; none for a game without.",
        ),
        click.option(
            "--two-games",
            is_flag=True,
            help="A match has two games, with sides exchanged.",
        ),
        click.option(
            "--plugin",
            "plugins",
            multiple=True,
            metavar="MODULE:NAME",
            help="Code of your own, MODULE or FILE.py: its name may stand for a world, "
            "model, metric or ranking, or in a model file for a criterion.",
        ),
        click.option(
            "--world",
            metavar="NAME[=VALUE]",
            help="A world fitted to real events, open-2026 and others: what is said "
            "besides overrides it. Or how results arise: elo (default), davidson, "
            "rao_kupper, bradley_terry, matrix=FILE, or a name of your own.",
        ),
    ]
)
"""What tournaments are drawn from."""


def given_in(ctx: click.Context) -> dict[str, Any]:
    return {
        name: value
        for name, value in ctx.params.items()
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


def table_of(
    given: Mapping[str, Any], models: Sequence[str], **world: Any
) -> dict[str, Any]:
    table = {"models": [*models], **_keys(StudyFile, given)}
    if "plugins" in given:
        table["plugins"] = [*given["plugins"]]
    return {**table, "world": {**world, **_keys(WorldTable, given), **_spelled(given)}}


def _keys(table: type[StrictTable], given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: READ[table.model_fields[name].json_schema_extra["reading"]](given[name])  # type: ignore[index]
        for name in keys_of(table)
        if name in given
    }


def _spelled(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a world that options say in a way of their own."""
    found: dict[str, Any] = {}
    if "points" in given:
        found["win"], found["draw"] = _points(given["points"])
    if "sides" in given:
        found["sides"] = [] if given["sides"] == "none" else texts_in(given["sides"])
        if not found["sides"] and "first_side" in given:
            raise UsageError("--first-side is of no use with --sides none")
    if "unrated" in given:
        found["rating_error"] = UNRATED
        if "rating_error" in given:
            raise UsageError("--rating-error is of no use with --unrated")
    if "two_games" in given:
        found["games"] = 2
    if "world" in given:
        own = [text.rpartition(":")[2] for text in given.get("plugins", ())]
        law = given["world"].partition("=")[0]
        fitted = law in fitted_worlds() or (law not in own and law not in WORLDS)
        found["base" if fitted else "results"] = given["world"]
    return found


def design_of(table: Mapping[str, Any], **called: str) -> StudyDesign:
    """What the options stand for, read as a study.toml is. Raises UsageError naming the option."""
    try:
        return study_of(table)
    except InputError as error:
        if error.source:
            raise
        names = SPELLED | called
        raise UsageError(
            "\n".join(_of_option(each, names) for each in error.faults)
        ) from None


def _of_option(fault: Fault, names: Mapping[str, str]) -> str:
    key, _, more = str(fault.place).removeprefix("world.").partition(".")
    name, said = key.partition("[")[0], TERMINAL.format_message(fault.said)
    said += f"; results: {', '.join(WORLDS)}" * (name == "base")
    if name in ("world", "events"):  # of several settings, which it names
        return said
    return f"--{names.get(name, name).replace('_', '-')}{f' {more}' if more else ''}: {said}"


def texts_in(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def number_in(text: str) -> int | Decimal | str:
    """A number as a TOML file has it; what is none stays a text, which is refused later."""
    if WHOLE.fullmatch(text):
        with suppress(ValueError):  # of more digits than Python reads
            return int(text)
    return Decimal(text) if REAL.fullmatch(text) else text


READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    "number": number_in,
    "text": str,
    "texts": texts_in,
    "flag": bool,
}


def _points(text: str) -> tuple[Decimal, Decimal]:
    """Points of a win and a draw, as a cell of matches.csv can hold them: 1/3 cannot."""
    parts = texts_in(text)
    if len(parts) == 2 and all(map(POINTS.fullmatch, parts)):
        return Decimal(parts[0]), Decimal(parts[1])
    raise UsageError(
        f"--points {text}: expected two decimal numbers, such as 3,1 or 1,0.5; "
        "thirds cannot be written as such: multiply both by 3"
    )


def say_games(contenders: Iterable[Model | Contender], world: World) -> None:
    """Notes on models that pair, but are not played, as they are meant."""
    for each in contenders:
        if world.acceleration != "none" and getattr(each, "system", None) is None:
            say(
                f"note: {name_of(each)} knows no virtual points: only FIDE's systems do"
            )
        if getattr(each, "games", 1) > world.games:
            said = (
                f"matches of {getattr(each, 'games', 1)} games where there are no sides"
            )
            say(f"note: {name_of(each)} is for {said}; here every match is one game")


@click.command()
@click.option("--model", default="standard", metavar="NAME|FILE")
@click.option("--players", type=IntegerRange(2, MOST_PLAYERS), default=32)
@world_options
@click.option(
    "--replicates",
    type=bounded("keep"),
    default=1,
    help="So many tournaments, each in a folder 1, 2, ... of its own.",
)
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    required=True,
    help="The folder for matches.csv and players.csv.",
)
@OVERWRITE
@click.pass_context
def simulate(
    ctx: click.Context,
    /,
    model: str,
    replicates: int,
    output: str,
    overwrite: bool,
    **_: Any,
) -> None:
    """Play a whole tournament with random results, and write it as files that `solve` reads.
    players.csv has the true strengths too. The same seed gives the same files.
    """
    given = given_in(ctx)
    given.pop("replicates", None)  # which no study is asked for
    players = {"players": given["players"]} if "players" in given else {}
    design = design_of(table_of(given, [model], **players), models="model")
    (contender,), (world,), file = design.contenders, design.worlds, design.file
    say_games([contender], world)
    files, broken = dict[Path, str](), list[str]()
    for k in range(replicates):
        made = simulating.simulate(
            contender, world, seed=file.seed, replicate=k, choose=file.choose
        )
        folder = Path(output) / str(k + 1) if replicates > 1 else Path(output)
        files |= made.files(folder)
        broken += [f"{folder}: no pairing of round {made.event.round}"] * (
            not made.complete
        )
    require_free(files, (), overwrite)
    for folder in dict.fromkeys(path.parent for path in files):
        make_folder(folder)
    write_all(files)
    for line in broken:
        say(line)
    ctx.exit(EXIT_INFEASIBLE if broken else 0)


@click.command()
@click.argument("results", type=NonEmptyPath())
@click.option(
    "-o", "--output", type=FOLDER, default=".", help="The folder for the figures."
)
def plot(results: str, output: str) -> None:
    """Draw RESULTS, a study's folder or table of rounds, as PNG and SVG files. Trade-off with the
    Pareto front, tau by round, side balance, and a heat map of all metrics. Each world of a grid
    has figures of its own, numbered. A figure that the table has no values for is left out, and
    said so.
    """
    folder = Path(results).is_dir()
    frame = read_rounds(results) if folder else read_table(results)
    drawn, left_out = figures.draw_all_figures(frame, Path(output))
    for line in left_out:
        say(line)
    if not drawn:
        raise UsageError(f"nothing to draw in {results}")
    make_folder(Path(output))
    write_all(drawn)
    for path in drawn:
        click.echo(path)
