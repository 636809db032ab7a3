"""Limits of the rating lists that pairopt reads."""

LARGEST_LIST = 2**31
"""Bytes of a list outside a zip. FIDE's largest file has 856 MB."""
MOST_PERSONS = 5_000_000
HIGHEST_FIDE_NUMBER = 10**10 - 1
LONGEST_LINE = 1000
"""Bytes of a line in a text file. FIDE's longest one has 165."""
LONGEST_VALUE = 200
"""Characters of a value in an XML file, and of a name in any list."""
MOST_FAULTS = 10
MOST_ZIPPED_FILES = 100
