"""Names in order."""

from __future__ import annotations

import pytest

from pairopt.messages import BECAUSE, FREE, Located, message, with_heading
from pairopt.messages.formatting import alphabetical_key


def test_names_are_in_the_order_of_their_letters() -> None:
    names = [
        "Ægir",
        "Ámos",
        "ana",
        "Ana Ž",
        "Dan",
        "Đorđe",
        "Dusan",
        "Émile",
        "Eva",
        "İpek",
        "Iva",
        "Lena",
        "Łukasz",
        "Mia",
        "O'Brien",
        "O\N{RIGHT SINGLE QUOTATION MARK}Neill",
        "Odd",
        "Øystein",
        "Player 2",
        "Player 10",
        "Strauß",
        "Strauss-Kahn",
        "Þór",
        "Tove",
        "Zed",
        "Ежи",
        "Ёлкин",
        "Жуков",
        "李雷",
    ]
    backwards = names[::-1]
    assert sorted(backwards, key=alphabetical_key) == names


@pytest.mark.parametrize("same", [("Zoë", "Zoe\u0308"), ("Ana", "ANA"), ("Ana", "Aná")])
def test_accents_and_case_decide_last(same: tuple[str, str]) -> None:
    one, two = map(alphabetical_key, same)
    assert one[0] == two[0]
    assert one != two


def test_the_json_of_a_passage_has_the_keys_of_version_1() -> None:
    question = message("question.together", pair="Ann - Bob")
    fact = message("fact.forbidden")

    known = with_heading(question, fact, name="question.known").to_dict()
    reason = with_heading(question, fact, mark=BECAUSE)
    told = with_heading(reason, fact, mark="; ", name="match.told").to_dict()

    assert (known["question"], known["fact"]) == (str(question), str(fact))
    assert told["clauses"] == [f"{question} because {fact}", str(fact)]


def test_the_last_key_of_a_passage_has_all_that_is_left() -> None:
    question = message("question.together", pair="Ann - Bob")
    fact = message("fact.forbidden")
    other = message("question.unknown")

    known = with_heading(
        question, with_heading(fact, other), name="question.known"
    ).to_dict()
    impossible = with_heading(
        question,
        with_heading(message("question.impossible_so"), fact),
        name="question.impossible",
    ).to_dict()

    assert known["fact"] == f"{fact}: {other}"
    assert impossible["why"] == [str(fact)]


def test_said_in_json_has_all_but_the_outermost_part() -> None:
    fact, hint = message("fact.forbidden"), message("question.unknown")

    at = Located(fact, place="row 2").to_dict()
    of = Located(fact, "a.csv", "row 2").to_dict()
    hinted = Located(fact, "a.csv", "row 2", hint).to_dict()

    assert (at["kind"], at["said"]) == ("input.at", str(fact))
    assert (of["kind"], of["said"]) == ("input.of", f"row 2: {fact}")
    assert (hinted["kind"], hinted["said"]) == ("input.hinted", f"a.csv: row 2: {fact}")
    assert hinted["text"] == f"a.csv: row 2: {fact} ({hint})"


def test_a_field_that_was_a_message_has_its_text_in_json() -> None:
    paired = with_heading(
        message("round.paired", round=1),
        message("round.matches_and_bye", matches=4, byes=["Ann"]),
    ).to_dict()

    assert (paired["kind"], paired["round"]) == ("round.paired", 1)
    assert paired["result"] == "4 matches, bye: Ann"


def test_json_keeps_the_heading_of_a_passage_with_the_kind_of_a_later_message() -> None:
    heading = message("clash.players", many=2, who=["Ann", "Bob"])
    meeting = message("clash.meet_nobody", others=[])
    bye = message("clash.players_and_bye", takers=["Ann"])

    clash = with_heading(heading, meeting, bye, name=bye.kind).to_dict()

    assert clash["kind"] == "clash.players_and_bye"
    assert (clash["many"], clash["who"]) == (2, ["Ann", "Bob"])
    assert (clash["takers"], clash["meets"]) == (["Ann"], str(meeting))


def test_a_text_of_an_extension_stands_in_a_passage() -> None:
    """Systems of other packages may return texts instead of messages."""
    heading = message("event.no_player", player="Ann", players=["Bob"])
    passage = with_heading(heading, "places apart: 3 more", end=".")  # type: ignore[arg-type]
    assert str(passage).endswith("places apart: 3 more.")
    text_message = passage.to_dict()["messages"][1]
    assert (text_message["kind"], text_message["text"]) == (
        FREE,
        "places apart: 3 more",
    )

    # A mark after a whole sentence is left out, also after a text.
    sentence = with_heading(heading, "They are apart.", end=".")  # type: ignore[arg-type]
    assert str(sentence).endswith("They are apart.")
