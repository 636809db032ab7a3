"""Render the organiser's pages, and handle the forms that are posted from them."""

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

import jinja2
import segno
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from pairopt.common.atomic_write import ACTOR, AGAINST
from pairopt.common.limits import LARGEST_BODY, parse_integer_in
from pairopt.errors import ConfirmationError, PairoptError
from pairopt.event.settings import SETTINGS
from pairopt.event.standings import tie_breaks_of
from pairopt.event.tie_breaks import tie_breaks_named
from pairopt.folder.journal import Step
from pairopt.folder.open_folder import Done, StaleStateError
from pairopt.messages import AnyMessage
from pairopt.messages.formatting import (
    decimal_text,
    escape_hidden,
    join_names,
    with_half_signs,
)
from pairopt.messages.interfaces import PAGE
from pairopt.problem.model import load_model
from pairopt.report.page import template_environment
from pairopt.version import __version__
from pairopt.web.labels import (
    SETTING_LABELS,
    column_label,
    menu_title,
    tie_break_slots,
)
from pairopt.web.preview import is_cell
from pairopt.web.site import LOCAL, NO_NOTICE, EventSite
from pairopt.web.uploads import file_fields_again, offers_lookahead, propose_rounds
from pairopt.web.view import (
    STATE,
    SURE,
    FormError,
    PageNotFoundError,
    PageRequest,
    View,
    read_text,
)
from pairopt.web.views import known_views, menu
from pairopt.web.views.hall import read_hall

T = TypeVar("T")
SAID = "said"
"""The cookie with the name of the last change's messages, which the next page shows."""
DESK, LONGEST_NAME, SECONDS_NAMED = "desk", 40, 30 * 24 * 3600
"""The cookie with this browser's name for the log, the name's length limit, its lifetime."""
SINCE = "since"
"""The header with the state of a page whose browser asks only for what has changed since."""
SEE_OTHER, NOT_FOUND, CONFLICT, UNPROCESSABLE = 303, 404, 409, 422
MOST_FIELDS = 5000
TIE_BREAKS = "tie_breaks"
"""The setting that a form has as several menus, one per tie-break."""


@dataclass(frozen=True)
class PageMessages:
    """Formatter of messages for the pages of an event.

    `folder` is the event's folder, whose path the pages do not show.
    """

    folder: Path

    def format_message(self, line: str | AnyMessage) -> str:
        """Return a message as a sentence for a page, without the folder's path.

        `line` is a message or a text. Half points are written as ½.
        """
        page_sentence = PAGE.format_message(line)
        page_sentence = page_sentence.replace(f"{self.folder}{os.sep}", "")
        page_sentence = page_sentence.replace(f"{self.folder}: ", "")
        return with_half_signs(page_sentence)

    def format_messages(self, lines: Iterable[str | AnyMessage]) -> list[str]:
        """Return messages as sentences, in their order; equal sentences appear once."""
        return [*dict.fromkeys(map(self.format_message, lines))]


@dataclass(frozen=True, slots=True)
class RejectedForm:
    """A form whose change was not made, with what its page needs to say why and retry.

    `lines` is the text of the `error` by lines, `since` the steps by others that are in
    conflict with the form, `action` the address that it was posted to, and `fields` are
    its fields for sending it again. `status` is the HTTP status of the page.
    """

    lines: tuple[str, ...]
    since: tuple[Step, ...]
    action: str
    fields: tuple[tuple[str, str], ...]
    status: int
    error: PairoptError

    @property
    def asks(self) -> bool:
        """Whether the page asks to confirm: the same form, sent again, will be accepted."""
        return isinstance(self.error, ConfirmationError)

    @property
    def faults(self) -> Mapping[str, Sequence[AnyMessage]]:
        """The faults by the fields that they are about.

        It is empty if the error does not say which fields are wrong.
        """
        return self.error.in_form if isinstance(self.error, FormError) else {}

    @property
    def field(self) -> str:
        """The first word of the error's text, which may name the field it is about."""
        return re.split(r"[ :\[]", self.lines[0], maxsplit=1)[0]

    @staticmethod
    def of(error: PairoptError, request: Request, form: FormData) -> "RejectedForm":
        """Return the rejected form for an error.

        The status is 409 if somebody else has changed the event since, 200 if the page
        asks to confirm, and 422 otherwise. An uploaded file is among the fields only if
        it is small enough to be useful.
        """
        conflicting_steps: tuple[Step, ...] = ()
        http_status = UNPROCESSABLE
        if isinstance(error, StaleStateError):
            conflicting_steps = error.since
            http_status = CONFLICT
        elif isinstance(error, ConfirmationError):
            http_status = 200

        form_path = request.url.path.removeprefix(request.scope["root_path"])
        return RejectedForm(
            lines=tuple(error.format_with(PAGE).split("\n")),
            since=conflicting_steps,
            action=with_query(request, form_path),
            fields=tuple(_list_fields_to_repeat(error, form)),
            status=http_status,
            error=error,
        )

    def at(self, action: str) -> bool:
        """Return whether this is the form of an address, rejected for what was typed.

        `action` is the address without its query. It is False if the page asks to
        confirm, or if somebody else has changed the event.
        """
        return self.status == UNPROCESSABLE and self.action.partition("?")[0] == action


