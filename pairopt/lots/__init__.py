"""Choosing among optimal pairings: which there are, how many, and one of them by lot."""
