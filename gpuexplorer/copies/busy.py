"""Busy: a device that others used while something was measured on it."""

from dataclasses import dataclass

from gpuexplorer.core.words import Message


@dataclass(frozen=True, slots=True)
class Busy:
    """`share` of its time, from 0 to 1, shortly before."""

    device: str
    share: float

    @property
    def sentence(self) -> Message:
        return Message(
            "{device} was busy: {share:.0f} %.", device=self.device, share=self.share * 100
        )
