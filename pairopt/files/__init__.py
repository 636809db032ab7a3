"""Files: what do these files say, and how are an event and its rounds written?"""

from pairopt.files.read import read_event

__all__ = ["read_event"]
