"""Who was where is remembered of those who were here last, and of no more."""

from cvar_core.jobs import Whereabouts, whereabouts


def test_those_who_were_here_last_are_remembered(monkeypatch):
    monkeypatch.setattr(whereabouts, "_MOST", 3)
    known = Whereabouts()
    for visitor in "abc":
        known.note(visitor, f"192.0.2.{ord(visitor)}")
    known.note("a", "192.0.2.1")  # is here again
    known.note("d", "192.0.2.4")
    assert [known.of(visitor) for visitor in "abcd"] == ["192.0.2.1", "", "192.0.2.99", "192.0.2.4"]
    assert len(known._known) == 3