def _list_fields_to_repeat(
    error: PairoptError, form: FormData
) -> list[tuple[str, str]]:
    """Return the names and values of the fields with which a form is sent again.

    The state and the confirmation are left out: the page adds new ones. If the error
    asks to confirm, the fields of the error replace those of the form, and a breach of
    FIDE mode gets its confirmation. Otherwise fields with an uploaded file are added,
    if it is small enough. If the error has a preview of a list, the cells in the form
    are left out.
    """
    repeated_fields = [
        (field_name, field_value)
        for field_name, field_value in form.multi_items()
        if isinstance(field_value, str) and field_name not in (STATE, SURE)
    ]
    # The error's preview has the cells as they are now.
    if getattr(error, "preview", None) is not None:
        repeated_fields = [
            (field_name, field_value)
            for field_name, field_value in repeated_fields
            if not is_cell(field_name)
        ]
    if not isinstance(error, ConfirmationError):
        return [*repeated_fields, *file_fields_again(form).items()]

    replacing_fields: dict[str, str] = {}
    if any(said_note.kind.startswith("mode.") for said_note in error.said):
        replacing_fields[AGAINST.name] = str(AGAINST.get() + 1)
    replacing_fields |= getattr(error, "again", {})
    kept_fields = [
        (field_name, field_value)
        for field_name, field_value in repeated_fields
        if field_name not in replacing_fields
    ]
    return [*kept_fields, *replacing_fields.items()]


def read_typed_fields(refused: RejectedForm | None, action: str) -> dict[str, str]:
    """Return the fields of a refused form if it was posted to this address.

    The page shows them again in the form, so that nothing that was typed is lost. The
    result is {} for another address, or if `refused` is None. `action` is without a
    query.
    """
    if refused and refused.action.split("?")[0] == action:
        return dict(refused.fields)
    return {}


@cache
def load_page_templates() -> jinja2.Environment:
    """Return the environment with the templates of pages, report and extensions.

    It also has the filters and functions that templates use. It is built at the first
    call; later calls return the same object.
    """
    jinja_environment = template_environment()
    view_loaders = {
        known_view.package: jinja2.PackageLoader(known_view.package)
        for known_view in known_views()
    }
    report_loaders = filter(None, [jinja_environment.loader])
    jinja_environment.loader = jinja2.ChoiceLoader(
        [*report_loaders, *view_loaders.values()]
    )
    jinja_environment.filters |= {
        "daytime": lambda moment: time.strftime("%H:%M", time.localtime(moment)),
        "seconds": _format_minutes_and_seconds,
        "qr": draw_qr,
        "listed": join_names,
        "decimal": decimal_text,
        "sentence": end_sentence,
    }
    jinja_environment.globals |= {
        "settings": SETTINGS,
        "usual_rounds": propose_rounds,
        "offers_lookahead": offers_lookahead,
        "setting_labels": SETTING_LABELS,
        "tie_break_slots": tie_break_slots,
        "column_label": column_label,
        "title_of_model": lambda name: load_model(name).title,
        "menu_title": menu_title,
        "ranked_by": lambda event: tie_breaks_named(tie_breaks_of(event)),
    }
    return jinja_environment


