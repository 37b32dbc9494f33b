"""F* of the paper's problems in theory."""

import math

# Population values at β = 0.95, with the standard error of a million points.
OPTIMA = {
    ("squared", "normal"): (11.1640, 0.022),
    ("squared", "gumbel"): (135.020, 0.46),
    ("squared", "lognormal"): (2576.94, 28.5),
    ("absolute", "normal"): (4.6756, 0.0045),
    ("absolute", "gumbel"): (15.9322, 0.025),
    ("absolute", "lognormal"): (63.2298, 0.19),
    **{("logistic", noise): (math.log(2), 1e-15) for noise in ("normal", "gumbel", "lognormal")},
}
