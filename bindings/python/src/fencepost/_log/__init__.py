"""What a replay gives: events, visits, the report. Nothing here knows a monitor."""
