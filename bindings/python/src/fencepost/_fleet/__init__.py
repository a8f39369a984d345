"""Fleets: very many devices that share one table of conditions."""
