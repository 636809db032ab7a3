"""Holm's correction of p-values for multiple tests."""

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def correct_by_holm(p: Values) -> Values:
    """Return p-values, shape (n,), corrected by Holm's step-down method.

    They are in the order of `p`, and at most 1. The correction holds under any
    dependence of the tests. Unlike max-t it needs nothing to resample. Source: Holm,
    Scandinavian Journal of Statistics 6 (1979).
    """
    smallest_first = np.argsort(p, kind="stable")
    hypotheses_left = np.arange(len(p), 0, -1)
    corrected_values = np.empty(len(p))
    corrected_values[smallest_first] = np.minimum(
        np.maximum.accumulate(hypotheses_left * p[smallest_first]), 1
    )
    return corrected_values
