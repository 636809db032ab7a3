"""Founding: `new` makes an event folder from a list of players, or from an event."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import tomlkit

from pairopt.errors import InputError, PairoptError, UsageError
from pairopt.event.acceleration import first_group, in_round_one
from pairopt.event.elimination import bracket_progress
from pairopt.event.event import FORFEIT, PLAYED, Event, require_finished
from pairopt.event.fide import drawn_side, side_shown
from pairopt.event.points import CHESS, FOOTBALL, Points, doubled, points_of_text
from pairopt.event.scores import shown_points, strange_scores
from pairopt.event.settings import Apart
from pairopt.event.standings import usual
from pairopt.event.tie_breaks import tie_breaks_named
from pairopt.files.bracket import bracket_of, bracket_text
from pairopt.files.folder import BRACKET, EVENT, HOME, MATCHES, PLAYERS, Files, event_of, is_folder
from pairopt.files.formats import matches_csv, players_csv
from pairopt.files.formats.nrtm_json.filed import cut_in, games_of, has_cut
from pairopt.files.read import Input, read_event
from pairopt.folder.desk import EMPTY_MATCHES, Done
from pairopt.folder.journal import drawn_id, journal
from pairopt.folder.numbers import baku_text
from pairopt.folder.roster import kept_apart
from pairopt.problem.model import Model, load_model, model_names
from pairopt.problem.options import CHESS_MODEL
from pairopt.problem.problem import ratings_notes
from pairopt.problem.ready import own_model, usual_model
from pairopt.wording import counted, decimal_text, listed

DOUBLE_SIDED = "double-sided"
WHITE_BLACK = ("white", "black")
MOST_DRAWN = 1_000_000
"""Seeds that are drawn are below it: short enough to be read out."""
HEADER = "What this event keeps for all its rounds; pairopt pair, result and standings read it."


def new(
    folder: str | Path,
    players: Input | Event,
    *,
    title: str | None = None,
    model: str | None = None,
    rounds: int | None = None,
    points: str | None = None,
    sides: Sequence[str] | None = None,
    initial_side: str | None = None,
    tie_breaks: Sequence[str] | None = None,
    seed: int | None = None,
    baku: bool = False,
    id: str | None = None,
) -> Done:
    """Make an event folder.

    Args:
        folder: must not be there yet, or be empty.
        players: a list of players, or an event of any format that is read; or read already.
        title: by default the event's own, else the folder's name.
        model: a shipped model, or a file, which is copied into the folder.
        rounds: the number of rounds, so that the last one is known.
        points: win-draw-loss, as 3-1-0.
        sides: two labels, or none for a game without sides.
        initial_side: the side that the first player has in round 1; by default drawn by the seed
            where the model asks for it.
        tie_breaks: names or codes, by default the usual ones.
        seed: chooses among equally good pairings; by default drawn, once for the event.
        baku: give the first half of the players virtual points, by the Baku Acceleration Method.
        id: by which the event's steps are known; by default drawn, so that no two events share it.

    Raises:
        UsageError: the folder is in use, or an option is not understood.
        InputError: the players cannot be read.
    """
    path = Path(folder)
    event = players if isinstance(players, Event) else read_event(players)
    require_finished(event)
    said = [*map(str, event.notes), f"{len(event.players)} players from {event.source}"]
    event = _with_double_forfeits(event, points, said)
    double = (shown := shown_points(event)[0]) is not None and shown.game is not None
    if model is None and (model := own_model(event)) is not None:
        said.append(f"model {model} from {event.source}")
    chosen, from_model = _model(model, event, double, said)
    require_room(path, chosen)
    labels = _sides(event, model, sides, points, said)
    worth = _points(event, from_model or chosen, labels, points, said)
    if faults := strange_scores(event, worth):
        raise InputError(event.source, faults)
    said += map(str, ratings_notes(event, load_model(from_model or chosen)))
    if event.prohibited:
        said.append(f"{len(event.prohibited)} pairs who may not meet from {event.source}")
    if event.byes_brought.any():
        said.append("lost: byes of rounds that are not in the file")
    if rounds is None and event.settings.rounds is not None:
        rounds = event.settings.rounds
        said.append(f"{rounds} rounds from {event.source}")
    if baku:
        event = _accelerated(event, rounds, worth, said)
    if rounds is None:
        said.append("rounds: not said (--rounds), so no round is the last one by itself")
    seed = _seed(seed, event, said)
    side = _initial_side(initial_side, event, labels, load_model(from_model or chosen), seed, said)
    breaks = _tie_breaks(tie_breaks, event, labels, said)
    kept = {
        "id": drawn_id() if id is None else id,
        "title": title or event.settings.title or path.resolve().name,
        "model": chosen,
        "rounds": rounds,
        "sides": list(labels),
        "initial_side": side,
        "seed": seed,
        "tie_breaks": breaks,
        "lookahead": event.settings.lookahead,
        "first_round": event.settings.first_round,
        "proofs": event.settings.proofs,
        "forbid": [kept_apart([event.players[each.one], event.players[each.two]], each.rounds)
                   for each in event.prohibited] or None,
        "conflicts": [_said_of(each) for each in event.settings.apart] or None,
    }  # fmt: skip
    files = {
        EVENT: _toml(kept, worth, event.origin.facts).encode(),
        PLAYERS: players_csv.players_text(event, active=True).encode(),
        MATCHES: matches_csv.write(event).text.encode() if len(event.matches) else EMPTY_MATCHES,
    }
    if (cut := _bracket(event, said)) is not None:
        files[BRACKET] = cut
    event = event_of(files, path)
    own = {} if from_model is None else {chosen: from_model.read_bytes()}
    number = _founded(path, f"{len(event.players)} players", files, own)
    return Done("new", tuple(said), number, event)


def _founded(path: Path, what: str, files: Files, models: Files) -> int:
    """The number of the step that makes the folder; without it nothing is left of the folder."""
    there = path.exists()
    try:
        with journal(path) as held:
            if held.files():
                raise UsageError(f"{path} is an event already")
            for name, content in models.items():
                held.beside(name, content)
            return held.commit("new", what, files).number
    except PairoptError:
        if not is_folder(path):  # else it is begun, or was there
            shutil.rmtree(path / HOME, ignore_errors=True)
            with suppress(OSError):
                for name in models:
                    (path / name).unlink(missing_ok=True)
                if not there:
                    path.rmdir()
        raise


def _with_double_forfeits(event: Event, points: str | None, said: list[str]) -> Event:
    """The event of a file that has no word for a forfeit: by both it is 0-0, if nothing else is."""
    rows = event.matches
    none = rows.scored & (rows.status == PLAYED) & (rows.score1 == 0) & (rows.score2 == 0)
    if event.origin.forfeits or not none.any():
        return event
    made = replace(event, matches=replace(rows, status=np.where(none, FORFEIT, rows.status)))
    worth = _read(points) if points else event.settings.points or shown_points(made)[0]
    if worth is not None and (Fraction(0), Fraction(0)) in worth.results:
        return event
    matches = counted(int(none.sum()), "match", "matches")
    said.append(f"0-0 in {matches}, taken as forfeited by both as no result gives that")
    return made


def _bracket(event: Event, said: list[str]) -> bytes | None:
    """bracket.csv of the event's folder, or with the cut that its file has."""
    if bracket_of(event) is not None:
        return event.origin.bracket
    if not has_cut(event):
        return None
    made = cut_in(event)
    if made is None:
        said.append(
            f"the cut of {event.source} is no bracket that pairopt has: it is kept for JSON alone"
        )
        return None
    kind = "double" if made.double else "single"
    first = f"the cut of {event.source}: {len(made.players)} players, {kind} elimination"
    unsure = " (if it is single, remove bracket.csv and make it again: pairopt bracket --cut)"
    said.append(first + unsure * (made.double and len(games_of(event)) < 2))
    said += bracket_progress(made, event.called)
    return bracket_text(made, event).encode()


