"""The browser's cache of large messages: the server sends only the hash of what a tab says it still has."""

from __future__ import annotations

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

_KEPT = 2  # runs that a message outlives its last use by; Streamlit's global.maxCachedMessageAge


class MessageCache:
    def __init__(self) -> None:
        self._messages: dict[str, ForwardMsg] = {}
        self._used: dict[str, int] = {}
        self._runs = 0

    @property
    def hashes(self) -> list[str]:
        return list(self._messages)

    def resolve(self, message: ForwardMsg) -> ForwardMsg:
        """Return the message itself, or the one that it refers to; keep it if the server will want to refer to it."""
        if message.HasField("ref_hash"):
            found = ForwardMsg()
            found.CopyFrom(self._messages[message.ref_hash])
            found.metadata.CopyFrom(message.metadata)
            self._used[message.ref_hash] = self._runs
            return found
        if message.metadata.cacheable:
            self._messages[message.hash] = message
            self._used[message.hash] = self._runs
        return message

    def age(self, fragment_ids: list[str]) -> None:
        """Count a run, and let go of what it no longer used; the run of a fragment says nothing about the others."""
        self._runs += 1
        for each, used in list(self._used.items()):
            fragment = self._messages[each].delta.fragment_id
            if self._runs - used > _KEPT and (not fragment_ids or fragment in fragment_ids):
                del self._messages[each], self._used[each]
