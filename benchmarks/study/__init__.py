"""One way to run an experiment: cells, a store that keeps them, engines, studies and claims.

docs/studies.md says what the nouns are, and each module what it holds.
"""
