"""Time hostile proofs at both doors: `python tests/benchmarks/hostile_proofs.py [NAME…]`.

Prints CPU seconds and memory for each file of `tests/attack_proofs/proofs_hostile.py`. A reader of
a proof should be done with each of them after 2 s and 300 MB.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "attack_proofs"), str(TESTS / "support")]

from proofs_hostile import HOSTILE, doors, measured, written  # noqa: E402


def main() -> None:
    for name in sys.argv[1:] or HOSTILE:
        with tempfile.TemporaryDirectory() as folder:
            for door, (module, *arguments) in doors(
                *written(name, Path(folder), "standard")
            ).items():
                # the module of the second door is run by the package
                start = module.removesuffix(".show.cli:main")
                code, seconds, most, _ = measured(
                    [sys.executable, "-m", start, *arguments]
                )
                print(
                    f"{door} {name}: exit {code}, {seconds:.2f} s, {most} MB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
