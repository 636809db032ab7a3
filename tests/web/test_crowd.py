"""The organiser's door while phones, and connections that say nothing, fill the shared one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest
from organiser import event
from places import ROOT
from waiting import PATIENCE

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.long
LIMIT = 128
"""Descriptors of the server: far fewer than a Mac's 256, so that a test is quick."""
HERE = "127.0.0.1"


FOREVER = (
    "connections.SECONDS_PER_HEAD = connections.SECONDS_PER_TRANSFER = float('inf')"
)
"""Nobody is let go for being slow, so who waits for that waits until the test gives up."""
NOBODY_YIELDS = FOREVER + "; connections.make_room = lambda *_: None"
"""Nobody gives way at the phones' door, either."""
QUICKLY = "connections.SECONDS_PER_HEAD = 0.5"
SERVE = "from pairopt.cli import main; from pairopt.web import connections; {}; main()"


@contextmanager
def few(folder: Path, setting: str, limit: int = LIMIT) -> Iterator[tuple[str, int]]:
    """A server with so few descriptors: the organiser's address, the port of phones."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    code = SERVE.format(setting)
    command = [sys.executable, "-c", code, "serve", folder, "--no-browser", "--share"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, env=env, stderr=subprocess.PIPE, text=True, preexec_fn=limited
    ) as process:
        assert process.stderr is not None
        mine, theirs = (process.stderr.readline() for _ in range(2))
        try:
            port = int(theirs.strip("/\n").rpartition(":")[2])
            yield mine.split(" is at ")[1].split()[0], port
        finally:
            process.kill()


def called(stack: ExitStack, port: int, said: str = "") -> socket.socket:
    """A connection that stays open, with what it has said."""
    made = stack.enter_context(socket.create_connection((HERE, port), timeout=PATIENCE))
    with suppress(OSError):  # closed already by a server that is full
        made.sendall(said.replace("PORT", str(port)).encode())
    return made


def require_answers(address: str, times: int = 8) -> None:
    """The organiser is answered some pages, one after the other."""
    for _ in range(times):
        with urlopen(f"{address}results", timeout=PATIENCE) as page:  # noqa: S310
            assert page.status == 200


def drip(line: socket.socket) -> None:
    """A request that comes letter by letter, until nobody reads it. Raises OSError then."""
    for _ in range(4 * PATIENCE):
        line.sendall(b"G")
        time.sleep(0.25)


ASKED = "GET /pairings HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\n\r\n"
BODY = "POST /pairings HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\ncontent-length: 9\r\n\r\nx"


@pytest.mark.parametrize(
    "said",
    [
        ASKED,
        *(
            pytest.param(said, marks=pytest.mark.slow)
            for said in ("", "GET /pair", BODY)
        ),
    ],
    ids=["phones", "silent", "half", "body"],
)
def test_the_organiser_is_answered_whoever_fills_the_other_door(
    said: str, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", rounds=1)
    with few(folder, NOBODY_YIELDS) as (mine, port), ExitStack() as stack:
        require_answers(mine, 1)
        for _ in range(2 * LIMIT):
            called(stack, port, said)
        require_answers(mine)
    with few(folder, FOREVER) as (_, port), ExitStack() as stack:
        for _ in range(2 * LIMIT):
            called(stack, port, said)
        late = called(
            stack, port, ASKED
        )  # a phone that comes last, from the same address
        assert b"200 OK" in late.recv(4096)


@pytest.mark.parametrize("said", ["", "GET /res"], ids=["silent", "half"])
def test_400_idle_connections_at_her_own_door_do_not_shut_her_out(
    said: str, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", rounds=1)
    with few(folder, FOREVER, limit=256) as (mine, _), ExitStack() as stack:
        require_answers(mine, 1)
        port = int(mine.strip("/").rpartition(":")[2])
        for _ in range(400):
            called(stack, port, said)
        require_answers(mine)


def test_a_phone_that_is_let_go_comes_back(tmp_path: Path) -> None:
    with (
        few(event(tmp_path / "event", rounds=1), FOREVER) as (_, port),
        ExitStack() as stack,
    ):
        for _ in range(2):
            for _ in range(LIMIT):
                assert b"200 OK" in called(stack, port, ASKED).recv(4096)


@pytest.mark.slow
def test_who_says_nothing_is_let_go(tmp_path: Path) -> None:
    with (
        few(event(tmp_path / "event", rounds=1), QUICKLY) as (_, port),
        ExitStack() as stack,
    ):
        silent, dripping = called(stack, port), called(stack, port)
        idle = called(stack, port, ASKED)
        with pytest.raises(OSError):  # noqa: PT011 - reset, or a broken pipe
            drip(dripping)
        assert silent.recv(1) == b""
        idle.recv(2**16)
        idle.sendall(ASKED.replace("PORT", str(port)).encode())
        assert b"200 OK" in idle.recv(2**16)


@pytest.mark.slow
def test_phones_do_not_wait_for_requests_that_others_send_in_advance(
    tmp_path: Path,
) -> None:
    """600 connections send 40 requests each at once, and read what comes. Answered in turn, they
    would get 600 answers while a phone gets one."""
    others, phone = 600, 20
    answers = 0
    with (
        few(event(tmp_path / "event", rounds=1), "pass", 2048) as (_, port),
        ExitStack() as stack,
    ):
        lines = [called(stack, port, 40 * ASKED) for _ in range(others)]
        for line in lines:
            line.setblocking(False)
        for _ in range(phone):
            late = called(stack, port, ASKED)
            assert b"200 OK" in late.recv(4096)
            for line in lines:
                with suppress(OSError):
                    answers += line.recv(2**20).count(b"200 OK")
    assert answers <= others
