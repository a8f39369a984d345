"""Sphinx's configuration. bindings/site/build.py runs Sphinx over the pages that it has assembled."""

from __future__ import annotations

from typing import Any

from docutils.nodes import Element
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.napoleon import GoogleDocstring

project = "Fencepost"
author = "the Fencepost authors"
copyright = "MIT licence"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
templates_path = ["_templates"]
exclude_patterns = ["_extra", "_templates"]

# Pages also link to headings by the anchors that a code host such as GitHub generates.
myst_heading_anchors = 3
myst_links_external_new_tab = False
# Notebooks are committed with their outputs; a test compares these with a fresh execution.
nb_execution_mode = "off"
# In the site's pages, a heading may be followed by a heading that is two levels below it, and the JSON in the guides
# may contain an ellipsis (…).
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

html_theme = "furo"
html_title = "Fencepost"
html_extra_path = ["_extra"]
html_favicon = "_own/icon.svg"
html_static_path = ["_own"]
html_css_files = ["tokens.css", "wide.css"]
html_js_files = [("copy.js", {"defer": ""}), ("tables.js", {"defer": ""})]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False

# The Python reference: docstrings in Google's style, with Sphinx's roles.
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"show-inheritance": False}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
c_maximum_signature_line_length = 100
cpp_maximum_signature_line_length = 100
add_module_names = False
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # attributes are documented as members
default_role = "code"


def public_name(app: Sphinx, env: BuildEnvironment, node: pending_xref, text: Element) -> Element | None:
    """Resolves a type in an annotation to its public name; the annotation names the defining module or no module."""
    if node.get("refdomain") != "py":
        return None
    name = node["reftarget"].rpartition(".")[2]
    domain: Any = env.get_domain("py")
    for module in ("fencepost", "fencepost.types", "fencepost.errors", "fencepost.live"):
        if f"{module}.{name}" in domain.objects:
            return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", f"{module}.{name}", node, text)
    return None


def whole_text(self: GoogleDocstring) -> tuple[str, list[str]]:
    """Reads the docstring of a property as text only, without looking for a type in the text. Napoleon would take the
    text before the first colon as the type. But the type of a property is in its annotation, and the text may contain
    colons, as in 1970-01-01T00:00:00Z."""
    text = self._dedent(self._consume_to_end())
    return "", type(self)(text, self._config).lines()


GoogleDocstring._consume_inline_attribute = whole_text


def setup(app: Sphinx) -> None:
    app.connect("missing-reference", public_name)
