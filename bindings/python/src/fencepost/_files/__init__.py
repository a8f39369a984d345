"""Reading tracks, conditions and sightings. This package does not depend on monitors."""
