"""Door: one request of another program, one answer; it keeps nothing, and writes nothing."""
