"""Reads XML files: their text in the declared encoding, and their elements."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from .._errors import InputError
from .text import decode, marked_encoding

_DECLARATION = re.compile(rb"""^(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._:-]+)["'][^>]*\?>""")
_WIDE = {b"<\0?\0": "utf-16-le", b"\0<\0?": "utf-16-be", b"<\0\0\0": "utf-32-le", b"\0\0\0<": "utf-32-be"}
"""The encodings of documents without a byte order mark, by their first four bytes, as in the XML specification."""


def holds_word(data: bytes, word: str) -> bool:
    """True if a document contains an ASCII word, whatever its encoding."""
    if not marked_encoding(data) and data[:4] not in _WIDE:
        return word.encode() in data
    return any(word.encode(encoding) in data for encoding in _WIDE.values())


def xml_text(data: bytes, path: str | Path) -> str:
    """The text of a document without its XML declaration, which names an encoding that no longer applies to the text.

    Raises:
        InputError: The document is not text in the encoding that it declares.
    """
    declared = _DECLARATION.match(data)
    encoding = _WIDE.get(data[:4]) or (declared[1].decode("ascii") if declared else "utf-8")
    return re.sub(
        r"^\s*<\?xml[^>]*\?>", lambda match: "\n" * match[0].count("\n"), decode(data, path, encoding), count=1
    )


def xml_root(text: str, path: str | Path) -> ElementTree.Element:
    """The root element of a document.

    Raises:
        InputError: The document is not well-formed.
    """
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        line, column = error.position
        reason = str(error).partition(":")[0]
        raise InputError(path, f"line {line}", f"not well-formed XML at column {column + 1}: {reason}") from None
    except (ValueError, RecursionError) as error:  # the text contains a lone surrogate, or elements nested too deeply
        raise InputError(path, "", f"cannot be read as XML: {error}") from None


def local_name(element: ElementTree.Element) -> str:
    """The name of an element without its namespace; empty for a comment or a processing instruction."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
