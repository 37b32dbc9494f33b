"""The server's log: one line an event, with names for its parts, so that people and programs can search it."""

from __future__ import annotations

import json
import logging
import time

_OURS = ("cvar_core", "pages", "asyncio")  # what nobody has caught is said by asyncio


class OneLine(logging.Formatter):
    """Writes ``time=… level=… event=… run=…``; a stack trace becomes one quoted part at the end."""

    converter = time.gmtime

    def format(self, record: logging.LogRecord) -> str:
        when = self.formatTime(record, "%Y-%m-%dT%H:%M:%SZ")
        said = " ".join(record.getMessage().split())
        line = f"time={when} level={record.levelname.lower()} logger={record.name} event={said}"
        if record.exc_info:
            line += f" trace={json.dumps(self.formatException(record.exc_info), ensure_ascii=False)}"
        return line


def configure() -> None:
    """Send what the project and the server log to the error output; a second call changes nothing."""
    for name in _OURS:
        logger = logging.getLogger(name)
        if not any(isinstance(each.formatter, OneLine) for each in logger.handlers):
            handler = logging.StreamHandler()
            handler.setFormatter(OneLine())
            logger.addHandler(handler)
            logger.setLevel(logging.INFO)
            logger.propagate = False
    for handler in logging.getLogger("uvicorn").handlers:
        handler.setFormatter(OneLine())
