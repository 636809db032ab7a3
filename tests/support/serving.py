"""The pages of an event folder on a port of this machine, for a real browser."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from pairopt.web.app import application


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the pages, as long as they are wanted."""
    door = socket.create_server(("127.0.0.1", 0))
    host = f"127.0.0.1:{door.getsockname()[1]}"
    config = uvicorn.Config(application(folder, {host}), log_config=None, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([door],))
    thread.start()
    try:
        yield f"http://{host}"
    finally:
        server.should_exit = True
        thread.join()
        door.close()
