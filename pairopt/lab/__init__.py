"""Lab: what does each order of criteria buy and cost over whole tournaments, on equal luck?"""

import sys

from pairopt.lab import rooms
from pairopt.registry import on_first_use

__getattr__, __all__ = on_first_use(__name__)
sys.meta_path.insert(0, rooms.Published())
