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
from pairopt.event.settings import ROUND_ROBIN, SETTINGS
from pairopt.event.tie_breaks import tie_breaks_named
from pairopt.files.event_folder import EVENT, is_folder
from pairopt.files.pasted import Cells
from pairopt.files.read import DetectedEvent, read_upload
from pairopt.files.sections import count_sections, select_section
from pairopt.files.zip_archive import names_in_zip
from pairopt.folder import Done, new
from pairopt.folder.create import (
    build_empty_event,
    needs_lookahead,
    restore_from_zip,
)
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
    "round_robin": "format",
    "rule": "conflicts",
    "system": "lookahead",
}
"""The form field that an error of a new event is about, by the subject of its message id."""
SETTLED = re.compile(
    "new[.](no_|many_|without_)?(players|model|sides|points|rounds|round_robin|seed|side_drawn|tie_breaks|lookahead)"
)
"""The messages about a new event that the page shows in lines of their own."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A list or file from a form, whose content may be anything.

    `name` is what messages call it, `raw` its content, `typed` whether it was typed or
    pasted into the form's text field, and `cells` are corrections in the preview, by
    line.
    """

    name: str
    raw: bytes
    typed: bool = False
    cells: Mapping[int, Cells] = field(default_factory=dict)

    @staticmethod
    def of(form: FormData) -> "Upload":
        """Return the upload in a form, with the cells of its preview.

        Raises UsageError if there is none, if the file is too large, or if the content
        sent again is damaged.
        """
        upload = Upload._without_cells(form)
        return replace(upload, cells=read_cells(form, upload.raw))

    @staticmethod
    def is_in(form: FormData) -> bool:
        """Return whether a form has something to upload.

        This is a file, a file that is sent again, or a typed list that is not empty. A
        file that is sent again does not count if the form asks for another one.
        """
        file_field = form.get(FILE)
        has_file = isinstance(file_field, UploadFile) and bool(file_field.filename)
        has_file_again = read_text(form, KEPT) is not None and OTHER not in form
        return has_file or has_file_again or read_text(form, PASTED) is not None

    @staticmethod
    def _without_cells(form: FormData) -> "Upload":
        """Return the upload in a form, without the cells of its preview.

        It is the file, otherwise the file that is sent again, otherwise the typed text.
        Raises UsageError if there is none, if the file is too large, or if the content
        sent again is damaged.
        """
        file_field = form.get(FILE)
        typed_text = read_text(form, PASTED)
        encoded_file = read_text(form, KEPT)
        if isinstance(file_field, UploadFile) and file_field.filename:
            file_name = PurePath(file_field.filename).name
            if (file_field.size or 0) > LARGEST_FORM_FILE:
                most_megabytes = LARGEST_FORM_FILE // 2**20
                raise UsageError(
                    "upload.too_large", name=file_name, most=most_megabytes
                )
            file_field.file.seek(0)
            return Upload(file_name, file_field.file.read())

        if encoded_file is not None and OTHER not in form:
            try:
                decoded_file = base64.b64decode(encoded_file, validate=True)
            except ValueError:
                raise UsageError("upload.not_whole") from None
            return Upload(read_text(form, NAME) or FILE, decoded_file)

        if typed_text is None:
            raise UsageError("upload.nothing")
        return Upload("the list", typed_text.encode(), typed=True)

    def read(self) -> DetectedEvent:
        """Return the event that the upload is read as, with the detected format.

        Raises InputError with the first MOST_FAULTS faults and the number of further
        ones.
        """
        try:
            return read_upload(self.raw, self.name, self.cells, self.typed)
        except InputError as error:
            shown_faults = [*error.faults[:MOST_FAULTS]]
            hidden_count = len(error.faults) - MOST_FAULTS
            if hidden_count > 0:
                shown_faults.append(Fault(message("upload.more", count=hidden_count)))
            raise InputError(error.source, shown_faults) from None

    def preview(self, detected: DetectedEvent) -> PastedPreview | None:
        """Return the lines of a list of names as they were read.

        Return None if `detected`, what the upload was read as, is in another format.
        """
        if detected.pasted is None:
            return None
        return PastedPreview(detected.pasted, compute_digest(self.raw))

    def fields_again(self) -> dict[str, str]:
        """Return the form fields that send the same file again: its content and name.

        The content is Base64. A typed text has none, because its own field is sent
        again.
        """
        if self.typed:
            return {}
        return {KEPT: base64.b64encode(self.raw).decode(), NAME: self.name}

    def require_confirmation(
        self,
        detected: DetectedEvent,
        messages: Sequence[str | AnyMessage],
        form: FormData,
    ) -> None:
        """Raise PageConfirmationError unless the form confirms how the list was read.

        A form with the field `sure` confirms it. `detected` is what was read, with its
        format, and `messages` are about the reading and about what adding it would do.
        The question has the numbers of players and rounds, the names, and these
        messages. Those about the reading itself are details, shown on demand.
        """
        if SURE in form:
            return

        event = detected.event
        size_note = count_noun(len(event.players), "player", "players")
        if event.round > 1:
            size_note += f", {count_noun(event.round - 1, 'round', 'rounds')}"
        question_lines = [
            f"{size_note}: {join_names(event.shown)}",
            *(
                question_line
                for question_line in messages
                if not _is_about_reading(question_line)
            ),
        ]
        format_note = message("sure.read_as", name=self.name, format=detected.format)
        reading_notes = dict.fromkeys(
            filter(_is_about_reading, map(as_message, messages))
        )
        raise PageConfirmationError(
            *dict.fromkeys(question_lines),
            again=self.fields_again(),
            folded=[*reading_notes] or [format_note],
            preview=self.preview(detected),
        )


