"""A real browser: Debian's chromium, driven by Playwright; the fixture `chromium` is one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

PATIENCE = 300_000
"""Milliseconds that keep a broken page from hanging. A busy machine is never that slow."""

FONTS = ["DejaVu Sans", "Liberation Sans", "Noto Sans"]
"""What machines have; one that is not there is the browser's own choice."""

UNSEEN = (
    "AimEnabled,AvoidCorsURLLoaderRestartOnRedirect,AvoidUnnecessaryBeforeUnloadCheckSync,"
    "DestroyProfileOnBrowserClose,HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,LensOverlay,"
    "MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,PreconnectToSearch,"
    "ThirdPartyStoragePartitioning,"
    "PreloadTopChromeWebUI,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,WebUIOmniboxPopup"
)
"""Features that are off: Playwright's own, and parts of a window that nobody sees here, which take
a process and 0.1 s for each page."""

BROKEN = """() => {
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode, cell = node.parentElement.closest('th, td, button, a, summary');
    if (!cell || !node.parentElement.checkVisibility() || node.parentElement.closest('.unseen'))
      continue;
    const box = cell.getBoundingClientRect();
    for (const match of node.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const rects = [...range.getClientRects()].filter(rect => rect.width > 0);
      if (new Set(rects.map(rect => Math.round(rect.top))).size > 1 && match[0].length <= 16)
        found.push(`broken: ${match[0]}`);
      if (rects.some(rect => rect.right > box.right + 0.5 || rect.left < box.left - 0.5))
        found.push(`beyond its cell: ${match[0]}`);
    }
  }
  return found;
}"""
"""Words of up to 16 letters on two lines, and words that stick out of their cells."""


def missing() -> str:
    """Why there is no browser; "" where there is one."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright is not installed"
    return "" if CHROMIUM else "chromium is not installed"


@contextmanager
def launched() -> Iterator[Any]:
    """A browser. There can be one at a time."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        off = ["--no-sandbox", f"--disable-features={UNSEEN}"]
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=off)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def page(browser: Any, **options: Any) -> Iterator[Any]:
    """An empty page with cookies of its own."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    try:
        yield context.new_page()
    finally:
        context.close()


def broken(page: Any) -> list[str]:
    """What is wrong with the words and the width of the page as it is shown now."""
    page.evaluate("document.fonts.ready.then(() => null)")
    width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    wide = [f"{width[0]} pixels in {width[1]}"] if width[0] > width[1] else []
    return wide + list(page.evaluate(BROKEN))


def violations(page: Any) -> list[str]:
    """What axe-core finds against WCAG 2.2 AA and its best practices, with the elements."""
    from axe_playwright_python.sync_playwright import Axe

    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    return list(page.evaluate(VIOLATED))


VIOLATED = """async () => (await axe.run({resultTypes: ["violations"]})).violations
  .flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html}`))"""


def pdf_pages(pdf: bytes) -> list[str]:
    """The text of each page of a PDF."""
    from io import BytesIO

    from pypdf import PdfReader

    return [page.extract_text() for page in PdfReader(BytesIO(pdf)).pages]
