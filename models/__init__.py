"""Instances, schedules, formulations and the scorer: what each problem *is*.

Nothing here knows how a problem is solved. A problem lives in the sub-package of its
name (``models.utility``) and is described by one :class:`models.problem.Problem`.
"""
