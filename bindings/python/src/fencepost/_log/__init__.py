"""The results of a replay: events, visits, the report. Nothing here knows a monitor."""
