"""Options of a command in a TOML file."""

from __future__ import annotations

import argparse
import tomllib
from typing import Any

from .outcomes import UsageError


class Configuration(argparse.Action):
    """``--config FILE``: each key is an option without its dashes, each value what follows it; ``true`` is an option
    without a value. What stands behind it on the command line wins."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *rest: Any) -> None:
        try:
            with open(values, "rb") as file:
                table = tomllib.load(file)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{values}: {error}") from None
        try:
            parser.parse_args(
                [_argument(parser, key, value) for key, value in table.items() if value is not False], namespace
            )
        except UsageError as error:
            raise UsageError(f"{values}: {error}") from None


def _argument(parser: argparse.ArgumentParser, key: str, value: Any) -> str:
    """A key and its value as on the command line."""
    option = f"--{key}"
    if option not in parser._option_string_actions or key in ("config", "help"):
        raise UsageError(f"{key} is no option")
    if value is True:
        return option
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{key}: is neither a text, a number, true nor false")
    return f"{option}={value}"
