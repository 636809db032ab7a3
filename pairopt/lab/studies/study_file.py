"""File: a study.toml as what it stands for, of which all that it names lies beside it or below."""

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
from pairopt.lab.contenders import Contender, contender_of
from pairopt.lab.identity import name_of
from pairopt.lab.metrics import METRICS, Metric, metric_columns
from pairopt.lab.permuting import orderings, reordered_models
from pairopt.lab.rankings import ranking_of
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
UNNAMED: Final = ("title", "baseline", "model", "than", "metric")
AFTERWARDS: Final = ("title", "exploratory", "registration")
"""What may be written when the games are played: it says nothing of what they were to show."""
NONE: Final[tuple[tuple[str, object], ...]] = (("events", None), ("orders", {}))
"""Keys that older files could not have."""
FURTHER: Final = ("scipy", "pandas", "matplotlib", "pyarrow")
"""Packages that statistics and figures come from."""
MOST_WORLDS: Final = 1000
SIMULATED: Final = ("replicates", "precision", "most", "metrics", "rankings", "grid")
ADDED: Final = {each.name for each in fields(World) if each.metadata.get("later")}
"""Settings that older files could not have: no part of what was fixed where they are left out."""


@dataclass(frozen=True)
class ClaimInWorld:
    """A claim in one world, by its number; `hypothesis` or exploratory."""

    claim: StudyClaim
    than: Than
    world: int
    hypothesis: bool