def preview_corrections(form: FormData) -> PastedPreview | None:
    """Return the preview of a form's list with its corrected cells, even faulty ones.

    Return None if there are no cells, if the list has no preview, or if something other
    than the cells is wrong.
    """
    with suppress(PairoptError):
        upload = Upload.of(form)
        detected_event = replace(upload, cells={}).read()
        if detected_event.pasted is not None and upload.cells:
            return PastedPreview(
                detected_event.pasted.with_corrections(upload.cells),
                compute_digest(upload.raw),
            )
    return None


def file_fields_again(form: FormData) -> dict[str, str]:
    """Return the fields that send a form's file again, which browsers cannot repeat.

    There are none without a file, or for one that is too large to be an event.
    """
    file_field = form.get(FILE)
    if not isinstance(file_field, UploadFile) or not file_field.filename:
        return {}
    if (file_field.size or 0) > LARGEST_UPLOAD:
        return {}
    return Upload.of(form).fields_again()


ROBIN = "robin"
"""The field that makes a section a round robin, followed by the section's number."""

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
        to the questions; only a name, for an event without players; or a zip of an
        event.
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
    zip_upload = _find_event_zip(form)
    if zip_upload is not None:
        return _restore_event(folder, form, zip_upload), [folder]

    upload, detected_event, setting_texts = _read_form(form)
    rehearsal = _rehearse_new(detected_event.event, setting_texts, upload.name)
    assert rehearsal.event is not None
    setting_texts["seed"] = str(rehearsal.event.settings.seed)
    warning_notes = [
        rehearsal_note
        for rehearsal_note in rehearsal.said
        if not (SETTLED.match(rehearsal_note.kind) or _is_about_reading(rehearsal_note))
    ]

    # The confirmation is a digest of the event, so it cannot confirm another one.
    confirmed_content = (
        upload.name,
        upload.raw,
        sorted(setting_texts.items()),
        warning_notes,
    )
    expected_confirmation = sha256(repr(confirmed_content).encode()).hexdigest()
    player_counts = count_sections(detected_event.event)
    if player_counts and read_text(form, SECTIONS) == expected_confirmation:
        return _create_sections(
            detected_event.event, setting_texts, form, upload.name, folder, find_folder
        )
    if read_text(form, SURE) != expected_confirmation:
        reading_notes: list[AnyMessage] = [*filter(_is_about_reading, rehearsal.said)]
        if not reading_notes and detected_event.event.players:
            reading_notes.append(
                message("sure.read_as", name=upload.name, format=detected_event.format)
            )
        raise PageConfirmationError(
            message("sure.new"),
            *warning_notes,
            again={**upload.fields_again(), "seed": setting_texts["seed"]},
            yes=expected_confirmation,
            folded=[*warning_notes[1:], *reading_notes],
            event=rehearsal.event,
            preview=upload.preview(detected_event),
            sections=player_counts,
        )

    creation_outcome = new(folder, detected_event.event, sure=True, **setting_texts)
    summary_message = message("step.new", value=len(detected_event.event.players))
    return replace(creation_outcome, said=(summary_message, *warning_notes)), [folder]


