"""Fencepost in Apache Spark."""
