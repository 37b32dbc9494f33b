"""The server's log: one line an event, with names for its parts, so that people and programs can search it."""

from __future__ import annotations

import json
import logging
import time

from .. import internals

_OURS = ("cvar_core", "pages")


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
    """Send what the project logs to the error output, and the worries of what it is made of; once is enough."""
    for name in _OURS:
        logger = logging.getLogger(name)
        if not any(isinstance(each.formatter, OneLine) for each in logger.handlers):
            logger.addHandler(_handler(logging.INFO))
            logger.setLevel(logging.INFO)
            logger.propagate = False
    worries = _handler(logging.WARNING)
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(worries)
    internals.log_by(worries)


def _handler(level: int) -> logging.Handler:
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine())
    handler.setLevel(level)
    return handler
