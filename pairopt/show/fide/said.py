"""What `pairopt-fide` says, and its exit codes: those of bbpPairings."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable

from pairopt.errors import InputError, UsageError
from pairopt.show.fide.reports import FileAccessError
from pairopt.wording import plain

EXIT_DONE, EXIT_NO_PAIRING, EXIT_UNEXPECTED, EXIT_REQUEST, EXIT_TOO_LARGE, EXIT_FILE = range(6)
EXIT_DIFFERS = EXIT_NO_PAIRING
"""Of a check: points or ranks are stated that are not those of the results."""


def say(text: str) -> None:
    """A message, in lines that cannot steer a terminal."""
    for line in text.split("\n"):
        print(plain(line), file=sys.stderr)


def out(text: str) -> None:
    """A result."""
    sys.stdout.write(text)


def attempted(work: Callable[[], int]) -> int:
    """The exit code of what is tried; what goes wrong is said."""
    try:
        return work()
    except (InputError, UsageError) as error:
        say(str(error))
        return EXIT_REQUEST
    except FileAccessError as error:
        say(str(error))
        return EXIT_FILE
    except MemoryError:
        say("the memory does not suffice")
        return EXIT_TOO_LARGE
    except Exception:
        say(f"Unexpected error, please report it:\n{traceback.format_exc()}")
        return EXIT_UNEXPECTED
