"""Plays the scenarios of Tests/Conformance on the engine through the Python package, which calls C. Not part of the
wheel."""
