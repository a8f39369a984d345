"""The base class of the plugin's algorithms."""

from qgis.core import QgsProcessingAlgorithm

from .engine import engine_problem
from .resources import icon


class Algorithm(QgsProcessingAlgorithm):
    """A QGIS algorithm that is described by class attributes.

    Attributes:
        NAME: Identifier within the provider.
        TITLE: The displayed name.
        SUMMARY: One sentence, which is shown as a tool tip.
        HELP: Plain text, shown beside the parameters. A blank line separates paragraphs; other line breaks are ignored,
            except that a line which begins with a dash is a paragraph of its own.
        TAGS: Words to search for.
        ICON: Name of the icon.
    """

    NAME = TITLE = SUMMARY = HELP = ICON = ""
    TAGS = ()

    def createInstance(self):  # noqa: N802
        return type(self)()

    def name(self):
        return self.NAME

    def displayName(self):  # noqa: N802
        return self.TITLE

    def shortDescription(self):  # noqa: N802
        return self.SUMMARY

    def shortHelpString(self):  # noqa: N802
        # QGIS turns each line into a paragraph; qgis_process prints the text unchanged.
        return "\n\n".join("\n".join(_joined(paragraph)) for paragraph in self.HELP.strip().split("\n\n"))

    def tags(self):
        return list(self.TAGS)

    def icon(self):
        return icon(self.ICON)

    def canExecute(self):  # noqa: N802
        problem = engine_problem()
        return problem is None, problem or ""

    def checkParameterValues(self, parameters, context):  # noqa: N802
        # Check the engine here, too, because some callers of an algorithm do not call canExecute first.
        problem = engine_problem()
        return (False, problem) if problem else super().checkParameterValues(parameters, context)


def _joined(paragraph):
    """The lines of a paragraph or a list; lines that were only wrapped are joined."""
    lines = []
    for line in paragraph.splitlines():
        if lines and not line.startswith("- "):
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    return lines
