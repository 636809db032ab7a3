"""What no page of somebody else may do, and what browsers are told to keep to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from organiser import HOST, ORIGIN, client, event, fields
from starlette.testclient import TestClient

from pairopt.web.access import LARGEST_BODY


@pytest.fixture
def page(tmp_path: Path) -> TestClient:
    return client(event(tmp_path / "event", rounds=1))


def steps(page: TestClient) -> int:
    return page.get("/log").text.count("<tr")


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8440",
        "127.0.0.1",
        "127.0.0.1:8441",
        "localhost",
        "",
    ],
)
def test_foreign_hosts_are_refused(page: TestClient, host: str) -> None:
    answer = page.get("/round", headers={"host": host})
    assert answer.status_code == 421
    assert "Round" not in answer.text
    form = fields(page.get("/results").text, "/results/score")
    sent = page.post(
        "/results/score", data=form, headers={"host": host, "origin": f"http://{host}"}
    )
    assert sent.status_code == 421


@pytest.mark.long
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://{HOST}"},
        {"origin": "http://127.0.0.1:9000"},
        {"origin": ORIGIN, "sec-fetch-site": "cross-site"},
        {"origin": ORIGIN, "sec-fetch-site": "same-site"},
    ],
)
def test_posts_of_other_pages_are_refused(
    page: TestClient, headers: dict[str, str]
) -> None:
    before = steps(page)
    form = {**fields(page.get("/results").text, "/results/score"), "score": "3-0"}
    assert page.post("/results/score", data=form, headers=headers).status_code == 403
    assert steps(page) == before
    assert page.post("/results/score", data=form).status_code == 200
    assert steps(page) == before + 1


def test_a_post_that_does_not_say_from_where(page: TestClient) -> None:
    del page.headers["origin"]
    form = {**fields(page.get("/results").text, "/results/score"), "score": "3-0"}
    assert page.post("/results/score", data=form).status_code == 403


@pytest.mark.long
def test_other_pages_may_link_but_not_embed(page: TestClient) -> None:
    for site in (
        "cross-site",
        "same-site",
    ):  # the same site: another port of this machine
        for kind, code in (("document", 200), ("image", 403), ("iframe", 403)):
            headers = {"sec-fetch-site": site, "sec-fetch-dest": kind}
            assert page.get("/round", headers=headers).status_code == code


@pytest.mark.parametrize(
    "path", ["/round", "/nowhere", "/static/desk.js", "/static/style.css"]
)
def test_what_browsers_are_told(page: TestClient, path: str) -> None:
    headers = page.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    refused = page.get(path, headers={"host": "evil.example"})
    assert refused.headers["content-security-policy"] == policy


@pytest.mark.long
def test_a_body_that_is_too_large(page: TestClient) -> None:
    before = steps(page)
    form = fields(page.get("/results").text, "/results/score")
    large = {**form, "score": "3-0", "more": "x" * LARGEST_BODY}
    assert page.post("/results/score", data=large).status_code == 413

    def pieces() -> Iterator[bytes]:  # without a length
        for _ in range(LARGEST_BODY // 2**16 + 2):
            yield b"x" * 2**16

    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert (
        page.post("/results/score", content=pieces(), headers=kind).status_code == 411
    )
    assert steps(page) == before


@pytest.mark.long
def test_wrong_methods_and_addresses(page: TestClient) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert page.request(method, "/round").status_code == 405
    assert page.post("/log").status_code == 405
    for path in (
        "/nowhere",
        "/results/nothing",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/nothing.js",
    ):
        answer = page.get(path)
        assert answer.status_code == 404
        assert "import" not in answer.text


def test_a_form_that_is_none(page: TestClient) -> None:
    kind = {"content-type": "multipart/form-data; boundary=x"}
    answer = page.post("/results/score", content=b"no form at all", headers=kind)
    assert answer.status_code in (400, 409)
    many = "&".join(["a=1"] * 6000)
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert page.post("/results/score", content=many, headers=kind).status_code == 400


@pytest.mark.long
def test_nothing_is_asked_of_elsewhere_and_nothing_is_inline(page: TestClient) -> None:
    for path in ("/round", "/results", "/log", "/nowhere"):
        text = page.get(path).text
        assert "http://" not in text
        assert "https://" not in text
        assert '="//' not in text
        assert " style=" not in text
        assert "<style" not in text
        assert " onclick" not in text


@pytest.mark.parametrize(
    "address", ["/nowhere", "/results/nothing", "/results?round=x"]
)
def test_an_address_that_is_not_there_has_words_and_a_way_back(
    page: TestClient, address: str
) -> None:
    answer = page.get(address)
    assert answer.status_code == 404
    main = answer.text.partition("<main")[2].partition("</main>")[0]
    assert "Page not found" in main
    assert "Not Found" not in answer.text
    (back,) = re.findall(r'<a class="button main" href="([^"]*)"', main)
    assert page.get(back).status_code == 200
