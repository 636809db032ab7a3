"""Published names: what the classes that studies are made of are called in their registrations.

A study registers its models and worlds before a game is played. The registration names the class
of each part, and its SHA-256 is published. So a class keeps the name of version 1.0.0 there, also
if it is renamed or moved to another module.

If you rename or move a class, add its published name and its new place to `CLASSES`. A new class
needs no entry: its published name is its place. `tests/frozen` has the names that must stay.
"""

from collections.abc import Mapping
from typing import Final

CLASSES: Final[Mapping[str, str]] = {
    "pairopt.rules.constraints.asked_for:Excepting": "pairopt.rules.constraints.requested:WithExceptions",
    "pairopt.rules.constraints.asked_for:FixedTables": "pairopt.rules.constraints.requested:FixedMatches",
    "pairopt.rules.constraints.asked_for:ForbiddenBye": "pairopt.rules.constraints.requested:ForbiddenBye",
    "pairopt.rules.constraints.asked_for:ForbiddenPairs": "pairopt.rules.constraints.requested:ForbiddenPairs",
    "pairopt.rules.constraints.asked_for:ForcedBye": "pairopt.rules.constraints.requested:ForcedBye",
    "pairopt.rules.constraints.asked_for:ForcedPairs": "pairopt.rules.constraints.requested:ForcedPairs",
}
"""The place of each class that was renamed or moved, by its published name.

Both are `module:Class`.
"""
_NAMES: Final[Mapping[str, str]] = {place: name for name, place in CLASSES.items()}


def published_name(place: str) -> str | None:
    """Look up the published name of a class that was renamed or moved.

    `place` is where the class is now; place and name are `module:Class`. None for any
    other class, whose published name is its place.
    """
    return _NAMES.get(place)
