"""Playing: whole tournaments, on luck that is the same for whoever pairs them."""
