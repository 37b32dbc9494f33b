"""What SPL-U's rule has from others, what is new in it, and what nobody knows yet."""

KNOWN = (
    "**The paper** (Meng and Gower, ICML 2023) has the model that keeps the max, its step in closed form, and "
    "SPL₊, whose λ is free of the unit of the loss. SPL-U keeps model and step, and changes the metric.",
    "**Truncated models** forgive large steps: AProx (Asi and Duchi, SIAM J. Optim. 2019). That is why SPL and "
    "SPL-U bear a λ that is ten times too large.",
    "**Polyak steps** (SPS: Loizou and others, AISTATS 2021) aim at the least loss of a sample. SPL's step aims "
    "at α, which has to be learnt, and in a unit of its own.",
    "**A model's step in a diagonal metric**: MoMo-Adam (Schaipp and others, ICML 2024), whose metric has Adam's "
    "square root, so that λ keeps the unit of θ; SANIA (Abdukhakimov and others, arXiv 2312.17369), without the "
    "root and free of the features' units, as here. Both are for the mean, without a threshold.",
    "**Step sizes for each coordinate**: AdaGrad (Duchi, Hazan and Singer, JMLR 2011), with a root, too. A "
    "running version of our scales did worse than one that is frozen at the start.",
    "**Free of the features' scales**: normalised online learning (Ross, Mineiro and Langford, UAI 2013) and "
    "Kempka, Kotłowski and Warmuth (ICML 2019). **Free of λ altogether**, with proofs: coin betting (Orabona and "
    "Pál, NIPS 2016; Chen, Langford and Orabona, arXiv 2006.07507, on truncated models). SPL-U has a λ, and no "
    "such theorem.",
)

NEW = (
    "**New here, as far as we found**: step sizes for θ and α that free λ of loss, target and features at once in "
    "the CVaR model, where θ and α have different units; and the count over many problems. No part of it alone is "
    "new."
)

UNKNOWN = (
    "Why one λ serves so many problems: no theorem says so. The bound holds for any λ, and its best λ needs the "
    "way to θ* and α*.",
    "Why √d and not d in the rule: the sets do not tell the two apart.",
    "What to do about an offset, as of a year or °F, and about strong correlation: both are beyond any diagonal "
    "rule. Centre the columns.",
    "Whether the scales may be taken from the first rows of a stream: here they are means over all rows, at the start.",
    "Models that are not linear in the features, and minibatches, are not tried.",
    "The count is for these problems and these numbers of updates. Sets of one collection resemble each other.",
)
