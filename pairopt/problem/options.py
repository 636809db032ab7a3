"""Options of a round: what is paired, and how. Each is declared once, as a field of a dataclass.

The command line, the JSON requests and their schema, the docs, and the check of what Python calls
pass follow from these fields. Type checkers read them from `pairopt.problem.keywords`, which
`python tests/make/make_keywords.py` writes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from functools import cache
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args

from pairopt.common.budget import Budget
from pairopt.common.limits import IN_FORMS
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.problem.model import Model
from pairopt.problem.model_file import Objective
from pairopt.problem.option_declaration import OptionDeclaration, option, require_value

DEFAULT_MODEL = "standard"
CHESS_MODEL = "fide-dutch"
ModelLike = str | Path | Model
Pair = tuple[str, str]
Choose = Literal["any", "uniform"]
Formulation = Literal["classes", "pairs"]
Verify = bool | Literal["small"]
"""Whether to cross-check by a second engine: always, never, or where that is quick."""


def declared_options(kind: type[RoundOptions]) -> Mapping[str, OptionDeclaration]:
    """Return the declaration of each option of a command by its name in Python.

    `kind` is the class of the command's options; inherited ones are included. The same
    mapping is returned each time.
    """
    # A type checker takes the class for unhashable, because its objects are.
    return _read_declarations(cast("Hashable", kind))


@cache
def _read_declarations(kind: Any) -> Mapping[str, OptionDeclaration]:
    """Return the declarations in the fields of a class of options, by field name.

    They are read once for each class `kind`.
    """
    return {
        option_field.name: option_field.metadata["option"]
        for option_field in fields(kind)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOptions:
    """The options of every command that pairs a round.

    Players are named by identifier or name. In pairs of `fixed` and `published` the
    first player has the first side. `sides` are the labels of the sides, `points` is a
    text such as 3-1-0 for a win, a draw and a loss. `time_limit` is in seconds, and
    `workers` is a number of threads. None means that an option is not given.
    """

    objective: Objective | None = option(
        "choice",
        "How to minimise the levels of the model: lexicographic takes one after the other, weighted takes one weighted sum. Default: as the model says.",
        choices=get_args(Objective),
    )
    engine: str | None = option(
        "engine",
        "Engine that pairs the round; auto chooses one that fits. Default: as the model says, otherwise auto.",
    )
    round: int | None = option(
        "number",
        "Pair round N, from the results of the rounds before it. Default: the next round.",
        metavar="N",
        allowed=IN_FORMS["next_round"],
    )
    last_round: bool = option(
        "flag",
        "Pair this round by the model's rules for the last round.",
        default=False,
    )
    lookahead: int | None = option(
        "number",
        "Pair the round so that K more rounds without a rematch are possible.",
        metavar="K",
        allowed=IN_FORMS["ahead"],
    )
    force: Sequence[Pair] = option(
        "pairs",
        "Pair these two players with each other. Repeatable.",
        default=(),
        metavar="A:B",
    )
    forbid: Sequence[Pair] = option(
        "pairs",
        "Do not pair these two players with each other. Repeatable.",
        default=(),
        metavar="A:B",
    )
    bye: str | None = option(
        "name", "Give this player the pairing-allocated bye.", metavar="A"
    )
    no_bye: Sequence[str] = option(
        "names",
        "Do not give this player the pairing-allocated bye. Repeatable.",
        default=(),
        metavar="A",
    )
    request_bye: Sequence[str] = option(
        "names",
        "Leave out this player, who requested a bye for this round. Repeatable.",
        default=(),
        metavar="A",
    )
    drop: Sequence[str] = option(
        "names",
        "Leave out this player, who has dropped from the event. Repeatable.",
        default=(),
        metavar="A",
    )
    relax: Sequence[str] = option(
        "names",
        "Ignore this constraint of the model, for example no_rematch. The values byes, history, penalties and results accept unusual input. Repeatable.",
        default=(),
        metavar="CONSTRAINT",
    )
    allow: Sequence[Pair] = option(
        "pairs",
        "Let these two players meet even if a constraint of the model forbids it. Repeatable.",
        default=(),
        metavar="A:B",
    )
    allow_bye: Sequence[str] = option(
        "names",
        "Let this player have the bye even if a constraint of the model forbids it. Repeatable.",
        default=(),
        metavar="A",
    )
    fixed: Sequence[Pair] = option(
        "pairs",
        "Keep this match even if a constraint of the model forbids it. The first player has the first side. Repeatable.",
        default=(),
        metavar="A:B",
    )
    published: Sequence[Pair] = option(
        "pairs",
        "Keep as many of these published matches as possible; this aim counts more than the rules of the model. The first player has the first side. Repeatable.",
        default=(),
        metavar="A:B",
    )
    sides: Sequence[str] | None = option(
        "labels",
        "Names of the first and the second side, for example white,black.",
        metavar="A,B",
    )
    points: str | None = option(
        "text",
        "Points for a win, a draw and a loss, for example 3-1-0. Default: the points of the event or the model, otherwise points that fit the results.",
        metavar="W-D-L",
    )
    seed: int | None = option(
        "number",
        "Number that chooses among equally good pairings. The same seed gives the same pairing. Default: the event's number, otherwise 0.",
        metavar="N",
        allowed=IN_FORMS["seed"],
    )
    time_limit: float | None = option(
        "seconds",
        "Stop after S seconds with the best pairing found so far. An engine that can't be interrupted may take longer.",
        metavar="S",
    )
    workers: int = option(
        "number",
        "Number of threads for the solver.",
        default=1,
        allowed=IN_FORMS["workers"],
    )

    def __post_init__(self) -> None:
        """Raise UsageError for a value of another type, or out of range.

        A value that is the default is not checked.
        """
        for option_name, declaration in declared_options(type(self)).items():
            option_value = getattr(self, option_name)
            if option_value is not declaration.default:
                require_value(option_name, declaration, option_value)

    def budget(self, now: float) -> Budget:
        """Return the seed, threads and deadline of a computation that begins at `now`.

        `now` is a value of `time.monotonic()`. Without a time limit there is no
        deadline, and without a seed it is 0.
        """
        limit_seconds = self.time_limit
        return Budget(
            self.seed or 0,
            self.workers,
            None if limit_seconds is None else now + limit_seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(RoundOptions):
    """The options of `compare` and `solve`.

    `choose` "uniform" draws one of the optimal pairings at random, with equal
    probabilities.
    """

    choose: Choose = option(
        "choice",
        "How to choose among the optimal pairings: any takes the pairing that the engine finds, uniform draws a pairing at random with equal probabilities.",
        default="any",
        choices=get_args(Choose),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveOptions(CompareOptions):
    """The options of `solve`: those of `compare`, and three of its own.

    `formulation` "pairs" has one Boolean variable per pair. `verify` solves the round
    with a second exact engine, too ("small": only a round that takes a moment). `count`
    asks how many optimal pairings there are, sides included.
    """

    formulation: Formulation = option(
        "choice",
        "How to model the round: classes groups pairs of similar players, pairs has one Boolean variable for each pair, for research.",
        default="classes",
        choices=get_args(Formulation),
    )
    count: bool = option("flag", "Count the optimal pairings.", default=False)
    verify: Verify = option(
        "switch",
        "Cross-check: solve every level again with a second exact engine, and compare the results. The command line cross-checks rounds of up to 300 players by default.",
        default=False,
    )


Chosen = TypeVar("Chosen", bound=RoundOptions)
Function = TypeVar("Function", bound=Callable[..., Any])


def show_keywords(kind: type[RoundOptions]) -> Callable[[Function], Function]:
    """Return a decorator that lists the options in the signature of a function.

    They replace its `**keywords`, so that `help()` and the docs print them with their
    types and defaults. The function itself is changed and returned. `kind` is the class
    of the options.
    """

    def with_signature(function: Function) -> Function:
        """Return `function` itself, with a signature that lists the options."""
        current_signature = signature(function)
        signature_parameters = [
            signature_parameter
            for signature_parameter in current_signature.parameters.values()
            if signature_parameter.kind != Parameter.VAR_KEYWORD
        ]
        for option_field in fields(kind):
            signature_parameter = Parameter(
                option_field.name,
                Parameter.KEYWORD_ONLY,
                default=option_field.default,
                annotation=option_field.type,
            )
            signature_parameters.append(signature_parameter)
        full_signature = current_signature.replace(parameters=signature_parameters)
        function.__signature__ = full_signature  # type: ignore[attr-defined]
        return function

    return with_signature


def parse_options(
    event: Event, kind: type[Chosen], keywords: Mapping[str, Any], command: str
) -> Chosen:
    """Check the options of a command, and return them as an object of class `kind`.

    `kind` is the class of the command's options, `keywords` has their values by name,
    and `command` is the command's name in errors. An option that is None was not given;
    the seed then comes from the event. Lists may be any iterables, such as sets or
    columns of a DataFrame. Raises UsageError for an option that the command does not
    have, or that is wrong.
    """
    declarations = declared_options(kind)
    unknown_options = [
        option_name for option_name in keywords if option_name not in declarations
    ]
    if unknown_options:
        raise UsageError(
            "option.unknown",
            command=command,
            found=unknown_options[0],
            known=[*declarations],
        )

    given_options = {
        option_name: option_value
        for option_name, option_value in keywords.items()
        if option_value is not None
    }
    for option_name, option_value in given_options.items():
        option_reading = declarations[option_name].reading
        if option_reading in ("names", "labels"):
            given_options[option_name] = _to_tuple(option_value)
        elif option_reading == "pairs":
            pairs_or_text = _to_tuple(option_value)
            are_pairs = isinstance(pairs_or_text, tuple)
            given_options[option_name] = (
                tuple(map(_to_tuple, pairs_or_text)) if are_pairs else pairs_or_text
            )
    return kind(
        **{**given_options, "seed": event.settings.seeded(keywords.get("seed"))}
    )


def _to_tuple(value: Any) -> Any:
    """Return an iterable as a tuple, and anything else unchanged.

    A text or bytes stay as they are, too. A set is sorted by the `repr` of its entries,
    so that the same call gives the same pairing in every process. The entries stay as
    they are.
    """
    if isinstance(value, str | bytes):
        return value
    try:
        return tuple(sorted(value, key=repr) if isinstance(value, Set) else value)
    except TypeError:
        return value


MOST_NAMED_ENTRIES = 3
"""The most players or pairs of an option that its text names."""


def options_text(options: Mapping[str, Any]) -> str:
    """Return options as words, such as "bye Ada, relax no_rematch"; "" for none.

    `options` has the values by name. The seed, which chooses among equally good
    pairings, is left out.
    """
    option_texts = []
    for option_name, option_value in options.items():
        if option_name != "seed":
            option_texts.append(
                f"{option_name.replace('_', ' ')} {_format_option(option_value)}"
            )
    return ", ".join(option_texts)


def _format_option(value: object) -> str:
    """Return an option's value as words, such as "yes" for True or "Ada:Bob Cid:Dan".

    A tuple has names or pairs. Its first MOST_NAMED_ENTRIES entries are named, and the
    others counted: "and 2 more".
    """
    if value is True:
        return "yes"
    if not isinstance(value, tuple):
        return str(value)
    entry_texts = [
        option_entry if isinstance(option_entry, str) else ":".join(option_entry)
        for option_entry in value
    ]
    shown_text = " ".join(entry_texts[:MOST_NAMED_ENTRIES])
    return (
        f"{shown_text} and {len(entry_texts) - MOST_NAMED_ENTRIES} more"
        if len(entry_texts) > MOST_NAMED_ENTRIES
        else shown_text
    )


BESIDES = ("engine", "round", "drop", "request_bye", "seed", "time_limit", "workers")
"""Options that do not change the pairing, or that a proof has elsewhere."""


def list_non_default_options(event: Event, options: RoundOptions) -> dict[str, Any]:
    """Return the options that differ from their defaults by name, in a normal form.

    Players are given by their identifiers, and lists are sorted, so that equal requests
    have equal results. Options that do not change the pairing, or that a proof has
    elsewhere, are left out (`BESIDES`). Raises UsageError for an unknown player.
    """

    def identify(player: str) -> str:
        """Return the identifier of a player, given by an identifier or a name."""
        return event.players[event.position(player)]

    def identify_pairs(pairs: Iterable[Sequence[str]], sided: bool) -> list[list[str]]:
        """Return pairs by identifiers, sorted and without duplicates.

        Unless `sided`, the two players of a pair are sorted, too.
        """
        identified_pairs = set[tuple[str, ...]]()
        for named_pair in pairs:
            identifier_pair = [identify(player) for player in named_pair]
            identified_pairs.add(
                tuple(identifier_pair if sided else sorted(identifier_pair))
            )
        return sorted(map(list, identified_pairs))

    value_by_option = {}
    for option_name, declaration in declared_options(RoundOptions).items():
        option_value, reading = getattr(options, option_name), declaration.reading
        if option_name in BESIDES or option_value in (declaration.default, (), []):
            continue
        if reading == "pairs":
            option_value = identify_pairs(
                option_value, option_name in ("fixed", "published")
            )
        elif reading == "names":
            option_value = sorted(
                {*option_value}
                if option_name == "relax"
                else {*map(identify, option_value)}
            )
        elif reading == "name":
            option_value = identify(option_value)
        elif reading == "labels":
            option_value = [*option_value]
        value_by_option[option_name] = option_value
    return value_by_option
