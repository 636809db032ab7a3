"""What a file says survives: in a file of its format again, and in an event folder between."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from notes import notes_of
from places import DATA, REAL, last_rounds
from telling import said_by

from pairopt import Event, read_event, solve, write_event
from pairopt.cli import main
from pairopt.event.forbidden_pairs import pairs_forbidden_in
from pairopt.event.points import Points
from pairopt.files.formats import FORMATS, convert_event
from pairopt.files.formats.base import EventText
from pairopt.folder import forbid, new, pair, result

FILES = last_rounds(
    [
        *DATA.glob("*.json"),
        *DATA.glob("*.trf"),
        *REAL.glob("nrtm/*.json"),
        *REAL.glob("trf/**/*.trf"),
        *REAL.glob("trf/*.input"),
        *REAL.glob("dutch/published/*.trf"),
        REAL / "trf-malformed" / "javafo_example.trf",
        REAL / "trf-malformed" / "comments.trf",
    ]
)


def told(event: Event) -> dict[str, Any]:
    """Everything that an event says, in a form that can be compared; rows in any order."""
    rows, origin = event.matches, event.origin

    def scores(array: Any) -> list[Fraction]:
        return [Fraction(int(value), event.scale) for value in array.tolist()]

    cells = [
        tuple(
            (name, cell)
            for name in sorted(origin.cells)
            if (cell := origin.cell(name, k))
        )
        for k in rows.row.tolist()
    ]
    each = zip(
        rows.round.tolist(),
        rows.table.tolist(),
        rows.first.tolist(),
        rows.second.tolist(),
        rows.side.tolist(),
        scores(rows.score1),
        scores(rows.score2),
        rows.status.tolist(),
        rows.scored.tolist(),
        cells,
        strict=True,
    )
    accelerated = [scores(line) for line in event.acceleration]
    return {
        "rows": Counter(each),
        "players": list(
            zip(
                event.players,
                event.names,
                scores(event.brought),
                event.rating.tolist(),
                event.active.tolist(),
                event.fixed_table.tolist(),
                event.first_round_bye.tolist(),
                strict=True,
            )
        ),
        "columns": {name: cells for name, cells in event.columns.items() if any(cells)},
        "order": event.start_numbers.argsort().tolist(),
        "virtual": [
            line[: max([k + 1 for k, v in enumerate(line) if v], default=0)]
            for line in accelerated
        ],
        "event": (event.round, event.sides, event.initial_side, event.settings),
        "forbidden": sorted(event.forbidden),
        "facts": origin.facts,
    }


def with_rounds(event: Event, rounds: int | None) -> Event:
    return replace(event, settings=replace(event.settings, rounds=rounds))


def form_of(path: Path) -> str:
    return "json" if path.suffix == ".json" else "trf"


def require_the_same(event: Event, again: Event, notes: Any) -> None:
    """Raises AssertionError unless both say the same; a number of rounds is written in any case."""
    if event.settings.rounds is None and again.settings.rounds is not None:
        assert any("number of rounds is not known" in note for note in notes)
        again = with_rounds(again, None)
    one, two = told(event), told(again)
    for what in one:
        assert one[what] == two[what], what


@pytest.mark.long
@pytest.mark.parametrize("path", FILES)
def test_a_file_is_written_as_it_was_read(path: Path, tmp_path: Path) -> None:
    if not path.exists():
        pytest.skip("the shared data is not here")
    event = read_event(path, unfinished=True)
    written = write_event(event, tmp_path / f"again.{form_of(path)}")
    again = read_event(written.files[0], unfinished=True)
    require_the_same(event, again, notes_of(written))
    assert not [note for note in notes_of(written) if note.startswith("lost")]


ADDED = ("072", "182", "202", "212")
"""Records that every written report has: players, program and tie-breaks."""


def require_facts(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Require that all facts are written again.

    A report may get the records in `ADDED`. Records without content are no facts, and
    the number of players (072) is counted again.
    """
    records, written = (
        Counter(record for record in facts.get("trf", []) if len(record) > 3)
        for facts in (before, after)
    )
    lost, added = records - written, written - records
    assert all(record[:3] == "072" for record in lost), lost
    assert all(record[:3] in ADDED for record in added), added
    other_facts = [
        {form: facts for form, facts in each.items() if form != "trf"}
        for each in (before, after)
    ]
    assert other_facts[0] == other_facts[1]


