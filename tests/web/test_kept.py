"""The answers that are kept: each worked out once, as long as it is among the latest."""

from __future__ import annotations

from pairopt.web.site import AnswerCache


def test_what_was_not_asked_for_the_longest_is_forgotten() -> None:
    kept, worked = AnswerCache(most=2), []

    def ask(question: str) -> str:
        def work() -> str:
            worked.append(question)
            return question.upper()

        return kept.get_or_compute(question, work)

    assert [ask(each) for each in "abab"] == [*"ABAB"]
    assert worked == [*"ab"]
    ask("c")  # a third: a is forgotten
    ask("c")
    ask("b")
    assert worked == [*"abc"]
    ask("a")  # instead of c
    ask("b")
    assert worked == [*"abca"]
    ask("c")
    assert worked == [*"abcac"]
