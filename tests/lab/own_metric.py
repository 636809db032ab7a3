"""A metric of one's own, for `--plugin`."""

from pairopt.lab import Tournament


def longest(played: Tournament) -> int:
    """The most points of a player."""
    return int(played.points.max())
