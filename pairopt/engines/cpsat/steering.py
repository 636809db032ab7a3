"""Steering: the parameters of CP-SAT that hold for every solve."""

from __future__ import annotations

from typing import Any

from pairopt.budget import Budget


def steer(parameters: Any, budget: Budget, attempt: int = 0) -> None:
    """Make a solve repeatable and exact, and give it the time that is left."""
    # it would take Ctrl-C from a program that solves beside other work, and never give it back
    parameters.catch_sigint_signal = False
    parameters.num_workers = budget.workers
    parameters.interleave_search = budget.workers > 1  # repeatable with several
    parameters.random_seed = (budget.seed + attempt) % 2**31
    # measured: without these the class model takes seconds where it now takes milliseconds
    parameters.linearization_level = 2
    parameters.cp_model_probing_level = 0
    parameters.symmetry_level = 0
    # the gap is taken in floating point: any but 0 calls large objectives optimal too early
    parameters.absolute_gap_limit = 0.0
    parameters.relative_gap_limit = 0.0
    if (left := budget.left()) is not None:
        parameters.max_time_in_seconds = max(left, 0)
