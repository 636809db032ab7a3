"""Draw the faults of `drawn_faults.toml`: so many per package as it has places for them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from random import Random

from drawn_faults import Fault
from fault_anchors import AnchorError, format_header, list_places, make_anchor, plant
from mutants import count_places, mutant_at
from nearest import ROOT, modules

LEAST = 3
"""Each package has at least so many faults."""


def draw_faults(number: int, seed: str) -> list[Fault]:
    """Draw so many faults, all in different places, and sort them by module."""
    places: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for path in modules():
        parts = path.split("/")
        package = parts[1] if len(parts) > 2 else ""
        places[package] += [(path, place) for place in range(count_places(path))]

    rng = Random(int(seed, 16))
    faults: list[Fault] = []
    shares = share_out(number, {package: len(some) for package, some in places.items()})
    for package, share in sorted(shares.items()):
        faults += _draw_some(places[package], share, rng)
    return sorted(faults, key=lambda fault: (fault.module, fault.scope))


def share_out(number: int, sizes: Mapping[str, int]) -> dict[str, int]:
    """Share a number out by size (largest remainders), with a least number for each."""
    rest = number - LEAST * len(sizes)
    total = sum(sizes.values())
    exact = {name: rest * size / total for name, size in sizes.items()}
    shares = {name: int(value) for name, value in exact.items()}

    by_remainder = sorted(sizes, key=lambda name: (shares[name] - exact[name], name))
    for name in by_remainder[: rest - sum(shares.values())]:
        shares[name] += 1
    return {name: share + LEAST for name, share in shares.items()}


def _draw_some(places: list[tuple[str, int]], number: int, rng: Random) -> list[Fault]:
    faults: dict[str, Fault] = {}
    for path, place in rng.sample(places, len(places)):
        if len(faults) == number:
            break
        mutant = mutant_at(path, place, rng)
        fault = mutant and describe_fault(path, mutant.code)
        if fault:
            faults[fault.name] = fault
    return list(faults.values())


def describe_fault(path: str, changed: str) -> Fault | None:
    """Anchor a fault; None where it changes no statement, more than one, or only a docstring."""
    code = (ROOT / path).read_text("utf-8")
    before = list_places(ast.parse(code))
    after = list_places(ast.parse(changed))
    pairs = [
        (old, new)
        for old, new in zip(before, after, strict=True)
        if old.shape != new.shape
    ]
    if len(pairs) != 1:
        return None

    old, new = pairs[0]
    anchor = make_anchor(code, old)
    fault = Fault(
        path, old.scope, anchor.statement, format_header(new.node), anchor.occurrence
    )
    try:
        plant(code, anchor, fault.changed)
    except AnchorError:
        return None
    return fault