def _rehearse_new(event: Event, options: Mapping[str, Any], list_name: str) -> Done:
    """Make a new event in a temporary folder, and return what was done.

    `options` are settings by name. The result has the event and its messages; the
    folder is deleted. Raises FormError, with the faults by fields, if the event cannot
    be made. `list_name` is the name of the list in messages about its faults.
    """
    try:
        with TemporaryDirectory() as temporary_folder:
            return new(Path(temporary_folder, "event"), event, sure=True, **options)
    except InputError as error:
        raise FormError(_group_faults_by_field(error, list_name)) from None
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

    Return what was done, with its message, and the folders. `options` are settings by
    name, and `find_folder` returns the folder of a further section by its title. All
    events are rehearsed first: if one of them cannot be made, FormError is raised, and
    none is made. Their tables follow one another, and each has a random seed of its
    own. Sections that the form ticks are round robins.
    """
    event_title = read_text(form, "title")
    first_table = int(options.get("first_table", 1))
    section_plans = []
    for section_number, (section_name, player_count) in enumerate(
        count_sections(event).items(), 1
    ):
        is_round_robin = read_text(form, f"{ROBIN}{section_number}") is not None
        chosen_options = _convert_to_round_robin(options) if is_round_robin else options
        section_options = {
            **chosen_options,
            "title": f"{event_title} {section_name}" if event_title else section_name,
            "seed": None,
        }
        section_options["first_table"] = str(first_table)
        first_table += (player_count + 1) // 2
        if "rounds" in chosen_options and read_text(form, "rounds") is None:
            section_options["rounds"] = str(propose_rounds(player_count))
        section_event = select_section(event, section_name)
        _rehearse_new(section_event, section_options, list_name)
        section_plans.append((section_event, section_options))

    section_folders: list[Path] = []
    for section_event, section_options in section_plans:
        section_folder = (
            find_folder(section_options["title"]) if section_folders else folder
        )
        new(section_folder, section_event, sure=True, **section_options)
        section_folders.append(section_folder)
    section_titles = [section_options["title"] for _, section_options in section_plans]
    return Done(
        "new", (message("new.sections", sections=section_titles),), None
    ), section_folders


def _convert_to_round_robin(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a round robin, without those of Swiss tournaments.

    `options` are texts by setting; the format is added.
    """
    kept_options = {
        setting_name: setting_text
        for setting_name, setting_text in options.items()
        if setting_name not in OF_SWISS_TOURNAMENTS
    }
    return {**kept_options, "format": ROUND_ROBIN}


def _find_event_zip(form: FormData) -> Upload | None:
    """Return the upload of a form if it is a zip of an event folder, otherwise None.

    Also None if the form has no readable upload.
    """
    with suppress(PairoptError):
        upload = Upload.of(form)
        if EVENT in names_in_zip(upload.raw):
            return upload
    return None


