"""Show: how do people see it, in the terminal, as a report, on the page and on phones?"""
