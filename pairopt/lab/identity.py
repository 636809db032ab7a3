"""Identity of code of one's own: its name, what tells it apart, what is said where it fails.

What a study has finished is known again by what made it: for code of one's own the module is part
of that, and a changed module is played anew.
"""

import ast
import hashlib
import inspect
import re
import sys
import sysconfig
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from pathlib import Path, PurePath
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from pairopt.errors import PairoptError, UsageError
from pairopt.lab.published_names import published_name

PACKAGE = "pairopt"
ROOM = re.compile(r"^(pairopt\.lab\.)(?:playing|measuring|running|instruments)\.")
PLAIN = (bool, int, float, str, bytes, type(None))
LATER: Final[Mapping[str, bool]] = {"later": True}
"""Metadata of fields that were added: at their default they are no part of what a value means."""


def public_module_name(module: str) -> str:
    """The name of a module as digests and settings have it: without the room of the lab."""
    return ROOM.sub(r"\1", module)


def place_of(thing: Any) -> str:
    """Name a class or function as registrations and digests do, by its module and its name there.

    Classes that studies are made of keep the names that are published, wherever they are now.
    """
    module = thing.__module__ or ""
    known = published_name(f"{module}:{thing.__qualname__}")
    return known or f"{public_module_name(module)}:{thing.__qualname__}"


def name_of(thing: object) -> str:
    """What something of one's own is called: its `name` or `kind`, else that of its code."""
    for key in ("name", "kind", "__name__"):
        if isinstance(found := getattr(thing, key, None), str):
            return found
    return type(thing).__name__


def meant_fields(value: Any) -> list[Field[Any]]:
    """The fields of a dataclass that say something: what was added leaves older digests true."""
    held = ((each, each.metadata.get("later")) for each in fields(value))
    return [
        each
        for each, later in held
        if not (later and getattr(value, each.name) == each.default)
    ]


@contextmanager
def user_code_errors(what: str) -> Iterator[None]:
    """Raises UsageError, with the place, for whatever the code inside raises."""
    try:
        yield
    except PairoptError:
        raise
    except Exception as error:
        place, said = (
            traceback.extract_tb(error.__traceback__)[-1],
            type(error).__name__,
        )
        raise UsageError(
            "own.raised",
            what=what,
            error=f"{said}: {error}",
            file=Path(place.filename).name,
            line=place.lineno,
        ) from error


def identity(value: Any) -> object:
    """A plain value that is equal for two values exactly if they mean the same; of code of one's
    own what its module says. Raises UsageError for what cannot be told apart so.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Enum) or type(value) in PLAIN:
        return repr(value)
    if isinstance(value, np.ndarray):
        return [str(value.dtype), *value.shape, value.tolist()]
    if isinstance(value, list | tuple):
        return [identity(each) for each in value]
    if isinstance(value, set | frozenset):
        return ["set", *sorted(map(repr, map(identity, value)))]
    if isinstance(value, Mapping):
        return [[identity(key), identity(each)] for key, each in value.items()]
    if isinstance(value, PurePath):
        return ["path", value.as_posix()]
    if isinstance(
        value, partial | MethodType | FunctionType | type
    ) or inspect.isbuiltin(value):
        return _identity_of_code(value)
    more = value.fingerprint() if hasattr(value, "fingerprint") else None
    if is_dataclass(value):
        held: object = {
            each.name: getattr(value, each.name) for each in meant_fields(value)
        }
    else:
        held = _pickled(value)
    return [_code_identity(type(value)), more, identity(held)]


def _identity_of_code(value: Any) -> object:
    if isinstance(value, partial):
        return [
            "partial",
            *(identity(x) for x in (value.func, value.args, value.keywords)),
        ]
    if isinstance(value, MethodType):
        return [value.__name__, identity(value.__self__)]
    if not isinstance(value, FunctionType):
        return _code_identity(value)
    if value.__name__ == "<lambda>":
        raise UsageError("own.lambda")
    closed = [cell.cell_contents for cell in value.__closure__ or ()]
    return [
        _code_identity(value),
        *map(identity, (value.__defaults__, value.__kwdefaults__, closed)),
    ]


def _pickled(value: Any) -> object:
    """All that an object would be made of again in another process."""
    try:
        parts = value.__reduce_ex__(2)
    except TypeError:
        raise UsageError("own.no_dataclass", name=name_of(value)) from None
    if isinstance(parts, str):
        return parts
    return [*parts[1:3], *(list(items or ()) for items in parts[3:5])]


def digest(value: object) -> str:
    """Equal for two values exactly if they mean the same, for all that can be foreseen."""
    return hashlib.sha256(repr(identity(value)).encode()).hexdigest()[:32]


def travelling() -> list[ModuleType]:
    """List the user's own modules that are part of a digest, without installed packages."""
    return [module for module in _SEEN if not _is_installed(module)]


def _code_identity(thing: Any) -> str:
    """Where something is defined, and what is written there."""
    module = sys.modules.get(thing.__module__ or "")
    where = place_of(thing)
    if module is None or (thing.__module__ or "").split(".")[0] == PACKAGE:
        return where
    if (
        getattr(module, "__file__", None) is None
        and module.__name__ in sys.builtin_module_names
    ):
        return where
    # every Python version has other code there, for example in fractions.py
    if _is_standard_library(module):
        return where
    return (
        f"{where} {_module(module) if hasattr(module, '__file__') else _source(thing)}"
    )


_SEEN: dict[ModuleType, None] = {}


def _is_installed(module: ModuleType) -> bool:
    """Whether a module is in a folder of installed packages."""
    path = Path(str(module.__file__)).resolve()
    return not {"site-packages", "dist-packages"}.isdisjoint(path.parts)


def _is_standard_library(module: ModuleType) -> bool:
    """Whether a module is part of Python itself. The folder of packages is inside Python's own."""
    if getattr(module, "__file__", None) is None or _is_installed(module):
        return False
    stdlib = Path(sysconfig.get_path("stdlib")).resolve()
    return stdlib in Path(str(module.__file__)).resolve().parents


@cache
def _module(module: ModuleType) -> str:
    """The digest of a module's code, its comments and its block for scripts left out."""
    path = Path(str(module.__file__))
    _SEEN[module] = None
    if path.suffix != ".py":
        return path.name
    kept = [
        node
        for node in ast.parse(path.read_bytes()).body
        if not (
            isinstance(node, ast.If)
            and ast.unparse(node.test) == "__name__ == '__main__'"
        )
    ]
    return hashlib.sha256("".join(map(syntax_text, kept)).encode()).hexdigest()


def syntax_text(tree: ast.AST) -> str:
    """Write a syntax tree as `ast.dump` of Python 3.11 does, on every version of Python.

    Published digests are of this text. Python 3.12 adds `type_params` to functions and classes,
    and empty constants to f-strings. Python 3.13 leaves out empty lists. The function removes
    what later versions added from `tree` itself.
    """
    for node in ast.walk(tree):
        if getattr(node, "type_params", None) == []:
            del node.type_params  # type: ignore[attr-defined]
        if isinstance(node, ast.JoinedStr):
            node.values = [part for part in node.values if not _is_empty_text(part)]

    if sys.version_info >= (3, 13):
        return ast.dump(tree, show_empty=True)
    return ast.dump(tree)


def _is_empty_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value == ""


def _source(thing: Any) -> str:
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):
        raise UsageError("own.no_source", name=thing.__qualname__) from None
