"""The organiser's page as a browser asks for it: a client, and the forms on its pages."""

from __future__ import annotations

import html
import re
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import uvicorn
from once import made_once
from starlette.testclient import TestClient

from pairopt.folder.create import new
from pairopt.folder.open_folder import open_folder
from pairopt.folder.pair_round import pair
from pairopt.folder.results import result
from pairopt.web.app import application

HOST = "127.0.0.1:8440"
ORIGIN = f"http://{HOST}"


def client(folder: Path) -> TestClient:
    """A browser on this machine."""
    app = application(folder, {HOST})
    return TestClient(
        app, ORIGIN, headers={"origin": ORIGIN}, raise_server_exceptions=False
    )


def routes_of(app: Any) -> list[Any]:
    """The routes of an application of one event: on a shared port those of phones."""
    router = getattr(app, "phones", app)
    event_app = router.app(router.group.sites[0])
    return [*router.group_app.routes, *event_app.routes]


def event(
    folder: Path, players: Iterable[str] = "ABCDEF", rounds: int = 0, **how: Any
) -> Path:
    """A folder with an event of these players, and so many rounds paired (and scored but one)."""
    return copied(folder, [*players], rounds, **how)


def founded(
    folder: Path, players: Iterable[str] = "ABCDEF", rounds: int = 0, **how: Any
) -> Path:
    """The same, with steps of its own."""
    listed = folder.parent / f"{folder.name}.csv"
    pd.DataFrame({"player": list(players)}).to_csv(listed, index=False)
    new(folder, listed, **how)
    for number in range(rounds):
        pair(folder)
        if number < rounds - 1:
            scored(folder)
    return folder


copied = made_once(founded)


def scored(folder: Path, score: str = "3-0") -> None:
    """A result for every open table."""
    with open_folder(folder) as desk:
        tables = desk.rows.table[desk.rows.open].tolist()
    for table in tables:
        result(folder, str(table), score)


def fields(text: str, action: str) -> dict[str, Any]:
    """The hidden fields of the first form for this address; several of a name are a list."""
    form = re.search(
        rf'<form[^>]* action="{re.escape(action)}[^>]*>(.*?)</form>', text, re.DOTALL
    )
    if form is None:
        return {}
    found: dict[str, Any] = {}
    for name, value in re.findall(
        r'type="hidden" name="([^"]*)" value="([^"]*)"', form[1]
    ):
        found.setdefault(name, []).append(html.unescape(value))
    return {name: some if len(some) > 1 else some[0] for name, some in found.items()}


def founding(text: str) -> dict[str, str]:
    """What stands in the form that makes an event, with the "Yes" where it is asked for."""
    form = text.split('<form id="founding"', 1)[1]
    found = dict(
        re.findall(
            r'<input (?:type="hidden" )?name="([^"]*)"[^>]* value="([^"]*)"', form
        )
    )
    found |= dict(
        re.findall(
            r'<textarea name="([^"]*)"[^>]*>\n?(.*?)</textarea>', form, re.DOTALL
        )
    )
    found |= dict(
        re.findall(r'type="radio" name="([^"]*)" value="([^"]*)" checked', form)
    )
    for name, options in re.findall(
        r'<select name="([^"]*)".*?>(.*?)</select>', form, re.DOTALL
    ):
        chosen = re.findall(r'value="([^"]*)" selected', options)
        # Menus of one name are the places of a list, such as that of tie-breaks.
        found[name] = ",".join(filter(None, [found.get(name, ""), *chosen]))
    found |= dict(re.findall(r'form="founding" name="(sure)" value="([^"]*)"', text))
    return {
        name: html.unescape(value) for name, value in found.items() if name != "other"
    }


def said(text: str) -> str:
    """What the page says of the last change, or of why there was none."""
    part = r'<(ul|section|div) class="(?:said|refused|asks)".*?</\1>'
    found = [each[0] for each in re.finditer(part, text, re.DOTALL)]
    return html.unescape(re.sub(r"<[^>]*>|\s+", " ", " ".join(found)))


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The pages on a port of this machine; its address."""
    door = socket.create_server(("127.0.0.1", 0))
    host = f"127.0.0.1:{door.getsockname()[1]}"
    config = uvicorn.Config(
        application(folder, {host}), log_config=None, lifespan="off", ws="none"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
    thread.start()
    try:
        yield f"http://{host}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join()
