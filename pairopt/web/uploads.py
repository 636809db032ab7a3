"""Make an event from a list of players that was uploaded, pasted or typed.

The page shows how it has read the list, and makes the event once the user has confirmed
that. The event's folder does not exist yet, or is empty. The user answers a few questions
on the game and on what matters; the answers determine the model and other settings.
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
from pairopt.web.preview import PastedPreview, compute_digest, read_cells
from pairopt.web.view import SURE, FormError, PageConfirmationError, read_text

PASTED, FILE, SECTIONS = "players", "file", "sections"
KEPT, NAME, OTHER = "content", "content_name", "other"
"""The fields that send a file again, with its name, and one that says not to take it."""
# The field that asks for a lookahead over all rounds.
AHEAD = "ahead"
MOST_FAULTS = 20
FIELDS = {
    "model": "model",
    "tie_break": "tie_breaks",
    "rating": "model",
    "rule": "conflicts",
    "system": "lookahead",
}
"""The form field that an error of a new event is about, by the subject of its message id."""
SETTLED = re.compile(
    "new[.](no_|many_)?(players|model|sides|points|rounds|seed|side_drawn|tie_breaks|lookahead)"
)
"""The messages about a new event that the page shows in lines of their own."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A list or file from a form, which may be anything.

    `name` is what messages call it, `typed` whether it was typed or pasted into the
    form's text field, and `cells` are corrections in the preview, by line.
    """

    name: str
    raw: bytes
    typed: bool = False
    cells: Mapping[int, Cells] = field(default_factory=dict)

    @staticmethod
    def of(form: FormData) -> "Upload":
        """Return the upload in a form, with the cells of its preview.

        Raises UsageError if there is none.
        """
        upload = Upload._without_cells(form)
        return replace(upload, cells=read_cells(form, upload.raw))

    @staticmethod
    def _without_cells(form: FormData) -> "Upload":
        """Return the file in a form, else the file sent again, else the text that was typed."""
        file = form.get(FILE)
        pasted = read_text(form, PASTED)
        content = read_text(form, KEPT)
        if isinstance(file, UploadFile) and file.filename:
            file_name = PurePath(file.filename).name
            if (file.size or 0) > LARGEST_FORM_FILE:
                most = LARGEST_FORM_FILE // 2**20
                raise UsageError("upload.too_large", name=file_name, most=most)
            file.file.seek(0)
            return Upload(file_name, file.file.read())

        if content is not None and OTHER not in form:
            try:
                raw = base64.b64decode(content, validate=True)
            except ValueError:
                raise UsageError("upload.not_whole") from None
            return Upload(read_text(form, NAME) or FILE, raw)

        if pasted is None:
            raise UsageError("upload.nothing")
        return Upload("the list", pasted.encode(), typed=True)

    def read(self) -> DetectedEvent:
        """Return the event that the upload is read as.

        Raises InputError with the first faults, and the number of further ones.
        """
        try:
            return read_upload(self.raw, self.name, self.cells, self.typed)
        except InputError as error:
            faults = [*error.faults[:MOST_FAULTS]]
            hidden_count = len(error.faults) - MOST_FAULTS
            if hidden_count > 0:
                faults.append(Fault(message("upload.more", count=hidden_count)))
            raise InputError(error.source, faults) from None

    def preview(self, detected: DetectedEvent) -> PastedPreview | None:
        """Return the lines of a list of names as they were read; None for other formats."""
        if detected.pasted is None:
            return None
        return PastedPreview(detected.pasted, compute_digest(self.raw))

    def fields_again(self) -> dict[str, str]:
        """Return the form fields that send the same file again; none for typed text."""
        if self.typed:
            return {}
        return {KEPT: base64.b64encode(self.raw).decode(), NAME: self.name}

    def require_confirmation(
        self,
        detected: DetectedEvent,
        messages: Sequence[str | AnyMessage],
        form: FormData,
    ) -> None:
        """Raise PageConfirmationError, unless the user has confirmed how it was read.

        The question says how many players were read, and what adding them would do.
        """
        if SURE in form:
            return

        event = detected.event
        counts = count_noun(len(event.players), "player", "players")
        if event.round > 1:
            counts += f", {count_noun(event.round - 1, 'round', 'rounds')}"
        lines = [
            f"{counts}: {join_names(event.shown)}",
            *(line for line in messages if not _is_about_reading(line)),
        ]
        read_as = message("sure.read_as", name=self.name, format=detected.format)
        details = dict.fromkeys(filter(_is_about_reading, map(as_message, messages)))
        raise PageConfirmationError(
            *dict.fromkeys(lines),
            again=self.fields_again(),
            folded=[*details] or [read_as],
            preview=self.preview(detected),
        )


def preview_corrections(form: FormData) -> PastedPreview | None:
    """Return the preview with the cells of a form that could not be accepted.

    None if something other than the cells is wrong.
    """
    with suppress(PairoptError):
        upload = Upload.of(form)
        detected = replace(upload, cells={}).read()
        if detected.pasted is not None and upload.cells:
            return PastedPreview(
                detected.pasted.with_corrections(upload.cells),
                compute_digest(upload.raw),
            )
    return None


def file_fields_again(form: FormData) -> dict[str, str]:
    """Return the fields that send a form's file again, which browsers cannot repeat.

    There are none without a file, or for one that is too large to be an event.
    """
    file = form.get(FILE)
    if not isinstance(file, UploadFile) or not file.filename:
        return {}
    if (file.size or 0) > LARGEST_UPLOAD:
        return {}
    return Upload.of(form).fields_again()


FindFolder = Callable[[str], Path]
"""Returns the folder for a further event by the event's name."""


