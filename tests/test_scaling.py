"""What is reckoned of many workers: the simulation keeps to the formula where that is exact, and near it elsewhere."""

import pytest

from tools.scaling.model import Study, Way, enough, reckoned, simulated

AT_ONCE = Way(0.0, 0.0)
PANEL = Study("a panel", chains=15, chain_seconds=4.0, solve=0.5, start=0.1)


def test_one_worker_does_all_the_work():
    assert simulated(PANEL, 1, 0.25, AT_ONCE) == pytest.approx(0.1 + 60.0)


@pytest.mark.parametrize("workers", [1, 3, 5, 15, 40])
def test_without_a_way_the_work_is_shared_out(workers):
    expected = 0.1 + 60.0 / min(workers, 15)
    assert reckoned(PANEL, workers, 0.25, AT_ONCE) == pytest.approx(expected)
    assert simulated(PANEL, workers, 0.25, AT_ONCE) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("workers", [1, 2, 8, 15, 100, 1_000])
@pytest.mark.parametrize("chains", [15, 240])
@pytest.mark.parametrize("given_out", [0.0005, 0.004, 0.05])
def test_the_simulation_is_never_below_the_formula_and_near_it(workers, chains, given_out):
    study, way = PANEL._replace(chains=chains), Way(2 * given_out + 0.01, given_out)
    formula, played = (find(study, workers, 0.25, way) for find in (reckoned, simulated))
    assert formula * 0.999 <= played <= 1.3 * formula + 0.3


def test_more_workers_than_enough_save_nothing():
    study, way = PANEL._replace(chains=5_000), Way(0.012, 0.004)
    most = enough(study, 0.25, way)
    assert most == 62
    played = [simulated(study, workers, 0.25, way) for workers in (most // 2, most, 4 * most)]
    assert played[0] > 1.7 * played[1]
    assert played[2] > 0.95 * played[1]


def test_longer_pieces_carry_further():
    study, way = PANEL._replace(chains=5_000), Way(0.012, 0.004)
    assert enough(study, 2.0, way) == 500
    assert simulated(study, 500, 2.0, way) < 0.2 * simulated(study, 500, 0.25, way)
