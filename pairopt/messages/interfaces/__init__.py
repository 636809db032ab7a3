"""Formatters of the interfaces: the terminal, the web pages and JSON requests.

A sentence of `terminal/subject.toml` may name options and commands, one of `page` what
stands on a page, one of `request` its keys. Each is whole, and has the fields of the
sentence that it replaces.
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
