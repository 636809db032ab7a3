"""The lower bounds of dependencies are true: the fast tests pass with the lowest of each."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from places import ROOT

UV = shutil.which("uv")


@pytest.mark.slow
@pytest.mark.skipif(UV is None, reason="needs uv")
def test_the_fast_tests_pass_with_the_lowest_versions(tmp_path: Path) -> None:
    assert UV is not None
    home = tmp_path / "lowest"
    python = home / "bin" / "python"
    subprocess.run([UV, "venv", "--quiet", home], check=True, cwd=ROOT)
    lowest = [UV, "pip", "install", "--quiet", "--python", python, "--resolution"]
    subprocess.run([*lowest, "lowest-direct", "-e", ".[test]"], check=True, cwd=ROOT)
    tests = [python, "-m", "pytest", "-m", "fast", "-n", "2", "-p", "no:cacheprovider"]
    done = subprocess.run(tests, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:]
