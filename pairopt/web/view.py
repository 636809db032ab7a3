"""Define what a module in `views` declares of its page; read forms; split long lists."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from starlette.datastructures import FormData, QueryParams

from pairopt.common.limits import IN_FORMS, parse_integer_in
from pairopt.errors import ConfirmationError, UsageError
from pairopt.event.event import Event
from pairopt.folder.commands import CommandParameter, load_command
from pairopt.folder.open_folder import Done, OpenFolder
from pairopt.messages import AnyMessage, as_message
from pairopt.messages.formatting import shorten
from pairopt.report.views import StandingsView
from pairopt.web.preview import PastedPreview
from pairopt.web.site import EventSite

# The prefix of form fields that are cells of a table.
CELL = "cell."
# The field with the state of the folder that a form was made for.
STATE = "state"
# The field of a form that is sent again after its page has asked to confirm.
SURE = "sure"


class PageConfirmationError(ConfirmationError):
    """A change is unusual: the page asks, and sends the form again if the user confirms.

    Parameters
    ----------
    *messages : str or message
        What the page says before it asks.
    again : mapping, optional
        Fields to send again with the form, besides its own; for example a file's content.
    folded : sequence of message
        Details that the page shows on demand.
    yes : str
        The value of the field `sure` that confirms exactly this change.
    event : Event, optional
        The event as it would be made.
    preview : PastedPreview, optional
        The list of players as it was read.
    sections : mapping, optional
        Sections of the list that can be events of their own, with their numbers of players.
    """

    def __init__(
        self,
        *messages: str | AnyMessage,
        again: Mapping[str, str] | None = None,
        folded: Sequence[AnyMessage] = (),
        yes: str = "yes",
        event: Event | None = None,
        preview: PastedPreview | None = None,
        sections: Mapping[str, int] | None = None,
    ) -> None:
        self.again = again or {}
        self.folded = folded
        self.yes = yes
        self.event = event
        self.preview = preview
        self.sections = sections or {}
        first_message, *other_messages = map(as_message, messages)
        super().__init__(first_message, *other_messages)


class FormError(UsageError):
    """Faults in a form, by the fields that they are about, which the page shows there.

    The field "" is the form as a whole. `preview` is a list of players whose faulty
    cells can be corrected on the page.
    """

    def __init__(
        self,
        faults: Mapping[str, Sequence[AnyMessage]],
        preview: PastedPreview | None = None,
    ) -> None:
        self.in_form = faults
        self.preview = preview
        first_fault, *other_faults = chain.from_iterable(faults.values())
        super().__init__(first_fault, *other_faults)


class PageNotFoundError(UsageError):
    """The address is of something that does not exist, for example a later round.

    The page gets the status 404.
    """


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for a page of an event.

    Attributes
    ----------
    site : EventSite
        The event folder with what its pages share.
    desk : OpenFolder
        The event as it is now.
    query : QueryParams
        The query of the address.
    since : str, optional
        The state in which the browser has the page, if it asks only for what has changed.
    """

    site: EventSite
    desk: OpenFolder
    query: QueryParams
    since: str | None = None

    @property
    def round(self) -> int | None:
        """The round in the address, None without one.

        Raises PageNotFoundError for a round that is not paired yet, and UsageError for
        a text that is no number.
        """
        round_text = self.query.get("round")
        if not round_text:
            return None
        round_number = parse_number(round_text, "round")
        last_round = self.desk.rounds()
        if round_number > last_round:
            raise PageNotFoundError(f"round {round_number}: expected 1 to {last_round}")
        return round_number


Context = Mapping[str, object]
Change = Callable[[OpenFolder, FormData], Done]


@dataclass(frozen=True, slots=True)
class View:
    """A page of the event: its template, the template's values, and the changes it offers.

    Attributes
    ----------
    path : str
        The address without the slash, for example `results` or `print/slips`. The template
        is then `results.html` or `print_slips.html`.
    title : str
        The name in the menu and the title of the page.
    context : callable
        Returns the values of the template for a request. It is called in a thread, so it
        may take its time. If it returns a `template`, that is the template of the parts
        that have changed since `PageRequest.since`.
    changes : mapping
        The changes by name. A form posts them to `/results/NAME`, with `{{ token }}` in
        it. They run under the folder's lock, and only if nobody has changed what the user
        decided by, which `reads.toml` declares.
    then : str, optional
        The page after a change; by default the view's own, with the same query.
    weight : int
        The position in the menu, the lowest first; 0 is not in the menu.
    beside : bool
        Whether the changes are independent of the event's state, like a clock.
    rare : bool
        Whether the menu has it under "More".
    package : str
        The package whose folder `templates` has the template.

    Notes
    -----
    `context` and a change may raise a PairoptError: the page then shows it, and offers
    what was typed again. An unusual change raises PageConfirmationError unless the form
    has the field `sure`; a command on `desk.rehearsed()` says what it would do.
    """

    path: str
    title: str
    context: Callable[[PageRequest], Context]
    changes: Mapping[str, Change] = field(default_factory=dict)
    then: str | None = None
    weight: int = 0
    beside: bool = False
    rare: bool = False
    package: str = "pairopt.web"


def read_text(form: FormData, name: str) -> str | None:
    """Return a form's field without blanks around it.

    Return None if the field is missing, empty, or a file.
    """
    field_value = form.get(name)
    if not isinstance(field_value, str):
        return None
    return field_value.strip() or None


