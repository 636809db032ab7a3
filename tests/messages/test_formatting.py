"""Names in order."""

from __future__ import annotations

import pytest

from pairopt.messages import BECAUSE, headed, message
from pairopt.messages.formatting import alphabetical


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
    assert sorted(backwards, key=alphabetical) == names


@pytest.mark.parametrize("same", [("Zoë", "Zoe\u0308"), ("Ana", "ANA"), ("Ana", "Aná")])
def test_accents_and_case_decide_last(same: tuple[str, str]) -> None:
    one, two = map(alphabetical, same)
    assert one[0] == two[0]
    assert one != two


def test_the_json_of_a_passage_has_the_keys_of_version_1() -> None:
    question = message("question.together", pair="Ann - Bob")
    fact = message("fact.forbidden")

    known = headed(question, fact, name="question.known").to_dict()
    reason = headed(question, fact, mark=BECAUSE)
    told = headed(reason, fact, mark="; ", name="match.told").to_dict()

    assert (known["question"], known["fact"]) == (str(question), str(fact))
    assert told["clauses"] == [f"{question} because {fact}", str(fact)]
