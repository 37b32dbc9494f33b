"""The text of a table, whatever its encoding, in blocks of whole rows."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

import numpy as np

from .bounds import DataError, size
from .content import Content

BLOCK = 2**22  # bytes
LONGEST_ROW = 2**24  # bytes; a longer one is no row of a table
_CONTROL = bytes(range(1, 9)) + bytes(range(14, 27)) + bytes(range(28, 32))
UTF_8, WINDOWS = "UTF-8", "Windows-1252"
_MARKS = {codecs.BOM_UTF8: UTF_8, codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}


class NotUtf8(Exception):
    """Text that is not in the encoding that it seemed to be in."""


def encoding_of(content: Content) -> str:
    """Tell a text's encoding from its first bytes; UTF-8 is a guess."""
    head = content.head
    for mark, name in _MARKS.items():
        if head.startswith(mark):
            return name
    if b"\x00" not in head or len(head) < 4:
        return UTF_8
    zeros = [head[k::2].count(0) / len(head[k::2]) for k in (0, 1)]  # letters are a byte beside a zero
    if max(zeros) > 0.4 and min(zeros) < 0.05:
        return "UTF-16-LE" if zeros[1] > zeros[0] else "UTF-16-BE"
    return UTF_8


def blocks(content: Content, encoding: str, block: int = BLOCK) -> Iterator[bytes]:
    """Yield the rows in UTF-8, about ``block`` bytes at a time, each row whole, quoted line breaks in it or not.

    Raises ``NotUtf8`` at the first byte that shows that UTF-8 was a wrong guess.
    """
    held: list[bytes] = []
    total = 0
    enough = block
    for piece in _pieces(content, encoding):
        held.append(piece)
        total += len(piece)
        if total < enough:
            continue
        text = b"".join(held)
        end = _last_end(text)
        if not end and total > LONGEST_ROW:
            end = text.rfind(b"\n") + 1  # a quote that is no quotation, or is never closed
            if not end:
                raise DataError(f"{content.name} has a line of more than {size(LONGEST_ROW)}, which is the limit")
        if end:
            yield _checked(content, encoding, text[:end])
            text = text[end:]
        held, total = [text], len(text)
        enough = block if end else 2 * total
    if rest := b"".join(held):
        if len(rest) > LONGEST_ROW and b"\n" not in rest:
            raise DataError(f"{content.name} has a line of more than {size(LONGEST_ROW)}, which is the limit")
        yield _checked(content, encoding, rest)


def _pieces(content: Content, encoding: str) -> Iterator[bytes]:
    """Yield the text in UTF-8 without its mark, with line breaks that have a line feed."""
    first = True
    returns = b"\n" not in content.head and content.head.count(b"\r") > content.head.endswith(b"\r")
    decoder = None if encoding == UTF_8 else codecs.getincrementaldecoder(encoding)("strict")
    with content.open() as file:
        while piece := file.read():
            if decoder is not None:
                try:
                    piece = decoder.decode(piece).encode()
                except UnicodeError:
                    raise _no_text(content, encoding) from None
            if first:
                piece, first = piece.removeprefix(codecs.BOM_UTF8), False
            if b"\x00" in piece:
                raise DataError(f"{content.name} is not a text file: it holds zero bytes")
            yield piece.replace(b"\r", b"\n") if returns else piece
    if decoder is not None and decoder.getstate()[0]:
        raise DataError(f"{content.name} is not a text file: it ends within a letter")


def _checked(content: Content, encoding: str, text: bytes) -> bytes:
    if encoding == UTF_8 and not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError:
            raise NotUtf8 from None
    if encoding == WINDOWS and len(text.translate(None, _CONTROL)) < len(text):
        raise _no_text(content, encoding)
    return text


def _no_text(content: Content, encoding: str) -> DataError:
    found = f"neither UTF-8 nor {encoding}" if encoding == WINDOWS else f"not {encoding}"
    return DataError(f"{content.name} is not a text file: what is in it is {found}")


def _last_end(text: bytes) -> int:
    """Return where the last row ends: behind a line break before which as many quotes are closed as were opened."""
    end = text.rfind(b"\n") + 1
    if text.count(b'"', 0, end) % 2 == 0:
        return end
    letters = np.frombuffer(text, np.uint8)
    quotes, ends = np.flatnonzero(letters == ord('"')), np.flatnonzero(letters == ord("\n"))
    outside = ends[np.searchsorted(quotes, ends) % 2 == 0]
    return int(outside[-1]) + 1 if len(outside) else 0