def _restore_event(folder: Path, form: FormData, upload: Upload) -> Done:
    """Restore an event from its zip into `folder`, once the user has confirmed it.

    The field `sure` of the form confirms this zip, the `upload`, by its digest. Return
    what was done. Raises PageConfirmationError without a confirmation, or FormError if
    the zip cannot be restored.
    """
    try:
        with TemporaryDirectory() as temporary_folder:
            rehearsal = restore_from_zip(
                Path(temporary_folder, "event"), upload.raw, upload.name
            )
    except PairoptError as error:
        raise FormError({PASTED: error.said}) from None
    assert rehearsal.event is not None

    expected_confirmation = sha256(upload.raw).hexdigest()
    if read_text(form, SURE) != expected_confirmation:
        event = rehearsal.event
        restore_question = message(
            "sure.restore",
            name=upload.name,
            title=event.settings.title or upload.name,
            players=len(event.players),
            rounds=event.round - 1,
        )
        raise PageConfirmationError(
            restore_question, again=upload.fields_again(), yes=expected_confirmation
        )
    return restore_from_zip(folder, upload.raw, upload.name)


def _read_form(form: FormData) -> tuple[Upload, DetectedEvent, dict[str, Any]]:
    """Return the upload of a form, the event in it, and the settings as texts.

    The settings are those that follow from the answers to the questions; settings that
    were typed replace them. Raises FormError with the faults of all fields.
    """
    typed_settings = {
        setting_name: setting_text
        for setting_name in SETTINGS
        if (setting_text := read_text(form, setting_name)) is not None
    }
    setting_texts: dict[str, Any] = {**settings_from_answers(form), **typed_settings}
    is_round_robin = setting_texts.get("format") == ROUND_ROBIN
    if is_round_robin:
        # Answers propose rules for Swiss tournaments.
        setting_texts = {
            setting_name: setting_text
            for setting_name, setting_text in setting_texts.items()
            if setting_name in typed_settings
            or setting_name not in OF_SWISS_TOURNAMENTS
        }
    elif AHEAD in form:
        setting_texts.setdefault("lookahead", "all")

    form_uploads: list[Upload] = []
    detected_events: list[DetectedEvent] = []

    def read_list() -> None:
        """Read the form's list, and append it to `form_uploads` and `detected_events`.

        A form with only a name is an event without players. Raises UsageError without
        either, and what reading the list raises.
        """
        if not Upload.is_in(form):
            if read_text(form, "title") is None:
                raise UsageError("upload.nothing_new")
            form_uploads.append(Upload("", b"", typed=True))
            detected_events.append(DetectedEvent(build_empty_event(), ""))
            return
        upload = Upload.of(form)
        form_uploads.append(upload)
        detected_events.append(upload.read())

    check_by_field: dict[str, Callable[[], object]] = {
        PASTED: read_list,
        **{
            setting_name: partial(read_setting, setting_name, setting_text)
            for setting_name, setting_text in setting_texts.items()
        },
        "model": lambda: _require_shipped(setting_texts.get("model")),
        "tie_breaks": lambda: tie_breaks_named(
            split_words(setting_texts.get("tie_breaks", "none"))
        ),
    }
    faults_by_field: dict[str, Sequence[AnyMessage]] = {}
    list_preview: PastedPreview | None = None
    for field_name, check_field in check_by_field.items():
        try:
            check_field()
        except PairoptError as error:
            faults_by_field[field_name] = error.said
            if list_preview is None and field_name == PASTED:
                list_preview = preview_corrections(form)
    if faults_by_field:
        raise FormError(faults_by_field, list_preview)

    detected_event = detected_events[0]
    player_count = len(detected_event.event.players)
    has_usual_rounds = bool(GAME.chosen_answer(form)) and not is_round_robin
    if (
        has_usual_rounds
        and player_count
        and detected_event.event.settings.rounds is None
    ):
        setting_texts.setdefault("rounds", str(propose_rounds(player_count)))
    return form_uploads[0], detected_event, setting_texts


