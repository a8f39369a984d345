"""The command ``fencepost``."""
