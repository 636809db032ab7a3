"""Report: the print views of a round as one self-contained HTML file, to read or print."""
