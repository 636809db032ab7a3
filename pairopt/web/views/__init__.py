"""The pages of an event: each is a module with a `View`, and a template."""

from functools import cache

from pairopt.registry import ExtensionRegistry
from pairopt.web.view import View

VIEWS: ExtensionRegistry[tuple[View, ...]] = ExtensionRegistry(
    __name__,
    View,
    "pairopt.views",
    lambda module, _: tuple(
        value for value in vars(module).values() if isinstance(value, View)
    ),
)


@cache
def known_views() -> tuple[View, ...]:
    """Return all views, also of extensions: first those in the menu, in its order.

    The others follow by their paths.
    """
    unsorted_views = [
        module_view for module_views in VIEWS.values() for module_view in module_views
    ]
    return tuple(
        sorted(
            unsorted_views,
            key=lambda module_view: (
                not module_view.weight,
                module_view.weight,
                module_view.path,
            ),
        )
    )


def menu() -> list[View]:
    """Return the views in the menu, lowest weight first.

    A view without a weight is not in the menu.
    """
    return [known_view for known_view in known_views() if known_view.weight]
