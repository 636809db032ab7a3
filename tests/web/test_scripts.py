"""The scripts of the page by themselves, in a real browser but without a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import pytest

import pairopt.web

STATIC = Path(pairopt.web.__file__).parent / "static"
PAGE = """
<main id="main">
  <button data-key="p">Pair</button>
  <input name="name" value="Ann">
  <input type="checkbox" name="swap">
  <details><summary>More</summary>of it</details>
  <p>Some words</p>
</main>
<script>
  const clicked = [];
  document.addEventListener("click", (event) => clicked.push(event.target.textContent));
</script>
"""
PRESSED = """how => {
  const event = new KeyboardEvent("keydown", { key: "p", bubbles: true, cancelable: true, ...how });
  (document.activeElement ?? document.body).dispatchEvent(event);
  return [clicked.splice(0), event.defaultPrevented];
}"""
"""What a key has clicked, and whether the browser is kept from doing anything of its own."""


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    with browser.page(chromium) as made:
        made.set_content(PAGE)
        for name in ("page.js", "place.js", "newer.js"):
            made.add_script_tag(path=STATIC / name)
        yield made


def test_keys_of_the_browser_stay_its_own(page: Any) -> None:
    assert page.evaluate(PRESSED, {}) == [["Pair"], True]
    assert page.evaluate(PRESSED, {"shiftKey": True}) == [["Pair"], True]
    for held in ("ctrlKey", "altKey", "metaKey"):  # Ctrl+P prints
        assert page.evaluate(PRESSED, {held: True}) == [[], False]
    page.focus("[name=name]")
    assert page.evaluate(PRESSED, {}) == [[], False]
    page.focus("[name=swap]")
    assert page.evaluate(PRESSED, {}) == [["Pair"], True]


def test_a_page_is_not_replaced_under_somebodys_hands(page: Any) -> None:
    def at_work() -> bool:
        return bool(page.evaluate("at_work(document.getElementById('main'))"))

    assert not at_work()
    page.focus("[name=name]")
    assert at_work()  # before the first letter
    page.evaluate("document.activeElement.blur()")
    assert not at_work()
    page.fill("[name=name]", "Zoe")
    page.evaluate("document.activeElement.blur()")
    assert at_work()
    page.fill("[name=name]", "Ann")
    page.evaluate("document.activeElement.blur()")
    assert not at_work()
    page.check("[name=swap]")
    assert at_work()
    page.uncheck("[name=swap]")
    assert not at_work()
    page.evaluate("document.querySelector('details').open = true")
    assert at_work()
    page.evaluate("document.querySelector('details').open = false")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('p'))")
    assert at_work()
