"""Take pictures of the front of a checkout: its README, and the first page of its built site.

python tests/make/make_front_pictures.py CHECKOUT SITE OUT

SITE is what `sphinx-build CHECKOUT/docs SITE` has made. OUT gets the two pages as they are seen at
830 and at 360 pixels, and what is said of each is its words, and how many screens it is long.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import browser
from markdown_it import MarkdownIt

VIEWS = {830: 900, 360: 740}
STYLE = """body { margin: 0 auto; max-width: 790px; padding: 20px; font: 16px/1.5 sans-serif;
  overflow-wrap: break-word } img { max-width: 100% } table { display: block; overflow: auto }
  pre { background: #f6f8fa; padding: 16px; overflow: auto; font-size: 85% }
  h1, h2 { border-bottom: 1px solid #d1d9e0 }"""
"""As close as need be to how repositories show a README."""


def draw(checkout: Path, site: Path, out: Path) -> None:
    """Take the pictures of both pages at both widths."""
    text = (checkout / "README.md").read_text("utf-8")
    page = checkout / "README.front.html"
    made = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    page.write_text(
        f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{made}", "utf-8"
    )
    out.mkdir(parents=True, exist_ok=True)
    try:
        with browser.launched() as chromium:
            for name, path in (("readme", page), ("docs", site / "index.html")):
                for width, height in VIEWS.items():
                    size = {"width": width, "height": height}
                    with browser.page(chromium, viewport=size) as shown:
                        shown.goto(path.resolve().as_uri())
                        shown.screenshot(
                            path=str(out / f"{name}-{width}.png"), full_page=True
                        )
                        high = shown.evaluate("document.documentElement.scrollHeight")
                        body = shown.locator("article, body").first.inner_text()
                        words = len(body.split())
                        print(
                            f"{name} at {width}: {words} words, {high / height:.1f} screens"
                        )
    finally:
        page.unlink()


if __name__ == "__main__":
    draw(*map(Path, sys.argv[1:]))