@dataclass(frozen=True)
class StudyDesign:
    """A study as its file says: `raw` are its bytes, `files` those of what it names, by path.
    `events` are real ones with their names; without them tournaments are simulated.
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
        return (*COLUMNS, *metric_columns(self.measured))

    @property
    def names(self) -> list[str]:
        played = [PLAYED] if self.events else []
        return [*played, *map(name_of, self.contenders)]

    @property
    def words(self) -> list[str]:
        """What each world's tournaments are drawn from."""
        if self.events:
            return [f"the events of {self.file.events}"]
        return [world.words for world in self.worlds]

    @property
    def baseline(self) -> str:
        return self.file.baseline or self.names[0]

    @property
    def studies(self) -> list[Study]:
        return comparison.studies_of(
            self.contenders,
            self.worlds,
            self.file.seed,
            self.measured,
            choose=self.file.choose,
            games=True,
        )

    @property
    def tasks(self) -> list[Task]:
        """Of a study of real events."""
        file, seed = self.file, self.file.seed
        return repair_tasks(self.contenders, self.events, seed, choose=file.choose)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.raw).hexdigest()

    @property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of contenders and fitted worlds, as settings are told, and of files named."""
        found = {name_of(each): _sha(setting_to_json(each)) for each in self.contenders}
        files = {
            name: hashlib.sha256(raw).hexdigest() for name, raw in self.files.items()
        }
        bases = sorted({world.base for world in self.worlds if world.base})
        return (
            found
            | files
            | {each: _sha(setting_to_json(grids.world_of(each))) for each in bases}
        )

    @property
    def registered(self) -> str:
        """The SHA-256 of all that is fixed before a game is played, see `AFTERWARDS`."""
        plain = {
            name: _plain(value)
            for name, value in dict(self.file).items()
            if name not in AFTERWARDS and (name, value) not in NONE
        }
        return _sha({"file": plain, "digests": self.digests})

    def where(self, world: int) -> str:
        """What tells a world of the grid apart, in words; nothing where there is one."""
        cells = grids.cells_of(self.worlds)[world]
        said = (
            (name, f"{value:g}" if isinstance(value, float) else value)
            for name, value in cells
        )
        return ", ".join(
            f"{name.removeprefix(grids.RESERVED)} {value}" for name, value in said
        )


def read_study(path: str | Path) -> StudyDesign:
    """A study from its file, whose plug-ins are run. Raises InputError with file and key."""
    path = Path(path)
    raw = read_bytes(path)
    try:
        table = tomllib.loads(decode_text(path.name, raw).text, parse_float=Decimal)
    except (
        tomllib.TOMLDecodeError,
        RecursionError,
        ValueError,
        ArithmeticError,
    ) as error:
        raise InputError(path.name, "file.no_toml", why=str(error)) from None
    return _StudyReader(
        path.name, path.parent, _validate_schema(table, path.name)
    ).design(raw)


def study_of(table: Mapping[str, Any]) -> StudyDesign:
    """A study from what a study.toml would say, as of one beside all that it names. Raises
    InputError of the source "" naming the key, and what files and models are refused with.
    """
    design = _StudyReader("", None, _validate_schema(table, "")).design(b"")
    files: dict[str, bytes] = {}
    beside = {
        name: _resolve_file_names(name, value, files) for name, value in table.items()
    }
    raw = toml_of(beside).encode()
    return replace(design, file=_validate_schema(beside, ""), raw=raw, files=files)


def _resolve_file_names(key: str, value: Any, files: dict[str, bytes]) -> Any:
    """A value whose files are named as ones beside the study, where `files` are to be."""
    if isinstance(value, dict):
        return {
            name: _resolve_file_names(name, each, files) for name, each in value.items()
        }
    if isinstance(value, list):
        return [_resolve_file_names(key, each, files) for each in value]
    found = NAMED_FILE.fullmatch(value) if isinstance(value, str) else None
    if key in ("events", "strengths"):
        before, path, after = "", value, ""
    elif found is None or key in UNNAMED:
        return value
    else:
        before, path, after = found["before"] or "", found["path"], found["after"] or ""
    home = Path(path).resolve()
    for name, raw in _bytes_in(home, home.name).items():
        if name == NAME or files.setdefault(name, raw) != raw:
            raise UsageError("study.file_twice", name=name)
    return f"{before}{home.name}{after}"


def _bytes_in(path: Path, name: str) -> dict[str, bytes]:
    """A file, or all files of a folder, under this name."""
    if not path.is_dir():
        return {name: read_bytes(path)}
    files = sorted(each for each in path.rglob("*") if each.is_file())
    return {
        f"{name}/{each.relative_to(path).as_posix()}": read_bytes(each)
        for each in files
    }


def toml_of(table: Mapping[str, Any]) -> str:
    own = [
        f"{k if k.isidentifier() else json.dumps(k)} = {_toml(v)}\n"
        for k, v in table.items()
        if not isinstance(v, dict)
    ]
    tables = [
        f"\n[{k}]\n{toml_of(v)}" for k, v in table.items() if isinstance(v, dict) and v
    ]
    return "".join(own + tables)


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} = {_toml(each)}' for name, each in value.items())}}}"
    return (
        str(value)
        if isinstance(value, Decimal)
        else json.dumps(value, ensure_ascii=False)
    )


@cache
def program() -> dict[str, str]:
    """What plays: the digest of the package's sources and data, Python, and the platform."""
    home, found = Path(pairopt.__file__).parent, hashlib.sha256()
    for path in sorted(home.rglob("*")):
        name = path.relative_to(home).as_posix()
        # models are named by the study, and elsewhere in a checkout
        if path.suffix in (".py", ".toml") and not name.startswith("models/"):
            found.update(
                f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
            )
    machine = f"{platform.system()} {platform.machine()}"
    return {
        "sources_sha256": found.hexdigest(),
        "python": platform.python_version(),
        "platform": machine,
    }


def all_versions() -> dict[str, str]:
    """Of pairopt, and of the packages that a study's folder depends on."""
    found = versions() | dict.fromkeys(FURTHER, "none")
    for name in FURTHER:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _validate_schema(table: Mapping[str, Any], source: str) -> StudyFile:
    try:
        return StudyFile.model_validate(table)
    except ValidationError as error:
        raise InputError(source, faults_of(error, StudyFile, TABLES)) from None


