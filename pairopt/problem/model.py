"""Model: constraints, ordered criteria and the objective's mode, from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any
from unicodedata import category

from pairopt.common.limits import MOST_DIGITS, is_exact
from pairopt.errors import Fault, InputError, InvalidValueError, UsageError
from pairopt.files.start_scores import models_folder
from pairopt.messages import message
from pairopt.problem.model_file import (
    Making,
    ModelFile,
    Objective,
    make_unchecked,
    parse_model_keys,
)
from pairopt.problem.system import SYSTEMS
from pairopt.rules.base import Constraint, Criterion
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.rules.criteria import CRITERIA

GONE = {
    "fide-dutch-2017-py4swiss": "fide-dutch, the Dutch System by the rules since February 2026"
}
"""Models that shipped once, and what to use instead."""


@dataclass(frozen=True)
class Model:
    """A set of pairing rules: which pairings are legal, and which of them are better.

    Attributes
    ----------
    name : str
        The name of the model.
    title : str
        One line that describes the model.
    source : str
        Where the rules were published.
    constraints : tuple of Constraint
        Rules that no pairing may break.
    criteria : tuple of Criterion
        What to minimise, in order of priority.
    objective : {"lexicographic", "weighted"}
        Whether criteria are minimised one after the other, or as one weighted sum.
    weights : tuple of Fraction or None
        One exact weight per criterion. None in a lexicographic model.
    sides : tuple of str
        The labels of the two sides, the first side first. Empty for games without
        sides.
    win : Fraction or None
        The points of a win, if the model file names them.
    games : int
        The number of games in a match.
    engine : str or None
        The engine that pairs by this model. None for the default engine.
    system : str or None
        The pairing system, for example "dutch". None for a model of constraints and
        criteria.
    lookahead : int
        The number of later rounds that must be possible without a rematch.
    last_round : Model or None
        The model of the last round, if it has its own rules.
    advance_wins : int or None
        The number of wins after which a player advances, and is not paired any more.
    eliminate_losses : int or None
        The number of losses after which a player is eliminated, and is not paired any
        more.
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
    advance_wins: int | None = field(default=None, metadata={"later": True})
    eliminate_losses: int | None = field(default=None, metadata={"later": True})

    def for_round(self, last: bool) -> Model:
        """Return the model for a round: `last_round` if `last`, otherwise this one.

        A model without rules of its own for the last round is returned unchanged, too.
        """
        return self.last_round if last and self.last_round is not None else self

    def without_constraints(self, kinds: Sequence[str]) -> Model:
        """Return the model without the constraints of these kinds.

        The kind "lookahead" sets `lookahead` to 0. Without kinds the model itself is
        returned. The model of the last round stays as it is. Raises UsageError for a
        constraint that the model does not have.
        """
        constraint_kinds = [constraint.kind for constraint in self.constraints]
        if self.lookahead:
            constraint_kinds.append("lookahead")
        for constraint_kind in kinds:
            if constraint_kind not in constraint_kinds:
                raise UsageError(
                    "model.no_constraint",
                    model=self.name,
                    found=constraint_kind,
                    have=constraint_kinds or ["none"],
                )
        if not kinds:
            return self
        kept_constraints = tuple(
            constraint
            for constraint in self.constraints
            if constraint.kind not in kinds
        )
        new_lookahead = 0 if "lookahead" in kinds else self.lookahead
        return replace(self, constraints=kept_constraints, lookahead=new_lookahead)

    # Extensions of version 1.0 use these names.
    relaxed = without_constraints


def model_names() -> list[str]:
    """Return the names of the models that ship with pairopt, sorted."""
    return sorted(model_path.stem for model_path in models_folder().glob("*.toml"))


