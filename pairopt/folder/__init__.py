"""Folder: what is the next step of an event that keeps its own files, a verb a step?"""

from pairopt.registry import on_first_use

__getattr__, __all__ = on_first_use(__name__)
