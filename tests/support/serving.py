"""The pages of an event folder on ports of this machine, for a real browser."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from pairopt.web.access import NetworkShare
from pairopt.web.app import application

HERE = "127.0.0.1"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the pages, as long as they are wanted."""
    with shared(folder) as (address, _, _):
        yield address


@contextmanager
def shared(folder: Path) -> Iterator[tuple[str, str, NetworkShare]]:
    """The address of the organiser's pages, and of the phones' with what is known of their door."""
    doors = [socket.create_server((HERE, 0)) for _ in range(2)]
    mine, theirs = (f"{HERE}:{door.getsockname()[1]}" for door in doors)
    share = NetworkShare(doors[1].getsockname()[1])
    app = application(folder, {mine}, share)
    server = uvicorn.Server(
        uvicorn.Config(app, log_config=None, lifespan="off", ws="none")
    )
    thread = threading.Thread(target=server.run, args=(doors,))
    thread.start()
    try:
        yield f"http://{mine}", f"http://{theirs}", share
    finally:
        server.should_exit = True
        thread.join()
        for door in doors:
            door.close()
