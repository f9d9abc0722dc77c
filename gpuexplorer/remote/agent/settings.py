"""Settings: what an agent is told before it begins."""

import json
from collections.abc import Mapping, MutableMapping
from dataclasses import asdict, dataclass

from gpuexplorer.remote.wire import ALONE

_NAME = "GPUEXPLORER_AGENT"


@dataclass(frozen=True)
class Settings:
    """Which cards it reads: the real ones, or simulated ones; and how long it waits, alone."""

    simulate: "str | None" = None
    faults: str = ""
    seed: int = 0
    alone: float = ALONE

    @property
    def environment(self) -> "Mapping[str, str]":
        return {_NAME: json.dumps(asdict(self))}


def settings_of(environment: "MutableMapping[str, str]") -> Settings:
    """What it starts itself shall not find them."""
    return Settings(**json.loads(environment.pop(_NAME, "{}")))
