"""The results of a replay: events, visits and the report. This package does not depend on monitors."""
