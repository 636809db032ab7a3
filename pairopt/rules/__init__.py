"""Rules: which matches are allowed, what does each cost? A small module a constraint, a criterion."""
