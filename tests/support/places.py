"""Where things are: the checkout, the sample event, and real files that may be beside it."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples" / "weekly"
DATA = ROOT / "tests" / "data"
"""A small file of each format, made for the tests."""
REAL = ROOT.parent / "shared" / "data"
"""Public tournament records, not part of the project: tests that need them skip without."""
