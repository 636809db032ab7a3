"""View: what a module in `views` says of its page, how it reads forms, and long lists in parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from starlette.datastructures import FormData, QueryParams

from pairopt.common.limits import IN_FORMS, parse_integer_in
from pairopt.errors import ConfirmationError, UsageError
from pairopt.event.event import Event
from pairopt.folder.commands import CommandParameter, load_verb
from pairopt.folder.open_folder import Done, OpenFolder
from pairopt.messages import AnyMessage, as_message
from pairopt.messages.formatting import shorten
from pairopt.report.views import StandingsView
from pairopt.web.preview import PastedPreview
from pairopt.web.site import EventSite

CELL = "cell."  # what the fields of cells begin with
STATE = "state"  # the field that names the state of the folder that a form was made for
SURE = "sure"  # the field of a form that is sent for the second time, after its page has asked


class PageConfirmationError(ConfirmationError):
    """A change is unusual: the page asks, and sends the form again with the field `sure` as `yes`
    has it, and with those of `again`, for what a form cannot send twice. `folded` is said to who
    opens it; `made` is the event that there would be, `preview` the list as it was read.
    `sections` are those of a list that can be made events of their own, with their players.
    """

    def __init__(
        self,
        *said: str | AnyMessage,
        again: Mapping[str, str] | None = None,
        folded: Sequence[AnyMessage] = (),
        yes: str = "yes",
        made: Event | None = None,
        preview: PastedPreview | None = None,
        sections: Mapping[str, int] | None = None,
    ) -> None:
        self.again, self.folded, self.yes, self.made = again or {}, folded, yes, made
        self.preview, self.sections = preview, sections or {}
        super().__init__(as_message(said[0]), *map(as_message, said[1:]))


class FormError(UsageError):
    """What is wrong with a form, by the fields that it is about; "" for the form as a whole. With
    the `preview` of a list whose cells are wrong, where they can be corrected.
    """

    def __init__(
        self,
        faults: Mapping[str, Sequence[AnyMessage]],
        preview: PastedPreview | None = None,
    ) -> None:
        self.in_form, self.preview = faults, preview
        first, *more = (said for each in faults.values() for said in each)
        super().__init__(first, *more)


class PageNotFoundError(UsageError):
    """An address of something that is not there."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """What a page is asked for: the event as it is now, and the query of its address. `since` is
    the state that the browser has the page in, where it asks only for what is new.
    """

    site: EventSite
    desk: OpenFolder
    query: QueryParams
    since: str | None = None

    @property
    def round(self) -> int | None:
        """The round in the address, None without one. Raises PageNotFoundError for none of the event."""
        text, last = self.query.get("round"), self.desk.rounds()
        if not text:
            return None
        if (found := number(text, "round")) > last:
            raise PageNotFoundError(f"round {found}: expected 1 to {last}")
        return found


Context = Mapping[str, object]
Change = Callable[[OpenFolder, FormData], Done]


@dataclass(frozen=True, slots=True)
class View:
    """A page of the event: a template, what it is given, and the changes that it offers.

    `path` is its address without the slash, as `results` or `print/slips`; the template is
    `results.html` or `print_slips.html`. `context` is asked at each request, and in a thread: it
    may take its time. `changes` by name are posted to `/results/NAME`, each with the form's fields,
    under the folder's lock and only if nobody has changed since the page was made what it was
    decided by, which `reads.toml` declares; its template writes `{{ token }}` into each form. After
    a change comes the page `then`, by default the view's own with the query that was posted to. A
    view with a `weight` is in the menu, the light ones first, a `rare` one under More. The changes
    of a view that stands `beside` the event are made in any state of it. A context with a
    `template` of its own is that of the parts that are new (`Asked.since`). Both may raise a
    PairoptError: the page then says it, and offers what was typed again. A change that is unusual
    raises PageConfirmationError unless the form has the field `sure`; a verb on `desk.rehearsed()` says what it
    would do. The template of a view of another `package` is in the folder `templates` there.
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


def text_of(form: FormData, name: str) -> str | None:
    """A field without blanks around it, None where it is empty or not there."""
    value = form.get(name)
    return value.strip() or None if isinstance(value, str) else None


def command_change(name: str, **fixed: Any) -> Change:
    """The change that is a verb, with the parameters that the form has or that are fixed."""

    def change(desk: OpenFolder, form: FormData) -> Done:
        verb = load_verb(name)
        asked = (each for each in verb.params if each.name not in fixed)
        return verb.take(
            desk, {**{each.name: _parameter(form, each) for each in asked}, **fixed}
        )

    return change


def _parameter(form: FormData, each: CommandParameter) -> object:
    """A verb's parameter. Raises UsageError for one that is missing or cannot be so."""
    if each.form == "flag":
        return each.name in form
    if each.form == "cells":
        return {
            name.removeprefix(CELL): str(value)
            for name, value in form.multi_items()
            if name.startswith(CELL)
        }
    text = text_of(form, each.name)
    if text is None and each.required:
        raise UsageError("verb.missing", name=each.name)
    return (
        text
        if text is None or each.allowed is None
        else number(text, each.name, each.allowed)
    )


def number_of(form: FormData, name: str, required: bool = False) -> int | None:
    """A field as a number, None if it is empty, unless `required`. Raises UsageError."""
    text = text_of(form, name)
    return None if text is None and not required else number(text or "", name)


def number(text: str, name: str, kind: str = "") -> int:
    """A number by what it is called. Raises UsageError for what it cannot be."""
    allowed = IN_FORMS[kind or name]
    if (found := parse_integer_in(text, allowed)) is None:
        raise UsageError(
            "setting.out_of_range",
            key=name,
            found=shorten(text) or "nothing",
            low=allowed[0],
            high=allowed[-1],
        )
    return found


T = TypeVar("T")
PART = "part"  # what an address asks for a part by, from 1
MOST, MOST_RANKED = 200, 400


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """One part of a list, and for the menu of all (`parts.html`) their words and addresses.
    `number` is 0 where the list is in one piece; then there is no menu.
    """

    items: Sequence[T]
    number: int = 0
    links: tuple[tuple[str, str], ...] = ()


def part_of(
    every: Sequence[T],
    path: str,
    query: Mapping[str, str],
    words: Callable[[T], str],
    most: int = MOST,
) -> ListPage[T]:
    """The part of a list that the query of its page asks for, the first by default. The addresses
    of the other parts are `path` with the same query; `words` is what the first and the last entry
    of a part are called in the menu. Raises UsageError for a part that is no number.
    """
    if len(every) <= most:
        return ListPage(every)
    firsts = range(0, len(every), most)
    chosen = min(max(number(query.get(PART, "1"), PART), 1), len(firsts))
    links = []
    for k, first in enumerate(firsts, 1):
        last = min(first + most, len(every)) - 1
        address = f"{path}?{urlencode({**query, PART: str(k)})}"
        links.append((f"{words(every[first])} to {words(every[last])}", address))
    return ListPage(every[firsts[chosen - 1] :][:most], chosen, tuple(links))


def standings_part(made: StandingsView, path: str, query: Mapping[str, str]) -> Context:
    """Such a part of the standings, which are longer than other lists."""
    part = part_of(
        range(len(made.rows)), path, query, lambda k: str(k + 1), MOST_RANKED
    )
    rows, players = (
        [made.rows[k] for k in part.items],
        [made.players[k] for k in part.items],
    )
    return {"standings": replace(made, rows=rows, players=players), "part": part}
