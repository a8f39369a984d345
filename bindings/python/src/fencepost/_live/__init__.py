"""Follows devices live: sources, watches and event sinks."""
