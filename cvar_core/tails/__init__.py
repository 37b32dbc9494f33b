"""Who is in the tail: the rows that CVaR averages, how they differ from the rest, and what each fit loses on them."""

from .columns_at_a_glance import Columns
from .contrast import Contrast, Difference, contrast
from .fits import FITS, MEAN, OPTIMUM, RUN, mean_fit
from .loss_histogram import LossHistogram, loss_histogram
from .tail import Tail, Weighed, ensure_same, tail
from .tail_sentences import at, certain, difference, sentences
from .worst import Worst

__all__ = [
    "FITS",
    "MEAN",
    "OPTIMUM",
    "RUN",
    "Columns",
    "Contrast",
    "Difference",
    "LossHistogram",
    "Tail",
    "Weighed",
    "Worst",
    "at",
    "certain",
    "contrast",
    "difference",
    "ensure_same",
    "loss_histogram",
    "mean_fit",
    "sentences",
    "tail",
]
