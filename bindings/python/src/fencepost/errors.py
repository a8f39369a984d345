"""The exceptions and warnings of the package.

Each exception is a :class:`FencepostError`. There is one class for each status of the C header.

Example:
    >>> from fencepost import Circle
    >>> from fencepost.errors import InvalidArgumentError
    >>> try:
    ...     Circle(0, 0, radius=-1)
    ... except InvalidArgumentError as error:
    ...     print(error)
    radius is -1; must be finite and above 0 metres
"""

from __future__ import annotations

from typing import Any  # noqa: F401, the type of a member of InputError

from ._errors import InputError, InputWarning, MissingExtraError
from ._native import (
    AheadOfClockError,
    BufferTooSmallError,
    ConsumerAlreadyActiveError,
    FencepostError,
    InternalError,
    InvalidArgumentError,
    InvalidNameError,
    LateInputError,
    MonitorClosedError,
    MonitorInUseError,
    NoSuchDeviceError,
    NotFoundError,
    NullArgumentError,
    QueueFullError,
    SnapshotInvalidError,
    StoreCorruptError,
    StoreTooNewError,
    StoreUnavailableError,
    TableMismatchError,
    UnsupportedError,
)
from ._tables.buffers import ColumnTypeError

__all__ = [
    "AheadOfClockError",
    "BufferTooSmallError",
    "ColumnTypeError",
    "ConsumerAlreadyActiveError",
    "FencepostError",
    "InputError",
    "InputWarning",
    "InternalError",
    "InvalidArgumentError",
    "InvalidNameError",
    "LateInputError",
    "MissingExtraError",
    "MonitorClosedError",
    "MonitorInUseError",
    "NoSuchDeviceError",
    "NotFoundError",
    "NullArgumentError",
    "QueueFullError",
    "SnapshotInvalidError",
    "StoreCorruptError",
    "StoreTooNewError",
    "StoreUnavailableError",
    "TableMismatchError",
    "UnsupportedError",
]
