"""Rules: which matches are allowed, and what does each cost? Constraints and criteria, a small
module each."""
