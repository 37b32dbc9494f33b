"""The plan of a soak, and what makes its verdict a bad one."""

import asyncio
import base64
import json
import random
from types import SimpleNamespace

import pytest

from tests.pages.aside import run_aside
from tools.load.message import Message
from tools.load.tab import Component, Run
from tools.soak import sitting
from tools.soak.faults import happen
from tools.soak.inspecting import gave_way
from tools.soak.ledger import Happened, Ledger, Sample, Waited
from tools.soak.plan import CLUSTER, KINDS, LASTS, LOCKED, READ_ONLY, SCHEDULER, SERVER, THREADS, WORKER, Fault, plan
from tools.soak.troubles import tracebacks
from tools.soak.verdict import AFTERWARDS, judge
from tools.soak.words import told


def judged(ledger, lost=(), different=(), tracebacks=(), exit_code=0):
    return judge(ledger, dict.fromkeys(lost, "gone"), different, tracebacks, exit_code)


@pytest.fixture
def quiet() -> Ledger:
    """Nothing has happened to a run and its visitor."""
    ledger = Ledger()
    ledger.tell("a run", "explore", "", "ann")
    ledger.samples += [Sample(float(at), 1, 600, 40, 200, 2.0) for at in range(0, 600, 2)]
    return ledger


def test_the_plan_is_the_seeds_and_leaves_nothing_out():
    plans = [plan(seed, 10) for seed in range(20)]
    assert plans == [plan(seed, 10) for seed in range(20)]
    assert len({tuple(each) for each in plans}) == 20
    for faults in [*plans, plan(0, 60)]:
        assert {fault.kind for fault in faults} == set(KINDS)
        times = [fault.at for fault in faults]
        assert times == sorted(times)
        assert all(later - fault.at > fault.seconds for fault, later in zip(faults, times[1:], strict=False))
        assert all(LASTS[fault.kind][0] <= fault.seconds <= LASTS[fault.kind][1] for fault in faults)
    assert times[-1] < 60 * 60
    assert len(plan(0, 0.5)) == 1


def test_workers_are_killed_while_they_compute():
    for fault_kind in (WORKER, SCHEDULER):
        for seed in range(20):
            on = THREADS
            for fault in plan(seed, 30):
                on = fault.how if fault.kind == SERVER else on
                assert fault.kind != fault_kind or on == CLUSTER


def test_a_class_to_which_nothing_happened_is_well(quiet):
    verdict = judged(quiet)
    assert verdict.good, verdict.wrong
    verdict.facts |= {"links_opened": 1, "runs_done": 1, "runs_compared": 1, "runs_given_up_unseen": []}
    assert told(verdict).endswith("verdict: good")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"lost": ["a run"]}, "1 of 1 runs were lost"),
        ({"different": ["a run"]}, "1 runs have other bits"),
        ({"tracebacks": ["ValueError"]}, "1 tracebacks stand in the server's log"),
        ({"exit_code": -9}, "the server ended with -9, not with 0"),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
def test_what_may_not_happen_is_not_good(quiet, found, words):
    assert judged(quiet, **found).wrong == [words]


def test_what_was_shown_is_held_against_the_faults(quiet):
    quiet.happened.append(Happened(LOCKED, -10.0, -5.0))
    quiet.fail("page: The store of runs is locked by another program. Results are kept in memory.")
    assert judged(quiet).good
    quiet.fail("page: Something went wrong on this page.")
    quiet.fail("connection: ConnectionClosedError")  # which a lock does not explain
    assert judged(quiet).wrong == ["2 errors were shown that no fault explains"]
    quiet.errors = quiet.errors[:1]
    quiet.happened[0] = Happened(LOCKED, -60.0, -1.0 - AFTERWARDS)
    assert not judged(quiet).good


