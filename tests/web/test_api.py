"""The door on a port: `pairopt serve --api` as programs ask it, and the examples of a site."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import asking
import pytest
from click.testing import CliRunner
from places import ROOT
from starlette.testclient import TestClient

from pairopt.api.response import reply_to
from pairopt.cli import main
from pairopt.web import api_server

HOST = "127.0.0.1:8440"
EXAMPLES = ROOT / "examples" / "door"
PATIENCE = 60.0


def client() -> nullcontext[TestClient]:
    """Without a life before the first request, as it is served."""
    return nullcontext(
        TestClient(api_server.build_api({HOST}), base_url=f"http://{HOST}")
    )


def body(seed: int = 7) -> bytes:
    return json.dumps(asking.wish(seed).content).encode()


@pytest.mark.long
def test_it_answers_as_the_command_line_does() -> None:
    with client() as door:
        for seed in range(3):
            answer = door.post("/pair", content=body(seed))
            assert (answer.status_code, answer.text) == (200, reply_to(body(seed)).text)
            assert answer.headers["content-type"] == "application/json"
        wrong = door.post("/pair", content=b"{}")
        assert wrong.status_code == 422
        assert {each["where"] for each in wrong.json()["errors"]} == {
            "version",
            "players",
        }


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/pair", {"host": "evil.example"}, 421),
        ("POST", "/pair", {"origin": f"http://{HOST}"}, 403),
        ("POST", "/pair", {"origin": "null"}, 403),
        ("POST", "/pair", {"sec-fetch-site": "cross-site"}, 403),
        ("POST", "/pair", {"content-length": "99999999"}, 413),
        ("POST", "/pair", {"transfer-encoding": "chunked"}, 411),
        ("PUT", "/pair", {}, 405),
        ("GET", "/pair", {}, 404),
        ("GET", "/etc/passwd", {}, 404),
        ("POST", "/", {}, 404),
    ],
)
def test_what_is_refused_is_so_by_kind(
    method: str, path: str, headers: Any, status: int
) -> None:
    with client() as door:
        answer = door.request(method, path, headers=headers, content=body())
        assert answer.status_code == status
        assert [each["kind"] for each in answer.json()["errors"]] == ["request.refused"]


@pytest.mark.long
def test_too_many_at_once_are_refused_and_then_others_are_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(api_server, "MOST_AT_ONCE", 2)
    going = threading.Event()

    def slow(raw: bytes) -> Any:
        going.wait(PATIENCE)
        return reply_to(raw)

    monkeypatch.setattr(api_server, "reply_to", slow)
    with client() as door:
        found: list[int] = []
        threads = [
            threading.Thread(
                target=lambda: found.append(
                    door.post("/pair", content=body()).status_code
                )
            )
            for _ in range(2)
        ]
        for each in threads:
            each.start()
        time.sleep(0.5)
        busy = door.post("/pair", content=body())
        assert (busy.status_code, busy.json()["errors"][0]["kind"]) == (
            503,
            "request.busy",
        )
        going.set()
        for each in threads:
            each.join(PATIENCE)
        assert found == [200, 200]
        assert door.post("/pair", content=body()).status_code == 200


@pytest.mark.long
def test_what_takes_too_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_server, "SECONDS", 0.0)
    monkeypatch.setattr(api_server, "GRACE", 0.2)
    going = threading.Event()
    monkeypatch.setattr(api_server, "reply_to", lambda _: going.wait(PATIENCE))
    with client() as door:
        late = door.post("/pair", content=body())
        assert (late.status_code, late.json()["errors"][0]["kind"]) == (
            503,
            "request.time_up",
        )
        going.set()


def test_a_fault_of_ours_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(api_server, "reply_to", lambda _: 1 // 0)
    with client() as door:
        answer = door.post("/pair", content=body())
        assert answer.status_code == 500
        assert [each["kind"] for each in answer.json()["errors"]] == [
            "request.internal"
        ]
        assert "ZeroDivisionError" not in answer.text
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize("more", [["friday"], ["--share"], ["--share-port", "9000"]])
def test_it_goes_with_no_folder(more: list[str]) -> None:
    done = CliRunner().invoke(main, ["serve", "--api", *more])
    assert done.exit_code == 2
    assert "can't be combined with a folder" in done.stderr


@pytest.fixture(scope="module")
def door() -> Iterator[str]:
    """The address of one as a process."""
    call = [sys.executable, "-m", "pairopt", "serve", "--api"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(call, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found
        yield found[0]
        process.kill()


@pytest.mark.long
def test_one_connection_is_kept(door: str) -> None:
    host, _, path = door.removeprefix("http://").partition("/")
    with_one = http.client.HTTPConnection(host, timeout=PATIENCE)
    for seed in range(5):
        with_one.request("POST", f"/{path}", body(seed))
        answer = with_one.getresponse()
        assert (answer.status, answer.read().decode()) == (
            200,
            reply_to(body(seed)).text,
        )


def node() -> tuple[list[str], bool]:
    """How a file of TypeScript is run, and whether Node knows types."""
    program = str(shutil.which("node"))
    asked = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=True
    )
    major, minor = map(int, asked.stdout.strip().lstrip("v").split(".")[:2])
    typed = (major, minor) >= (22, 6)
    return [program, *["--experimental-strip-types"] * typed], typed


def untyped(source: str) -> str:
    """The example without its types, for a Node that knows none."""
    source = re.sub(r"(?m)^type .*$", "", source)
    return re.sub(r"(?m)^(const \w+): .* = \[$", r"\1 = [", source).replace(
        " as Answer", ""
    )


@pytest.mark.parametrize("language", ["ruby", "go", "node"])
@pytest.mark.long
def test_the_examples_of_a_site(language: str, door: str, tmp_path: Path) -> None:
    if shutil.which(language) is None:
        pytest.skip(f"no {language}")
    if language == "node":
        command, typed = node()
        source = (EXAMPLES / "site.ts").read_text(encoding="utf-8")
        place = tmp_path / ("site.ts" if typed else "site.mjs")
        place.write_text(source if typed else untyped(source), encoding="utf-8")
        command += [str(place)]
    else:
        command = {"ruby": ["ruby", "site.rb"], "go": ["go", "run", "site.go"]}[
            language
        ]
    ran = subprocess.run(
        [*command, door], cwd=EXAMPLES, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    said = " ".join(line.split(":")[0] for line in lines)
    assert {*re.findall(r"Ann|Bob|Cem|Dag|Eva", said)} == {"Ann", "Bob", "Cem", "Eva"}
    assert all(re.match(r"[12-] \w+ - \w+: \w", line) for line in lines)
