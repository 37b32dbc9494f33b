"""Who gets the next piece, and what is learnt from how long pieces take."""

import itertools

import pytest

from cvar_core.engine import Cost
from cvar_core.scheduling import Pace, Work, clock
from cvar_core.scheduling.order import WAITED, Order

COST = Cost(1.0, 1.0, 0.001, 0.01)


class Asked:
    """A run as the order sees it."""

    def __init__(self, updates, behind=0.0):
        self.next_goal, self.cost, self.turn, self.got = Work(updates=updates), COST, 0, 0.0
        self.behind = behind


def shared_out(runs, pieces, seconds=0.1):
    order, pace = Order(), Pace()
    for run in runs:
        order.joined(run)
    for _ in range(pieces):
        first = order.ranked(runs, pace)[0]
        first.got += seconds
        order.served(first, seconds)
        yield first


def test_the_shortest_goes_first_and_the_others_have_their_share():
    runs = [Asked(5_000), Asked(100), Asked(2_000)]
    assert next(shared_out(runs, 1)) is runs[1]
    list(shared_out(runs, 800))
    short, *long = sorted(runs, key=lambda run: -run.got)
    assert short is runs[1]
    assert sum(run.got for run in long) == pytest.approx(WAITED * 80, rel=0.4)  # the shortest waits at times, too
    assert min(run.got for run in runs) > 0.3 * WAITED * 80 / 2


def test_one_of_many_short_runs_counts_for_all_that_came_before():
    runs = [Asked(100, behind=3.0), Asked(2_000)]
    assert next(shared_out(runs, 1)) is runs[1]


def test_no_run_waits_for_ever_whatever_comes():
    waiting, order, pace = Asked(10**6), Order(), Pace()
    order.joined(waiting)
    runs, gaps, gap = [waiting], [], 0
    for k in range(2_000):
        runs = [waiting, *runs[1:][-5:], Asked(1 + k % 7)]  # somebody new all the time
        order.joined(runs[-1])
        first = order.ranked(runs, pace)[0]
        order.served(first, 0.1)
        gap += 1
        if first is waiting:
            gaps.append(gap)
            gap = 0
    assert max(gaps) <= 8 / WAITED


def test_a_long_piece_is_paid_for_by_many_short_ones():
    runs, order, pace = [Asked(10), Asked(10**6)], Order(), Pace()
    for run in runs:
        order.joined(run)
    spent = {id(run): 0.0 for run in runs}
    for _ in range(3_000):
        first = order.ranked(runs, pace)[0]
        seconds = 1.0 if first is runs[1] else 0.05
        spent[id(first)] += seconds
        order.served(first, seconds)
    assert spent[id(runs[1])] / sum(spent.values()) < 1.3 * WAITED


def test_the_order_is_the_same_each_time():
    def places():
        runs = [Asked(n) for n in (500, 300, 900, 300)]
        return [runs.index(run) for run in shared_out(runs, 300)]

    assert places() == places()


def test_the_pace_is_learnt_for_each_kind_of_work():
    pace = Pace()
    assert pace.corrected(COST) == pytest.approx(COST)
    for _ in range(30):
        pace.learn(Work(updates=1_000, checkpoints=10), COST, Cost(0, 0, 2.0, 0.05))
    found = pace.corrected(COST)
    assert found.update == pytest.approx(2 * COST.update, rel=0.05)
    assert found.checkpoint == pytest.approx(0.5 * COST.checkpoint, rel=0.2)
    assert (found.draw, found.solve) == (COST.draw, COST.solve)
    for _ in range(100):
        pace.learn(Work(updates=1_000), COST, Cost(0, 0, 1.0, 0))
    assert pace.corrected(COST).update == pytest.approx(COST.update, rel=0.05)  # what was long ago is forgotten


def test_the_clock_counts_those_who_go_first():
    assert clock(4.0, (), 2) == 2.0
    assert clock(4.0, (1.0, 2.0), 2) == 3.5
    assert clock(4.0, (1.0, 100.0), 2) == pytest.approx(2.5 / (1 - WAITED))
    times = [clock(4.0, itertools.repeat(1.0, n), 2) for n in range(5)]
    assert times == sorted(times)
