"""Options of commands that pair a round, how their values are read, and how these commands end."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pairopt.cli import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.cli.console import echo_notes
from pairopt.cli.options import (
    INPUTS,
    DecimalRange,
    IntegerRange,
    OutputPath,
    Wrapping,
    apply_decorators,
    labels_of,
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
    help="A shipped model (see `pairopt models`) or a .toml file. "
    f"Default: the event's, else {CHESS_MODEL} for a TRF, {DEFAULT_MODEL} for others.",
)


def _load_plugins(
    _ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]
) -> None:
    """Let criteria and constraints of one's own be named in model files."""
    if given:
        from pairopt.rules.plugins import load_plugins

        load_plugins(given)


PLUGIN = click.option(
    "--plugin",
    multiple=True,
    metavar="MODULE:NAME",
    expose_value=False,
    is_eager=True,
    callback=_load_plugins,
    help="A criterion or constraint of your own, of a MODULE or FILE.py, for model files.",
)


def _json(
    _ctx: click.Context, _param: click.Parameter, given: str | None
) -> str | None:
    """A proof that stands alone; one for VeriPB goes with a program."""
    if given is not None and given.lower().endswith(".pbp"):
        raise UsageError("program.proof_alone", path=given)
    return given


PROOF = click.option(
    "--proof",
    type=OutputPath(),
    callback=_json,
    help="Write why no pairing is better, for anybody to verify, FILE.json.",
)
OF_READING = ("byes", "history", "penalties", "results")
"""What `relax` accepts in a file; all else are constraints of the model."""
PAIRS = [
    name
    for name, declared in declared_options(RoundOptions).items()
    if declared.reading == "pairs"
]
"""Options that are two players each."""


def round_options(
    kind: type[RoundOptions] = RoundOptions,
    inputs: Sequence[Wrapping] = (*INPUTS, MODEL),
    without: Sequence[str] = (),
) -> Wrapping:
    """The inputs, and an option for each field of the command's options but these."""
    options = [
        click_option(name, declared)
        for name, declared in declared_options(kind).items()
        if name not in without
    ]
    return apply_decorators([*inputs, PLUGIN, *options])


def click_option(field: str, declared: OptionDeclaration) -> Wrapping:
    """Make the command line option of a field of `RoundOptions`."""
    name = f"--{field.replace('_', '-')}"
    shown: dict[str, Any] = {"help": declared.help, "metavar": declared.metavar}

    match declared.reading:
        case "flag":
            return click.option(name, is_flag=True, help=declared.help)
        case "switch":
            return click.option(
                f"{name}/--no-{name[2:]}", default=None, help=declared.help
            )
        case "names" | "pairs":
            return click.option(name, multiple=True, **shown)
        case "name":
            return click.option(name, multiple=True, callback=_single_player, **shown)
        case "engine":
            shown |= {"metavar": f"[{'|'.join(ENGINES.shipped)}]", "callback": _engine}
        case "choice":
            shown["type"] = click.Choice(declared.choices)
        case "number":
            assert declared.allowed is not None
            shown["type"] = IntegerRange(declared.allowed[0], declared.allowed[-1])
        case "seconds":
            shown |= {"type": DecimalRange(0, MOST_SECONDS), "callback": _above_zero}
    return click.option(name, default=declared.default, **shown)


def _engine(_context: object, _option: object, given: str | None) -> str | None:
    if given is not None:
        abilities_of(given)
    return given


def _above_zero(_context: object, _option: object, given: float | None) -> float | None:
    if given == 0:
        raise click.BadParameter("found 0, expected seconds above 0")
    return given


def _single_player(
    _context: object, _option: object, given: tuple[str, ...]
) -> str | None:
    """The one player named; click would take the last of several without a word."""
    if len(set(given)) > 1:
        raise click.BadParameter(f"expected one player, found {join_names(given)}")
    return given[0] if given else None


def read(
    event: str,
    players: str | None,
    options: Mapping[str, Any],
    *,
    unfinished: bool = False,
    noted: bool = True,
) -> tuple[Event, dict[str, Any]]:
    """The event, and the options as the API takes them; notes on it are said if they are `noted`.
    `round` and `sides` are already applied to the event; `relax history` is meant for it alone.
    """
    sides, relax = labels_of(options["sides"]), options["relax"]
    given = read_event(
        event,
        players,
        round=options["round"],
        sides=sides,
        relax=relax,
        unfinished=True,
        columns=options.get("columns"),
        model_sides=_sides_of_model(options.get("model")),
    )
    try:
        if not unfinished:
            require_finished(given)
    except InputError as error:
        error.add([message("round.of_open", round=given.round - 1)])
        raise
    echo_notes(given.notes if noted else ())
    rest = {
        name: value
        for name, value in options.items()
        if name not in ("round", "columns")
    }
    return given, {
        **_named(given, with_default_cross_check(rest, int(given.active.sum()))),
        "sides": sides,
    }


def _sides_of_model(model: str | None) -> Sequence[str]:
    """The labels of a model's sides, which its events may have. Raises UsageError for no model."""
    if model is None:
        return ()
    from pairopt.problem.model import load_model

    return load_model(model).sides


def chosen_options(folder: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a verb on an event folder, as the API takes them."""
    given = with_default_cross_check({**options, "sides": labels_of(options["sides"])})
    if not any(given.get(name) for name in PAIRS):
        return given
    # the pairs need the players' names, the round itself is read by the verb
    return _named(read_event(folder, round=1), given)


def with_default_cross_check(
    options: Mapping[str, Any], players: int = 0
) -> dict[str, Any]:
    """The options, small rounds settled twice unless something else is asked for."""
    if options.get("verify", False) is not None:
        return {**options}
    from pairopt.engines.ortools import has_ortools
    from pairopt.round.check_claims import MOST_PLAYERS

    if players <= MOST_PLAYERS and has_ortools():
        from pairopt.engines.cpsat import without_pandas

        without_pandas.load_modelling()
    return {**options, "verify": "small"}


def _named(event: Event, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with pairs as two players, and without what is meant for reading alone."""
    pairs = {
        name: [pair_of(event, text, f"--{name}") for text in options[name]]
        for name in PAIRS
        if name in options
    }
    relax = [kind for kind in options["relax"] if kind not in OF_READING]
    return {**options, **pairs, "relax": relax}


def pair_of(event: Event, text: str, option: str) -> tuple[str, str]:
    """A:B as two players; names may hold colons themselves as long as one reading fits."""
    parts = text.split(":")
    splits = [(":".join(parts[:k]), ":".join(parts[k:])) for k in range(1, len(parts))]
    fitting = [
        pair
        for pair in splits
        if event.has_player(pair[0]) and event.has_player(pair[1])
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        either = " or ".join(f"{one!r} and {two!r}" for one, two in fitting)
        raise UsageError(f"{option} {text}: this may mean {either}")
    if len(splits) == 1:
        event.positions(splits[0])
    raise UsageError(f"{option} {text}: expected two players of this event, as A:B")


def exit_code(result: "Result") -> int:
    if result.choice is not None and result.choice.stopped:
        return EXIT_UNPROVEN
    codes = {
        "infeasible": EXIT_INFEASIBLE,
        "feasible": EXIT_UNPROVEN,
        "unknown": EXIT_UNPROVEN,
    }
    return codes.get(result.status, 0)


def without_proof(result: "Result") -> str:
    settled = result.status in ("optimal", "infeasible")
    why = "only the engine says so" if settled else "nothing is proven"
    return f"{why}: no proof is written"
