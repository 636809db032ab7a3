"""Makes docs/door.json, the JSON Schema of requests and answers: python tests/make/make_door.py"""

from __future__ import annotations

import json
from pathlib import Path

from pairopt.show.door.forms import schema

FILE = Path(__file__).parents[2] / "docs" / "door.json"


def text() -> str:
    """The file as the declarations have it."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
