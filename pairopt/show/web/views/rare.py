"""Pages that are rarely looked at: settings, models, the log, and the event in files."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from starlette.datastructures import FormData

from pairopt.errors import PairoptError
from pairopt.event.event import Event
from pairopt.event.settings import EVENT, PAIRING, POINTS, SETTINGS, STANDINGS
from pairopt.event.standings import usual
from pairopt.files.folder import LOG
from pairopt.files.formats import writers, written
from pairopt.folder import Done, change, undo
from pairopt.folder.desk import Desk
from pairopt.folder.journal import Step, trail
from pairopt.folder.settings import current
from pairopt.problem.model import load_model, model_names
from pairopt.problem.ready import model_for, usual_model
from pairopt.round.compare import Comparison, compare
from pairopt.round.described import described
from pairopt.show.report.picture import SUFFIXES, drawn, picture
from pairopt.show.shown import compared_levels, known_round, missed
from pairopt.show.web.asked import settled_round
from pairopt.show.web.proofs import offered
from pairopt.show.web.site import Site
from pairopt.show.web.uploads import QUESTIONS, settled_by
from pairopt.show.web.view import SURE, Asked, AskError, Context, View, number, text_of
from pairopt.show.words import PAGE
from pairopt.wording import pair_text
from pairopt.words import Said, tell

GROUPS = (EVENT, PAIRING, POINTS, STANDINGS)


def settings(asked: Asked) -> Context:
    """What is said, by the keys of event.toml, and what holds where nothing is."""
    desk, said = asked.desk, current(asked.desk)
    own = said.get("model")
    every = sorted(SETTINGS.values(), key=lambda one: GROUPS.index(one.group))
    return {
        "values": said,
        "groups": [(group, [*own]) for group, own in groupby(every, key=lambda one: one.group)],
        "models": [*dict.fromkeys([*model_names(), *([own] if own else [])])],
        "unsaid": {"model": usual_model(desk.event), "tie_breaks": ", ".join(usual(desk.event)),
                   "seed": "0"},
        "paired": desk.rounds(),
    }  # fmt: skip


def settings_changed(desk: Desk, form: FormData) -> Done:
    """The settings that the form has, in one step; an empty field says nothing any more."""
    given = {key: text_of(form, key) for key in SETTINGS if key in form}
    return change(desk, given, sure=SURE in form)


SETTINGS_VIEW = View(
    "settings", "Settings", settings, {"change": settings_changed}, weight=10, rare=True
)


def models(asked: Asked) -> Context:
    """A model in words, the event's own unless another is asked for; and a comparison."""
    desk, names = asked.desk, model_names()
    own = model_for(desk.event, None)
    shown = load_model(asked.query["model"]) if asked.query.get("model") in names else own
    turn = desk.rounds() if desk.rows.open.any() else desk.event.round
    others = [name for name in names if name in asked.query.getlist("with")]
    made, refusal = None, tuple[str, ...]()
    if others:
        try:
            made = asked.site.kept.answer(
                ("models", desk.state, turn, tuple(others)),
                lambda: compare(desk.event, [own, *others], round=turn),
            )
        except PairoptError as error:
            refusal = tuple(error.drawn(PAGE).split("\n"))
    return {
        "questions": QUESTIONS, "answered": asked.query,
        "wanted": load_model(wanted) if (wanted := settled_by(asked.query).get("model")) else None,
        "own": own, "shown": shown, "words": described(shown),
        "models": [load_model(name) for name in names], "chosen": others, "round": turn,
        "refusal": refusal, "others": [] if made is None else [*_others(desk.event, made)],
        "levels": None if made is None else compared_levels(made, made.models),
    }  # fmt: skip


def _others(event: Event, made: Comparison) -> Iterator[tuple[str, str, list[str]]]:
    """How other models would have paired: a verdict, and the matches that the first has not."""
    both = zip(made.models[1:], made.results[1:], made.changed[1:], strict=True)
    for name, result, changed in both:
        verdict = f"{len(changed)} matches otherwise" if changed else "the same matches"
        shown = [pair_text(*(event.called[player] for player in match)) for match in changed]
        yield name, verdict if result.arcs is not None else "no pairing", shown


MODELS = View("models", "Models", models, weight=9, rare=True)


def log(asked: Asked) -> Context:
    """The steps by rounds, the latest first; `made` are those that made the files what they are."""
    steps = asked.desk.journal.steps()
    made, parts = trail(steps), parts_of(steps)
    return {
        "parts": [(name, [*own]) for name, own in groupby(steps[::-1], lambda s: parts[s.number])],
        "made": {step.number for step in made}, "now": made[0].number if made else None,
    }  # fmt: skip


