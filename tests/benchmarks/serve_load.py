"""Phones and an organiser at one time on `pairopt serve --share`, with few descriptors, and with
connections that only hold on to theirs; see README.md beside this file.

python tests/benchmarks/serve_load.py -o tests/benchmarks/results/serve_load.csv
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from organiser import fields

from pairopt.folder import new
from pairopt.folder.open_folder import read_folder_state

EVERY = 5.0
"""Seconds between two questions of a phone, as its page asks."""
PAGES = (("/pairings", 2), ("/standings", 1), ("", 7))
"""Of ten phones so many show a page; the others their own player's."""
SCORES = ("3-0", "0-3", "1-1", "3-0")
HOLDING = ("", "GET /pair", "GET /pairings HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n\r\n")
"""What connections say that only hold on to theirs: nothing, half a head (letter by letter), or all
of it, to read no answer."""


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
        every = [
            each
            for kind, taken in self.seconds.items()
            if kind != "phone"
            for each in taken
        ]
        errors = sum(count for kind, count in self.errors.items() if kind != "phone")
        seconds = {**self.seconds, "organiser, all": every}
        for kind, taken in seconds.items():
            ms = pd.Series(taken) * 1000
            rows.append(
                {
                    "kind": kind,
                    "answers": len(ms),
                    "errors": self.errors.get(kind, errors),
                    "median_ms": ms.median(),
                    "p95_ms": ms.quantile(0.95),
                    "worst_ms": ms.max(),
                }
            )
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
            status = 0
            for _ in range(2):  # as browsers do where a connection was closed meanwhile
                try:
                    status = await asyncio.wait_for(self._ask(), 30)
                    break
                except (OSError, EOFError, ValueError, TimeoutError):
                    self.streams = None
            self.log.add("phone", start, status)
            due += EVERY

    async def _ask(self) -> int:
        if self.streams is None or self.streams[0].at_eof():
            self.streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self.streams
        head = f"GET {self.path} HTTP/1.1\r\nhost: {self.host}:{self.port}\r\n"
        head += "live: 1\r\naccept-encoding: gzip\r\n"
        writer.write(f"{head}if-none-match: {self.tag}\r\n\r\n".encode())
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
        await reader.readexactly(int(headers.get("content-length", "0")))
        self.tag = headers.get("etag", "")
        return int(lines[0].split()[1])


async def hold(port: int, said: str, until: float) -> None:
    """A connection that is only held; it comes again where it was closed."""
    while time.perf_counter() < until:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
            writer.write(said.format(port=port).encode())
            while not writer.is_closing() and time.perf_counter() < until:
                await asyncio.sleep(1)
                if said.startswith("GET /pair") and "\r" not in said:
                    writer.write(b"i")
            writer.transport.abort()
        await asyncio.sleep(0.2)


class Organiser:
    """Who writes down results, pairs and publishes, on the page."""

    def __init__(self, address: str, folder: Path, log: Log) -> None:
        self.address, self.folder, self.log = address.rstrip("/"), folder, log

    def run(self, until: float, rest: float) -> None:
        """Rounds until the time is over; a result every `rest` seconds."""
        while time.perf_counter() < until:
            self._publish()
            desk = read_folder_state(self.folder)
            number, tables = desk.rounds(), desk.rows.table[desk.rows.open].tolist()
            for k, table in enumerate(tables):
                page = self._ask("results page", f"/results?round={number}")
                form = {
                    **fields(page, "/results/score"),
                    "table": table,
                    "score": SCORES[k % len(SCORES)],
                }
                self._ask("result", f"/results/score?round={number}", form)
                time.sleep(rest)

    def _publish(self) -> None:
        preview = self._ask("pair", "/round/draft")
        self._ask(
            "publish", "/round/draft/publish", fields(preview, "/round/draft/publish")
        )

    def _ask(self, kind: str, path: str, form: dict[str, object] | None = None) -> str:
        data = (
            None if form is None else urllib.parse.urlencode(form, doseq=True).encode()
        )
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
def serving(folder: Path, descriptors: int) -> Iterator[tuple[str, int]]:
    """The organiser's address and the phones' port of a server in a process of its own."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    command = [
        sys.executable,
        "-m",
        "pairopt",
        "serve",
        str(folder),
        "--no-browser",
        "--share",
    ]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=limited
    ) as process:
        assert process.stderr is not None
        mine, theirs, _ = (process.stderr.readline() for _ in range(3))
        try:
            yield (
                mine.split(" is at ")[1].split()[0],
                int(theirs.strip("/\n").rpartition(":")[2]),
            )
        finally:
            process.kill()


async def crowd(
    phones: int, holding: int, players: int, port: int, until: float, log: Log
) -> None:
    """All phones, spread over the seconds between two questions, and who holds connections."""
    kinds = [path for path, times in PAGES for _ in range(times)]
    paths = [
        kinds[k % len(kinds)] or f"/player?id=Player+{k % players}"
        for k in range(phones)
    ]
    follow = (
        Phone("127.0.0.1", port, path, log).follow(EVERY * k / phones, until)
        for k, path in enumerate(paths)
    )
    held = (hold(port, HOLDING[k % len(HOLDING)], until) for k in range(holding))
    await asyncio.gather(*follow, *held)


def measured(
    players: int,
    phones: int,
    holding: int,
    descriptors: int,
    seconds: float,
    rest: float,
) -> pd.DataFrame:
    """An event of so many players beside it all."""
    log, load = Log(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as place:
        folder, listed = Path(place) / "event", Path(place) / "players.csv"
        pd.DataFrame({"player": [f"Player {k}" for k in range(players)]}).to_csv(
            listed, index=False
        )
        new(folder, listed, sides=("corp", "runner"))
        with serving(folder, descriptors) as (address, port):
            until = time.perf_counter() + seconds
            organiser = Organiser(address, folder, log)

            async def both() -> None:
                beside = asyncio.to_thread(organiser.run, until, rest)
                await asyncio.gather(
                    crowd(phones, holding, players, port, until, log), beside
                )

            asyncio.run(both())
    table = log.table()
    for name, value in (
        ("load_before", round(load, 1)),
        ("holding", holding),
        ("phones", phones),
        ("descriptors", descriptors),
    ):
        table.insert(0, name, value)
    return table


@click.command()
@click.option("--players", default=120, show_default=True)
@click.option("--phones", default=1000, show_default=True)
@click.option(
    "--holding",
    default=[0, 1100],
    multiple=True,
    show_default=True,
    help="Connections that are only held.",
)
@click.option(
    "--descriptors",
    default=[256, 1024],
    multiple=True,
    show_default=True,
    help="Of the server, as by `ulimit -n`.",
)
@click.option("--seconds", default=180.0, show_default=True)
@click.option(
    "--rest", default=0.5, show_default=True, help="Seconds between two results."
)
@click.option("-o", "--output", type=click.Path(dir_okay=False))
def main(
    players: int,
    phones: int,
    holding: tuple[int, ...],
    descriptors: tuple[int, ...],
    seconds: float,
    rest: float,
    output: str | None,
) -> None:
    """Measure an event of --players with --phones beside it, one setting after another."""
    tables = []
    for few in descriptors:
        for held in holding:
            tables.append(measured(players, phones, held, few, seconds, rest))
            click.echo(tables[-1].to_string(index=False))
            if output is not None:
                pd.concat(tables).to_csv(output, index=False)


if __name__ == "__main__":
    main()
