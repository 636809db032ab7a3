"""Uploads: what was pasted or dropped; it is shown as it was understood before it is taken.

A list of players makes a new event in a folder that is not there yet, or empty. What is played, and
what matters in it, are questions that settle all that it has to know.
"""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

from starlette.datastructures import FormData, UploadFile

from pairopt.common.limits import LARGEST_FORM_FILE, LARGEST_UPLOAD
from pairopt.common.serialization import read_package_toml
from pairopt.errors import Fault, InputError, PairoptError, UsageError
from pairopt.event.event import Event
from pairopt.event.settings import SETTINGS
from pairopt.event.tie_breaks import tie_breaks_named
from pairopt.files.event_folder import EVENT, is_folder
from pairopt.files.pasted import Cells
from pairopt.files.read import DetectedEvent, read_upload
from pairopt.files.sections import count_sections, select_section
from pairopt.files.zip_archive import names_in_zip
from pairopt.folder import Done, new
from pairopt.folder.create import needs_lookahead, restore_from_zip
from pairopt.folder.settings import read_setting
from pairopt.messages import AnyMessage, as_message, message
from pairopt.messages.formatting import count_noun, join_names, split_words
from pairopt.problem.model import load_model, model_names
from pairopt.problem.options import DEFAULT_MODEL
from pairopt.web.preview import PastedPreview, cells_in, digest_of
from pairopt.web.view import SURE, FormError, PageConfirmationError, text_of

PASTED, FILE, SECTIONS = "players", "file", "sections"
KEPT, NAME, OTHER = "content", "content_name", "other"
"""The fields of a form by which a file is sent again, and one that says not to take it."""
AHEAD = "ahead"  # the field that asks for a lookahead over all rounds
MOST_FAULTS = 20
FIELDS = {
    "model": "model",
    "tie_break": "tie_breaks",
    "rating": "model",
    "rule": "conflicts",
    "system": "lookahead",
}
"""The field that an error of a new event is about, by its subject."""
SETTLED = re.compile(
    "new[.](no_|many_)?(players|model|sides|points|rounds|seed|side_drawn|tie_breaks|lookahead)"
)
"""What a new event says of itself is said in lines of their own."""


@dataclass(frozen=True, slots=True)
class Upload:
    """Bytes that nobody vouches for, what messages call them, and whether they were typed."""

    name: str
    raw: bytes
    typed: bool = False
    cells: Mapping[int, Cells] = field(default_factory=dict)

    @staticmethod
    def of(form: FormData) -> "Upload":
        """What a form brings, with the cells of its preview. Raises UsageError for nothing."""
        given = Upload._sent(form)
        return replace(given, cells=cells_in(form, given.raw))

    @staticmethod
    def _sent(form: FormData) -> "Upload":
        file, pasted, kept = form.get(FILE), text_of(form, PASTED), text_of(form, KEPT)
        if isinstance(file, UploadFile) and file.filename:
            if (file.size or 0) > LARGEST_FORM_FILE:
                most = LARGEST_FORM_FILE // 2**20
                raise UsageError(
                    "upload.too_large", name=PurePath(file.filename).name, most=most
                )
            file.file.seek(0)
            return Upload(PurePath(file.filename).name, file.file.read())
        if kept is not None and OTHER not in form:
            try:
                return Upload(
                    text_of(form, NAME) or FILE, base64.b64decode(kept, validate=True)
                )
            except ValueError:
                raise UsageError("upload.not_whole") from None
        if pasted is None:
            raise UsageError("upload.nothing")
        return Upload("the list", pasted.encode(), typed=True)

    def read(self) -> DetectedEvent:
        """What is understood of it. Raises InputError with the first faults."""
        try:
            return read_upload(self.raw, self.name, self.cells, self.typed)
        except InputError as error:
            more = len(error.faults) - MOST_FAULTS
            rest = [Fault(message("upload.more", count=more))] if more > 0 else []
            raise InputError(
                error.source, [*error.faults[:MOST_FAULTS], *rest]
            ) from None

    def preview(self, found: DetectedEvent) -> PastedPreview | None:
        """The lines that were understood, where it is a list of names."""
        return (
            None
            if found.pasted is None
            else PastedPreview(found.pasted, digest_of(self.raw))
        )

    def again(self) -> dict[str, str]:
        """The fields of a form that bring the same; what was typed is in one already."""
        return (
            {}
            if self.typed
            else {KEPT: base64.b64encode(self.raw).decode(), NAME: self.name}
        )

    def asked(
        self, found: DetectedEvent, said: Sequence[str | AnyMessage], form: FormData
    ) -> None:
        """Raises PageConfirmationError with what was understood, and what comes of it, unless it was."""
        if SURE in form:
            return
        event = found.event
        rounds = (
            f", {count_noun(event.round - 1, 'round', 'rounds')}"
            if event.round > 1
            else ""
        )
        lines = [
            f"{count_noun(len(event.players), 'player', 'players')}{rounds}: {join_names(event.shown)}",
            *(each for each in said if not _of_reading(each)),
        ]
        how = message("sure.read_as", name=self.name, format=found.format)
        read = dict.fromkeys(filter(_of_reading, map(as_message, said)))
        raise PageConfirmationError(
            *dict.fromkeys(lines),
            again=self.again(),
            folded=[*read] or [how],
            preview=self.preview(found),
        )


