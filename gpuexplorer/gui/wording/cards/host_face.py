"""HostFace: all that is shown of the computer itself."""

from dataclasses import dataclass

from gpuexplorer.gui.wording.figure import Figure


@dataclass(frozen=True, slots=True)
class HostFace:
    """What the strip shows."""

    name: str
    busy: Figure
    busy_share: float | None
    memory: Figure
    memory_share: float | None
    swap: Figure

    @property
    def spoken(self) -> str:
        return " ".join(f"{each.spoken}." for each in (self.busy, self.memory, self.swap))
