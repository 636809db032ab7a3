"""Studies that are files: what is asked is written down before anything is played."""
