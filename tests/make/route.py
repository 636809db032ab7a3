"""Count how far an event goes on its way through `solve`, at run time.

    python tests/make/route.py            # the numbers
    python tests/make/route.py --detail   # and what they are made of

What is counted: `read_event` reads the sample event (the matches and players of examples/weekly),
and `solve` pairs its next round under its own model with two options, `force` and `forbid`, each
with one pair. The same two calls run once before, so that no import is counted.

How it is counted: Python's profiler reports each call of a function of this package, in order.
The body of a module is no call. Lambdas, comprehensions and generator expressions belong to the
function that contains them.

- "modules entered" are the modules that have a function which is called.
- "with the event in hand" are those of them in which a name holds an `Event`, `State` or
  `Problem`.
- "entries" of a module are the calls of its functions whose preceding call was of another module.
- "steps upwards" are pairs of packages, a lower and a higher one, such that a call of a function
  of the lower package is followed by a call of a function of the higher one. Each pair counts
  once. The order of packages is that of import-linter in pyproject.toml. A reader who follows the
  calls one after the other goes back up in these places. Most of them are returns: a function
  calls a lower package and then its own one.
- "calls upwards" are calls of a higher package's function by a lower package's function. They
  count once for each pair of modules. No package imports a higher one, so that needs a function
  that was handed down: of a registry, of a subclass, or as an argument.
- "names" are the different names of parameters and local variables that hold the event or a part
  of it. Parts are what its files hold (sources, tables, rows and the roster), the `Event`, the
  `State` and the `Problem`, and what their fields hold, two fields deep. Texts, numbers and empty
  collections are no parts: many things share them.
"""

from __future__ import annotations

import dataclasses
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import click

import pairopt
from pairopt.event.event import Event
from pairopt.event.state import State
from pairopt.files.build_event import PlayerTable
from pairopt.files.csv_schema import MatchRow, PlayerRow
from pairopt.files.text_source import TextSource
from pairopt.files.text_tables import TextTable
from pairopt.problem.problem import Problem

ROOT = Path(__file__).parents[2]
PACKAGE = Path(pairopt.__file__).parent
SAMPLE = ROOT / "examples" / "weekly"

WHOLES = (
    Event,
    State,
    Problem,
    TextSource,
    TextTable,
    PlayerTable,
    MatchRow,
    PlayerRow,
)
SHARED = (bool, int, float, str, bytes, type)
DEPTH = 2
"""How many fields deep the parts of a whole are."""


@dataclass
class Route:
    """The calls of the package's functions in order, and the names that held the event."""

    callers: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    names: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    parts: dict[int, Any] = field(default_factory=dict)
    with_event: set[str] = field(default_factory=set)

    def entries(self) -> Counter[str]:
        """Count how often the calls come to each module from another one."""
        entered = Counter(self.modules[:1])
        for before, after in pairwise(self.modules):
            if before != after:
                entered[after] += 1
        return entered

    def steps_upwards(self) -> Counter[tuple[str, str]]:
        """Count consecutive calls that go from a lower package to a higher one."""
        packages = [module.split(".")[0] for module in self.modules]
        pairs = pairwise(packages)
        return Counter(pair for pair in pairs if is_upwards(*pair))

    def calls_upwards(self) -> Counter[tuple[str, str]]:
        """Count calls of a function of a higher package by one of a lower package."""
        return Counter(
            (caller, module)
            for caller, module in zip(self.callers, self.modules, strict=True)
            if caller and is_upwards(caller.split(".")[0], module.split(".")[0])
        )

    def remember(self, value: object, depth: int = 0) -> None:
        """Remember a value and its fields as parts of the event."""
        if value is None or isinstance(value, SHARED) or id(value) in self.parts:
            return
        if isinstance(value, tuple | list | dict | frozenset) and not value:
            return
        self.parts[id(value)] = value

        if depth < DEPTH and dataclasses.is_dataclass(value):
            for each in dataclasses.fields(value):
                self.remember(getattr(value, each.name), depth + 1)

    def look_at(self, module: str, frame: FrameType) -> None:
        """Record the names in a frame that hold the event or a part of it."""
        for name, value in frame.f_locals.items():
            if isinstance(value, WHOLES):
                self.remember(value)
            if isinstance(value, Event | State | Problem):
                self.with_event.add(module)
            if id(value) in self.parts and not name.startswith("."):
                self.names[name].add(module)


def layers() -> dict[str, int]:
    """Return the layer of each package; the highest is 0."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    return {
        package: layer
        for layer, packages in enumerate(contract["layers"])
        for package in packages.split(" | ")
    }


LAYERS = layers()


def is_upwards(lower: str, higher: str) -> bool:
    """Whether the second package stands above the first one."""
    return LAYERS.get(higher, -1) < LAYERS.get(lower, -1)


def module_of(frame: FrameType | None) -> str:
    """Return the module of a frame's function, such as problem.build; "" outside."""
    if frame is None:
        return ""
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(PACKAGE) or frame.f_code.co_name == "<module>":
        return ""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__") or "pairopt"


def follow(do: Callable[[], object]) -> Route:
    """Return the route of a call through the package."""
    route = Route()

    def profile(frame: FrameType, happening: str, _argument: object) -> None:
        if happening not in ("call", "return"):
            return
        module = module_of(frame)
        if not module:
            return

        route.look_at(module, frame)
        if happening == "call" and not frame.f_code.co_name.startswith("<"):
            caller = frame.f_back
            while caller is not None and not module_of(caller):
                caller = caller.f_back
            route.callers.append(module_of(caller))
            route.modules.append(module)

    sys.setprofile(profile)
    try:
        do()
    finally:
        sys.setprofile(None)
    return route


def solve_sample() -> pairopt.Result:
    """Read the sample event and pair its next round with two options."""
    event = pairopt.read_event(SAMPLE / "matches.csv", SAMPLE / "players.csv")
    one, two, three, four = event.players[:4]
    return pairopt.solve(event, force=[(one, four)], forbid=[(two, three)])


@click.command()
@click.option("--detail", is_flag=True, help="Print also the modules, steps and names.")
def main(detail: bool) -> None:
    """Print how far an event goes on its way through `solve`."""
    solve_sample()
    route = follow(solve_sample)

    entries = route.entries()
    steps = route.steps_upwards()
    upwards = route.calls_upwards()
    click.echo(f"modules entered  {len(entries)}")
    click.echo(f"  in files       {sum(name.startswith('files') for name in entries)}")
    click.echo(f"  with the event in hand  {len(route.with_event)}")
    click.echo(f"entries          {entries.total()}")
    click.echo(f"  problem.build  {entries['problem.build']}")
    click.echo(f"steps upwards    {len(steps)} (pairs of packages)")
    click.echo(f"calls upwards    {len(upwards)} (pairs of modules)")
    click.echo(f"names            {len(route.names)}")
    if not detail:
        return

    for title, counted in (("entries", entries), ("steps", steps), ("calls", upwards)):
        click.echo(f"\n{title}")
        for key, count in counted.most_common():
            click.echo(f"{count:5} {key if isinstance(key, str) else ' -> '.join(key)}")
    click.echo("\nnames")
    for name, modules in sorted(route.names.items()):
        click.echo(f"{len(modules):5} {name}")


if __name__ == "__main__":
    main()
