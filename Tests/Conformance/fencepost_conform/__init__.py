"""Plays the scenarios of Tests/Conformance on the engine through the Python package, which calls the C library. This
package is not part of the wheel."""
