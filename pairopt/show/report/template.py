"""Templates of pages: names are escaped by Jinja2, nothing in them is evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pairopt.errors import UsageError

if TYPE_CHECKING:
    import jinja2

MISSING = 'the report needs Jinja2 and matplotlib: pip install "pairopt[report]"'


def templates(*folders: str) -> jinja2.Environment:
    """The report's templates, and those of these folders of the package.

    Raises UsageError where Jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError:
        raise UsageError(MISSING) from None
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader("pairopt", folder) for folder in (*folders, "show/report")]
        ),
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip


def rendered(name: str, /, **values: object) -> str:
    """A page by its template. Raises UsageError where Jinja2 is not installed."""
    return templates().get_template(name).render(**values)
