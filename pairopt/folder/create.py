"""Founding: `new` makes an event folder from a list of players, or from an event."""

import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from fractions import Fraction
from inspect import Parameter, signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import tomlkit

from pairopt.errors import ConfirmationError, InputError, PairoptError, UsageError
from pairopt.event.elimination import bracket_progress
from pairopt.event.event import (
    FORFEIT,
    PLAYED,
    TITLES,
    Event,
    Matches,
    require_finished,
)
from pairopt.event.fide_attributes import (
    draw_initial_side,
    initial_side_of_results,
    virtual_points,
)
from pairopt.event.forbidden_pairs import ForbiddenMeeting, pairs_forbidden_in
from pairopt.event.name_search import find_twin_names
from pairopt.event.points import CHESS, FOOTBALL, Points, points_of_two_games
from pairopt.event.score_checks import (
    find_strange_scores,
    players_of_round_one,
    players_with_virtual_points,
    points_shown_by_results,
)
from pairopt.event.settings import KEYS, SETTINGS
from pairopt.event.source_info import SourceInfo
from pairopt.event.standings import default_tie_breaks
from pairopt.event.tie_breaks import tie_breaks_named
from pairopt.files.bracket_csv import format_bracket, load_bracket
from pairopt.files.event_folder import (
    BRACKET,
    EVENT,
    FILES,
    HOME,
    LOG,
    MATCHES,
    PLAYERS,
    Files,
    build_event_from_files,
    is_folder,
)
from pairopt.files.formats import matches_csv, players_csv
from pairopt.files.formats.nrtm_json.top_cut import has_cut, read_cut, read_cut_games
from pairopt.files.read import Input, read_event, read_with_doubts, require_clear
from pairopt.files.zip_archive import read_uploaded_zip
from pairopt.folder.fide_mode import read_mode, unfit, with_fide_mode
from pairopt.folder.journal import draw_id, journal
from pairopt.folder.open_folder import EMPTY_MATCHES, Done
from pairopt.folder.pair_round import compared_imports
from pairopt.folder.pairing_numbers import baku_text
from pairopt.folder.roster import PLAYED_SO_FAR, require_sure
from pairopt.folder.settings import (
    POINTS,
    amount,
    format_forbidden,
    put,
    read_setting,
    require_known,
)
from pairopt.messages import Message, Note, as_note, message
from pairopt.problem.model import Model, load_model, model_names
from pairopt.problem.options import CHESS_MODEL, DEFAULT_MODEL
from pairopt.problem.problem import ratings_notes
from pairopt.problem.round_model import event_model, require_pairable

DOUBLE_SIDED = "double-sided"
WHITE_BLACK = ("white", "black")
MOST_DRAWN = 1_000_000  # seeds that are drawn are below it: short enough to be read out
BEFORE = "log-before.csv"
HEADER = "What this event keeps for all its rounds; pairopt pair, result and standings read it."


