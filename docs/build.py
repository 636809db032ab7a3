"""Build the site: python docs/build.py [FOLDER]; without a folder docs/_build/html.

Sphinx reads one folder. So that nothing is written beside the sources it reads a copy of the pages,
and adds the notebooks; what pages show of other folders is linked."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from sphinx.cmd.build import main

HERE = Path(__file__).parent


def build(into: Path) -> int:
    """Sphinx's exit code; a warning is an error."""
    with tempfile.TemporaryDirectory() as place:
        pages = Path(place) / "docs"
        shutil.copytree(
            HERE, pages, ignore=shutil.ignore_patterns("_build", "*.py", "__pycache__")
        )
        shutil.copytree(
            HERE.parent / "notebooks",
            pages / "notebooks",
            ignore=shutil.ignore_patterns(".*"),
        )
        for name in ("pairopt", "studies", "examples"):
            (Path(place) / name).symlink_to(HERE.parent / name)
        return main(
            [
                "-q",
                "-W",
                "--keep-going",
                "-b",
                "html",
                "-c",
                str(HERE),
                str(pages),
                str(into),
            ]
        )


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if sys.argv[1:] else HERE / "_build" / "html"))
