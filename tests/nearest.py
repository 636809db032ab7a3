"""Nearest: which tests concern a module of the package, for faults that are planted in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
Call = tuple[str, ...]
"""Arguments of one call of pytest."""

OWN: dict[str, tuple[Call, ...]] = {
    "pairopt/rules/base.py": (
        ("tests/rules/test_sizes.py", "tests/rules/test_contract.py", "tests/models"),
    ),
    "pairopt/rules": (
        ("tests/rules", "-k", "{name} or {plain}"),
        (
            "tests/problem/test_model_files.py",
            "tests/models",
            "tests/docs/test_from_code.py",
        ),
        ("tests/rules/test_sizes.py", "tests/problem/test_verifier.py"),
    ),
    "pairopt/event/settings.py": (
        ("tests/folder/test_settings.py",),
        ("tests/event", "tests/files", "-m", "fast"),
    ),
    "pairopt/folder/create.py": (
        ("tests/files/test_nrtm_json.py", "tests/web/test_web_new.py"),
        ("tests/folder", "-m", "fast"),
    ),
    "pairopt/cli/asking.py": (
        ("tests/analysis/test_odds.py", "tests/analysis/test_typical.py"),
        ("tests/cli", "-m", "fast"),
    ),
    "pairopt/cli/study.py": (
        ("tests/lab/test_study_commands.py",),
        ("tests/cli", "-m", "fast"),
    ),
    "pairopt/rules/constraints/preferences.py": (
        (
            "tests/fide/test_burstein_reasons.py",
            "tests/fide/test_dutch_articles.py",
            "-m",
            "fast",
        ),
        ("tests/rules", "tests/fide", "-m", "fast"),
    ),
    "pairopt/problem/verifier.py": (
        ("tests/problem/test_verifier.py",),
        ("tests/round/test_verify.py", "tests/engines/test_regressions.py"),
    ),
    "pairopt/event/state.py": (
        ("tests/event/test_player_state.py", "tests/event/test_points.py"),
        ("tests/problem/test_verifier.py", "tests/event/test_standings.py"),
        ("tests/fide/test_fide_dutch.py", "tests/rules/test_excalibur_order.py"),
        ("tests/round/test_explain.py",),
    ),
    "pairopt/analysis/typical.py": (
        ("tests/analysis/test_typical.py", "tests/analysis/test_spreads.py"),
        ("tests/round", "tests/cli", "-m", "fast"),
    ),
    "pairopt/round/explain.py": (
        ("tests/round/test_explain.py",),
        ("tests/round/test_decisive.py",),
    ),
    "pairopt/problem/levels.py": (
        ("tests/problem/test_levels.py",),
        ("tests/round/test_decisive.py",),
        ("tests/round/test_verify.py", "tests/round/test_compare.py"),
    ),
    "pairopt/common/budget.py": (
        ("tests/engines/test_deadline.py", "tests/sampling/test_in_time.py"),
    ),
    "pairopt/errors.py": (("tests/files", "tests/cli", "-m", "fast"),),
    "pairopt/registry.py": (
        ("tests/lab/test_laboratory.py", "tests/problem/test_model_files.py"),
    ),
    "pairopt/common/atomic_write.py": (
        ("tests/folder/test_killed.py", "tests/files/test_guard.py"),
    ),
    "pairopt/messages/formatting.py": (
        ("tests/messages/test_formatting.py",),
        ("tests/round", "-m", "fast"),
    ),
}
"""For files and folders for which the tests of their room are too many, or not all."""

BESIDE: dict[str, tuple[str, ...]] = {
    "engines": ("tests/rules", "tests/proof"),
    "event": ("tests/problem", "tests/files"),
    "fide": ("tests/models",),
    "files": ("tests/folder", "tests/cli"),
    "folder": ("tests/web",),
    "sampling": ("tests/round", "tests/analysis"),
    "analysis": ("tests/cli",),
    "api": ("tests/docs",),
    "common": ("tests/folder", "tests/files"),
    "messages": ("tests/round",),
    "report": ("tests/web",),
    "web": ("tests/folder",),
    "cli": ("tests/folder",),
    "show": ("tests/common",),
    "problem": ("tests/models", "tests/round"),
    "proof": ("tests/round",),
    "round": ("tests/cli",),
}
"""Rooms whose modules are tested in others, too."""


def calls_for(path: str) -> Iterator[Call]:
    """The calls of pytest that concern a file, nearest first."""
    name = PurePosixPath(path).stem
    words = {"{name}": name, "{plain}": name.replace("_", "")}
    keys = [key for key in OWN if path == key or path.startswith(f"{key}/")]
    for call in OWN[max(keys, key=len)] if keys else _of_room(path):
        yield tuple(_filled(word, words) for word in call)


def modules() -> list[str]:
    """All modules of the package, as paths in the checkout."""
    return sorted(
        path.relative_to(ROOT).as_posix() for path in (ROOT / "pairopt").rglob("*.py")
    )


def _of_room(path: str) -> Iterator[Call]:
    """The tests that a module's name is in, the fast ones of its room, those beside, and all."""
    folder = _folder(path)
    yield folder, "-k", "{name} or {plain}"
    yield folder, "-m", "fast"
    room = PurePosixPath(path).parts[1]
    if room in BESIDE:
        yield *BESIDE[room], "-m", "fast"
    yield (folder,)


def _folder(path: str) -> str:
    """The tests' folder of the same name, as far down as there is one; else the commands'."""
    tests = Path("tests", *PurePosixPath(path).parts[1:-1])
    while not (ROOT / tests).is_dir():
        tests = tests.parent
    return tests.as_posix() if tests != Path("tests") else "tests/cli"


def _filled(word: str, words: dict[str, str]) -> str:
    for slot, value in words.items():
        word = word.replace(slot, value)
    return word
