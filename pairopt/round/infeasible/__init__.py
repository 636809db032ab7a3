"""Why nothing fits: a clash of rules and players, none of which is spare, and words for it."""