def create_event(
    folder: Path, form: FormData, find_folder: FindFolder
) -> tuple[Done, list[Path]]:
    """Make the event that a form describes, or one event for each section of its list.

    Parameters
    ----------
    folder : Path
        The folder of the event, or of the first section.
    form : FormData
        A file of players, or names typed one per line, with the settings and the answers
        to the questions; or a zip of an event.
    find_folder : callable
        Returns the folder of a further section by its title.

    Returns
    -------
    done : Done
        What was done, with its messages.
    folders : list of Path
        The folders of the events.

    Raises
    ------
    FormError
        With every fault, by fields.
    PageConfirmationError
        With how the list was read, unless the user has confirmed exactly this event.
    """
    if is_folder(folder):
        raise FormError({"": [message("sure.too_late")]})
    archive = _find_event_zip(form)
    if archive is not None:
        return _restore_event(folder, form, archive), [folder]

    upload, detected, options = _read_form(form)
    rehearsal = _rehearse_new(detected.event, options, upload.name)
    assert rehearsal.event is not None
    options["seed"] = str(rehearsal.event.settings.seed)
    warnings = [
        note
        for note in rehearsal.said
        if not (SETTLED.match(note.kind) or _is_about_reading(note))
    ]

    # The confirmation is a digest of the event, so it cannot confirm another one.
    confirmed = upload.name, upload.raw, sorted(options.items()), warnings
    confirmation = sha256(repr(confirmed).encode()).hexdigest()
    sections = count_sections(detected.event)
    if sections and read_text(form, SECTIONS) == confirmation:
        return _create_sections(
            detected.event, options, form, upload.name, folder, find_folder
        )
    if read_text(form, SURE) != confirmation:
        read_as = message("sure.read_as", name=upload.name, format=detected.format)
        details = [*filter(_is_about_reading, rehearsal.said)] or [read_as]
        raise PageConfirmationError(
            message("sure.new"),
            *warnings,
            again={**upload.fields_again(), "seed": options["seed"]},
            yes=confirmation,
            folded=[*warnings[1:], *details],
            event=rehearsal.event,
            preview=upload.preview(detected),
            sections=sections,
        )

    outcome = new(folder, detected.event, sure=True, **options)
    summary = message("step.new", value=len(detected.event.players))
    return replace(outcome, said=(summary, *warnings)), [folder]


def _rehearse_new(event: Event, options: Mapping[str, Any], list_name: str) -> Done:
    """Make a new event in a temporary folder to see its messages.

    Raises FormError if it cannot be made.
    """
    try:
        with TemporaryDirectory() as temporary:
            return new(Path(temporary, "event"), event, sure=True, **options)
    except InputError as error:
        raise FormError(_faults_by_field(error, list_name)) from None
    except UsageError as error:
        field_name = FIELDS.get(error.kind.partition(".")[0], "")
        raise FormError({field_name: error.said}) from None


def _create_sections(
    event: Event,
    options: Mapping[str, Any],
    form: FormData,
    list_name: str,
    folder: Path,
    find_folder: FindFolder,
) -> tuple[Done, list[Path]]:
    """Make one event for each section of a list, the first one in `folder`.

    If one of them cannot be made, none is. Their tables follow one another, and each has
    a random draw of its own.
    """
    title = read_text(form, "title")
    first_table = int(options.get("first_table", 1))
    plans = []
    for section, count in count_sections(event).items():
        section_options = {
            **options,
            "title": f"{title} {section}" if title else section,
            "seed": None,
        }
        section_options["first_table"] = str(first_table)
        first_table += (count + 1) // 2
        if "rounds" in options and read_text(form, "rounds") is None:
            section_options["rounds"] = str(propose_rounds(count))
        section_event = select_section(event, section)
        _rehearse_new(section_event, section_options, list_name)
        plans.append((section_event, section_options))

    folders: list[Path] = []
    for section_event, section_options in plans:
        path = find_folder(section_options["title"]) if folders else folder
        new(path, section_event, sure=True, **section_options)
        folders.append(path)
    titles = [section_options["title"] for _, section_options in plans]
    return Done("new", (message("new.sections", sections=titles),), None), folders


def _find_event_zip(form: FormData) -> Upload | None:
    """Return the upload of a form if it is a zip of an event folder, otherwise None."""
    with suppress(PairoptError):
        upload = Upload.of(form)
        if EVENT in names_in_zip(upload.raw):
            return upload
    return None