def end_sentence(text: str) -> str:
    """Return a text with a full stop at its end, if it does not end a sentence yet.

    A text that ends with ".", "?", "!" or "…" stays as it is.
    """
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def _format_minutes_and_seconds(seconds: float) -> str:
    """Return a time in seconds as minutes and seconds, for example "4:05".

    It is rounded to whole seconds. A negative time becomes "0:00".
    """
    return "{}:{:02}".format(*divmod(max(0, round(seconds)), 60))


def draw_qr(text: str) -> Markup:
    """Return a QR code of a text as an SVG element, marked as safe for templates."""
    qr_svg = segno.make_qr(text).svg_inline(omitsize=True, dark="#000", light="#fff")
    return Markup(qr_svg)  # noqa: S704


def current_milliseconds() -> int:
    """Return the time of this machine in milliseconds since the epoch, rounded down."""
    return int(1000 * time.time())


def render_view(
    site: EventSite,
    request: Request,
    view: View,
    refused: RejectedForm | None = None,
    outcome: Done | None = None,
) -> Response:
    """Return the page of a view as it is now, or the page with the faults of the files.

    `refused` is a form whose change was not made; the page shows why. `outcome` is the
    change that this request has made. Then the response has only the new parts of the
    page, if the view can give them.
    """
    desk = site.desk()
    page_request = PageRequest(
        site, desk, request.query_params, request.headers.get(SINCE)
    )
    state_input = Markup('<input type="hidden" name="{}" value="{}">').format(
        STATE, desk.state
    )
    view_values: Mapping[str, object]
    try:
        view_values = {**view.context(page_request), "token": state_input}
        default_template = f"{view.path.replace('/', '_')}.html"
        template_name = str(view_values.get("template", default_template))
        http_status = 200
    except PairoptError as error:
        http_status = (
            NOT_FOUND if isinstance(error, PageNotFoundError) else UNPROCESSABLE
        )
        view_values = {"faults": error.format_with(PAGE).split("\n")}
        template_name = "faults.html"
    if outcome is not None and outcome.said:
        view_values = {**view_values, "said": outcome.said, "said_step": outcome.step}

    # None also if the journal cannot be read; the log's page says why.
    last_step = None
    with suppress(PairoptError):
        last_step = desk.journal.last()

    page_address = with_query(request, f"/{view.path}")
    template_values = {
        "title": view.title,
        "here": view.path,
        "token": state_input,
        "state": desk.state,
        "last": last_step,
        "refused": refused,
        "path": page_address,
        **view_values,
    }
    html_page = render_page(
        site,
        request,
        template_name,
        refused.status if refused else http_status,
        **template_values,
    )
    if "template" in view_values:
        # A refused form becomes a whole page with an address of its own.
        pushed_url = f"{site.root}{page_address}" if refused else "false"
        html_page.headers.update(
            {"hx-reswap": "none", "hx-push-url": pushed_url, STATE: desk.state}
        )
    return html_page


def with_query(request: Request, path: str) -> str:
    """Return a path with the query of a request's address, if the request has one."""
    return f"{path}?{request.url.query}" if request.url.query else path


def cookie_name(request: Request, name: str) -> str:
    """Return the name of a cookie for this server's port alone.

    Browsers send the cookies of a host to all of its ports.
    """
    return f"{name}-{request.scope['server'][1]}"


def render_page(
    site: EventSite, request: Request, name: str, status: int = 200, /, **values: object
) -> Response:
    """Return the page of a template, with the messages of the last change.

    `name` is the template's file. `values` are for it, besides those that all pages
    get. The messages are shown once: this removes them and their cookie.
    """
    notice_cookie = cookie_name(request, SAID)
    notice_name = request.cookies.get(notice_cookie, "")
    stored_notice = site.notices.get(notice_name, remove=True) or NO_NOTICE
    desk = None
    event = None
    with suppress(PairoptError):
        desk = site.desk() if site.has_event else None
        event = desk.event if desk else None

    template_values: dict[str, Any] = {
        "said": stored_notice.messages,
        "said_step": stored_notice.step,
        "taken": desk.outside_changes if desk else (),
        "refused": None,
        "last": None,
        "here": "",
        "state": None,
        "desk_name": read_desk_name(request),
        "elsewhere": site.presence.find_other_server(),
        "sections": site.group.links(site),
        "root": site.root,
        "hall": read_hall(site.folder),
        "shared": [*site.group.shared_tables(site)],
        **values,
    }
    template_values["typed_in"] = partial(read_typed_fields, template_values["refused"])
    page_template = load_page_templates().get_template(name)
    page_html = page_template.render(
        event_title=site.title,
        founded=site.has_event,
        menu=menu(),
        wording=PageMessages(site.folder),
        own_event=event,
        version=__version__,
        told_at=current_milliseconds(),
        **template_values,
    )
    page_response = HTMLResponse(page_html, status)
    if notice_name:
        page_response.delete_cookie(notice_cookie, samesite="strict", httponly=True)
    return page_response


