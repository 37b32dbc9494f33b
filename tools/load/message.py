"""What the stream sends to a live element, read no further than need be: the driver shares the machine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

_PICTURE = b', "picture": '  # in a text of JSON, quotation marks would have a stroke before them
_CHARTS = b', "charts": '


@dataclass(frozen=True)
class Message:
    """
    Attributes
    ----------
    picture
        In JSON; empty where the browser has it already.
    size
        In bytes, of all.
    ticket
        With which the element has asked for what this answers.
    """

    boot: str
    settled: str
    words: str
    picture: bytes
    size: int
    answers: int = 0
    spread: float = 0.0  # ms
    ticket: str = ""

    @classmethod
    def read(cls, text: bytes) -> Message:
        """Read what came over the socket.

        >>> Message.read(b'{"boot": "b", "settled": "", "words": "w", "picture": {"charts": []}}').picture
        b'{"charts": []}'
        >>> Message.read(b'{"boot": "b", "settled": "done", "words": "w"}').settled
        'done'
        >>> Message.read(b'{"boot": "b", "settled": "", "words": null}').words  # nobody has looked yet
        ''
        """
        head, _, rest = text.partition(_PICTURE)
        said = json.loads(head + b"}" if rest else head)
        more = said.get("answers", 0), said.get("spread", 0)
        return cls(said["boot"], said["settled"], said["words"] or "", rest[:-1], len(text), *more)

    def judges(self, lam: str | None = None) -> bool:
        """Tell whether the cards say what they think of a step size, or of any.

        >>> Message("b", "", "", b'{"above": "best \\\\u03bb = 0.1 \\\\u00b7 \\\\u03bb = 2 is safe"}', 0).judges("0.1")
        False
        """
        cards = self.picture.partition(_CHARTS)[0]
        return (b"\\u03bb = " if lam is None else b"\\u03bb = %s is " % lam.encode()) in cards

    @property
    def curves(self) -> list[dict[str, Any]]:
        """The curves of the study that have points."""
        for chart in json.loads(self.picture)["charts"] if self.picture else ():
            if chart["key"].endswith("-curves"):
                return [curve for curve in chart["figure"]["data"] if curve.get("x")]
        return []
