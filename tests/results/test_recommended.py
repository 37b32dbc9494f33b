"""Which λ to take: of those that are usable for the most starts, the one that may be wrong by the most."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cvar_core import Problem, ProblemSpec, sweep
from cvar_core.results import EDGE, Criterion, most_forgiving, take
from cvar_core.results.recommended_sentences import _price
from tests.results.making import QUIET, judged, made

NAN = math.nan
OUT = 1000.0  # of a start at 100, of which 10 has to be left at the most

gaps = st.one_of(st.floats(1e-6, 1e6), st.sampled_from([NAN, 0.0, -1e-12, 1e-300, 1e160, 10.0, 1.0]))
grids = st.tuples(st.just(1), st.integers(1, 5), st.integers(1, 8)).flatmap(
    lambda shape: hnp.arrays(float, shape, elements=gaps)
)


def of(finals, **given):
    """What is recommended of SPL, which ends at ``finals``, shape (seeds, lambdas), after gaps of 100; λ = 1, 10, …"""
    return judged(made([finals], **given)).recommended("spl")


def room(judge, lam):
    """How far a λ may be wrong, taken from the verdicts on each start alone."""
    result = judge.result
    alone = []
    for s in range(len(result.spec.seeds)):
        one = made(result.suboptimality[:, s : s + 1, -1, :], judge.starts[s], lambdas=result.spec.lambdas)
        verdict = judged(one).verdict("spl", lam)
        if verdict.starts:
            alone.append(min(verdict.below, verdict.above))
    return min(alone)


@given(finals=grids)
def test_it_is_a_lambda_that_was_run_and_no_other_is_usable_for_more_starts(finals):
    judge = made(finals).judged()
    found, most = judge.recommended("spl"), int(judge.usable.max())
    assert (found is None) == (2 * most <= finals.shape[1])
    if found is None:
        return
    lambdas = judge.result.spec.lambdas
    assert found.verdict == judge.verdict("spl", found.lam)
    assert found.verdict.starts == judge.usable[0, lambdas.index(found.lam)] == most
    assert found.lam in found.shared
    assert found.factor >= 1


@given(finals=grids)
def test_no_other_has_more_room_for_the_worst_start(finals):
    judge = made(finals).judged()
    found = judge.recommended("spl")
    assume(found is not None)
    lambdas = judge.result.spec.lambdas
    verdicts = [judge.verdict("spl", lam) for lam in lambdas]
    others = [each for each in verdicts if each.starts == found.verdict.starts]
    assert found.decades == pytest.approx(room(judge, found.lam), abs=1e-9)
    assert found.verdict.safe == any(each.safe for each in others), "a safe one, wherever there is any"
    rivals = [each.lam for each in others if each.safe == found.verdict.safe]
    assert found.decades >= max(room(judge, lam) for lam in rivals) - 1e-9


@given(finals=grids)
def test_within_its_factor_a_lambda_stays_usable_for_the_same_starts(finals):
    judge = made(finals).judged()
    found = judge.recommended("spl")
    assume(found is not None)
    lambdas, within = (
        judge.result.spec.lambdas,
        max(found.factor * (1 - 1e-6), 1.0),
    )  # a λ so near one of the grid is that of the grid
    for lam in (found.lam / within, found.lam * within):
        if lambdas[0] <= lam <= lambdas[-1]:
            assert judge.verdict("spl", lam).starts >= found.verdict.starts
    assert found.shared.low >= lambdas[0]
    assert found.shared.high <= lambdas[-1]


@given(finals=grids, factor=st.floats(1e-3, 1e3))
@example(finals=np.array([[[1, 1, 1, NAN]]]), factor=0.3)  # as much room on the side that is open as on the other
@example(finals=np.array([[[1, 1, 1, NAN]]]), factor=3.0)
@example(finals=np.array([[[1, 1, 1, NAN]]]), factor=0.7)
def test_the_unit_of_lambda_does_not_matter(finals, factor):
    lambdas = tuple(10.0**k for k in range(finals.shape[2]))
    one, other = (judged(made(finals, lambdas=grid)) for grid in (lambdas, tuple(factor * lam for lam in lambdas)))
    here, there = one.recommended("spl"), other.recommended("spl")
    assert (here is None) == (there is None)
    if here is not None:
        assert there.lam == pytest.approx(factor * here.lam)
        assert there.factor == pytest.approx(here.factor)
        assert there.at_least == here.at_least


@given(finals=grids, power=st.integers(-9, 9))
def test_the_unit_of_the_loss_does_not_matter(finals, power):
    unit = 2.0**power
    assume(np.nanmax(np.where(np.isfinite(finals), np.abs(finals), 0)) < 1e300)
    here, there = (
        judged(made(scale * finals, scale * 100.0, problem=ProblemSpec(scale=scale))).recommended("spl")
        for scale in (1.0, unit)
    )
    assert (here is None) == (there is None)
    if here is not None:
        assert (there.lam, there.shared) == (here.lam, here.shared)


def test_spl_plus_gets_the_same_advice_in_any_unit():
    found = []
    for scale in (1.0, 1 / 1024):
        result = sweep(Problem.synthetic(scale=scale, **QUIET), ["spl+"], iterations=500, seeds=3)
        found.append(result.judged().recommended("spl+"))
    assert found[0].lam == found[1].lam
    assert found[0].factor == pytest.approx(found[1].factor)


def test_it_is_the_middle_of_what_the_starts_share():
    found = of([[OUT, 1, 1, 1, 1, 1, OUT], [OUT, OUT, OUT, 1, 1, 1, OUT], [OUT, 1, 1, 1, 1, 1, OUT]])
    assert found.lam == 1e4
    assert found.shared.low == pytest.approx(10 ** (2 + 2 / 3))
    assert found.decades == pytest.approx(4 / 3)
    assert not found.at_least


def test_an_end_of_the_grid_is_no_end():
    found = of([[1, 1, 1, OUT]])
    assert (found.lam, found.at_least) == (10.0, True)
    assert found.decades == pytest.approx(1), "below it is not known how far"
    found = of([[1, 1, 1, 1, OUT]])
    assert (found.lam, found.at_least) == (100.0, False), "above it ends before the grid does below"
    found = of([[1, 1, 1, 1, 1]])
    assert (found.lam, found.decades, found.at_least) == (100.0, 2.0, True)
    found = of([[1, 1, 1, 1, 1], [OUT, 1, 1, 1, 1]])
    assert (found.shared.open_low, found.shared.open_high, found.at_least) == (False, True, False), (
        "of the second start"
    )
    assert "may be wrong by a factor of 100 or more either way" in take(judged(made([[[1, 1, 1, 1, 1]]])))


def test_of_two_with_the_same_room_the_one_that_ends_lower_is_taken():
    assert of([[OUT, 2, 1, OUT]]).lam == 100.0
    assert of([[NAN, 1, 2, NAN]]).lam == 10.0
    assert of([[NAN, 2, 1, NAN]]).lam == 100.0


def test_a_hole_parts_stretches_and_the_wider_one_is_taken():
    found = of([[0.1, OUT, 1, 1, 1, OUT]])
    assert found.lam == 1000.0
    assert found.shared.holes
    assert not of([[OUT, 1, 1, 1, OUT]]).shared.holes
    found = of([[OUT, 1, 1, 1, OUT, 0.1, OUT], [OUT, 1, OUT, 1, OUT, 0.1, OUT]])
    assert found.shared.holes
    assert found.shared.low <= found.lam <= found.shared.high


def test_where_none_is_usable_for_every_start_that_is_said():
    judge = judged(made([[[OUT, 1, OUT, OUT], [OUT, 1, 1, OUT], [OUT, OUT, 1, OUT]]]))
    found = judge.recommended("spl")
    assert (found.lam, found.verdict.starts) == (10.0, 2)
    assert take(judge) == (
        "No λ of this grid is safe. The nearest to it is λ = 10 with SPL: usable for 2 of 3 starts. "
        "It leaves 1% of the model's excess risk, the least of all"
    )


def test_a_safe_lambda_comes_before_one_on_the_edge_of_the_median_start():
    # At λ = 10 the second start has less room than any has at 10⁴, but the median start has more.
    finals = [[OUT, 1, OUT, OUT, 3.16, OUT], [OUT, 7, OUT, OUT, 3.16, OUT], [OUT, 1, OUT, OUT, 3.16, OUT]]
    judge = judged(made([finals]))
    assert room(judge, 10.0) < room(judge, 1e4)
    assert judge.verdict("spl", 1e4).state == EDGE
    assert judge.recommended("spl").lam == 10.0
    assert judge.recommended("spl").verdict.safe
    narrow = judged(made([[[OUT, 8, OUT]] * 3])).recommended("spl")
    assert narrow.verdict.state == EDGE
    assert take(judged(made([[[OUT, 8, OUT]] * 3]))) == (
        "No λ of this grid is safe. The nearest to it is λ = 10 with SPL: usable for 3 of 3 starts, but it may hardly "
        "be wrong. It leaves 8% of the model's excess risk, the least of all"
    )


def test_where_nothing_is_usable_nothing_is_recommended():
    judge = judged(made([[[OUT, OUT], [OUT, NAN], [1, OUT]]]))
    assert judge.recommended("spl") is None
    assert judge.choice is None
    assert take(judge) == "", "what there is to say, the finding says"
    assert most_forgiving(judge) == ""


def test_where_every_start_wants_another_lambda_none_is_recommended():
    judge = judged(made([[[1, OUT, OUT], [OUT, 1, OUT], [OUT, OUT, 1]]]))
    assert judge.forgiven["spl"].decades is not None
    assert judge.choice is None
    assert take(judge) == "No λ of this grid can be recommended: none is usable for most starts"


def test_where_there_is_nothing_to_close_nothing_is_recommended():
    result = made([[[1, 1], [1, 1]]], 50, 100.0, models=[[[0.01, 0.01]] * 2], model_starts=0.5)
    assert judged(result).choice is None
    assert take(judged(result)) == "", "what there is to say, the finding says"
    assert judged(result, measure="objective").choice is not None


@pytest.mark.parametrize("recorded", [0, 1])
def test_before_the_runs_have_moved_nothing_is_recommended(recorded):
    judge = judged(made([[[1, 1]]], recorded=recorded))
    assert judge.choice is None
    assert take(judge) == ""


def test_a_run_that_is_not_over_is_said_to_be():
    judge = judged(_shortened(made([[[OUT, 1, 1, 1, OUT]]])))
    assert take(judge).startswith("So far: take λ = 100 with SPL: safe so far for 1 of 1 start, and it may be wrong by")


def _shortened(result):
    """The same records, of a sweep that has as many to come."""
    spec = replace(result.spec, iterations=100, checkpoints=2)
    more = len(spec.checkpoint_iterations) - result.objectives.shape[2]
    padding = ((0, 0), (0, 0), (0, more), (0, 0))
    objectives = np.pad(result.objectives, padding, constant_values=NAN)
    return replace(result, spec=spec, objectives=objectives, beside={"risk": objectives})


def test_one_lambda_alone_does_not_tell_how_far_it_may_be_wrong():
    judge = judged(made([[[1], [1]]]))
    assert judge.recommended("spl").lam == 1.0
    assert "how far it may be wrong is not known, because the grid ends there" in take(judge)


# Which method.

WIDE, NARROW, NARROWER = [OUT, 1, 1, 1, 1, 1, OUT], [OUT, OUT, 1, 1, 1, OUT, OUT], [OUT, OUT, OUT, 1, OUT, OUT, OUT]


def chosen(*rows, **given):
    """What is taken of SGM, SPL and SPL₊ with the same ends from three starts."""
    methods = ("sgm", "spl", "spl+")[: len(rows)]
    return judged(made([[row] * 3 for row in rows], methods=methods, **given))


def times(row, factor):
    return [each if each == OUT else factor * each for each in row]


def test_the_method_whose_lambda_may_be_wrong_by_the_most_is_taken():
    judge = chosen(NARROWER, WIDE, NARROW)
    assert judge.choice.taken == judge.recommended("spl")
    assert judge.choice.dear == ()
    assert most_forgiving(judge) == "Of these, SPL forgives the most decades"
    assert most_forgiving(chosen(WIDE)) == "", "alone it is not compared"
    assert most_forgiving(chosen(WIDE, WIDE, NARROW)) == (
        "By the decades that they forgive, the starts cannot tell SPL from it"
    )
    assert most_forgiving(chosen(WIDE, [OUT, OUT, OUT, OUT, 1, 1, 1])) == (
        "By the decades that they forgive, the starts cannot tell SPL from it"
    ), "what the grid cuts short may forgive more"
    lopsided = chosen(WIDE, [OUT, 1, 1, 1, 1, 1, 1])
    assert lopsided.choice.taken.method == "sgm"
    assert most_forgiving(lopsided) == "", "the other forgives more"


def test_a_method_that_ends_far_above_is_not_taken_however_much_it_forgives():
    judge = chosen(times(WIDE, 8), times(NARROW, 0.5))
    assert judge.choice.taken.method == "spl"
    assert [each.method for each in judge.choice.dear] == ["sgm"]
    assert take(judge).endswith("SGM (8%) may be wrong by more, but would leave more")
    assert chosen(times(WIDE, 4), times(NARROW, 0.5)).choice.taken.method == "sgm", "four is not far above a half"
    assert chosen(times(WIDE, 0.9), times(NARROW, 1e-9)).choice.taken.method == "sgm", "what is negligible is no gain"


def test_a_little_room_is_given_up_for_half_of_what_is_left():
    nearly = [OUT, OUT, 1, 1, 1, OUT, OUT]
    wider = [OUT, 100, 1, 1, 1, 100, OUT]  # by less than a factor of two
    assert chosen(times(wider, 1.0), times(nearly, 0.4)).choice.taken.method == "spl"
    assert chosen(times(wider, 1.0), times(nearly, 0.6)).choice.taken.method == "sgm"
    assert chosen(times(WIDE, 1.0), times(NARROW, 0.4)).choice.taken.method == "sgm", "a decade is more than a little"


def test_a_safe_method_comes_before_one_that_is_not():
    judge = judged(made([[WIDE, WIDE, [OUT] * 7], [NARROW] * 3], methods=("sgm", "spl")))
    assert judge.recommended("sgm").decades > judge.recommended("spl").decades
    assert judge.choice.taken.method == "spl"


def test_the_price_of_room_is_seen():
    judge = chosen([OUT, 1, 4, 4, 4, 4, OUT], NARROWER)
    assert judge.choice.taken.method == "sgm"
    assert judge.choice.least.lam in (10.0, 1000.0)
    assert "It leaves 4% of the model's excess risk; the least, SGM at λ = 10, is 1%" in take(judge)
    assert "the least, SPL at λ = 1000, is 1%" in take(chosen(times(WIDE, 4), NARROWER))
    gap = chosen(times(WIDE, 4), NARROWER).choice
    unlike = replace(gap, least=replace(gap.least, left=0.05))  # the least median gap need not be the least share
    assert _price(unlike) == "It leaves 4% of the model's excess risk, about the least of all"
    told = take(chosen([OUT, 1, 4, 4, 4, 4, OUT]).result.judged(Criterion("objective")))
    assert "of the objective's gap" in told


def test_a_lambda_that_is_worse_than_a_constant_is_said_to_be():
    data = ProblemSpec(data="digest", sample_size=10)
    for constant, worse in ((0.5, True), (2.0, False)):
        result = made([[WIDE] * 3], problem=data, constant=constant)
        result.beside["train_mean_loss"] = np.full_like(result.objectives, 2.0)
        assert ("But predicting a constant would do better still" in take(result.judged())) == worse


def test_the_summary_has_what_is_recommended():
    judge = chosen(NARROWER, WIDE, [OUT] * 7)
    told = judge.result.to_dict()
    found = judge.recommended("spl")
    assert told["taken"] == "spl"
    assert told["methods"]["spl"]["recommended"] == {
        "lambda": found.lam, "state": "safe so far", "starts": 3, "bound": found.verdict.bound, "factor": found.factor,
        "at_least": False, "low_lambda": found.shared.low, "high_lambda": found.shared.high, "gap": 1.0, "left": 0.01,
    }  # fmt: skip
    assert told["methods"]["spl+"]["recommended"] is None
    assert told["by_measure"]["objective"]["taken"] == "spl"
    assert chosen([OUT] * 7).result.to_dict()["taken"] is None
