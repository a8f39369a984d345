"""Live following: sources, watches, sinks of events."""
