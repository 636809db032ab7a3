"""Why nothing fits: a smallest clash of rules and players, and words for it."""
