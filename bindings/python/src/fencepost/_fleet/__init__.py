"""Very many devices over one table of conditions."""
