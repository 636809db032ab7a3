"""Problem: an event and a model together, and the verifier of its pairings."""
