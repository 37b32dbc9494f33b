"""Writes the numbers of the Tour's lessons: ``python -m tools.tour_facts``."""

from cvar_core.lessons import paper, tour


def computed() -> tour.Facts:
    """Return them, from the paper's panels that ship and from what the lessons compute."""
    panels = {paper.name(each.spec): each for each in paper.shipped()}
    wanted = ("squared loss, normal noise", "squared loss, lognormal noise", "logistic loss, normal noise")
    return tour.compute(*(panels[name] for name in wanted))


if __name__ == "__main__":
    tour.SHIPPED.write_text(tour.written(computed()), "utf-8")
