"""Web: the organiser's page of an event folder, served on this machine."""
