"""The version of the package."""

__version__ = "1.0.0"


def show_versions() -> None:
    """Print the versions of pairopt, Python, the system and the packages in use.

    A report of a fault needs them. An extra that is not installed has None.
    """
    # Only a report of versions needs these.
    import platform
    import re
    from importlib.metadata import distributions, requires

    here = {
        each.name.lower().replace("_", "-"): each.version for each in distributions()
    }
    names = {
        re.split(r"[^\w.-]", line)[0].lower() for line in requires("pairopt") or ()
    }
    said = {"pairopt": __version__, "python": platform.python_version()}
    said |= {"system": platform.platform()}
    said |= {name: str(here.get(name)) for name in sorted(names - {"pairopt"})}
    print(*(f"{name}: {what}" for name, what in said.items()), sep="\n")
