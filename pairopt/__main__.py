"""The commands `pairopt` (also `python -m pairopt`) and `pairopt-fide`.

Ctrl-C ends what they do.

Python calls its own handler of Ctrl-C in the main thread, between two of its steps. A
call into a solver is one step, and may take minutes. So another thread waits for
Ctrl-C, and ends the process when no files are being written. It has to wait for calls
that let no other thread run: at 10,000 players some take seconds.
"""

import atexit
import gc
import importlib
import os
import signal
import sys
from contextlib import suppress
from threading import Thread
from typing import NoReturn

from pairopt.common.atomic_write import (
    EXIT_INTERRUPTED,
    INTERRUPTED,
    enable_write_lock,
    write_lock,
)

QUIET = "ignore:resource_tracker:UserWarning"
"""Who tidies up after the processes of --jobs says so; then there would be more than one line."""
POOLS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
"""Numpy starts threads for products of matrices, of which there are none here."""
GARBAGE = 100_000  # objects between two looks for cycles: those of a large file all live to the end
EXIT_CLOSED = 2  # as after any other output that cannot be written
EXIT_CLOSED_FIDE = 5  # bbpPairings' code for a file that cannot be written
CLI, FIDE = "pairopt.cli", "pairopt.cli.fide"


def run(*command: str) -> NoReturn:
    """Run a command line, `pairopt` by default, and exit with its code.

    The code is 130 after Ctrl-C.
    """
    check_standard_streams(EXIT_CLOSED_FIDE if command == (FIDE,) else EXIT_CLOSED)
    enable_write_lock()
    listen_for_interrupt()
    _run_command(*command)


def run_fide() -> NoReturn:
    """Run the command `pairopt-fide`, and exit with its code."""
    run(FIDE)


def check_standard_streams(exit_code: int) -> None:
    """Make sure that stdin, stdout and stderr can be used.

    If stdout is closed, exit with an error and `exit_code`. A closed stdin or stderr is opened on the
    null device.
    """
    try:
        os.write(1, b"")
    except OSError as error:
        error_line = (
            f"Error: stdout can't be written, nothing was done: {error.strerror}\n"
        )
        with suppress(OSError):
            os.write(2, error_line.encode())
        os._exit(exit_code)
    for stream_number in (0, 2):
        try:
            os.fstat(stream_number)
        except OSError:
            # Otherwise the next file would be this stream: it gets the lowest free number.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stderr = sys.stderr or os.fdopen(2, "w")


def listen_for_interrupt() -> None:
    """End this process at the first Ctrl-C from now on, once files are written.

    Nothing happens if Ctrl-C is ignored, as after `nohup`.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return

    # Python's handler in C writes the number of each signal to this pipe at once. What the handler
    # in Python would do comes too late.
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, lambda *_: None)
    Thread(target=_end_on_interrupt, args=(read_end,), daemon=True).start()

    # Processes of --jobs inherit this, and leave Ctrl-C to this process. Its thread still hears it.
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


def _end_on_interrupt(numbers: int) -> None:
    """Wait for Ctrl-C, then until no files are being written, and exit.

    `numbers` is the end of a pipe from which numbers of signals are read. A second
    Ctrl-C changes nothing.
    """
    while os.read(numbers, 1) != bytes([signal.SIGINT]):
        pass  # another signal, which has a handler of its own
    with write_lock():
        _exit_interrupted()


def _run_command(command: str = CLI) -> NoReturn:
    """Import and run a command of pairopt, which exits by itself.

    Before that it sets environment variables and the garbage collection of this
    process. `command` is the module of the command.
    """
    for thread_variable in POOLS:
        os.environ.setdefault(thread_variable, "1")
    os.environ.setdefault("PYTHONWARNINGS", QUIET)
    gc.set_threshold(GARBAGE)
    # The last look for cycles, when the interpreter ends, would free nothing.
    atexit.register(gc.freeze)
    program_name = "pairopt-fide" if command == FIDE else "pairopt"
    importlib.import_module(command).main(prog_name=program_name)
    raise AssertionError("a command exits")


def _exit_interrupted() -> NoReturn:
    """Exit with code 130 and one line on stderr, without any cleanup.

    In a terminal a hidden cursor is shown again.
    """
    show_cursor = "\x1b[?25h" if sys.stderr.isatty() else ""
    print(f"{show_cursor}{INTERRUPTED}", file=sys.stderr, flush=True)
    os._exit(EXIT_INTERRUPTED)


if __name__ == "__main__":
    run()
