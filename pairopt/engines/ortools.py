"""OR-Tools: check whether it is installed, and build the error if it is not.

Versions of Python that OR-Tools has no wheels for install pairopt without it. Rounds
are then paired by matching alone. What needs CP-SAT or its linear programs stops with
an error.
"""

import platform

from pairopt.engines.base import UnsupportedError


def has_ortools() -> bool:
    """Return whether OR-Tools can be imported."""
    try:
        import ortools  # noqa: F401
    except ImportError:
        return False
    return True


def make_ortools_error() -> UnsupportedError:
    """Return the error for a feature that needs OR-Tools if it is not installed."""
    return UnsupportedError("engine.no_ortools", python=platform.python_version())