class _StudyReader:
    """Makes what a file in a folder (None: anywhere) stands for; errors name file and key."""

    def __init__(self, source: str, folder: Path | None, file: StudyFile) -> None:
        self._source, self._folder, self._file = source, folder, file
        self._files: dict[str, bytes] = {}
        self._own: Mapping[str, object] = {}

    def design(self, raw: bytes) -> StudyDesign:
        file = self._file
        with self._at("plugins"):
            own = self._own = load_plugins(
                [self._plugin(each) for each in file.plugins]
            )
        events = () if file.events is None else self._events(file.events)
        played = [PLAYED] if events else []
        contenders = self._contenders(*played)
        names = [*played, *map(name_of, contenders)]
        if file.baseline is not None and file.baseline not in names:
            self._refuse("baseline", "study.value_unknown", expected=names)
        with self._at("metrics"):
            metrics = [
                resolve_name(self._path_in(each), METRICS, own) for each in file.metrics
            ]
        with self._at("rankings"):
            ranked = [ranking_of(each, own) for each in file.rankings]
            measured = comparison.measures(metrics, ranked)
            columns = (*COLUMNS, *metric_columns(measured))
        worlds: tuple[World, ...] = (World(),)
        if not events:
            worlds = self._worlds(contenders[names.index(file.baseline or names[0])])
        with self._at("grid"):
            grids.cells_of(worlds)
            comparison.studies_of(contenders, worlds, file.seed, measured)
        self._require_precision(columns, len(worlds))
        both = (("hypotheses", file.hypotheses), ("exploratory", file.exploratory))
        asked = [
            each
            for key, claims in both
            for number, claim in enumerate(claims)
            for each in self._asked(f"{key}[{number}]", claim, names, columns, worlds)
        ]
        made = StudyDesign(
            file, raw, self._files, contenders, worlds, measured, tuple(asked), events
        )
        self._require_pinned("digests", file.digests, made.digests)
        self._require_pinned("versions", file.versions, all_versions())
        given = {"sha256": file.registration.sha256 or made.registered}
        self._require_pinned("registration", given, {"sha256": made.registered})
        return made

    def _events(self, folder: str) -> tuple[tuple[str, Event], ...]:
        """The real events. Refuses keys of simulated tournaments."""
        given: list[str] = [
            name for name in SIMULATED if name in self._file.model_fields_set
        ]
        given += [f"world.{name}" for name in self._file.world.model_fields_set]
        if given:
            self._refuse(given[0], "study.of_simulated")
        with self._at("events"):
            found = comparison.events_in(self._inside(folder))
        # their digests say nothing of the place that the folder was in
        return tuple(
            (name, replace(event, origin=replace(event.origin, name=name)))
            for name, event in found
        )

    def _contenders(self, *taken: str) -> tuple[Model | Contender, ...]:
        file, found = self._file, []
        for number, text in enumerate(file.models):
            with self._at(f"models[{number}]"):
                given = text if text in self._own else self._path_in(text)
                found.append(contender_of(given, self._own))
        if file.permute is not None or file.sample is not None:
            with self._at("permute"):
                first = found[0]
                if not isinstance(first, Model) or file.permute is None:
                    raise UsageError("study.permute_unfit")
                found[:1] = orderings(first, file.permute, file.sample, file.seed)
        if file.orders:
            with self._at("orders"):
                first = found[0]
                if (
                    not isinstance(first, Model)
                    or first.weights
                    or file.permute is not None
                ):
                    raise UsageError("study.orders_unfit")
                found[:1] = reordered_models(first, file.orders)
        with self._at("models"):
            return tuple(comparison.select_methods(found, *taken))

    def _worlds(self, against: Model | Contender) -> tuple[World, ...]:
        table, settings = self._file.world, dict[str, Sequence[Any]]()
        for name, values in self._file.grid.items():
            if name not in WorldTable.model_fields or name in ("column", "draw_rate"):
                known = [key for key in WorldTable.model_fields if key != "column"]
                self._refuse(f"grid.{name}", "world.no_setting", settings=known)
            settings[name] = [
                self._setting(f"grid.{name}[{k}]", name, value)
                for k, value in enumerate(values)
            ]
        given = {
            name: self._made_setting(f"world.{name}", name, value)
            for name, value in dict(table).items()
            if name in table.model_fields_set and name not in ("column", "draw_rate")
        }
        if (count := prod(map(len, settings.values()))) > MOST_WORLDS:
            self._refuse("grid", "study.many_worlds", count=count, most=MOST_WORLDS)
        with self._at("world"):
            worlds = grids.worlds_of(given, settings)
        if table.draw_rate is None:
            return worlds
        if table.draws is not None or "draws" in settings:
            self._refuse("world.draw_rate", "study.draws_and_rate")
        with self._at("world.draw_rate"):
            return tuple(
                grids.with_draw_rate(each, table.draw_rate, against) for each in worlds
            )

    def _setting(self, key: str, name: str, value: object) -> Any:
        """Check a value of the study's grid, and convert it to the type of that world setting."""
        try:
            table = WorldTable.model_validate({name: value})
        except ValidationError as error:
            said = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
            said = f"{said[:1].lower()}{said[1:]}"
            found = tell("study.setting_unfit", found=format_value(value))
            self._refuse(
                key, with_heading(tell(said), found, mark="; ", name=found.kind)
            )
        return self._made_setting(key, name, getattr(table, name))

    def _made_setting(self, key: str, name: str, value: Any) -> Any:
        """What a setting stands for: texts may name files and code."""
        with self._at(key):
            if name == "base":
                grids.fitted_file(value)
            if name == "results":
                return resolve_name(self._path_in(value), WORLDS, self._own)
            if name == "strengths":
                return grids.listed_strengths(
                    self._inside(value), self._file.world.column
                )
        return value

    def _asked(
        self,
        key: str,
        claim: StudyClaim,
        names: Sequence[str],
        columns: Sequence[str],
        worlds: Sequence[World],
    ) -> list[ClaimInWorld]:
        than = (self._file.baseline or names[0]) if claim.than is None else claim.than
        known = (
            ("model", claim.model, names),
            ("than", than, names),
            ("metric", claim.metric, columns),
        )
        for name, found, choices in known:
            if isinstance(found, str) and found not in choices:
                unfit = {"found": repr(found), "expected": choices}
                self._refuse(f"{key}.{name}", "study.value_unfit", **unfit)
        if claim.model == than:
            self._refuse(f"{key}.than", "study.than_itself")
        if (claim.claim == "near") > (claim.margin > 0):
            self._refuse(f"{key}.margin", "study.near_without_margin")
        if claim.claim == "different" and claim.margin:
            self._refuse(f"{key}.margin", "study.different_with_margin")
        if claim.effect is not None and (
            claim.claim == "near" or claim.effect <= claim.margin
        ):
            self._refuse(f"{key}.effect", "study.effect_unfit")
        if strange := [name for name in claim.where if name not in self._file.grid]:
            self._refuse(f"{key}.where", "study.not_in_grid", setting=repr(strange[0]))
        chosen = {
            name: self._setting(f"{key}.where.{name}", name, value)
            for name, value in claim.where.items()
        }
        here = [
            number
            for number, own in enumerate(worlds)
            if all(getattr(own, name) == value for name, value in chosen.items())
        ]
        if not here:
            self._refuse(f"{key}.where", "study.no_such_world")
        return [
            ClaimInWorld(claim, than, world, key.startswith("hypotheses"))
            for world in here
        ]

    def _require_precision(self, columns: Sequence[str], worlds: int) -> None:
        file = self._file
        if not file.precision:
            return
        if strange := [name for name in file.precision if name not in columns]:
            self._refuse("precision", "study.no_metric", metric=repr(strange[0]))
        if worlds > 1:
            self._refuse("precision", "study.one_world")
        with self._at("precision"):
            comparison.require_widths(file.precision, file.replicates, file.most)

    def _require_pinned(
        self, key: str, pinned: Mapping[str, str], found: Mapping[str, str]
    ) -> None:
        for name, wanted in pinned.items():
            at, own = f"{key}.{name}", found.get(name)
            if own is None:
                self._refuse(at, "study.value_unknown", expected=[*found])
            if own != wanted:
                self._refuse(at, "study.pinned_otherwise", expected=wanted, found=own)

    def _plugin(self, text: str) -> str:
        path, _, name = text.rpartition(":")
        if self._folder is None:
            return text
        if not path.endswith(".py"):
            raise UsageError("study.plugin_unfit", text=text)
        return f"{self._inside(path)}:{name}"

    def _path_in(self, text: str) -> str:
        """A name, of which a file in it (own.toml, matrix=wins.csv) is found beside the study."""
        name, _, value = text.rpartition("=")
        if not value.endswith((".toml", ".csv")):
            return text
        return f"{name}={self._inside(value)}" if name else str(self._inside(value))

    def _inside(self, text: str) -> Path:
        """A file beside the study or below. Raises UsageError for any other."""
        if self._folder is None:
            return Path(text)
        path, home = self._folder / text, self._folder.resolve()
        if not path.resolve().is_relative_to(home) or Path(text).is_absolute():
            raise UsageError("study.file_elsewhere", path=text, source=self._source)
        self._files |= _bytes_in(path, Path(text).as_posix())
        return path

    @contextmanager
    def _at(self, key: str) -> Iterator[None]:
        """Errors inside are those of a key."""
        try:
            yield
        except InputError as error:
            if error.source == self._source or self._folder is None:
                raise
            self._refuse(key, tell("; ".join(str(error).split("\n"))))
        except UsageError as error:
            said = error.reason  # of a plug-in without the option
            self._refuse(key, tell(str(said)) if key == "plugins" else said)

    def _refuse(self, key: str, kind: str | Note, **fields: FieldValue) -> NoReturn:
        said = tell(kind, **fields) if isinstance(kind, str) else kind
        raise InputError(self._source, [Fault(said, JsonLocation(key))])


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, StudyClaim | WorldTable):
        return {
            name: _plain(each)
            for name, each in dict(value).items()
            if each is not None or name not in ADDED
        }
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return setting_to_json(value)