def load_model(name_or_path: str | Path | Model) -> Model:
    """Load a model by its name, or from a TOML file by its path.

    Parameters
    ----------
    name_or_path : str, Path or Model
        The name of a shipped model or the path of a TOML file. A `Model` is returned
        unchanged.

    Returns
    -------
    Model
        The constraints and criteria by which pairopt pairs.

    Raises
    ------
    UsageError
        If there is no model of this name.
    InputError
        If the file can't be read, or has an unknown key, an unknown kind or parameter
        of a rule, or a wrong value.

    Examples
    --------
    >>> import pairopt
    >>> pairopt.load_model("standard").name
    'standard'
    """
    if isinstance(name_or_path, Model):
        return name_or_path
    model_name = str(name_or_path)
    model = _load_shipped_model(model_name)
    if model is not None:
        return model
    return _read_model(model_name, Path(name_or_path), parse_model_keys)


@lru_cache(maxsize=64)
def _load_shipped_model(name: str) -> Model | None:
    """Return the model of this name that ships with pairopt, None if there is none.

    The result is cached.
    """
    if name not in model_names():
        return None
    return _read_model(name, models_folder() / f"{name}.toml", make_unchecked)


def _read_model(name: str, path: Path, make: Making) -> Model:
    """Read and parse the model file at a path.

    `name` is what the caller asked for, for errors, and `make` makes rules with or
    without a check. Raises UsageError if there is no such model (any more), InputError
    if its file cannot be read or has faults.
    """
    try:
        if name in GONE:
            raise UsageError("model.gone", name=name, instead=GONE[name])
        if path.suffix != ".toml":
            raise UsageError("model.unknown", name=name, models=model_names())
        if not path.is_file():
            raise UsageError("model.no_file", path=name, models=model_names())
        return _parse_toml(path.read_bytes().decode("utf-8-sig"), path.name, make)
    except OSError as error:
        raise InputError(path.name, "file.unread", why=error.strerror) from None
    except ValueError as error:  # no UTF-8, no TOML, or a number that is none of ours
        raise InputError(path.name, "file.no_toml", why=str(error)) from None


@lru_cache(maxsize=64)
def _parse_toml(text: str, source: str, make: Making) -> Model:
    """Parse the text of a model's file; the result for the same arguments is cached.

    `source` names the file in errors, and `make` makes rules with or without a check.
    Raises InputError with all faults, and ValueError for a text that is no TOML.
    """
    return parse_model(
        tomllib.loads(text, parse_float=_parse_exact_decimal), source, make
    )


def _parse_exact_decimal(text: str) -> Decimal:
    """Parse a number of a model file as a Decimal, without rounding.

    Infinity and NaN are returned. Raises InvalidValueError for a number that is too
    long for exact sums, or that Decimal cannot read.
    """
    with suppress(InvalidOperation):
        parsed_decimal = Decimal(text)
        if is_exact(parsed_decimal) or not parsed_decimal.is_finite():
            return parsed_decimal
    raise InvalidValueError("model.digits", where=text[:MOST_DIGITS], most=MOST_DIGITS)


def parse_model(
    raw: Mapping[str, Any], source: str = "model", make: Making = parse_model_keys
) -> Model:
    """Return the model that the parsed TOML of a model file describes.

    `raw` is the content of the TOML file by key, `source` its name in errors, and
    `make` makes rules with or without a check. Raises InputError with every fault.
    """
    # Control characters in a text could steer a terminal that shows it.
    faults = [
        Fault(message("model.steers", where=text_location, found=repr(model_file_text)))
        for text_location, model_file_text in _iterate_texts(raw)
        if any(
            category(character) == "Cc" and character not in "\n\t"
            for character in model_file_text
        )
    ]
    model_file = None if faults else make(ModelFile, raw, "", faults)
    if model_file is None:
        raise InputError(source, faults)

    model_parser = _Parser(make, faults)
    model = model_parser.model(model_file)
    if model_parser.faults:
        raise InputError(source, model_parser.faults)
    return model


