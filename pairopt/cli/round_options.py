"""Define options of commands that pair a round, read their values, and find exit codes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pairopt.cli.console import echo_notes
from pairopt.cli.exit_codes import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.cli.options import (
    INPUTS,
    DecimalRange,
    IntegerRange,
    OutputFilePath,
    Wrapping,
    apply_decorators,
    parse_labels,
)
from pairopt.common.limits import MOST_SECONDS
from pairopt.engines import ENGINES, abilities_of
from pairopt.errors import InputError, UsageError
from pairopt.event.event import Event, require_finished
from pairopt.files import read_event
from pairopt.messages import message
from pairopt.messages.formatting import join_names
from pairopt.problem.option_declaration import OptionDeclaration
from pairopt.problem.options import (
    CHESS_MODEL,
    DEFAULT_MODEL,
    RoundOptions,
    declared_options,
)

if TYPE_CHECKING:
    from pairopt.round.result import Result

MODEL = click.option(
    "--model",
    metavar="NAME|FILE",
    help=f"Pairing rules: the name of a shipped model (see pairopt models), or a model file (.toml). Default: the event's model, otherwise {CHESS_MODEL} for a tournament report (TRF) and {DEFAULT_MODEL} for other files.",
)


def _load_plugins(
    _ctx: click.Context, _param: click.Parameter, names: tuple[str, ...]
) -> None:
    """Load the criteria and constraints that --plugin names, for model files.

    This is the callback of the option, and adds them to the registries.
    """
    if names:
        from pairopt.rules.plugins import load_plugins

        load_plugins(names)


PLUGIN = click.option(
    "--plugin",
    multiple=True,
    metavar="MODULE:NAME",
    expose_value=False,
    is_eager=True,
    callback=_load_plugins,
    help="Python module and name of your own criterion or constraint, which a model file uses. MODULE can also be a file, for example rules.py:Clubs. Repeatable.",
)


def _require_json_proof(
    _ctx: click.Context, _param: click.Parameter, path: str | None
) -> str | None:
    """Return the path of a proof; None, if the option is not given, stays None.

    Raises UsageError for a proof for VeriPB (.pbp), which `export` writes with its
    program.
    """
    if path is not None and path.lower().endswith(".pbp"):
        raise UsageError("program.proof_alone", path=path)
    return path


PROOF = click.option(
    "--proof",
    type=OutputFilePath(),
    callback=_require_json_proof,
    help="Write a proof that no pairing is better to FILE (.json). Anyone can verify the proof.",
)
OF_READING = ("byes", "history", "penalties", "results")
"""The values of --relax that are about reading; the others are constraints."""
PAIRS = [
    name
    for name, declared in declared_options(RoundOptions).items()
    if declared.reading == "pairs"
]
"""The options whose values are pairs of players."""
PLAYERS = [
    name
    for name, declared in declared_options(RoundOptions).items()
    if declared.reading in ("name", "names") and name != "relax"
]
"""The options whose values are players."""


def round_options(
    kind: type[RoundOptions] = RoundOptions,
    inputs: Sequence[Wrapping] = (*INPUTS, MODEL),
    without: Sequence[str] = (),
) -> Wrapping:
    """Return a decorator that adds the options of a command that pairs a round.

    They are the `inputs`, --plugin, and an option for each field of `kind` except those
    in `without`.
    """
    click_options = [
        click_option(field_name, declaration)
        for field_name, declaration in declared_options(kind).items()
        if field_name not in without
    ]
    return apply_decorators([*inputs, PLUGIN, *click_options])


def click_option(field: str, declared: OptionDeclaration) -> Wrapping:
    """Return a decorator with the command line option of a field of `RoundOptions`.

    `declared` is the field's declaration. It decides how a text is read, for example as
    a flag or a number, and has the help and the default.
    """
    option_name = f"--{field.replace('_', '-')}"
    option_attributes: dict[str, Any] = {
        "help": declared.help,
        "metavar": declared.metavar,
    }

    match declared.reading:
        case "flag":
            return click.option(option_name, is_flag=True, help=declared.help)
        case "switch":
            return click.option(
                f"{option_name}/--no-{option_name[2:]}",
                default=None,
                help=declared.help,
            )
        case "names" | "pairs":
            return click.option(option_name, multiple=True, **option_attributes)
        case "name":
            return click.option(
                option_name,
                multiple=True,
                callback=_require_single_player,
                **option_attributes,
            )
        case "engine":
            option_attributes |= {
                "metavar": f"[{'|'.join(ENGINES.shipped)}]",
                "callback": _require_engine,
            }
        case "choice":
            option_attributes["type"] = click.Choice(declared.choices)
        case "number":
            assert declared.allowed is not None
            option_attributes["type"] = IntegerRange(
                declared.allowed[0], declared.allowed[-1]
            )
        case "seconds":
            option_attributes |= {
                "type": DecimalRange(0, MOST_SECONDS),
                "callback": _require_above_zero,
            }
    return click.option(option_name, default=declared.default, **option_attributes)


def _require_engine(_context: object, _option: object, name: str | None) -> str | None:
    """Return the name of an engine, or None if the option is not given.

    Raises UsageError if there is no engine of this name.
    """
    if name is not None:
        abilities_of(name)
    return name


def _require_above_zero(
    _context: object, _option: object, seconds: float | None
) -> float | None:
    """Return the seconds, or None if the option is not given.

    Raises BadParameter for 0 seconds.
    """
    if seconds == 0:
        raise click.BadParameter("Write a number of seconds above 0. Found 0.")
    return seconds


def _require_single_player(
    _context: object, _option: object, names: tuple[str, ...]
) -> str | None:
    """Return the only player that was named, None without any.

    Raises BadParameter for several different ones, and for an empty name. Without this,
    click would take the last one silently, and an empty name would mean nobody.
    """
    if any(not player_name.strip() for player_name in names):
        raise click.BadParameter("Name a player. Found an empty name.")
    if len(set(names)) > 1:
        raise click.BadParameter(f"Name only one player. Found {join_names(names)}.")
    return names[0] if names else None


def read_event_options(
    event: str,
    players: str | None,
    options: Mapping[str, Any],
    *,
    unfinished: bool = False,
    noted: bool = True,
) -> tuple[Event, dict[str, Any]]:
    """Read an event; return it with the options as the Python functions take them.

    Parameters
    ----------
    event, players : str
        The paths of the event and of players.csv.
    options : mapping
        The values of the command's options. `round`, `sides` and `columns` are applied to
        the event, as are the values of `relax` that are about reading.
    unfinished : bool
        Whether the last round may have open results.
    noted : bool
        Whether to write the event's notes to stderr.

    Raises
    ------
    InputError
        If the event has faults.
    """
    side_labels = parse_labels(options["sides"])
    given_event = read_event(
        event,
        players,
        round=options["round"],
        sides=side_labels,
        relax=options["relax"],
        unfinished=True,
        columns=options.get("columns"),
        model_sides=_sides_of_model(options.get("model")),
    )
    try:
        if not unfinished and not given_event.origin.all_rounds_open:
            require_finished(given_event)
    except InputError as error:
        error.add([message("round.of_open", round=given_event.round - 1)])
        raise
    if noted:
        echo_notes(given_event.notes)

    remaining_options = {
        option_name: option_value
        for option_name, option_value in options.items()
        if option_name not in ("round", "columns")
    }
    remaining_options = with_default_cross_check(remaining_options)
    return given_event, {
        **_resolve_players(given_event, remaining_options),
        "sides": side_labels,
    }


def _sides_of_model(model: str | None) -> Sequence[str]:
    """Return the labels of a model's sides; () without a model.

    An event that states no labels may have these. Raises UsageError for an unknown
    model.
    """
    if model is None:
        return ()
    from pairopt.problem.model import load_model

    return load_model(model).sides


def resolve_folder_options(folder: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a command on an event folder as its function takes them.

    Labels of sides become a list. Typed names become identifiers, and a pair "A:B" two
    of them; only for these is the event read. `verify` becomes "small" if it is not
    given.
    """
    function_options = with_default_cross_check(
        {**options, "sides": parse_labels(options["sides"])}
    )
    if not any(function_options.get(option_name) for option_name in (*PAIRS, *PLAYERS)):
        return function_options
    # Names need the players; the command itself reads the round.
    return _resolve_players(read_event(folder, round=1), function_options)


