"""Views: the pages of an event: a new one is a module and a template."""

from functools import cache

from pairopt.registry import ExtensionRegistry
from pairopt.web.view import View

VIEWS: ExtensionRegistry[tuple[View, ...]] = ExtensionRegistry(
    __name__,
    View,
    "pairopt.views",
    lambda module, _: tuple(
        each for each in vars(module).values() if isinstance(each, View)
    ),
)


@cache
def known_views() -> tuple[View, ...]:
    every = [view for views in VIEWS.values() for view in views]
    return tuple(
        sorted(every, key=lambda view: (not view.weight, view.weight, view.path))
    )


def menu() -> list[View]:
    """The views that have a weight: the light ones first, of equal ones by their paths."""
    return [view for view in known_views() if view.weight]
