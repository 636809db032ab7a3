"""Identity of the user's code: its name, its digest, and errors that name it.

The digest of a task decides whether a study plays it again. For the user's code it contains the
module's syntax tree, so a changed module is played again.
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
OLD_PACKAGE = re.compile(
    r"^(pairopt\.lab\.)(?:playing|measuring|running|instruments)\."
)
PLAIN = (bool, int, float, str, bytes, type(None))
LATER: Final[Mapping[str, bool]] = {"later": True}
"""Metadata of dataclass fields that were added later: at their default they are not hashed."""


def public_module_name(module: str) -> str:
    """Return a module's name in digests and settings.

    Some modules of `pairopt.lab` were in packages that no longer exist; these are left
    out of the name.
    """
    return OLD_PACKAGE.sub(r"\1", module)


def find_published_place(thing: Any) -> str:
    """Return the `module:name` of the class or function `thing` in digests.

    Registrations have it, too. Classes that are part of published studies keep the
    names under which they were published, wherever they are now. Other names leave out
    packages that no longer exist.
    """
    module_name = thing.__module__ or ""
    published_place = published_name(f"{module_name}:{thing.__qualname__}")
    return published_place or f"{public_module_name(module_name)}:{thing.__qualname__}"


def name_of(thing: object) -> str:
    """Return the name of `thing`: a model, contender, metric or other extension.

    It is the first text among the attributes `name`, `kind` and `__name__`, otherwise
    the name of the object's class.
    """
    for attribute_name in ("name", "kind", "__name__"):
        attribute_value = getattr(thing, attribute_name, None)
        if isinstance(attribute_value, str):
            return attribute_value
    return type(thing).__name__


def list_hashed_fields(value: Any) -> list[Field[Any]]:
    """List the fields of a dataclass instance that are part of its digest.

    Fields whose metadata has a true "later" were added later, and are left out at their
    default, so that older digests stay valid.
    """
    hashed_fields = []
    for dataclass_field in fields(value):
        is_later = dataclass_field.metadata.get("later", False)
        if is_later and getattr(value, dataclass_field.name) == dataclass_field.default:
            continue
        hashed_fields.append(dataclass_field)
    return hashed_fields


@contextmanager
def user_code_errors(what: str) -> Iterator[None]:
    """Turn any error of the user's code inside the block into a UsageError.

    `what` names the code in the message, which also has the error, and the file and
    line where it arose. Errors of pairopt itself pass unchanged.
    """
    try:
        yield
    except PairoptError:
        raise
    except Exception as error:
        last_frame = traceback.extract_tb(error.__traceback__)[-1]
        raise UsageError(
            "own.raised",
            what=what,
            error=f"{type(error).__name__}: {error}",
            file=Path(last_frame.filename).name,
            line=last_frame.lineno,
        ) from error


def identity(value: Any) -> object:
    """Convert a value to nested lists and texts, from which its digest is made.

    Values with equal identities are taken to give equal results. For the user's
    functions and classes it contains a digest of their module. If an object has a
    method `fingerprint`, its result is part of it. Raises UsageError for a value that
    cannot be identified, for example a lambda.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Enum) or type(value) in PLAIN:
        return repr(value)
    if isinstance(value, np.ndarray):
        return [str(value.dtype), *value.shape, value.tolist()]
    if isinstance(value, list | tuple):
        return [identity(inner_value) for inner_value in value]
    if isinstance(value, set | frozenset):
        return ["set", *sorted(map(repr, map(identity, value)))]
    if isinstance(value, Mapping):
        return [
            [identity(mapping_key), identity(inner_value)]
            for mapping_key, inner_value in value.items()
        ]
    if isinstance(value, PurePath):
        return ["path", value.as_posix()]

    is_code = isinstance(value, partial | MethodType | FunctionType | type)
    if is_code or inspect.isbuiltin(value):
        return _identity_of_code(value)

    fingerprint = value.fingerprint() if hasattr(value, "fingerprint") else None
    object_content: object
    if is_dataclass(value):
        object_content = {
            hashed_field.name: getattr(value, hashed_field.name)
            for hashed_field in list_hashed_fields(value)
        }
    else:
        object_content = _pickle_parts(value)
    return [_name_with_digest(type(value)), fingerprint, identity(object_content)]


def _identity_of_code(value: Any) -> object:
    """Convert a function, method, partial or class to nested lists and texts.

    A digest is made from these. They have the code's name and, for the user's code, a
    digest of its module. Default arguments, variables of enclosing functions, and a
    method's object are part of it. Raises UsageError for a lambda, and for code without
    a source.
    """
    if isinstance(value, partial):
        partial_parts = (value.func, value.args, value.keywords)
        return ["partial", *(identity(partial_part) for partial_part in partial_parts)]
    if isinstance(value, MethodType):
        return [value.__name__, identity(value.__self__)]
    if not isinstance(value, FunctionType):
        return _name_with_digest(value)
    if value.__name__ == "<lambda>":
        raise UsageError("own.lambda")

    closure_values = [
        closure_cell.cell_contents for closure_cell in value.__closure__ or ()
    ]
    code_context = (value.__defaults__, value.__kwdefaults__, closure_values)
    return [_name_with_digest(value), *map(identity, code_context)]


