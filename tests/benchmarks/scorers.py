"""The results of a round by two scorers at one time, in two real browsers, slips in any order; see
README.md beside this file.

python tests/benchmarks/scorers.py -o tests/benchmarks/results/scorers.csv
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from browser import CHROMIUM

from pairopt.folder import new, pair
from pairopt.folder.open_folder import read_folder_state

KEYS = {"1": "3-0", "2": "1-1", "3": "0-3"}
TIMES = """
window.taken = [];
let since = 0, table = "";
addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  since = performance.now();
  table = event.target.value.split(" ")[0];
}, true);
addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
  const told = document.getElementById("told")?.textContent ?? "";
  if (!table || !told.includes(`table ${table}:`)) return;
  const [of, start] = [table, since];
  table = "";
  requestAnimationFrame(() => setTimeout(() => taken.push([of, performance.now() - start])));
}).observe(document.body, { childList: true, subtree: true }));
"""
"""From the last key of a slip until the page says it, painted."""


@dataclass
class Scorer:
    """One of them: what it took, and what went over the line."""

    page: Any
    milliseconds: list[float] = field(default_factory=list)
    presses: list[int] = field(default_factory=list)
    refused: int = 0
    requests: list[Any] = field(default_factory=list)

    async def begin(self, address: str) -> None:
        """Open the results, with the focus in the lane."""
        await self.page.add_init_script(TIMES)
        await self.page.goto(f"{address}results")
        await self.page.keyboard.press("/")
        await self.page.locator("#slip:focus").wait_for()
        self.page.on("requestfinished", lambda request: self.requests.append(request))

    async def write(self, slips: Sequence[tuple[int, str]]) -> None:
        """One slip after another, each as soon as the page has said the one before."""
        for number, (table, key) in enumerate(slips, 1):
            beside = (" ", key, "Enter")
            await self.page.keyboard.type(str(table))
            for each in beside:
                await self.page.keyboard.press(each)
            self.presses.append(len(beside))
            script = (
                "k => taken.length >= k || document.querySelector('.refused, .asks')"
            )
            await self.page.wait_for_function(
                script, arg=number - self.refused, timeout=60_000
            )
            if await self.page.locator(".refused, .asks").count():
                self.refused += 1
                await self.page.keyboard.press("n")
        self.milliseconds = [took for _, took in await self.page.evaluate("taken")]

    async def sent(self) -> tuple[list[int], int]:
        """The bytes of each result, and of everything, there and back with all heads."""
        results, every = [], 0
        for request in self.requests:
            size = sum((await request.sizes()).values())
            every += size
            if request.method == "POST":
                results.append(size)
        return results, every


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server in a process of its own."""
    command = [sys.executable, "-m", "pairopt", "serve", str(folder), "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield process.stderr.readline().split(" is at ")[1].split()[0]
        finally:
            process.kill()


async def both(address: str, slips: Sequence[tuple[int, str]]) -> list[Scorer]:
    """Two scorers, each with every second slip."""
    from playwright.async_api import async_playwright

    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        scorers = [
            Scorer(await (await browser.new_context()).new_page()) for _ in range(2)
        ]
        await asyncio.gather(*(scorer.begin(address) for scorer in scorers))
        await asyncio.gather(
            *(each.write(slips[k::2]) for k, each in enumerate(scorers))
        )
        for scorer in scorers:
            scorer.requests = [await scorer.sent()]
        await browser.close()
    return scorers


def measured(players: int, most: int, seed: int) -> dict[str, Any]:
    """A row for the first round of an event of so many players."""
    load, draw = os.getloadavg()[0], random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        folder, listed = Path(place) / "event", Path(place) / "players.csv"
        pd.DataFrame({"player": [f"Player {k}" for k in range(players)]}).to_csv(
            listed, index=False
        )
        new(folder, listed)
        pair(folder)
        slips = [(k + 1, draw.choice([*KEYS])) for k in range(players // 2)]
        draw.shuffle(slips)
        slips = slips[:most]
        with serving(folder) as address:
            scorers = asyncio.run(both(address, slips))
        matches = pd.read_csv(folder / "matches.csv", dtype=str).set_index("table")
        found = (matches["score1"] + "-" + matches["score2"]).dropna().to_dict()
        wrong = sum(found.get(str(table)) != KEYS[key] for table, key in slips)
        steps = len(read_folder_state(folder).journal.steps())
    took = (
        pd.Series([each for scorer in scorers for each in scorer.milliseconds]) / 1000
    )
    sizes = pd.Series([size for scorer in scorers for size in scorer.requests[0][0]])
    every = sum(scorer.requests[0][1] for scorer in scorers)
    return {
        "players": players,
        "slips": len(slips),
        "steps": steps,
        "presses": max(each for scorer in scorers for each in scorer.presses),
        "refused": sum(scorer.refused for scorer in scorers),
        "wrong": wrong,
        "median_s": round(took.median(), 3),
        "p95_s": round(took.quantile(0.95), 3),
        "worst_s": round(took.max(), 3),
        "result_bytes": int(sizes.median()),
        "all_bytes": round(every / len(slips)),
        "load_before": round(load, 1),
    }


@click.command()
@click.option("--players", default=[40, 300, 3000], multiple=True, show_default=True)
@click.option("--slips", default=300, show_default=True, help="At most, of each event.")
@click.option("--seed", default=1, show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False))
def main(players: tuple[int, ...], slips: int, seed: int, output: str | None) -> None:
    """Measure two scorers at events of so many players."""
    rows = []
    for count in players:
        rows.append(measured(count, slips, seed))
        click.echo(pd.DataFrame(rows[-1:]).to_string(index=False))
        if output is not None:
            pd.DataFrame(rows).to_csv(output, index=False)


if __name__ == "__main__":
    main()
