"""What Python 3.10 lacks: our own parts may be sent to a computer that has no newer one."""

import sys

__all__ = ["UTC", "StrEnum", "assert_never"]

if sys.version_info >= (3, 11):
    from datetime import UTC
    from enum import StrEnum
    from typing import assert_never
else:
    from datetime import timezone
    from enum import Enum

    UTC = timezone.utc

    class StrEnum(str, Enum):
        __str__ = str.__str__

    def assert_never(value):
        raise AssertionError(value)