OF_SWISS_TOURNAMENTS = ("model", "rounds", "lookahead", "tie_breaks")
"""Settings that a round robin has no use for, or has other defaults for."""


def _require_shipped(model: str | None) -> None:
    """Raise UsageError if a form's model is not one of pairopt's, such as a file.

    None, for no model in the form, is accepted. The error lists the models.
    """
    if model is not None and model not in model_names():
        raise UsageError("model.none_shipped", model=model, known=model_names())


def _group_faults_by_field(
    error: InputError, list_name: str
) -> dict[str, list[AnyMessage]]:
    """Return the faults of a new event by the setting that they are about.

    All others belong to the field of the list, and their messages get its name.
    """
    faults_by_field: dict[str, list[AnyMessage]] = {}
    for list_fault in error.faults:
        setting_name = re.split(r"[.\[:]", str(list_fault.place or ""))[0]
        if setting_name in SETTINGS:
            faults_by_field.setdefault(setting_name, []).append(
                list_fault.to_message(None)
            )
        else:
            faults_by_field.setdefault(PASTED, []).append(
                list_fault.to_message(list_name)
            )
    return faults_by_field


def _is_about_reading(line: str | AnyMessage) -> bool:
    """Return whether a message says how a list was read, by the beginning of its kind.

    It is False for plain text.
    """
    return not isinstance(line, str) and line.kind.startswith(("listing.", "pasted."))


SAID = read_package_toml("pairopt.web", "questions.toml")
FEWEST_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class SetupQuestion:
    """A question of the page for new events.

    `name` is that of its form field, `words` the question, and `answers` are texts by
    their form values.
    """

    name: str
    words: str
    answers: Mapping[str, str]

    def chosen_answer(self, form: Mapping[str, object]) -> str:
        """Return the text of the answer in a form; "" if it is missing or unknown."""
        return self.answers.get(str(form.get(self.name)), "")


QUESTIONS = tuple(SetupQuestion(**entry) for entry in SAID["questions"])
GAME = QUESTIONS[0]


def settings_from_answers(answers: Mapping[str, object]) -> dict[str, str]:
    """Return the settings that follow from the answers to the questions, as texts.

    `answers` are form values by question name; other fields and unknown answers are
    ignored. The model is that of the first entry in questions.toml whose answers are
    all given; the game's answer may add further settings. Without a known answer there
    are no settings.
    """
    known_answers = {
        question.name: answers.get(question.name)
        for question in QUESTIONS
        if question.chosen_answer(answers)
    }
    if not known_answers:
        return {}
    fitting_models = (
        model_entry["model"]
        for model_entry in SAID["models"]
        if model_entry["given"].items() <= known_answers.items()
    )
    game_settings = SAID["games"].get(known_answers.get(GAME.name), {})
    return {**game_settings, "model": next(fitting_models)}


def offers_lookahead(event: Event) -> bool:
    """Return whether the page offers a lookahead for an event that is about to be made.

    This depends on the numbers of players and rounds, the lookahead, and the model; an
    event without a model gets the default one.
    """
    event_settings = event.settings
    event_model = load_model(event_settings.model or DEFAULT_MODEL)
    return needs_lookahead(
        len(event.players), event_settings.rounds, event_settings.lookahead, event_model
    )


def propose_rounds(players: int) -> int:
    """Return the number of rounds that the page proposes for a number of players.

    After so many rounds of a Swiss event only one player can have won all. It is at
    least three, but not more than it takes until everybody has met everybody, and never
    0.
    """
    rounds_until_all_met = players - 1 + players % 2
    rounds_until_one_winner = (players - 1).bit_length()
    return max(
        1, min(rounds_until_all_met, max(FEWEST_ROUNDS, rounds_until_one_winner))
    )
