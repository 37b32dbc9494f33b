"""What a problem draws: laws of the distributions, and that a seed means one thing."""

import pickle

import numpy as np
import pytest
import torch

from cvar_core import Problem, ProblemSpec, SpecError
from cvar_core.problem.draws import block_length, start


def test_features_lie_on_the_unit_sphere_and_are_shared():
    one, two = Problem.synthetic(eval_size=5_000), Problem.synthetic(loss="logistic", noise="normal", eval_size=5_000)
    torch.testing.assert_close(one.ground.points.columns.norm(dim=0), torch.ones(5_000, dtype=torch.float64))
    assert one.ground.points.columns.data_ptr() == two.ground.points.columns.data_ptr()
    spread = one.ground.points.columns.mean(1)
    assert float(spread.abs().max()) < 5 / np.sqrt(5_000 * 10)


@pytest.mark.parametrize(("loss", "widest"), [("squared", 1.0), ("logistic", 10.0)])
def test_generating_parameters_are_uniform_on_a_cube(loss, widest):
    theta = Problem.synthetic(loss=loss, dim=2_000, eval_size=10).theta_gen / widest
    assert 0 <= float(theta.min()) < 0.01
    assert 0.99 < float(theta.max()) <= 1
    assert float(theta.mean()) == pytest.approx(0.5, abs=0.03)


def test_targets_are_the_clean_ones_plus_noise():
    problem = Problem.synthetic(loss="absolute", noise="normal", eval_size=20_000)
    residual = problem.ground.points.target - problem.ground.points.predict(problem.theta_gen)
    assert float(residual.mean()) == pytest.approx(0, abs=0.06)
    assert float(residual.std()) == pytest.approx(2, abs=0.05)
    correlation = torch.corrcoef(torch.vstack([problem.ground.points.columns, residual]))[-1, :-1]
    assert float(correlation.abs().max()) < 0.03, "ordering the noise must not tie it to the features"


def test_labels_follow_the_sigmoid_of_the_noisy_score():
    problem = Problem.synthetic(loss="logistic", noise="normal", noise_params={"std": 1e-6}, eval_size=50_000)
    points = problem.ground.points
    expected = torch.sigmoid(points.predict(problem.theta_gen))
    observed = (points.target > 0).to(expected)
    assert set(points.target.unique().tolist()) == {-1.0, 1.0}
    assert float((observed - expected).mean()) == pytest.approx(0, abs=0.01)
    assert float(observed[expected > 0.9].mean()) > 0.9


def test_stream_and_evaluation_set_have_one_law():
    problem = Problem.synthetic(loss="absolute", noise="gumbel", eval_size=20_000)
    length = block_length(10)
    x, y, norms = problem.ground.samples(3, 0, length)
    torch.testing.assert_close(norms, torch.ones(length, dtype=torch.float64))
    points = problem.ground.points
    fresh, held = y - x @ problem.theta_gen, points.target - points.predict(problem.theta_gen)
    assert float(fresh.median()) == pytest.approx(float(held.median()), abs=0.5)
    assert float(fresh.std()) == pytest.approx(float(held.std()), rel=0.1)


def test_stream_is_a_pure_function_of_seed_and_position():
    problem = Problem.synthetic(eval_size=100)
    whole = problem.ground.samples(1, 0, 100)
    parts = [Problem.synthetic(eval_size=100).ground.samples(1, a, a + 25) for a in (75, 0, 50, 25)]
    assert torch.equal(whole.y, torch.cat([parts[i].y for i in (1, 3, 2, 0)]))
    assert not torch.equal(whole.y, problem.ground.samples(2, 0, 100).y)


def test_finite_sample_is_its_own_distribution():
    problem = Problem.synthetic(sample_size=7, eval_size=1_000_000)
    assert problem.ground.points.count == 7
    _, y, _ = problem.ground.samples(0, 0, 500)
    assert set(y.tolist()) == set(problem.ground.points.target.tolist())


def test_start_is_the_papers():
    drawn = [start(seed, ProblemSpec(dim=1_000)) for seed in range(40)]
    alphas = np.array([alpha for _, alpha in drawn])
    assert ((alphas > 0) & (alphas < 1)).all()
    assert alphas.mean() == pytest.approx(0.5, abs=0.2)
    theta = torch.cat([theta for theta, _ in drawn])
    assert float(theta.std()) == pytest.approx(1, abs=0.02)
    problem = Problem.synthetic(eval_size=3_000, scale=4.0)
    begin = problem.start(5)
    assert begin.alpha == 4 * start(5, problem.spec)[1], "scale scales α_0"
    assert begin.initial_loss == pytest.approx(float(problem.losses(begin.theta).mean()), rel=1e-12)


