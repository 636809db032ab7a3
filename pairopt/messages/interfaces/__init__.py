"""Words of the doors: their own sentences, laid over those that name no door.

A sentence of `terminal/subject.toml` may name options and commands, of `page` what stands on one,
of `request` its keys. Each is whole, and has the fields of the one it stands for.
"""

from pairopt.messages import LENGTHS, SENTENCES, MessageFormatter

TERMINALS, PAGES, REQUESTS = (
    {
        length: MessageFormatter(*over, (__name__, door), SENTENCES)
        for length, over in LENGTHS.items()
    }
    for door in ("terminal", "page", "request")
)
TERMINAL, PAGE, REQUEST = TERMINALS["line"], PAGES["line"], REQUESTS["line"]
