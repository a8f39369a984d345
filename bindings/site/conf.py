"""Sphinx reads this; bindings/site/build.py calls it, over the pages that it has put together."""

project = "Fencepost"
author = "the Fencepost authors"
copyright = "MIT licence"
extensions = ["myst_nb"]
templates_path: list[str] = []
exclude_patterns = ["_extra"]

# Pages link to headings by the names that a forge gives them, too.
myst_heading_anchors = 3
myst_links_external_new_tab = False
# Notebooks are committed with the outputs that a test compares with a fresh execution.
nb_execution_mode = "off"
# A heading may be followed by one two levels below it, and JSON may leave something out (…).
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

html_theme = "furo"
html_title = "Fencepost"
html_extra_path = ["_extra"]
html_favicon = "_own/icon.svg"
html_static_path = ["_own"]
html_css_files = ["tokens.css", "wide.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
