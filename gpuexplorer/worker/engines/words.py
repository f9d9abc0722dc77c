"""Words: what the dotted names of the grammar stand for in the torch that is here."""

import functools
from typing import Any

from gpuexplorer.core.trouble import Trouble


@functools.lru_cache(maxsize=1024)
def word(name: str) -> Any:
    """Raises Trouble where this PyTorch does not have it."""
    import torch  # noqa: PLC0415 - only the worker's process has it

    found: Any = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
        if found is None:
            raise Trouble(
                "This PyTorch ({version}) has no {name}.",
                "A newer may.",
                version=str(torch.__version__),
                name=name,
            )
    return found