def command_change(name: str, **fixed: Any) -> Change:
    """Return the change that runs a command with parameters from the form.

    `name` is the command's; it is loaded only when the change is made. `fixed` are
    parameters with a fixed value, which the form cannot change.
    """

    def change(desk: OpenFolder, form: FormData) -> Done:
        """Run the command with the parameters from a form, and return what was done.

        Parameters in `fixed` have the values there instead.
        """
        loaded_command = load_command(name)
        parameter_values = {
            command_parameter.name: _read_parameter(form, command_parameter)
            for command_parameter in loaded_command.params
            if command_parameter.name not in fixed
        }
        return loaded_command.take(desk, {**parameter_values, **fixed})

    return change


def _read_parameter(form: FormData, parameter: CommandParameter) -> object:
    """Return a command's parameter from a form, in the form that the command expects.

    A flag is True if its field exists. Cells are a mapping of all fields that begin
    with CELL, by column. Anything else is a text, a number, or None if it is empty.
    Raises UsageError if a required parameter is empty or a number is out of range.
    """
    parameter_name = parameter.name
    if parameter.form == "flag":
        return parameter_name in form
    if parameter.form == "cells":
        return {
            field_name.removeprefix(CELL): str(cell_text)
            for field_name, cell_text in form.multi_items()
            if field_name.startswith(CELL)
        }

    field_text = read_text(form, parameter_name)
    if field_text is None and parameter.required:
        raise UsageError("verb.missing", name=parameter_name)
    if field_text is None or parameter.allowed is None:
        return field_text
    return parse_number(field_text, parameter_name, parameter.allowed)


def read_number(form: FormData, name: str, required: bool = False) -> int | None:
    """Return a field of a form as a whole number, or None if it is empty.

    `IN_FORMS` has the allowed numbers by the field's name. Raises UsageError for
    anything else, and for an empty field that is `required`.
    """
    number_text = read_text(form, name)
    if number_text is None and not required:
        return None
    return parse_number(number_text or "", name)


def parse_number(text: str, name: str, kind: str = "") -> int:
    """Return a text as a whole number in the range that `IN_FORMS` allows.

    `kind` is the key in `IN_FORMS`, by default the field's name. Raises UsageError for
    anything else.
    """
    allowed_numbers = IN_FORMS[kind or name]
    parsed_number = parse_integer_in(text, allowed_numbers)
    if parsed_number is None:
        raise UsageError(
            "setting.out_of_range",
            key=name,
            found=shorten(text) or "nothing",
            low=allowed_numbers[0],
            high=allowed_numbers[-1],
        )
    return parsed_number


T = TypeVar("T")
# The parameter of an address for the part of a long list; the first is 1.
PART = "part"
MOST, MOST_RANKED = 200, 400
"""The most entries of one part of a list, and of the standings."""


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """One part of a list, with a label and an address for every part.

    `items` are the entries in the part, and `number` counts the parts from 1. `links`
    are the labels and addresses of all parts. For a list in one piece `number` is 0,
    and there are no `links`.
    """

    items: Sequence[T]
    number: int = 0
    links: tuple[tuple[str, str], ...] = ()


def select_part(
    items: Sequence[T],
    path: str,
    query: Mapping[str, str],
    label: Callable[[T], str],
    most: int = MOST,
) -> ListPage[T]:
    """Return the part of a list that an address asks for; by default the first.

    Parameters
    ----------
    items : sequence
        The whole list.
    path : str
        The path of the page; the addresses of other parts have the same query.
    query : mapping
        The query of the address, with the part's number.
    label : callable
        Returns the menu's name of an entry, for the first and last one of each part.
    most : int
        The most entries in one part.

    Raises
    ------
    UsageError
        If the part in the address is no number.
    """
    if len(items) <= most:
        return ListPage(items)

    part_start_indices = range(0, len(items), most)
    requested_part = parse_number(query.get(PART, "1"), PART)
    part_number = min(max(requested_part, 1), len(part_start_indices))
    part_labels_and_addresses = []
    for listed_number, part_start in enumerate(part_start_indices, 1):
        last_index = min(part_start + most, len(items)) - 1
        part_address = f"{path}?{urlencode({**query, PART: str(listed_number)})}"
        part_labels_and_addresses.append(
            (f"{label(items[part_start])} to {label(items[last_index])}", part_address)
        )
    part_start = part_start_indices[part_number - 1]
    return ListPage(
        items[part_start:][:most], part_number, tuple(part_labels_and_addresses)
    )


def select_standings_part(
    view: StandingsView, path: str, query: Mapping[str, str]
) -> Context:
    """Return the template's values for the part of the standings in the address.

    They are "standings", a view with the rows of the part, and "part", the part itself.
    Parts have at most MOST_RANKED players. `path` is the page's. Raises UsageError if
    the part is no number.
    """
    shown_part = select_part(
        range(len(view.rows)),
        path,
        query,
        lambda row_position: str(row_position + 1),
        MOST_RANKED,
    )
    shown_rows = [view.rows[row_position] for row_position in shown_part.items]
    shown_players = [view.players[row_position] for row_position in shown_part.items]
    return {
        "standings": replace(view, rows=shown_rows, players=shown_players),
        "part": shown_part,
    }
