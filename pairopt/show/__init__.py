"""Show: what people see of an event, in the terminal, as a report, on the page and on phones."""