def test_problem_survives_pickling():
    problem = Problem.from_arrays(np.eye(3), [1.0, 2.0, 3.0], loss="absolute", beta=0.5)
    copy = pickle.loads(pickle.dumps(problem))
    assert copy.spec == problem.spec
    assert copy.optimum().value == problem.optimum().value


def test_arrays_of_any_kind_are_one_problem():
    from scipy.sparse import csc_matrix

    x, y = np.arange(12.0).reshape(4, 3), [1.0, -1.0, 1.0, -1.0]
    given = [x, torch.tensor(x), x.astype(np.float32), csc_matrix(x)]
    values = [Problem.from_arrays(each, y, loss="logistic").objective(torch.ones(3).double(), 0.2) for each in given]
    assert values == pytest.approx([values[0]] * 4)
    assert Problem.from_arrays(x, y).spec == Problem.from_arrays(torch.tensor(x), y).spec
    assert Problem.from_arrays(x, y).spec != Problem.from_arrays(x + 1, y).spec


@pytest.mark.parametrize(
    ("x", "y", "loss", "words"),
    [
        ([[1.0, np.nan]], [1.0], "squared", "X holds NaN"),
        ([[1.0, np.inf]], [1.0], "squared", "X holds NaN or infinite"),
        ([[1.0]], [np.nan], "squared", "y holds NaN"),
        ([[1.0], [2.0], [3.0]], [0.0, 1.0, 2.0], "logistic", "classification needs two"),
        ([[1.0], [2.0]], [1.0], "squared", "y needs shape (2,)"),
        ([1.0, 2.0], [1.0], "squared", "rows and columns"),
        (np.empty((0, 3)), [], "squared", "at least one of each"),
        ([["a"]], [1.0], "squared", "numbers only"),
        ([[1.0 + 2j]], [1.0], "squared", "complex"),
        ([[1.0]], [1.0], "hinge", "must be one of squared"),
    ],
)
def test_bad_arrays_get_a_sentence(x, y, loss, words):
    with pytest.raises(SpecError) as raised:
        Problem.from_arrays(np.array(x), y, loss=loss)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_targets_that_overflow_the_loss_get_a_sentence():
    with pytest.raises(SpecError, match="overflows"):
        _ = Problem.synthetic(noise="lognormal", noise_params={"mean": 1000.0}, eval_size=100).ground.points
    with pytest.raises(SpecError, match="overflows"):
        Problem.from_arrays(np.eye(3), np.full(3, 1e160)).optimum()
    assert np.isfinite(
        Problem.from_arrays(np.ones((3, 1)), np.array([1e160, 2e160, 4e160]), "absolute").optimum().value
    )


def test_a_problem_keeps_its_own_copy_of_the_data():
    x, y = np.random.default_rng(0).standard_normal((20, 2)), np.arange(20.0)
    problem = Problem.from_arrays(x, y)
    before = problem.objective(torch.ones(2).double(), 1.0)
    x[:], y[:] = 0, 0
    assert Problem(problem.spec, problem._arrays).objective(torch.ones(2).double(), 1.0) == before


def test_tensors_with_gradients_and_views_are_welcome():
    x, y = np.arange(12.0).reshape(4, 3), np.array([1.0, 2.0, 3.0, 4.0])
    whole = Problem.from_arrays(x, y).spec
    assert Problem.from_arrays(torch.tensor(x, requires_grad=True), torch.tensor(y)).spec == whole
    assert Problem.from_arrays(x[::-1][::-1], y.astype(">f8")).spec == whole


@pytest.mark.parametrize("beta", [0.0, 0.5, 0.95])
def test_objective_keeps_its_digits_far_below_zero(beta):
    problem = Problem.synthetic("absolute", "normal", beta=beta, eval_size=500)
    theta = torch.zeros(10, dtype=torch.float64)
    mean = float(problem.losses(theta).mean())
    exact = -1e12 * (1 - 1 / (1 - beta)) + mean / (1 - beta)
    assert problem.objective(theta, -1e12) == pytest.approx(exact, rel=1e-14, abs=1e-9)


def test_few_blocks_of_a_stream_are_at_hand_and_others_are_drawn_again(monkeypatch):
    monkeypatch.setattr("cvar_core.problem.ground._BLOCKS", 2**20)
    stream = Problem.synthetic(eval_size=10, dim=200).ground
    length = stream.block_length
    first = stream.samples(3, 0, length)
    for number in range(1, 6):
        stream.samples(3, number * length, (number + 1) * length)
        assert sum(block.x.numel() for block in map(stream._blocks.get, stream._blocks)) <= 2**20
    assert (3, 0) not in set(stream._blocks)
    assert torch.equal(stream.samples(3, 0, length).x, first.x)
