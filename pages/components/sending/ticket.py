"""Tickets: what a page's live element may listen to, signed, so that nobody listens to what was not shown to them.

On a first visit the browser has no cookie yet when it opens the stream, so the page itself says who asks for what.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import logging
import os
import secrets
from pathlib import Path

log = logging.getLogger(__name__)

LONGEST = 2_000  # characters of a ticket that are looked at
_BYTES = 32


class Tickets:
    """Issues tickets and reads them. With the same key another server, such as this one after a restart, does, too."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def kept_in(cls, folder: Path) -> Tickets:
        """Return tickets whose key is a file in the folder; where none can be written, they end with this server."""
        file = folder / "tickets.key"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return cls(_read_or_write(file))
        except OSError as why:
            log.warning("the key of the tickets is not kept: %s", why)
            return cls(secrets.token_bytes(_BYTES))

    def issue(self, *subject: str) -> str:
        """Return a ticket for a subject: its kind, and what says which of that kind.

        >>> tickets = Tickets(b"a key")
        >>> tickets.subject(tickets.issue("run", "a visitor", "an id"))
        ('run', 'a visitor', 'an id')
        >>> tickets.subject("anything else") is None
        True
        """
        said = base64.urlsafe_b64encode(json.dumps(subject).encode()).decode().rstrip("=")
        return f"{said}.{self._signature(said)}"

    def subject(self, ticket: object) -> tuple[str, ...] | None:
        """Return what a ticket is for; ``None`` if it is none of ours."""
        if not isinstance(ticket, str) or len(ticket) > LONGEST or not ticket.isascii():
            return None
        said, _, signature = ticket.partition(".")
        if not hmac.compare_digest(signature, self._signature(said)):
            return None
        try:
            return tuple(json.loads(base64.urlsafe_b64decode(said + "=" * (-len(said) % 4))))
        except (ValueError, binascii.Error):
            return None

    def _signature(self, said: str) -> str:
        return hmac.new(self._key, said.encode(), hashlib.sha256).hexdigest()


def _read_or_write(file: Path) -> bytes:
    """Return the key in the file, or write a new one; of two processes that do so at once, both get the first's."""
    for _ in range(2):
        if file.exists() and len(kept := file.read_bytes()) == _BYTES:
            return kept
        beside = file.with_name(f".{file.name}-{secrets.token_hex(4)}")
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as written:
            written.write(secrets.token_bytes(_BYTES))
        try:
            if file.exists() and file.stat().st_size != _BYTES:
                file.unlink()
            os.link(beside, file)  # unlike a rename, it does not take another's place
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)
    return file.read_bytes()
