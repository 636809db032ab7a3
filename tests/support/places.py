"""Where things are: the checkout, the sample event, and real files that may be beside it."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples" / "weekly"
REAL = ROOT.parent / "shared" / "data"
"""Public tournament records, not part of the project: tests that need them skip without."""
