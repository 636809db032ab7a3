"""Players from a rating list: entered by number, updated before round 1, and undone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from rating_files import GERMAN_LIST, PERSONS, Invented, text_list, write

from pairopt import UsageError, read_event
from pairopt.cli import main
from pairopt.errors import ConfirmationError
from pairopt.event.settings import EventSettings
from pairopt.files.rating_lists.store import add_list, list_newest
from pairopt.folder import (
    change,
    compare_ratings,
    edit,
    enter_listed,
    new,
    pair,
    ratings,
    undo,
    update_ratings,
)
from pairopt.folder.listed_players import choose_rating, select_lists

ROWS = (
    "Name,Rtg,FideID,Title\n"
    '"Muller, Jorn",2400,91000001,GM\n'
    '"Twin, Dano",1950,91000007,CM\n'
    '"Sorensen, Lukasz",2300,91000005,\n'
    '"Home, Eva",1999,,\n'
    '"Away, Ida",1200,91999999,\n'
)


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """FIDE's list of November, and the German one."""
    monkeypatch.setenv("PAIROPT_LISTS", str(tmp_path / "lists"))
    add_list(write(tmp_path, "list.txt", text_list()), month="2026-11")
    add_list(write(tmp_path, "dwz.csv", GERMAN_LIST), month="2026-10")
    return tmp_path / "lists"


@pytest.fixture
def event(tmp_path: Path, lists: Path) -> Path:
    folder = tmp_path / "event"
    new(folder, write(tmp_path, "players.csv", ROWS.encode()), rounds=3)
    return folder


def cells(folder: Path, player: str) -> dict[str, str]:
    event = read_event(folder, unfinished=True)
    position = event.position(player)
    return {
        column: values[position]
        for column, values in event.columns.items()
        if values[position] and column not in ("active", "start")
    }


def test_a_number_fills_in_all_data(event: Path) -> None:
    before = (event / "players.csv").read_bytes()
    done = enter_listed(event, "91000002")
    assert cells(event, "Mueller, Jule") == {
        "rating": "2110",
        "title": "WFM",
        "federation": "GER",
        "birth": "2001",
        "sex": "w",
        "k": "40",
        "fide_id": "91000002",
    }
    assert "FIDE list of November 2026" in str(done.said[1])
    undo(event)
    assert (event / "players.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("kind", "k"), [("standard", "40"), ("rapid", None), ("blitz", "10")]
)
def test_k_is_that_of_the_kind_of_games(event: Path, kind: str, k: str | None) -> None:
    """Without a rating of this kind there is no K either."""
    change(event, {"rating_kind": kind})
    enter_listed(event, "91000002")
    assert cells(event, "Mueller, Jule").get("k") == k


def test_a_new_k_is_an_update_for_players_who_have_one(event: Path) -> None:
    enter_listed(event, "91000002")
    assert not [each for each in compare_ratings(event).changes if each.column == "k"]
    edit(event, "Mueller, Jule", {"k": "20"})
    (found,) = [each for each in compare_ratings(event).changes if each.column == "k"]
    assert (found.name, found.before, found.after) == ("Mueller, Jule", "20", "40")


def test_typed_cells_win_over_the_list(event: Path) -> None:
    enter_listed(event, "91000002", "Muller-Berg, Jule", {"rating": "2000"})
    found = cells(event, "Muller-Berg, Jule")
    assert (found["rating"], found["title"]) == ("2000", "WFM")


def test_a_second_player_of_the_name_is_entered_by_number(event: Path) -> None:
    enter_listed(event, "91000008")
    assert read_event(event).shown[-1] == "Twin, Dano (91000008)"
    with pytest.raises(UsageError) as caught:
        enter_listed(event, "91000007")
    assert caught.value.kind == "player.number_there"


@pytest.mark.parametrize("number", ["12", "x", "", "9" * 30, "٣"])
def test_a_number_that_nobody_has_is_refused(event: Path, number: str) -> None:
    with pytest.raises(UsageError) as caught:
        enter_listed(event, number)
    assert caught.value.kind == "rating_list.no_number"


@pytest.mark.parametrize(
    ("kind", "rating"), [("standard", "2110"), ("rapid", "2110"), ("blitz", "2090")]
)
def test_the_rating_is_that_of_the_kind_of_games(
    event: Path, kind: str, rating: str
) -> None:
    """Jule Mueller has no rapid rating, so the standard rating counts there."""
    change(event, {"rating_kind": kind})
    enter_listed(event, "91000002")
    assert cells(event, "Mueller, Jule").get("rating") == rating


