"""Pages: a view's template with what it is given, and what was said or refused."""

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
from pairopt.web.preview import is_cell
from pairopt.web.site import LOCAL, EventSite
from pairopt.web.uploads import offers_lookahead, proposed_rounds, sent_again
from pairopt.web.view import (
    STATE,
    SURE,
    FormError,
    PageNotFoundError,
    PageRequest,
    View,
    text_of,
)
from pairopt.web.views import known_views, menu
from pairopt.web.views.hall import read_hall

T = TypeVar("T")
SAID = "said"  # the cookie that names what was said of the last change; the next page shows it
DESK, LONGEST_NAME, SECONDS_NAMED = "desk", 40, 30 * 24 * 3600
"""The cookie with what a desk is called, its most letters, and how long it lasts."""
SINCE = "since"
"""The header with the state that a page is in whose browser asks for what is new alone."""
SEE_OTHER, NOT_FOUND, CONFLICT, UNPROCESSABLE = 303, 404, 409, 422
MOST_FIELDS = 5000


@dataclass(frozen=True)
class PageMessages:
    """How the pages of a folder say things: without its path."""

    folder: Path

    def said(self, line: str | AnyMessage) -> str:
        """A sentence of a verb, a step or an error."""
        text = (
            PAGE.format_message(line)
            .replace(f"{self.folder}{os.sep}", "")
            .replace(f"{self.folder}: ", "")
        )
        return with_half_signs(text)

    def every(self, lines: Iterable[str | AnyMessage]) -> list[str]:
        return [*dict.fromkeys(map(self.said, lines))]


@dataclass(frozen=True, slots=True)
class RejectedForm:
    """A change that was not made: why, the steps since, and the form to send again."""

    lines: tuple[str, ...]
    since: tuple[Step, ...]
    action: str
    fields: tuple[tuple[str, str], ...]
    status: int
    error: PairoptError

    @property
    def asks(self) -> bool:
        """Whether it will be made if the form is sent again with what this error says."""
        return isinstance(self.error, ConfirmationError)

    @property
    def faults(self) -> Mapping[str, Sequence[AnyMessage]]:
        return self.error.in_form if isinstance(self.error, FormError) else {}

    @property
    def field(self) -> str:
        """The field that it is about, as what is said begins with its name; else any word."""
        return re.split(r"[ :\[]", self.lines[0], maxsplit=1)[0]

    @staticmethod
    def of(error: PairoptError, request: Request, form: FormData) -> "RejectedForm":
        """What is said of an error. A file is not sent again: it must be chosen again."""
        since, status = tuple[Step, ...](), UNPROCESSABLE
        if isinstance(error, StaleStateError):
            since, status = error.since, CONFLICT
        elif isinstance(error, ConfirmationError):
            status = 200
        fields = [
            (name, value)
            for name, value in form.multi_items()
            if isinstance(value, str) and name not in (STATE, SURE)
        ]
        if (
            getattr(error, "preview", None) is not None
        ):  # which has the cells as they are now
            fields = [each for each in fields if not is_cell(each[0])]
        if isinstance(error, ConfirmationError):
            of_mode = any(each.kind.startswith("mode.") for each in error.said)
            again = {AGAINST.name: str(AGAINST.get() + 1)} if of_mode else {}
            again |= getattr(error, "again", {})
            fields = [each for each in fields if each[0] not in again] + [
                *again.items()
            ]
        else:
            fields += sent_again(form).items()
        return RejectedForm(
            lines=tuple(error.format_with(PAGE).split("\n")),
            since=since,
            action=address(
                request, request.url.path.removeprefix(request.scope["root_path"])
            ),
            fields=tuple(fields),
            status=status,
            error=error,
        )

    def at(self, action: str) -> bool:
        """Whether it is a fault in what was typed into the form for this address."""
        return self.status == UNPROCESSABLE and self.action.partition("?")[0] == action


def typed_in(refused: RejectedForm | None, action: str) -> dict[str, str]:
    """What was typed into the form for this address, if its change was not made."""
    return (
        dict(refused.fields)
        if refused and refused.action.split("?")[0] == action
        else {}
    )


@cache
def page_templates() -> jinja2.Environment:
    """The templates of the pages, and of the report, whose tables they share."""
    made = template_environment()
    others = {
        view.package: jinja2.PackageLoader(view.package) for view in known_views()
    }
    made.loader = jinja2.ChoiceLoader([*filter(None, [made.loader]), *others.values()])
    made.filters |= {
        "daytime": lambda now: time.strftime("%H:%M", time.localtime(now)),
        "seconds": lambda left: "{}:{:02}".format(*divmod(max(0, round(left)), 60)),
        "qr": qr,
        "listed": join_names,
        "decimal": decimal_text,
    }
    made.globals |= {
        "settings": SETTINGS,
        "usual_rounds": proposed_rounds,
        "offers_lookahead": offers_lookahead,
        "title_of_model": lambda name: load_model(name).title,
        "ranked_by": lambda event: tie_breaks_named(tie_breaks_of(event)),
    }
    return made


