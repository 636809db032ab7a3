"""Draw docs/architecture.svg from the code's imports, and write the tables of its rooms.

    python tests/make/make_architecture.py

It prints how many lines each room has, which is stored nowhere.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pairopt"
PICTURE = ROOT / "docs" / "architecture.svg"
PAGES = (ROOT / "docs" / "architecture.md",)
OLD_PATHS = (PACKAGE / "lab" / "frontier", PACKAGE / "lab" / "incentive")
"""Packages that only keep old import paths."""
BASE = "base"
"""The box of the single files on which all rooms stand."""

WIDE, HIGH, EDGE = 56, 44, 42
"""From one box to the next, to the right and down; and the margin."""

STYLE = """
  svg { color-scheme: light dark; --paper: #ffffff; --ink: #1f2937; --line: #9ca3af;
        --box: #dbeafe; --rim: #3b82f6; --dot: #f3f4f6; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #17191d; --ink: #e5e7eb; --line: #6b7280; --box: #1e3a5f; --rim: #60a5fa;
          --dot: #2a2f37; } }
  .paper { fill: var(--paper); stroke: var(--line); }
  .room { fill: var(--box); stroke: var(--rim); }
  .way { stroke: var(--line); shape-rendering: crispedges; }
  .head { fill: var(--line); }
  .dot { fill: var(--dot); stroke: var(--line); }
  text { fill: var(--ink); font: 13px system-ui, sans-serif; text-anchor: middle;
         dominant-baseline: central; }
  .dots text { font-size: 11px; }
  .said text { text-anchor: start; }
"""


def layers() -> list[tuple[str, ...]]:
    """The layers of `lint-imports` from the top, each the names of its rooms or files."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    first = settings["tool"]["importlinter"]["contracts"][0]
    return [tuple(layer.split(" | ")) for layer in first["layers"]]


def rooms() -> list[str]:
    """The rooms from the top, each importing only those after it."""
    return [name for layer in layers() for name in layer if (PACKAGE / name).is_dir()]


def in_order() -> list[str]:
    """Return the boxes from the top: the packages, and the single files among them."""
    return [
        *dict.fromkeys(
            name if (PACKAGE / name).is_dir() else BASE
            for layer in layers()
            for name in layer
            if name != "extend"
        )
    ]


def files() -> list[str]:
    """The single files below all rooms, from the top."""
    return [
        f"{name}.py"
        for layer in layers()
        for name in layer
        if name != "extend" and not (PACKAGE / name).is_dir()
    ]


def purpose(package: str) -> str:
    """Return what a package holds: the first sentence of its docstring."""
    module = ast.parse((PACKAGE / package / "__init__.py").read_bytes())
    summary = (ast.get_docstring(module) or "").split("\n\n")[0]
    sentence = re.match(r".*?\.(?=\s|$)", " ".join(summary.split()))
    if sentence is None:
        raise ValueError(
            f"pairopt/{package}/__init__.py: expected a sentence, found {summary!r}"
        )
    return sentence[0]


@cache
def imports() -> Counter[tuple[str, str]]:
    """How many modules of one room import another, by both names.

    What only type checkers read is left out, as `lint-imports` does.
    """
    found: Counter[tuple[str, str]] = Counter()
    known = rooms()
    single = {name.removesuffix(".py") for name in files()} - {"extend"}
    modules = {room: sorted((PACKAGE / room).rglob("*.py")) for room in known}
    modules[BASE] = [PACKAGE / f"{name}.py" for name in sorted(single)]
    for room, paths in modules.items():
        for path in paths:
            if any(path.is_relative_to(old) for old in OLD_PATHS):
                continue
            names = {
                name.split(".")[1] for name in _imported(ast.parse(path.read_bytes()))
            }
            boxes = {BASE if name in single else name for name in names}
            found.update((room, box) for box in boxes & {*known, BASE} - {room})
    return found


def _imported(node: ast.AST) -> Iterator[str]:
    """The package's modules that a piece of code imports."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (
            each.name for each in node.names if each.name.startswith("pairopt.")
        )
    elif isinstance(node, ast.ImportFrom) and node.module == "pairopt":
        yield from (f"pairopt.{each.name}" for each in node.names)
    elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("pairopt."):
        yield str(node.module)
    for child in ast.iter_child_nodes(node):
        yield from _imported(child)


def table() -> str:
    """The packages from the top, and what each does."""
    lines = ["| package | what it does |", "|---|---|"]
    lines += [f"| `pairopt/{room}/` | {purpose(room)} |" for room in rooms()]
    return "\n".join(lines)


def drawn() -> str:
    """The picture: a box a room from the top left, a way to the right and down for each import."""
    names = in_order()
    place = {name: (EDGE + WIDE * k, EDGE + HIGH * k) for k, name in enumerate(names)}
    width, height = (edge + EDGE for edge in place[names[-1]])
    number = dict(sorted(imports().items()))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
            "<title>The packages of pairopt, and how many modules of each import another</title>",
            f"<style>{STYLE}</style>",
            f'<rect class="paper" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>',
            "<g>",
            *_ways(place, number),
            "</g>",
            '<g class="dots">',
            *(_dot(place, *way, n) for way, n in number.items()),
            "</g>",
            "<g>",
            *(_box(name, *at) for name, at in place.items()),
            "</g>",
            '<g class="said">',
            *_said(height),
            "</g>",
            "</svg>",
            "",
        ]
    )


def _ways(
    place: Mapping[str, tuple[int, int]], ways: Collection[tuple[str, str]]
) -> list[str]:
    """From each room a line to the right, and an arrow down into each that is imported."""
    drawn = []
    for name, (x, y) in place.items():
        right = [place[other][0] for one, other in ways if one == name]
        above = [place[one][1] for one, other in ways if other == name]
        if right:
            drawn.append(f'<path class="way" d="M{x} {y}H{max(right)}"/>')
        if above:
            drawn.append(f'<path class="way" d="M{x} {min(above)}V{y}"/>')
            drawn.append(f'<path class="head" d="M{x} {y - 13}l-4 -7h8z"/>')
    return drawn


def _dot(place: Mapping[str, tuple[int, int]], one: str, other: str, count: int) -> str:
    """The corner of a way, with its number; the wider the more."""
    x, y = place[other][0], place[one][1]
    return (
        f"<g><title>{one} imports {other}: {count}</title>"
        f'<circle class="dot" cx="{x}" cy="{y}" r="{min(9 + count // 4, 16)}"/>'
        f'<text x="{x}" y="{y}">{count}</text></g>'
    )


def _box(name: str, x: int, y: int) -> str:
    return (
        f'<rect class="room" x="{x - 33}" y="{y - 13}" width="66" height="26" rx="4"/>'
        f'<text x="{x}" y="{y}">{name}</text>'
    )


def _said(height: int) -> Iterator[str]:
    """How to read it, in the corner where nothing is imported."""
    words = [
        "From a room to the right, then down into one that it imports;",
        "the number says in how many of its modules.",
        "Nothing leads up: data flows one way.",
        f"{BASE}: {', '.join(files())}",
    ]
    for k, line in enumerate(words):
        yield f'<text x="{EDGE - 20}" y="{height - EDGE - 22 * (len(words) - 1 - k)}">{line}</text>'


def numbers(picture: str) -> dict[tuple[str, str], int]:
    """What a picture says of imports."""
    said = re.findall(r"<title>(\w+) imports (\w+): (\d+)</title>", picture)
    return {(one, other): int(count) for one, other, count in said}


def boxes(picture: str) -> list[str]:
    """The rooms in a picture."""
    return re.findall(r'class="room".*?<text[^>]*>(\w+)</text>', picture)


def page(text: str) -> str:
    """A page with its table of rooms made anew, between its two marks."""
    marks = r"(<!-- rooms -->\n).*?(<!-- end -->)"
    return re.sub(marks, lambda m: f"{m[1]}{table()}\n{m[2]}", text, flags=re.DOTALL)


def lines() -> dict[str, int]:
    """How many lines each room has, and the single files together."""
    found = {room: sum(map(_lines, (PACKAGE / room).rglob("*.py"))) for room in rooms()}
    return {**found, BASE: sum(map(_lines, PACKAGE.glob("*.py")))}


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
    for path in PAGES:
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
    for name, count in lines().items():
        sys.stdout.write(f"{name:10}{count:7,}\n")
