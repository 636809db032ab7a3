"""The commands `pairopt` (also `python -m pairopt`) and `pairopt-fide`: Ctrl-C ends what they do.

Python hears of a signal between two of its own steps only. A call into a solver is one step, of
many seconds in a large field, and some of them do not even let another thread run. So the work is
done by a child process, and this one waits. Where forking is not safe a thread does the work."""

import atexit
import gc
import importlib
import os
import signal
import sys
from contextlib import suppress
from threading import Thread, stack_size
from typing import Any, NoReturn

from pairopt.common.atomic_write import EXIT_INTERRUPTED, INTERRUPTED, share, whole

QUIET = "ignore:resource_tracker:UserWarning"
"""Who tidies up after the processes of --jobs says so; then there would be more than one line."""
POOLS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
"""Numpy starts threads for products of matrices, of which there are none here."""
GARBAGE = 100_000  # objects between two looks for cycles: those of a large file all live to the end
EXIT_CLOSED = 2  # as after any other output that cannot be written
STACK = 2**26  # bytes, for a thread: some systems give it less than they give a process
CLI, FIDE = "pairopt.cli", "pairopt.cli.fide"


def run(*command: str) -> NoReturn:
    """Run a command line, `pairopt` by default, and exit with its code, or 130 after Ctrl-C."""
    check_standard_streams()
    share()
    (run_in_child_process if sys.platform == "linux" else run_in_thread)(*command)


def run_fide() -> NoReturn:
    """`pairopt-fide`."""
    run(FIDE)


def check_standard_streams() -> None:
    """Exit before anything is done where stdout takes nothing; others closed lead nowhere."""
    try:
        os.write(1, b"")
    except OSError as error:
        said = f"Error: stdout cannot be written, nothing was done: {error.strerror}\n"
        with suppress(OSError):
            os.write(2, said.encode())
        os._exit(EXIT_CLOSED)
    for number in (0, 2):
        try:
            os.fstat(number)
        except (
            OSError
        ):  # else the next file would be this stream; the lowest number is taken
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stderr = sys.stderr or os.fdopen(2, "w")


def run_in_child_process(*command: str) -> NoReturn:
    alive, held = os.pipe()
    heard = signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # a terminal sends it to the child too
    child = os.fork()
    if child == 0:
        os.close(held)
        os.environ.setdefault("PYTHONWARNINGS", QUIET)
        Thread(target=_exit_with_parent, args=(alive,), daemon=True).start()
        _command(*command)
    os.close(alive)
    try:
        signal.signal(signal.SIGINT, _handle_first_interrupt(heard))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except KeyboardInterrupt:
        with whole():
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        _exit_interrupted()
    os._exit(code if code >= 0 else 128 - code)


def _exit_with_parent(alive: int) -> None:
    """End with the process that waits for this one, however that was ended."""
    os.read(alive, 1)
    with whole():
        os._exit(EXIT_INTERRUPTED)


def _handle_first_interrupt(usual: Any) -> Any:
    """A handler that hears the first Ctrl-C, unless none is: another would hinder what it began."""
    heard: list[int] = []

    def hear(number: int, _: object) -> None:
        if not heard:
            heard.append(number)
            raise KeyboardInterrupt

    return usual if usual is signal.SIG_IGN else hear


def run_in_thread(*command: str) -> NoReturn:
    """Run a command line in a thread; a call that lets no other run is waited for."""
    code: str | int | None = 1

    def work() -> None:
        nonlocal code
        try:
            _command(*command)
        except SystemExit as end:
            code = end.code

    stack_size(STACK)
    worker = Thread(target=work, daemon=True)
    worker.start()
    try:
        signal.signal(
            signal.SIGINT, _handle_first_interrupt(signal.getsignal(signal.SIGINT))
        )
        while worker.is_alive():
            worker.join(0.1)  # one without end would hear nothing on Windows
    except KeyboardInterrupt:
        with whole():
            _exit_interrupted()
    sys.exit(code)


def _command(command: str = CLI) -> NoReturn:
    for pool in POOLS:
        os.environ.setdefault(pool, "1")
    gc.set_threshold(GARBAGE)
    atexit.register(
        gc.freeze
    )  # the last look, of the interpreter that ends, would free nothing
    name = "pairopt-fide" if command == FIDE else "pairopt"
    importlib.import_module(command).main(prog_name=name)
    raise AssertionError("a command exits")


def _exit_interrupted() -> NoReturn:
    """Say so in one line; a progress bar may have hidden the cursor."""
    shown = "\x1b[?25h" if sys.stderr.isatty() else ""
    print(f"{shown}{INTERRUPTED}", file=sys.stderr, flush=True)
    os._exit(EXIT_INTERRUPTED)


if __name__ == "__main__":
    run()
