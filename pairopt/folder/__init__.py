"""Change an event folder by journalled steps, and recover it after damage."""

from pairopt.registry import lazy_exports

__getattr__, __all__ = lazy_exports(__name__)
