"""A batch in chunks takes the step of the whole batch, and computes again only what is in the tail."""

import pytest
import torch
from torch import nn

from cvar_core.optim import SPL

from .linear_losses import OPTIMISERS, network
from .test_conventions import parameters


@pytest.mark.parametrize("kind", OPTIMISERS.values())
@pytest.mark.parametrize("mix", [1.0, 0.4])
def test_chunks_take_the_step_of_the_whole(kind, mix):
    whole, losses = network()
    parts, in_parts = network()
    one, other = (kind(net.parameters(), 0.8, 0.1, mix=mix) for net in (whole, parts))
    for _ in range(4):
        one.step(losses)
        other.step(lambda k: in_parts(slice(10 * k, 10 * k + 10)), chunks=4)
    torch.testing.assert_close(parameters(whole), parameters(parts), rtol=1e-11, atol=1e-11)
    assert one.alpha == pytest.approx(other.alpha, rel=1e-11)


def test_only_chunks_of_the_tail_are_computed_again():
    model = nn.Linear(1, 1)
    calls = []

    def closure(k):
        calls.append((k, torch.is_grad_enabled()))
        return (model(torch.full((4, 1), float(k)))[:, 0]) ** 2 + k

    SPL(model.parameters(), 0.9, 1e-3).step(closure, chunks=5)
    assert calls[:5] == [(k, False) for k in range(5)]
    assert calls[5:] == [(4, True)]


def test_dropout_is_the_same_both_times():
    model, x = nn.Sequential(nn.Linear(4, 50), nn.Dropout(0.5), nn.Linear(50, 1)), torch.randn(12, 4)
    first, again = [], []

    def closure(k):
        losses = model(x[4 * k : 4 * k + 4])[:, 0] ** 2
        (again if torch.is_grad_enabled() else first).append(losses.detach())
        return losses

    opt = SPL(model.parameters(), 0.5, 0.1, mix=0.5)  # a mean needs every chunk
    opt.step(closure, chunks=3)
    assert len(again) == 6
    assert all(torch.equal(one, other) for one, other in zip(3 * first, again, strict=False))
    opt.step(closure, chunks=3)
    assert not torch.equal(first[0], first[3])  # the random numbers went on


@pytest.mark.parametrize("chunks", [0, -1, 1.5, True])
def test_a_bad_number_of_chunks_gets_a_sentence(chunks):
    model, _ = network()
    with pytest.raises(ValueError, match="number of chunks"):
        SPL(model.parameters()).step(lambda k: torch.ones(2), chunks=chunks)


def test_a_chunk_that_changes_its_size_is_told():
    model, losses = network()
    calls = []

    def closure(k):
        calls.append(k)
        return losses(slice(0, 10 if len(calls) < 2 else 5))

    with pytest.raises(ValueError, match="10 losses, and 5"):
        SPL(model.parameters()).step(closure, chunks=1)
