"""A network of one's own: which optimiser forgives a badly chosen step size, on digits of which some are rare."""

from .code_to_copy import STUDY_CODE, TRAINING_CODE
from .digit_study import CHOICES, QUICK, SHIPPED_STUDY, DigitStudy, begin, refused, seconds_of, trainings
from .shipped_digits import SHIPPED_FILE, packed_study, shipped_study
from .study_sentences import Row, headline, reference_words, rows, start, untuned

__all__ = [
    "CHOICES",
    "QUICK",
    "SHIPPED_FILE",
    "SHIPPED_STUDY",
    "STUDY_CODE",
    "TRAINING_CODE",
    "DigitStudy",
    "Row",
    "begin",
    "headline",
    "packed_study",
    "reference_words",
    "refused",
    "rows",
    "seconds_of",
    "shipped_study",
    "start",
    "trainings",
    "untuned",
]
