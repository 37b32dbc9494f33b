"""Columns of very different size are noticed; a target that is standardised still tells its losses in its own unit."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array

from cvar_core import DataError, Dataset, load
from cvar_core.catalogue import losses
from cvar_core.data import Preview, Recipe
from tests.data.tables import table

RNG = np.random.default_rng(1)
X, Y = RNG.normal(size=(60, 3)), RNG.normal(size=60)


def wide(**asked):
    rows = table(
        fare=[*(512 * X[:, 0] / abs(X[:, 0]).max())], rate=[*(0.1 * X[:, 1] / abs(X[:, 1]).max())], y=[*(3 + 5 * Y)]
    )
    return load(rows, "y", **asked)


def test_the_factor_between_columns_is_told_and_advice_given_only_where_it_helps():
    data = wide()
    assert (data.scales.largest, data.scales.smallest) == ("fare", "rate")
    assert data.scales.factor == pytest.approx(5_120)
    advice = "columns differ by a factor of 5,100: 'fare' reaches 512, 'rate' 0.1; standardise (--standardise)"
    assert any(note.startswith(advice) for note in data.notes)
    scaled = wide(standardise=True, intercept=True)
    assert scaled.scales == data.scales == Preview.of(scaled).scales, "told of the file, whatever was done since"
    assert not any("factor" in note for note in scaled.notes)
    assert not any("factor" in note for note in load("diabetes").notes)


@pytest.mark.parametrize("made", [np.asarray, csr_array])
def test_columns_of_zeros_do_not_count(made):
    x = np.array([[0.0, 5.0, -300.0], [0.0, -10.0, 2.0]])
    scales = Dataset("a", made(x), np.ones(2)).measured().scales
    assert (scales.largest, scales.reaches, scales.smallest, scales.reaches_only) == ("column 3", 300, "column 2", 10)
    assert Dataset("a", made(np.zeros((2, 2))), np.ones(2)).measured().scales is None


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_a_standardised_target_tells_losses_in_its_own_unit(loss):
    raw, scaled = (
        wide(standardise=True, intercept=True),
        wide(standardise=True, intercept=True, standardise_target=True),
    )
    unit = scaled.target_unit
    assert (scaled.y.mean(), scaled.y.std()) == pytest.approx((0, 1), abs=1e-12)
    assert scaled.in_own_unit(scaled.y) == pytest.approx(raw.y)
    best = [data.problem(loss, beta=0.8).optimum() for data in (raw, scaled)]
    assert unit.factor(loss) * best[1].value == pytest.approx(best[0].value, rel=1e-6)
    assert "in the target's unit" in unit.told(best[1].value, loss)
    own = Preview.of(scaled)
    assert own.edges == pytest.approx(Preview.of(raw).edges)
    assert [float(value) for value in own.head["target"]] == pytest.approx(raw.y[:8])
    assert scaled.facts(loss)["target_unit"]["loss_factor"] == unit.factor(loss)


def test_only_training_rows_say_what_the_unit_is():
    data, raw = wide(holdout=0.5, standardise_target=True), wide(holdout=0.5)
    assert data.target_unit.mean == raw.y.mean()
    assert data.test.y == pytest.approx((raw.test.y - raw.y.mean()) / raw.y.std())


def test_a_loss_without_a_degree_says_so():
    unit = wide(standardise_target=True).target_unit
    for loss in losses:
        assert ("no factor" in unit.told(1.0, loss.name)) == (loss.degree is None)


@pytest.mark.parametrize(
    ("rows", "loss", "words"),
    [
        ({"y": ["a", "b", "a"]}, "squared", "holds texts ('a', 'b'), which cannot be standardised"),
        ({"y": [2.0, 2.0, 2.0]}, "squared", "hardly varies"),
        ({"y": [1e17, 1e17 + 16, 1e17 + 32]}, "squared", "hardly varies"),
        ({"y": [1e308, -1e308, 0.0]}, "squared", "too large"),
        ({"y": [1.0, 2.0, 2.0]}, "logistic", "is standardised, but logistic loss needs its labels"),
    ],
)
def test_a_target_that_cannot_be_standardised_gets_a_sentence(rows, loss, words):
    with pytest.raises(DataError) as raised:
        Recipe("a", standardise_target=True).load(lambda _: table(x=[1, 2, 4], **rows)).problem(loss)
    assert words in str(raised.value)


@pytest.mark.parametrize("size", [1e200, 1e308])
@pytest.mark.parametrize("made", [np.asarray, csr_array])
def test_a_column_that_cannot_be_standardised_gets_a_sentence(size, made):
    x = np.array([[1.0, size], [2.0, -size], [3.0, 0.0]])
    with pytest.raises(DataError, match="'column 2' of a is too large to be standardised"):
        Dataset("a", made(x), np.ones(3)).standardise()


@pytest.mark.parametrize("y", [[1e17, 1e17 + 16, 1e17 + 32], [5.0] * 3, [1e308, -1e308, 0.0], [0.0, 5e-324, 0.0]])
def test_any_target_can_be_looked_at(y):
    shown = Preview.of(load(table(x=[1, 2, 4], y=y)))
    assert shown.counts.sum() == 3
    assert len(shown.edges) == len(shown.counts) + 1


def test_scaling_what_is_ours_holds_no_further_copy():
    x = RNG.normal(size=(200_000, 12))
    data = Dataset("a", x, x[:, 0].copy(), tuple("abcdefghijkl"))
    expected = (x - x.mean(axis=0)) / x.std(axis=0)
    tracemalloc.start()
    scaled = data.standardise(ours=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert scaled.x is x
    np.testing.assert_allclose(x, expected, atol=1e-12)
    assert peak < 3 * 8 * 2**22, "some blocks, whatever the size of the whole"
    again = data.standardise()
    assert again.x is not x