def preview_again(form: FormData) -> PastedPreview | None:
    """Return the preview with the cells of a form that could not be accepted.

    None if something other than the cells is wrong.
    """
    with suppress(PairoptError):
        given = Upload.of(form)
        found = replace(given, cells={}).read()
        if found.pasted is not None and given.cells:
            return PastedPreview(
                found.pasted.with_corrections(given.cells), digest_of(given.raw)
            )
    return None


def sent_again(form: FormData) -> dict[str, str]:
    """The fields that bring a file once more, which a browser does not send twice by itself. None
    of one that is larger than events are: it is no use to send it again.
    """
    file = form.get(FILE)
    fits = (
        isinstance(file, UploadFile)
        and file.filename
        and (file.size or 0) <= LARGEST_UPLOAD
    )
    return Upload.of(form).again() if fits else {}


Beside = Callable[[str], Path]


def create_event(
    folder: Path, form: FormData, beside: Beside
) -> tuple[Done, list[Path]]:
    """Make the event from the form: a file of players, or names typed one a line, and what the
    questions settle; or one event for each section of the list.

    `beside` gives the folder of a further event by its name. Asks first, with what was understood;
    whoever says yes to anything else than what now stands in the form is asked again. Returns what
    was done, and the folders. Raises FormError with every fault, by fields.
    """
    if is_folder(folder):
        raise FormError({"": [message("sure.too_late")]})
    if (kept := _kept_event(form)) is not None:
        return _restored(folder, form, kept), [folder]
    given, listed, asked = _understood(form)
    told = _rehearsed(listed.event, asked, given.name)
    assert told.event is not None
    asked["seed"] = str(told.event.settings.seed)
    wary = [
        each
        for each in told.said
        if not (SETTLED.match(each.kind) or _of_reading(each))
    ]
    known = given.name, given.raw, sorted(asked.items()), wary
    yes = sha256(repr(known).encode()).hexdigest()
    sections = count_sections(listed.event)
    if sections and text_of(form, SECTIONS) == yes:
        return _founded_apart(listed.event, asked, form, given.name, folder, beside)
    if text_of(form, SURE) != yes:
        how = message("sure.read_as", name=given.name, format=listed.format)
        raise PageConfirmationError(
            message("sure.new"),
            *wary,
            again={**given.again(), "seed": asked["seed"]},
            yes=yes,
            folded=[*wary[1:], *([*filter(_of_reading, told.said)] or [how])],
            made=told.event,
            preview=given.preview(listed),
            sections=sections,
        )
    done = new(folder, listed.event, sure=True, **asked)
    said = (message("step.new", value=len(listed.event.players)), *wary)
    return replace(done, said=said), [folder]


def _rehearsed(event: Event, asked: Mapping[str, Any], name: str) -> Done:
    """What a new event would say. Raises FormError where it cannot be made; `name` is that of the
    list.
    """
    try:
        with TemporaryDirectory() as elsewhere:
            return new(Path(elsewhere, "event"), event, sure=True, **asked)
    except InputError as error:
        raise FormError(_by_field(error, name)) from None
    except UsageError as error:
        raise FormError(
            {FIELDS.get(error.kind.partition(".")[0], ""): error.said}
        ) from None


def _founded_apart(
    event: Event,
    asked: Mapping[str, Any],
    form: FormData,
    name: str,
    folder: Path,
    beside: Beside,
) -> tuple[Done, list[Path]]:
    """Make one event for each section, the first one in `folder`; none of them where one of them
    cannot be made. Their tables follow one another, and each has its own draw.
    """
    title, first_table = text_of(form, "title"), int(asked.get("first_table", 1))
    plans = []
    for section, count in count_sections(event).items():
        own = {
            **asked,
            "title": f"{title} {section}" if title else section,
            "seed": None,
        }
        own["first_table"] = str(first_table)
        first_table += (count + 1) // 2
        if "rounds" in asked and text_of(form, "rounds") is None:
            own["rounds"] = str(proposed_rounds(count))
        players = select_section(event, section)
        _rehearsed(players, own, name)
        plans.append((players, own))

    folders: list[Path] = []
    for players, own in plans:
        path = beside(own["title"]) if folders else folder
        new(path, players, sure=True, **own)
        folders.append(path)
    titles = [own["title"] for _, own in plans]
    return Done("new", (message("new.sections", sections=titles),), None), folders


