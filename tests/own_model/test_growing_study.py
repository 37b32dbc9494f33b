"""A study in pieces is the study: cut anywhere or stopped, it has the same bits; so far is a part of it."""

import numpy as np
import pytest
import torch
from torch import nn

from cvar_core.cancel import Cancelled
from cvar_core.own_model import check_model, trainers
from cvar_core.own_model.growing_study import GrowingStudy, SoFar, coarse_to_fine, planned
from cvar_core.own_model.model_task import read_task
from cvar_core.own_model.training import Training, fresh

LAMBDAS = (1e-3, 1e-2, 1e-1, 1.0, 1e6)
NAMES = ("spl+", "sgd-ru")


def data():
    x = torch.randn(60, 3, generator=torch.Generator().manual_seed(0))
    return x, x.sum(1)


def net():
    return nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.2), nn.Linear(4, 1))  # its random numbers, too, are the seed's


def begun():
    return GrowingStudy(net, read_task(data(), 0.25, None, None), planned(NAMES, LAMBDAS, (0, 1), 0.8, 25, 8))


@pytest.fixture(scope="module")
def whole():
    return check_model(
        net, data(), beta=0.8, optimisers=NAMES, lambdas=LAMBDAS, steps=25, batch=8, seeds=2, progress=False
    )


def test_pieces_give_the_bits_of_the_whole(whole):
    growing, before = begun(), torch.get_rng_state()
    ended = 0
    while not growing.complete:
        ended += growing.advance(1e-9)  # a few steps at a time
        torch.rand(3)  # what others draw meanwhile
    torch.set_rng_state(before)
    assert np.array_equal(growing.so_far().plan.records, whole.records, equal_nan=True)
    assert np.array_equal(growing.so_far().plan.starts, whole.starts, equal_nan=True)
    assert ended == growing.trainings == growing.count == 20
    assert growing.steps_left == 0


def test_a_stop_is_heeded_between_steps_and_loses_nothing(whole):
    growing, asked = begun(), []

    def stop():
        asked.append(None)
        return len(asked) % 3 == 0

    stops = 0
    while not growing.complete:
        left = growing.steps_left
        try:
            growing.advance(60, stop)
        except Cancelled:
            stops += 1
            assert left - growing.steps_left <= 2 * 25, "two pieces at the most, each of which may have diverged"
    assert stops > 5
    assert np.array_equal(growing.so_far().plan.records, whole.records, equal_nan=True)


def test_so_far_is_the_study_of_fewer_step_sizes(whole):
    growing, seen = begun(), set()
    while not growing.complete:
        growing.advance(1e-9)
        so_far = growing.so_far()
        count = int(so_far.known.all(axis=0).sum())
        assert (so_far.study is None) == (count == 0)
        if so_far.study is not None and count not in seen:
            seen.add(count)
            places = [LAMBDAS.index(lam) for lam in so_far.study.lambdas]
            assert places == sorted(coarse_to_fine(len(LAMBDAS))[:count])
            assert np.array_equal(so_far.study.records, whole.records[:, :, places], equal_nan=True)
    assert seen == {1, 2, 3, 4, 5}
    assert SoFar.whole(whole).known.all()


def test_what_was_seen_does_not_change_any_more(whole):
    growing = begun()
    growing.advance(1e-9)
    early = growing.so_far()
    kept = early.plan.records.copy()
    growing.advance(60)
    assert np.array_equal(early.plan.records, kept, equal_nan=True)
    assert not early.known.all()


@pytest.mark.parametrize("count", range(1, 40))
def test_coarse_to_fine_has_every_place_once_and_the_ends_first(count):
    order = coarse_to_fine(count)
    assert sorted(order) == list(range(count))
    assert set(order[:2]) == {0, count - 1}


def test_a_training_is_the_same_wherever_it_is_cut():
    task, trained = read_task(data(), 0.25, None, None), []
    for cuts in ((25,), (7, 1, 17)):
        model = fresh(net, 0)
        training = Training(model, task, trainers["spl+"], 0.1, 0, beta=0.8, batch=8, decay=True)
        assert all(training.advance(steps) for steps in cuts)
        trained.append(torch.cat([each.detach().flatten() for each in model.parameters()]))
    assert torch.equal(*trained)
