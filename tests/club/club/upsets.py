"""Metric `upsets`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pairopt.extend import Measured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pairopt.extend import Tournament


@dataclass(frozen=True)
class Upsets:
    """The share of decisive games that the weaker player has won."""

    kind: ClassVar[str] = "upsets"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {"upsets": (0, 1)}

    def __call__(self, played: Tournament, /) -> Measured:
        games = played.games.take(played.games.second >= 0)
        ahead = games.score1 - games.score2
        stronger = played.strength[games.first] - played.strength[games.second]
        return float((ahead * stronger < 0)[ahead != 0].mean()) if ahead.any() else None
