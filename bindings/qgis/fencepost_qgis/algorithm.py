"""What the algorithms have in common."""

from qgis.core import QgsProcessingAlgorithm

from .engine import engine_problem
from .resources import icon


class Algorithm(QgsProcessingAlgorithm):
    """An algorithm described by class attributes.

    Attributes:
        NAME: Identifier within the provider.
        TITLE: What people read.
        SUMMARY: One sentence, shown as a tool tip.
        HELP: HTML, beside the parameters.
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
        return self.HELP

    def tags(self):
        return list(self.TAGS)

    def icon(self):
        return icon(self.ICON)

    def canExecute(self):  # noqa: N802
        problem = engine_problem()
        return problem is None, problem or ""

    def checkParameterValues(self, parameters, context):  # noqa: N802
        # Not everything that runs algorithms asks canExecute first.
        problem = engine_problem()
        return (False, problem) if problem else super().checkParameterValues(parameters, context)
