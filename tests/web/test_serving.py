"""`pairopt serve` as a process: its address, its port, its end."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner, Result
from interrupts import PATIENCE, hear_interrupts
from organiser import event
from places import ROOT
from waiting import wait_until

import pairopt.web
from pairopt.cli import main
from pairopt.engines import DEFAULT
from pairopt.web import server

pytestmark = pytest.mark.long


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["serve", *map(str, arguments), "--no-browser"])


@contextmanager
def running(folder: Path | str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the address that it says."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [
        sys.executable,
        "-m",
        "pairopt",
        "serve",
        folder,
        "--port",
        str(port),
        "--no-browser",
    ]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        words,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=hear_interrupts,
    ) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            assert f"http://127.0.0.1:{port}/" in line
            yield process, f"http://127.0.0.1:{port}"
        finally:
            process.kill()


@pytest.mark.sweep
def test_it_ends_by_ctrl_c_with_one_line(tmp_path: Path) -> None:
    with running(event(tmp_path / "event")) as (process, address):
        with urlopen(f"{address}/round", timeout=PATIENCE) as page:  # noqa: S310
            assert b"Pair round 1" in page.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert (out, err) == ("", "Interrupted: nothing more was written.\n")


@pytest.mark.sweep
@pytest.mark.parametrize("path", ["/results/slip", "/pair"])
def test_who_hangs_up_in_the_middle_of_a_request_is_no_fault(
    path: str, tmp_path: Path
) -> None:
    with running("--api" if path == "/pair" else event(tmp_path / "event")) as (
        process,
        address,
    ):
        host = address.removeprefix("http://")
        own = "" if path == "/pair" else f"origin: {address}\r\n"
        head = f"POST {path} HTTP/1.1\r\nhost: {host}\r\n{own}content-length: 99\r\n"
        kind = "content-type: application/x-www-form-urlencoded\r\n\r\nslip="
        with socket.create_connection(
            ("127.0.0.1", int(host.partition(":")[2]))
        ) as line:
            line.sendall((head + kind).encode())
            time.sleep(0.3)  # until it is being read
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert (
            process.communicate(timeout=PATIENCE)[1]
            == "Interrupted: nothing more was written.\n"
        )


@pytest.mark.slow
def test_it_ends_by_ctrl_c_in_the_middle_of_a_pairing(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [f"P{k}" for k in range(400)])
    toml = (folder / "event.toml").read_text()
    (folder / "event.toml").write_text(f"lookahead = 100\n{toml}")  # takes minutes
    with running(folder) as (process, address):
        host, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as asking:
            asking.sendall(
                f"GET /round/draft HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
            )
            asking.settimeout(5)
            with pytest.raises(TimeoutError):  # it is at work
                asking.recv(1)
            with urlopen(f"{address}/log", timeout=PATIENCE) as page:  # noqa: S310
                assert page.status == 200  # and answers others
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 130  # not the end of the pairing


def test_two_events_beside_each_other(tmp_path: Path) -> None:
    """Each has its own ports, and its own pages on both of them."""
    with ExitStack() as stack:
        said = []
        for name in ("one", "two"):
            folder = event(tmp_path / name, rounds=1, title=f"Event {name}")
            words = [
                sys.executable,
                "-m",
                "pairopt",
                "serve",
                folder,
                "--no-browser",
                "--share",
            ]
            env = {**os.environ, "PYTHONPATH": str(ROOT)}
            process = stack.enter_context(
                subprocess.Popen(
                    words, env=env, stderr=subprocess.PIPE, encoding="utf-8"
                )
            )
            stack.callback(process.kill)
            assert process.stderr is not None
            lines = [process.stderr.readline() for _ in range(2)]
            ports = [int(re.findall(r":(\d+)/", line)[0]) for line in lines]
            said.append((name, ports))
        assert len({port for _, ports in said for port in ports}) == 4
        for name, ports in said:
            for port, path in zip(ports, ("results", "pairings"), strict=True):
                with urlopen(
                    f"http://127.0.0.1:{port}/{path}", timeout=PATIENCE
                ) as page:
                    assert f"Event {name}" in page.read().decode()


def test_the_port_of_phones(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(tmp_path / "event", "--share-port", port)
    assert done.exit_code == 2
    assert f"port {port} cannot be used" in done.output


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(tmp_path / "event", "--port", port)
    assert done.exit_code == 2
    assert f"port {port} cannot be used" in done.output
    assert "Traceback" not in done.output


def test_a_folder_that_holds_other_things(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann")
    done = run(tmp_path)
    assert done.exit_code == 2
    assert "already exists and is not empty" in done.output


def test_the_engine_is_loaded_before_the_first_pairing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = f"pairopt.engines.{DEFAULT}.engine"
    monkeypatch.delitem(sys.modules, engine, raising=False)
    monkeypatch.setattr(server, "_run", lambda *given: given[2].close())
    before = {*threading.enumerate()}
    server.serve(tmp_path / "event", lambda _: None, browser=False)
    for thread in {*threading.enumerate()} - before:
        thread.join()
    assert engine in sys.modules


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "pairopt.web.server", raising=False)
    monkeypatch.delattr(pairopt.web, "server", raising=False)
    done = run(tmp_path / "event")
    assert done.exit_code == 2
    assert f'"{sys.executable}" -m pip install "jinja2>=' in done.output
    assert "pairopt[" not in done.output


ELSEWHERE = "This event is also open in a second pairopt"


def read(address: str) -> str:
    with urlopen(f"{address}/players", timeout=PATIENCE) as page:  # noqa: S310
        return str(page.read().decode())


@pytest.mark.sweep
def test_a_folder_that_another_server_has_open_says_so(tmp_path: Path) -> None:
    folder = event(tmp_path / "event")
    with running(folder) as (first, one):
        assert ELSEWHERE not in read(one)
        with running(folder) as (second, two):
            assert second.stderr is not None
            said = second.stderr.readline()
            assert said == f"note: another pairopt serve has event open, at {one}/\n"
            assert ELSEWHERE in read(two)
            assert f'href="{one}/"' in read(two)
            assert ELSEWHERE not in read(one)
            first.kill()
            first.wait(PATIENCE)
            wait_until(
                lambda: ELSEWHERE not in read(two)
            )  # the system lets go of the lock
            assert ELSEWHERE not in read(two)
            with running(folder) as (third, _):
                assert third.stderr is not None
                assert two in third.stderr.readline()


@pytest.mark.sweep
def test_a_folder_that_is_founded_while_it_is_open(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    with running(folder) as (_, one), running(folder) as (_, two):
        assert not folder.exists()
        event(folder)
        first = read(one)  # unless the other has looked already, this one has it now
        own, other = (two, one) if ELSEWHERE in first else (one, two)
        assert ELSEWHERE not in read(own)
        assert f'href="{own}/"' in read(other)
