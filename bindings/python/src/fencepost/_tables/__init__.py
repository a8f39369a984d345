"""Reads columns from other libraries' objects, exports tables to other libraries, and converts times."""
