"""Write what the commands of a page print into the page:

    python tests/make/make_outputs.py                          all pages that show outputs
    python tests/make/make_outputs.py docs/how-to/league.md    only this page

tests/support/outputs.py says how a page marks an output."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from outputs import pages_with_outputs, with_outputs


def main() -> None:
    named = [Path(name).resolve() for name in sys.argv[1:]]
    failed = False
    for path in named or pages_with_outputs():
        try:
            page = with_outputs(path.read_text("utf-8"))
        except AssertionError as error:
            print(f"{path.name}: {error}")
            failed = True
            continue
        path.write_text(page, "utf-8")
    sys.exit(failed)


if __name__ == "__main__":
    main()
