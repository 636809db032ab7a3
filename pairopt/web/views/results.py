"""Results: how the matches of a round ended, one key or tap a table, or a line a slip."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import FormData

from pairopt.errors import UsageError
from pairopt.event.column_layout import ADJOURNED
from pairopt.event.name_search import find_exact_names, search_names
from pairopt.event.points import Points, Score
from pairopt.files.event_folder import BRACKET
from pairopt.folder import Done, result
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.results import as_written
from pairopt.folder.top_cut import held
from pairopt.report.views import MatchView, RoundView, round_view
from pairopt.web.site import MOST_FOUND, AnswerCache
from pairopt.web.view import (
    SURE,
    Context,
    PageConfirmationError,
    PageRequest,
    View,
    number_of,
    part_of,
    text_of,
)

LETTERS = ("w", "d", "l")
"""Further keys where there are a win, a draw and a loss, besides 1, 2 and 3."""
SLIP = re.compile(r"\s*(B?[0-9]+)(?:\s*[+*][\s+*]*(?=\w)|\s+)(\S.*)", re.IGNORECASE)
"""A slip as it is typed: a table, and a key or a score; with + from a block of digits."""
FORM = (
    "round",
    "bracket",
    "part",
    "missing",
    "slip",
)  # what addresses of this page ask for


@dataclass(frozen=True, slots=True)
class ResultChoice:
    """A score that a match can end with, from the first player's side, and the keys for it. What is
    `rare` is in a menu; `decided` is what only an arbiter can give.
    """

    score: str
    words: str
    keys: str
    rare: bool = False
    decided: bool = False


@dataclass(frozen=True, slots=True)
class ResultSheet:
    """The matches of a round or of the bracket, and what there is besides to choose from."""

    sides: tuple[str, str]
    lines: tuple[MatchView, ...]
    endings: tuple[ResultChoice, ...]
    rounds: int
    cut: bool

    @property
    def missing(self) -> int:
        return sum(line.open for line in self.lines)


SHEETS = AnswerCache(16)  # the latest, by the state of their event and their round


def context(asked: PageRequest) -> Context:
    """The tables of a round, or the bracket, and what each can end with. Where the browser asks for
    what is new, only the tables that are others.
    """
    desk = asked.desk
    query = {name: asked.query[name] for name in FORM if name in asked.query}
    shown = asked.round
    if shown is None and BRACKET not in desk.files:
        shown = desk.rounds()
    now = _sheet(desk, shown)
    names = [line.table for line in now.lines]
    lines, at = _chosen(now, query), asked.query.get("at", "")
    before = {*names[: names.index(at)]} if at in names else set[str]()
    later = (line for line in lines if line.table not in before)
    focus = next((line.table for line in (*later, *lines) if line.open), at)
    part = part_of(now.lines, "/results", query, lambda line: line.table)
    base = {"bracket": 1} if shown is None else {"round": shown}
    here = {**base, **query}
    rest = {name: here[name] for name in here if name not in ("missing", "slip")}
    given: dict[str, object] = {
        "round": shown,
        "rounds": range(1, now.rounds + 1),
        "cut": now.cut,
        "missing": now.missing,
        "every": len(now.lines),
        "only": "missing" in query,
        "typed": query.get("slip", ""),
        "lines": lines,
        "part": part,
        "where": urlencode(here),
        "toggled": urlencode(rest if "missing" in query else {**rest, "missing": 1}),
        "is_over": desk.has_all_rounds,
        "focus": focus,
        "in_lane": "lane" in asked.query,
        "outcomes": now.endings,
        "heads": [now.sides[0] or "Player", now.sides[1] or "Opponent"],
    }
    then = asked.since and SHEETS.known((asked.since, shown))
    if then and (new := _new(then, now, query)) is not None:
        tables = {line.table for line in lines}
        given |= {
            "template": "results_new.html",
            "lines": [line for line in new if line.table in tables],
            "gone": [line.table for line in new if line.table not in tables],
        }
    return given


def _sheet(desk: OpenFolder, round: int | None) -> ResultSheet:
    """The matches of a round, or those of the bracket whose players are known."""

    def made() -> ResultSheet:
        known = (
            round_view(desk.event, round, listed=True)
            if round is not None
            else _bracket(desk)
        )
        swiss = round is not None
        points, best_of = desk.points(), desk.event.settings.best_of
        decided = desk.event.chess or bool(points and points.game)
        endings = outcomes(points, swiss, swiss and decided, best_of)
        return ResultSheet(
            known.sides,
            known.matches,
            tuple(endings),
            desk.rounds(),
            BRACKET in desk.files,
        )

    return SHEETS.answer((desk.state, round), made)


def _bracket(desk: OpenFolder) -> RoundView:
    made, lines = held(desk), []
    for match in made.needed:
        if match.known:
            players = [made.players[seed - 1] for seed in match.seeds if seed]
            names = tuple(desk.event.called[player] for player in players)
            lines.append(
                MatchView(
                    match.fixture.name,
                    names,
                    (players[0], players[1]),
                    score=str(match.score or ""),
                )
            )
    return RoundView(("", ""), tuple(lines))


def _chosen(sheet: ResultSheet, query: Mapping[str, str]) -> list[MatchView]:
    """The lines of the part that the address asks for, as far as it does."""
    lines: Sequence[MatchView] = part_of(
        sheet.lines, "", query, lambda line: line.table
    ).items
    if "slip" in query:
        lines, _ = meant(sheet.lines, query["slip"])
    return [line for line in lines if line.open or "missing" not in query]


def _new(
    then: ResultSheet, now: ResultSheet, query: Mapping[str, str]
) -> list[MatchView] | None:
    """The lines that are not as they were, also those no longer shown; None where more is new."""
    before = {line.table: line for line in _chosen(then, query)}
    after = {line.table: line for line in _chosen(now, query)}
    frames = [
        (each.sides, len(each.lines), each.endings, each.rounds, each.cut)
        for each in (then, now)
    ]
    if frames[0] != frames[1] or after.keys() - before.keys():
        return None
    gone = [line for table, line in before.items() if table not in after]
    return gone + [line for table, line in after.items() if before[table] != line]


def meant(lines: Sequence[MatchView], typed: str) -> tuple[list[MatchView], bool]:
    """The lines of a table, or of players who may be meant; and whether all is as it was."""
    typed = typed.strip()
    if (table := _table(typed)) is not None:
        return [line for line in lines if line.table == table], True
    names = [name for line in lines for name in line.names]
    found, sure = find_exact_names(typed, names), True
    if typed and not found:
        found, sure = search_names(typed, names)
    return [lines[k] for k in dict.fromkeys(position // 2 for position in found)], sure


def _table(typed: str) -> str | None:
    """A table as it is shown, of how it was typed; None for what is none."""
    match = re.fullmatch(r"(B?)0*([0-9]{1,9})", typed, re.IGNORECASE)
    return None if match is None else match[1].upper() + match[2]


def outcomes(
    points: Points | None,
    draws: bool = True,
    decided: bool = False,
    best_of: int | None = None,
) -> list[ResultChoice]:
    """The scores of a match, the best for the first player first, then forfeits, decisions last.
    Where there are more than a win, a draw and a loss, those are rare that leave points to nobody;
    of a match that is best of some games, those that leave games to play.
    """
    if points is None:
        return []
    if best_of is None:
        played = sorted(points.results, key=lambda each: (-each[0], each[1]))
        few = len(played) <= len(LETTERS)
        letters = LETTERS if len(played) == len(LETTERS) else [""] * len(played)
        most = max(map(sum, played))
        found = [
            (Score(*both), f"{k} {letter}".strip(), not few and sum(both) < most)
            for k, (both, letter) in enumerate(zip(played, letters, strict=True), 1)
            if draws or both[0] != both[1]  # its key stays free
        ]
        found += [
            (Score(*both), "", True) for both in sorted(points.half, reverse=True)
        ]
    else:
        found = _by_games(points, best_of, draws)
    made = []
    for score, keys, rare in found:
        words = (
            "draw"
            if score.one == score.two
            else "wins"
            if score.one > score.two
            else "loses"
        )
        words += ", one game not played" * ((score.one, score.two) in points.half)
        made.append(ResultChoice(str(score), words, keys, rare))
    win, nothing = points.win, points.win * 0
    forfeits = [
        ("wins by forfeit", "f", win, nothing),
        ("loses by forfeit", "g", nothing, win),
    ]
    forfeits += [("both lose by forfeit", "x", nothing, nothing)] * draws
    made += [
        ResultChoice(str(Score(one, two, forfeit=True)), words, key, True)
        for words, key, one, two in forfeits
    ]
    for one, two in sorted(points.decided, reverse=True) if decided else ():
        words = "by the arbiter's decision"
        made.append(ResultChoice(str(Score(one, two)), words, "", True, True))
    return [
        *made,
        *[ResultChoice(ADJOURNED, "until it is played on", "", True)]
        * (decided and draws),
    ]


def _by_games(
    points: Points, best_of: int, draws: bool
) -> list[tuple[Score, str, bool]]:
    """How a match of so many games ends, its key, and whether games were left to play."""
    most = best_of // 2 + 1
    every = {
        (one, two, 0)
        for one in range(most + 1)
        for two in range(most + 1)
        if one + two <= best_of
    } | {(most - 1, most - 1, 1)}
    whole = {games for games in every if most in games[:2]} | {
        (most - 1, most - 1, int(most < 2))
    }
    ends = sorted(
        every, key=lambda each: (each not in whole, each[1] - each[0], -each[0])
    )
    chosen = enumerate((games for games in ends if draws or games[0] != games[1]), 1)
    return [
        (points.of_games(games), str(k) * (games in whole), games not in whole)
        for k, games in chosen
    ]


def post_result(desk: OpenFolder, form: FormData) -> Done:
    """Write down a result, or take it away; all but a first one that was played asks before."""
    table, score = (
        text_of(form, "table"),
        None if "off" in form else text_of(form, "score"),
    )
    if table is None or (score is None and "off" not in form):
        raise UsageError("expected a table and a score")
    return _written(desk, form, table, score)


def post_slip(desk: OpenFolder, form: FormData) -> Done:
    """Write down a slip as it is typed: a table, and the key of an ending or a score."""
    typed = SLIP.fullmatch(text_of(form, "slip") or "")
    if typed is None:
        raise UsageError("expected a table and its result, as 17 1")
    endings = _sheet(desk, number_of(form, "round")).endings
    scores = {key: ending.score for ending in endings for key in ending.keys.split()}
    ending = typed[2].strip().lower()
    score = scores.get(ending) or as_written(ending, desk.points())
    return _written(desk, form, _table(typed[1]) or typed[1], score)


def _written(desk: OpenFolder, form: FormData, table: str, score: str | None) -> Done:
    turn = number_of(form, "round")
    now = _sheet(desk, turn)
    there = any(line.table == table and line.score for line in now.lines)
    decided = any(each.decided and each.score == score for each in now.endings)
    how: dict[str, Any] = {
        "round": turn,
        "decided": decided,
        "off": score is None,
        "sure": SURE in form,
    }
    if (there or decided or (score or "").upper().endswith("F")) and SURE not in form:
        told = result(desk.rehearsed(), table, score, **how)
        if told.step is not None:
            raise PageConfirmationError(*told.said)
    return result(desk, table, score, **how)


def finds(asked: PageRequest) -> Context:
    lines, sure = meant(
        _sheet(asked.desk, asked.round).lines, asked.query.get("slip", "")
    )
    return {"lines": lines[:MOST_FOUND], "more": len(lines) - MOST_FOUND, "sure": sure}


VIEW = View(
    "results", "Results", context, {"score": post_result, "slip": post_slip}, weight=3
)
FOUND = View("results/found", "Found", finds)