def parts_of(steps: Sequence[Step]) -> dict[int, str]:
    """The part of the event that each step belongs to, by number: a round begins as it is paired,
    and whoever goes back is in the round of that step again."""
    now, found = "Before round 1", dict[int, str]()
    for step in steps:
        if step.verb == "pair" and (turn := re.search(r"round (\d+)", str(step.did))):
            now = f"Round {turn[1]}"
        now = "The cut" if step.verb == "bracket" else found.get(step.at, now)
        found[step.number] = now
    return found


def undone(desk: Desk, form: FormData) -> Done:
    """Go back to the files after a step; what that undoes is named and asked first."""
    step = number(text_of(form, "step") or "", "step")
    would = undo(desk.rehearsed(), to=step)
    if SURE not in form and would.step is not None:
        raise AskError(
            *(tell("step.take_back", **each.fields) if each.kind == "step.undone" else each
              for each in would.said)
        )  # fmt: skip
    return undo(desk, to=step)


LOG_VIEW = View("log", "Log", log, {"undo": undone}, weight=8, rare=True)


PATH = "/files/{name}"


@dataclass(frozen=True, slots=True)
class Download:
    """The event in a format: its files by their names, and what they cannot hold; or `why` there
    are none now."""

    words: str
    files: Mapping[str, bytes]
    lost: tuple[str | Said, ...] = ()
    why: str = ""


def downloads(site: Site, desk: Desk) -> Mapping[str, Download]:
    """The event by format, written once for each state of it, or why a format cannot hold it."""
    return site.kept.answer(("files", desk.state), lambda: _downloads(desk))


def _downloads(desk: Desk) -> Mapping[str, Download]:
    name = re.sub("[^A-Za-z0-9]+", "-", desk.event.settings.title).strip("-") or "event"
    found = {"folder": Download("the folder as it is", {f"{name}.zip": _zip(desk)})}
    for form in writers().values():
        suffix = form.suffixes[0]
        try:
            made = written(form, desk.event)
        except PairoptError as error:
            found[form.name] = Download(form.expected, {}, why=error.drawn(PAGE).split("\n")[0])
            continue
        files = {f"{name}{suffix}": made.text.encode()}
        if made.players is not None:
            files[f"{name}-players{suffix}"] = made.players.encode()
        found[form.name] = Download(form.expected, files, (*missed(made.lost),))
    return found


def _zip(desk: Desk) -> bytes:
    out = io.BytesIO()
    folder = desk.journal.folder
    beside = (folder / LOG, Path(desk.event.settings.model or ""))
    own = [path for path in beside if path.parent == folder and path.is_file()]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
        for file, content in desk.files.items():
            pack.writestr(file, content)
        for path in own:
            pack.writestr(path.name, path.read_bytes())
    return out.getvalue()


def offered_as(site: Site, name: str) -> tuple[str, bytes] | None:
    """The file of this name, with its content."""
    if site.founded and name in shared(desk := site.desk()):
        return name, site.kept.answer(("picture", desk.state, name), lambda: _picture(desk, name))
    every = downloads(site, site.desk()).values() if site.founded else ()
    return next(((name, each.files[name]) for each in every if name in each.files), None)


def shared(desk: Desk) -> tuple[str, ...]:
    """The names of the pictures of the last round, to send around."""
    number = desk.rounds()
    return tuple(f"round-{number}{suffix}" for suffix in reversed(SUFFIXES)) if number else ()


def _picture(desk: Desk, name: str) -> bytes:
    """The last round as a picture, with what is proven of it now."""
    number = desk.rounds()
    proof, known = offered(desk, number), settled_round(desk, number)
    stated = (proof.words, proof.now) if proof else ("", False)
    made = drawn(picture(known.result, known_round(desk.event, number), stated, PAGE), name)
    return made.encode() if isinstance(made, str) else made


def formats(asked: Asked) -> Context:
    """What can be loaded, what each format cannot hold, and how far the round is."""
    desk, missing = asked.desk, int(asked.desk.rows.open.sum())
    waits = PAGE.draw(tell("file.open", round=desk.rounds(), tables=missing)) if missing else ""
    return {"offered": downloads(asked.site, desk), "waits": waits}


FILES = View("files", "Files", formats, weight=11, rare=True)
