"""What the teaching pages compute, each lesson in a module of its page's name.

``pages/units.py`` shows what ``lessons.units`` computes and ``figures.lessons.units_charts`` draws. Import a lesson by
its own name; there is nothing here, because the paper's stands on the figures, which stand on the others.
"""
