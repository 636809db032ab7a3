"""Print for which versions of Python and which systems all needed packages have wheels.

    python tests/make/make_wheels_table.py

It asks the package index through `uv pip compile`, so it needs a network and uv. No test runs it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
SYSTEMS = {
    "Linux": "x86_64-unknown-linux-gnu",
    "Windows": "x86_64-pc-windows-msvc",
    "macOS": "aarch64-apple-darwin",
}


def resolve(python: str, platform: str) -> tuple[bool, str]:
    """Whether everything resolves to wheels; the version of OR-Tools, or uv's reason."""
    command = [
        "uv",
        "pip",
        "compile",
        "--quiet",
        "--only-binary",
        ":all:",
        "--no-header",
    ]
    command += ["--python-version", python, "--python-platform", platform]
    command += [str(ROOT / "pyproject.toml"), "--extra", "web"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return False, " ".join(done.stderr.split())

    versions = [
        line for line in done.stdout.splitlines() if line.startswith("ortools==")
    ]
    return True, versions[0].partition("==")[2] if versions else "without OR-Tools"


def main() -> int:
    print("| Python |", " | ".join(SYSTEMS), "|")
    print("|---|" + "---|" * len(SYSTEMS))
    reasons: list[str] = []
    for python in PYTHONS:
        cells: list[str] = []
        for system, platform in SYSTEMS.items():
            resolves, said = resolve(python, platform)
            cells.append(said if resolves else "no")
            if not resolves:
                reasons.append(f"{python}, {system}: {said}")
        print(f"| {python} |", " | ".join(cells), "|", flush=True)
    print(*reasons, sep="\n")
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main())
