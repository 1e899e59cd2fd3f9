"""Pictures of frames: each says how the rows of its frame are drawn, and returns the figure.

All draw into ``axes``, by default those of a new figure. ``xlabel``, ``ylabel`` and ``title`` are
what is written there; with ``legend`` the series are named. ``among`` are all series that have a
look of their own where a figure has several panels, by default those of the frame.
"""
