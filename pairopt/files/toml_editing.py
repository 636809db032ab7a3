"""Edit a TOML file and keep everything else as its owner wrote it."""

import re
from collections.abc import Callable
from typing import Any

from pairopt.errors import InputError
from pairopt.files.text_source import decode_text, encode_text


def edit_toml(name: str, file: bytes, write: Callable[[Any], None]) -> bytes:
    """Return a TOML file in which `write` has changed the parsed document.

    Comments, order, line ends and encoding stay. `name` is what messages call the file.

    Raises
    ------
    InputError
        The file is not valid TOML.
    """
    # Few steps edit event.toml, and the others start faster without this import.
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    source = decode_text(name, file)
    try:
        content = tomlkit.parse(source.text)
    except TOMLKitError as error:  # a file that tomllib accepted
        raise InputError(
            source.name, "key.cannot_be_changed", error=str(error)
        ) from None

    write(content)
    new_text = re.sub("\r?\n", source.newline, tomlkit.dumps(content))
    return encode_text(new_text, source.marked)
