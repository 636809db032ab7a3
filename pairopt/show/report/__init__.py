"""Report: a paired round as one self-contained HTML file, to read on a phone or print."""

from pairopt.show.report.page import report_text

__all__ = ["report_text"]
