"""Reads options of a command from a TOML file."""

from __future__ import annotations

import argparse
import tomllib
from typing import Any

from .outcomes import UsageError
from .watch_sources import AddSource


class Configuration(argparse.Action):
    """Implements the option ``--config FILE``: each key in the file is the name of an option without its leading
    dashes, and each value is the option's value. The value ``true`` means an option without a value; a list of strings
    repeats the option, once for each string. Options after ``--config`` on the command line override the options in the
    file."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *rest: Any) -> None:
        try:
            with open(values, "rb") as file:
                table = tomllib.load(file)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{values}: {error}") from None
        try:
            arguments = [each for key, value in table.items() for each in _arguments(parser, key, value)]
            parser.parse_args(arguments, namespace)
        except UsageError as error:
            raise UsageError(f"{values}: {error}") from None
        for name, value in vars(namespace).items():
            if isinstance(value, list):
                # Store the file's lists as tuples: AddSource replaces a tuple by the command line's values, if any.
                setattr(namespace, name, tuple(value))


def _arguments(parser: argparse.ArgumentParser, key: str, value: Any) -> list[str]:
    """Converts a key and its value to command-line arguments."""
    option = f"--{key}"
    if option not in parser._option_string_actions or key in ("config", "help"):
        raise UsageError(f"{key} is not an option of this command")
    if value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, list) and isinstance(parser._option_string_actions[option], AddSource):
        if not value or not all(isinstance(each, str) for each in value):
            raise UsageError(f"{key}: must be a string or a list of strings")
        return [f"{option}={each}" for each in value]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{key}: must be a string, a number, true or false")
    return [f"{option}={value}"]
