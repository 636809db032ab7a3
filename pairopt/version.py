"""The version of the package."""

__version__ = "1.0.0"


def show_versions() -> None:
    """Print the versions of pairopt, Python, the system and the installed packages.

    Please include the printed versions if you report a fault. A package that is not
    installed has the version None.
    """
    # Only a report of versions needs these.
    import platform
    import re
    from importlib.metadata import distributions, requires

    installed_versions = {}
    for distribution in distributions():
        package_name = distribution.name.lower().replace("_", "-")
        installed_versions[package_name] = distribution.version
    required_packages = {
        re.split(r"[^\w.-]", requirement)[0].lower()
        for requirement in requires("pairopt") or ()
    }
    versions = {
        "pairopt": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
    }
    for package_name in sorted(required_packages - {"pairopt"}):
        versions[package_name] = str(installed_versions.get(package_name))
    for package_name, version in versions.items():
        print(f"{package_name}: {version}")
