"""Answer JSON requests of other programs, without keeping or writing anything."""
