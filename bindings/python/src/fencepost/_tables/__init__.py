"""Columns in, whatever holds them; tables out, whatever takes them; times."""
