"""Whoever uses the program: a command line, a browser, an editor, and a plug that is pulled."""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

HOST = "127.0.0.1:8440"
PULLED = 77
"""The exit code of a child whose plug was pulled."""
PATIENCE = 20.0


class Said(NamedTuple):
    """What a command or a page answered."""

    code: int
    out: str
    err: str

    @property
    def done(self) -> bool:
        return self.code == 0

    @property
    def text(self) -> str:
        return f"{self.out}\n{self.err}"


def typed(verb: str, *args: str) -> tuple[str, ...]:
    """How the steps of the log that have no command of their own name are typed."""
    if verb == "repair":
        more = ("--all" if each == "--again" else each for each in args[1:])
        return "pair", args[0], "--again", *more
    if verb == "back":
        return "drop", *args, "--off"
    if verb == "check-in":
        return "drop", args[0], "--all", *args[1:]
    if verb == "rename":
        return "edit", *args[:2], "--name", *args[2:]
    if verb == "table":
        return "edit", *args[:2], *(() if args[2] == "--off" else ("--table",)), args[2]
    return verb, *args


def command(*args: str) -> Said:
    """`pairopt ARGS`, in this process."""
    from pairopt.cli import main

    args = typed(*args)

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    code = 0
    sys.stdin = io.StringIO()  # nobody answers what is asked
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(args), prog_name="pairopt")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    told = []
    for each in (out, err):
        each.flush()
        told.append(each.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return Said(code, *told)


@contextmanager
def counted(touch: Callable[[], None], *more: str) -> Iterator[None]:
    """Call `touch` before each change of a file: opened to write, renamed, replaced, and `more`."""
    moved = ("replace", "rename", *more)
    own = {name: getattr(os, name) for name in (*moved, "open")}
    opened, opened_io = builtins.open, io.open

    def touched(old: Callable[..., Any]) -> Callable[..., Any]:
        def new(*args: Any, **how: Any) -> Any:
            touch()
            return old(*args, **how)

        return new

    def writing(old: Callable[..., Any]) -> Callable[..., Any]:
        def new(file: Any, mode: str = "r", *args: Any, **how: Any) -> Any:
            if set("wax+") & set(mode):
                touch()
            return old(file, mode, *args, **how)

        return new

    def low(file: Any, flags: int, *args: Any, **how: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR) and not str(file).endswith("lock"):
            touch()
        return int(own["open"](file, flags, *args, **how))

    try:
        for name in moved:
            setattr(os, name, touched(own[name]))
        os.open = low  # type: ignore[assignment]
        builtins.open, io.open = writing(opened), writing(opened_io)  # type: ignore[assignment]
        yield
    finally:
        for name, old in own.items():
            setattr(os, name, old)
        builtins.open, io.open = opened, opened_io


def full_disk(at: int, *args: str) -> Said:
    """A command whose disk is full from the at-th change of a file on."""
    left = [at]

    def touch() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with counted(touch):
        return command(*args)


def pulled(at: int, *args: str) -> int:
    """The exit code of a command whose plug is pulled before the at-th change of a file."""

    def work() -> int:
        left = [at]

        def touch() -> None:
            left[0] -= 1
            if left[0] < 0:
                os._exit(PULLED)

        with counted(touch, "unlink", "remove"):
            return command(*args).code

    return _child(work, PATIENCE)


def shot(after: float, *args: str) -> int:
    """The exit code of a command that is killed after so many seconds, if it is not done."""
    return _child(lambda: command(*args).code, after)


def _child(work: Callable[[], int], seconds: float) -> int:
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = work()
        finally:
            os._exit(code)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        who, status = os.waitpid(child, os.WNOHANG)
        if who:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@dataclass
class Control:
    """An input, a select, a textarea or a button of a form."""

    tag: str
    name: str
    kind: str
    value: str
    options: list[str] = field(default_factory=list)
    said: Mapping[str, str | None] = field(default_factory=dict)


@dataclass
class Form:
    """A form of a page."""

    action: str
    method: str
    key: str
    controls: list[Control] = field(default_factory=list)

    def hidden(self) -> list[tuple[str, str]]:
        return [
            (c.name, c.value) for c in self.controls if c.kind == "hidden" and c.name
        ]

    def filled(self) -> list[tuple[str, str]]:
        """The fields as a browser sends them when nothing is changed."""
        sent = self.hidden()
        for c in self.controls:
            if not c.name or c.kind in ("hidden", "file") or c.tag == "button":
                continue
            if c.kind in ("checkbox", "radio"):
                if "checked" in c.said:
                    sent.append((c.name, c.value))
            else:
                sent.append((c.name, c.value))
        return sent


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.inside: Form | None = None
        self.chosen: Control | None = None
        self.area: Control | None = None
        self.loose: list[tuple[str, Control]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag == "form":
            self.inside = Form(
                said.get("action") or "",
                (said.get("method") or "get").lower(),
                said.get("id") or "",
            )
            self.forms.append(self.inside)
        elif tag in ("input", "button", "select", "textarea"):
            usual = {"button": "submit", "input": "text"}.get(tag, tag)
            one = Control(
                tag,
                said.get("name") or "",
                said.get("type") or usual,
                said.get("value") or "",
                said=said,
            )
            if said.get("form"):
                self.loose.append((str(said["form"]), one))
            elif self.inside is not None:
                self.inside.controls.append(one)
            self.chosen = one if tag == "select" else None
            self.area = one if tag == "textarea" else None
        elif tag == "option" and self.chosen is not None:
            value = said.get("value") or ""
            self.chosen.options.append(value)
            if "selected" in said or len(self.chosen.options) == 1:
                self.chosen.value = value

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = None
        elif tag == "select":
            self.chosen = None
        elif tag == "textarea":
            self.area = None

    def handle_data(self, data: str) -> None:
        if self.area is not None:
            self.area.value += data


def forms_of(text: str) -> list[Form]:
    """The forms of a page, each with the controls that belong to it, wherever they stand."""
    reader = _Forms()
    reader.feed(text)
    for key, one in reader.loose:
        for form in reader.forms:
            if form.key == key:
                form.controls.append(one)
    return reader.forms


def form_for(text: str, action: str, values: Sequence[tuple[str, str]]) -> Form | None:
    """The form of a page that an action means; where several do, one that has the fields."""
    names = {name for name, _ in values}
    found = [form for form in forms_of(text) if form.action == action]
    able = [form for form in found if names <= {c.name for c in form.controls}]
    return next(iter(able or found), None)


def asked(text: str, action: str) -> Form | None:
    """The question that a page asks before it does so: the same form, with a yes in it."""
    path = action.split("?")[0]
    for form in forms_of(text):
        names = {c.name for c in form.controls}
        if (
            form.method == "post"
            and form.action.split("?")[0] == path
            and names & {"sure", "yes"}
        ):
            return form
    return None


class Browser:
    """The organiser's page of a folder."""

    def __init__(self, folder: Path) -> None:
        from starlette.testclient import TestClient

        from pairopt.web.app import application

        origin = f"http://{HOST}"
        self.client = TestClient(
            application(folder, {HOST}),
            origin,
            headers={"origin": origin},
            raise_server_exceptions=False,
        )

    def get(self, path: str) -> tuple[int, str]:
        answer = self.client.get(path)
        return answer.status_code, answer.text

    def send(
        self,
        form: Form,
        values: Sequence[tuple[str, str]],
        upload: tuple[str, bytes] | None,
    ) -> tuple[int, str]:
        """Submit a form; what is chosen replaces the fields of the same names, hidden ones stay."""
        named = {name for name, _ in values}
        sent: dict[str, list[str]] = {}
        for name, value in [
            *(pair for pair in form.filled() if pair[0] not in named),
            *values,
        ]:
            sent.setdefault(name, []).append(value)
        if form.method == "get":
            answer = self.client.get(form.action.split("?")[0], params=sent)
        elif upload is not None:
            answer = self.client.post(form.action, data=sent, files={"file": upload})
        else:
            answer = self.client.post(form.action, data=sent)
        return answer.status_code, answer.text


NEVER_CHOSEN = ("round-robin",)
"""Options that the laws don't know: they say that a pairing adds one round, as in a Swiss event."""


def chosen(form: Form, dice: Random, names: Sequence[str]) -> list[tuple[str, str]]:
    """Random values for a form's fields, and one of its buttons."""
    values: list[tuple[str, str]] = []
    boxes = [c for c in form.controls if c.kind == "checkbox" and c.name]
    for c in form.controls:
        if not c.name or c.kind in ("hidden", "file", "checkbox") or c.tag == "button":
            continue
        if c.tag == "select":
            options = [option for option in c.options if option not in NEVER_CHOSEN]
            values.append((c.name, dice.choice(options or [""])))
        elif c.kind == "radio":
            if dice.random() < 0.4:
                values = [v for v in values if v[0] != c.name] + [(c.name, c.value)]
        elif c.kind == "number":
            low, high = int(c.said.get("min") or 0), int(c.said.get("max") or 9)
            values.append((c.name, str(dice.randint(low, min(high, low + 8)))))
        else:
            values.append((c.name, c.value))
    values += [
        (b.name, b.value) for b in dice.sample(boxes, min(len(boxes), 2)) if boxes
    ]
    buttons = [c for c in form.controls if c.tag == "button" and c.name]
    if buttons:
        button = dice.choice(buttons)
        values.append((button.name, button.value))
    return values


def apart(path: Path) -> None:
    """Nothing from the shell's own settings reaches a command."""
    os.environ["COLUMNS"] = "200"
    sys.argv = ["pairopt"]
    path.mkdir(parents=True, exist_ok=True)
