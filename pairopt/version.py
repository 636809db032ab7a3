"""The version of the package."""

__version__ = "1.0.0"


def show_versions() -> None:
    """Print what a report of a fault needs: pairopt's version, Python's, the system's, and those of
    the packages that pairopt uses, None for extras that are not installed."""
    import platform
    import re
    from importlib.metadata import PackageNotFoundError, requires, version

    print(f"pairopt: {__version__}")
    print(f"python: {platform.python_version()}")
    print(f"system: {platform.platform()}")
    names = (re.match(r"[\w.-]+", line) for line in requires("pairopt") or ())
    for name in sorted({found[0].lower() for found in names if found} - {"pairopt"}):
        try:
            print(f"{name}: {version(name)}")
        except PackageNotFoundError:
            print(f"{name}: None")