@pytest.mark.sweep
@pytest.mark.parametrize(
    "path",
    [
        one
        if k % 2 == 0
        else pytest.param(*one.values, marks=pytest.mark.slow, id=one.id)
        for k, one in enumerate(FILES)
    ],
)
def test_a_folder_keeps_what_its_file_said(path: Path, tmp_path: Path) -> None:
    if not path.exists():
        pytest.skip("the shared data is not here")
    event = read_event(path)
    new(tmp_path / "kept", path)
    kept = read_event(tmp_path / "kept")
    written = write_event(kept, tmp_path / f"again.{form_of(path)}")
    one, two = told(event), told(read_event(written.files[0]))
    for columns in (one["columns"], two["columns"]):
        columns.pop("start", None)
    kept_facts = two["facts"].get(
        "trf", []
    )  # but for what was found when it was taken in
    kept_facts[:] = [
        line for line in kept_facts if not line.startswith("### Import @ Round ")
    ]
    two["facts"] = {form: lines for form, lines in two["facts"].items() if lines}
    require_facts(one["facts"], two["facts"])
    for what in ("columns", "virtual", "order", "forbidden"):
        assert one[what] == two[what], what
    title = read_event(written.files[0]).settings.title
    assert title == (event.settings.title or "kept")


# TRF: each record

HEADER = (
    "012 Spring Open",
    "022 Riga",
    "032 LAT",
    "042 2026/05/01",
    "052 2026/05/09",
    "062 4",
    "072 8",
    "082 0",
    "092 Individual: Swiss-System",
    "102 IA Ozols, Janis (11600098)",
    "112 FA Liepa, Anna",
    "122 90 min + 30 s",
    f"132{'':88}26/05/01",
)
LATER = (
    "192 FIDE_DUTCH_2026",
    "202 RTG",
    "212 BH:GP/C1 WIN",
    "222 e10-5",
    "299 W         1.0  001    1",
    "### Round 3: changed by hand",
    "013 Team A                              1    2",
    "310   1 Team A",
    "LAT    1 2345",
    "# a remark",
    "260   1   7    1    2",
    "XXB 1 2",
)


def seat(number: int, points: float, *rounds: str, rank: int = 1) -> str:
    name = f"Player, {number}"
    head = (
        f"001 {number:>4} m GM {name:<33} {2400 - number:>4} LAT {11600000 + number:>11} "
        f"19{70 + number}/01/02 {points:>4} {rank:>4}"
    )
    return f"{head:<91}" + "  ".join(rounds)


FOUR = (
    seat(1, 1.0, "   3 w 1"),
    seat(2, 1.0, "   4 b 1"),
    seat(3, 0.0, "   1 b 0", rank=3),
    seat(4, 0.0, "   2 w 0", rank=3),
)
ODD = (seat(1, 1.0, "   3 w W"), seat(2, 0.25, "0000 - U"), seat(3, 0.0, "   1 b L"))


def trf(folder: Path, *lines: str) -> Path:
    path = folder / "event.trf"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def test_every_record_is_written_again(tmp_path: Path) -> None:
    lines = (*HEADER, *FOUR, *LATER, "XXR 7", "XXC white1")
    event = read_event(trf(tmp_path, *lines))
    assert event.settings.title == "Spring Open"
    written = write_event(event, tmp_path / "again.trf")
    again = written.files[0].read_text(encoding="utf-8").splitlines()
    older = {"XXR 7": "142 7", "XXC white1": "152 W"}
    assert Counter(older.get(line, line) for line in lines) == Counter(again)
    assert notes_of(written) == ()


