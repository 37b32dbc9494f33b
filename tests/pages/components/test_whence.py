"""Whose address it is: who has connected, or whom the proxies name that are there; nobody chooses their own."""

import pytest

from pages.components.sending.whence import HERE, whence, whence_in

PROXY = "10.0.0.1"


@pytest.mark.parametrize(
    ("peer", "headers", "proxies", "address"),
    [
        ("192.0.2.1", [], 0, "192.0.2.1"),
        ("::ffff:192.0.2.1", [], 0, "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", [], 0, "2001:db8:1:2::"),
        (None, [], 0, HERE),
        ("127.0.0.1", [], 0, HERE),
        ("::1", [], 0, HERE),
        (PROXY, ["192.0.2.1"], 0, PROXY),
        (PROXY, ["192.0.2.1"], 1, "192.0.2.1"),
        (PROXY, ["forged, 192.0.2.1"], 1, "192.0.2.1"),
        (PROXY, ["forged", "192.0.2.1"], 1, "192.0.2.1"),
        (PROXY, ["forged, 192.0.2.1, 10.0.0.2"], 2, "192.0.2.1"),
        (PROXY, ["192.0.2.1:4711"], 1, "192.0.2.1"),
        (PROXY, ["[2001:db8:1:2:3::]:4711"], 1, "2001:db8:1:2::"),
        (PROXY, ["192.0.2.1"], 2, PROXY),
        (PROXY, ["unknown"], 1, PROXY),
        (PROXY, [], 1, PROXY),
    ],
)
def test_an_address_is_the_one_that_cannot_be_chosen(peer, headers, proxies, address):
    assert whence(peer, headers, proxies) == address
    sent = [(b"x-forwarded-for", value.encode()) for value in headers]
    assert whence_in({"type": "http", "client": peer and (peer, 1), "headers": sent}, proxies) == address
