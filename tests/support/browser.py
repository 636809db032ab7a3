"""A real browser for the report: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def missing() -> str:
    """Why there is no browser; "" where there is one."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright is not installed"
    return "" if CHROMIUM else "chromium is not installed"


@contextmanager
def page(**options: Any) -> Iterator[Any]:
    """An empty page of a browser of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser.new_page(**options)
        finally:
            browser.close()
