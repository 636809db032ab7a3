"""The names of today that may not be renamed, row by row of what is promised.

    python tests/frozen/today.py

adds names that are new to `tests/frozen/names`, and takes none away. A name that is no longer there
breaks somebody's file, script or plug-in: `test_names.py` says which.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from inspect import isclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import click
from click.testing import CliRunner
from organiser import client, routes_of
from organiser import event as made_event
from places import ROOT, SAMPLE
from promised import NAMES

import pairopt
import pairopt.extend
import pairopt.folder
import pairopt.lab
from pairopt import cli
from pairopt.cli.fide import arguments
from pairopt.common.atomic_write import EXIT_INTERRUPTED
from pairopt.common.budget import Budget
from pairopt.errors import PairoptError
from pairopt.event.matches import Matches, PlayerRounds
from pairopt.event.settings import SETTINGS
from pairopt.event.source_info import BREACHES
from pairopt.event.tie_breaks.base import TieBreakModifiers
from pairopt.files import event_toml
from pairopt.files.csv_schema import BracketRow, MatchRow, PlayerRow, StandingsRow
from pairopt.folder.commands import load_commands
from pairopt.folder.journal import LogLine
from pairopt.folder.open_folder import OpenFolder
from pairopt.lab.identity import find_published_place
from pairopt.lab.studies import schema
from pairopt.lab.tasks import Study
from pairopt.lab.world import World
from pairopt.messages import PASSAGES
from pairopt.problem.model import Model
from pairopt.problem.model_file import LastRoundChanges, ModelFile
from pairopt.proof import verify
from pairopt.registry import ExtensionRegistry
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.rules.criteria import CRITERIA
from pairopt.web.phones import PAGES as PHONES
from pairopt.web.site import EventSite

SAMPLE_EVENT = (SAMPLE / "matches.csv", SAMPLE / "players.csv")
_FIELD = re.compile(r'<(?:input|select|textarea|button)\b[^>]*?\bname="([\w.-]+)"')
OVER = ("score_groups", "side_difference")
REGISTRIES = {
    "criteria": "pairopt.rules.criteria:CRITERIA",
    "constraints": "pairopt.rules.constraints:CONSTRAINTS",
    "tie_breaks": "pairopt.event.tie_breaks:TIE_BREAKS",
    "metrics": "pairopt.lab.metrics:METRICS",
    "worlds": "pairopt.lab.worlds:WORLDS",
    "contenders": "pairopt.lab.contenders:CONTENDERS",
    "rankings": "pairopt.lab.rankings:RANKINGS",
    "formats": "pairopt.files.formats:FORMATS",
    "engines": "pairopt.engines:ENGINES",
    "systems": "pairopt.problem.system:SYSTEMS",
    "views": "pairopt.web.views:VIEWS",
    "commands": "pairopt.cli:PARTS",
}


def registry(name: str) -> ExtensionRegistry[Any]:
    """The registry of a kind of part."""
    module, _, attribute = REGISTRIES[name].partition(":")
    found: ExtensionRegistry[Any] = getattr(importlib.import_module(module), attribute)
    return found


def columns() -> Iterator[str]:
    """Columns of the files of an event, as `file: column`."""
    rows = {
        "matches.csv": MatchRow,
        "players.csv": PlayerRow,
        "bracket.csv": BracketRow,
    }
    for file, row in {**rows, "standings.csv": StandingsRow}.items():
        yield from (
            f"{file}: {each.name}" for each in fields(row) if each.name != "place"
        )
    yield from (f"log.csv: {name}" for name in LogLine._fields)


def log_commands() -> Iterator[str]:
    """Values of the log's column `verb`."""
    yield from load_commands()


def event_toml_keys() -> Iterator[str]:
    """Keys of event.toml, and the kinds of what left FIDE's rules."""
    tables = {
        "points": event_toml.POINTS,
        "byes": event_toml.BYE,
        "breaches": event_toml.BREACH,
        "conflicts": event_toml.CONFLICT,
        "source": event_toml.SOURCE,
    }
    yield from event_toml.FILE
    for table, keys in tables.items():
        yield from (f"{table}.{key}" for key in keys)
    yield from (f"breaches.kind = {kind}" for kind in BREACHES)
    for key, setting in SETTINGS.items():
        yield from (f"{key} = {name}" for name, _ in setting.choices if name)


