"""Model: constraints, ordered criteria and the objective's mode, read from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any
from unicodedata import category

from pairopt.bounds import MOST_DIGITS, exact
from pairopt.errors import Fault, InputError, UsageError
from pairopt.problem.model_file import AsWritten, ModelFile, Objective
from pairopt.problem.system import SYSTEMS
from pairopt.rules.base import Constraint, Criterion
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.rules.criteria import CRITERIA

GONE = {"fide-dutch-2017-py4swiss": "fide-dutch, the Dutch System by the rules since February 2026"}
"""Models that shipped once, and what to use instead."""


@dataclass(frozen=True)
class Model:
    """Which pairing is better: constraints first, then criteria in order.

    `weights` (one per criterion, exact) are there only for a weighted model. `lookahead` is how
    many more rounds without a rematch the unplayed pairs must hold after the round. `win` is a
    win's points where the file says; `games` the number of games in a match; `engine` what
    pairs by this model where it is not the default.
    """

    name: str
    title: str
    source: str
    constraints: tuple[Constraint, ...]
    criteria: tuple[Criterion, ...]
    objective: Objective = "lexicographic"
    weights: tuple[Fraction, ...] | None = None
    sides: tuple[str, ...] = ()
    win: Fraction | None = None
    games: int = 1
    engine: str | None = None
    system: str | None = None
    lookahead: int = 0
    last_round: Model | None = field(default=None, repr=False)

    def for_round(self, last: bool) -> Model:
        """The model to use in the last round, or in any other."""
        return self.last_round if last and self.last_round is not None else self

    def relaxed(self, kinds: Sequence[str]) -> Model:
        """The model without some constraints. Raises UsageError for one it does not have."""
        have = [rule.kind for rule in self.constraints] + ["lookahead"] * bool(self.lookahead)
        for kind in kinds:
            if kind not in have:
                raise UsageError(
                    f"model {self.name} has no constraint {kind!r} to relax; "
                    f"it has: {', '.join(have) or 'none'}"
                )
        if not kinds:
            return self
        kept = tuple(rule for rule in self.constraints if rule.kind not in kinds)
        return replace(
            self, constraints=kept, lookahead=0 if "lookahead" in kinds else self.lookahead
        )


def model_names() -> list[str]:
    """Names of the models that ship with pairopt."""
    return sorted(path.stem for path in _folder().glob("*.toml"))


def load_model(name_or_path: str | Path | Model) -> Model:
    """A model by its name, or from a TOML file by its path.

    Raises UsageError when there is no such model, InputError when the file cannot be read, has
    unknown keys, kinds or parameters, or values that do not fit.
    """
    if isinstance(name_or_path, Model):
        return name_or_path
    name = str(name_or_path)
    return _shipped(name) or _read(name, Path(name_or_path), known_good=False)


@lru_cache(maxsize=64)
def _shipped(name: str) -> Model | None:
    """The model of that name if it ships: its file stays what it is."""
    path = _folder() / f"{name}.toml"
    return _read(name, path, known_good=True) if name in model_names() else None


def _read(name: str, path: Path, known_good: bool) -> Model:
    try:
        if name in GONE:
            raise UsageError(f"model {name} is gone: use {GONE[name]}")
        if path.suffix != ".toml" or not path.is_file():
            raise UsageError("model.unknown", name=name, models=model_names())
        return _parsed(path.read_bytes().decode("utf-8-sig"), path.name, known_good)
    except OSError as error:
        raise InputError(path.name, f"cannot be read: {error.strerror}") from None
    except ValueError as error:  # no UTF-8, no TOML, or a number that is none of ours
        raise InputError(path.name, f"not a TOML file: {error}") from None


@lru_cache(maxsize=64)
def _parsed(text: str, source: str, known_good: bool) -> Model:
    return parse_model(tomllib.loads(text, parse_float=_decimal), source, known_good=known_good)


def _decimal(text: str) -> Decimal:
    """A number of a file, exact. Raises ValueError for one that no exact sum could hold."""
    with suppress(InvalidOperation):
        number = Decimal(text)
        if exact(number) or not number.is_finite():
            return number
    raise ValueError(f"{text[:MOST_DIGITS]}: expected at most {MOST_DIGITS} digits")


def parse_model(
    raw: Mapping[str, Any], source: str = "model", *, known_good: bool = False
) -> Model:
    """A model from the content of its file. Raises InputError naming every fault.

    `known_good` for the files that ship: their types are not checked again.
    """
    if bad := _steering(raw):
        raise InputError(source, bad)
    make = AsWritten() if known_good else _checked()
    file, faults = make.file(raw), make.faults
    if file is None:
        raise InputError(source, faults)
    faults += [*_value_faults(file), *_system_faults(file)]
    lookahead, constraints = _constraints(file.constraints, "constraints", make)
    criteria, weights = _criteria(file.criteria, "criteria", file.objective, make)
    model = Model(
        name=file.name,
        title=file.title or file.name,
        source=file.source,
        constraints=constraints,
        criteria=criteria,
        objective=file.objective,
        weights=weights,
        sides=tuple(file.sides),
        win=None if file.win is None else Fraction(file.win),
        games=file.games,
        engine=file.engine,
        system=file.system,
        lookahead=lookahead,
    )
    if file.last_round is not None:
        last = model
        if file.last_round.constraints is not None:
            listed_rules = file.last_round.constraints
            lookahead, table = _constraints(listed_rules, "last_round.constraints", make)
            last = replace(last, constraints=table, lookahead=lookahead)
        if file.last_round.criteria is not None:
            listed = file.last_round.criteria
            criteria, weights = _criteria(listed, "last_round.criteria", file.objective, make)
            last = replace(last, criteria=criteria, weights=weights)
        model = replace(model, last_round=last)
    if faults:
        raise InputError(source, faults)
    return model


def _checked() -> AsWritten:
    from pairopt.problem.checked_file import Checked

    return Checked()


def _steering(value: object, place: str = "") -> list[Fault]:
    """Texts, keys too, with characters that could steer a terminal."""
    if isinstance(value, str):
        if any(category(c) == "Cc" and c not in "\n\t" for c in value):
            return [Fault(f"{place}: expected text without control characters, found {value!r}")]
        return []
    if isinstance(value, Mapping):
        named = [(f"{place}.{key}" if place else str(key), each) for key, each in value.items()]
        keys = [fault for key in value for fault in _steering(key, place or "keys")]
        return keys or [fault for name, each in named for fault in _steering(each, name)]
    if isinstance(value, list):
        listed = [(f"{place}[{k}]", each) for k, each in enumerate(value, 1)]
        return [fault for name, each in listed for fault in _steering(each, name)]
    return []


def _folder() -> Path:
    here = Path(__file__).parents[1]
    inside = here / "models"  # as installed; beside the package in a source checkout
    return inside if inside.is_dir() else here.parent / "models"


def _value_faults(file: ModelFile) -> list[Fault]:
    labels = len({*file.sides}) == len(file.sides) in (0, 2)
    checks = (
        (file.name, "name: expected a name"),
        (labels, 'expected sides = [] or two labels, as ["corp", "runner"]'),
        (file.win is None or file.win > 0, f"win: expected more than 0, found {file.win}"),
        (file.games >= 1, f"games: expected 1 or more, found {file.games}"),
    )
    return [Fault(said) for fits, said in checks if not fits]


def _system_faults(file: ModelFile) -> list[Fault]:
    if file.system is None:
        return []
    if file.system not in SYSTEMS:
        return [Fault(f"system: found {file.system!r}, expected {' or '.join(SYSTEMS)}")]
    more = file.criteria or (file.last_round and file.last_round.criteria)
    if more or file.objective == "weighted" or "lookahead" in file.constraints:
        what = "no criteria, weights or lookahead"
        return [Fault(f"system {file.system} has an order of its own: {what}")]
    return []


def _constraints(
    table: Mapping[str, Any], where: str, make: AsWritten
) -> tuple[int, tuple[Constraint, ...]]:
    """The lookahead and the constraints of a table."""
    lookahead, made = 0, []
    for kind, value in table.items():
        if kind == "lookahead":
            lookahead = _lookahead(value, where, make.faults)
            continue
        rule = CONSTRAINTS.get(kind)
        if rule is None or rule.option is not None:
            choices = [each for each, held in CONSTRAINTS.items() if held.option is None]
            listed = ", ".join(sorted([*choices, "lookahead"]))
            make.faults.append(Fault(f"{where}: unknown constraint {kind!r}; choices: {listed}"))
            continue
        parameters = [f.name for f in fields(rule)]  # type: ignore[arg-type]
        if value is False:
            continue
        if (value is True) == bool(parameters):
            expected = "a value" if parameters else "true or false"
            make.faults.append(Fault(f"{where}.{kind}: expected {expected}, found {value!r}"))
            continue
        given = [value] if isinstance(value, str) else value
        arguments = {parameters[0]: given} if parameters else {}
        built = _build(rule, arguments, f"{where}.{kind}", make)
        made += [built] if built is not None else []
    return lookahead, tuple(made)


def _lookahead(value: object, where: str, faults: list[Fault]) -> int:
    if value is False:
        return 0
    if isinstance(value, int) and value is not True and value >= 1:
        return value
    faults.append(Fault(f"{where}.lookahead: expected lookahead >= 1, found {value!r}"))
    return 0


def _criteria(
    rows: Sequence[Mapping[str, Any]], where: str, objective: Objective, make: AsWritten
) -> tuple[tuple[Criterion, ...], tuple[Fraction, ...] | None]:
    made, weights = [], []
    for number, row in enumerate(rows, 1):
        place = f"{where}[{number}]"
        arguments = {key: value for key, value in row.items() if key not in ("kind", "weight")}
        rule = CRITERIA.get(str(row.get("kind")))
        if rule is None:
            found = f"unknown kind {row['kind']!r}" if "kind" in row else "kind is missing"
            make.faults.append(Fault(f"{place}: {found}; choices: {', '.join(CRITERIA)}"))
            continue
        if objective == "weighted":
            weights.append(_weight(row.get("weight"), place, make.faults))
        elif "weight" in row:
            make.faults.append(
                Fault(f'{place}.weight: only a model with objective = "weighted" has it')
            )
        built = _build(rule, arguments, place, make)
        made += [built] if built is not None else []
    return tuple(made), tuple(weights) if objective == "weighted" else None


def _weight(value: object, place: str, faults: list[Fault]) -> Fraction:
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        number = Decimal(value)
        if number.is_finite() and number >= 0:
            return Fraction(number)
    faults.append(Fault(f"{place}.weight: expected a number >= 0, found {value!r}"))
    return Fraction(0)


def _build(rule: type[Any], arguments: Mapping[str, Any], where: str, make: AsWritten) -> Any:
    known = {f.name: f for f in fields(rule)}
    bad = [
        Fault(f"{where}: unknown parameter {key!r}; choices: {', '.join(known) or 'none'}")
        for key in arguments
        if key not in known
    ]
    bad += [
        Fault(f"{where}.{key}: expected a number, found {value!r}")
        for key, value in arguments.items()
        if isinstance(value, bool)
    ]
    bad += [
        Fault(f"{where}: parameter {name!r} is missing")
        for name, f in known.items()
        if f.default is MISSING and f.default_factory is MISSING and name not in arguments
    ]
    if bad:
        make.faults.extend(bad)
        return None
    return make.rule(rule, arguments, where)
