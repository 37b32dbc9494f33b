"""Where a visitor comes from: the address that limits bind, whoever they say they are."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

from starlette.datastructures import Headers
from starlette.types import Scope

FORWARDED = "X-Forwarded-For"
HERE = "localhost"
_SITE = 64  # bits of an address of version 6; the others are for whoever has them to choose


def whence(peer: str | None, forwarded: Sequence[str], proxies: int) -> str:
    """Return the address that somebody comes from.

    Parameters
    ----------
    peer
        Who has opened the connection; nobody where it did not come by a network.
    forwarded
        What the headers say. Each proxy adds at the right whom it was called by; what stands left of that, anybody
        may have written.
    proxies
        How many there are before the server, whose word is taken.

    >>> whence("192.0.2.1", ["203.0.113.9"], proxies=0)
    '192.0.2.1'
    >>> whence("192.0.2.1", ["198.51.100.1, 203.0.113.9"], proxies=1)
    '203.0.113.9'
    >>> whence("2001:db8::7", [], proxies=0)
    '2001:db8::'
    """
    named = [each for value in forwarded for each in value.split(",")]
    told = named[-proxies] if 0 < proxies <= len(named) else ""
    return _plain(told) or _plain(peer or "") or HERE


def whence_in(scope: Scope, proxies: int) -> str:
    """Return the same for a request."""
    return whence((scope.get("client") or (None,))[0], Headers(scope=scope).getlist(FORWARDED), proxies)


def _plain(text: str) -> str:
    """Return an address in its one form, nothing if it is none; those of one site and of this machine are one."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]  # some proxies add a port
    try:
        found: IPv4Address | IPv6Address = ip_address(text)
    except ValueError:
        return ""
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or found
    if found.is_loopback:
        return HERE
    if isinstance(found, IPv6Address):
        found = IPv6Address(int(found) >> (128 - _SITE) << (128 - _SITE))
    return str(found)
