"""Count the optimal pairings of a round, and draw one of them uniformly."""