CHOICES = {
    None: (1801, 1777, 1801),
    "fide": (1801, 1777, 1801),
    "national": (1801, 1777, 1777),
    "national-first": (1801, 1777, 1777),
    "larger": (1801, 1777, 1801),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_the_setting_says_which_rating_counts(event: Path, choice: str | None) -> None:
    fide, national, counting = CHOICES[choice]
    if choice:
        change(event, {"rating_choice": choice})
    enter_listed(event, "91000006")
    found = cells(event, "Strasse, Udo")
    assert (found["rating"], found["national_rating"]) == (str(counting), str(national))
    assert found.get("fide_rating") == (
        str(fide) if choice not in (None, "fide") else None
    )


@pytest.mark.parametrize(
    ("fide", "national", "expected"),
    [
        (1900, 2000, (1900, 1900, 2000, 2000, 2000)),
        (0, 2000, (2000, 0, 2000, 2000, 2000)),
        (1900, 0, (1900, 1900, 0, 1900, 1900)),
        (0, 0, (0, 0, 0, 0, 0)),
    ],
)
def test_the_choice_between_two_ratings(
    fide: int, national: int, expected: tuple[int, ...]
) -> None:
    assert expected == tuple(
        choose_rating(fide, national, choice)  # type: ignore[arg-type]
        for choice in (None, "fide", "national", "national-first", "larger")
    )


def test_a_national_list_is_completed_by_ratings_of_the_kind_of_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FIDE's list of blitz ratings comes first by name, and must not be taken."""
    monkeypatch.setenv("PAIROPT_LISTS", str(tmp_path / "others"))
    for kind, name in enumerate(("standard", "rapid", "blitz")):
        add_list(write(tmp_path, f"{name}_rating_list.txt", text_list(kind=kind)))
    add_list(write(tmp_path, "dwz.csv", GERMAN_LIST), month="2026-10")
    selection = select_lists(EventSettings(), "dwz")
    assert [stored.name for stored in selection.others] == ["fide-standard"]


def test_a_comparison_names_old_and_new_values(event: Path) -> None:
    comparison = compare_ratings(event)
    found = [
        (each.name, each.column, each.before, each.after)
        for each in comparison.changes
        if each.column in ("rating", "title")
    ]
    assert found == [
        ("Muller, Jorn", "rating", "2400", "2510"),
        ("Twin, Dano", "rating", "1950", "1900"),
        ("Sorensen, Lukasz", "rating", "2300", "2305"),
        ("Sorensen, Lukasz", "title", "", "FM"),
    ]
    assert comparison.without_number == ("Home, Eva",)
    assert comparison.not_listed == ("Away, Ida",)


@pytest.fixture
def event_of_own_ratings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only FIDE's list is stored; the players have national ratings of their own."""
    monkeypatch.setenv("PAIROPT_LISTS", str(tmp_path / "lists"))
    add_list(write(tmp_path, "list.txt", text_list()), month="2026-11")
    folder = tmp_path / "event"
    rows = (
        "player,rating,fide_id,national_rating\n"
        '"Muller, Jorn",2600,91000001,2600\n'
        '"Twin, Dano",1950,91000007,1700\n'
        '"Strasse, Udo",1801,91000006,\n'
    )
    new(folder, write(tmp_path, "players.csv", rows.encode()), rounds=3)
    return folder


@pytest.mark.parametrize(
    ("choice", "changes"),
    [
        ("larger", [("Twin, Dano", "1950", "1900")]),
        (
            "national",
            [("Twin, Dano", "1950", "1700")],
        ),
        (
            "fide",
            [("Muller, Jorn", "2600", "2510"), ("Twin, Dano", "1950", "1900")],
        ),
    ],
)
def test_own_national_ratings_count_if_no_list_has_them(
    event_of_own_ratings: Path, choice: str, changes: list[tuple[str, ...]]
) -> None:
    change(event_of_own_ratings, {"rating_choice": choice})
    comparison = compare_ratings(event_of_own_ratings)
    assert [
        (each.name, each.before, each.after)
        for each in comparison.changes
        if each.column == "rating"
    ] == changes


def test_a_typed_national_rating_counts_for_a_listed_player(
    event_of_own_ratings: Path,
) -> None:
    change(event_of_own_ratings, {"rating_choice": "larger"})
    enter_listed(event_of_own_ratings, "91000008", None, {"national_rating": "1600"})
    assert cells(event_of_own_ratings, "91000008")["rating"] == "1600"


@pytest.fixture
def mistyped(event: Path) -> Path:
    """Eva Home has the FIDE number of Udo Strasse."""
    edit(event, "Home, Eva", {"fide_id": "91000006"}, sure=True)
    return event


def test_another_name_in_the_list_is_told_and_not_written(mistyped: Path) -> None:
    comparison = compare_ratings(mistyped)
    assert {(each.name, each.other_name) for each in comparison.changes} == {
        ("Muller, Jorn", ""),
        ("Twin, Dano", ""),
        ("Sorensen, Lukasz", ""),
        ("Home, Eva", "Strasse, Udo"),
    }
    (note,) = [
        note for note in comparison.describe() if note.kind == "rating_list.other_name"
    ]
    assert note.fields == {"name": "Home, Eva", "listed": "Strasse, Udo"}

    ratings(mistyped, apply=True)
    assert cells(mistyped, "Home, Eva")["rating"] == "1999"
    assert cells(mistyped, "Muller, Jorn")["rating"] == "2510"
    ratings(mistyped, apply=True, players=["Home, Eva"])
    assert cells(mistyped, "Home, Eva")["rating"] == "1801"


def test_another_name_in_the_list_on_the_command_line(mistyped: Path) -> None:
    def run(*arguments: str) -> str:
        done = CliRunner().invoke(main, ["ratings", str(mistyped), *arguments])
        assert done.exit_code == 0, done.output
        return " ".join(done.output.split())

    assert "FIDE number: Strasse, Udo." in run()
    output = run("--apply")
    assert "add --player 'Home, Eva' to --apply" in output
    assert "written to" in output
    assert cells(mistyped, "Home, Eva")["rating"] == "1999"
    output = run("--apply")
    assert "No value was chosen" in output
    assert "written to" not in output
    run("--apply", "--player", "Home, Eva")
    assert cells(mistyped, "Home, Eva")["rating"] == "1801"


@pytest.mark.parametrize(
    "name",
    [
        "Jörn Müller",
        "Mueller, Joern",
        "muller, j.",
        "Muller, Jorn Kai",
        "Mulller, Jorn",
        "Muller",
    ],
)
def test_another_spelling_in_the_list_is_no_other_name(event: Path, name: str) -> None:
    edit(event, "Muller, Jorn", {"name": name}, sure=True)
    changes = compare_ratings(event).changes
    assert {each.other_name for each in changes} == {""}


def test_a_relative_in_the_list_has_another_name(event: Path) -> None:
    edit(event, "Muller, Jorn", {"name": "Muller, Anna"}, sure=True)
    changes = compare_ratings(event).changes
    assert {each.other_name for each in changes} == {"", "Muller, Jorn"}


def test_a_blank_in_the_list_deletes_nothing(event: Path) -> None:
    ratings(event, apply=True)
    assert cells(event, "Twin, Dano")["title"] == "CM"
    assert cells(event, "Home, Eva")["rating"] == "1999"
    assert not compare_ratings(event).changes


def test_a_date_of_birth_in_the_listed_year_stays(tmp_path: Path, event: Path) -> None:
    table = (event / "players.csv").read_text(encoding="utf-8")
    heading, *rows = table.splitlines()
    rows = [f"{row},{'1985-07-31' if 'Muller' in row else ''}" for row in rows]
    (event / "players.csv").write_text(
        "\n".join([f"{heading},birth", *rows, ""]), encoding="utf-8"
    )
    ratings(event, apply=True)
    assert cells(event, "Muller, Jorn")["birth"] == "1985-07-31"
    assert cells(event, "Twin, Dano")["birth"] == "1989"


def test_only_the_chosen_values_are_written(event: Path) -> None:
    before = (event / "players.csv").read_bytes()
    comparison = compare_ratings(event)
    chosen = [each for each in comparison.changes if each.after == "2510"]
    update_ratings(event, chosen)
    assert cells(event, "Muller, Jorn")["rating"] == "2510"
    assert cells(event, "Twin, Dano")["rating"] == "1950"
    undo(event)
    assert (event / "players.csv").read_bytes() == before


def test_without_apply_nothing_is_written(event: Path) -> None:
    before = {
        path.name: path.read_bytes() for path in event.iterdir() if path.is_file()
    }
    ratings(event)
    update_ratings(event, [])
    assert before == {
        path.name: path.read_bytes() for path in event.iterdir() if path.is_file()
    }


def test_pairing_numbers_follow_before_round_1_and_stay_after(
    tmp_path: Path, event: Path
) -> None:
    swapped = [
        replace(PERSONS[0], ratings=(1000, 0, 0)),
        replace(PERSONS[4], ratings=(2600, 0, 0)),
    ]
    add_list(write(tmp_path, "next.txt", text_list(swapped)), month="2026-12")
    ratings(event, apply=True)
    order = read_event(event)
    assert order.start_numbers[order.position("Sorensen, Lukasz")] == 1
    assert order.start_numbers[order.position("Muller, Jorn")] == 5

    pair(event)
    numbers = read_event(event, unfinished=True).start_numbers.tolist()
    with pytest.raises(ConfirmationError) as caught:
        ratings(event, list_name="fide-2026-11", apply=True)
    assert caught.value.kind == "rating_list.round_paired"
    done = ratings(event, list_name="fide-2026-11", apply=True, sure=True)
    assert "rating_list.numbers_stay" in [note.kind for note in done.said]
    assert read_event(event, unfinished=True).start_numbers.tolist() == numbers


def test_numbers_that_were_stored_are_made_again(event: Path, tmp_path: Path) -> None:
    table = (event / "players.csv").read_text(encoding="utf-8").splitlines()
    table = [f"{row},{k or 'start'}" for k, row in enumerate(table)]
    (event / "players.csv").write_text("\n".join([*table, ""]), encoding="utf-8")
    swapped = [replace(PERSONS[4], ratings=(2600, 0, 0))]
    add_list(write(tmp_path, "next.txt", text_list(swapped)), month="2026-12")
    done = ratings(event, apply=True)
    assert "rating_list.numbers_made" in [note.kind for note in done.said]
    after = read_event(event)
    assert after.start_numbers[after.position("Sorensen, Lukasz")] == 1


def test_a_value_that_somebody_changed_meanwhile_is_not_overwritten(
    event: Path,
) -> None:
    comparison = compare_ratings(event)
    ratings(event, apply=True)
    with pytest.raises(UsageError) as caught:
        update_ratings(event, comparison.changes)
    assert caught.value.kind == "rating_list.changed_since"


def test_markup_in_a_name_stays_text(tmp_path: Path, event: Path) -> None:
    name = '<b onload="x">, =1+1'
    hostile = [Invented(93000001, name)]
    add_list(write(tmp_path, "next.txt", text_list(hostile)), month="2026-12")
    enter_listed(event, "93000001")
    assert read_event(event).names[-1] == name


def test_the_commands_say_what_they_do(
    tmp_path: Path, event: Path, lists: Path
) -> None:
    def run(*arguments: str) -> str:
        done = CliRunner().invoke(main, [*arguments])
        assert done.exit_code == 0, done.output
        return done.output

    assert "fide   2026-11" in run("lists")
    assert "91000001" in run("lists", "find", "müll jö")
    found = json.loads(
        run("lists", "find", "mull", "--format", "json").split("\n2 p")[0]
    )
    assert [each["fide"]["standard"] for each in found["persons"]] == [2510, 1720]
    assert run("lists", "--format", "csv").startswith("list,month,persons,file\n")
    assert "plays from round 1" in run("enter", str(event), "--fide", "91000003")
    table = run("ratings", str(event), "--player", "Twin, Dano")
    assert "1950" in table
    assert "--apply" in table
    assert "Muller" not in table
    assert "written to" in run("ratings", str(event), "--apply")
    assert "removed" in run("lists", "remove", "dwz-2026-10")
    other = str(tmp_path / "other")
    assert "none" not in run("lists", "--lists", other)
    assert "No rating list is stored yet" in run("lists", "--lists", other)
    assert "fide   2026-11" in run("lists")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["enter", "EVENT"], "--fide NUMBER"),
        (["enter", "EVENT", "Zoe", "--list", "fide"], "--fide NUMBER"),
        (["enter", "EVENT", "--fide", "1"], "No person has FIDE number 1"),
        (["enter", "EVENT", "--fide", "91000002", "--list", "x"], "No list 'x'"),
        (["ratings", "EVENT", "--list", "fide-2025-01"], "fide-2026-11"),
        (["lists", "add", "LIST"], "--month 20"),
        (["lists", "remove", "fide"], "fide-2026-11"),
    ],
)
def test_a_mistake_says_what_to_type(
    tmp_path: Path, event: Path, arguments: list[str], expected: str
) -> None:
    paths = {"EVENT": str(event), "LIST": str(tmp_path / "list.txt")}
    done = CliRunner().invoke(main, [paths.get(each, each) for each in arguments])
    assert done.exit_code == 2
    assert expected in done.stderr
    assert not done.stdout


def test_the_list_of_the_month_of_the_first_day_counts(
    event: Path, tmp_path: Path
) -> None:
    later = [Invented(91000002, "Mueller, Jule", "GER", "F", "WFM", (2300, 0, 0))]
    add_list(write(tmp_path, "later.txt", text_list(later)), month="2026-12")
    assert compare_ratings(event).stored.month == "2026-12"
    change(event, {"first_day": "2026-11-28"})
    assert compare_ratings(event).stored.month == "2026-11"
    enter_listed(event, "91000002")
    assert cells(event, "Mueller, Jule")["rating"] == "2110"
    # Without a list of that time, the first list after it counts.
    change(event, {"first_day": "2020-01-02"})
    assert compare_ratings(event).stored.month == "2026-11"
    for latest, month in (("2020-01", "2026-11"), ("", "2026-12")):
        assert ("fide", month) in [(one.name, one.month) for one in list_newest(latest)]
