"""Numbers of options: in ASCII digits, and always between two bounds."""

from __future__ import annotations

import re
from typing import Any

import click

from pairopt.wording import quoted

WHOLE = re.compile(r"-?[0-9]+")
REAL = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,9})?", re.IGNORECASE)


class Whole(click.IntRange):
    """A whole number from `least` to `most`."""

    def __init__(self, least: int, most: int) -> None:
        super().__init__(least, most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click has it, which takes any digits that Python knows."""
        if isinstance(value, str) and not WHOLE.fullmatch(value):
            self.fail(f"found {quoted(value)}, expected a whole number", param, ctx)
        return super().convert(value, param, ctx)


class Real(click.FloatRange):
    """A finite number from `least` to `most`; `open` where it cannot be `most` itself."""

    def __init__(self, least: float, most: float, open: bool = False) -> None:
        super().__init__(least, most, max_open=open)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click has it, which takes inf and nan too."""
        if isinstance(value, str) and not REAL.fullmatch(value):
            self.fail(f"found {quoted(value)}, expected a number", param, ctx)
        return super().convert(value, param, ctx)
