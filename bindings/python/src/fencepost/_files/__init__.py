"""Reading tracks, conditions and sightings. Nothing here knows a monitor."""
