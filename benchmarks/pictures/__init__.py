"""Pictures of frames: each says how the rows of its frame are drawn, and returns the figure.

All draw into ``axes``, by default those of a new figure. ``labels`` go to
:func:`benchmarks.pictures.style.finish`: ``xlabel``, ``ylabel`` and ``title``, ``level``, where a
horizontal line is drawn, and ``legend``, whether the series are named. A frame has one row per run
(e.g. per seed), and ``x``, ``y``, ``series`` and ``hue`` are columns of it: where a row stands, its
number (NaN is left out), and names of what looks alike, in the order of the rows. ``among`` are
all series that have a look of their own where a figure has several panels, by default those of the
frame, and ``jobs`` all jobs that have a colour of their own in several pictures.
"""
