"""Proof: why no pairing is better, or why there is none, for anybody to verify and to read."""
