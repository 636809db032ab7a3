"""Edit a TOML file and keep everything else as its owner wrote it."""

import re
from collections.abc import Callable
from typing import Any

from pairopt.errors import InputError
from pairopt.files.text_source import decode_text, encode_text


def edit_toml(name: str, file: bytes, write: Callable[[Any], None]) -> bytes:
    """Return a TOML file in which `write` has changed the parsed document.

    `write` gets the document of tomlkit and changes it. Comments, order, line ends and
    encoding stay. `name` is the name of the file in messages.

    Raises
    ------
    InputError
        The file is not valid TOML.
    """
    # Few steps edit event.toml, and the others start faster without this import.
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    text_source = decode_text(name, file)
    try:
        toml_document = tomlkit.parse(text_source.text)
    except TOMLKitError as error:  # a file that tomllib accepted
        raise InputError(
            text_source.name, "key.cannot_be_changed", error=str(error)
        ) from None

    write(toml_document)
    edited_text = re.sub("\r?\n", text_source.newline, tomlkit.dumps(toml_document))
    return encode_text(edited_text, text_source.marked)
