"""Stage: how the other process is."""

from enum import StrEnum


class Stage(StrEnum):
    """`RESTING` holds no card's memory: nobody has asked for anything, or all was released."""

    RESTING = "resting"
    SEARCHING = "searching"  # for a Python with PyTorch
    STARTING = "starting"
    READY = "ready"
    BUSY = "busy"
    HANGING = "hanging"  # was asked to give up, and does not come back
    FAILED = "failed"  # cannot be started; a sentence says why

    @property
    def runs(self) -> bool:
        """Whether there is a worker that could be ended."""
        return self in (Stage.STARTING, Stage.READY, Stage.BUSY, Stage.HANGING)