def with_default_cross_check(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with `verify` set to "small" if its value is None.

    "small" lets a second engine cross-check rounds with few players. Any other value
    stays, and options without the key `verify` stay without it. A command has no other
    thread that imports, so CP-SAT may be loaded without pandas, which is faster.
    """
    if options.get("verify", False) is not None:
        return {**options}
    from pairopt.engines.cpsat import without_pandas

    without_pandas.allow_stand_in()
    return {**options, "verify": "small"}


def _resolve_players(event: Event, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with the identifiers of the players that were typed.

    Each pair "A:B" becomes two players. Values of `relax` that are about reading a file
    are removed. Raises UsageError for a name that is not one player's. `options` itself
    stays as it is.
    """
    resolved_options = {**options}
    for option_name in PAIRS:
        if option_name in options:
            resolved_options[option_name] = [
                parse_pair(event, pair_as_typed, f"--{option_name}")
                for pair_as_typed in options[option_name]
            ]
    for option_name in PLAYERS:
        typed_names = options.get(option_name)
        if isinstance(typed_names, str):
            resolved_options[option_name] = find_identifier(event, typed_names)
        elif typed_names:
            resolved_options[option_name] = [
                find_identifier(event, typed_name) for typed_name in typed_names
            ]
    resolved_options["relax"] = [
        constraint for constraint in options["relax"] if constraint not in OF_READING
    ]
    return resolved_options


def find_identifier(event: Event, typed: str) -> str:
    """Return the identifier of the one player whom a typed name means.

    Raises UsageError if it means none or several.
    """
    return event.players[event.find_typed_player(typed)]


def parse_pair(event: Event, text: str, option: str) -> tuple[str, str]:
    """Return the identifiers of the two players of a typed pair "A:B".

    Names may have colons if only one split fits. Raises UsageError otherwise, or if a
    name means several players. The message names `option`.
    """
    text_parts = text.split(":")
    possible_pairs = [
        (":".join(text_parts[:split_position]), ":".join(text_parts[split_position:]))
        for split_position in range(1, len(text_parts))
    ]
    fitting_pairs = [
        possible_pair
        for possible_pair in possible_pairs
        if all(map(event.find_typed_players, possible_pair))
    ]
    if len(fitting_pairs) > 1:
        possible_readings = " or ".join(
            f"{first_player!r} and {second_player!r}"
            for first_player, second_player in fitting_pairs
        )
        raise UsageError(f"{option} {text}: this may mean {possible_readings}")
    if fitting_pairs or len(possible_pairs) == 1:
        first_name, second_name = (fitting_pairs or possible_pairs)[0]
        return find_identifier(event, first_name), find_identifier(event, second_name)
    raise UsageError(
        f"{option} {text}: name two players of this event with a colon between them, "
        f"for example {option} Ann:Bob"
    )


def exit_code(result: "Result") -> int:
    """Return the exit code for a result: 1 without a pairing, 4 unproven, otherwise 0.

    "Without a pairing" is proven. It is also 4 if the choice among optimal pairings was
    stopped.
    """
    if result.choice is not None and result.choice.stopped:
        return EXIT_UNPROVEN
    code_by_status = {
        "infeasible": EXIT_INFEASIBLE,
        "feasible": EXIT_UNPROVEN,
        "unknown": EXIT_UNPROVEN,
    }
    return code_by_status.get(result.status, 0)


def missing_proof_reason(result: "Result") -> str:
    """Return a sentence that says why no proof of this result is written.

    Either only the engine claims the result, or nothing is proven.
    """
    is_result_claimed = result.status in ("optimal", "infeasible")
    reason = "only the engine says so" if is_result_claimed else "nothing is proven"
    return f"{reason}: no proof is written"