def redirect_to(site: EventSite, path: str) -> RedirectResponse:
    """Return a redirect (303) to a page of this event.

    `path` is without the event's root, which is put before it.
    """
    return RedirectResponse(f"{site.root}{path}", SEE_OTHER)


def read_desk_name(request: Request) -> str:
    """Return the name that this browser has chosen for the log, "" if it has none.

    It is read from a cookie. Hidden characters are escaped, and blanks made single.
    """
    typed_name = unquote(request.cookies.get(cookie_name(request, DESK), ""))
    return " ".join(escape_hidden(typed_name).split())


def redirect_with_messages(
    site: EventSite, request: Request, path: str, outcome: Done
) -> Response:
    """Return a redirect to a page that shows the messages of a change, once.

    The messages stay in this process; the browser gets a cookie with their name.
    """
    redirect_response = redirect_to(site, path)
    notice_name = site.keep_notice(outcome.said, outcome.step)
    redirect_response.set_cookie(
        cookie_name(request, SAID),
        notice_name,
        max_age=60,
        samesite="strict",
        httponly=True,
    )
    return redirect_response


async def handle_form(
    request: Request,
    change: Callable[[FormData], T],
    show_refusal: Callable[[Request, RejectedForm | None], Response],
    show_next: Callable[[T], Response],
) -> Response:
    """Make the change that a form asks for, in a thread, and return the next page.

    `change` gets the form. If it raises a PairoptError, `show_refusal` returns the page
    that says why. Otherwise `show_next` returns the next page for what `change` has
    returned. Other errors are raised.
    """
    submitted_form = _join_tie_breaks(
        await request.form(max_fields=MOST_FIELDS, max_part_size=LARGEST_BODY)
    )

    def respond() -> Response:
        """Make the change, and return the next page or the refusal.

        The browser's name for the log, and the confirmation of a breach of FIDE mode,
        are set in context variables before.
        """
        # These context variables are those of this thread alone.
        ACTOR.set(read_desk_name(request) or _choose_desk_name(request))
        AGAINST.set(
            parse_integer_in(read_text(submitted_form, AGAINST.name) or "", range(3))
            or 0
        )
        try:
            change_outcome = change(submitted_form)
        except PairoptError as error:
            return show_refusal(
                request, RejectedForm.of(error, request, submitted_form)
            )
        return show_next(change_outcome)

    return await run_in_threadpool(respond)


def _join_tie_breaks(form: FormData) -> FormData:
    """Return a form whose menus of tie-breaks are one field, with commas.

    Menus without a choice are left out. A form without several menus stays as it is.
    """
    chosen_names = form.getlist(TIE_BREAKS)
    if len(chosen_names) < 2:
        return form
    fields_without_tie_breaks = [
        (field_name, field_value)
        for field_name, field_value in form.multi_items()
        if field_name != TIE_BREAKS
    ]
    tie_breaks_text = ",".join(
        str(chosen_name) for chosen_name in chosen_names if chosen_name
    )
    return FormData([*fields_without_tie_breaks, (TIE_BREAKS, tie_breaks_text)])


def _choose_desk_name(request: Request) -> str:
    """Return what the log calls a browser without a name, by its device.

    It is "desk" on this machine, "phone", or "second desk". Browsers on phones have
    "Mobi" in their user agent (MDN recommends to look for it).
    """
    # Another laptop uses this machine's address on the network.
    if request.url.hostname in LOCAL:
        return "desk"
    if "Mobi" in request.headers.get("user-agent", ""):
        return "phone"
    return "second desk"
