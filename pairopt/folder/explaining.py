"""Explaining: why each match of a published round is so, from the step that paired it.

A round can be paired again after it is published. A table that was kept then has the reason from
when it was paired. A changed table has the reason from the re-pairing that changed it.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from pairopt.engines.base import EngineOptions
from pairopt.errors import PairoptError, UsageError
from pairopt.event.arcs import BYE
from pairopt.files.event_folder import EVENT
from pairopt.folder.journal import proofs_in
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.stored_proofs import proof_file_name, proof_options
from pairopt.messages import Message, Note, message, with_heading
from pairopt.problem.options import Pair
from pairopt.round.check import Check, check_played
from pairopt.round.explain import Alternative, CounterfactualSolver, explain_matches
from pairopt.round.pairing_facts import (
    describe_meetings,
    explain_no_meeting,
    grouping_points,
)
from pairopt.round.result import Result

OF_TABLES = ("published", "fixed")
"""The options of a re-pairing that are about its tables, which are known from the steps."""


class Seats(NamedTuple):
    """Two players, the one with the first side first, or one with the bye. In games without sides,
    and where the sides are not known, the two are in the order of their identifiers.
    """

    players: tuple[str, ...]
    has_sides: bool

    def opponent(self, player: str) -> str | None:
        """Return whom a player of this match meets, None for the bye."""
        return next((other for other in self.players if other != player), None)


@dataclass(frozen=True)
class PairedRound:
    """A round as one step paired it.

    `desk` has the files after that step, `earlier` the matches before it (none if the step paired
    the round first), and `asked` the options of the step that are not the event's own.
    """

    desk: OpenFolder
    number: int
    earlier: tuple[Seats, ...] = ()
    asked: Mapping[str, Any] | None = None

    @cached_property
    def matches(self) -> tuple[Seats, ...]:
        """The matches and the allocated byes of the round."""
        return seats_of(self.desk, self.number)

    @cached_property
    def kept(self) -> tuple[Seats, ...]:
        """The matches that the step kept from before the re-pairing."""
        return tuple(each for each in self.matches if each in self.earlier)

    @cached_property
    def check(self) -> Check:
        """The round beside an optimal one, in which the kept tables are given."""
        event = self.desk.event
        there = event.matches.paired_rows(self.number).player_mask(len(event.players))
        before = replace(event, declared_active=there, notes=())
        found = check_played(before, round=self.number, **self._given())
        assert found.optimum is not None
        return found

    def _given(self) -> dict[str, Any]:
        """The options with which the step paired the tables that it did not keep."""
        if not self.earlier:
            return {}

        given = {**(self.asked or {})}
        tables = [each for each in self.kept if len(each.players) == 2]
        pairs: list[tuple[Pair, bool]] = [
            (
                (each.players[0], each.players[1]),
                each.has_sides or not self.desk.event.sided,
            )
            for each in tables
        ]
        given["fixed"] = [pair for pair, is_fixed in pairs if is_fixed]
        loose = [pair for pair, is_fixed in pairs if not is_fixed]
        for name in ("force", "allow"):
            if loose:
                given[name] = [*given.get(name, ()), *loose]
        return given

    @cached_property
    def result(self) -> Result:
        """The round as a result: proven if no pairing with the kept tables is better."""
        optimum = self.check.optimum
        assert optimum is not None
        status = optimum.status if self.check.agrees else "heuristic"
        return replace(optimum, arcs=self.check.arcs, status=status)

    @cached_property
    def opponents(self) -> Mapping[str, str | None]:
        """The opponent of each player, None for the bye."""
        return {
            player: match.opponent(player)
            for match in self.matches
            for player in match.players
        }

    @cached_property
    def sentences(self) -> Mapping[str, Note]:
        """A sentence on the match or the bye of each player."""
        names = self.check.problem.state.names
        found: dict[str, Note] = {}
        both = zip(self.check.arcs.pairs, explain_matches(self.result), strict=True)
        for (one, two), match in both:
            found[names[one]] = match.said
            if two != BYE:
                found[names[two]] = match.said
        return found

    def itself(self, player: str, options: EngineOptions) -> Note:
        """Say what it would cost if a player did not float, had no bye, or met somebody else."""
        answer = self._alternative(player, CounterfactualSolver(self.result, options))
        if self.earlier and answer.kind == "impossible":
            return message("stayed.nobody_else", name=self.desk.event.called[player])
        return answer.said

    def _alternative(self, player: str, ask: CounterfactualSolver) -> Alternative:
        other = self.opponents[player]
        if other is None:
            return ask.about_bye(player)

        state = self.check.problem.state
        ranks = grouping_points(self.check.problem).tolist()
        points = dict(zip(state.names, ranks, strict=True))
        if points[player] != points[other]:
            return ask.about_float(player)
        return ask.about_pair((player, other), meets=True)

    def apart(self, player: str, other: str, options: EngineOptions) -> Note | None:
        """Say why a player does not meet somebody else."""
        if other == player:
            return None
        if other not in self.opponents:
            event = self.desk.event
            name = event.called.get(other, other)
            return message("stayed.not_there", name=name, round=self.number)
        if any(
            other in match.players and len(match.players) == 2 for match in self.kept
        ):
            return message("stayed.at_kept", name=self.desk.event.called[other])
        if self.check.agrees:
            ask = CounterfactualSolver(self.result, options)
            return ask.about_pair((player, other), meets=False).said

        problem = self.check.problem
        seat = {name: place for place, name in enumerate(problem.state.names)}
        seats = seat[player], seat[other]
        return explain_no_meeting(problem, *seats) or describe_meetings(problem, *seats)

    def why_changed(self, player: str) -> Note | None:
        """Say why this re-pairing changed the match of a player; None if it did not."""
        now = next((each for each in self.matches if player in each.players), None)
        if now is None or not self.earlier or now in self.earlier:
            return None

        same = {frozenset(each.players) for each in self.earlier}
        if frozenset(now.players) in same:
            return message("stayed.turned", round=self.number)

        others = [each for each in now.players if each != player]
        reasons = [self._before(each) for each in (player, *others)]
        return with_heading(message("stayed.changed", round=self.number), *reasons)

    def _before(self, player: str) -> Message:
        """Say whom a player was to meet before this re-pairing, and why they no longer do."""
        called = self.desk.event.called
        name = called[player]
        was = next((each for each in self.earlier if player in each.players), None)
        if was is None:
            return message("stayed.came", name=name)

        other = was.opponent(player)
        if other is None:
            return message("stayed.had_bye", name=name)
        fields = {"name": name, "other": called.get(other, other)}
        if other not in self.opponents:
            return message("stayed.went", **fields)
        third = self.opponents[other]
        if third is None:
            return message("stayed.has_bye", **fields)
        return message("stayed.meets", **fields, third=called.get(third, third))


@dataclass(frozen=True)
class Published:
    """A published round, and the steps that paired it, the first one first; the last one made it
    what it is.
    """

    versions: tuple[PairedRound, ...]

    @property
    def last(self) -> PairedRound:
        return self.versions[-1]

    @property
    def is_repaired(self) -> bool:
        """Whether the round was paired again after it was published."""
        return len(self.versions) > 1

    def origin(self, player: str) -> PairedRound:
        """Return the round as the step paired it that made the match of a player."""
        match = next(each for each in self.last.matches if player in each.players)
        found = self.last
        for version in reversed(self.versions[:-1]):
            if match not in version.matches:
                break
            found = version
        return found

    def about_repair(self, player: str) -> list[Note]:
        """Say whether a re-pairing kept or changed the table of a player, and why."""
        if not self.is_repaired:
            return []
        origin = self.origin(player)
        changed = origin.why_changed(player)
        if changed is not None:
            return [changed]
        return [message("stayed.kept", round=self.last.number)]


def published_round(desk: OpenFolder, number: int) -> Published:
    """The steps that paired a round which the files of a desk hold.

    Where no step has the round as it is, for example after changes to the files by hand, the files
    themselves are the only version. Raises UsageError for a round that is not there.
    """
    if not 1 <= number <= desk.rounds():
        raise UsageError(
            "round.none_of_folder", folder=desk.journal.folder, round=number
        )

    versions: list[PairedRound] = []
    earlier: tuple[Seats, ...] = ()
    for step, files in desk.journal.pairings_of(number):
        then = replace(desk, files=files)
        asked = dict[str, Any]()
        with suppress(PairoptError, ValueError, OSError):
            proof = proofs_in(desk.journal.path(step.number)).get(
                proof_file_name(number), b""
            )
            asked = proof_options(proof, desk.journal.folder, files[EVENT])
        given = {name: value for name, value in asked.items() if name not in OF_TABLES}
        if step.verb == "pair":
            versions, earlier = [], ()
        made = PairedRound(then, number, earlier, given)
        if earlier and {*earlier} == {*made.matches}:
            continue  # the step changed nothing
        versions.append(made)
        earlier = made.matches

    now = PairedRound(desk, number)
    if not versions or {*versions[-1].matches} != {*now.matches}:
        return Published((now,))
    return Published(tuple(versions))


def seats_of(desk: OpenFolder, number: int) -> tuple[Seats, ...]:
    """The matches and the allocated byes of a round."""
    event = desk.event
    rows = event.matches.paired_rows(number)
    found = []
    for one, two, side in zip(rows.first, rows.second, rows.side, strict=True):
        first = event.players[int(one)]
        if two < 0:
            found.append(Seats((first,), False))
            continue
        second = event.players[int(two)]
        if not event.sided or side < 0:
            found.append(Seats((min(first, second), max(first, second)), False))
            continue
        pair = (second, first) if side == 1 else (first, second)
        found.append(Seats(pair, True))
    return tuple(found)


def sentences_of(
    published: Published, options: EngineOptions
) -> list[tuple[Note, list[Note]]]:
    """Each match of a published round in a sentence. With it, what a re-pairing made of its table,
    and of a changed table why these two meet now.
    """
    found = []
    for match in published.last.matches:
        player = match.players[0]
        origin = published.origin(player)
        more = published.about_repair(player)
        if origin.earlier and origin.check.agrees:
            more.append(origin.itself(player, options))
        found.append((origin.sentences[player], more))
    return found