def qr(text: str) -> Markup:
    drawn = segno.make_qr(text).svg_inline(omitsize=True, dark="#000", light="#fff")
    return Markup(drawn)  # noqa: S704


def milliseconds() -> int:
    return int(1000 * time.time())


def view_page(
    site: EventSite,
    request: Request,
    view: View,
    refused: RejectedForm | None = None,
    said: Sequence[AnyMessage] = (),
) -> Response:
    """A view as it is now, or the faults of the files; of what was `said` the new parts alone."""
    desk = site.desk()
    asked = PageRequest(site, desk, request.query_params, request.headers.get(SINCE))
    token = Markup('<input type="hidden" name="{}" value="{}">').format(
        STATE, desk.state
    )
    try:
        context: Mapping[str, object] = {**view.context(asked), "token": token}
        name, status = (
            str(context.get("template", f"{view.path.replace('/', '_')}.html")),
            200,
        )
    except PairoptError as error:
        status = NOT_FOUND if isinstance(error, PageNotFoundError) else UNPROCESSABLE
        context, name = {"faults": error.format_with(PAGE).split("\n")}, "faults.html"
    if said:
        context = {**context, "said": tuple(said)}
    last = None  # also where it cannot be read, which the log says
    with suppress(PairoptError):
        last = desk.journal.last()
    page = render_page(
        site,
        request,
        name,
        refused.status if refused else status,
        **{
            "title": view.title,
            "here": view.path,
            "token": token,
            "state": desk.state,
            "last": last,
            "refused": refused,
            "path": address(request, f"/{view.path}"),
            **context,
        },
    )
    if "template" in context:
        back = (
            f"{site.root}{address(request, f'/{view.path}')}" if refused else "false"
        )  # asked
        page.headers.update(
            {"hx-reswap": "none", "hx-push-url": back, STATE: desk.state}
        )
    return page


def address(request: Request, path: str) -> str:
    return f"{path}?{request.url.query}" if request.url.query else path


def cookie(request: Request, name: str) -> str:
    """The name of a cookie of this server alone: browsers do not keep ports apart."""
    return f"{name}-{request.scope['server'][1]}"


def render_page(
    site: EventSite, request: Request, name: str, status: int = 200, /, **values: object
) -> Response:
    """A page by its template, with what was said of the last change."""
    name_of_said = cookie(request, SAID)
    known = request.cookies.get(name_of_said, "")
    desk = event = None
    with suppress(PairoptError):
        desk = site.desk() if site.founded else None
        event = desk.event if desk else None
    given: dict[str, Any] = {
        "said": site.notices.known(known, once=True) or (),
        "taken": desk.taken if desk else (),
        "refused": None,
        "last": None,
        "here": "",
        "state": None,
        "desk_name": desk_name(request),
        "elsewhere": site.presence.elsewhere(),
        "sections": site.evening.links(site),
        "root": site.root,
        "hall": read_hall(site.folder),
        "shared": [*site.evening.shared(site)],
        **values,
    }
    given["typed_in"] = partial(typed_in, given["refused"])
    text = (
        page_templates()
        .get_template(name)
        .render(
            event_title=site.title,
            founded=site.founded,
            menu=menu(),
            wording=PageMessages(site.folder),
            own_event=event,
            version=__version__,
            told_at=milliseconds(),
            **given,
        )
    )
    answer = HTMLResponse(text, status)
    if known:
        answer.delete_cookie(name_of_said, samesite="strict", httponly=True)
    return answer


def redirect_to(site: EventSite, to: str) -> RedirectResponse:
    return RedirectResponse(f"{site.root}{to}", SEE_OTHER)


def desk_name(request: Request) -> str:
    """What the desk of this browser is called, "" where nobody has said."""
    return " ".join(
        escape_hidden(unquote(request.cookies.get(cookie(request, DESK), ""))).split()
    )


def onward(site: EventSite, request: Request, to: str, done: Done) -> Response:
    next_page = redirect_to(site, to)
    said = site.notice(done.said)
    next_page.set_cookie(
        cookie(request, SAID), said, max_age=60, samesite="strict", httponly=True
    )
    return next_page


async def handle_form(
    request: Request,
    make: Callable[[FormData], T],
    show: Callable[[Request, RejectedForm | None], Response],
    then: Callable[[T], Response],
) -> Response:
    """What a form asks for; on to a page that says it, or the form's own says why not."""
    form = await request.form(max_fields=MOST_FIELDS, max_part_size=LARGEST_BODY)

    def answered() -> Response:
        # of this thread's context alone; another laptop has this one's address; for Mobi see MDN
        here, phone = (
            request.url.hostname in LOCAL,
            "Mobi" in request.headers.get("user-agent", ""),
        )
        ACTOR.set(
            desk_name(request)
            or ("desk" if here else "phone" if phone else "second desk")
        )
        AGAINST.set(parse_integer_in(text_of(form, AGAINST.name) or "", range(3)) or 0)
        try:
            done = make(form)
        except PairoptError as error:
            return show(request, RejectedForm.of(error, request, form))
        return then(done)

    return await run_in_threadpool(answered)
