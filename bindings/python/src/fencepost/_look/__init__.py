"""The shared look of the pages: its files, and the code that combines them."""