def _sha(plain: Any) -> str:
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def faults_of(
    error: ValidationError, file: type[BaseModel], tables: Mapping[str, type[BaseModel]]
) -> list[Fault]:
    """The faults of pydantic's error in a TOML file, each with its key."""
    own = {key for table in (file, *tables.values()) for key in _names(table)}
    return [_fault(each, file, tables, own) for each in error.errors()]


def _fault(
    error: Any,
    file: type[BaseModel],
    tables: Mapping[str, type[BaseModel]],
    own: set[str],
) -> Fault:
    loc = error["loc"]
    first = file.model_fields.get(str(loc[0])) if loc else None
    any_key = first is not None and get_origin(first.annotation) is Mapping
    key = ""
    for part in loc:
        if isinstance(part, int):
            key += f"[{part}]"
        elif part in own or any_key or not key:  # others are the types of a union
            key += f".{part}" if key else str(part)
    if error["type"] == "extra_forbidden":
        known = _names(tables.get(str(loc[0]), file) if len(loc) > 1 else file)
        near = find_nearest(str(loc[-1]), known)
        kind = "key.unknown" if near is None else "key.mistyped"
        return Fault(tell(kind, key=loc[-1], near=near, known=known), JsonLocation(key))
    if error["type"] == "missing":
        return Fault("key.missing", JsonLocation(key))
    unfit = error.get("ctx", {}).get("error")
    message = str(error["msg"]).removeprefix("Value error, ")
    reason = f"{message[:1].lower()}{message[1:]}"
    said: Note = tell(reason)
    if isinstance(unfit, InvalidValueError):
        said = unfit.said
    found = tell("key.unfit", found=format_value(error["input"]))
    return Fault(
        with_heading(said, found, mark="; ", name=found.kind), JsonLocation(key)
    )


def _names(table: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in table.model_fields.items()]
