"""FIDE numbers identify players: two of one name, and never one number twice."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from pairopt import Event, InputError, UsageError, read_event, write_event
from pairopt.cli import main
from pairopt.errors import ConfirmationError
from pairopt.folder import bye, edit, enter, forbid, new, pair, result, undo
from pairopt.folder.roster import enter_all

TWINS = '"Twin, Dano",1900,91000007\n"Twin, Dano",1400,91000008\n'
OTHERS = '"Berg, Ole",1700,91000020\n"Nils, Eva",1600,\n'


def listed(folder: Path, rows: str, heading: str = "Name,Rtg,FideID\n") -> Path:
    path = folder / "list.csv"
    path.write_text(heading + rows, encoding="utf-8")
    return path


def players(folder: Path) -> list[tuple[str, str]]:
    event = read_event(folder, unfinished=True)
    return [*zip(event.players, event.names, strict=True)]


@pytest.fixture
def event(tmp_path: Path) -> Path:
    folder = tmp_path / "event"
    new(folder, listed(tmp_path, '"Twin, Dano",1900,91000007\n' + OTHERS))
    return folder


@pytest.mark.parametrize("heading", ["Name,Rtg,FideID\n", "player,rating,fide_id\n"])
def test_two_players_of_one_name_are_two_players_in_a_new_event(
    tmp_path: Path, heading: str
) -> None:
    folder = tmp_path / "event"
    new(folder, listed(tmp_path, TWINS + OTHERS, heading))
    assert players(folder) == [
        ("91000007", "Twin, Dano"),
        ("91000008", "Twin, Dano"),
        ("Berg, Ole", "Berg, Ole"),
        ("Nils, Eva", "Nils, Eva"),
    ]
    assert read_event(folder).shown[:2] == (
        "Twin, Dano (91000007)",
        "Twin, Dano (91000008)",
    )


@pytest.mark.parametrize(
    "rows",
    [
        '"Twin, Dano",1900,91000007\n"Twin, Dano",1400,\n',
        '"Twin, Dano",1900,91000007\n"Twin, Dano",1400,0\n',
        '"Twin, Dano",1900,91000007\n"Twin, Dano",1400,091000007\n',
        TWINS + '"Twin, Dano",1500,\n',
    ],
)
def test_players_of_one_name_without_two_numbers_are_refused(
    tmp_path: Path, rows: str
) -> None:
    with pytest.raises(InputError) as caught:
        new(tmp_path / "event", listed(tmp_path, rows))
    assert caught.value.kind == "roster.again"


def test_names_in_another_order_with_two_numbers_are_not_asked_about(
    tmp_path: Path,
) -> None:
    rows = '"Twin, Dano",1900,91000007\n"Dano Twin",1400,{}\n'
    with pytest.raises(ConfirmationError):
        new(tmp_path / "event", listed(tmp_path, rows.format("")))
    new(tmp_path / "event", listed(tmp_path, rows.format("91000008")))


def test_a_namesake_with_another_number_is_entered(event: Path) -> None:
    enter(event, "Twin, Dano", {"fide_id": "91000008"})
    assert players(event)[-1] == ("91000008", "Twin, Dano")
    shown = read_event(event).shown
    assert (shown[0], shown[-1]) == ("Twin, Dano (91000007)", "Twin, Dano (91000008)")
    undo(event)
    assert len(players(event)) == 3


@pytest.fixture
def twins(event: Path) -> Path:
    """The first twin's identifier is the name, the second twin's is 91000008."""
    enter(event, "Twin, Dano", {"fide_id": "91000008"})
    return event


def named_in_toml(folder: Path) -> tuple[list[list[str]], list[str]]:
    content = tomllib.loads((folder / "event.toml").read_text(encoding="utf-8"))
    pairs = [
        pair["players"] if isinstance(pair, dict) else pair
        for pair in content.get("forbid", [])
    ]
    return pairs, [bye["player"] for bye in content.get("byes", [])]


def give_advance_bye(folder: Path, player: str) -> None:
    path = folder / "event.toml"
    bye = f'\n[[byes]]\nplayer = "{player}"\nround = 3\n'
    path.write_text(path.read_text(encoding="utf-8") + bye, encoding="utf-8")


def test_a_new_name_of_one_twin_leaves_what_means_the_other(twins: Path) -> None:
    forbid(twins, "Twin, Dano", "Berg, Ole")
    give_advance_bye(twins, "Twin, Dano")
    edit(twins, "91000008", {"name": "Twin, Danilo"}, sure=True)
    pairs, byes = named_in_toml(twins)
    assert [sorted(pair) for pair in pairs] == [["Berg, Ole", "Twin, Dano"]]
    assert byes == ["Twin, Dano"]


def test_a_bye_of_one_twin_is_not_cancelled_with_the_other(twins: Path) -> None:
    give_advance_bye(twins, "Twin, Dano")
    with pytest.raises(UsageError) as caught:
        bye(twins, "91000008", round=3, off=True)
    assert caught.value.kind == "bye.none_there"
    assert named_in_toml(twins)[1] == ["Twin, Dano"]
    bye(twins, "Twin, Dano", round=3, off=True)
    assert named_in_toml(twins)[1] == []


def test_a_third_namesake_does_not_get_the_name_as_identifier(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    new(folder, listed(tmp_path, TWINS + OTHERS))
    enter(folder, "Twin, Dano", {"fide_id": "91000009"})
    assert players(folder)[-1] == ("91000009", "Twin, Dano")
    rows = '"Twin, Dano",1500,91000010\n'
    enter_all(folder, read_event(listed(tmp_path, rows)))
    assert players(folder)[-1] == ("91000010", "Twin, Dano")


def test_a_fide_number_finds_its_player_by_any_identifier(twins: Path) -> None:
    event = read_event(twins)
    assert event.find_players("91000007") == [0]
    assert event.find_players(" 091000007 ") == [0]
    assert event.find_players("91000008") == [3]
    assert event.find_players("91000009") == []


@pytest.mark.parametrize(
    "words",
    [
        ["bye", "Twin, Dano"],
        ["drop", "Twin, Dano"],
        ["edit", "Twin, Dano", "--set", "rating=1500"],
        ["edit", "Twin, Dano", "--table", "3"],
        ["forbid", "Berg, Ole", "Twin, Dano"],
        ["bye", "dano twin"],
        ["pair", "--forbid", "Twin, Dano:Berg, Ole"],
        ["pair", "--force", "Berg, Ole:Twin, Dano", "--against-fide"],
        ["pair", "--allow", "Berg, Ole:Twin, Dano"],
        ["pair", "--request-bye", "Twin, Dano", "--drop", "Nils, Eva"],
        ["pair", "--no-bye", "Twin, Dano"],
        ["pair", "--allow-bye", "Twin, Dano"],
        ["pair", "--bye", "Twin, Dano", "--drop", "Nils, Eva", "--against-fide"],
        ["pair", "--drop", "Twin, Dano", "--drop", "Nils, Eva"],
        ["pair", "--preview", "--drop", "Twin, Dano", "--drop", "Nils, Eva"],
        ["solve", "--forbid", "Twin, Dano:Berg, Ole"],
        ["solve", "--fixed", "Twin, Dano:Berg, Ole"],
        ["solve", "--model", "monrad", "--published", "Twin, Dano:Berg, Ole"],
        ["solve", "--no-bye", "Twin, Dano"],
        ["odds", "--player", "Twin, Dano"],
        ["explain", "--why-not", "Twin, Dano:Berg, Ole"],
        ["explain", "--why-bye", "Twin, Dano"],
        ["explain", "--why-float", "Twin, Dano"],
    ],
)
def test_a_name_of_two_players_on_the_command_line_is_refused(
    twins: Path, words: list[str]
) -> None:
    files_before = {path: path.read_bytes() for path in twins.glob("*.[ct]*")}
    verb, *others = words
    outcome = CliRunner().invoke(main, [verb, str(twins), *others])
    assert outcome.exit_code == 2
    output = " ".join(outcome.output.split())
    assert "Type the identifier: 91000007 or 91000008." in output
    files_after = {path: path.read_bytes() for path in twins.glob("*.[ct]*")}
    assert files_after == files_before

    words_with_number = [
        word.replace("Twin, Dano", "91000007").replace("dano twin", "91000007")
        for word in others
    ]
    outcome = CliRunner().invoke(main, [verb, str(twins), *words_with_number])
    assert outcome.exit_code == 0, outcome.output


def test_a_namesake_by_identifier_is_named_with_the_identifier(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    new(folder, listed(tmp_path, "Ann\nBob\nCid\n", "Name\n"))
    enter(folder, "ann2", {"name": "Ann"})
    outcome = CliRunner().invoke(main, ["bye", str(folder), "Ann"])
    assert outcome.exit_code == 2
    assert "Type the identifier: Ann (Ann) or ann2." in outcome.output

    for typed, player in (("Ann (Ann)", "Ann"), ("ann2", "ann2"), ("Bob", "Bob")):
        outcome = CliRunner().invoke(main, ["bye", str(folder), typed])
        assert outcome.exit_code == 0, outcome.output
        event = read_event(folder, unfinished=True)
        absent = [event.players[position] for position in event.matches.first]
        assert absent == [player]
        undo(folder)


def test_an_identifier_that_is_the_number_of_another_player(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    rows = "91000008,Ann,91000007\n91000007,Bob,91000008\nc,Cid,\n"
    new(folder, listed(tmp_path, rows, "player,name,fide_id\n"))
    outcome = CliRunner().invoke(main, ["bye", str(folder), "91000007"])
    assert outcome.exit_code == 2
    choices = "Ann (91000007) or Bob (91000008)"
    assert f"Type the identifier: {choices}." in outcome.output


def test_a_name_like_a_marked_name_is_marked_too(tmp_path: Path) -> None:
    rows = "a,Ann\nb,Ann\nc,Ann (a)\nd,Bob\n"
    event = read_event(listed(tmp_path, rows, "player,name\n"))
    assert event.shown == ("Ann (a)", "Ann (b)", "Ann (a) (c)", "Bob")
    assert [event.find_typed_player(event.text_to_type(k)) for k in range(4)] == [
        *range(4)
    ]


def test_a_name_can_be_typed_as_it_is_shown(tmp_path: Path) -> None:
    rows = "a,Ann\u200b Lee\nb,Ann Lee\nc,\u202eBob\n"
    event = read_event(listed(tmp_path, rows, "player,name\n"))
    assert event.shown == (
        "Ann\u27e8U+200B\u27e9 Lee",
        "Ann Lee",
        "\u27e8U+202E\u27e9Bob",
    )
    assert [event.find_typed_players(name) for name in event.shown] == [[0], [1], [2]]


def test_accents_that_look_the_same_are_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    rows = "1,Jos\u00e9\n2,Jose\u0301\n3,Jose\n"
    new(folder, listed(tmp_path, rows, "player,name\n"), sure=True)
    event = read_event(folder)
    assert event.find_players("Jos\u00e9") == event.find_players("Jose\u0301") == [0, 1]
    assert event.find_players("Jose") == [2]


def test_names_as_identifiers_that_differ_in_case_can_be_typed(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    rows = "Krause,91000007\nKRAUSE,91000008\nBob,91000009\n"
    new(folder, listed(tmp_path, rows, "Name,FideID\n"), sure=True)
    event = read_event(folder)
    assert [event.find_typed_player(name) for name in event.players] == [0, 1, 2]


@pytest.mark.parametrize("identifier", ["91000007", "0091000007"])
def test_start_numbers_beside_identifiers_that_are_fide_numbers(
    tmp_path: Path, identifier: str
) -> None:
    rows = f"{identifier},Ann,91000007,2\nBob,Bob,,1\n"
    event = read_event(listed(tmp_path, rows, "player,name,fide_id,start\n"))
    assert event.find_players("1") == [1]
    assert event.find_players("#2") == [0]


def test_start_numbers_beside_identifiers_that_are_other_numbers(
    tmp_path: Path,
) -> None:
    for identifier in ("91000001", "0"):
        rows = f"{identifier},Ann,,2\nBob,Bob,,1\n"
        event = read_event(listed(tmp_path, rows, "player,name,fide_id,start\n"))
        assert event.find_players("1") == []


def test_an_identifier_from_python_means_its_player(twins: Path) -> None:
    bye(twins, "Twin, Dano", round=1)
    assert read_event(twins, unfinished=True).position("Twin, Dano") == 0


@pytest.mark.parametrize("number", ["", "0"])
def test_a_namesake_without_a_number_is_refused(event: Path, number: str) -> None:
    with pytest.raises(UsageError) as caught:
        enter(event, "twin, dano", {"fide_id": number}, sure=True)
    assert caught.value.kind == "player.there_already"


@pytest.mark.parametrize("name", ["Cleo", "Twin, Dano"])
@pytest.mark.parametrize("number", ["91000007", "0091000007", " 91000007 "])
def test_a_number_that_is_there_is_refused_with_both_names(
    event: Path, name: str, number: str
) -> None:
    before = (event / "players.csv").read_bytes()
    with pytest.raises(UsageError) as caught:
        enter(event, name, {"fide_id": number}, sure=True)
    if name == "Twin, Dano":
        assert caught.value.kind == "player.number_there"
    else:
        assert f"both 'Twin, Dano' and '{name}'" in str(caught.value)
    assert (event / "players.csv").read_bytes() == before


def test_no_player_gets_the_number_of_another(event: Path) -> None:
    with pytest.raises(UsageError) as caught:
        edit(event, "Nils, Eva", {"fide_id": "91000020"}, sure=True)
    assert "'Berg, Ole' and 'Nils, Eva'" in str(caught.value)


def test_a_player_with_another_number_may_get_the_name(event: Path) -> None:
    edit(event, "Berg, Ole", {"name": "Twin, Dano"})
    assert players(event)[1] == ("Berg, Ole", "Twin, Dano")
    with pytest.raises(UsageError):
        edit(event, "Nils, Eva", {"name": "Twin, Dano"})


def test_an_import_goes_by_numbers_first(tmp_path: Path, event: Path) -> None:
    rows = (
        '"Twin, Dano",1400,91000008\n'  # another player
        '"Bergh, Ole",1700,91000020\n'  # is there, under another spelling
        '"Nils, Eva",1600,91000030\n'  # has no number in the event
        '"Zeno, Ida",1500,\n'
    )
    imported = read_event(listed(tmp_path, rows))
    done = enter_all(event, imported, sure=True)
    assert players(event)[3:] == [
        ("91000008", "Twin, Dano"),
        ("Zeno, Ida", "Zeno, Ida"),
    ]
    (note,) = [note for note in done.said if note.kind == "player.left_out"]
    assert note.fields["names"] == ["Berg, Ole", "Nils, Eva"]


def test_a_typed_number_of_a_player_means_the_player(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    new(folder, listed(tmp_path, TWINS + OTHERS))
    edit(folder, "91000008", {"club": "Oslo"})
    with pytest.raises(UsageError) as caught:
        edit(folder, "Twin, Dano", {"club": "Riga"})
    assert caught.value.kind == "event.which_player"
    pair(folder)
    edit(folder, "#4", {"club": "Bergen"})
    table = pd.read_csv(folder / "players.csv", dtype=str)
    assert [*table.club.fillna("")] == ["", "Bergen", "", ""]


@pytest.mark.long
def test_two_of_one_name_survive_each_export(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    new(folder, listed(tmp_path, TWINS + OTHERS), rounds=3)
    pair(folder)
    for table in (1, 2):
        result(folder, table, "1-0")
    event = read_event(folder)
    for name in ("report.trf", "matches.csv", "event.json"):
        write_event(event, tmp_path / name)
        has_list = name == "matches.csv"
        roster = tmp_path / "matches-players.csv" if has_list else None
        again = read_event(tmp_path / name, roster)
        assert len({*again.players}) == 4
        assert collect_results(again) == collect_results(event)
        if name != "event.json":  # that format has no ratings
            assert list_ratings(again) == list_ratings(event)


def list_ratings(event: Event) -> list[str]:
    """The ratings in the order of the list of players."""
    return [event.rating_text(position) for position in range(len(event.names))]


def collect_results(event: Event) -> set[frozenset[tuple[str, int, int]]]:
    """The matches: each player by number in the list and name, with side and score.

    The order of the two players does not count, because a report of a tournament has
    none: there a match stands with the player who comes first in the list.
    """
    labels = [f"{position} {name}" for position, name in enumerate(event.names)]
    matches = event.matches
    return {
        frozenset(
            {
                (labels[first], int(side), int(score1)),
                (labels[second], 1 - int(side), int(score2)),
            }
        )
        for first, second, side, score1, score2 in zip(
            matches.first,
            matches.second,
            matches.side,
            matches.score1,
            matches.score2,
            strict=True,
        )
    }
