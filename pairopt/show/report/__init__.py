"""Report: a paired round as one self-contained HTML file, to read on a phone or print."""

from pairopt.show.report.page import InputFile, report_text

__all__ = ["InputFile", "report_text"]
