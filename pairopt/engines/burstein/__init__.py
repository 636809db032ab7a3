"""The Burstein System by any engine that can settle the levels of a bracket."""
