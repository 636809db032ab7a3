"""Define constraints and criteria, one small module each."""
