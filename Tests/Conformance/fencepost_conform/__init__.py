"""Plays the scenarios of Tests/Conformance on the engine through the Python package, which calls the C library. Not
part of the wheel."""