def model_keys() -> Iterator[str]:
    """Keys of model files: those of the file, constraints and kinds of criteria with parameters."""
    yield from (each.name for each in fields(ModelFile))
    yield from (f"last_round.{each.name}" for each in fields(LastRoundChanges))
    for name in CONSTRAINTS.shipped:
        yield f"constraints.{name}"
    for name in CRITERIA.shipped:
        yield f"criteria.{name}"
        yield from (f"criteria.{name}.{each.name}" for each in fields(CRITERIA[name]))
    yield from (f"model {path.stem}" for path in (ROOT / "models").glob("*.toml"))


def study_keys() -> Iterator[str]:
    """Keys of study.toml, and the files and columns of a study's folder."""
    for name, kind in vars(schema).items():
        if isinstance(kind, type) and issubclass(kind, schema.BaseModel):
            table = name.removeprefix("Study") or name
            if name == "StudyFile":
                table = name
            yield from (f"{table}.{key}" for key in kind.model_fields)
    dictionary = tomllib.loads(
        (ROOT / "pairopt/lab/studies/dictionary.toml").read_text(encoding="utf-8")
    )
    yield from (f"file {name}" for name in dictionary["table"])
    yield from (f"column {name}" for name in dictionary["column"])
    yield from (
        f"file {name}" for name in ("results.json", "datapackage.json", "SHA256SUMS")
    )


PUBLISHED_PACKAGES = (
    "pairopt.lab.contenders",
    "pairopt.lab.metrics",
    "pairopt.lab.rankings",
    "pairopt.lab.worlds",
    "pairopt.rules.constraints",
    "pairopt.rules.criteria",
)
"""Packages whose classes a study may be made of, besides `Study`, `World` and `Model`."""


def published_classes() -> Iterator[str]:
    """Classes that registrations of studies name, with their fields."""
    for kind in (Study, World, Model, *_classes_of_parts()):
        name = find_published_place(kind)
        yield name
        if is_dataclass(kind):
            yield from (f"{name}.{each.name}" for each in fields(kind))


def _classes_of_parts() -> Iterator[type]:
    """Yield the public dataclasses of all modules of `PUBLISHED_PACKAGES`."""
    for package in PUBLISHED_PACKAGES:
        for info in pkgutil.iter_modules(importlib.import_module(package).__path__):
            module = importlib.import_module(f"{package}.{info.name}")
            for kind in vars(module).values():
                is_here = isinstance(kind, type) and kind.__module__ == module.__name__
                if is_here and is_dataclass(kind) and not kind.__name__.startswith("_"):
                    yield kind


def import_paths() -> Iterator[str]:
    """What published studies and released plug-ins import, as `module:name`; stored, not found."""
    for line in (NAMES / "import_paths.txt").read_text(encoding="utf-8").splitlines():
        module, _, name = line.partition(":")
        if hasattr(importlib.import_module(module), name):
            yield line


def paths_in(value: object, before: str) -> Iterator[str]:
    """The keys of JSON, those of lists with []."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield f"{before}.{key}"
            yield from paths_in(each, f"{before}.{key}")
    if isinstance(value, list):
        for each in value:
            yield from paths_in(each, f"{before}[]")


def _proof() -> Any:
    """The proof of a round, as its file holds it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "round.proof.json"
        call = ["solve", str(SAMPLE_EVENT[0]), "--players", str(SAMPLE_EVENT[1])]
        done = CliRunner().invoke(
            cli.main, [*call, "--model", "standard", "--proof", str(path)]
        )
        assert done.exit_code == 0, done.output
        return json.loads(path.read_text(encoding="utf-8"))


def json_keys() -> Iterator[str]:
    """Keys of JSON: of results and what is found of them, and of requests and answers."""
    event = pairopt.read_event(*SAMPLE_EVENT)
    found: dict[str, Any] = {
        "solve": pairopt.solve(event, "standard").to_dict(timings=True),
        "proof": _proof(),
        "check_all": next(pairopt.check_all(event, "standard")).to_dict(),
        "compare": pairopt.compare(event, ["standard", "monrad"]).to_dict(),
        "explain": pairopt.explain(event, "standard").to_dict(),
        "frontier": pairopt.frontier(event, OVER, "standard").to_dict(),
        "odds": pairopt.odds(event, "standard").to_dict(),
    }
    for name, value in found.items():
        yield from paths_in(value, name)
    door = json.loads((ROOT / "docs" / "door.json").read_text(encoding="utf-8"))
    for name, form in door["$defs"].items():
        yield from (f"door.{name}.{key}" for key in form.get("properties", ()))


def message_ids() -> Iterator[str]:
    """Kinds of messages, and of passages of them: released JSON contains them."""
    yield from PASSAGES
    for path in sorted((ROOT / "pairopt" / "messages" / "english").glob("*.toml")):
        texts = tomllib.loads(path.read_text(encoding="utf-8"))
        yield from (f"{path.stem}.{name}" for name in texts)


