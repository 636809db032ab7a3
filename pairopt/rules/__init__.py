"""Rules: criteria and constraints, one small module each."""
