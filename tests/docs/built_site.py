"""The built site in a browser: first-time tasks, search, widths, weights, links, organisers' words.

python docs/build.py && python tests/docs/built_site.py docs/_build/html [RESULT.csv]

A reader begins on the front page, and each task is a path of links by their words to a text that
answers it. What is read on the way is counted from the top of each page to the link, and on the
last one to the end of the answer."""

from __future__ import annotations

import csv
import functools
import gzip
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import browser

MOST_PAGES, WORDS_A_MINUTE, MOST_BYTES = 2, 240, 300_000
"""Bytes are as a server sends them, packed."""
TASKS = {
    "install": ((), ".venv/bin/pairopt serve examples/weekly"),
    "pair a round": (("your first event in ten minutes",), "pairopt pair friday"),
    "run an event": (("your first event in ten minutes",), "pairopt serve friday"),
    "give a bye": (("byes, late entries, drops",), "--round 1 --points 3"),
    "run a Magic event": (("best of three",), "--best-of 3"),
    "go on after a crash": (("the laptop died",), "pairopt serve examples/weekly"),
    "cite": (("citing and licence",), "@software"),
    "check a round of a TRF": (("chess in ten minutes",), "pairopt check --all"),
    "compare two orders": (("research in ten minutes",), "pairopt study"),
}
"""Links by their words, from the front page on, and what the last page has to say."""
SEARCHES = {
    "bye": "byes-and-late-players",
    "tie-break": "standings",
    "TRF": "arbiter",
    "rematch": "systems",
}
"""What is searched for, and a page that has to be among the first ten."""
WIDTHS = 360, 1280
ORGANISERS = ("organiser", "organiser-ten", "page", "models")
UNSAID = ("arc", "proven_by", "seed", "settled twice")
"""Words of the program that pages for organisers do without (whole words, outside of code)."""

READ = """([words, last]) => {
  const body = document.querySelector('article, [role=main]');
  const walk = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  let read = '';
  while (walk.nextNode()) {
    read += ' ' + walk.currentNode.data;
    const parent = walk.currentNode.parentElement;
    if (last ? read.replace(/\\s+/g, ' ').includes(words)
             : parent.closest('a') && parent.closest('a').textContent.trim() === words)
      return read.trim().split(/\\s+/).length;
  }
  return -1;
}"""


CUT = "[...document.querySelectorAll('.cell_output')].some(e => e.scrollWidth > e.clientWidth)"


@dataclass(frozen=True)
class Task:
    """How a task went: pages after the front, words read (-1: no answer), seconds of reading."""

    task: str
    pages: int
    words: int
    seconds: float


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The site at an address of this machine."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def done(page: Any, address: str, task: str) -> Task:
    """One task, from the front page on, by clicks."""
    links, answer = TASKS[task]
    page.goto(f"{address}/index.html")
    words = 0
    for link in links:
        words += page.evaluate(READ, [link, False])
        page.locator("article").get_by_role("link", name=link, exact=True).first.click()
        page.wait_for_load_state()
    found = page.evaluate(READ, [answer, True])
    words = words + found if found >= 0 else -1
    return Task(task, len(links), words, round(60 * words / WORDS_A_MINUTE, 1))


def not_found(page: Any, address: str) -> list[str]:
    """Searches whose page is not among the first ten."""
    missed = []
    for words, wanted in SEARCHES.items():
        page.goto(f"{address}/search.html?q={words}")
        page.locator("#search-results li a").first.wait_for()
        page.wait_for_timeout(500)  # results come in one after the other
        found = page.locator("#search-results li a").evaluate_all(
            "all => all.map(a => a.href)"
        )
        if not any(f"/{wanted}.html" in href for href in found[:10]):
            missed.append(f"{words}: {found[:10]}")
    return missed


def looked_at(chromium: Any, address: str, names: list[str]) -> list[str]:
    """Pages wider than their window, narrow and light or wide and dark, or that weigh too much."""
    wrong = []
    for width, scheme in zip(WIDTHS, ("light", "dark"), strict=True):
        view = {"width": width, "height": 800}
        for name in names:
            with browser.page(chromium, viewport=view, color_scheme=scheme) as page:
                answers: list[Any] = []
                page.on("response", lambda answer, seen=answers: seen.append(answer))
                page.goto(f"{address}/{name}", wait_until="load")
                wide = page.evaluate("document.documentElement.scrollWidth")
                cut = page.evaluate(CUT)
                weight = sum(len(gzip.compress(answer.body())) for answer in answers)
            wrong += [f"{name}: {wide} pixels in {width}"] * (wide > width)
            wrong += [f"{name}: an output wider than the page"] * (
                cut and width == WIDTHS[1]
            )
            wrong += [f"{name}: {weight} bytes"] * (
                weight > MOST_BYTES and width == WIDTHS[0]
            )
    return wrong


def dead_links(page: Any, folder: Path, address: str, names: list[str]) -> list[str]:
    """Links inside the site that lead to no file, or to no place on its page."""
    here, wanted = dict[str, set[str]](), list[tuple[str, str]]()
    for name in names:
        page.goto(f"{address}/{name}", wait_until="domcontentloaded")
        found = page.locator("a[href]").evaluate_all("all => all.map(a => a.href)")
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
        here[f"/{name}"] = set(ids)
        wanted += [(name, href) for href in found if href.startswith(address)]
    dead = set()
    for name, href in wanted:
        url, anchor = urldefrag(href)
        path = unquote(urlsplit(url).path)
        if not (folder / path[1:]).exists():
            dead.add(f"{name}: {path}")
        elif anchor and path in here and unquote(anchor) not in here[path]:
            dead.add(f"{name}: {path}#{anchor}")
    return sorted(dead)


def unwanted_words(page: Any, address: str) -> list[str]:
    """Words of the program on pages for organisers, outside of code."""
    found = []
    for name in ORGANISERS:
        page.goto(f"{address}/{name}.html")
        text = page.evaluate(
            "(() => { const it = document.querySelector('article').cloneNode(true);"
            " it.querySelectorAll('code, pre, details').forEach(e => e.remove());"
            " return it.textContent; })()"
        )
        found += [
            f"{name}: {word}"
            for word in UNSAID
            if re.search(rf"\\b{re.escape(word)}s?\\b", text)
        ]
    return found


def main(folder: Path, result: Path | None) -> int:
    """Look at all of it; 1 where something is not as it should be."""
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.html")
        if "_static" not in path.parts
    )
    with served(folder) as address, browser.launched() as chromium:
        with browser.page(chromium) as page:
            tasks = [done(page, address, task) for task in TASKS]
            wrong = [f"search for {each}" for each in not_found(page, address)]
            wrong += [
                f"dead link: {each}"
                for each in dead_links(page, folder, address, names)
            ]
            wrong += [
                f"on a page for organisers: {each}"
                for each in unwanted_words(page, address)
            ]
        wrong += looked_at(chromium, address, names)
    wrong += [
        f"{each}"
        for each in tasks
        if each.pages > MOST_PAGES or not 0 <= each.words <= WORDS_A_MINUTE
    ]
    for line in (*map(str, tasks), f"{len(names)} pages", *wrong):
        print(line)
    if result is not None:
        with result.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerows([[each.name for each in fields(Task)], *map(astuple, tasks)])
    return bool(wrong)


if __name__ == "__main__":
    if reason := browser.missing():
        sys.exit(reason)
    given = [Path(each) for each in sys.argv[1:]]
    sys.exit(main(given[0], given[1] if given[1:] else None))
