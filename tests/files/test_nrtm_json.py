"""NRTM JSON: small files of each dialect, broken ones, and the real ones."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from places import REAL

from pairopt import Event, InputError, read_event, solve, write_event
from pairopt.cli import main
from pairopt.event.score_checks import points_of
from pairopt.files.text_source import MOST_CELLS
from pairopt.folder import new, pair, result

DATA = REAL / "nrtm"


def seat(
    player: int | None, runner: Any, corp: Any, combined: Any = None
) -> dict[str, Any]:
    return {
        "id": player,
        "runnerScore": runner,
        "corpScore": corp,
        "combinedScore": combined,
    }


DOUBLE_SIDED: dict[str, Any] = {
    "name": "Small",
    "preliminaryRounds": 2,
    "players": [{"id": k, "name": f"player {k}"} for k in (1, 2, 3)],
    "rounds": [
        [
            {"table": 1, "player1": seat(1, 3, 3, 6), "player2": seat(2, 0, 0, 0)},
            {
                "table": 2,
                "player1": seat(None, None, None, 0),
                "player2": seat(3, None, None, 6),
            },
        ],
        [
            # both sides say 0, only combinedScore is right
            {"table": 1, "player1": seat(1, 0, 0, 3), "player2": seat(3, 0, 0, 3)},
            {
                "table": 2,
                "player1": seat(2, None, None, 6),
                "player2": seat(None, None, None, 0),
            },
        ],
        [
            {
                "table": 1,
                "player1": seat(1, 3, 0, 3),
                "player2": seat(2, 0, 0, 0),
                "eliminationGame": True,
            }
        ],
    ],
}


def written(folder: Path, content: Any) -> Path:
    path = folder / "event.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def points(event: Event) -> dict[str, float]:
    return dict(
        zip(event.players, (points_of(event) / event.scale).tolist(), strict=True)
    )


def test_double_sided(tmp_path: Path) -> None:
    event = read_event(written(tmp_path, DOUBLE_SIDED))
    assert event.round == 3  # the cut is left out
    assert event.sides is None
    assert points(event) == {"1": 9, "2": 6, "3": 9}
    assert event.names == ("player 1", "player 2", "player 3")
    result = solve(event, "double-sided")
    assert result.proven
    assert result.matches[-1]["player1"] == "1"  # the others have had the bye


@pytest.mark.parametrize("role", [True, False])
def test_single_sided_by_role_or_by_the_side_not_played(
    tmp_path: Path, role: bool
) -> None:
    raw = {
        "players": [{"id": 1}, {"id": 2}, {"id": 3}],
        "rounds": [
            [
                {
                    "tableNumber": 1,
                    "player1": {"id": 1, "corpScore": 0, "runnerScore": None},
                    "player2": {"id": 2, "corpScore": None, "runnerScore": 3},
                },
                {
                    "tableNumber": 2,
                    "player1": {"id": 3, "corpScore": 3, "runnerScore": None},
                    "player2": {"id": None},
                },
            ]
        ],
    }
    if role:
        raw["rounds"][0][0]["player1"] |= {"role": "runner"}  # type: ignore[index, operator]
    event = read_event(written(tmp_path, raw))
    assert event.sides == ("corp", "runner")
    assert event.matches.side.tolist() == [1 if role else 0, -1]
    assert points(event) == {"1": 0, "2": 3, "3": 3}


def changed(*path: Any, value: Any) -> dict[str, Any]:
    raw = deepcopy(DOUBLE_SIDED)
    place: Any = raw
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return raw


def test_ids_of_json_faults_are_those_of_version_1_0(
    tmp_path: Path,
) -> None:
    """Scripts that read pairopt's errors ask for them."""
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    deep = tmp_path / "deep.json"
    deep.write_text('{"a":' * 100_000)
    large = tmp_path / "large.json"
    large.write_text('{"a": [' + "0," * MOST_CELLS + "0]}")
    fields_by_kind = {}
    for path in (broken, deep, large):
        with pytest.raises(InputError) as caught:
            read_event(path)
        reason = caught.value.reason
        fields_by_kind[reason.kind] = {*reason.fields}
    assert fields_by_kind == {
        "nrtm.no_json": {"why"},
        "nrtm.too_deep": set(),
        "nrtm.too_many_values": {"most"},
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "line 1, column 2: This is not valid JSON"),
        ("{}", "players: This key is missing."),
        ('{"a":' * 100_000, "JSON"),
        (changed("players", 1, "id", value=1), "players[1].id: '1' is listed twice"),
        (
            changed("rounds", 0, 0, "player2", "id", value=9),
            "rounds[0][0].player2.id: '9' is not the id of a player",
        ),
        (
            changed("rounds", 0, 0, "player2", "id", value=1),
            "rounds[0][0].player2.id: '1' can't meet themselves. Write the opponent, or leave player2 empty for a bye.",
        ),
        (
            changed("rounds", 0, 0, "player1", "combinedScore", value="six"),
            "Write a number",
        ),
        (
            changed("rounds", 0, 0, "player1", "combinedScore", value=float("inf")),
            "Write a number",
        ),
        (
            changed("rounds", 0, 0, "player1", "role", value="north"),
            "rounds[0][0].player1.role",
        ),
        (changed("rounds", 0, 0, "table", value=-1), "rounds[0][0].table"),
        (changed("rounds", 0, value=7), "rounds[0]"),
        (
            changed("rounds", 1, 0, "player1", value=seat(1, None, None)),
            "rounds[1][0].player1: Only one player of this match has a score",
        ),
    ],
)
def test_broken_files(tmp_path: Path, content: Any, said: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_event(path)
    assert said in str(caught.value)
    done = CliRunner().invoke(main, ["solve", str(path)])
    assert done.exit_code == 3
    assert "Traceback" not in done.output


@pytest.mark.long
@pytest.mark.skipif(not DATA.is_dir(), reason="the real events are not here")
@pytest.mark.parametrize("name", ["AfroEuros", "2020_Worlds1A", "BLM"])
def test_real_files(name: str) -> None:
    path = DATA / f"{name}.json"
    raw = json.loads(path.read_text(encoding="utf-8"))
    event = read_event(path)
    assert event.round == raw["preliminaryRounds"] + 1
    assert points(event) == {str(p["id"]): p["matchPoints"] for p in raw["players"]}
    for number in range(1, event.round + 1):
        result = solve(read_event(path, round=number), "double-sided")
        assert result.proven
        assert all(level.proven for level in result.level_values)


def test_convert_names_what_json_says_besides(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    seats = [
        {"id": 1, "corpScore": 3, "runnerScore": 3, "combinedScore": 6},
        {"id": 2, "corpScore": 0, "runnerScore": 0, "combinedScore": 0},
    ]
    table = {"table": 1, "player1": seats[0], "player2": seats[1]}
    cut = {
        "table": 1,
        "player1": {"id": 1},
        "player2": {"id": 2},
        "eliminationGame": True,
    }
    players = [
        {"id": 1, "name": "Ann", "corpIdentity": "Haas"},
        {"id": 2, "name": "Bob"},
    ]
    content = {"players": players, "rounds": [[table], [cut]], "preliminaryRounds": 1}
    path.write_text(json.dumps(content), encoding="utf-8")
    done = CliRunner().invoke(main, ["convert", str(path), str(tmp_path / "out.csv")])
    assert done.exit_code == 0, done.stderr
    assert "entries of the file that you read (json): the cut" in done.stderr
    rows = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].endswith(",corp1,runner1,corp2,runner2")
    assert rows[1].endswith(",3,3,0,0")
    assert "corp_identity" in (tmp_path / "out-players.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("score", [("3", "0"), ("0", "3"), ("0", "0")])
def test_a_forfeit_without_sides_is_written_with_some(
    score: tuple[str, str], tmp_path: Path
) -> None:
    """Players of a game with sides have roles in every match, else the file would be of another."""
    columns = [
        "round",
        "table",
        "player1",
        "player2",
        "side1",
        "score1",
        "score2",
        "status",
    ]
    rows = [[1, 1, "a", "b", "corp", 3, 0, ""], [1, 2, "c", "d", "", *score, "forfeit"]]
    event = read_event(pd.DataFrame(rows, columns=columns, dtype=object).astype(str))
    write_event(event, tmp_path / "event.json")
    tables = json.loads((tmp_path / "event.json").read_text())["rounds"][0]
    roles = [
        [table[seat].get("role") for seat in ("player1", "player2")] for table in tables
    ]
    assert roles == [["corp", "runner"]] * 2
    again = read_event(tmp_path / "event.json")
    assert again.sides == ("corp", "runner")
    assert (again.matches.side >= 0).all()
    assert [*points(again).values()] == [*points(event).values()]


@pytest.mark.long
@pytest.mark.parametrize(
    "corp", ["Corp ID", "corp identity", "Corp", "Corporation", "corp_identity"]
)
@pytest.mark.parametrize(
    "runner", ["Runner ID", "Runner identity", "RUNNER", "runner_identity"]
)
def test_identities_are_written_under_any_of_their_headings(
    tmp_path: Path, corp: str, runner: str
) -> None:
    listed, path = tmp_path / "list.csv", tmp_path / "event.json"
    listed.write_text(f"name,{corp},{runner}\nAnn,Haas,Gabriel\nBob,Jinteki,Kate\n")
    write_event(read_event(listed), path)
    players = json.loads(path.read_text())["players"]
    assert [each["corpIdentity"] for each in players] == ["Haas", "Jinteki"]
    assert [each["runnerIdentity"] for each in players] == ["Gabriel", "Kate"]
    folder = tmp_path / "event"
    new(folder, listed)
    heads = (
        f"player,active,{corp},{runner}"  # a folder of before has its owner's headings
    )
    (folder / "players.csv").write_text(
        f"{heads}\nAnn,true,Haas,Gabriel\nBob,true,Jinteki,Kate\n"
    )
    path.unlink()
    write_event(read_event(folder), path)
    assert [
        each["corpIdentity"] for each in json.loads(path.read_text())["players"]
    ] == [
        "Haas",
        "Jinteki",
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("rounds", "played", "again"), [(5, 2, 5), (5, 5, None), (None, 2, None)]
)
def test_the_number_of_rounds_is_read_again(
    tmp_path: Path, rounds: int | None, played: int, again: int | None
) -> None:
    """Cobra's number is that of the rounds so far: one that is equal to these says nothing."""
    folder, path = tmp_path / "event", tmp_path / "event.json"
    listed = tmp_path / "list.csv"
    listed.write_text("name\n" + "\n".join("ABCDEFGH") + "\n")
    new(folder, listed, rounds=rounds, sides="corp,runner")
    for _ in range(played):
        pair(folder)
        for table in "1234":
            result(folder, table, "3-0")
    notes = write_event(read_event(folder), path).notes
    assert not any("rounds" in str(each.fields.get("names")) for each in notes)
    assert json.loads(path.read_text())["preliminaryRounds"] == (rounds or played)
    event = read_event(path)
    assert (event.settings.rounds, event.round) == (again, played + 1)


def test_a_cut_says_how_many_rounds_were_before_it(tmp_path: Path) -> None:
    assert read_event(written(tmp_path, DOUBLE_SIDED)).settings.rounds == 2


def test_a_match_that_nobody_won_or_drew_is_forfeited_by_both(tmp_path: Path) -> None:
    """The file has no word for it; two games give 6-0, 3-3 or 0-6."""
    raw = deepcopy(DOUBLE_SIDED)
    raw["rounds"] = raw["rounds"][:1]
    raw["rounds"][0][0] = {
        "table": 1,
        "player1": seat(1, 0, 0, 0),
        "player2": seat(2, 0, 0, 0),
    }
    done = new(tmp_path / "event", written(tmp_path, raw))
    assert any(str(each).startswith("1 match has the score 0-0") for each in done.said)
    rows = pd.read_csv(tmp_path / "event" / "matches.csv", dtype=str)
    assert rows["status"].tolist() == ["forfeit", "bye"]


def test_who_is_in_no_round_is_out_and_named(tmp_path: Path) -> None:
    """The format has no mark for who has left: who never came would be paired."""
    content = deepcopy(DOUBLE_SIDED)
    content["players"] += [{"id": k, "name": f"player {k}"} for k in (8, 9)]
    path = written(tmp_path, content)
    event = read_event(path)
    assert [
        name for name, here in zip(event.players, event.active, strict=True) if here
    ] == ["1", "2", "3"]
    told = "These players are in no round of the file, so pairopt takes them as dropped: player 8, player 9."
    assert told in [*map(str, event.notes)]
    words = ["new", str(tmp_path / "made"), "--players", str(path), "--rounds", "4"]
    done = CliRunner().invoke(main, words)
    assert told in done.stderr
    made = read_event(tmp_path / "made")
    assert made.present.tolist() == [True, True, True, False, False]
    assert "player 8" not in {
        row["player1"] for row in pair(tmp_path / "made").result.matches
    }  # type: ignore[union-attr]
    nobody = {**content, "rounds": []}
    assert read_event(written(tmp_path, nobody)).active.all(), (
        "before round 1 all are in"
    )


def test_who_was_not_in_the_last_round_is_out_too(tmp_path: Path) -> None:
    content = deepcopy(DOUBLE_SIDED)
    content["players"].append({"id": 9, "name": "player 9"})
    content["rounds"][0].append(
        {
            "table": 3,
            "player1": seat(9, None, None, 6),
            "player2": seat(None, None, None, 0),
        }
    )
    event = read_event(written(tmp_path, content))
    assert event.active.tolist() == [True, True, True, False]
    assert not any(note.kind == "nrtm.never_played" for note in event.notes)
