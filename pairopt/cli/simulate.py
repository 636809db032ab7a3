"""Define `pairopt simulate` and `plot`, and the options that stand for keys of study.toml."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from pairopt.cli.console import say
from pairopt.cli.exit_codes import EXIT_INFEASIBLE
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
from pairopt.lab import simulating
from pairopt.lab.contenders import Contender
from pairopt.lab.figures import FIGURES
from pairopt.lab.grid import UNRATED, fitted_worlds
from pairopt.lab.identity import name_of
from pairopt.lab.studies.run import read_rounds
from pairopt.lab.studies.schema import StrictTable, StudyFile, WorldTable
from pairopt.lab.studies.study_file import StudyDesign, study_of
from pairopt.lab.sweep_figures import SWEEP, draw_study_figures
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
"""The options that have another name than their key in study.toml."""


def keys_of(table: type[StrictTable]) -> list[str]:
    """Return the keys of a table of study.toml that are options of commands.

    These are the keys with a description.
    """
    return [
        table_key
        for table_key, model_field in table.model_fields.items()
        if model_field.description
    ]


def key_options(table: type[StrictTable], names: Iterable[str]) -> Wrapping:
    """Return a decorator that adds an option for each of these keys of study.toml.

    `table` declares the keys: their help, how a value is read, and the default. A key
    without a default takes the one that `World`, the class of a simulation scenario,
    has for it.
    """
    return apply_decorators([_make_key_option(table, table_key) for table_key in names])


def _make_key_option(table: type[StrictTable], name: str) -> Wrapping:
    """Return a decorator that adds the option for the key `name` of study.toml.

    `table` declares the key. The default is that of the key, otherwise that of `World`;
    it is None if it is empty. A flag has no default. The value stays a text.
    """
    key_field = table.model_fields[name]
    option_name = f"--{name.replace('_', '-')}"
    declaration: Any = key_field.json_schema_extra
    if declaration["reading"] == "flag":
        return click.option(option_name, is_flag=True, help=key_field.description)
    default_value = (
        getattr(World, name, None)
        if key_field.default is None
        else key_field.default or None
    )
    return click.option(
        option_name,
        default=default_value,
        type=str,
        metavar=declaration["metavar"],
        help=key_field.description,
    )


random_options = key_options(StudyFile, ["seed", "choose"])
world_options = apply_decorators(
    [
        key_options(WorldTable, keys_of(WorldTable)),
        random_options,
        click.option(
            "--unrated",
            is_flag=True,
            help="Give the players no ratings (the default).",
        ),
        click.option(
            "--points",
            default="3,1",
            metavar="WIN,DRAW",
            help="Points for a win and for a draw, with a comma between them.",
        ),
        click.option(
            "--sides",
            default="corp,runner",
            metavar="A,B",
            help="Names of both sides, with a comma between them. Write none for a game without sides.",
        ),
        click.option(
            "--two-games",
            is_flag=True,
            help="Play two games in each match, with sides swapped.",
        ),
        click.option(
            "--plugin",
            "plugins",
            multiple=True,
            metavar="MODULE:NAME",
            help="Python code of your own, for example a simulation scenario, a model, a metric, a ranking, or a criterion of a model file. MODULE can also be a file, for example own.py. Repeatable.",
        ),
        click.option(
            "--world",
            metavar="NAME[=VALUE]",
            help="Simulation scenario fitted to real events, for example open-2026. Other options override settings of the scenario. NAME can also be a model of game results: elo (default), davidson, davidson_by_level, rao_kupper, bradley_terry, matrix=FILE, or one of your own.",
        ),
    ]
)
"""The options of a world, and of its random draws."""


def read_given_options(ctx: click.Context) -> dict[str, Any]:
    """Return the parameters that were typed on the command line, by name.

    Those that have their default value because they were not typed are left out.
    """
    return {
        option_name: option_value
        for option_name, option_value in ctx.params.items()
        if ctx.get_parameter_source(option_name) is ParameterSource.COMMANDLINE
    }


def build_study_table(
    option_values: Mapping[str, Any], models: Sequence[str], **world: Any
) -> dict[str, Any]:
    """Return the content of a study.toml that has the same meaning as some options.

    `option_values` are the options that were given, by parameter name; `models` are
    names or paths. `world` are further settings, which options override.
    """
    study_table = {"models": [*models], **_read_table_options(StudyFile, option_values)}
    if "plugins" in option_values:
        study_table["plugins"] = [*option_values["plugins"]]
    world_table = {
        **world,
        **_read_table_options(WorldTable, option_values),
        **_read_special_options(option_values),
    }
    return {**study_table, "world": world_table}


def _read_table_options(
    table: type[StrictTable], option_values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of options that are keys of a table, by key.

    `table` is the class of a table of study.toml. A key has the option of its name, whose
    text is read as the key declares. Options that were not given are left out.
    """
    value_by_key = {}
    for table_key in keys_of(table):
        if table_key in option_values:
            declaration: Any = table.model_fields[table_key].json_schema_extra
            value_by_key[table_key] = READ[declaration["reading"]](
                option_values[table_key]
            )
    return value_by_key