@pytest.mark.parametrize(("name", "step"), [("handles", 2), ("threads", 0.5), ("megabytes", 4)])
def test_what_grows_without_end_is_not_good(quiet, name, step):
    quiet.samples = [each._replace(**{name: getattr(each, name) + step * k}) for k, each in enumerate(quiet.samples)]
    (words,) = judged(quiet).wrong
    assert words.startswith(f"{name} of a server grew from ")
    quiet.samples = [each._replace(pid=k // 50) for k, each in enumerate(quiet.samples)]  # ends before it can be told
    assert judged(quiet).good


def test_waits_are_told_apart_by_faults(quiet):
    quiet.happened.append(Happened(READ_ONLY, 100.0, 110.0))
    quiet.waits += [Waited(since, "first chart", 2.0) for since in (90.0, 99.0, 120.0, 300.0)]
    parts = judged(quiet).facts["waits"]["first chart"]
    assert (parts["quiet"]["count"], parts["faults"]["count"]) == (2, 2)


def test_a_run_that_gave_way_is_nobodys(quiet):
    quiet.tell("a run", "explore", "", "bob")
    quiet.give_up("a run", "ann")
    assert list(quiet.owed) == ["a run"]
    quiet.give_up("a run", "bob")
    assert not quiet.owed


class OpenTab:
    """One that shows a run until its connection ends."""

    url, query, screen = "http://there", "", None
    ticket = base64.urlsafe_b64encode(json.dumps(["run", "explore", "ann", "a run"]).encode()).decode() + ".signed"

    def __init__(self) -> None:
        self.widgets = {f"explore_{name}": None for name in ("iterations", "seeds", "beta", "seed", "loss")}
        self.shown, self.ended = asyncio.Event(), asyncio.Event()

    async def runs(self):
        await self.screen.mount(Component("explore-study", "", {"ticket": self.ticket}))
        yield Run([], 0.0)
        self.shown.set()
        await self.ended.wait()

    async def rerun(self) -> None: ...

    async def enter(self, key: str, value: object) -> None: ...


@pytest.mark.parametrize(
    ("settled", "changed", "doubting"), [("", True, {"ann"}), ("done", True, set()), ("", False, set())]
)
def test_whoever_asked_for_another_and_did_not_see_it_cannot_count_on_what_started_by_itself(
    monkeypatch, settled, changed, doubting
):
    monkeypatch.setattr(sitting, "_SETTLED", 0.0)
    ledger = Ledger()

    async def sit() -> None:
        tab = OpenTab()
        at = sitting.Sitting(
            tab, SimpleNamespace(ledger=ledger, chance=random.Random(0), visitor="ann"), "explore", 0.0
        )
        staying = asyncio.create_task(at.stay())
        await tab.shown.wait()
        at.hear("study", Message("b", settled, "", b"", 0, 1, ticket=tab.ticket))
        if changed:
            await at._change()
        tab.ended.set()
        with pytest.raises(ConnectionResetError):
            await staying

    run_aside(sit())
    assert ledger.runs["a run"].holders == {"ann"}
    assert ledger.runs["a run"].doubting == doubting


def test_a_run_that_is_gone_gave_way_only_if_all_its_holders_doubt_and_the_server_stopped_it(quiet):
    stopped = "event=queued run=r visitor=a\nevent=cancelled run=r progress=0.1\nevent=queued run=s visitor=a\n"
    quiet.tell("r", "explore", "", "ann")
    assert not gave_way({"r": quiet.runs["r"]}, stopped)
    quiet.doubt("r", "ann")
    assert gave_way({"r": quiet.runs["r"]}, stopped) == {"r"}
    assert not gave_way({"r": quiet.runs["r"]}, stopped + "event=queued run=r visitor=a\n")  # the store has lost it
    quiet.tell("r", "explore", "", "bob")
    assert not gave_way({"r": quiet.runs["r"]}, stopped)
    quiet.doubt("r", "bob")
    quiet.tell("r", "explore", "", "ann")  # who was told of it again
    assert not gave_way({"r": quiet.runs["r"]}, stopped)


@pytest.mark.parametrize("back", [True, False])
def test_a_fault_lasts_until_what_was_killed_is_back(quiet, back):
    class House:
        server = SimpleNamespace(process=SimpleNamespace(pid=1))

        def kill_worker(self) -> None: ...

        async def restart_worker(self) -> bool:
            await asyncio.sleep(0.2)
            return back

    run_aside(happen([Fault(0.0, WORKER, 0.0)], House(), [], quiet))
    (fault,) = quiet.happened
    assert fault.ended - fault.begun >= 0.2
    assert judged(quiet).good == back


def test_tracebacks_are_found_in_a_log(tmp_path):
    log = tmp_path / "log"
    log.write_text(
        "time=1 level=info logger=a event=done run=0a\n"
        "time=2 level=error logger=a event=failed page=explore number=0a1b2c error=KeyError at=app.py:1 message=x\n"
        "Traceback (most recent call last):\n  File x\nValueError: no\nBrokenPipeError: said in passing\n"
    )
    assert tracebacks(log) == [
        "level=error logger=a event=failed page=explore  error=KeyError at=app.py:1 message=x",
        "ValueError: no",
    ]
