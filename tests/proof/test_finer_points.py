"""Points of a later round that are finer leave a kept proof as it is, in models and systems."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from pairopt.folder import check_proofs, pair, result
from pairopt.folder.create import new


@pytest.mark.long
@pytest.mark.parametrize("model", ["fide-dutch", "fide-burstein", "standard", "monrad"])
def test_halves_after_a_round_without(model: str, tmp_path: Path) -> None:
    listed, folder = tmp_path / "players.csv", tmp_path / "event"
    names = [f"p{k}" for k in range(7)]
    pd.DataFrame({"player": names, "rating": range(2000, 1930, -10)}).to_csv(
        listed, index=False
    )
    new(
        folder,
        listed,
        model=model,
        rounds=5,
        sides=["white", "black"],
        points="1-0.5-0",
    )
    for score in ("1-0", "0-1", "½-½"):
        pair(folder)
        for table in ("1", "2", "3"):
            result(folder, table, score)
        for found in check_proofs(folder):
            assert found.holds, found.faults
            assert found.step is None
