"""Read events; imported on first use."""

from pairopt.files.read import read_event as read_event
