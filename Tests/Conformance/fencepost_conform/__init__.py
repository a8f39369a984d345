"""Plays the scenarios of Tests/Conformance on the engine, through C and the Python package. Not part of the wheel."""
