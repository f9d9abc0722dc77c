"""How a person calls the doctor of the computer that a sentence is about."""

import os
from collections.abc import Mapping

_ASKED_AS = "GPUEXPLORER_ASKED_AS"


def surroundings(asked_as: str) -> "Mapping[str, str]":
    """For what of ours runs on another computer: how a command line here names that."""
    return {_ASKED_AS: asked_as}


def doctor(asked_as: "str | None" = None) -> str:
    """What to type; `asked_as` as above, or else of the computer that this runs on."""
    words = os.environ.get(_ASKED_AS, "") if asked_as is None else asked_as
    return " ".join(filter(None, ("gpuexplorer doctor", words)))
