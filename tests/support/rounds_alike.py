"""Rounds alike: a study's table against the one that is made again from its folder's games."""

from __future__ import annotations

import numpy as np
import pandas as pd

SOLVED = ("engine", "status", "levels", "seconds")
"""What only who solves a round knows of it."""


def require_alike(
    kept: pd.DataFrame, frame: pd.DataFrame, own: tuple[str, ...] = ()
) -> None:
    """The same rows with the same numbers; metrics of one's `own` stand in the last round."""
    assert len(kept) == len(frame)
    last = (frame["round"] == frame["round"].max()).to_numpy()
    for column in (name for name in frame if name not in SOLVED):
        rows = last if column in own else np.ones(len(frame), np.bool_)
        one, two = (
            each.loc[rows, column].reset_index(drop=True)
            if column in each
            else pd.Series(np.nan, range(rows.sum()))
            for each in (kept, frame)
        )
        if two.dtype.kind in "iuf":
            np.testing.assert_allclose(
                one.astype(float), two, rtol=2e-6, err_msg=str(column)
            )
        else:
            assert one.astype(str).tolist() == two.astype(str).tolist(), column