@pytest.mark.parametrize(
    "extra",
    [
        "152 W",
        "162  W 2.0    D 1.0    L 0.0    P 0.5",
        "142 9",
        "240 F   4    1    2",
        "240 H   2    3",
        "XXZ 3",
        "XXP 2 3",
        "250       1.0   1   3    1    2",
        "260   3   5    1    3",
        "XXA    1  1.0  1.0",
        "XXC black1",
        "BBU  0.5",
        "BBW  3.0",
        "XXC rank",
        "XXS PAB=0.5",
    ],
)
def test_every_record_means_the_same_again(tmp_path: Path, extra: str) -> None:
    path = trf(tmp_path, *HEADER, *FOUR[::-1], "XXR 7", extra)
    event = read_event(path)
    written = write_event(event, tmp_path / "again.trf")
    require_the_same(event, read_event(written.files[0]), notes_of(written))


def test_an_unrated_match_stays_one(tmp_path: Path) -> None:
    path = trf(tmp_path, *ODD, "XXR 3", "XXS PAB=0.25")
    event = read_event(path)
    assert event.origin.cells == {"rated": ["false", ""]}
    new(tmp_path / "kept", path)
    lines = (
        write_event(read_event(tmp_path / "kept"), tmp_path / "again.trf")
        .files[0]
        .read_text()
    )
    assert "   3 w W" in lines
    assert "   1 b L" in lines


@pytest.mark.parametrize(
    "said", ["XXS PAB=0.5", "BBU  0.5", "162  W 1.0    D 0.5    L 0.0    P 0.5"]
)
def test_the_points_of_a_bye_are_kept_everywhere(tmp_path: Path, said: str) -> None:
    path = trf(tmp_path, *(seat(k, 0) for k in (1, 2, 3)), "XXR 3", "XXC white1", said)
    event = read_event(path)
    assert event.settings.points == Points(
        Fraction(1), Fraction(1, 2), bye=Fraction(1, 2)
    )
    bye = [row for row in solve(event, "fide-dutch").matches if row["player2"] is None]
    assert [row["score1"] for row in bye] == ["0.5"]
    done = new(tmp_path / "kept", path)
    assert any(
        "Points for win-draw-loss: 1-0.5-0 (from" in line for line in said_by(done)
    )
    paired = pair(tmp_path / "kept")
    assert paired.result is not None
    assert "0.5" in [row["score1"] for row in paired.result.matches]
    again = write_event(
        read_event(tmp_path / "kept", unfinished=True), tmp_path / "again.trf"
    )
    assert (
        read_event(again.files[0], unfinished=True).settings.points
        == event.settings.points
    )


def test_the_number_of_rounds_is_not_that_of_the_next_one(tmp_path: Path) -> None:
    event = read_event(trf(tmp_path, *FOUR, "XXR 1"))
    assert event.round == 2
    text = write_event(event, tmp_path / "again.trf").files[0].read_text()
    assert "\n142 1\n" in text


