"""The results of a replay: events, visits and the report. The package does not depend on monitors."""
