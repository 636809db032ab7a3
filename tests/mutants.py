"""Planted faults: which changes of the package pass all tests?

    bash tests/mutants.sh 60 7                                60 faults drawn by the seed 7
    bash tests/mutants.sh 40 7 pairopt/problem/verifier.py    in one file or folder

The faults are mutmut's (an operator, a number, a word, an argument, a value changed), and a
smallest for a largest, one for all; also in properties, which mutmut itself leaves out. They
are drawn place by place, one a place, over all modules. Each is planted in a copy of the checkout,
and the fast tests of that module (`nearest.py`) run on it, nearest first, until one fails. Those
that no test notices are printed.
"""

from __future__ import annotations

import ast
import difflib
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import click
import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators
from nearest import ROOT, Call, calls_for, modules

LOADED = (
    "hypothesis",
    "networkx",
    "ortools.sat.python.cp_model",
    "pandas",
    "pydantic",
    "rich",
)
"""What the tests import, and no fault changes: loaded once for all processes."""

LIMIT = 1800
"""Seconds the tests may take: a fault that hangs them is noticed."""

SWAPS = {"min": "max", "minimum": "maximum", "any": "all"}
SWAPS |= {new: old for old, new in SWAPS.items()}


@dataclass(frozen=True)
class Mutant:
    """A file with one fault; `path` is relative to the checkout."""

    path: str
    line: int
    code: str

    def diff(self) -> str:
        """The fault as a patch."""
        before = (ROOT / self.path).read_text("utf-8").splitlines()
        patch = difflib.unified_diff(
            before, self.code.splitlines(), self.path, n=0, lineterm=""
        )
        return "\n".join(list(patch)[2:])


# ---------------------------------------------------------------------- the faults


class _Places(cst.CSTVisitor):
    """Each node that can be changed, with its line and what it can become."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, cst.CSTNode, list[cst.CSTNode]]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(
            node, (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom)
        ):
            return False
        new = [
            made
            for kind, make in mutation_operators
            if isinstance(node, kind)
            for made in make(node)
        ]
        if isinstance(node, cst.Name) and node.value in SWAPS:
            new.append(node.with_changes(value=SWAPS[node.value]))
        if new:
            line = self.get_metadata(PositionProvider, node).start.line
            self.found.append((line, node, new))
        return True


@cache
def _places(
    path: str,
) -> tuple[cst.Module, list[tuple[int, cst.CSTNode, list[cst.CSTNode]]]]:
    wrapped = MetadataWrapper(cst.parse_module((ROOT / path).read_text("utf-8")))
    places = _Places()
    wrapped.visit(places)
    return wrapped.module, places.found


def count_places(path: str) -> int:
    """Count the places of a file that can have a fault."""
    return len(_places(path)[1])


def mutant_at(path: str, place: int, rng: Random) -> Mutant | None:
    """One fault, drawn by lot, for a place of a file; None where it would be no Python."""
    module, places = _places(path)
    line, node, new = places[place]
    code = module.deep_replace(node, rng.choice(new)).code
    return Mutant(path, line, code) if _parses(code) else None


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


def sample(number: int, seed: int, within: str) -> list[Mutant]:
    """This many faults of the modules that lie in `within`, in the order drawn."""
    some = [path for path in modules() if path.startswith(within)]
    if not some:
        raise click.UsageError(f"{within} is no module or folder of the package")
    rng = Random(seed)
    every = [(path, k) for path in some for k in range(count_places(path))]
    drawn = (mutant_at(path, k, rng) for path, k in rng.sample(every, len(every)))
    return list(islice(filter(None, drawn), number))


# ---------------------------------------------------------------------- the tests


def passes(folder: Path, call: Call) -> bool:
    """Whether no test fails in a process of its own; no test at all is no failure."""
    worker = get_context("fork").Process(target=_run, args=(folder, call))
    worker.start()
    worker.join(LIMIT)
    if worker.is_alive():
        worker.kill()
        worker.join()
    return worker.exitcode in (0, 5)


def _run(folder: Path, call: Call) -> None:
    os.chdir(folder)
    os.environ["PYTHONPATH"] = str(folder)
    sys.path[0] = str(folder)  # instead of this file's folder
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    options = [
        "-x",
        "-p",
        "no:cacheprovider",
        "-m",
        "fast",
        "--hypothesis-profile",
        "mutants",
    ]
    sys.exit(pytest.main([*options, *call]))


@cache
def _sound(folder: Path, call: Call) -> None:
    if not passes(folder, call):
        raise click.ClickException(f"fails without any fault: pytest {' '.join(call)}")


def survives(mutant: Mutant, folder: Path, number: int) -> bool:
    """Whether no test notices a fault planted in the copy at `folder`, which is mended again."""
    planted = folder / mutant.path
    sound = planted.read_text("utf-8")
    try:
        planted.write_text(mutant.code, "utf-8")
        os.utime(
            planted, (number, number)
        )  # else bytecode of the same second may be taken
        failed = next(
            (call for call in calls_for(mutant.path) if not passes(folder, call)), None
        )
    finally:
        planted.write_text(sound, "utf-8")
    if failed is not None:
        _sound(folder, failed)
    return failed is None


@click.command()
@click.argument("number", type=int, default=60)
@click.argument("seed", type=int, default=0)
@click.argument("within", default="pairopt")
def command(number: int, seed: int, within: str) -> None:
    """Plant NUMBER faults drawn by SEED, one after the other, WITHIN a file or folder."""
    mutants = sample(number, seed, within)
    for name in LOADED:
        import_module(name)
    left: list[Mutant] = []
    with TemporaryDirectory() as made:
        folder = Path(made) / "copy"
        shutil.copytree(
            ROOT, folder, ignore=shutil.ignore_patterns(".*", "_build", "dist")
        )
        for k, mutant in enumerate(mutants, 1):
            alive = survives(mutant, folder, k)
            left += [mutant] * alive
            click.echo(
                f"{k}: {'survived' if alive else 'killed'}: {mutant.path}:{mutant.line}"
            )
            if alive:
                click.echo(mutant.diff())
    click.echo(_summary(mutants, left))


def _summary(mutants: Sequence[Mutant], left: Sequence[Mutant]) -> str:
    return f"{len(mutants)} faults: {len(mutants) - len(left)} killed, {len(left)} survived"


if __name__ == "__main__":
    command()
