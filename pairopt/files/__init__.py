"""The door through which events come in and pairings go out."""

from pairopt.files.read import read_event

__all__ = ["read_event"]