@pytest.mark.parametrize(
    "lines",
    [
        ("260   1   9    1    2",),
        ("260   1   1    1    2",),  # of a round that is over
        ("260   1   3    1    2", "260   4   9    1    3", "XXP 2 3"),
        ("260   2   3    1    2    4",),
        (),
    ],
)
def test_a_folder_keeps_forbidden_pairs_with_their_rounds(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    event = read_event(trf(tmp_path, *FOUR, *lines, "XXR 7"))
    new(tmp_path / "kept", event)
    kept = read_event(tmp_path / "kept")
    again = read_event(write_event(kept, tmp_path / "again.trf").files[0])
    for turn in range(1, 8):
        pairs = [
            pairs_forbidden_in(each.prohibited, turn) for each in (event, kept, again)
        ]
        assert {*pairs[0]} == {*pairs[1]} == {*pairs[2]}, turn
    # by hand: where round 2 is to be paired, 1 and 2 are apart in these cases
    assert ((0, 1) in kept.forbidden) == (
        bool(lines) and lines[0] != "260   1   1    1    2"
    )


def test_what_holds_no_more_is_not_written(tmp_path: Path) -> None:
    path = trf(tmp_path, *FOUR, "192 FIDE_DUTCH", "260   1   9    1    2", "XXR 7")
    new(tmp_path / "kept", path, model="standard")
    forbid(tmp_path / "kept", "1", "2", off=True)
    written = write_event(read_event(tmp_path / "kept"), tmp_path / "again.trf")
    assert notes_of(written) == (
        "The file leaves out the table numbers.",
        "The file leaves out these settings: model, seed.",
    )
    again = read_event(written.files[0])
    assert again.forbidden == ()
    assert again.settings.model is None


def test_what_other_formats_cannot_hold_is_named(tmp_path: Path) -> None:
    path = trf(tmp_path, *HEADER[:3], *FOUR, "XXR 7", "XXC white1")
    done = CliRunner().invoke(main, ["convert", str(path), str(tmp_path / "out.csv")])
    lost = {line for line in done.stderr.splitlines() if "The file " in line}
    names = (
        "leaves out these settings: title, rounds, city, federation.",
        "doesn't say which side was drawn for round 1.",
    )
    assert lost == {f"note: The file {name}" for name in names}


def test_what_has_no_room_in_a_trf_is_named(tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    path.write_text(
        "player,federation,sex,birth\nAnn,Latvia,female,1990-05-03\nBo,NOR,?,1991\n"
    )
    written = write_event(read_event(path), tmp_path / "out.trf")
    lost = {note for note in notes_of(written) if "only a part" in note}
    assert lost == {
        "The file has too little room for these columns, so the file holds only a part of each column: federation, sex."
    }
    columns = read_event(written.files[0]).columns
    assert columns["federation"] == ("", "NOR")
    assert columns["sex"] == ("w", "")
    assert columns["birth"] == ("1990/05/03", "1991")


# NRTM

COBRA = {
    "name": "World Championship",
    "date": "2026-07-25",
    "cutToTop": 2,
    "preliminaryRounds": 1,
    "tournamentOrganiser": {"nrdbId": 33530, "nrdbUsername": "NISEI"},
    "tournamentId": 4711,
    "players": [
        {
            "id": 7,
            "name": "Ann",
            "corpIdentity": "Asa Group",
            "runnerIdentity": "Hoshiko",
        },
        {"id": 9, "name": "Bo", "corpIdentity": "Titan", "runnerIdentity": None},
    ],
    "eliminationPlayers": [{"id": 9, "name": "Bo", "rank": 1, "seed": 2}],
    "rounds": [
        [
            {
                "table": 1,
                "player1": {
                    "id": 7,
                    "corpScore": 3,
                    "runnerScore": 0,
                    "combinedScore": 3,
                },
                "player2": {
                    "id": 9,
                    "corpScore": 3,
                    "runnerScore": 0,
                    "combinedScore": 3,
                },
                "intentionalDraw": True,
                "twoForOne": True,
                "eliminationGame": False,
            }
        ],
        [
            {
                "table": 1,
                "player1": {"id": 7, "role": "corp", "winner": False},
                "player2": {"id": 9, "role": "runner", "winner": True},
                "intentionalDraw": False,
                "eliminationGame": True,
            }
        ],
    ],
    "uploadedFrom": "Cobra",
    "links": [{"rel": "self", "href": "https://example.org/1"}],
}
DERIVED = {"rank", "matchPoints", "strengthOfSchedule", "extendedStrengthOfSchedule"}


@pytest.mark.parametrize("through_a_folder", [False, True])
def test_a_cobra_file_is_written_as_it_was(
    tmp_path: Path, through_a_folder: bool
) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(COBRA), encoding="utf-8")
    event = read_event(path)
    if through_a_folder:
        new(tmp_path / "kept", path)
        event = read_event(tmp_path / "kept")
    written = write_event(event, tmp_path / "again.json")
    again = json.loads(written.files[0].read_text(encoding="utf-8"))
    again["players"] = [
        {key: value for key, value in player.items() if key not in DERIVED}
        for player in again["players"]
    ]
    assert again == COBRA


def test_a_corrected_result_has_no_games(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(COBRA), encoding="utf-8")
    new(tmp_path / "kept", path)
    result(tmp_path / "kept", 1, "6-0", round=1)
    written = write_event(read_event(tmp_path / "kept"), tmp_path / "again.json")
    table = json.loads(written.files[0].read_text(encoding="utf-8"))["rounds"][0][0]
    assert table["player1"] == {
        "id": 7,
        "runnerScore": 0,
        "corpScore": 0,
        "combinedScore": 6,
    }


def test_a_number_that_is_none_is_kept_as_a_word(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps({**COBRA, "cutToTop": float("nan")}), encoding="utf-8")
    event = read_event(path)
    again = read_event(write_event(event, tmp_path / "again.json").files[0])
    assert told(again)["facts"] == told(event)["facts"]


def sourced(folder: Path, source: str) -> Path:
    new(folder / "kept", trf(folder, *FOUR, "XXR 3"))
    with (folder / "kept" / "event.toml").open("a", encoding="utf-8") as toml:
        toml.write(f"[source]\n{source}\n")
    return folder / "kept"


@pytest.mark.parametrize(
    "source",
    [
        'trf = ["0"]',
        'json = {"the cut" = 1}',
        'json = {"the cut" = [1]}',
        "json = {rounds = 1, players = 2, date = 1979-05-27, links = [0.5, nan]}",
    ],
)
def test_a_source_that_somebody_wrote_by_hand(tmp_path: Path, source: str) -> None:
    folder = sourced(tmp_path, source)
    for name in ("out.trf", "out.json", "out.csv"):
        done = CliRunner().invoke(main, ["convert", str(folder), str(tmp_path / name)])
        assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("trf = 1", "source.trf"),
        ("trf = [1]", "source.trf[0]"),
        ("json = 1", "source.json"),
        ("more = 1", "There is no key 'more'. The keys are: trf"),
    ],
)
def test_a_source_that_cannot_be_is_refused(
    tmp_path: Path, source: str, said: str
) -> None:
    done = CliRunner().invoke(main, ["standings", str(sourced(tmp_path, source))])
    assert done.exit_code == 3
    assert said in done.stderr


