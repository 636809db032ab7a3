"""Model file: its keys, made as it is written for shipped files, otherwise checked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any, ClassVar, Literal

from pairopt.common.limits import MOST_DIGITS, is_exact
from pairopt.errors import Fault
from pairopt.messages import message

Objective = Literal["lexicographic", "weighted"]
Making = Callable[[type[Any], Mapping[str, Any], str, list[Fault]], Any]
"""A function that makes a file or a rule from its values; faults are added to a list."""
_ALL_KNOWN = {"extra": "forbid"}


@dataclass(frozen=True)
class LastRoundChanges:
    """The rules in a model file's table `[last_round]`, which replace other rules.

    `constraints` or `criteria` are None if the last round has those of the other
    rounds. Otherwise they replace all of them.
    """

    __pydantic_config__: ClassVar = _ALL_KNOWN
    constraints: Mapping[str, Any] | None = None
    criteria: Sequence[Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class ModelFile:
    """The keys of a model file, with their types and defaults.

    They mean the same as the attributes of `Model`. Constraints and criteria are as the
    file has them; `pairopt.problem.model` parses them.
    """

    __pydantic_config__: ClassVar = _ALL_KNOWN
    name: str
    title: str = ""
    source: str = ""
    objective: Objective = "lexicographic"
    sides: Sequence[str] = ()
    win: Decimal | None = None
    games: int = 1
    engine: str | None = None
    system: str | None = None
    advance_wins: int | None = None
    eliminate_losses: int | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    criteria: Sequence[Mapping[str, Any]] = ()
    last_round: LastRoundChanges | None = None


def make_unchecked(
    kind: type[Any], keys: Mapping[str, Any], _: str, __: list[Fault]
) -> Any:
    """Make an instance of `kind` from values that are known to be right.

    `kind` is `ModelFile` or the class of a rule, and `keys` are its fields. Lists
    become tuples. Shipped files need no check, and so no import of pydantic. The last
    two parameters are not used.
    """
    values_by_name: dict[str, Any] = {}
    for field_name, field_value in keys.items():
        values_by_name[field_name] = (
            tuple(field_value) if isinstance(field_value, list) else field_value
        )
    if kind is ModelFile and "last_round" in values_by_name:
        values_by_name["last_round"] = LastRoundChanges(**values_by_name["last_round"])
    return kind(**values_by_name)


def parse_model_keys(
    kind: type[Any], keys: Mapping[str, Any], where: str, faults: list[Fault]
) -> Any:
    """Make an instance of `kind` from values that it checks first.

    `kind` is `ModelFile` or the class of a rule, and `keys` are its fields. Unknown or
    missing keys, wrong types and numbers that are too long are added to `faults`, and
    the result is None. `where` is the location of the values in the file, "" for the
    whole file.
    """
    # pydantic takes a tenth of a second to import, and shipped models are read
    # without it.
    from pydantic import TypeAdapter, ValidationError

    try:
        checked_object = TypeAdapter(kind).validate_python(dict(keys))
    except ValidationError as errors:
        faults += [_convert_error(kind, error, where) for error in errors.errors()]
        return None
    for model_field in fields(checked_object):
        field_value = getattr(checked_object, model_field.name)
        if isinstance(field_value, Decimal) and not is_exact(field_value):
            field_place = f"{where}.{model_field.name}".lstrip(".")
            faults.append(
                Fault(message("model.digits", where=field_place, most=MOST_DIGITS))
            )
            return None
    return checked_object


def _convert_error(kind: type[Any], error: Any, where: str) -> Fault:
    """Return the fault for one error of pydantic, as a message with the key's path.

    `error` is a dict from pydantic's `errors()`, and `kind` the class that was to be
    made. The message says that a key is unknown or missing, or why its value does not
    fit. `where` is the location of the values in the file.
    """
    error_path = [str(path_part) for path_part in error["loc"]]
    key_path = ".".join([where, *error_path] if where else error_path)
    if error["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        is_of_last_round = kind is ModelFile and error["loc"][0] == "last_round"
        class_of_keys = LastRoundChanges if is_of_last_round else kind
        known_keys = [model_key.name for model_key in fields(class_of_keys)]
        return Fault(message("model.unknown_key", key=key_path, known=known_keys))
    if error["type"] == "missing":
        return Fault(message("model.missing", where=key_path))
    pydantic_reason = str(error["msg"]).removeprefix("Value error, ")
    shown_input = repr(error["input"])
    return Fault(
        message("model.unfit", where=key_path, why=pydantic_reason, found=shown_input)
    )