def _kept_event(form: FormData) -> Upload | None:
    """The file of a form, if it is a zip of an event as Files gives it; None otherwise."""
    with suppress(PairoptError):
        given = Upload.of(form)
        return given if EVENT in names_in_zip(given.raw) else None
    return None


def _restored(folder: Path, form: FormData, given: Upload) -> Done:
    """Go on with an event that was kept, once somebody has said yes to exactly this one."""
    try:
        with TemporaryDirectory() as beside:
            there = restore_from_zip(Path(beside, "event"), given.raw, given.name)
    except PairoptError as error:
        raise FormError({PASTED: error.said}) from None
    assert there.event is not None

    yes = sha256(given.raw).hexdigest()
    if text_of(form, SURE) != yes:
        event = there.event
        said = message(
            "sure.restore",
            name=given.name,
            title=event.settings.title or given.name,
            players=len(event.players),
            rounds=event.round - 1,
        )
        raise PageConfirmationError(said, again=given.again(), yes=yes)
    return restore_from_zip(folder, given.raw, given.name)


def _understood(form: FormData) -> tuple[Upload, DetectedEvent, dict[str, Any]]:
    """The list and the settings of a form. Raises FormError."""
    faults: dict[str, Sequence[AnyMessage]] = {}
    found = list[Any]()
    typed = {key: text for key in SETTINGS if (text := text_of(form, key)) is not None}
    asked = {**settings_from_answers(form), **typed}
    if AHEAD in form:
        asked.setdefault("lookahead", "all")
    preview: PastedPreview | None = None
    checks: dict[str, Callable[[], object]] = {
        PASTED: lambda: found.extend([given := Upload.of(form), given.read()]),
        **{key: partial(read_setting, key, text) for key, text in asked.items()},
        "model": lambda: _require_shipped(asked.get("model")),
        "tie_breaks": lambda: tie_breaks_named(
            split_words(asked.get("tie_breaks", "none"))
        ),
    }
    for name, check in checks.items():
        try:
            check()
        except PairoptError as error:
            faults[name] = error.said
            preview = preview or (preview_again(form) if name == PASTED else None)
    if faults:
        raise FormError(faults, preview)
    given, listed = found
    if GAME.answered(form) and listed.event.settings.rounds is None:
        asked.setdefault("rounds", str(proposed_rounds(len(listed.event.players))))
    return given, listed, asked


def _require_shipped(model: str | None) -> None:
    """A page names no files of this machine."""
    if model is not None and model not in model_names():
        raise UsageError("model.none_shipped", model=model, known=model_names())


def _by_field(error: InputError, name: str) -> dict[str, list[AnyMessage]]:
    """The faults of an event that was not made: of a setting, by its key, or of the list."""
    faults: dict[str, list[AnyMessage]] = {}
    for each in error.faults:
        key = re.split(r"[.\[:]", str(each.place or ""))[0]
        own = key in SETTINGS
        faults.setdefault(key if own else PASTED, []).append(
            each.told(None if own else name)
        )
    return faults


def _of_reading(said: str | AnyMessage) -> bool:
    """Whether it is about how a list was read: of use where that went wrong."""
    return not isinstance(said, str) and said.kind.startswith(("listing.", "pasted."))


SAID = read_package_toml("pairopt.web", "questions.toml")
FEWEST_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class SetupQuestion:
    """A question, and its answers in words by what they are called in forms."""

    name: str
    words: str
    answers: Mapping[str, str]

    def answered(self, answers: Mapping[str, object]) -> str:
        return self.answers.get(str(answers.get(self.name)), "")


QUESTIONS = tuple(SetupQuestion(**each) for each in SAID["questions"])
GAME = QUESTIONS[0]


def settings_from_answers(answers: Mapping[str, object]) -> dict[str, str]:
    """The settings for these answers, as they would be typed; none where nobody has given any."""
    given = {
        each.name: answers.get(each.name)
        for each in QUESTIONS
        if each.answered(answers)
    }
    fitting = (
        each["model"]
        for each in SAID["models"]
        if each["given"].items() <= given.items()
    )
    return (
        {**SAID["games"].get(given.get(GAME.name), {}), "model": next(fitting)}
        if given
        else {}
    )


def offers_lookahead(made: Event) -> bool:
    """Whether the form of a new event offers a lookahead, from the event as it would be made."""
    own = made.settings
    model = load_model(own.model or DEFAULT_MODEL)
    return needs_lookahead(len(made.players), own.rounds, own.lookahead, model)


def proposed_rounds(players: int) -> int:
    """So many that only one can have won all, three at least; fewer where all have met before."""
    everybody = players - 1 + players % 2
    return max(1, min(everybody, max(FEWEST_ROUNDS, (players - 1).bit_length())))
