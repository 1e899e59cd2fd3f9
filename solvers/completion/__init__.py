"""Offline side of ``completion``."""
