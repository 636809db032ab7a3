"""Errors that docstrings name are classes of the package or of Python."""

from __future__ import annotations

import ast
import builtins
import re
from pathlib import Path

import pytest
from places import ROOT

PACKAGE = ROOT / "pairopt"
TREES = {
    path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")
}
WITH_DOCSTRINGS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
KNOWN = {
    *dir(builtins),
    *(
        name
        for tree in TREES.values()
        for node in ast.walk(tree)
        for name in (
            [node.name]
            if isinstance(node, ast.ClassDef)
            else [alias.asname or alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    ),
}


@pytest.mark.parametrize("path", sorted(TREES), ids=lambda path: path.stem)
def test_errors_in_docstrings_are_classes(path: Path) -> None:
    texts = [
        ast.get_docstring(node) or ""
        for node in ast.walk(TREES[path])
        if isinstance(node, WITH_DOCSTRINGS)
    ]
    named = {name for text in texts for name in re.findall(r"\b[A-Z]\w+Error\b", text)}
    assert named <= KNOWN
