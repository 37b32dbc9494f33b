"""Two computations of one panel: the same bits, or how far apart, told apart by where rounding is amplified."""

import dataclasses

import numpy as np
import pytest

from cvar_core.lessons.paper import difference


@pytest.fixture
def known(small):
    return small.results[1]  # absolute loss: nothing diverges so soon


def changed(result, lam, factor):
    objectives = result.objectives.copy()
    objectives[..., -1, result.spec.lambdas.index(lam)] *= factor
    return dataclasses.replace(result, objectives=objectives)


def test_the_same_bits_are_the_same(known):
    found = difference(known, dataclasses.replace(known, objectives=known.objectives.copy()))
    assert found.same
    assert found.words() == "the same bits as shipped"


def test_one_changed_bit_is_seen(known):
    objectives = known.objectives.copy()
    objectives[0, 0, -1, 4] = np.nextafter(objectives[0, 0, -1, 4], np.inf)
    found = difference(known, dataclasses.replace(known, objectives=objectives))
    assert not found.same
    assert 0 < found.stable < 1e-15
    assert found.beyond == 0


def test_one_changed_bit_of_a_risk_is_seen(known):
    risks = known.risks.copy()
    risks[0, 0, -1, 4] = np.nextafter(risks[0, 0, -1, 4], np.inf)
    found = difference(known, dataclasses.replace(known, beside={**known.beside, "risk": risks}))
    assert not found.same
    assert found.stable == 0


def test_small_and_large_step_sizes_are_told_apart(known):
    found = difference(changed(known, 1.0, 1 + 1e-11), changed(known, 1e3, 1.25))
    assert found.stable == pytest.approx(1e-11, rel=1e-3)
    assert found.beyond == pytest.approx(0.2)
    assert found.words() == (
        "within 10⁻¹¹ (relative) of what is shipped at λ ≤ 10 and 0.2 at larger λ, where unstable runs amplify rounding"
    )


def test_divergence_in_one_only_is_counted(known):
    objectives = known.objectives.copy()
    objectives[0, :, -1, -1] = np.nan
    found = difference(known, dataclasses.replace(known, objectives=objectives))
    assert not found.same
    assert found.diverged == len(known.spec.seeds)
    assert "2 runs diverged in one of the two only" in found.words()


def test_another_optimum_is_another_result(known):
    other = dataclasses.replace(known, optimum=dataclasses.replace(known.optimum, value=known.optimum.value * 1.001))
    found = difference(known, other)
    assert not found.same
    assert found.stable == pytest.approx(1e-3, rel=1e-2)


def test_results_of_two_specs_are_not_compared(small):
    with pytest.raises(ValueError, match="one spec"):
        difference(small.results[0], small.results[1])
