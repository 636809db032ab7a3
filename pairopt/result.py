"""Result: what a solve hands back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pairopt.criteria.base import Label
from pairopt.engines.base import Status
from pairopt.pairing import COLUMNS, MatchRow

if TYPE_CHECKING:
    import pandas as pd

    from pairopt.choosing.choice import Choice


@dataclass(frozen=True, slots=True)
class LevelValue:
    """A level's value and bound as integers; in points or matches they are over `scale`.

    `bound` is what no pairing can be below given that the levels before are at theirs, None
    where nothing is known. `proven` is None for what a weighted sum is made of.
    """

    criterion: str
    level: Label
    value: int | None
    bound: int | None
    scale: int
    proven: bool | None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Clash:
    """Why nothing fits: under these rules, these players cannot all be paired.

    Take any one of the rules or players away and they can.
    """

    rules: tuple[str, ...]
    players: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """A paired round, or why there is none.

    `matches` are the rows of matches.csv, `level_values` the model's levels in order,
    `conflicts` says in sentences what clashes when the status is "infeasible", `clash` names
    a smallest set of rules and players. `choice` says how the pairing was taken from the optimal
    ones and how many there are, None if nobody asked or no optimum is proven.
    """

    status: Status
    round: int
    model: str
    objective: str
    engine: str
    seed: int
    level_values: tuple[LevelValue, ...]
    matches: tuple[MatchRow, ...]
    conflicts: tuple[str, ...] = ()
    clash: Clash | None = None
    choice: Choice | None = None
    notes: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def proven(self) -> bool:
        """Whether no pairing is better."""
        return self.status == "optimal"

    @property
    def levels(self) -> pd.DataFrame:
        """One row a level: criterion, level, value, bound, scale, proven."""
        import pandas as pd

        columns = ("criterion", "level", "value", "bound", "scale", "proven")
        rows = [[getattr(level, name) for name in columns] for level in self.level_values]
        return pd.DataFrame(rows, columns=list(columns), dtype=object)

    @property
    def pairings(self) -> pd.DataFrame:
        """The round's rows with the columns of matches.csv."""
        import pandas as pd

        return pd.DataFrame(list(self.matches), columns=list(COLUMNS), dtype=object)

    def to_dict(self, timings: bool = False) -> dict[str, Any]:
        """The JSON form of the result."""
        content: dict[str, Any] = {
            "round": self.round,
            "model": self.model,
            "objective": self.objective,
            "engine": self.engine,
            "status": self.status,
            "levels": [
                {
                    "criterion": level.criterion,
                    "level": level.level,
                    "value": level.value,
                    "bound": level.bound,
                    "scale": level.scale,
                    "proven": level.proven,
                }
                for level in self.level_values
            ],
            "pairings": [dict(row) for row in self.matches],
            "conflicts": list(self.conflicts),
            "seed": self.seed,
        }
        if self.choice is not None:
            content["choice"] = self.choice.to_dict()
        if timings:
            content["seconds"] = round(self.seconds, 6)
        return content
