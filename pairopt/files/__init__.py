"""Read and write files: CSV, TRF, NRTM, workbooks and event folders."""

from pairopt.files.read import read_event

__all__ = ["read_event"]
