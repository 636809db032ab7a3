"""Words of the doors: their own sentences, laid over those that name no door.

A sentence of `terminal/subject.toml` may name options and commands, one of `page/subject.toml` what
stands on a page. Each is whole, and has the fields of the one it stands for."""

from __future__ import annotations

from pairopt.words import SENTENCES, Words

TERMINAL = Words((__name__, "terminal"), SENTENCES)
PAGE = Words((__name__, "page"), SENTENCES)
