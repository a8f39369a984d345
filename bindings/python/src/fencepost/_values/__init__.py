"""The inputs and outputs of a monitor."""
