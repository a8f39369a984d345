"""Tracks through monitors: replay, compare, many tracks at once."""