def new(
    folder: str | Path,
    players: Input | Event,
    *,
    baku: bool = False,
    id: str | None = None,
    sure: bool = False,
    people: bool = False,
    columns: Mapping[str, str] | None = None,
    **settings: Any,
) -> Done:
    """Make an event folder, which must not be there yet, or be empty.

    `players` is a list of players, or an event of any format that is read, or read already, which
    goes on here with its rounds. Of a folder, whose event goes on where it is, and with `people` of
    any of these, the people and the rules are taken, and no rounds. `baku` gives the first half of
    them virtual points. `columns` has headings of the list by what they mean. By `id` the
    event's steps are known, by default drawn. The settings are
    those of event.toml (`pairopt.event.settings`), as it has them or as text: rounds=5,
    points="3-1-0"; a `model` that is a file is copied into the folder. By default the event's own,
    else as the answer says. Raises UsageError: the folder is in use, or a setting is unknown or not
    understood. ConfirmationError: two who have not played yet may be one person, unless it is said for
    `sure`. InputError: the players cannot be read.
    """
    path = Path(folder)
    require_known(settings)
    asked = {
        key: read_setting(key, value) if isinstance(value, str) else value
        for key, value in settings.items()
        if value is not None
    }
    if not isinstance(players, Event):
        goes_on = people or is_folder(players)
        model = asked.get("model")
        players = (
            following(players) if goes_on else _listed(players, sure, model, columns)
        )
    event = players
    require_finished(event)
    said: list[str | Note] = [*event.notes]
    said.append(message("new.players", count=len(event.players), source=event.source))
    if event.round > 1:
        said.append(message("new.rounds_taken", rounds=event.round - 1))
    said += require_sure(find_twin_names(event.names), sure or event.round > 1)
    require_listed_fide_data(event, sure)
    event = _with_double_forfeits(event, asked.get(POINTS), said)
    if "model" not in asked and (own := event_model(event)) is not None:
        asked["model"] = own
        said.append(message("new.model_from", model=own, source=event.source))
    if "model" in asked:
        said.append(message("new.model", model=asked["model"]))
    values = _resolve_settings(event, asked, said)
    model = asked.get("model")
    file = None if model is None or model in model_names() else Path(model)
    rules, worth = load_model(model or values["model"]), values[POINTS]
    values["model"] = values["model"] if file is None else file.name
    event = _with_names_of_model(event, rules, values["conflicts"] or ())
    require_room(path, values["model"])
    if faults := find_strange_scores(event, worth):
        raise InputError(event.source, faults)
    event = _with_tables(event)
    said += ratings_notes(event, rules)
    count = len(event.players)
    if (values["rounds"] or 0) > (most := count - 1 + count % 2):
        said.append(
            message("new.many_rounds", rounds=values["rounds"], count=count, most=most)
        )
    if needs_lookahead(count, values["rounds"], values["lookahead"], rules):
        said.append(message("new.lookahead", rounds=values["rounds"], count=count))
    if event.prohibited:
        said.append(
            message("new.prohibited", count=len(event.prohibited), source=event.source)
        )
    said += _byes_told(event, worth)
    if baku:
        event = _with_baku_points(event, values["rounds"], worth, said)
    values["title"] = asked.get("title") or event.settings.title or path.resolve().name
    files: Files = {
        EVENT: _toml(event, draw_id() if id is None else id, values),
        PLAYERS: players_csv.format_players(event, active=True).encode(),
        MATCHES: matches_csv.write(event).text.encode()
        if len(event.matches)
        else EMPTY_MATCHES,
    }
    if (cut := _bracket(event, said)) is not None:
        files = {**files, BRACKET: cut}
    event, files = _in_mode(path, files, asked.get("fide"), of_chess(event), said)
    require_pairable(event, rules)
    copied = {} if file is None else {file.name: file.read_bytes()}
    number = _commit_new_folder(
        path, message("step.new", value=len(event.players)), files, copied
    )
    return Done("new", tuple(map(as_note, said)), number, event)


def _with_names_of_model(
    event: Event, rules: Model, conflicts: Sequence[Mapping[str, Any]]
) -> Event:
    """The event in which a column that rules name has the name that its list gives it."""
    columns_of_rules = (
        getattr(rule, "column", "") for rule in (*rules.criteria, *rules.constraints)
    )
    named = {str(column) for column in columns_of_rules}
    named |= {str(each["column"]) for each in conflicts}
    called = event.origin.called
    back = {
        called[name]: name
        for name in map(str.lower, named)
        if name in called and name not in event.columns
    }
    columns = {back.get(name, name): cells for name, cells in event.columns.items()}
    return replace(event, columns=columns)


def _byes_told(event: Event, worth: Points) -> Iterator[Message]:
    """What byes in round 1 give, and which byes the event does not know."""
    early = int(event.first_round_bye.sum())
    if early and event.round == 1:
        yield message("bye.first_round", count=early, points=worth.requested_bye)
    if event.byes_brought.any():
        yield message("new.byes_lost")