def _pickle_parts(value: Any) -> object:
    """Return the arguments, state and items from which pickle would rebuild an object.

    A text if the object is pickled by its name alone. Raises UsageError for an object
    that cannot be pickled.
    """
    try:
        pickle_parts = value.__reduce_ex__(2)
    except TypeError:
        raise UsageError("own.no_dataclass", name=name_of(value)) from None
    if isinstance(pickle_parts, str):
        return pickle_parts
    return [
        *pickle_parts[1:3],
        *(list(pickled_items or ()) for pickled_items in pickle_parts[3:5]),
    ]


def digest(value: object) -> str:
    """Return 32 hexadecimal digits of the SHA-256 of a value's `identity`.

    Raises UsageError for a value that has no identity, for example a lambda.
    """
    return hashlib.sha256(repr(identity(value)).encode()).hexdigest()[:32]


def list_user_modules() -> list[ModuleType]:
    """List the user's own modules that this process has made digests of so far.

    Modules of installed packages are left out.
    """
    return [seen_module for seen_module in _SEEN if not _is_installed(seen_module)]


def _name_with_digest(thing: Any) -> str:
    """Return a text that identifies a class or function: its name and a digest.

    `thing` is the class or function. The digest is of the source of its module; for a
    module without a file the source of `thing` itself stands in its place. Code of
    pairopt, of Python's standard library, and of unknown modules has the name alone.
    Raises UsageError if there is no source.
    """
    defining_module = sys.modules.get(thing.__module__ or "")
    published_place = find_published_place(thing)
    if defining_module is None or (thing.__module__ or "").split(".")[0] == PACKAGE:
        return published_place

    has_file = getattr(defining_module, "__file__", None) is not None
    if not has_file and defining_module.__name__ in sys.builtin_module_names:
        return published_place
    # every Python version has other code there, for example in fractions.py
    if _is_standard_library(defining_module):
        return published_place

    code_digest = (
        _digest_module(defining_module)
        if hasattr(defining_module, "__file__")
        else _read_source(thing)
    )
    return f"{published_place} {code_digest}"


_SEEN: dict[ModuleType, None] = {}


def _is_installed(module: ModuleType) -> bool:
    """Return whether a module is in a folder of installed packages.

    These are folders named `site-packages` or `dist-packages`.
    """
    module_path = Path(str(module.__file__)).resolve()
    return not {"site-packages", "dist-packages"}.isdisjoint(module_path.parts)


def _is_standard_library(module: ModuleType) -> bool:
    """Return whether a module is part of Python's standard library.

    A module without a file is not. Installed packages are not either, though their
    folder is inside Python's own folder.
    """
    if getattr(module, "__file__", None) is None or _is_installed(module):
        return False
    stdlib_folder = Path(sysconfig.get_path("stdlib")).resolve()
    return stdlib_folder in Path(str(module.__file__)).resolve().parents


@cache
def _digest_module(module: ModuleType) -> str:
    """Return the SHA-256 of a module's syntax tree, and remember the module.

    The module, in `_SEEN`, counts as one that digests were made of. The result is
    cached. Comments and the block `if __name__ == "__main__"` are left out. For a
    module that is no .py file it is only the file's name.
    """
    module_path = Path(str(module.__file__))
    _SEEN[module] = None
    if module_path.suffix != ".py":
        return module_path.name
    module_statements = ast.parse(module_path.read_bytes()).body
    module_text = "".join(
        syntax_text(statement_node)
        for statement_node in module_statements
        if not _is_main_block(statement_node)
    )
    return hashlib.sha256(module_text.encode()).hexdigest()


def _is_main_block(node: ast.stmt) -> bool:
    """Return whether the statement `node` is `if __name__ == "__main__"`."""
    if not isinstance(node, ast.If):
        return False
    return ast.unparse(node.test) == "__name__ == '__main__'"


def syntax_text(tree: ast.AST) -> str:
    """Write a syntax tree as `ast.dump` of Python 3.11 does, on every version.

    Published digests are made from this text. Python 3.12 added `type_params` and empty
    constants in f-strings; these are deleted from `tree` itself. Python 3.13 leaves out
    empty lists, which are written here.
    """
    for syntax_node in ast.walk(tree):
        if getattr(syntax_node, "type_params", None) == []:
            del syntax_node.type_params  # type: ignore[attr-defined]
        if isinstance(syntax_node, ast.JoinedStr):
            syntax_node.values = [
                string_part
                for string_part in syntax_node.values
                if not _is_empty_text(string_part)
            ]

    if sys.version_info >= (3, 13):
        return ast.dump(tree, show_empty=True)
    return ast.dump(tree)


def _is_empty_text(node: ast.AST) -> bool:
    """Return whether the part `node` of an f-string is the constant "", an empty text."""
    return isinstance(node, ast.Constant) and node.value == ""


def _read_source(thing: Any) -> str:
    """Return the source of `thing`, a class or function whose module has no file.

    Raises UsageError if there is none.
    """
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):
        raise UsageError("own.no_source", name=thing.__qualname__) from None
