"""The proof of a round on the pages: to be downloaded, and its digest on paper."""

from __future__ import annotations

import hashlib
import html
import re
import shutil
from pathlib import Path

import pytest
import segno
from organiser import HOST, ORIGIN, client, event, fields, scored
from places import SAMPLE
from starlette.testclient import TestClient
from test_phones import phone
from test_web_round import published

from pairopt import read_event, solve
from pairopt.files.event_folder import PENDING
from pairopt.folder import drop, repair, undo
from pairopt.folder.pair_round import pair
from pairopt.web import phones
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.proofs import describe_cost

LINK = re.compile(
    r'href="(/proofs/[0-9a-f]{64}\.json)" download="(round-[0-9]{2}\.json)"'
)


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phones, "SECONDS", -1.0)


def both(folder: Path) -> list[tuple[TestClient, str]]:
    """Both doors, and their page of the round."""
    return [(client(folder), "/round"), (phone(folder), "/pairings")]


@pytest.mark.long
def test_a_round_edited_by_hand_is_not_called_proven(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEF", rounds=1)
    matches = (folder / "matches.csv").read_text("utf-8")
    for page, path in both(folder):
        assert LINK.search(page.get(path).text)
        one, two = re.findall(r"^1,[12],(\w),(\w)", matches, flags=re.MULTILINE)
        edited = matches.replace(f",{one[1]},", ",?,").replace(
            f",{two[1]},", f",{one[1]},"
        )
        (folder / "matches.csv").write_text(
            edited.replace(",?,", f",{two[1]},"), "utf-8"
        )
        said = page.get(path).text
        assert not LINK.search(said)
        assert "no pairing is better" not in said
        assert "Proof of this round" not in client(folder).get("/print/tables").text
        (folder / "matches.csv").write_text(matches, "utf-8")
        assert "Proof of this round" in client(folder).get("/print/tables").text


@pytest.mark.long
def test_both_doors_offer_the_file(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDE", rounds=2)
    raw = (folder / "proofs/round-02.json").read_bytes()
    for page, path in both(folder):
        ((address, name),) = LINK.findall(page.get(path).text)
        assert name == "round-02.json"
        answer = page.get(address)
        assert answer.content == raw
        assert hashlib.sha256(raw).hexdigest() in address
        assert answer.headers["content-type"] == "application/json"
        assert (
            answer.headers["content-disposition"]
            == 'attachment; filename="round-02.json"'
        )
        assert answer.headers["x-content-type-options"] == "nosniff"
        first = hashlib.sha256(
            (folder / "proofs/round-01.json").read_bytes()
        ).hexdigest()
        assert (
            page.get(f"/proofs/{first}.json")
            .headers["content-disposition"]
            .endswith('"round-01.json"')
        )


@pytest.mark.parametrize("is_journal_a_file", [True, False])
def test_pages_work_where_a_file_or_folder_is_in_place_of_the_other(
    is_journal_a_file: bool, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", "ABCD", rounds=1)
    if is_journal_a_file:
        shutil.rmtree(folder / ".pairopt")
        (folder / ".pairopt").write_text("not a folder", "utf-8")
    else:
        (folder / PENDING).mkdir()
    for page, path in both(folder):
        assert page.get(path).status_code == 200
        assert page.get(f"/proofs/{'0' * 64}.json").status_code == 404


@pytest.mark.long
def test_what_is_not_kept_is_not_offered(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDE", rounds=2)
    ((address, _),) = LINK.findall(client(folder).get("/round").text)
    path = folder / "proofs/round-02.json"
    raw = path.read_bytes()
    for page, _ in both(folder):
        for other in (
            f"/proofs/{'0' * 64}.json",
            "/proofs/x.json",
            "/proofs/../event.toml",
            "/proofs/round-02.json",
        ):
            assert page.get(other).status_code == 404
    path.write_bytes(raw + b" ")  # not what was published
    assert [page.get(address).status_code for page, _ in both(folder)] == [404, 404]
    path.write_bytes(raw)
    drop(folder, "A")
    repair(folder, [1], keep_proof=False)
    for page, path_of in both(folder):
        assert page.get(address).status_code == 404
        assert not LINK.search(page.get(path_of).text)
    undo(folder)
    assert [page.get(address).content for page, _ in both(folder)] == [raw, raw]


@pytest.mark.long
def test_before_there_is_anything(tmp_path: Path) -> None:
    for page, _ in both(tmp_path / "event"):
        assert page.get(f"/proofs/{'0' * 64}.json").status_code == 404
    folder = event(tmp_path / "event", "ABCDE")
    for page, path in both(folder):
        assert page.get(f"/proofs/{'0' * 64}.json").status_code == 404
        assert page.get(path).status_code == 200
    pair(folder, keep_proof=False)
    for page, path in both(folder):
        assert "Anyone can check" not in page.get(path).text
    assert "SHA-256" not in client(folder).get("/print/tables").text


@pytest.mark.long
def test_what_is_published_on_the_page_has_its_proof(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFGH", rounds=1)
    scored(folder)
    page = client(folder)
    preview = page.get("/round/draft").text
    assert "The proof of round 2 is kept." in published(page, preview).text
    assert LINK.search(page.get("/round").text)
    undo(folder)
    one, other = (
        text.split(":")[0]
        for text in fields(preview, "/round/draft/publish")["match"][:2]
    )
    shown = fields(preview, "/round/draft/publish")["match"]
    query = {"seed": "0", "swap": [one, shown[-1].split(":")[0]], "exchange": "1"}
    changed = page.get("/round/draft", params=query).text
    assert "Changed by hand" in changed
    answer = published(page, changed)
    assert "the round was changed by hand and another pairing is better" in answer.text
    assert not LINK.search(page.get("/round").text)
    assert one != other


@pytest.mark.long
@pytest.mark.parametrize("share", [None, NetworkShare(8441)])
def test_the_list_has_the_digest_and_its_code(
    tmp_path: Path, share: NetworkShare | None
) -> None:
    folder = event(tmp_path / "event", "ABCDE", rounds=2)
    page = TestClient(application(folder, {HOST}, share), ORIGIN)
    for number in (1, 2):
        raw = (folder / f"proofs/round-0{number}.json").read_bytes()
        digest = hashlib.sha256(raw).hexdigest()
        text = page.get("/print/tables", params={"round": str(number)}).text
        assert f"<code>{digest}</code>" in text
        said = f"pairopt-proof sha256:{digest}"
        if share is not None:
            said = f"{share.address}proofs/{digest}.json"
        code = segno.make_qr(said).svg_inline(omitsize=True, dark="#000", light="#fff")
        assert (
            'viewBox="0 0 ' in code
        )  # as large as the sheet of styles says, and whole
        assert code in html.unescape(text)


@pytest.mark.long
def test_a_proof_that_is_none_stops_no_page(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDE", rounds=1)
    (folder / "proofs" / "round-01.json").write_text("[")
    for page, path in both(folder):
        assert page.get(path).status_code == 200
        assert not LINK.search(page.get(path).text)
    assert client(folder).get("/print/tables").status_code == 200


def test_a_check_by_a_second_method_is_named() -> None:
    weekly = read_event(SAMPLE / "matches.csv", SAMPLE / "players.csv")
    cost = describe_cost(solve(weekly, "standard", verify=True))
    assert cost is not None
    assert "Checked again by a second method." in cost.more
