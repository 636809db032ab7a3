"""Read a study.toml: a study with its models, worlds, metrics and claims.

All files that it names are in its folder or below.
"""

import hashlib
import json
import platform
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import prod
from pathlib import Path
from typing import Any, Final, NoReturn, get_origin

from pydantic import BaseModel, ValidationError

import pairopt
from pairopt.errors import (
    Fault,
    InputError,
    InvalidValueError,
    JsonLocation,
    UsageError,
)
from pairopt.event.event import Event
from pairopt.files.event_toml import format_value
from pairopt.files.text_source import decode_text, read_bytes
from pairopt.lab import comparison
from pairopt.lab import grid as grids
from pairopt.lab.contenders import Contender, resolve_contender
from pairopt.lab.identity import name_of
from pairopt.lab.metrics import METRICS, Metric, collect_ranges, list_metric_columns
from pairopt.lab.permuting import orderings, reordered_models
from pairopt.lab.rankings import resolve_ranking
from pairopt.lab.statistics.comparing import COLUMNS, Than
from pairopt.lab.studies.schema import TABLES, StudyClaim, StudyFile, WorldTable
from pairopt.lab.tasks import (
    PLAYED,
    Study,
    Task,
    repair_tasks,
    setting_to_json,
    versions,
)
from pairopt.lab.world import World
from pairopt.lab.worlds import WORLDS
from pairopt.messages import FieldValue, Note, with_heading
from pairopt.messages import message as tell
from pairopt.messages.formatting import find_nearest
from pairopt.problem.model import Model
from pairopt.rules.plugins import load_plugins, resolve_name

NAME: Final = "study.toml"
NAMED_FILE: Final = re.compile(
    r"(?P<before>[^=]*=)?(?P<path>.*\.(toml|csv|py(?=:)))(?P<after>:\w*)?"
)
"""A text that names a file: own.toml, matrix=wins.csv, own.py:NAME."""
UNNAMED: Final = (
    "title",
    "baseline",
    "control",
    "model",
    "than",
    "metric",
    "than_metric",
    "margin_reason",
)
"""Keys whose values never name files."""
AFTERWARDS: Final = ("title", "exploratory", "registration", "folder")
"""Keys that may be added after the games are played, because they fix nothing."""
NONE: Final[tuple[tuple[str, object], ...]] = (
    ("events", None),
    ("orders", {}),
    ("control", None),
)
"""Keys that older files could not have: at these values they are not registered."""
FURTHER: Final = ("scipy", "pandas", "matplotlib", "pyarrow")
"""Packages that statistics and figures depend on."""
MOST_WORLDS: Final = 1000
SIMULATED: Final = ("replicates", "precision", "most", "metrics", "rankings", "grid")
ADDED: Final = {
    setting.name for setting in fields(World) if setting.metadata.get("later")
} | {"margin_reason", "than_metric"}
"""Settings of worlds and keys of claims that older files could not have: they are not registered
if left out."""
CONTROLS_SINCE: Final = "2026-11-29"
"""The day since which a registered hypothesis `near` needs a negative control."""


@dataclass(frozen=True)
class ClaimInWorld:
    """A claim of a study in one of its worlds.

    `than` is what the claim compares its model with: the name of a model or another
    metric, or a number. `world` is the position of the world, from 0, and `hypothesis`
    is False for an exploratory claim.
    """

    claim: StudyClaim
    than: Than
    world: int
    hypothesis: bool


