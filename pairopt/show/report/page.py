"""The page of a round: what the template is given."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pairopt.errors import UsageError
from pairopt.files.folder import files_of, is_folder
from pairopt.proof.reasons import reasons_of, sentences
from pairopt.round.explain import explained
from pairopt.round.result import Result
from pairopt.show.levels import levels_of
from pairopt.show.report.pictures import balance_strip, score_groups
from pairopt.show.report.template import MISSING, rendered
from pairopt.show.rounds import paired_round
from pairopt.show.standings import standings_of
from pairopt.version import __version__


@dataclass(frozen=True, slots=True)
class InputFile:
    """An input file as the user named it, with the checksum of its bytes."""

    name: str
    sha256: str

    @staticmethod
    def of(path: str) -> list[InputFile]:
        """The file by its name as given, or those of the event folder."""
        if is_folder(path):
            files = {str(Path(path, name)): raw for name, raw in files_of(Path(path)).items()}
        else:
            files = {path: Path(path).read_bytes()}
        return [InputFile(name, hashlib.sha256(raw).hexdigest()) for name, raw in files.items()]


def report_text(result: Result, sources: Sequence[InputFile] = (), command: str = "") -> str:
    """The report of a paired round as HTML.

    Args:
        result: what was paired.
        sources: the input files.
        command: the command line as the user gave it.

    Raises:
        UsageError: where Jinja2 or matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401 - for the pictures
        from markupsafe import Markup
    except ImportError:
        raise UsageError(MISSING) from None
    problem = result.problem
    known = reasons_of(result)
    return rendered(
        "page.html",
        round=result.round,
        model=problem.model,
        verdict=" ".join(result.conclusion()),
        seed=result.seed,
        version=__version__,
        sources=sources,
        command=command,
        notes=result.notes,
        paired=paired_round(result, (match.sentence for match in explained(result, known))),
        levels=levels_of(result),
        reasons=sentences(result, known),
        standings=standings_of(result.event, bias=False),
        groups=Markup(score_groups(problem.state)),  # noqa: S704 - drawn here, without names
        balance=Markup(balance_strip(problem.state)),  # noqa: S704
    )