def needs_lookahead(
    players: int, rounds: int | None, lookahead: int | str | None, model: Model
) -> bool:
    """Return whether a lookahead would avoid rematches that the event may have without one.

    That is where nearly everybody meets everybody: in at least `players` - 2 rounds, but not more
    than a round robin has. A model that pairs by a system of its own has no lookahead.
    """
    if rounds is None or lookahead is not None:
        return False
    if model.system is not None or model.lookahead:
        return False

    round_robin = players - 1 + players % 2
    return 1 < rounds <= round_robin and rounds >= players - 2


def _listed(
    players: Input, sure: bool, model: str | None, columns: Mapping[str, str] | None
) -> Event:
    """Read a list of players, or matches with the sides of the model that is asked for.

    Raises InputError for unclear lines, unless `sure`.
    """
    sides = () if model is None else load_model(model).sides
    event = read_with_doubts(players, columns=columns, model_sides=sides)
    require_clear(event, "pasted.unsure_new", sure)
    return event


def require_listed_fide_data(event: Event, sure: bool) -> None:
    """Raises ConfirmationError where the notes of a list say that FIDE data are wrong, unless `sure`."""
    wrong = [note for note in event.notes if note.kind == "fide_data.in_list"]
    if wrong and not sure:
        raise ConfirmationError("fide_data.unsure", *wrong)


def following(folder: Input, *, apart: bool = False) -> Event:
    """The next event of the same people by the same rules: without rounds, seed and title, and
    without what players had brought, or that they had left. Who has met there are kept `apart` in
    round 1.
    """
    event = read_event(folder, unfinished=True)
    barred, said = _met(event) if apart else ([], message("new.again"))
    n, none = len(event.players), np.zeros(0, np.int64)
    own = {
        name: cells
        for name, cells in event.columns.items()
        if name not in PLAYED_SO_FAR
    }
    return replace(
        event,
        matches=Matches.empty(),
        round=1,
        active=np.ones(n, np.bool_),
        brought=none,
        byes_brought=none,
        first_round_bye=none > 0,
        start_numbers=none,
        adjusted=none[:, None],
        acceleration=none[:, None],
        declared_active=None,
        initial_side=None,
        columns=own,
        settings=replace(event.settings, seed=None, title="", fide=None),
        notes=(said,),
        origin=SourceInfo(event.source, chess=event.origin.chess),
        prohibited=(*event.prohibited, *barred),
    )


def restore_from_zip(folder: str | Path, raw: bytes, name: str) -> Done:
    """Make an event folder, as in `new`, of the files that one had: the zip of them, which is
    called so. They stay as they are; their log goes on beside a new one. Raises UsageError and
    InputError for what is no such event, and then writes nothing.
    """
    files, path = read_uploaded_zip(raw, name), Path(folder)
    require_room(path)
    own = {each: files.pop(each) for each in FILES if each in files}
    copied = {BEFORE: files.pop(LOG)} if LOG in files else {}
    event = build_event_from_files(own, Path(name))
    load_bracket(event)  # or it has faults
    model = event.settings.model
    if strange := files.keys() - {model}:
        raise UsageError("upload.strange", name=name, found=min(strange))
    if model is not None and model not in model_names():
        if model not in files:
            raise UsageError("upload.no_model", name=name)
        with TemporaryDirectory() as beside:
            Path(beside, model).write_bytes(files[model])
            load_model(Path(beside, model))
    number = _commit_new_folder(
        path, message("step.restored"), own, {**files, **copied}
    )
    said = message("new.restored", name=name, count=len(event.players))
    return Done("new", (said,), number, event)


