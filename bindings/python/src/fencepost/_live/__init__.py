"""What follows fixes as they come: sources, watches, who gets the events."""
