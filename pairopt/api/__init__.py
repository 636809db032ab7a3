"""Answer JSON requests of other programs. It keeps nothing and writes nothing."""