def _met(event: Event) -> tuple[list[ForbiddenMeeting], Message]:
    """Who may not meet in round 1, as they have met: those of the last rounds first, as long as
    everybody may meet half of the players, with which there is a pairing (Dirac 1952).
    """
    n, rows, kind = len(event.players), event.matches, "new.met"
    before = np.zeros((n, n), np.bool_)
    for one, two in pairs_forbidden_in(event.prohibited, 1):
        before[one, two] = before[two, one] = True
    apart = before
    for number in range(event.round - 1, 0, -1):
        there, more = (rows.round == number) & (rows.second >= 0), apart.copy()
        more[rows.first[there], rows.second[there]] = True
        more |= more.T
        if 2 * (n - 1 - more.sum(axis=1).max()) < n:
            kind = "new.met_some"
            break
        apart = more
    new = np.argwhere(np.triu(apart & ~before)).tolist()
    return [ForbiddenMeeting(one, two, (1, 1)) for one, two in new], message(
        kind, count=len(new)
    )


def _accept_settings(command: Callable[..., Done]) -> None:
    own = signature(command)
    given = [
        each for each in own.parameters.values() if each.kind != Parameter.VAR_KEYWORD
    ]
    more = [
        Parameter(each.key, Parameter.KEYWORD_ONLY, default=None)
        for each in SETTINGS.values()
        if each.key == each.name
    ]
    command.__signature__ = own.replace(parameters=[*given, *more])  # type: ignore[attr-defined]


_accept_settings(new)


def _resolve_settings(
    event: Event, asked: Mapping[str, Any], said: list[str | Note]
) -> dict[str, Any]:
    """Each setting as it is asked for, else as the event says or shows it, else as is usual."""
    own, shown = event.settings, points_shown_by_results(event)[0]
    values: dict[str, Any] = {key: getattr(own, name) for name, key in KEYS.items()}
    values["conflicts"] = [
        {name: value for name, value in asdict(each).items() if value is not None}
        for each in own.apart
    ] or None
    values |= asked

    def first(key: str, *found: tuple[str, Any], **fields: Any) -> Any:
        """The first that there is, unless it is asked for; and say where it is from."""
        if key not in asked:
            kind, values[key] = next(one for one in found if one[1] is not None)
            labels = " and ".join(values[key]) if key == "sides" else ""
            named = {key: values[key], "labels": labels, "source": event.source}
            said.append(message(kind, **{**named, **fields}))
        return values[key]

    two_games = shown is not None and shown.game is not None
    first(
        "model",
        ("new.model_two_games", DOUBLE_SIDED if two_games else None),
        ("new.model_of_chess", CHESS_MODEL if of_chess(event) else None),
        ("new.model_usual", DEFAULT_MODEL),
    )
    rules = load_model(values["model"])
    labels = values["sides"] = [
        *first(
            "sides",
            ("new.sides_from", event.sides),
            ("new.no_sides_from", () if own.sides == () else None),
            ("new.sides_of_model", rules.sides or None if "model" in asked else None),
            (
                "new.sides_of_list",
                WHITE_BLACK if "model" not in asked and of_chess(event) else None,
            ),
            ("new.sides_of_chess", WHITE_BLACK if asked.get(POINTS) == CHESS else None),
            ("new.no_sides", ()),
            model=values["model"],
        )
    ]
    worth = CHESS if tuple(labels) == WHITE_BLACK else FOOTBALL
    worth = points_of_two_games(worth) if rules.games == 2 and not labels else worth
    first(
        POINTS,
        ("new.points_from", own.points),
        ("new.points_shown", shown),
        ("new.points_usual", worth),
    )
    first("rounds", ("new.rounds_from", own.rounds), ("new.no_rounds", 0))
    values["rounds"] = values["rounds"] or None
    first("seed", ("new.seed_from", own.seed), ("new.seed_drawn", draw_seed()))
    values["initial_side"] = _initial_side(asked.get("initial_side"), event, labels)
    if (
        labels
        and values["initial_side"] is None
        and rules.system
        and initial_side_of_results(event) is None
    ):
        first(
            "initial_side",
            ("new.side_drawn", labels[draw_initial_side(values["seed"])]),
        )
    if "tie_breaks" in asked:
        values["tie_breaks"] = [
            each.name for each in tie_breaks_named(asked["tie_breaks"])
        ]
    elif own.tie_breaks is not None:
        first("tie_breaks", ("new.tie_breaks_from", [*own.tie_breaks]))
    else:
        ruled = replace(own, best_of=values["best_of"])
        known = default_tie_breaks(
            replace(event, settings=ruled).with_other_sides(labels)
        )
        said.append(message("new.tie_breaks_usual", tie_breaks=known))
    return values