def through_json(
    folder: Path, rows: str, **how: Any
) -> tuple[Event, Event, tuple[str, ...]]:
    """An event of Ann, Bo, Cy and Di; what a folder made of it as NRTM JSON says, and its notes."""
    path = folder / "matches.csv"
    path.write_text(
        "round,player1,player2,score1,score2,status\n" + rows, encoding="utf-8"
    )
    event = read_event(path)
    done = new(folder / "kept", write_event(event, folder / "out.json").files[0], **how)
    return event, read_event(folder / "kept"), said_by(done)


def test_a_forfeit_by_both_comes_back_from_json(tmp_path: Path) -> None:
    rows = "1,Ann,Bo,0,0,forfeit\n1,Cy,Di,3,0,\n2,Ann,Cy,1,1,\n2,Bo,Di,0,3,\n"
    event, kept, said = through_json(tmp_path, rows)
    for name in ("round", "first", "second", "score1", "score2", "status"):
        assert (
            getattr(kept.matches, name).tolist()
            == getattr(event.matches, name).tolist()
        ), name
    assert (
        "1 match has the score 0-0, which no result gives with these points. pairopt reads 0-0 as a loss by forfeit for both players."
        in said
    )


@pytest.mark.parametrize("how", [{"points": "3-0-0"}, {}])
def test_0_0_is_a_draw_where_points_say_so(tmp_path: Path, how: dict[str, Any]) -> None:
    rows = "1,Ann,Bo,0,0,\n1,Cy,Di,3,0,\n"
    _, kept, said = through_json(tmp_path, rows, **how)
    assert [line for line in said if "0-0" in line] == [
        "1 match has the score 0-0, which no result gives with these points. pairopt reads 0-0 as a loss by forfeit for both players."
    ] * (not how)
    assert kept.settings.points is not None
    assert (kept.settings.points.win, kept.settings.points.draw) == (3, 0 if how else 1)


