"""``reward``: learn to allocate devices to jobs that arrive at ports (OGASched)."""
