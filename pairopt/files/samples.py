"""Sample files that come with pairopt, for notebooks and first steps."""

from pathlib import Path

from pairopt.errors import UsageError

SAMPLES = (
    "examples/weekly",
    "examples/cup-draw",
    "studies/compromise/means.csv",
    "studies/orders/differences.csv",
    "studies/orders/means.csv",
    "studies/styles/means.csv",
    "studies/temptation/means.csv",
)
"""The folders and files, by their paths in the repository."""


def sample(name: str) -> Path:
    """Return the path of a sample folder or file that comes with pairopt.

    Parameters
    ----------
    name : str
        One of `SAMPLES`, or a file in one of these folders.

    Returns
    -------
    Path
        Where the folder or file is: inside the installed package, or in the checkout
        from which pairopt runs. Don't write there.

    Raises
    ------
    UsageError
        If pairopt has no such sample.

    Examples
    --------
    >>> sample("examples/weekly/matches.csv").name
    'matches.csv'
    """
    package_folder = Path(__file__).parents[1]
    installed_samples = package_folder / "samples"
    samples_root = (
        installed_samples if installed_samples.is_dir() else package_folder.parent
    )
    is_known = name in SAMPLES or name.rpartition("/")[0] in SAMPLES
    if not is_known or not (samples_root / name).exists():
        raise UsageError("file.no_sample", name=name, samples=[*SAMPLES])
    return samples_root / name
