"""Phones and an organiser at one time on `pairopt serve --share`; see README.md beside this file.

python tests/benchmarks/serve_load.py -o tests/benchmarks/results/serve_load.csv
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from organiser import fields

from pairopt.folder import new
from pairopt.folder.desk import seen

EVERY = 5.0
"""Seconds between two questions of a phone, as its page asks."""
PAGES = (("/pairings", 2), ("/standings", 1), ("", 7))
"""Of ten phones so many show a page; the others their own player's."""
SCORES = ("3-0", "0-3", "1-1", "3-0")


@dataclass
class Log:
    """What each kind of request took, in seconds, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, since: float, status: int) -> None:
        """One answer."""
        self.seconds.setdefault(kind, []).append(time.perf_counter() - since)
        self.errors[kind] = self.errors.get(kind, 0) + (status not in (200, 303, 304))

    def table(self) -> pd.DataFrame:
        """A row a kind: answers, errors and milliseconds."""
        rows = []
        for kind, taken in self.seconds.items():
            ms = pd.Series(taken) * 1000
            rows.append({"kind": kind, "answers": len(ms), "errors": self.errors[kind],
                         "median_ms": ms.median(), "p95_ms": ms.quantile(0.95),
                         "worst_ms": ms.max()})  # fmt: skip
        return pd.DataFrame(rows).round(1)


class Phone:
    """A phone that shows one page, and asks whether there is a newer one."""

    def __init__(self, host: str, port: int, path: str, log: Log) -> None:
        self.host, self.port, self.path, self.log = host, port, path, log
        self.tag = ""
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def follow(self, after: float, until: float) -> None:
        """Ask every EVERY seconds, the first time after so many."""
        due = time.perf_counter() + after
        while due < until:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            start = time.perf_counter()
            try:
                status = await asyncio.wait_for(self._ask(), 30)
            except (OSError, EOFError, ValueError, TimeoutError):
                self.streams, status = None, 0
            self.log.add("phone", start, status)
            due += EVERY

    async def _ask(self) -> int:
        if self.streams is None or self.streams[0].at_eof():
            self.streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self.streams
        head = f"GET {self.path} HTTP/1.1\r\nhost: {self.host}:{self.port}\r\n"
        writer.write(f"{head}if-none-match: {self.tag}\r\n\r\n".encode())
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
        await reader.readexactly(int(headers.get("content-length", "0")))
        self.tag = headers.get("etag", "")
        return int(lines[0].split()[1])


class Organiser:
    """Who writes down results, pairs and publishes, on the page."""

    def __init__(self, address: str, folder: Path, log: Log) -> None:
        self.address, self.folder, self.log = address.rstrip("/"), folder, log

    def run(self, until: float, rest: float) -> None:
        """Rounds until the time is over; a result every `rest` seconds."""
        while time.perf_counter() < until:
            self._publish()
            number = seen(self.folder).rounds()
            tables = [row["table"] for row in seen(self.folder).matches.rows
                      if row["round"] == str(number) and row.get("player2")]  # fmt: skip
            for k, table in enumerate(tables):
                page = self._ask("results page", f"/results?round={number}")
                form = {**fields(page, "/results/score"), "table": table,
                        "score": SCORES[k % len(SCORES)]}  # fmt: skip
                self._ask("result", f"/results/score?round={number}", form)
                time.sleep(rest)

    def _publish(self) -> None:
        preview = self._ask("pair", "/round/draft")
        self._ask("publish", "/round/draft/publish", fields(preview, "/round/draft/publish"))

    def _ask(self, kind: str, path: str, form: dict[str, object] | None = None) -> str:
        data = None if form is None else urllib.parse.urlencode(form, doseq=True).encode()
        request = urllib.request.Request(  # noqa: S310 - http, as it was said
            self.address + path, data, {"origin": self.address}
        )
        start = time.perf_counter()
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                text, status = answer.read().decode(), answer.status
        except OSError as error:
            click.echo(f"{kind}: {error}", err=True)
            text, status = "", 0
        self.log.add(kind, start, status)
        return str(text)


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, int]]:
    """The organiser's address and the phones' port of a server in a process of its own."""
    command = [sys.executable, "-m", "pairopt", "serve", str(folder), "--no-browser", "--share"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        mine, theirs, _ = (process.stderr.readline() for _ in range(3))
        try:
            yield mine.split(" is at ")[1].split()[0], int(theirs.strip("/\n").rpartition(":")[2])
        finally:
            process.kill()


async def crowd(phones: int, players: int, port: int, until: float, log: Log) -> None:
    """All phones, spread over the seconds between two questions."""
    kinds = [path for path, times in PAGES for _ in range(times)]
    paths = [kinds[k % len(kinds)] or f"/player?id=Player+{k % players}" for k in range(phones)]
    await asyncio.gather(*(
        Phone("127.0.0.1", port, path, log).follow(EVERY * k / phones, until)
        for k, path in enumerate(paths)
    ))  # fmt: skip


@click.command()
@click.option("--players", default=120, show_default=True)
@click.option("--phones", default=300, show_default=True)
@click.option("--seconds", default=180.0, show_default=True)
@click.option("--rest", default=0.5, show_default=True, help="Seconds between two results.")
@click.option("-o", "--output", type=click.Path(dir_okay=False))
def main(players: int, phones: int, seconds: float, rest: float, output: str | None) -> None:
    """Measure an event of --players with --phones beside it."""
    log = Log()
    with tempfile.TemporaryDirectory() as place:
        folder, listed = Path(place) / "event", Path(place) / "players.csv"
        pd.DataFrame({"player": [f"Player {k}" for k in range(players)]}).to_csv(
            listed, index=False
        )
        new(folder, listed, sides=("corp", "runner"))
        with serving(folder) as (address, port):
            until = time.perf_counter() + seconds
            organiser = Organiser(address, folder, log)

            async def both() -> None:
                beside = asyncio.to_thread(organiser.run, until, rest)
                await asyncio.gather(crowd(phones, players, port, until, log), beside)

            asyncio.run(both())
    table = log.table()
    click.echo(table.to_string(index=False))
    if output is not None:
        table.to_csv(output, index=False)


if __name__ == "__main__":
    main()