def _in_mode(
    path: Path, files: Files, asked: bool | None, chess: bool, said: list[str | Note]
) -> tuple[Event, Files]:
    """The event, in FIDE mode where it is one of FIDE's systems and has its rules; rounds that it
    brings are paired once more. Raises UsageError where the mode is asked for, and it has not.
    """
    wrong = [*unfit(read_mode(files))]
    if asked and wrong:
        raise UsageError("mode.unfit", keys=wrong)
    event, fide = (
        build_event_from_files(files, path),
        not wrong if asked is None else asked,
    )
    found = compared_imports(event) if fide and event.round > 1 else []
    if fide or chess or asked is not None or "model" not in wrong:
        files = {**files, EVENT: with_fide_mode(files[EVENT], fide, found)}
        said.append(
            message("new.fide" if fide else "new.no_fide", keys=wrong or ["fide"])
        )
        said += [each.said for each in found]
    return build_event_from_files(files, path), files


def of_chess(event: Event) -> bool:
    """Whether it is chess: a file of FIDE's, or players with FIDE numbers or titles."""
    titles = (cell.strip().upper() in TITLES for cell in event.columns.get("title", ()))
    return event.origin.chess or any(event.columns.get("fide_id", ())) or any(titles)


def _initial_side(asked: str | None, event: Event, labels: Sequence[str]) -> str | None:
    if asked is None:
        return (
            labels[event.initial_side]
            if labels and event.initial_side is not None
            else None
        )
    if asked.lower() not in labels:
        kind = "new.another_side" if labels else "new.side_without_sides"
        raise UsageError(kind, found=asked, labels=" or ".join(labels))
    return asked.lower()


def _commit_new_folder(path: Path, did: Message, files: Files, models: Files) -> int:
    """The number of the step that makes the folder; without it nothing is left of the folder."""
    there = path.exists()
    try:
        with journal(path) as held:
            if held.files():
                raise UsageError("new.event_already", path=path)
            for name, content in models.items():
                held.beside(name, content)
            return held.commit("new", did, files).number
    except PairoptError:
        if not is_folder(path):  # else it is begun, or was there
            shutil.rmtree(path / HOME, ignore_errors=True)
            with suppress(OSError):
                for name in models:
                    (path / name).unlink(missing_ok=True)
                if not there:
                    path.rmdir()
        raise


def _with_double_forfeits(
    event: Event, points: Points | None, said: list[str | Note]
) -> Event:
    """The event of a file that has no word for a forfeit: by both it is 0-0, if nothing else is."""
    rows = event.matches
    none = (
        rows.scored & (rows.status == PLAYED) & (rows.score1 == 0) & (rows.score2 == 0)
    )
    if event.origin.forfeits or not none.any():
        return event
    made = replace(
        event, matches=replace(rows, status=np.where(none, FORFEIT, rows.status))
    )
    worth = points or event.settings.points or points_shown_by_results(made)[0]
    if worth is not None and (Fraction(0), Fraction(0)) in worth.results:
        return event
    said.append(message("new.double_forfeits", count=int(none.sum())))
    return made