def test_a_round_in_which_nobody_was_paired_is_in_json(tmp_path: Path) -> None:
    rows = "1,Ann,,0,,requested\n1,Bo,,0,,requested\n2,Ann,Bo,3,0,\n"
    event, kept, _ = through_json(tmp_path, rows)
    assert kept.round == event.round == 3


VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(10**18), 10**18), st.text(max_size=8)
    ),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.text(max_size=5), below, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.sweep
@settings(deadline=None, max_examples=40)
@given(more=st.dictionaries(st.text(max_size=8), VALUES, max_size=4))
def test_whatever_json_says_besides_is_written_again_or_refused(
    tmp_path_factory: pytest.TempPathFactory, more: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("json")
    path = folder / "event.json"
    path.write_text(
        json.dumps({**more, **{k: COBRA[k] for k in ("players", "rounds")}})
    )
    made = CliRunner().invoke(main, ["new", str(folder / "e"), "--players", str(path)])
    assert made.exit_code in (0, 3), made.output
    if made.exit_code == 3:
        assert not (folder / "e").exists()
        return
    event = read_event(path)
    for kept in (event, read_event(folder / "e")):
        again = read_event(write_event(kept, folder / "again.json").files[0])
        assert told(again)["facts"] == told(event)["facts"]


LINE = st.from_regex(
    r"(0[2-57-9]2|1[0-3]2|202|212|310|XXB|LAT) [ -~]{0,20}", fullmatch=True
)


@pytest.mark.sweep
@settings(deadline=None, max_examples=40)
@given(more=st.lists(LINE, max_size=4))
@example(more=["212 ", "212 PS"])
@example(more=["212 PS", "202 BH"])
@example(more=["202 BH", "212 PS", "212 "])
def test_whatever_a_trf_says_besides_is_written_again(
    tmp_path_factory: pytest.TempPathFactory, more: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("trf")
    path = trf(folder, *FOUR, "XXR 3", *more)
    event = read_event(path)
    new(folder / "e", path)
    for kept in (event, read_event(folder / "e")):
        again = read_event(write_event(kept, folder / "again.trf").files[0])
        require_facts(told(event)["facts"], told(again)["facts"])


TEAMS = (
    "013 Team A                              1    2",
    "300   1    1    2    1    3    2    4",
    "310   1 Team A",
    "320   2.0  1  2",
    "330 +-   1    1    2",
    "801   1 Team",
    "802   1 Team x",
)


@pytest.mark.parametrize("through_a_folder", [False, True])
@pytest.mark.parametrize("name", ["out.json", "out.csv", "out.trf"])
def test_records_of_teams_are_kept_or_named(
    tmp_path: Path, name: str, through_a_folder: bool
) -> None:
    path = trf(tmp_path, *FOUR, *TEAMS, "XXR 5")
    if through_a_folder:
        new(tmp_path / "kept", path)
    event = read_event(tmp_path / "kept" if through_a_folder else path)
    written = write_event(event, tmp_path / name)
    lost = {note for note in notes_of(written) if "(trf)" in note}
    if name == "out.trf":
        assert {*TEAMS} <= {*written.files[0].read_text(encoding="utf-8").splitlines()}
        assert not lost
    else:
        assert lost == {
            f"The file leaves out these entries of the file that you read (trf): {', '.join(line[:3] for line in TEAMS)}."
        }


def test_a_text_that_can_not_be_read_again_is_named() -> None:
    form = replace(FORMATS["nrtm_json"], write=lambda _: EventText("{"))
    (note,) = convert_event(form, read_event(DATA / "byes_and_forfeits.trf")).lost
    assert str(note).startswith(
        "pairopt can't read the file that it has just written: "
    )