def _said_of(apart: Apart) -> dict[str, object]:
    place = {} if apart.place is None else {"place": apart.place}
    return {"column": apart.column, **place}


def _tie_breaks(
    asked: Sequence[str] | None, event: Event, labels: Sequence[str], said: list[str]
) -> list[str] | None:
    """What event.toml says of tie-breaks, None where the usual ones are meant."""
    if asked is not None:
        return [each.name for each in tie_breaks_named(asked)]
    own = event.settings.tie_breaks
    if own is None:
        known = usual(event.with_other_sides(labels))
        said.append(f"tie-breaks {listed(known)}, the usual ones (--tie-breaks)")
        return None
    said.append(f"tie-breaks {listed(own)} from {event.source}")
    return list(own)


def drawn_seed() -> int:
    """A seed by lot."""
    return secrets.randbelow(MOST_DRAWN)


def _seed(asked: int | None, event: Event, said: list[str]) -> int:
    """The seed of the event, kept for all its rounds."""
    if asked is not None:
        return asked
    if event.settings.seed is not None:
        said.append(f"seed {event.settings.seed} from {event.source}")
        return event.settings.seed
    seed = drawn_seed()
    said.append(f"seed {seed}, drawn by lot for this event: it chooses among equals (--seed)")
    return seed


def _initial_side(
    asked: str | None,
    event: Event,
    labels: Sequence[str],
    model: Model,
    seed: int,
    said: list[str],
) -> str | None:
    """The side of the first player in round 1, None where nobody asks for it."""
    if asked is not None:
        if asked.lower() not in labels:
            expected = " or ".join(labels) or "none: the game has no sides"
            raise UsageError(f"initial_side {asked}: expected {expected}")
        return asked.lower()
    if not labels:
        return None
    if event.initial_side is not None:
        return labels[event.initial_side]
    if model.system is None or side_shown(event) is not None:
        return None
    side = labels[drawn_side(seed)]
    said.append(f"initial side {side}, drawn by the seed (--initial-side)")
    return side


