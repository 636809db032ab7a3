"""Serve the organiser's page and the players' phones on this machine."""
