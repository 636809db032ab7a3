"""Lists of names with what people write beside names: none is lost, joined or changed unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from pairopt import InputError, read_event
from pairopt.cli import main
from pairopt.files.read import read_upload


def players_of(text: str) -> tuple[str, ...]:
    """The players that are read and not asked about. Raises InputError with the question."""
    read = read_upload(text.encode(), "the list", typed=True)
    doubts = read.event.origin.doubts
    if doubts:
        raise InputError("the list", doubts)
    return read.event.players


@pytest.mark.parametrize(
    "text",
    [
        "C-3PO\n- Ann\n- Bob",
        "Ann:\nBob\nCy",
        "Ann 1500\nBob 1600\n#7\nCy 1700",
        "1\tAnn\n2\tBob\n3\t42\n4\tCy",
        "Ann\nBob\nTotal 1500",
        "Ann\n???\nCy",
    ],
)
def test_no_line_that_may_be_a_player_is_left_out_unasked(text: str) -> None:
    with pytest.raises(InputError, match="as a title or a total, not as a player"):
        players_of(text)


@pytest.mark.parametrize("heading", ["Name", "Names", "Spieler"])
def test_tabs_below_a_heading_without_any_stand_in_no_name(
    tmp_path: Path, heading: str
) -> None:
    path = tmp_path / "list.txt"
    path.write_text(f"{heading}\nAnn Lee\t1800\nBob Berg\t1700\n", encoding="utf-8")
    event = read_event(path)
    assert event.players == ("Ann Lee", "Bob Berg")
    assert event.columns == {"rating": ("1800", "1700")}

    path.write_text(f"{heading}\n1\tAnne\n2\t王伟\n", encoding="utf-8")
    assert read_event(path).players == ("Anne", "王伟")


def test_no_table_has_a_name_with_a_tab(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("player,club\nAnn\t7,Riga\nBob,Oslo\n", encoding="utf-8")
    with pytest.raises(InputError, match="This name contains a tab"):
        read_event(path)


@pytest.mark.parametrize(
    "text",
    [
        "Cy Berg and Nguyễn Total and José Łukasz\nDee",
        "Ann 山田 Jr and Ann García and דוד",
        "Ann; Bob; Óscar Player and",
        "Ann Lee und Bob Berg\nCy",
    ],
)
def test_names_joined_by_a_word_are_asked_about(text: str) -> None:
    with pytest.raises(
        InputError,
        match=r"between names\. pairopt reads the line as one player, .*on its own line",
    ):
        players_of(text)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "line",
    [
        "Ann 10€",
        "Ann cancelled",
        "Ann +1",
        "Ann?",
        "Ann #12",
        "Ann x",
        "Ann *",
        "Ann - 1671 1055",
        "Ann 1 500",
        "Ann/Bob",
        "Ann & Bob",
        "Ann (Annie) Lee",
        "Thanks!",
        "Thanks",
        "5 Ann",
        "Ann 12",
        "Ann (late) x",
        "Ann -",
    ],
)
@pytest.mark.parametrize("form", ["{}\nEva Nagy\nIda Ek", "- Eva Nagy\n- Ida Ek\n- {}"])
def test_what_stands_beside_a_name_is_asked_about(line: str, form: str) -> None:
    with pytest.raises(InputError):
        players_of(form.format(line))


@pytest.mark.parametrize(
    "name",
    [
        "José Ortega y Gasset",
        "Ortega y Gasset, José",
        "Josep Puig i Cadafalch",
        "Ana Costa e Silva",
    ],
)
@pytest.mark.parametrize(
    "form", ["{}\nEva Nagy\nIda Ek", "- Eva Nagy\n- Ida Ek\n- {}\n", "Ann\n{}"]
)
def test_a_word_between_two_last_names_is_part_of_the_name(
    name: str, form: str
) -> None:
    read = read_upload(form.format(name).encode(), "the list", typed=True)
    assert name in read.event.players
    doubts = [doubt.said.kind for doubt in read.event.origin.doubts]
    if "," in name:
        assert doubts == ["pasted.comma"]
        return
    assert doubts == []
    notes = " ".join(map(str, read.event.notes))
    assert f"the list: pairopt reads the line '{name}' as one player." in notes


@pytest.mark.parametrize(
    "line",
    [
        "Ana Gil y Eva Paz",
        "Ana y Eva Paz",
        "Ana y Eva y Leo",
        "ana y eva",
        "Ana y Luis",
    ],
)
def test_two_people_with_such_a_word_are_asked_about(line: str) -> None:
    with pytest.raises(InputError, match=r"has 'y' between names"):
        players_of(f"{line}\nida ek\nLeo Ek")


@pytest.mark.parametrize(
    "form", ["{}\nEva Nagy\nIda Ek", "- Eva Nagy\n- Ida Ek\n- {}", "{} 1500\nEva 1400"]
)
@pytest.mark.parametrize("name", ["Bob#1234", "Bob Berg#1234", "bob7#12345"])
def test_the_number_of_an_online_name_is_part_of_it(name: str, form: str) -> None:
    assert name in players_of(form.format(name))


@pytest.mark.parametrize(
    "line", ["Bob #1234", "Bob#12", "Bob#123456", "Bob#1234 x", "#1234"]
)
def test_other_numbers_after_a_sign_are_asked_about(line: str) -> None:
    with pytest.raises(InputError):
        players_of(f"{line}\nEva Nagy\nIda Ek")


@pytest.mark.parametrize("remark", ["(GER)", "(bye round 1)", "(late)", "x", "(new!)"])
def test_a_rating_at_the_end_hides_no_remark(remark: str) -> None:
    with pytest.raises(InputError, match="line 1: "):
        players_of(f"1. D'Arcy King {remark} 2128\n2. Bo Ek 2100")


@pytest.mark.parametrize(
    "text",
    [
        "→ Ann\n→ Bob",
        "№ 1 Ann\n№ 2 Bob",
        "№1 Ann\n№2 Bob",
        "1️⃣ Ann\n2️⃣ Bob",
        "[22:59] Ann\n[23:01] Bob",
        "🎲Ann\n🎲Bob",
    ],
)
def test_further_signs_before_all_names_are_no_part_of_them(text: str) -> None:
    assert players_of(text) == ("Ann", "Bob")


@pytest.mark.long
@pytest.mark.parametrize("line", ["🎲José García", "✅ José García", "José García ✅"])
def test_a_sign_of_one_name_alone_is_asked_about(tmp_path: Path, line: str) -> None:
    path = tmp_path / "list.txt"
    path.write_text(f"{line}\nBob\nCy\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"although most lines do not\. .* 'José García'"
    ):
        read_event(path)
    sure = ["new", str(tmp_path / "event"), "--players", str(path), "--sure"]
    assert CliRunner().invoke(main, sure).exit_code == 0
    assert read_event(tmp_path / "event").players == ("José García", "Bob", "Cy")


def test_a_last_name_that_is_a_heading_of_ours_is_a_name() -> None:
    names = ("Round, José", "Berg, Ann", "Lee, Bob")
    assert players_of("\n".join(names)) == names


@pytest.mark.parametrize(
    "text", ["Łukasz;1827 [1056]\nAnn;1700", "Ann Lee;Riga;12\nBo Ek;Oslo;7"]
)
def test_a_refusal_says_how_a_list_of_players_is_written(text: str) -> None:
    with pytest.raises(
        InputError, match="or the headings Name and Rating above the columns"
    ):
        players_of(text)


def test_who_has_only_a_number_where_others_are_ticked_is_asked_about() -> None:
    with pytest.raises(InputError, match=r"line 3: '3\. Cy' has no sign"):
        players_of("1. ✅ Ann\n2. ✅ Bo\n3. Cy")


NAMES = st.lists(
    st.sampled_from(
        [
            "Ann Lee",
            "Bo",
            "Éva Nagy-Kiss",
            "D'Arcy King",
            "王伟",
            "Ирина Петрова",
            "de Vries",
            "C-3PO",
            "José García Jr.",
            "דוד",
            "Nguyễn Văn An",
            "Round",
            "Open Otto",
            "42",
            "X Æ A",
        ]
    ),
    min_size=2,
    max_size=6,
    unique=True,
)
BEFORE = st.sampled_from(
    [
        "",
        "- ",
        "{}. ",
        "{} ",
        "{}\t",
        "#{} ",
        "№ {} ",
        "→ ",
        "✅",
        "✅ ",
        "[x] ",
        "[ ] ",
        "({}) ",
        "[22:0{}] ",
        "? ",
        "@",
        "~",
    ]
)
AFTER = st.sampled_from(
    [
        "",
        " 1500",
        " (1500)",
        ";1500",
        "\t1500",
        " (GER) 1500",
        " - 1500",
        " - 1671 1055",
        " (late)",
        " x",
        " cancelled",
        " +1",
        "?",
        " 10€",
        " #12",
        " ✅",
        "!",
        " *",
        " [paid]",
        ", late",
        " 7",
        " and",
        ":",
        ";",
        ",",
    ]
)
ABOVE = st.sampled_from(
    ["", "Name\n", "Players:\n", "Spieler\n", "Friday\n\n", "-----\n"]
)
BELOW = st.sampled_from(
    ["", "\nThanks!", "\nTotal 3", "\n---", "\n2 players", "\nsee you there"]
)


@pytest.mark.sweep
@settings(deadline=None)
@drawn(NAMES, st.data(), st.booleans(), ABOVE, BELOW)
def test_the_players_are_those_written_or_the_list_is_refused(
    names: list[str], data: st.DataObject, is_even: bool, above: str, below: str
) -> None:
    before, after = data.draw(BEFORE), data.draw(AFTER)
    lines = []
    for number, name in enumerate(names, 1):
        if not is_even:
            before, after = data.draw(BEFORE), data.draw(AFTER)
        lines.append(f"{before.format(number)}{name}{after}")
    text = above + "\n".join(lines) + below
    try:
        found = players_of(text)
    except InputError:
        return
    assert sorted(found) == sorted(names)