@dataclass(frozen=True)
class StudyDesign:
    """A study as its study.toml describes it, with all that it names loaded.

    `file` is the parsed study.toml and `raw` its bytes, `files` the content of the
    files that it names, by path. `contenders` are the models, `measured` the further
    metrics, `asked` all claims, once per world. `events` are real events with their
    names; without them tournaments of the `worlds` are simulated. It lists what is to
    be played, and has the digests that identify the study.
    """

    file: StudyFile
    raw: bytes
    files: Mapping[str, bytes]
    contenders: tuple[Model | Contender, ...]
    worlds: tuple[World, ...]
    measured: tuple[Metric, ...]
    asked: tuple[ClaimInWorld, ...]
    events: tuple[tuple[str, Event], ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of metrics that claims may name: first the standard metrics.

        Those of the further metrics, `measured`, follow.
        """
        return (*COLUMNS, *list_metric_columns(self.measured))

    @property
    def names(self) -> list[str]:
        """The names of all models, in order; for real events "played" comes first."""
        played_name = [PLAYED] if self.events else []
        return [*played_name, *map(name_of, self.contenders)]

    @property
    def words(self) -> list[str]:
        """What each world's tournaments are drawn from, one line of text per world.

        For real events it is a single line that names their folder.
        """
        if self.events:
            return [f"the events of {self.file.events}"]
        return [world.words for world in self.worlds]

    @property
    def baseline(self) -> str:
        """The name of the model that others are compared with.

        Without one in the file, it is the first of `names`: "played" for real events.
        """
        return self.file.baseline or self.names[0]

    @property
    def studies(self) -> list[Study]:
        """The settings of each contender in each world, world by world.

        Their games are stored. Only a study of simulated tournaments uses them; one of
        real events has `tasks` instead.
        """
        return comparison.build_studies(
            self.contenders,
            self.worlds,
            self.file.seed,
            self.measured,
            choose=self.file.choose,
            games=True,
        )

    @property
    def tasks(self) -> list[Task]:
        """The tasks of pairing real events again, and of what was really played.

        The list is empty for simulated tournaments, which have `studies` instead. The
        list is made again at each access.
        """
        study_file, seed = self.file, self.file.seed
        return repair_tasks(
            self.contenders, self.events, seed, choose=study_file.choose
        )

    @property
    def sha256(self) -> str:
        """The SHA-256 of the study.toml."""
        return hashlib.sha256(self.raw).hexdigest()

    @property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of all that the study names: contenders, files, fitted worlds.

        Those of contenders and fitted worlds are made from their settings. The keys are
        their names and the paths of the files.
        """
        digest_of_name = {}
        for contender in self.contenders:
            digest_of_name[name_of(contender)] = _digest_json(
                setting_to_json(contender)
            )
        for file_name, file_bytes in self.files.items():
            digest_of_name[file_name] = hashlib.sha256(file_bytes).hexdigest()
        for base_world in sorted({world.base for world in self.worlds if world.base}):
            digest_of_name[base_world] = _digest_json(
                setting_to_json(grids.world_of(base_world))
            )
        return digest_of_name

    @property
    def registered(self) -> str:
        """The SHA-256 of everything that is fixed before the study is played.

        It is that of the values of the study.toml, with `digests`. The keys title,
        exploratory, registration and folder (`AFTERWARDS`) are left out, because they
        fix nothing. So are events, orders and control (`NONE`) at their default values.
        """
        registered_values = {
            file_key: _convert_to_json(file_value)
            for file_key, file_value in dict(self.file).items()
            if file_key not in AFTERWARDS and (file_key, file_value) not in NONE
        }
        return _digest_json({"file": registered_values, "digests": self.digests})

    def where(self, world: int) -> str:
        """Describe a world by the settings that distinguish it from the others.

        `world` is its position in `worlds`. The text is empty if there is only one
        world.
        """
        setting_texts = []
        for setting_column, setting_value in grids.list_world_cells(self.worlds)[world]:
            setting = setting_column.removeprefix(grids.RESERVED)
            value_text = (
                f"{setting_value:g}"
                if isinstance(setting_value, float)
                else f"{setting_value}"
            )
            setting_texts.append(f"{setting} {value_text}")
        return ", ".join(setting_texts)


def require_control(design: StudyDesign, source: str = NAME) -> None:
    """Raise InputError if a hypothesis `near` of a new study has no negative control.

    `design` is the study. Nothing happens if the study names a control, or has a
    registration with a digest from before 2026-11-29 (`CONTROLS_SINCE`). `source` is
    the name of the study.toml in the error.
    """
    study_file = design.file
    registration = study_file.registration
    is_registered_before = (
        registration.sha256 is not None
        and registration.date is not None
        and registration.date < CONTROLS_SINCE
    )
    if study_file.control is not None or is_registered_before:
        return
    for hypothesis_position, claim in enumerate(study_file.hypotheses):
        if claim.claim == "near":
            claim_location = JsonLocation(f"hypotheses[{hypothesis_position}]")
            raise InputError(source, [Fault("study.no_control", claim_location)])


def read_study(path: str | Path) -> StudyDesign:
    """Read a study from its study.toml, and run the plug-ins that it names.

    All files that it names have to be in its folder or below. Raises InputError with
    the name of the file. It has the keys of all wrong types and unknown keys, otherwise
    the key of the first fault.
    """
    path = Path(path)
    study_bytes = read_bytes(path)
    try:
        toml_text = decode_text(path.name, study_bytes).text
        toml_content = tomllib.loads(toml_text, parse_float=Decimal)
    except (
        tomllib.TOMLDecodeError,
        RecursionError,
        ValueError,
        ArithmeticError,
    ) as error:
        raise InputError(path.name, "file.no_toml", why=str(error)) from None

    study_file = _validate_schema(toml_content, path.name)
    return _StudyReader(path.name, path.parent, study_file).design(study_bytes)


def study_of(table: Mapping[str, Any]) -> StudyDesign:
    """Make a study from the content `table` of a study.toml.

    The table may name files anywhere, and the plug-ins that it names run. The study
    gets a new study.toml, its `raw`. That names the files by their file names alone, so
    they can be written beside it. Raises InputError, with the source "" and the keys,
    UsageError for two different files of the same name, and the errors of files and
    models.
    """
    design = _StudyReader("", None, _validate_schema(table, "")).design(b"")
    content_of_file: dict[str, bytes] = {}
    local_table = {
        file_key: _resolve_file_names(file_key, key_value, content_of_file)
        for file_key, key_value in table.items()
    }
    study_toml = toml_of(local_table).encode()
    study_file = _validate_schema(local_table, "")
    return replace(design, file=study_file, raw=study_toml, files=content_of_file)


def _resolve_file_names(key: str, value: Any, files: dict[str, bytes]) -> Any:
    """Replace the paths of files in a value by their file names alone.

    The files are read, and their content is added to `files`, by name. Mappings and
    lists are copied with their elements replaced; other values stay. `key` is the key
    of the value, which decides what can be a path: nothing under keys that never name
    files, such as `title`, and always under `events` and `strengths`. Raises UsageError
    for two different files of the same name, or one with that of the study.toml.
    """
    if isinstance(value, dict):
        return {
            inner_key: _resolve_file_names(inner_key, inner_value, files)
            for inner_key, inner_value in value.items()
        }
    if isinstance(value, list):
        return [_resolve_file_names(key, inner_value, files) for inner_value in value]

    file_match = NAMED_FILE.fullmatch(value) if isinstance(value, str) else None
    if key in ("events", "strengths"):
        metric_prefix, file_name, object_suffix = "", value, ""
    elif file_match is None or key in UNNAMED:
        return value
    else:
        metric_prefix = file_match["before"] or ""
        file_name = file_match["path"]
        object_suffix = file_match["after"] or ""

    source_path = Path(file_name).resolve()
    for stored_name, file_bytes in _read_files(source_path, source_path.name).items():
        if (
            stored_name == NAME
            or files.setdefault(stored_name, file_bytes) != file_bytes
        ):
            raise UsageError("study.file_twice", name=stored_name)
    return f"{metric_prefix}{source_path.name}{object_suffix}"


def _read_files(path: Path, name: str) -> dict[str, bytes]:
    """Return the content of a file, or of all files in a folder and below, by name.

    The only key is `name`; for a folder the keys are `name/...` with the path in the
    folder. Raises InputError for a file that cannot be read.
    """
    if not path.is_dir():
        return {name: read_bytes(path)}
    folder_files = sorted(
        folder_file for folder_file in path.rglob("*") if folder_file.is_file()
    )
    return {
        f"{name}/{folder_file.relative_to(path).as_posix()}": read_bytes(folder_file)
        for folder_file in folder_files
    }


def toml_of(table: Mapping[str, Any]) -> str:
    """Write a mapping as TOML: its values first, then its tables.

    A table is a value that is a mapping, and is written under its own key alone; empty
    ones are left out. Mappings in lists become inline tables.
    """
    value_lines = []
    table_texts = []
    for table_key, key_value in table.items():
        if isinstance(key_value, dict):
            if key_value:
                table_texts.append(f"\n[{table_key}]\n{toml_of(key_value)}")
        else:
            toml_key = table_key if table_key.isidentifier() else json.dumps(table_key)
            value_lines.append(f"{toml_key} = {_format_value(key_value)}\n")
    return "".join(value_lines + table_texts)


def _format_value(value: object) -> str:
    """Write a value as TOML: a list, an inline table, a decimal, or as JSON does."""
    if isinstance(value, list):
        return f"[{', '.join(map(_format_value, value))}]"
    if isinstance(value, dict):
        entry_texts = [
            f"{element_key} = {_format_value(inner_value)}"
            for element_key, inner_value in value.items()
        ]
        return f"{{{', '.join(entry_texts)}}}"
    if isinstance(value, Decimal):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


@cache
def program() -> dict[str, str]:
    """Return what plays a study: a digest of pairopt's code, Python, and platform.

    The keys are "sources_sha256", "python" and "platform". The models that come with
    pairopt are not in the digest, because each study has those that it names. The
    result is cached, so callers must not change it.
    """
    package_folder = Path(pairopt.__file__).parent
    code_digest = hashlib.sha256()
    for source_path in sorted(package_folder.rglob("*")):
        path_in_package = source_path.relative_to(package_folder).as_posix()
        # models are named by the study, and elsewhere in a checkout
        if source_path.suffix in (".py", ".toml") and not path_in_package.startswith(
            "models/"
        ):
            file_digest = hashlib.sha256(source_path.read_bytes()).hexdigest()
            code_digest.update(f"{path_in_package}\0{file_digest}\n".encode())
    return {
        "sources_sha256": code_digest.hexdigest(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def all_versions() -> dict[str, str]:
    """Return the versions of pairopt and of the packages that a study depends on.

    They are texts by the name of the package. The version of a package that is not
    installed is "none".
    """
    version_of_package = versions() | dict.fromkeys(FURTHER, "none")
    for package_name in FURTHER:
        with suppress(PackageNotFoundError):
            version_of_package[package_name] = version(package_name)
    return version_of_package


def _validate_schema(table: Mapping[str, Any], source: str) -> StudyFile:
    """Parse and check the content `table` of a study.toml.

    Raises InputError with all faults, each with its key; `source` is the name of the
    file in it.
    """
    try:
        return StudyFile.model_validate(table)
    except ValidationError as error:
        raise InputError(source, convert_faults(error, StudyFile, TABLES)) from None


class _StudyReader:
    """Makes a study from its validated file; call `design` once.

    `source` is the name of the study.toml in errors. `folder` is that of the file; if
    it is None, the file may name files anywhere. Other methods load what the file
    names, and collect its files. Errors are InputError, and name `source` and the key.
    """

    def __init__(self, source: str, folder: Path | None, file: StudyFile) -> None:
        """Remember the validated file, its name `source`, and its folder.

        Without a folder the file may name files anywhere.
        """
        self._source = source
        self._folder = folder
        self._file = file
        self._files: dict[str, bytes] = {}
        self._own: Mapping[str, object] = {}

    def design(self, raw: bytes) -> StudyDesign:
        """Make the study: load plug-ins, read files, resolve names, and check claims.

        `raw` are the bytes of the study.toml, which the study keeps. Also compares
        pinned digests and versions with the actual ones. The plug-ins' code runs.
        Raises InputError for the first fault.
        """
        study_file = self._file
        with self._at("plugins"):
            self._own = load_plugins(
                [
                    self._resolve_plugin(plugin_text)
                    for plugin_text in study_file.plugins
                ]
            )
        named_events = (
            () if study_file.events is None else self._read_events(study_file.events)
        )
        reserved_names = [PLAYED] if named_events else []
        contenders = self._resolve_contenders(*reserved_names)
        model_names = [*reserved_names, *map(name_of, contenders)]
        if study_file.baseline is not None and study_file.baseline not in model_names:
            self._refuse("baseline", "study.value_unknown", expected=model_names)
        previous_run = study_file.registration.previous
        if previous_run is not None and previous_run.seed == study_file.seed:
            self._refuse("seed", "study.seed_again", date=previous_run.date)
        if study_file.control is not None:
            self._require_control(study_file.control, model_names)

        metrics = self._resolve_metrics()
        result_columns = (*COLUMNS, *list_metric_columns(metrics))
        worlds: tuple[World, ...] = (World(),)
        if not named_events:
            baseline = contenders[
                model_names.index(study_file.baseline or model_names[0])
            ]
            worlds = self._make_worlds(baseline)
        with self._at("grid"):
            grids.list_world_cells(worlds)
            comparison.build_studies(contenders, worlds, study_file.seed, metrics)
        self._require_precision(result_columns, len(worlds))

        claims: list[ClaimInWorld] = []
        claims_by_key = (
            ("hypotheses", study_file.hypotheses),
            ("exploratory", study_file.exploratory),
        )
        for claim_list_key, file_claims in claims_by_key:
            for claim_position, claim in enumerate(file_claims):
                claims += self._claims_by_world(
                    f"{claim_list_key}[{claim_position}]",
                    claim,
                    model_names,
                    result_columns,
                    worlds,
                )

        design = StudyDesign(
            study_file,
            raw,
            self._files,
            contenders,
            worlds,
            metrics,
            tuple(claims),
            named_events,
        )
        self._require_pinned("digests", study_file.digests, design.digests)
        self._require_pinned("versions", study_file.versions, all_versions())
        registered_digest = design.registered
        pinned_digest = {"sha256": study_file.registration.sha256 or registered_digest}
        self._require_pinned(
            "registration", pinned_digest, {"sha256": registered_digest}
        )
        return design

    def _resolve_metrics(self) -> tuple[Metric, ...]:
        """Resolve the further metrics; each ranking adds the metric of its tau.

        Raises InputError for unknown names, and for columns that are not possible.
        """
        study_file = self._file
        with self._at("metrics"):
            metrics = [
                resolve_name(self._resolve_path_in(name_in_file), METRICS, self._own)
                for name_in_file in study_file.metrics
            ]
            # raises for ranges that are not possible
            collect_ranges(metrics)
        with self._at("rankings"):
            rankings = [
                resolve_ranking(name_in_file, self._own)
                for name_in_file in study_file.rankings
            ]
            all_metrics = comparison.resolve_metrics(metrics, rankings)
            # raises for columns that are not possible
            list_metric_columns(all_metrics)
        return all_metrics

    def _read_events(self, folder: str) -> tuple[tuple[str, Event], ...]:
        """Read the real events in a folder of the study, as pairs of name and event.

        `folder` is the path in the study.toml. Raises InputError if that has a key that
        only simulated tournaments can have, or for a folder without events.
        """
        refused_keys: list[str] = [
            refused_key
            for refused_key in SIMULATED
            if refused_key in self._file.model_fields_set
        ]
        refused_keys += [
            f"world.{refused_key}" for refused_key in self._file.world.model_fields_set
        ]
        if refused_keys:
            self._refuse(refused_keys[0], "study.of_simulated")
        with self._at("events"):
            named_events = comparison.read_events(self._resolve_path(folder))
        # their digests do not depend on the path of the folder
        return tuple(
            (
                event_name,
                replace(event, origin=replace(event.origin, name=event_name)),
            )
            for event_name, event in named_events
        )

    def _resolve_contenders(self, *reserved: str) -> tuple[Model | Contender, ...]:
        """Resolve the models and other contenders of the study, in order.

        With `permute` or `orders` in the file, variants of the first model with other
        orders of its criteria take its place. Raises InputError for two contenders of
        one name, a name in `reserved`, an unknown one, and criteria that cannot be
        reordered.
        """
        study_file = self._file
        contenders: list[Model | Contender] = []
        for model_position, model_text in enumerate(study_file.models):
            with self._at(f"models[{model_position}]"):
                model_path = (
                    model_text
                    if model_text in self._own
                    else self._resolve_path_in(model_text)
                )
                contenders.append(resolve_contender(model_path, self._own))

        if study_file.permute is not None or study_file.sample is not None:
            with self._at("permute"):
                first_model = contenders[0]
                if not isinstance(first_model, Model) or study_file.permute is None:
                    raise UsageError("study.permute_unfit")
                contenders[:1] = orderings(
                    first_model, study_file.permute, study_file.sample, study_file.seed
                )
        if study_file.orders:
            with self._at("orders"):
                first_model = contenders[0]
                if (
                    not isinstance(first_model, Model)
                    or first_model.weights
                    or study_file.permute is not None
                ):
                    raise UsageError("study.orders_unfit")
                contenders[:1] = reordered_models(first_model, study_file.orders)
        with self._at("models"):
            return tuple(comparison.select_methods(contenders, *reserved))

    def _make_worlds(self, baseline: Model | Contender) -> tuple[World, ...]:
        """Make the only world of the study, or all worlds of its grid.

        If the file has a `draw_rate`, each world gets the `draws` with which that share
        of its games is drawn when `baseline` pairs them, which takes simulations.
        Raises InputError for unknown settings, and for more than 1000 worlds.
        """
        world_table = self._file.world
        varied_settings: dict[str, Sequence[Any]] = {}
        for setting, setting_values in self._file.grid.items():
            if setting not in WorldTable.model_fields or setting in (
                "column",
                "draw_rate",
            ):
                setting_names = [
                    world_key
                    for world_key in WorldTable.model_fields
                    if world_key != "column"
                ]
                self._refuse(
                    f"grid.{setting}", "world.no_setting", settings=setting_names
                )
            varied_settings[setting] = [
                self._parse_setting(
                    f"grid.{setting}[{value_position}]", setting, setting_value
                )
                for value_position, setting_value in enumerate(setting_values)
            ]

        fixed_settings: dict[str, Any] = {}
        for setting, setting_value in dict(world_table).items():
            if setting in world_table.model_fields_set and setting not in (
                "column",
                "draw_rate",
            ):
                fixed_settings[setting] = self._read_setting(
                    f"world.{setting}", setting, setting_value
                )
        world_count = prod(map(len, varied_settings.values()))
        if world_count > MOST_WORLDS:
            self._refuse(
                "grid", "study.many_worlds", count=world_count, most=MOST_WORLDS
            )
        with self._at("world"):
            worlds = grids.build_worlds(fixed_settings, varied_settings)

        if world_table.draw_rate is None:
            return worlds
        if world_table.draws is not None or "draws" in varied_settings:
            self._refuse("world.draw_rate", "study.draws_and_rate")
        with self._at("world.draw_rate"):
            return tuple(
                grids.with_draw_rate(world, world_table.draw_rate, baseline)
                for world in worlds
            )

    def _parse_setting(self, key: str, name: str, value: object) -> Any:
        """Check a value for a setting of a world, and convert it to the setting's type.

        `key` is the place of the value in the file, for errors; `name` is the setting.
        A file or code that the value names is read. Raises InputError for a value that
        is not possible.
        """
        try:
            world_table = WorldTable.model_validate({name: value})
        except ValidationError as error:
            reason_text = _pydantic_reason(error.errors()[0])
            found_value_note = tell("study.setting_unfit", found=format_value(value))
            fault_note = with_heading(
                tell(reason_text),
                found_value_note,
                mark="; ",
                name=found_value_note.kind,
            )
            self._refuse(key, fault_note)
        return self._read_setting(key, name, getattr(world_table, name))

    def _read_setting(self, key: str, name: str, value: Any) -> Any:
        """Return a world's setting, after reading the file or code that it names.

        `key` is its place in the study.toml, for errors, and `name` the setting.
        `results` becomes a law of results, `strengths` a tuple of numbers, and
        `strategy` a function of the study's plug-ins. Other values are returned
        unchanged; for `base` it only checks that the fitted world exists.
        """
        with self._at(key):
            if name == "base":
                grids.read_fitted_file(value)
            if name == "results":
                return resolve_name(self._resolve_path_in(value), WORLDS, self._own)
            if name == "strategy":
                if value not in self._own:
                    raise UsageError(
                        "study.strategy_unknown", name=repr(value), known=[*self._own]
                    )
                return self._own[value]
            if name == "strengths":
                strength_column = self._file.world.column
                return grids.read_strengths(self._resolve_path(value), strength_column)
        return value

    def _claims_by_world(
        self,
        key: str,
        claim: StudyClaim,
        names: Sequence[str],
        columns: Sequence[str],
        worlds: Sequence[World],
    ) -> list[ClaimInWorld]:
        """Check a claim of the file, and return it for each world that it selects.

        `key` is its place in the file, for example "hypotheses[0]", `names` are the
        possible models, and `columns` the possible metrics. A claim that names nothing
        to compare with gets the baseline. `worlds` are all worlds of the study. Raises
        InputError for unknown names, for a model compared with itself, for a margin
        that does not fit, and for a claim that selects no world.
        """
        compared_with = (
            (self._file.baseline or names[0]) if claim.than is None else claim.than
        )
        if claim.than_metric is not None:
            return self._metric_claims_by_world(key, claim, names, columns, worlds)
        named_values = (
            ("model", claim.model, names),
            ("than", compared_with, names),
            ("metric", claim.metric, columns),
        )
        for claim_key, claim_value, possible_values in named_values:
            if isinstance(claim_value, str) and claim_value not in possible_values:
                message_fields = {
                    "found": repr(claim_value),
                    "expected": possible_values,
                }
                self._refuse(
                    f"{key}.{claim_key}", "study.value_unfit", **message_fields
                )
        if claim.model == compared_with:
            self._refuse(f"{key}.than", "study.than_itself")
        if claim.claim == "near" and compared_with == self._file.control:
            self._refuse(f"{key}.than", "study.than_control")
        self._require_margin(key, claim)

        world_positions = self._worlds_of_claim(key, claim, worlds)
        is_hypothesis = key.startswith("hypotheses")
        return [
            ClaimInWorld(claim, compared_with, world_position, is_hypothesis)
            for world_position in world_positions
        ]

    def _metric_claims_by_world(
        self,
        key: str,
        claim: StudyClaim,
        names: Sequence[str],
        columns: Sequence[str],
        worlds: Sequence[World],
    ) -> list[ClaimInWorld]:
        """Check a claim that compares two metrics of one model, world by world.

        Returns it once for each world that it selects. `key` is its place in the file,
        for example "hypotheses[0]", `names` are the possible models, `columns` the
        possible metrics, and `worlds` all worlds. Raises InputError for unknown names,
        a claim that also compares models, and `near`, which needs a negative control.
        """
        named_values = (
            ("model", claim.model, names),
            ("metric", claim.metric, columns),
            ("than_metric", claim.than_metric, columns),
        )
        for claim_key, claim_value, possible_values in named_values:
            if claim_value not in possible_values:
                message_fields = {
                    "found": repr(claim_value),
                    "expected": possible_values,
                }
                self._refuse(
                    f"{key}.{claim_key}", "study.value_unfit", **message_fields
                )
        if (
            claim.than is not None
            or claim.claim == "near"
            or claim.metric == claim.than_metric
        ):
            self._refuse(f"{key}.than_metric", "study.than_metric_unfit")
        self._require_margin(key, claim)
        return [
            ClaimInWorld(
                claim,
                str(claim.than_metric),
                world_position,
                key.startswith("hypotheses"),
            )
            for world_position in self._worlds_of_claim(key, claim, worlds)
        ]

    def _require_control(self, control: str, names: Sequence[str]) -> None:
        """Raise InputError if a negative control is the baseline, or no model at all.

        `names` are the names of the study's models. The baseline is the one that the
        file names, otherwise the first of `names`.
        """
        if control not in names:
            self._refuse(
                "control", "study.control_unknown", control=control, models=names
            )
        if control == (self._file.baseline or names[0]):
            self._refuse("control", "study.control_is_baseline")

    def _require_margin(self, key: str, claim: StudyClaim) -> None:
        """Raise InputError if a margin or an effect does not fit the kind of a claim.

        `near` needs a margin and has no effect, `different` has no margin. An effect
        has to be larger than the margin. Only `near` may have a reason for its margin.
        `key` is the place of `claim` in the file.
        """
        if claim.claim == "near" and not claim.margin > 0:
            self._refuse(f"{key}.margin", "study.near_without_margin")
        if claim.claim == "different" and claim.margin:
            self._refuse(f"{key}.margin", "study.different_with_margin")
        if claim.margin_reason is not None and claim.claim != "near":
            self._refuse(f"{key}.margin_reason", "study.reason_unfit")
        if claim.effect is not None and (
            claim.claim == "near" or claim.effect <= claim.margin
        ):
            self._refuse(f"{key}.effect", "study.effect_unfit")

    def _worlds_of_claim(
        self, key: str, claim: StudyClaim, worlds: Sequence[World]
    ) -> list[int]:
        """List the positions of the worlds that a claim's `where` selects.

        Without `where` these are all worlds. Raises InputError for a setting that is
        not in the grid, and for a claim that selects no world. `key` is the claim's
        place in the file.
        """
        for setting in claim.where:
            if setting not in self._file.grid:
                self._refuse(f"{key}.where", "study.not_in_grid", setting=repr(setting))
        selected_settings = {
            setting: self._parse_setting(
                f"{key}.where.{setting}", setting, selected_value
            )
            for setting, selected_value in claim.where.items()
        }
        world_positions = []
        for world_position, world in enumerate(worlds):
            if all(
                getattr(world, setting) == selected_value
                for setting, selected_value in selected_settings.items()
            ):
                world_positions.append(world_position)
        if not world_positions:
            self._refuse(f"{key}.where", "study.no_such_world")
        return world_positions

    def _require_precision(self, columns: Sequence[str], worlds: int) -> None:
        """Raise InputError for a precision that does not fit the study.

        It needs known metrics, a single world, and possible half-widths and numbers of
        tournaments. `columns` are the metrics of the study, `worlds` is the number of
        its worlds. A file without `precision` is always valid.
        """
        study_file = self._file
        if not study_file.precision:
            return
        for metric in study_file.precision:
            if metric not in columns:
                self._refuse("precision", "study.no_metric", metric=repr(metric))
        if worlds > 1:
            self._refuse("precision", "study.one_world")
        with self._at("precision"):
            comparison.require_widths(
                study_file.precision, study_file.replicates, study_file.most
            )

    def _require_pinned(
        self, key: str, pinned: Mapping[str, str], actual: Mapping[str, str]
    ) -> None:
        """Raise InputError if pinned digests or versions differ from the actual ones.

        Both mappings are by name. It also raises for a pinned name that is not in
        `actual`. `key` is the table of the file that pins them.
        """
        for pinned_name, pinned_value in pinned.items():
            key_location = f"{key}.{pinned_name}"
            actual_value = actual.get(pinned_name)
            if actual_value is None:
                self._refuse(key_location, "study.value_unknown", expected=[*actual])
            if actual_value != pinned_value:
                self._refuse(
                    key_location,
                    "study.pinned_otherwise",
                    expected=pinned_value,
                    found=actual_value,
                )

    def _resolve_plugin(self, text: str) -> str:
        """Replace the file name in a plug-in `own.py:NAME` by its path.

        The file becomes part of the study. The text stays as it is if files may be
        anywhere. Otherwise raises UsageError for a text that names no .py file in the
        study's folder.
        """
        file_name, _, object_name = text.rpartition(":")
        if self._folder is None:
            return text
        if not file_name.endswith(".py"):
            raise UsageError("study.plugin_unfit", text=text)
        return f"{self._resolve_path(file_name)}:{object_name}"

    def _resolve_path_in(self, text: str) -> str:
        """Replace the file name in a text by its path: own.toml, matrix=wins.csv.

        The file becomes part of the study. Texts that end in neither .toml nor .csv
        stay as they are. Raises UsageError for a file outside the study's folder.
        """
        text_before_file, _, file_name = text.rpartition("=")
        if not file_name.endswith((".toml", ".csv")):
            return text
        return (
            f"{text_before_file}={self._resolve_path(file_name)}"
            if text_before_file
            else str(self._resolve_path(file_name))
        )

    def _resolve_path(self, text: str) -> Path:
        """Resolve a path in the study.toml, and add the file or folder to the study.

        If the study may name files anywhere, nothing is added. Otherwise raises
        UsageError for a file that is not in the study's folder or below.
        """
        if self._folder is None:
            return Path(text)
        file_path = self._folder / text
        is_inside = file_path.resolve().is_relative_to(self._folder.resolve())
        if not is_inside or Path(text).is_absolute():
            raise UsageError("study.file_elsewhere", path=text, source=self._source)
        self._files |= _read_files(file_path, Path(text).as_posix())
        return file_path

    @contextmanager
    def _at(self, key: str) -> Iterator[None]:
        """Turn errors inside the block into an InputError that names the key `key`.

        These are InputError and UsageError. An InputError that names the study.toml
        already passes unchanged. So does every InputError if the study may name files
        anywhere.
        """
        try:
            yield
        except InputError as error:
            if error.source == self._source or self._folder is None:
                raise
            self._refuse(key, tell("; ".join(str(error).split("\n"))))
        except UsageError as error:
            # the reason of a plug-in's error does not have the option's name
            error_reason = error.reason
            self._refuse(
                key, tell(str(error_reason)) if key == "plugins" else error_reason
            )

    def _refuse(self, key: str, kind: str | Note, **fields: FieldValue) -> NoReturn:
        """Raise InputError for the key `key` of the study.toml; never return.

        `kind` is the message, or the id of one, which then gets `fields`.
        """
        fault_note = tell(kind, **fields) if isinstance(kind, str) else kind
        raise InputError(self._source, [Fault(fault_note, JsonLocation(key))])


def _convert_to_json(value: Any) -> Any:
    """Convert a value of the study file to JSON values for the registered digest.

    Lists and mappings are copied. A claim or a table of a world becomes a mapping. Its
    keys that older files could not have, `ADDED`, are left out if they are None, so
    that older digests stay the same.
    """
    if isinstance(value, list):
        return [_convert_to_json(inner_value) for inner_value in value]
    if isinstance(value, StudyClaim | WorldTable):
        return {
            claim_key: _convert_to_json(inner_value)
            for claim_key, inner_value in dict(value).items()
            if inner_value is not None or claim_key not in ADDED
        }
    if isinstance(value, Mapping):
        return {
            inner_key: _convert_to_json(inner_value)
            for inner_key, inner_value in value.items()
        }
    return setting_to_json(value)


def _digest_json(plain: Any) -> str:
    """Return the SHA-256 of JSON values, in hexadecimal.

    `plain` are the values. The order of keys in mappings does not matter.
    """
    canonical_json = json.dumps(plain, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical_json.encode()).hexdigest()


def convert_faults(
    error: ValidationError, file: type[BaseModel], tables: Mapping[str, type[BaseModel]]
) -> list[Fault]:
    """Convert an error of pydantic to the faults of a TOML file, each with its key.

    `file` is the model of the file, `tables` are those of its tables by key. There is
    one fault for each of pydantic's errors, in their order.
    """
    known_keys = {
        table_key
        for table_model in (file, *tables.values())
        for table_key in _list_keys(table_model)
    }
    return [
        _convert_fault(detail, file, tables, known_keys) for detail in error.errors()
    ]


def _convert_fault(
    detail: Any,
    file: type[BaseModel],
    tables: Mapping[str, type[BaseModel]],
    names: set[str],
) -> Fault:
    """Convert one of pydantic's errors to a fault, with its key in the file.

    `detail` is an item of `ValidationError.errors()`, `file` is the model of the file,
    `tables` those of its tables by key, and `names` are the keys of all of them. An
    unknown key gets the nearest known one, a wrong value what was found.
    """
    location_parts = detail["loc"]
    fault_key = _key_of(location_parts, file, names)
    if detail["type"] == "extra_forbidden":
        table_model = (
            tables.get(str(location_parts[0]), file)
            if len(location_parts) > 1
            else file
        )
        table_keys = _list_keys(table_model)
        nearest_key = find_nearest(str(location_parts[-1]), table_keys)
        note_kind = "key.unknown" if nearest_key is None else "key.mistyped"
        key_note = tell(
            note_kind, key=location_parts[-1], near=nearest_key, known=table_keys
        )
        return Fault(key_note, JsonLocation(fault_key))
    if detail["type"] == "missing":
        return Fault("key.missing", JsonLocation(fault_key))

    value_error = detail.get("ctx", {}).get("error")
    reason_note: Note = tell(_pydantic_reason(detail))
    if isinstance(value_error, InvalidValueError):
        reason_note = value_error.said
    found_note = tell("key.unfit", found=format_value(detail["input"]))
    fault_note = with_heading(reason_note, found_note, mark="; ", name=found_note.kind)
    return Fault(fault_note, JsonLocation(fault_key))


def _key_of(parts: Sequence[Any], file: type[BaseModel], names: set[str]) -> str:
    """Return the key of pydantic's location, for example "hypotheses[0].margin".

    `parts` is the location: names, positions in lists from 0, and types. `file` is the
    model of the file, and `names` are the keys of all tables. Other texts in a location
    are types of a union, and left out, unless the table may have any key.
    """
    first_field = file.model_fields.get(str(parts[0])) if parts else None
    has_any_key = (
        first_field is not None and get_origin(first_field.annotation) is Mapping
    )
    file_key = ""
    for location_part in parts:
        if isinstance(location_part, int):
            file_key += f"[{location_part}]"
        elif location_part in names or has_any_key or not file_key:
            file_key += f".{location_part}" if file_key else str(location_part)
        # other parts are the types of a union
    return file_key


def _pydantic_reason(detail: Any) -> str:
    """Return the text of pydantic's error `detail`, beginning with a small letter."""
    reason_text = str(detail["msg"]).removeprefix("Value error, ")
    return f"{reason_text[:1].lower()}{reason_text[1:]}"


def _list_keys(table: type[BaseModel]) -> list[str]:
    """List the keys that a table may have in the file.

    `table` is the model of the table. A field's key is its alias, otherwise its name.
    """
    return [
        model_field.alias or field_name
        for field_name, model_field in table.model_fields.items()
    ]
