"""Temporary."""


def population_risk(spec):  # type: ignore
    return None