def _with_tables(event: Event) -> Event:
    """The event with table numbers in rounds that have none: those of boards, by the higher score,
    the sum of both, and the smaller start number (C.04.2, 3.6).
    """
    rows, two, start = event.matches, event.matches.second >= 0, event.start_numbers
    known = np.isin(rows.round, rows.round[two & (rows.table > 0)])
    bare = np.flatnonzero(two & ~known & (rows.round < event.round))
    turn, first, second = rows.round[bare], rows.first[bare], rows.second[bare]
    points = (
        event.turns.before(event.besides) + virtual_points(event)[:, : event.round - 1]
    )
    one, other = points[first, turn - 1], points[second, turn - 1]
    number = np.minimum(start[first], start[second])
    order = np.lexsort((number, -(one + other), -np.maximum(one, other), turn))
    table = rows.table.copy()
    table[bare[order]] = (
        1 + np.arange(len(order)) - np.searchsorted(turn[order], turn[order])
    )
    return replace(event, matches=replace(rows, table=table))


def _bracket(event: Event, said: list[str | Note]) -> bytes | None:
    """bracket.csv of the event's folder, or with the cut that its file has."""
    if load_bracket(event) is not None:
        return event.origin.bracket
    if not has_cut(event):
        return None
    made = read_cut(event)
    if made is None:
        said.append(message("new.cut_of_no_bracket", source=event.source))
        return None
    kind = "new.cut_single" if not made.double else "new.cut_double"
    kind = (
        "new.cut_maybe_double"
        if made.double and len(read_cut_games(event)) < 2
        else kind
    )
    said.append(message(kind, source=event.source, count=len(made.players)))
    said += bracket_progress(made, event.called)
    return format_bracket(made, event).encode()


def draw_seed() -> int:
    return secrets.randbelow(MOST_DRAWN)


def _with_baku_points(
    event: Event, rounds: int | None, points: Points, said: list[str | Note]
) -> Event:
    """The event with a column of virtual points (FIDE C.04.7, articles 1.1 to 1.4)."""
    if rounds is None:
        raise UsageError("new.baku_without_rounds")
    text = baku_text(rounds, points)
    if text is None:
        raise UsageError("new.baku_points", points=str(points))
    first = players_with_virtual_points(
        event.start_numbers, players_of_round_one(event)
    )
    cells = tuple(text if each else "" for each in first.tolist())
    said.append(message("new.baku", count=int(first.sum()), points=text))
    return replace(event, columns={**event.columns, "virtual": cells})


def require_room(path: Path, model: str = "") -> None:
    """Raises UsageError for a folder that holds more than what a `new` left that was killed."""
    left = {HOME, model, f".{model}.new"}
    if path.exists() and (
        not path.is_dir() or any(one.name not in left for one in path.iterdir())
    ):
        raise UsageError("new.not_empty", path=path)


def _toml(event: Event, own: str, values: Mapping[str, Any]) -> bytes:
    """The content of event.toml, in which nothing is said of what is None."""
    made = tomlkit.document()
    made.add(tomlkit.comment(HEADER))
    made["id"] = own
    forbid = [
        format_forbidden(
            [event.players[each.one], event.players[each.two]], each.rounds
        )
        for each in event.prohibited
    ]
    points: Points = values[POINTS]
    for key in [key for key in SETTINGS if key not in ("conflicts", POINTS)]:
        put(made, key, values.get(key))
    if forbid:
        made["forbid"] = forbid
    put(made, "conflicts", values["conflicts"])
    put(made, POINTS, points)
    for name, worth in (
        ("bye", points.allocated_bye),
        ("requested_bye", points.requested_bye),
        ("absent", points.absent),
    ):
        put(made, f"{POINTS}.{name}", amount(worth))
    if event.origin.rounds_over:
        made["rounds_over"] = event.origin.rounds_over
    if event.origin.facts:
        made["source"] = event.origin.facts
    return tomlkit.dumps(made).encode()