def _restore_event(folder: Path, form: FormData, upload: Upload) -> Done:
    """Restore an event from its zip, once the user has confirmed exactly this one."""
    try:
        with TemporaryDirectory() as temporary:
            rehearsal = restore_from_zip(
                Path(temporary, "event"), upload.raw, upload.name
            )
    except PairoptError as error:
        raise FormError({PASTED: error.said}) from None
    assert rehearsal.event is not None

    confirmation = sha256(upload.raw).hexdigest()
    if read_text(form, SURE) != confirmation:
        event = rehearsal.event
        question = message(
            "sure.restore",
            name=upload.name,
            title=event.settings.title or upload.name,
            players=len(event.players),
            rounds=event.round - 1,
        )
        raise PageConfirmationError(
            question, again=upload.fields_again(), yes=confirmation
        )
    return restore_from_zip(folder, upload.raw, upload.name)


def _read_form(form: FormData) -> tuple[Upload, DetectedEvent, dict[str, Any]]:
    """Return the upload of a form, the event in it, and the settings as texts.

    Raises FormError with the faults of all fields.
    """
    typed = {
        key: text for key in SETTINGS if (text := read_text(form, key)) is not None
    }
    options: dict[str, Any] = {**settings_from_answers(form), **typed}
    if AHEAD in form:
        options.setdefault("lookahead", "all")

    uploads: list[Upload] = []
    detected_events: list[DetectedEvent] = []

    def read_list() -> None:
        """Read the uploaded list, and keep it with the event in it."""
        upload = Upload.of(form)
        uploads.append(upload)
        detected_events.append(upload.read())

    checks: dict[str, Callable[[], object]] = {
        PASTED: read_list,
        **{key: partial(read_setting, key, text) for key, text in options.items()},
        "model": lambda: _require_shipped(options.get("model")),
        "tie_breaks": lambda: tie_breaks_named(
            split_words(options.get("tie_breaks", "none"))
        ),
    }
    faults: dict[str, Sequence[AnyMessage]] = {}
    preview: PastedPreview | None = None
    for name, check in checks.items():
        try:
            check()
        except PairoptError as error:
            faults[name] = error.said
            if preview is None and name == PASTED:
                preview = preview_corrections(form)
    if faults:
        raise FormError(faults, preview)

    detected = detected_events[0]
    if GAME.chosen_answer(form) and detected.event.settings.rounds is None:
        options.setdefault("rounds", str(propose_rounds(len(detected.event.players))))
    return uploads[0], detected, options


def _require_shipped(model: str | None) -> None:
    """Raise UsageError if a form names a model file instead of a model of pairopt's."""
    if model is not None and model not in model_names():
        raise UsageError("model.none_shipped", model=model, known=model_names())


def _faults_by_field(error: InputError, list_name: str) -> dict[str, list[AnyMessage]]:
    """Return the faults of a new event by their settings; the others belong to the list."""
    faults: dict[str, list[AnyMessage]] = {}
    for fault in error.faults:
        key = re.split(r"[.\[:]", str(fault.place or ""))[0]
        if key in SETTINGS:
            faults.setdefault(key, []).append(fault.to_message(None))
        else:
            faults.setdefault(PASTED, []).append(fault.to_message(list_name))
    return faults


def _is_about_reading(line: str | AnyMessage) -> bool:
    """Return whether a message says how a list was read."""
    return not isinstance(line, str) and line.kind.startswith(("listing.", "pasted."))


SAID = read_package_toml("pairopt.web", "questions.toml")
FEWEST_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class SetupQuestion:
    """A question of the page for new events; `answers` are texts by their form values."""

    name: str
    words: str
    answers: Mapping[str, str]

    def chosen_answer(self, form: Mapping[str, object]) -> str:
        """Return the text of the answer in a form, "" without a known answer."""
        return self.answers.get(str(form.get(self.name)), "")


QUESTIONS = tuple(SetupQuestion(**entry) for entry in SAID["questions"])
GAME = QUESTIONS[0]


def settings_from_answers(answers: Mapping[str, object]) -> dict[str, str]:
    """Return the settings that fit the answers to the questions, as they would be typed.

    The model is that of the first entry in questions.toml whose answers are all given.
    Without answers there are no settings.
    """
    known_answers = {
        question.name: answers.get(question.name)
        for question in QUESTIONS
        if question.chosen_answer(answers)
    }
    if not known_answers:
        return {}
    models = (
        entry["model"]
        for entry in SAID["models"]
        if entry["given"].items() <= known_answers.items()
    )
    game_settings = SAID["games"].get(known_answers.get(GAME.name), {})
    return {**game_settings, "model": next(models)}


def offers_lookahead(event: Event) -> bool:
    """Return whether the page offers a lookahead for an event as it would be made."""
    settings = event.settings
    model = load_model(settings.model or DEFAULT_MODEL)
    return needs_lookahead(
        len(event.players), settings.rounds, settings.lookahead, model
    )


def propose_rounds(players: int) -> int:
    """Return the proposed number of rounds for a Swiss event.

    After so many rounds only one player can have won all. It is at least three, but not
    more than it takes until everybody has met everybody.
    """
    all_opponents = players - 1 + players % 2
    until_one_winner = (players - 1).bit_length()
    return max(1, min(all_opponents, max(FEWEST_ROUNDS, until_one_winner)))
