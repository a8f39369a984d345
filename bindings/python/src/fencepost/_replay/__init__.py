"""Replays tracks through monitors and fleets, and compares policies."""
