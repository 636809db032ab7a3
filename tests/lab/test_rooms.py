"""Rooms of the lab: kept and published names have no room, and are found whatever room it is."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

import pairopt.lab
from pairopt.lab import ROOMS, World
from pairopt.lab.playing.identity import digest, published
from pairopt.lab.running.tasks import told
from pairopt.lab.studies.file import all_versions, read_study

MODULES = [
    module.name
    for room in ROOMS
    for module in pkgutil.walk_packages(
        [str(Path(pairopt.lab.__file__).parent / room)], f"pairopt.lab.{room}."
    )
]
STUDIES = sorted(path.parent for path in (ROOT / "studies").glob("*/datapackage.json"))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_one_name_outside(module: str) -> None:
    """Both names are of the same module, imported once: a class is not there twice."""
    outside = published(module)
    assert outside.split(".")[2] not in ROOMS
    own = importlib.import_module(module)
    assert importlib.import_module(outside) is own
    assert own.__spec__ is not None
    assert own.__spec__.name == module == own.__name__


def test_names_are_told_apart() -> None:
    assert len({published(module) for module in MODULES}) == len(MODULES)
    assert published("json") == "json"
    assert published("pairopt.lab.studies.file") == "pairopt.lab.studies.file"
    assert published("pairopt.problem.model") == "pairopt.problem.model"
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("pairopt.lab.nosuch")


@pytest.mark.slow
def test_the_name_outside_may_be_the_first_that_is_imported() -> None:
    code = (
        "import pairopt.lab.frontier.prices as outside\n"
        "from pairopt.lab.instruments.frontier import prices\n"
        "assert outside is prices"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_kept_studies_know_a_world_by_the_name_it_always_had() -> None:
    assert told(World())["is"] == "pairopt.lab.world:World"
    assert told(World())["results"]["is"] == "pairopt.lab.worlds.laws:Elo"
    assert digest(World()) == "071c998049f77139dfbcf65e018b2119"


@pytest.mark.parametrize("folder", STUDIES, ids=lambda path: path.name)
def test_published_studies_are_of_what_is_here(folder: Path) -> None:
    """Their models, worlds and plug-ins have the digests that were published with the results."""
    kept = json.loads((folder / "results.json").read_text("utf-8"))
    design = read_study(folder / "study.toml")
    assert design.digests == kept["digests"]
    assert design.registered == kept["registered_sha256"]


def test_a_study_says_the_version_of_each_package_its_figures_and_statistics_come_from() -> (
    None
):
    used, measuring = set(), Path(pairopt.lab.__file__).parent / "measuring"
    for path in (measuring / "figures.py", *measuring.glob("statistics/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = (
                [each.name for each in node.names]
                if isinstance(node, ast.Import)
                else []
            )
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [str(node.module)]
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "needed":
                names = [str(ast.literal_eval(node.args[0]))]  # of an extra
            used |= {name.partition(".")[0] for name in names}
    foreign = {
        name for name in used - {"pairopt"} if name not in sys.stdlib_module_names
    }
    known = {name for name, number in all_versions().items() if number != "none"}
    assert foreign <= known
    assert {"numpy", "scipy", "pandas", "matplotlib"} <= foreign