def _iterate_texts(value: object, where: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text of a parsed file with its location, such as criteria[2].kind.

    `value` is the parsed file or a part of it, and `where` the location of this part.
    Location and text come in this order. Keys are texts, too: their location is the
    table, or "keys" at the top. Lists count from 1.
    """
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, Mapping):
        for table_key, nested_value in value.items():
            yield where or "keys", table_key
            yield from _iterate_texts(nested_value, f"{where}.{table_key}".lstrip("."))
    elif isinstance(value, list):
        for entry_number, nested_value in enumerate(value, 1):
            yield from _iterate_texts(nested_value, f"{where}[{entry_number}]")


class _Parser:
    """Parser of a model file that collects faults instead of raising them.

    Each method adds its faults to `faults`. `make` is the function that makes rules
    from their parameters.
    """

    def __init__(self, make: Making, faults: list[Fault]) -> None:
        self.make, self.faults = make, faults

    def add_fault(self, kind: str, **fields: Any) -> None:
        """Add a fault to `faults`; `kind` and `fields` are those of its message."""
        self.faults.append(Fault(message(kind, **fields)))

    def model(self, file: ModelFile) -> Model:
        """Return the model that a file describes, with its changes of the last round.

        Faults are added to `faults`; a model with faults may lack rules.
        """
        self._check_file(file)
        lookahead, constraints = self._parse_constraints(
            file.constraints, "constraints"
        )
        criteria, weights = self._parse_criteria(
            file.criteria, "criteria", file.objective
        )
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
            advance_wins=file.advance_wins,
            eliminate_losses=file.eliminate_losses,
        )
        last_round_changes = file.last_round
        if last_round_changes is None:
            return model

        last_round_model = model
        if last_round_changes.constraints is not None:
            lookahead, constraints = self._parse_constraints(
                last_round_changes.constraints, "last_round.constraints"
            )
            last_round_model = replace(
                last_round_model, lookahead=lookahead, constraints=constraints
            )
        if last_round_changes.criteria is not None:
            criteria, weights = self._parse_criteria(
                last_round_changes.criteria, "last_round.criteria", file.objective
            )
            last_round_model = replace(
                last_round_model, criteria=criteria, weights=weights
            )
        return replace(model, last_round=last_round_model)

    def _check_file(self, file: ModelFile) -> None:
        """Add faults of the file's own keys, apart from its constraints and criteria.

        Faults are a missing name, one side or equal sides, numbers that are too small,
        and an unknown system. A system that has criteria, weights or a lookahead is a
        fault, too.
        """
        if not file.name:
            self.add_fault("model.no_name")
        if not len({*file.sides}) == len(file.sides) in (0, 2):
            self.add_fault("model.two_sides")
        if not (file.win is None or file.win > 0):
            self.add_fault("model.win", found=str(file.win))
        if file.games < 1:
            self.add_fault("model.games", found=file.games)
        for count_key in ("advance_wins", "eliminate_losses"):
            win_or_loss_count = getattr(file, count_key)
            if win_or_loss_count is not None and win_or_loss_count < 1:
                self.add_fault("model.out", key=count_key, found=win_or_loss_count)
        if file.system is None:
            return
        has_criteria = file.criteria or (file.last_round and file.last_round.criteria)
        if file.system not in SYSTEMS:
            self.add_fault(
                "model.unknown_system", found=file.system, systems=[*SYSTEMS]
            )
        elif (
            has_criteria
            or file.objective == "weighted"
            or "lookahead" in file.constraints
        ):
            self.add_fault("model.own_order", system=file.system)

    def _parse_constraints(
        self, table: Mapping[str, Any], where: str
    ) -> tuple[int, tuple[Constraint, ...]]:
        """Return the number of lookahead rounds and the constraints of a table.

        `table` has the parameter of each constraint by its kind, and `where` is the
        location of the table in the file. A constraint that is false is skipped. So is
        a constraint with a fault, and the fault is added to `faults`.
        """
        lookahead, rules_or_none = 0, []
        for constraint_kind, parameter_value in table.items():
            if constraint_kind == "lookahead":
                lookahead = self._parse_lookahead(parameter_value, where)
                continue
            rule_class = CONSTRAINTS.get(constraint_kind)
            if rule_class is None or rule_class.option is not None:
                known_constraint_kinds = [
                    constraint_kind
                    for constraint_kind, rule_class in CONSTRAINTS.items()
                    if rule_class.option is None
                ]
                known_constraint_kinds = sorted([*known_constraint_kinds, "lookahead"])
                self.add_fault(
                    "model.unknown_constraint",
                    where=where,
                    found=constraint_kind,
                    known=known_constraint_kinds,
                )
                continue
            if parameter_value is False:
                continue

            # A rule without a parameter is `true`; the value of others is their parameter.
            parameter_names = [rule_field.name for rule_field in fields(rule_class)]  # type: ignore[arg-type]
            constraint_path = f"{where}.{constraint_kind}"
            if parameter_names and parameter_value is True:
                self.add_fault(
                    "model.no_value", where=constraint_path, found=repr(parameter_value)
                )
                continue
            if not parameter_names and parameter_value is not True:
                self.add_fault(
                    "model.no_truth", where=constraint_path, found=repr(parameter_value)
                )
                continue
            wrapped_parameter = (
                [parameter_value]
                if isinstance(parameter_value, str)
                else parameter_value
            )
            parameter_values = dict(
                zip(parameter_names, [wrapped_parameter], strict=False)
            )
            rules_or_none.append(
                self._make_rule(rule_class, parameter_values, constraint_path)
            )
        return lookahead, tuple(
            constraint for constraint in rules_or_none if constraint is not None
        )

    def _parse_lookahead(self, value: object, where: str) -> int:
        """Return the number of lookahead rounds, 0 for false or for a faulty value.

        A number has to be an integer of at least 1. A fault is added to `faults`;
        `where` is the location of the table.
        """
        if value is False:
            return 0
        if isinstance(value, int) and value is not True and value >= 1:
            return value
        self.add_fault("model.lookahead", where=where, found=repr(value))
        return 0

    def _parse_criteria(
        self, rows: Sequence[Mapping[str, Any]], where: str, objective: Objective
    ) -> tuple[tuple[Criterion, ...], tuple[Fraction, ...] | None]:
        """Return the criteria of an array of tables, and the weight of each.

        `rows` are the tables, and `where` is the location of the array. There are no
        weights (None) unless the objective is weighted. Criteria with faults are
        skipped, and the faults added to `faults`.
        """
        rules_or_none, weights = [], []
        for criterion_number, criterion_table in enumerate(rows, 1):
            criterion_path, criterion_kind = (
                f"{where}[{criterion_number}]",
                criterion_table.get("kind"),
            )
            rule_class = CRITERIA.get(str(criterion_kind))
            if rule_class is None:
                message_kind = (
                    "model.unknown_kind"
                    if "kind" in criterion_table
                    else "model.kind_missing"
                )
                self.add_fault(
                    message_kind,
                    where=criterion_path,
                    found=repr(criterion_kind),
                    known=[*CRITERIA],
                )
                continue
            if objective == "weighted":
                weights.append(
                    self._parse_weight(criterion_table.get("weight"), criterion_path)
                )
            elif "weight" in criterion_table:
                self.add_fault("model.weight_in_vain", where=criterion_path)
            criterion_parameters = dict(criterion_table)
            del criterion_parameters["kind"]
            criterion_parameters.pop("weight", None)
            rules_or_none.append(
                self._make_rule(rule_class, criterion_parameters, criterion_path)
            )
        criteria = tuple(
            criterion for criterion in rules_or_none if criterion is not None
        )
        return criteria, tuple(weights) if objective == "weighted" else None

    def _parse_weight(self, value: object, where: str) -> Fraction:
        """Return the exact weight of a criterion, 0 for a faulty value.

        A weight is a finite number that is not negative. A fault is added to `faults`;
        `where` is the location of the criterion.
        """
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            decimal_weight = Decimal(value)
            if decimal_weight.is_finite() and decimal_weight >= 0:
                return Fraction(decimal_weight)
        self.add_fault("model.weight", where=where, found=repr(value))
        return Fraction(0)

    def _make_rule(
        self, rule: type[Any], parameters: Mapping[str, Any], where: str
    ) -> Any:
        """Return an instance of class `rule` with these parameters, None with a fault.

        A parameter that is unknown, missing, of a wrong type or a truth value is added
        to `faults`. `where` is the location of the rule in the file.
        """
        fields_by_name = {rule_field.name: rule_field for rule_field in fields(rule)}
        fault_count_before = len(self.faults)
        for parameter_key, parameter_value in parameters.items():
            if parameter_key not in fields_by_name:
                known_parameters = [*fields_by_name] or ["none"]
                self.add_fault(
                    "model.unknown_parameter",
                    where=where,
                    found=parameter_key,
                    known=known_parameters,
                )
            if isinstance(parameter_value, bool):
                self.add_fault(
                    "model.no_number",
                    where=f"{where}.{parameter_key}",
                    found=repr(parameter_value),
                )
        for parameter_name, rule_field in fields_by_name.items():
            has_default = rule_field.default is not MISSING
            has_factory = rule_field.default_factory is not MISSING
            if not has_default and not has_factory and parameter_name not in parameters:
                self.add_fault("model.no_parameter", where=where, name=parameter_name)
        if len(self.faults) > fault_count_before:
            return None
        return self.make(rule, parameters, where, self.faults)


def reorder_criteria(
    model: Model, places: Sequence[int], order: Sequence[int]
) -> Model:
    """Return the model with its criteria at `places` in another order.

    `places` and `order` hold the same positions, from 0. The criterion that was at
    `order[k]` comes to `places[k]`. The name and the title say the new order. If both
    are equal, the model itself is returned.

    In the model of the last round, a criterion is replaced by the one that takes its
    place in the other rounds, so orders differ in the same way in every round.
    """
    if list(order) == list(places):
        return model
    old_positions = list(range(len(model.criteria)))
    for new_position, old_position in zip(places, order, strict=True):
        old_positions[new_position] = old_position
    reordered_criteria = tuple(
        model.criteria[criterion_index] for criterion_index in old_positions
    )

    last_round_model = model.last_round
    if last_round_model is not None:
        # Permute those of the criteria that the last round has, too.
        replaced_criteria = [
            model.criteria[criterion_index] for criterion_index in places
        ]
        moved_criteria = [model.criteria[criterion_index] for criterion_index in order]
        replaced_criteria = [
            criterion
            for criterion in replaced_criteria
            if criterion in last_round_model.criteria
        ]
        moved_criteria = [
            criterion
            for criterion in moved_criteria
            if criterion in last_round_model.criteria
        ]
        replacement_by_rule = dict(zip(replaced_criteria, moved_criteria, strict=True))
        last_criteria = tuple(
            replacement_by_rule.get(criterion, criterion)
            for criterion in last_round_model.criteria
        )
        last_round_model = replace(last_round_model, criteria=last_criteria)

    new_name = f"{model.name}/{'-'.join(str(criterion_index + 1) for criterion_index in old_positions)}"
    new_title = " > ".join(map(criterion_text, reordered_criteria))
    return replace(
        model,
        name=new_name,
        title=new_title,
        criteria=reordered_criteria,
        last_round=last_round_model,
    )


def criterion_text(rule: Criterion) -> str:
    """Return the criterion `rule` in a few characters, such as side_streak(3).

    These are its kind and the values of its parameters, including defaults. A criterion
    without parameters has its kind alone.
    """
    rule_fields = fields(rule)  # type: ignore[arg-type]
    parameter_texts = [
        str(getattr(rule, rule_field.name)) for rule_field in rule_fields
    ]
    return (
        f"{rule.kind}({', '.join(parameter_texts)})" if parameter_texts else rule.kind
    )


def swap_neighbours(model: Model) -> tuple[Model, ...]:
    """Return copies of a model, each with two neighbouring criteria swapped.

    With n criteria there are n - 1 models, from the first pair to the last. Raises
    UsageError for a model that is weighted or has an engine of its own.
    """
    if model.engine is not None or model.weights is not None:
        raise UsageError("model.no_order", model=model.name)
    criterion_positions = list(range(len(model.criteria)))
    swapped_orders = (
        [*criterion_positions[:k], k + 1, k, *criterion_positions[k + 2 :]]
        for k in criterion_positions[:-1]
    )
    return tuple(
        reorder_criteria(model, criterion_positions, swapped_order)
        for swapped_order in swapped_orders
    )
