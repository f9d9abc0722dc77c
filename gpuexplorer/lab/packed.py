"""Packed: what a worker is told at its start, as one short text for its environment.

Linux takes no variable over 128 KiB, and the wires between 64 cards alone are twice that.
"""

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any

NAME = "GPUEXPLORER_LAB"


def packed(settings: "Mapping[str, object]") -> str:
    return base64.b64encode(zlib.compress(json.dumps(settings).encode())).decode("ascii")


# Any: it is JSON.
def unpacked(text: str) -> "dict[str, Any]":
    """Of no text: nothing was told."""
    if not text:
        return {}
    settings: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(text)))
    return settings
