"""Read and write files: CSV, TRF, NRTM, workbooks and event folders."""

from pairopt.registry import lazy_exports

__getattr__, __all__ = lazy_exports(__name__)
