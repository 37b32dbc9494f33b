"""The package's version, and the version of the numbers it computes."""

__version__ = "0.1.0"

# Part of every run's id: raise it whenever the same spec may give different bits, so that no stored
# result of an older engine is ever served as a new one.
ENGINE_VERSION = 1
