"""Fill the generated sections of the documentation, and write one page for each command.

    python tests/make/make_pages.py                     all pages
    python tests/make/make_pages.py docs/rules.md       only this page

A page marks a generated section by the comment `<!-- from code: NAME -->`; NAME is a key of `PARTS` in
docs/from_code.py. The script writes the text below it and closes it with `<!-- end of NAME -->`.
Most sections are in docs/rules.md, docs/api.md and docs/models.md.
The pages docs/commands/*.md are generated as a whole."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
COMMANDS = DOCS / "commands"
sys.path.insert(0, str(DOCS))

from from_code import SECTION, command_pages, filled  # noqa: E402


def pages_with_sections() -> list[Path]:
    """List the pages that have generated sections."""
    sources = (
        path
        for path in sorted(DOCS.rglob("*.md"))
        if "_build" not in path.parts and path.parent != COMMANDS
    )
    return [path for path in sources if SECTION.search(path.read_text("utf-8"))]


def write_pages(paths: list[Path]) -> None:
    """Fill the generated sections of these pages."""
    for path in paths:
        path.write_text(filled(path.read_text("utf-8")), "utf-8")


def write_command_pages() -> None:
    """Write a page for each command, and remove the pages of commands that are gone."""
    pages = command_pages()
    COMMANDS.mkdir(exist_ok=True)
    for path in COMMANDS.glob("*.md"):
        if path.stem not in pages:
            path.unlink()
    for stem, page in pages.items():
        (COMMANDS / f"{stem}.md").write_text(page, "utf-8")


def main() -> None:
    named = [Path(name).resolve() for name in sys.argv[1:]]
    write_pages(named or pages_with_sections())
    if not named:
        write_command_pages()


if __name__ == "__main__":
    main()
