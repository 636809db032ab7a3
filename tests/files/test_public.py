"""A copy to publish: names and results, and nothing else that an event keeps about persons."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from organiser import event, scored

from pairopt import read_event, standings
from pairopt.cli import main
from pairopt.folder import new, pair

COLUMNS = ("mail", "phone", "birth", "club", "fide_id", "corp_identity")
SECRETS = ("ann@example.org", "+371", "1990", "Riga", "12345", "Weyland", "deck-7")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = event(tmp_path / "event", "ABCDE", points="3-1-0", sides=("corp", "runner"))
    path = made / "players.csv"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    for column, secret in zip(COLUMNS, SECRETS, strict=False):
        frame[column] = secret
    frame["fide_id"] = [f"{SECRETS[4]}{k}" for k in range(len(frame))]
    frame["rating"] = [1500, 1600, 1700, 1800, 1900]
    frame.to_csv(path, index=False)
    toml = made / "event.toml"
    toml.write_text(
        toml.read_text()
        + '\n[source.json]\ntournamentOrganiser = {nrdbUsername = "ann@example.org"}\n'
    )
    pair(made)
    scored(made)
    matches = made / "matches.csv"
    frame = pd.read_csv(matches, dtype=str, keep_default_na=False)
    frame["deck"] = "deck-7"
    frame.to_csv(matches, index=False)
    return made


@pytest.mark.long
@pytest.mark.parametrize("suffix", ["csv", "json", "trf"])
def test_nothing_but_names_and_results(
    folder: Path, tmp_path: Path, suffix: str
) -> None:
    (tmp_path / "out").mkdir()
    plain, public = (
        tmp_path / "out" / f"{name}.{suffix}" for name in ("plain", "public")
    )
    assert CliRunner().invoke(main, ["convert", str(folder), str(plain)]).exit_code == 0
    whole = "".join(each.read_text() for each in plain.parent.iterdir())
    assert any(secret in whole for secret in SECRETS), "else this proves nothing"
    for each in plain.parent.iterdir():
        each.unlink()
    done = CliRunner().invoke(main, ["convert", str(folder), str(public), "--public"])
    assert done.exit_code == 0, done.stderr
    text = "".join(each.read_text() for each in public.parent.iterdir())
    assert not [secret for secret in SECRETS if secret in text]
    beside = public.with_name(f"public-players.{suffix}")
    again = read_event(public, beside if beside.exists() else None)
    mine, theirs = (
        standings(each, tie_breaks=["sos"])[["name", "points", "sos"]]
        for each in (read_event(folder), again)
    )
    assert theirs.to_numpy().tolist() == mine.to_numpy().tolist()


@pytest.mark.long
@pytest.mark.parametrize(
    ("names", "known"),
    [
        (["Ann", "Bob", "Cid", "Dan"], ["Ann", "Bob", "Cid", "Dan"]),
        (["Ann", "Bob", "ann", "Dan"], ["1", "3", "2", "4"]),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "json", "trf"])
def test_an_identifier_is_no_name(
    tmp_path: Path, names: list[str], known: list[str], suffix: str
) -> None:
    """An address or a member's number by which players are told apart is not published."""
    listed = tmp_path / "list.csv"
    mails = [f"secret{k}@example.org" for k in range(4)]
    pd.DataFrame({"player": mails, "name": names}).to_csv(listed, index=False)
    new(tmp_path / "event", listed, sure=True)
    pair(tmp_path / "event")
    out = tmp_path / "out"
    out.mkdir()
    done = CliRunner().invoke(
        main, ["convert", str(tmp_path / "event"), str(out / f"x.{suffix}"), "--public"]
    )
    assert done.exit_code == 0, done.stderr
    text = "".join(each.read_text() for each in out.iterdir())
    assert "secret" not in text
    assert all(name in text for name in names)
    public = read_event(tmp_path / "event", unfinished=True).public()
    assert (list(public.players), list(public.names)) == (known, names)
