"""Proofs: files that say why no pairing is better, and how they are compared with an event."""