def proof_file() -> Iterator[str]:
    """The parts of a proof file, and the file that verifies it alone."""
    yield from verify.FILE
    yield "pairopt/proof/verify.py" if Path(verify.__file__).name == "verify.py" else ""


def entry_points() -> Iterator[str]:
    """Groups of entry points, and the shipped parts by their names."""
    for kind in REGISTRIES:
        group = registry(kind)
        yield group.group
        yield from (f"{group.group}: {name}" for name in group.shipped)


def options() -> Iterator[str]:
    """Commands with their arguments and options, those of `pairopt-fide`, and exit codes."""
    context = click.Context(cli.main)
    for name in cli.main.list_commands(context):
        command = cli.main.get_command(context, name)
        assert command is not None
        yield name
        for each in command.params:
            words = each.opts + each.secondary_opts
            shown = [f"<{each.name}>"] if isinstance(each, click.Argument) else words
            yield from (f"{name} {word}" for word in shown)
    known = (
        arguments.FLAGS
        | arguments.MAYBE_NUMBER
        | arguments.MAYBE_NAME
        | arguments.NAMED
    )
    yield from (f"pairopt-fide {word}" for word in (*known, *arguments.ACTIONS))
    yield from (f"pairopt-fide --{name}" for name in ("dutch", "burstein"))
    codes = (0, cli.EXIT_INFEASIBLE, cli.EXIT_USAGE, cli.EXIT_INPUT, cli.EXIT_UNPROVEN)
    yield from (f"exit code {code}" for code in (*codes, EXIT_INTERRUPTED))


def addresses() -> Iterator[str]:
    """Addresses of pages, and the fields of their forms, as `address field`."""
    with tempfile.TemporaryDirectory() as folder:
        browser = client(made_event(Path(folder) / "event", rounds=2))
        for route in routes_of(browser.app):
            path = getattr(route, "path", "")
            yield f"{path} {'POST' if 'POST' in (route.methods or ()) else 'GET'}"
    yield from (f"{path} GET" for path in PHONES)
    for template in sorted((ROOT / "pairopt/web/templates").glob("*.html")):
        text = template.read_text(encoding="utf-8")
        yield from (f"field {name}" for name in _FIELD.findall(text))


def public_names() -> Iterator[str]:
    """What the packages export."""
    for package in (pairopt, pairopt.lab, pairopt.folder):
        yield from (f"{package.__name__}.{name}" for name in package.__all__)


def attributes() -> Iterator[str]:
    """Attributes of what the public functions return."""
    event = pairopt.read_event(*SAMPLE_EVENT)
    result = pairopt.solve(event, "standard")
    program = pairopt.program(event, "standard")
    values = (
        event,
        result,
        pairopt.check(event, SAMPLE / "matches.csv", "standard", round=2),
        pairopt.explain(event, "standard"),
        pairopt.compare(event, ["standard", "monrad"]),
        pairopt.frontier(event, OVER, "standard"),
        pairopt.odds(event, "standard"),
        program,
    )
    for value in values:
        kind = type(value).__name__
        yield from (f"{kind}.{name}" for name in dir(value) if not name.startswith("_"))


REACHED = (
    Budget,
    EventSite,
    Matches,
    Model,
    OpenFolder,
    PairoptError,
    PlayerRounds,
    TieBreakModifiers,
)
"""Classes that `pairopt.extend` does not export, whose values extensions are given."""


def members() -> Iterator[str]:
    """Public members of the classes that extensions meet."""
    exported = (getattr(pairopt.extend, name) for name in pairopt.extend.__all__)
    for kind in {*REACHED, *filter(isclass, exported)}:
        annotated = getattr(kind, "__annotations__", {})
        for name in {*dir(kind), *annotated}:
            if not name.startswith("_"):
                yield f"{kind.__name__}.{name}"


ROWS: Mapping[str, Callable[[], Iterator[str]]] = {
    each.__name__: each
    for each in (
        columns,
        log_commands,
        event_toml_keys,
        model_keys,
        study_keys,
        published_classes,
        import_paths,
        json_keys,
        message_ids,
        proof_file,
        entry_points,
        options,
        addresses,
        public_names,
        attributes,
        members,
    )
}
"""What gives the names of today, by the name of the row."""


def main() -> None:
    """Add today's names to the stored ones."""
    for row, of_today in ROWS.items():
        path = NAMES / f"{row}.txt"
        stored = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        text = "".join(f"{name}\n" for name in sorted({*stored, *of_today()} - {""}))
        path.write_text(text, encoding="utf-8")
        print(row, text.count("\n"))


if __name__ == "__main__":
    main()
