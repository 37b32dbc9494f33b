"""Tickets: ours are read, after a restart, too; everything else is nobody's."""

import stat
import threading

from hypothesis import given
from hypothesis import strategies as st

from pages.components.sending.ticket import LONGEST, Tickets


@given(st.lists(st.text(max_size=40), max_size=5))
def test_what_was_issued_is_read(subject):
    tickets = Tickets(b"a key")
    assert tickets.subject(tickets.issue(*subject)) == tuple(subject)
    assert Tickets(b"another key").subject(tickets.issue(*subject)) is None


@given(st.data())
def test_a_ticket_with_another_letter_is_nobodys(data):
    ticket = Tickets(b"a key").issue("run", "explore", "somebody", "a run")
    place = data.draw(st.integers(0, len(ticket) - 1))
    letter = data.draw(st.characters(codec="ascii").filter(lambda each: each != ticket[place]))
    assert Tickets(b"a key").subject(ticket[:place] + letter + ticket[place + 1 :]) is None


def test_what_is_too_long_is_not_even_looked_at():
    tickets = Tickets(b"a key")
    assert tickets.subject(tickets.issue("x" * LONGEST)) is None


def test_the_key_outlives_the_server_and_is_its_owners(tmp_path):
    ticket = Tickets.kept_in(tmp_path / "data").issue("run")
    assert Tickets.kept_in(tmp_path / "data").subject(ticket) == ("run",)
    assert Tickets.kept_in(tmp_path / "elsewhere").subject(ticket) is None
    (key,) = (tmp_path / "data").iterdir()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_broken_key_is_written_anew(tmp_path):
    (tmp_path / "tickets.key").write_bytes(b"short")
    ticket = Tickets.kept_in(tmp_path).issue("run")
    assert Tickets.kept_in(tmp_path).subject(ticket) == ("run",)


def test_servers_that_start_at_once_have_one_key(tmp_path):
    made: list[Tickets] = []
    ready = threading.Barrier(8)

    def start() -> None:
        ready.wait()
        made.append(Tickets.kept_in(tmp_path))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ticket = made[0].issue("run")
    assert [each.subject(ticket) for each in made] == [("run",)] * 8


def test_a_folder_that_cannot_be_written_to_keeps_no_key(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    tickets = Tickets.kept_in(tmp_path / "file" / "data")
    assert tickets.subject(tickets.issue("run")) == ("run",)
    assert "not kept" in caplog.text
