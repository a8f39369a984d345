"""The shared look of the pages: files, and what joins them."""
