"""The lines to copy: a training loop, and the study of one's own network. A test runs them."""

TRAINING_CODE = """\
import torch.nn.functional as F
from cvar_core.optim import SPLU  # or SPLPlus, SPL, SGM

opt = SPLU(model.parameters(), beta=0.9, lam=1.0)
for x, y in loader:

    def losses():  # one for each row: no mean
        return F.cross_entropy(model(x), y, reduction="none")

    opt.step(losses)  # takes the gradients itself, owns α
"""

STUDY_CODE = """\
from cvar_core.own_model import check_model

study = check_model(
    make_model,  # returns your network with fresh weights
    (x, y),  # arrays, or a torch data set
    beta=0.9, steps=500, seeds=5,
)
print(study)  # decades of λ, and each at its best λ
study.report("study.html")
"""
