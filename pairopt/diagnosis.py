"""Diagnosis: which rules and players clash when no pairing satisfies the constraints."""

from __future__ import annotations

from pairopt.engines.base import Options
from pairopt.problem import Problem


def why_infeasible(problem: Problem, options: Options) -> tuple[str, ...]:
    return ()
