"""Elimination: a bracket with its results so far, its next matches and its champion."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any, Self

from pairopt.errors import InvalidValueError
from pairopt.event.brackets import BracketFixture, BracketSlot, Part, plan
from pairopt.event.points import Score
from pairopt.messages import Message, message

LAST = 1000
"""The number of the final among the rounds in which players can be out."""


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """A match of a bracket with its players and score, as far as they are known.

    The higher seed comes first in `seeds`, `seats` and `score`. Seeds count from 1, the
    highest. A seed is None while nobody knows the player; `seats` say where each player
    comes from. `score` is None until the match has a result, and `fixture` is the
    planned match.
    """

    fixture: BracketFixture
    seeds: tuple[int | None, int | None]
    seats: tuple[BracketSlot, BracketSlot]
    score: Score | None

    @property
    def known(self) -> bool:
        """Whether both players are known; their match may have a score or none."""
        return None not in self.seeds

    @property
    def open(self) -> bool:
        """Whether both players are known and the match has no score."""
        return self.known and self.score is None

    @property
    def winner(self) -> int | None:
        """The winner's seed; None without a score.

        In a draw it is the better seed, the first of `seeds`.
        """
        if self.score is None:
            return None
        return self.seeds[1] if self.score.two > self.score.one else self.seeds[0]

    @property
    def loser(self) -> int | None:
        """The loser's seed; None without a score.

        In a draw it is the better seed, the first of `seeds`, so the same as `winner`.
        """
        if self.score is None:
            return None
        return self.seeds[1] if self.score.two < self.score.one else self.seeds[0]


@dataclass(frozen=True)
class EliminationBracket:
    """An elimination: players by seed, and results by the numbers of matches.

    The first of `players` is seed 1. `double` is True for a double elimination.
    `results` has the score by the number of the match; the higher seed's points come
    first. There are at least two players. Results are not checked here; `with_result`
    checks them.
    """

    players: tuple[str, ...]
    double: bool = False
    results: Mapping[int, Score] = field(default_factory=dict)

    @cached_property
    def fixtures(self) -> tuple[BracketFixture, ...]:
        """All planned matches in the order of play, also a second final."""
        return plan(len(self.players), self.double)

    @cached_property
    def matches(self) -> tuple[BracketMatch, ...]:
        """All matches with their players and scores so far, in the order of play.

        A player who is not known yet has the seed None. Nobody is known in a second
        final before the first final asks for it.
        """
        matches_so_far: list[BracketMatch] = []
        for fixture in self.fixtures:
            seeds_of_match: list[int | None] = [None, None]
            if not _is_second_final(fixture) or _needs_second_final(matches_so_far[-1]):
                seeds_of_match = [
                    _seed_of_slot(slot, matches_so_far) for slot in fixture.seats
                ]

            # The higher seed comes first; an unknown one last.
            seed_slot_pairs = zip(seeds_of_match, fixture.seats, strict=True)
            higher_seed_and_slot, lower_seed_and_slot = sorted(
                seed_slot_pairs, key=lambda seed_and_slot: seed_and_slot[0] or inf
            )
            match_score = self.results.get(fixture.number)
            bracket_match = BracketMatch(
                fixture,
                (higher_seed_and_slot[0], lower_seed_and_slot[0]),
                (higher_seed_and_slot[1], lower_seed_and_slot[1]),
                match_score,
            )
            matches_so_far.append(bracket_match)
        return tuple(matches_so_far)

    @property
    def needed(self) -> tuple[BracketMatch, ...]:
        """All matches in the order of play, without a second final that is not needed.

        A second final is left out until the first final has a result that asks for it.
        """
        is_second_final_due = self.matches[-1].known or not _is_second_final(
            self.fixtures[-1]
        )
        return self.matches if is_second_final_due else self.matches[:-1]

    @property
    def champion(self) -> str | None:
        """The identifier of the winner of the last needed match.

        It is None while that match has no score.
        """
        champion_seed = self.needed[-1].winner
        return None if champion_seed is None else self.players[champion_seed - 1]

    @cached_property
    def stages(self) -> Mapping[int, int]:
        """The stage of each match by its number; the first matches have stage 1.

        A match has at least the number of its own round, and comes at least one stage
        after the matches that its players come from, in whichever part of the bracket
        these are.
        """
        stage_by_match: dict[int, int] = {}
        for fixture in self.fixtures:
            stages_of_earlier_matches = [
                stage_by_match[bracket_slot.number]
                for bracket_slot in fixture.seats
                if bracket_slot.come != "seed"
            ]
            stage_by_match[fixture.number] = max(
                fixture.round, 1 + max(stages_of_earlier_matches, default=0)
            )
        return stage_by_match

    @property
    def out(self) -> Mapping[int, int]:
        """The seeds that are out, each with the number of the round of the last loss.

        In a double elimination a player is out after two losses, otherwise after one. A
        loss in the final counts as round `LAST`. Rounds count within the part of the
        bracket in which the player lost.
        """
        losers_and_fixtures = [
            (played_match.loser, played_match.fixture)
            for played_match in self.matches
            if played_match.loser
        ]
        losses_by_seed = Counter(losing_seed for losing_seed, _ in losers_and_fixtures)
        return {
            losing_seed: LAST if fixture.part == "final" else fixture.round
            for losing_seed, fixture in losers_and_fixtures
            if losses_by_seed[losing_seed] > self.double
        }

    @property
    def ranking(self) -> list[int]:
        """The seeds, best first: players still in, then those who were out latest.

        Players who were out in the same round are ordered by seed.
        """
        last_loss_round_by_seed, all_seeds = self.out, range(1, len(self.players) + 1)
        return sorted(
            all_seeds,
            key=lambda seed: (-last_loss_round_by_seed.get(seed, LAST + 1), seed),
        )

    def later_matches(self, number: int) -> list[int]:
        """Return the numbers of all matches whose players depend on match `number`.

        These are the matches of its winner or loser, and all that depend on those, in
        the order of play. The match itself is not among them.
        """
        # Simulations ask for this after each match: a list would be slow to search.
        dependent_numbers = {number}
        later_numbers = []
        for fixture in self.fixtures:
            for slot in fixture.seats:
                if slot.number in dependent_numbers and slot.come != "seed":
                    dependent_numbers.add(fixture.number)
                    later_numbers.append(fixture.number)
                    break
        return later_numbers

    def find_fault(self, match: BracketMatch) -> Message | None:
        """Return a message on what is wrong with a match's score, None if nothing is.

        A score is wrong if it is a draw, if a player of the match is not known yet, or
        if it is that of a second final that is not needed. A match without a score has
        no fault.
        """
        if match.score is None:
            return None
        if match.known:
            is_drawn = match.score.one == match.score.two
            return message("bracket.draw") if is_drawn else None
        if _is_second_final(match.fixture):
            return message("bracket.second_final", match=match.fixture.name)

        slots_and_seeds = zip(match.seats, match.seeds, strict=True)
        unknown_slots = [
            str(slot_of_seat)
            for slot_of_seat, seed_in_slot in slots_and_seeds
            if seed_in_slot is None
        ]
        message_id = (
            "bracket.waits" if len(unknown_slots) == 1 else "bracket.waits_for_both"
        )
        return message(
            message_id,
            match=match.fixture.name,
            one=unknown_slots[0],
            two=unknown_slots[-1],
        )

    def matches_to_reopen(self, number: int, score: Score | None) -> tuple[int, ...]:
        """Return the numbers of later matches whose results a new score invalidates.

        `score` is the new score of match `number`, None if its score is removed. Only
        matches that have a result, and that other players would then have to play, are
        returned. Nothing is changed. They are in the order of play, and `number` itself
        is never among them.
        """
        bracket_with_new_score = self._with_score(number, score)
        reopened_numbers: list[int] = []
        for later_number in self.later_matches(number):
            seeds_before_change = self.matches[later_number - 1].seeds
            has_other_players = (
                bracket_with_new_score.matches[later_number - 1].seeds
                != seeds_before_change
            )
            if has_other_players and later_number in self.results:
                reopened_numbers.append(later_number)
                bracket_with_new_score = bracket_with_new_score._with_score(
                    later_number, None
                )
        return tuple(reopened_numbers)

    def with_result(self, number: int, score: Score | None) -> Self:
        """Return the bracket with a match's score changed, or removed if it is None.

        Raises InvalidValueError for a number that no match has, for a score that is
        impossible, and for another winner where later matches have been played since.
        """
        if not 1 <= number <= len(self.matches):
            raise InvalidValueError(
                "bracket.no_match", number=number, last=len(self.matches)
            )
        bracket_with_new_score = self._with_score(number, score)
        if fault_note := self.find_fault(bracket_with_new_score.matches[number - 1]):
            raise InvalidValueError(fault_note)
        if names_of_played_matches := [
            f"B{later_number}" for later_number in self.matches_to_reopen(number, score)
        ]:
            raise InvalidValueError(
                "bracket.played_since", number=number, played=names_of_played_matches
            )
        return bracket_with_new_score

    def _with_score(self, number: int, score: Score | None) -> Self:
        """Return a copy with this score for match `number`, or without one for None.

        The score is not checked, and results of later matches stay.
        """
        scores_by_number = dict(self.results)
        scores_by_number.pop(number, None)
        if score:
            scores_by_number[number] = score
        return replace(self, results=scores_by_number)


@dataclass(frozen=True, slots=True)
class BracketSide:
    """A player of a match for people: seed, name, points, and whether they won.

    `seed` is "" for an unknown player, whose `name` says where the player comes from.
    `points` is "" before the match has a score.
    """

    seed: str
    name: str
    points: str = ""
    won: bool = False


@dataclass(frozen=True, slots=True)
class BracketLine:
    """A match of a bracket for people, with both sides and the title of its round.

    `match` is its name, such as B1, and `part` the part of the bracket. `chairs` are
    its sides, the higher seed first. `open` says whether it can be played and has no
    score.
    """

    match: str
    part: Part
    title: str
    chairs: tuple[BracketSide, BracketSide]
    open: bool

    @property
    def score(self) -> str:
        """The score as text, such as "2-1"; "" without one."""
        return "-".join(chair.points for chair in self.chairs).removeprefix("-")


def bracket_lines(
    elimination: EliminationBracket, names: Mapping[str, str]
) -> list[BracketLine]:
    """Return the matches that have to be played, in the order of play, for people.

    They are those of `elimination`, without a second final that is not needed. `names`
    has the name to show for each identifier in its `players`. A player who is not known
    yet is shown as their slot, such as the winner of B1, without seed and points.
    Points are "" before the match has a score.
    """

    def side(needed_match: BracketMatch, k: int) -> BracketSide:
        """Return a seat of a match for people: the better (k=0) or worse seed (k=1).

        `needed_match` is the match. If the seed is not known, its text says where the
        player comes from.
        """
        seed_of_seat = needed_match.seeds[k]
        if seed_of_seat is None:
            return BracketSide("", str(needed_match.seats[k]))
        player_name = names[elimination.players[seed_of_seat - 1]]
        points_of_seat = str(needed_match.score or "-").split("-")[k]
        return BracketSide(
            str(seed_of_seat),
            player_name,
            points_of_seat,
            needed_match.winner == seed_of_seat,
        )

    lines_for_people = []
    for needed_match in elimination.needed:
        fixture = needed_match.fixture
        sides_of_match = side(needed_match, 0), side(needed_match, 1)
        match_line = BracketLine(
            fixture.name, fixture.part, fixture.title, sides_of_match, needed_match.open
        )
        lines_for_people.append(match_line)
    return lines_for_people


def bracket_progress(
    elimination: EliminationBracket, names: Mapping[str, str]
) -> list[Any]:
    """Return two notes: how many matches are played, and what comes next.

    The second note names the champion of the `elimination` if there is one, otherwise
    the matches that can be played now. `names` has the name to show for each identifier
    of a player. Matches count without a second final that is not needed.
    """
    scored_match_count, needed_match_count = (
        len(elimination.results),
        len(elimination.needed),
    )
    progress_note = message(
        "bracket.progress", done=scored_match_count, matches=needed_match_count
    )
    if elimination.champion is not None:
        return [
            progress_note,
            message("bracket.won", player=names[elimination.champion]),
        ]

    texts_of_open_matches = [
        f"{match_line.match} {match_line.chairs[0].name} - {match_line.chairs[1].name}"
        for match_line in bracket_lines(elimination, names)
        if match_line.open
    ]
    return [progress_note, message("bracket.next", matches=texts_of_open_matches)]


def _is_second_final(fixture: BracketFixture) -> bool:
    """Whether a match is in round 2 of the final, as only double eliminations have it.

    `fixture` is the planned match. It may be one that need not be played.
    """
    return fixture.part == "final" and fixture.round == 2


def _needs_second_final(final: BracketMatch) -> bool:
    """Whether the first `final` was won by the player from the losers' bracket.

    Both finalists then have one loss. Without a score the answer is False.
    """
    seed_from_winners_bracket = final.seeds[final.seats.index(final.fixture.seats[0])]
    return final.score is not None and final.winner != seed_from_winners_bracket


def _seed_of_slot(slot: BracketSlot, matches: Sequence[BracketMatch]) -> int | None:
    """Return the seed in a slot, None if the match that decides it has no score.

    `matches` are those planned so far, in the order of play.
    """
    if slot.come == "seed":
        return slot.number
    deciding_match = matches[slot.number - 1]
    return deciding_match.winner if slot.come == "winner" else deciding_match.loser