def _read_special_options(option_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a world that come from options with other names or forms.

    These are points, sides, unrated, two_games and world; options that were not given
    are left out. Raises UsageError for options that contradict each other.
    """
    world_settings: dict[str, Any] = {}
    if "points" in option_values:
        world_settings["win"], world_settings["draw"] = _parse_points(
            option_values["points"]
        )
    if "sides" in option_values:
        sides_text = option_values["sides"]
        world_settings["sides"] = (
            [] if sides_text == "none" else split_texts(sides_text)
        )
        if not world_settings["sides"] and "first_side" in option_values:
            raise UsageError("--first-side is of no use with --sides none")
    if "unrated" in option_values:
        world_settings["rating_error"] = UNRATED
        if "rating_error" in option_values:
            raise UsageError("--rating-error is of no use with --unrated")
    if "two_games" in option_values:
        world_settings["games"] = 2
    if "world" in option_values:
        plugin_names = [
            plugin_text.rpartition(":")[2]
            for plugin_text in option_values.get("plugins", ())
        ]
        world_name = option_values["world"].partition("=")[0]
        # Only a name that is nothing else is looked up in WORLDS, because that looks
        # through all installed packages.
        is_fitted_world = world_name in fitted_worlds() or (
            world_name not in plugin_names and world_name not in WORLDS
        )
        world_settings["base" if is_fitted_world else "results"] = option_values[
            "world"
        ]
    return world_settings


def build_design(table: Mapping[str, Any], **option_names: str) -> StudyDesign:
    """Build the design of a study from the table that its options stand for.

    A fault in the table raises UsageError that names the option. `option_names` gives
    the option of a key whose name differs, for example models="model"; `SPELLED` has
    those that all commands share. Faults in other files raise InputError.
    """
    try:
        return study_of(table)
    except InputError as error:
        # A fault in another file, for example in a model.
        if error.source:
            raise
        option_by_key = SPELLED | option_names
        fault_lines = [
            _format_option_fault(fault, option_by_key) for fault in error.faults
        ]
        raise UsageError("\n".join(fault_lines)) from None


def _format_option_fault(fault: Fault, names: Mapping[str, str]) -> str:
    """Return the text of a fault in a study's table, with the option before it.

    `names` gives the options whose names differ from the keys. A fault of several
    settings has no option before it.
    """
    setting_place, _, place_in_setting = (
        str(fault.place).removeprefix("world.").partition(".")
    )
    setting_name = setting_place.partition("[")[0]
    fault_text = TERMINAL.format_message(fault.said)
    if setting_name == "base":
        fault_text += f"; results: {', '.join(WORLDS)}"
    # A fault of several settings, which it names.
    if setting_name in ("world", "events"):
        return fault_text
    option_name = f"--{names.get(setting_name, setting_name).replace('_', '-')}"
    return (
        f"{option_name} {place_in_setting}: {fault_text}"
        if place_in_setting
        else f"{option_name}: {fault_text}"
    )


def split_texts(text: str) -> list[str]:
    """Return the parts of a text between commas, without blanks around them.

    An empty text gives [""].
    """
    return [text_part.strip() for text_part in text.split(",")]


def parse_number(text: str) -> int | Decimal | str:
    """Return a text as the number that a TOML file would have: an int or a Decimal.

    A text that is no number stays as it is; the reader of the table refuses it.
    """
    if WHOLE.fullmatch(text):
        # Python does not read numbers with very many digits.
        with suppress(ValueError):
            return int(text)
    return Decimal(text) if REAL.fullmatch(text) else text


READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    "number": parse_number,
    "text": str,
    "texts": split_texts,
    "flag": bool,
}


def _parse_points(text: str) -> tuple[Decimal, Decimal]:
    """Return the points of a win and of a draw from a text such as "3,1".

    Raises UsageError for points that a cell of matches.csv cannot have, such as 1/3.
    """
    point_texts = split_texts(text)
    if len(point_texts) == 2 and all(map(POINTS.fullmatch, point_texts)):
        return Decimal(point_texts[0]), Decimal(point_texts[1])
    raise UsageError(
        f"--points {text}: expected two decimal numbers, such as 3,1 or 1,0.5; "
        "thirds cannot be written as such: multiply both by 3"
    )


def note_unfit_games(contenders: Iterable[Model | Contender], world: World) -> None:
    """Write a note to stderr on each contender that does not fit the world's games.

    It does not fit if the world has virtual points (an acceleration) and the contender
    has no pairing system, or if it is for matches of more games than the world has.
    """
    for contender in contenders:
        has_system = getattr(contender, "system", None) is not None
        if world.acceleration != "none" and not has_system:
            contender_name = name_of(contender)
            say(
                f"note: {contender_name} knows no virtual points: only FIDE's systems do"
            )
        games_per_match = getattr(contender, "games", 1)
        if games_per_match > world.games:
            purpose_text = (
                f"matches of {games_per_match} games where there are no sides"
            )
            contender_name = name_of(contender)
            say(
                f"note: {contender_name} is for {purpose_text}; here every match is one game"
            )


@click.command()
@click.option(
    "--model",
    default="standard",
    metavar="NAME|FILE",
    help="Model that pairs the rounds: the name of a shipped model, or a model file (.toml).",
)
@click.option(
    "--players",
    type=IntegerRange(2, MOST_PLAYERS),
    default=32,
    help="Number of players.",
)
@world_options
@click.option(
    "--replicates",
    type=bounded("keep"),
    default=1,
    help="Number of tournaments. Several tournaments go into the folders 1, 2, and so on.",
)
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    required=True,
    help="Folder for matches.csv and players.csv.",
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
    """Simulate a tournament with random results.

    Examples:
      pairopt simulate -o simulated
      pairopt simulate -o simulated --players 64 --rounds 8 --model fide-dutch
      pairopt simulate -o simulated --world open-2026 --seed 3
      pairopt simulate -o simulated --replicates 10

    pairopt writes the files matches.csv and players.csv, which pairopt solve can read.
    The file players.csv also has the true strengths of the players. If you use a seed
    again, pairopt writes identical files.
    """
    option_values = read_given_options(ctx)
    # A study file for one tournament has no number of replicates.
    option_values.pop("replicates", None)
    player_setting = (
        {"players": option_values["players"]} if "players" in option_values else {}
    )
    design = build_design(
        build_study_table(option_values, [model], **player_setting), models="model"
    )
    contender = design.contenders[0]
    world = design.worlds[0]
    note_unfit_games([contender], world)

    text_by_path: dict[Path, str] = {}
    failure_notes: list[str] = []
    for replicate in range(replicates):
        tournament = simulating.simulate(
            contender,
            world,
            seed=design.file.seed,
            replicate=replicate,
            choose=design.file.choose,
        )
        tournament_folder = Path(output)
        if replicates > 1:
            tournament_folder = tournament_folder / str(replicate + 1)
        text_by_path |= tournament.files(tournament_folder)
        if not tournament.complete:
            failure_notes.append(
                f"{tournament_folder}: no pairing of round {tournament.event.round}"
            )

    require_free(text_by_path, (), overwrite)
    for tournament_folder in dict.fromkeys(
        written_path.parent for written_path in text_by_path
    ):
        make_folder(tournament_folder)
    write_all(text_by_path)
    say(*failure_notes)
    ctx.exit(EXIT_INFEASIBLE if failure_notes else 0)


@click.command()
@click.argument("results", type=NonEmptyPath())
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    default=".",
    help="Folder for the figures. Default: the current folder.",
)
@click.option(
    "--world-figures",
    is_flag=True,
    help="For a study with a grid, also draw the figures of each simulation scenario.",
)
def plot(results: str, output: str, world_figures: bool) -> None:
    """Draw figures of a study.

    Examples:
      pairopt plot results
      pairopt plot results -o figures

    RESULTS is the folder of a study, or a file with a table of rounds. pairopt draws
    trade-offs with the Pareto front, Kendall's tau by round, side balance, and a heat
    map of all metrics, each as PNG and SVG. If the data of the study do not allow a
    figure, pairopt says which figure is missing. If the study has a grid, pairopt draws
    each metric against each setting of the grid, with one line per model. With
    --world-figures, each simulation scenario also has its own numbered figures.
    """
    is_folder = Path(results).is_dir()
    rounds_table = read_rounds(results) if is_folder else read_table(results)
    figure_kinds = (SWEEP, *FIGURES) if world_figures else None
    content_by_path, skipped_notes = draw_study_figures(
        rounds_table, Path(output), (".png", ".svg"), kinds=figure_kinds
    )
    say(*skipped_notes)
    if not content_by_path:
        raise UsageError(f"nothing to draw in {results}")
    make_folder(Path(output))
    write_all(content_by_path)
    for figure_path in content_by_path:
        click.echo(figure_path)