def _accelerated(event: Event, rounds: int | None, points: Points, said: list[str]) -> Event:
    """The event with a column of virtual points (FIDE C.04.7, articles 1.1 to 1.4)."""
    if rounds is None:
        raise UsageError("--baku needs --rounds, as the first half of them is accelerated")
    text = baku_text(rounds, points)
    if text is None:
        raise UsageError(
            f"--baku needs a win worth two draws, and nothing for a loss: not {points}"
        )
    first = first_group(event.start_numbers, in_round_one(event))
    cells = tuple(text if each else "" for each in first.tolist())
    said.append(f"virtual points for the first {first.sum()} players: {text}")
    return replace(event, columns={**event.columns, "virtual": cells})


def require_room(path: Path, model: str = "") -> None:
    """Raises UsageError for a folder that holds more than what a `new` left that was killed."""
    left = {HOME, model, f".{model}.new"}
    if path.exists() and (not path.is_dir() or any(one.name not in left for one in path.iterdir())):
        raise UsageError(f"{path} is there already, and not empty")


def _model(
    model: str | None, event: Event, double: bool, said: list[str]
) -> tuple[str, Path | None]:
    """The model's name in event.toml, and the file it is copied from."""
    if model is None:
        chosen = DOUBLE_SIDED if double else usual_model(event)
        why = "the Dutch System, as for all chess" if event.origin.chess else "the default"
        why = "as matches have two games" if double else why
        chess = "fide_id" in event.columns and chosen != CHESS_MODEL and not double
        hint = f"; chess by FIDE's rules is --model {CHESS_MODEL}" * chess
        said.append(f"model {chosen}, {why} (--model){hint}")
        return chosen, None
    said.append(f"model {model}")
    if model in model_names():
        return model, None
    load_model(model)
    return Path(model).name, Path(model)


def _sides(
    event: Event,
    model: str | None,
    sides: Sequence[str] | None,
    points: str | None,
    said: list[str],
) -> tuple[str, ...]:
    if sides is not None:
        return tuple(sides)
    if event.sides is not None:
        said.append(f"sides {' and '.join(event.sides)} from {event.source}")
        return event.sides
    if event.settings.sides == ():
        said.append(f"a game without sides from {event.source}")
        return ()
    if model is not None and (own := load_model(model).sides):
        said.append(f"sides {' and '.join(own)} from model {model}")
        return own
    if points is not None and _read(points) == CHESS:
        said.append("sides white and black, as a win is 1 point and a draw ½ (--sides)")
        return WHITE_BLACK
    said.append("a game without sides (--sides)")
    return ()


def _points(
    event: Event, model: str | Path, sides: Sequence[str], text: str | None, said: list[str]
) -> Points:
    if text is not None:
        return _read(text)
    if event.settings.points is not None:
        said.append(f"points {event.settings.points} (win-draw-loss) from {event.source}")
        return event.settings.points
    shown, _ = shown_points(event)
    if shown is not None:
        said.append(f"points {shown} (win-draw-loss) from the results (--points)")
        return shown
    usual = CHESS if tuple(sides) == WHITE_BLACK else FOOTBALL
    usual = doubled(usual) if load_model(model).games == 2 and not sides else usual
    said.append(f"points {usual} (win-draw-loss), the usual ones (--points)")
    return usual


def _read(text: str) -> Points:
    try:
        return points_of_text(text)
    except ValueError as error:
        raise UsageError(f"points {text}: {error}") from None


def _toml(kept: Mapping[str, object], points: Points, source: Mapping[str, object]) -> str:
    """The text of event.toml, in which nothing is said of what is None."""
    made = tomlkit.document()
    made.add(tomlkit.comment(HEADER))
    for name, value in kept.items():
        if value is not None:
            made[name] = value
    table, game = tomlkit.table(), points.game or points
    worth = {"win": game.win, "draw": game.draw, "loss": game.loss,
             "bye": points.allocated_bye, "requested_bye": points.requested_bye,
             "absent": points.absent}  # fmt: skip
    for name, amount in worth.items():
        table[name] = tomlkit.value(decimal_text(amount))
    if points.game is not None:
        table["games"] = 2
        table["games"].comment("in a match: win, draw and loss are those of a game")
    made["points"] = table
    if source:
        made["source"] = source
    return tomlkit.dumps(made)
