"""Somebody does not come, or comes late: which tables change, as it is said and written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from telling import said_by
from test_verbs import change, content, finish, last, made, rows, run

from pairopt import UsageError, read_event, write_event
from pairopt.cli.tables import remedy_options
from pairopt.folder import check_proofs, new, preview_repair, undo
from pairopt.folder.open_folder import read_folder_state
from pairopt.folder.pair_round import pair
from pairopt.folder.repair_round import repair
from pairopt.folder.results import result
from pairopt.folder.roster import back, drop, enter, forbid
from pairopt.folder.roster import table as seat

Seats = dict[str, frozenset[str]]


def seats(folder: Path) -> Seats:
    """Who sits where in the last round, the bye under ""."""
    here = last(folder)
    here = here[here["status"] != "requested"]
    pairs = zip(here["table"], here["player1"], here["player2"], strict=True)
    return {table: frozenset(filter(None, (one, two))) for table, one, two in pairs}


def holds(folder: Path) -> bool:
    """Whether the proof of the last round does, for the files as they are now."""
    found = [*check_proofs(folder)][-1]
    assert not found.faults
    return found.holds and found.step is None


def after(
    folder: Path, players: str = "ABCDEFGHIJ", played: int = 2, **options: Any
) -> Path:
    """An event with so many rounds played, and the next one open."""
    made(folder, players, points="3-1-0", **options)
    for _ in range(played):
        pair(folder)
        finish(folder)
    pair(folder)
    return folder


def opponent(folder: Path, table: str, player: str) -> str:
    (other,) = seats(folder)[table] - {player}
    return other


@pytest.mark.long
def test_one_no_show_of_an_even_field_changes_one_table(tmp_path: Path) -> None:
    folder = after(tmp_path / "event")
    before = seats(folder)
    gone = min(before["3"])
    left = opponent(folder, "3", gone)
    drop(folder, gone)
    done = repair(folder)
    assert seats(folder) == {**{t: before[t] for t in "1245"}, "": frozenset(left)}
    assert said_by(done)[2:] == (
        "1 table changes, 4 stay as published:",
        f"The bye is now for {left}. {left} was to meet {gone} at table 3.",
        "Table 3 is empty now.",
    )
    bye = done.to_dict()["said"][3]
    former = f"{left} was to meet {gone} at table 3."
    assert (bye["kind"], bye["one"], bye["two"]) == ("change.new_bye", former, former)
    assert holds(folder)
    undo(folder)
    assert seats(folder) == before
    assert holds(folder)


@pytest.mark.long
def test_the_bye_meets_who_is_left_alone(tmp_path: Path) -> None:
    folder = after(tmp_path / "event", "ABCDEFGHI")
    before = seats(folder)
    (alone,) = before[""]
    gone = min(before["2"])
    left = opponent(folder, "2", gone)
    drop(folder, gone)
    done = repair(folder)
    assert seats(folder) == {
        **{t: before[t] for t in "134"},
        "2": frozenset((alone, left)),
    }
    (line,) = (line for line in said_by(done) if line.startswith("Table 2"))
    assert f"{alone} had the bye" in line
    assert f"{left} was to meet {gone}" in line


@pytest.mark.long
def test_the_bye_leaves_and_no_table_changes(tmp_path: Path) -> None:
    folder = after(tmp_path / "event", "ABCDEFGHI")
    before = seats(folder)
    (alone,) = before.pop("")
    drop(folder, alone)
    assert said_by(repair(folder))[2] == "No table changes. 4 tables stay as published."
    assert seats(folder) == before


@pytest.mark.long
def test_who_comes_late_meets_the_bye_or_has_it(tmp_path: Path) -> None:
    folder = after(tmp_path / "event", "ABCDEFGHI")
    before = seats(folder)
    (alone,) = before.pop("")
    enter(folder, "Zoe")
    done = repair(folder)
    assert seats(folder) == {**before, "5": frozenset((alone, "Zoe"))}
    assert (
        said_by(done)[-1]
        == f"Table 5 is now {alone} - Zoe. {alone} had the bye. Zoe is a new player in this round."
    )
    enter(folder, "Yan")
    now = seats(folder)
    assert repair(folder, sure=True).changes.to_dict()["changed"] == 0  # type: ignore[union-attr]
    assert seats(folder) == {**now, "": frozenset(("Yan",))}


@pytest.mark.long
@pytest.mark.parametrize("sided", [True, False])
def test_two_no_shows_with_results_in(tmp_path: Path, sided: bool) -> None:
    sides = ("white", "black") if sided else ()
    folder = after(tmp_path / "event", "ABCDEFGHIJKL", sides=sides)
    result(folder, 1, "3-0")
    change(folder / "matches.csv", "\n", ",\n")
    change(folder / "matches.csv", "status,", "status,arbiter")
    before, played = seats(folder), rows(folder).iloc[-6].tolist()
    ends = [min(before[table]) for table in "46"]
    drop(folder, min(before["1"]))  # has played
    for gone in ends:
        drop(folder, gone)
    shown, files = preview_repair(folder, [2]), content(folder)
    assert content(folder) == files
    done = repair(folder, [2], shown=shown.result.pairs)
    assert seats(folder)["1"] == before["1"]
    assert played in rows(folder).to_numpy().tolist()
    assert shown.changes is not None
    assert (shown.changes.changed, shown.changes.kept, shown.changes.fixed) == (2, 2, 2)
    assert (*map(str, shown.changes.lines()),) == said_by(done)[2:]
    now = {pair for table, pair in seats(folder).items() if table not in "1235"}
    assert now == {frozenset(opponent_of(before, gone) for gone in ends)}
    assert holds(folder)


def opponent_of(before: Seats, player: str) -> str:
    return next(
        iter(next(pair for pair in before.values() if player in pair) - {player})
    )


@pytest.mark.long
def test_nothing_is_done_where_the_round_is_another_than_was_shown(
    tmp_path: Path,
) -> None:
    folder = after(tmp_path / "event")
    drop(folder, min(seats(folder)["3"]))
    shown = preview_repair(folder).result.pairs
    back(folder, min(seats(folder)["3"]))
    before = content(folder)
    with pytest.raises(UsageError, match="would now be different from the preview"):
        repair(folder, shown=shown)
    assert content(folder) == before


@pytest.mark.long
def test_all_can_be_paired_anew(tmp_path: Path) -> None:
    folder = after(tmp_path / "event", "ABCDEFGHIJKLMNOP")
    gone = min(seats(folder)["1"])
    drop(folder, gone)
    few = preview_repair(folder).changes
    anew = preview_repair(folder, again=True)
    assert few is not None
    assert anew.changes is not None
    assert few.changed == 1 < anew.changes.changed
    assert anew.result.level_values[0].criterion != "changed_tables"
    repair(folder, again=True)
    assert holds(folder)


@pytest.mark.long
def test_who_may_not_meet_any_more_are_parted(tmp_path: Path) -> None:
    folder = after(tmp_path / "event")
    before = seats(folder)
    forbid(folder, *before["2"])
    changes = repair(folder).changes
    assert changes is not None
    assert changes.changed == 2
    assert before["2"] not in seats(folder).values()
    assert sum(seats(folder).get(table) == pair for table, pair in before.items()) == 3
    result(folder, 1, "3-0")
    forbid(folder, *seats(folder)["1"])  # who have met
    assert said_by(repair(folder))[2] == "No table changes. 5 tables stay as published."
    assert holds(folder)


@pytest.mark.long
def test_a_table_that_is_fixed_since_is_kept_there(tmp_path: Path) -> None:
    folder = after(tmp_path / "event")
    before = seats(folder)
    seat(folder, min(before["4"]), 2)
    done = repair(folder)
    now = seats(folder)
    assert now["2"] == before["4"]
    assert {*now.values()} == {*before.values()}
    assert "No match gets other players: 5 matches stay. Only this changes:" in said_by(
        done
    )
    assert any("moves from table 4" in line for line in said_by(done))


@pytest.mark.long
def test_a_table_that_is_somebodys_own_is_given_to_nobody_else(tmp_path: Path) -> None:
    """Also while they have the bye: those who are paired anew sit elsewhere."""
    folder = after(tmp_path / "event", "ABCDE", played=0)
    before = seats(folder)
    (alone,) = before.pop("")
    seat(folder, alone, 2)
    for pair_of in before.values():
        forbid(folder, *pair_of)
    repair(folder, bye=alone)
    now = seats(folder)
    assert now.pop("") == {alone}
    assert {*now} == {"1", "3"}
    assert not {*now.values()} & {*before.values()}


@pytest.mark.long
def test_a_bye_asked_for_after_the_round_was_published(tmp_path: Path) -> None:
    folder = after(tmp_path / "event")
    before = seats(folder)
    gone = min(before["2"])
    done = repair(folder, request_bye=[gone])
    assert done.changes is not None
    assert done.changes.changed == 1
    here = last(folder)
    assert here.loc[here["status"] == "requested", "player1"].tolist() == [gone]
    assert holds(folder)


@pytest.mark.long
def test_what_was_allowed_is_allowed_again(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCD", points="3-1-0", model="monrad")
    for _ in range(3):
        pair(folder)
        finish(folder)
    done = pair(folder)
    assert done.step is None
    (way,) = done.ways
    assert way.words.startswith("allow 2 rematches: ")
    assert len(way.allow) == 2
    pair(folder, **way.options)
    assert seats(folder) == dict(zip("12", map(frozenset, way.allow), strict=True))
    drop(folder, way.allow[0][0])
    assert said_by(repair(folder))[2] == "1 table changes, 1 stays as published:"
    assert holds(folder)


@pytest.mark.long
def test_a_repair_that_cannot_be_has_its_ways_out(tmp_path: Path) -> None:
    folder = after(
        tmp_path / "event", "ABC", 2, model="fide-basic", sides=("white", "black")
    )
    gone = min(seats(folder)["1"])
    drop(folder, gone)
    done = repair(folder)
    assert done.step is None
    assert done.ways
    for way in done.ways:
        made_so = preview_repair(folder, **way.options)
        assert made_so.result.status == "optimal"
        assert way.result.pairs == made_so.result.pairs
    said = run("pair", folder, "--again")
    assert said.exit_code == 1
    assert (
        f"way out: {done.ways[0].words} ({remedy_options(read_event(folder, unfinished=True), done.ways[0])})"
        in said.stderr
    )
    assert json.loads(run("pair", folder, "--again", "--format", "json").stdout)["ways"]


@pytest.mark.long
def test_room_for_further_rounds_is_kept(tmp_path: Path) -> None:
    folder = after(tmp_path / "event", "ABCDEFGH", 3, rounds=7)
    drop(folder, min(seats(folder)["1"]))
    done = repair(folder, lookahead=2)
    assert done.result is not None
    assert len(done.result.further) == 2
    assert done.result.level_values[0].criterion == "changed_tables"
    assert holds(folder)


@pytest.mark.long
@pytest.mark.parametrize("name", ["event.trf", "event.json"])
def test_events_of_other_formats(tmp_path: Path, name: str) -> None:
    source = after(tmp_path / "source", "ABCDEFGHI", sides=("white", "black"))
    finish(source)
    write_event(read_event(source), tmp_path / name)
    folder = tmp_path / "event"
    model = "fide-dutch" if name.endswith("trf") else None
    new(folder, tmp_path / name, model=model, rounds=7, fide=False)
    pair(folder)
    before = seats(folder)
    gone = min(before["1"])
    drop(folder, gone)
    done = repair(folder)
    assert done.changes is not None
    assert done.changes.changed == 1
    assert sum(pair in seats(folder).values() for pair in before.values()) == 3
    assert holds(folder)


@pytest.mark.long
def test_on_the_command_line(tmp_path: Path) -> None:
    folder = after(tmp_path / "event")
    drop(folder, min(seats(folder)["3"]))
    before = content(folder)
    told = run("pair", folder, "--again", "--preview")
    assert told.exit_code == 0
    assert "1 table changes, 4 stay as published:" in told.stderr
    assert "nothing is written" in told.stderr
    assert "changed_tables" in told.stdout
    data = json.loads(
        run("pair", folder, "--again", "--preview", "--format", "json").stdout
    )
    assert data["changes"]["changed"] == 1
    (change_made,) = data["changes"]["changes"]
    assert change_made["table"] is None
    assert change_made["before"][0]["table"] == 3
    assert content(folder) == before
    refused = run(
        "pair", folder, "--again", "--preview", "--proof", tmp_path / "p.json"
    )
    assert refused.exit_code == 2
    proof = tmp_path / "proof.json"
    assert run("pair", folder, "--again", "--proof", proof).exit_code == 0
    assert proof.read_bytes() == (folder / "proofs/round-03.json").read_bytes()
    assert read_folder_state(folder).journal.steps()[-1].verb == "repair"
