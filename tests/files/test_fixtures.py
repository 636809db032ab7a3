"""A small file of each real format, made for these tests: read, paired, written, read again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from places import DATA
from test_convert import same

from pairopt import Event, InputError, read_event, solve, write_event
from pairopt.event.score_checks import points_of
from pairopt.event.state import state_of
from pairopt.files.formats import FORMATS, decode_content, list_writers
from pairopt.files.text_source import TextSource, read_bytes
from pairopt.files.text_tables import TextTable, parse_table


@dataclass(frozen=True)
class Fixture:
    """What a file holds: `points` in the order of its players."""

    form: str
    round: int
    sides: tuple[str, str] | None
    points: tuple[float, ...]
    model: str = "standard"
    relax: tuple[str, ...] = ()
    into: tuple[str, ...] = ("csv",)


NETRUNNER, CHESS = ("corp", "runner"), ("white", "black")
FIXTURES = {
    # where both sides say 0, only combinedScore is right; the cut is left out
    "cobra_double_sided_2020.json": Fixture(
        "json", 3, None, (12, 1, 9, 7, 6), "double-sided", into=("json", "csv")
    ),
    "cobra_single_sided.json": Fixture(
        "json", 3, NETRUNNER, (6, 1, 1, 3, 6), into=("json", "csv")
    ),
    "aesops.json": Fixture(
        "json", 3, NETRUNNER, (6, 3, 3), "aesops", into=("json", "csv")
    ),
    "byes_and_forfeits.trf": Fixture(
        "trf", 4, CHESS, (2.5, 1, 2.5, 1, 0.5, 1.5), "fide-basic", into=("trf",)
    ),
    "matches_semicolon.csv": Fixture("csv", 3, None, (1, 1.25, 1.5, 0, 1.25)),
    "matches_tab.csv": Fixture("csv", 3, None, (1, 1.25, 1.5, 0, 1.25)),
    "matches_unicode.csv": Fixture("csv", 3, None, (1, 1.25, 1.5, 0, 1.25)),
    "matches.xlsx": Fixture("csv", 3, None, (1, 1.25, 1.5, 0, 1.25)),
    "matches_bom.csv": Fixture("csv", 3, NETRUNNER, (3, 0, 4, 4), into=("csv", "json")),
    "players.csv": Fixture("players", 1, None, (0, 0, 0, 0, 0)),
    "players_windows.csv": Fixture("players", 1, None, (0, 0, 0)),
    "standings.csv": Fixture("standings", 3, NETRUNNER, (6, 3, 1.5, 4.5, 3), into=()),
    "sass_standings.csv": Fixture(
        "other standings", 1, None, (6, 3, 3, 0), relax=("history",), into=("csv",)
    ),
    "lichess.csv": Fixture(
        "other standings", 1, None, (2, 1.5, 0.5, 0), relax=("history",), into=("csv",)
    ),
}


def event(name: str) -> Event:
    return read_event(DATA / name, relax=FIXTURES[name].relax)


def test_every_file_is_here() -> None:
    suffixes = (".csv", ".json", ".trf", ".xlsx")
    found = {path.name for path in DATA.iterdir() if path.suffix in suffixes}
    assert found == {*FIXTURES, "sass_pairings.csv", "small_event.csv"}


@pytest.mark.parametrize("name", [*FIXTURES, "sass_pairings.csv"])
def test_one_format_recognises_it(name: str) -> None:
    given = decode_content(name, read_bytes(DATA / name))
    strict = [form for form in FORMATS.values() if not form.loose]
    found = [
        form.name
        for form in strict
        if form.of is type(given) and form.recognises(given)
    ]
    if not found and isinstance(given, TextSource):
        table = parse_table(given)
        found = [
            form.name
            for form in strict
            if form.of is TextTable and form.recognises(table)
        ]
    assert found == [FIXTURES[name].form if name in FIXTURES else "other standings"]


@pytest.mark.parametrize("name", FIXTURES)
def test_what_it_holds(name: str) -> None:
    known, found = FIXTURES[name], event(name)
    assert (found.round, found.sides) == (known.round, known.sides)
    assert tuple((points_of(found) / found.scale).tolist()) == known.points
    assert solve(found, known.model).proven


@pytest.mark.parametrize("name", FIXTURES)
def test_what_is_written_is_read_again(name: str, tmp_path: Path) -> None:
    known, found = FIXTURES[name], event(name)
    for form in known.into:
        files = write_event(
            found, tmp_path / f"copy{list_writers()[form].suffixes[0]}"
        ).files
        if found.round == 1:  # players alone, perhaps with points
            files = files[-1:]
        again = read_event(*files, relax=known.relax)
        assert points_of(again).tolist() == points_of(found).tolist()
        if form == known.form or known.form == "json":
            same(found, again)


def test_the_rest_of_the_trf() -> None:
    found = event("byes_and_forfeits.trf")
    assert found.names[2] == "Chrétien, Cy"
    assert found.forbidden == ((0, 1),)
    assert [found.players[p] for p in found.active.nonzero()[0]] == [
        "1",
        "2",
        "3",
        "4",
        "5",
    ]
    state = state_of(found)
    byes = dict(zip(state.names, state.byes.tolist(), strict=True))
    assert byes == {"1": 0, "2": 1, "3": 0, "4": 0, "5": 0}


def test_the_rest_of_the_players() -> None:
    found = event("players.csv")
    assert found.active.tolist() == [True, True, False, False, True]
    assert [found.players[p] for p in found.requested] == ["p3"]
    assert found.names[4] == 'Eve "E" Ek'
    assert found.fixed_table.tolist() == [0, 5, 0, 0, 0]


@pytest.mark.parametrize("name", ["sass_standings.csv", "lichess.csv"])
def test_standings_without_history_are_not_paired_unasked(name: str) -> None:
    with pytest.raises(InputError, match="there is no column opponents"):
        read_event(DATA / name)


def test_one_round_of_sass_is_no_event() -> None:
    with pytest.raises(InputError, match="SASS file has the pairing of one round"):
        read_event(DATA / "sass_pairings.csv")
