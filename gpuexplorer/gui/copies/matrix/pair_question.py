"""MatrixQuestion: what is measured between every two devices, as chosen above the matrix."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from gpuexplorer.copies.jobs import USUAL_BYTES, Kind, job_of
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.widgets.pair_grid import Pair, PairHead
from gpuexplorer.lab.wire import CopyJob

HOST = "cpu"
SIZES = (1 << 20, 16 << 20, 64 << 20, USUAL_BYTES, 1 << 30)


class AskedPath(Enum):
    """Between cards: which way the bytes are to go."""

    PYTORCH = mark("As PyTorch takes it")
    DIRECT = mark("Direct")
    STAGED = mark("Staged")


@dataclass(frozen=True, slots=True)
class MatrixQuestion:
    """Way and pinned memory are choices of one direction alone: nobody measures them else."""

    kind: Kind = Kind.ONE_WAY
    way: AskedPath = AskedPath.PYTORCH
    pinned: bool = True
    bytes: int = USUAL_BYTES

    @property
    def chooses_way(self) -> bool:
        return self.kind is Kind.ONE_WAY

    @property
    def latency(self) -> bool:
        return self.kind is Kind.LATENCY

    @property
    def caption(self) -> str:
        """The unit of the cells. The size stands beside it, where it is chosen."""
        match self.kind:
            case Kind.LATENCY:
                return tr("µs for 16 bytes")
            case Kind.BOTH_WAYS:
                return tr("GB/s each way at once")
            case _:
                return tr("GB/s one way")

    def job(self, source: str, target: str) -> CopyJob | None:
        """None where it makes no sense between these two; `why_not` says why."""
        kind = self._kind_between(source, target)
        if kind is None:
            return None
        return job_of(kind, source, target, self.bytes, fit=self.bytes == USUAL_BYTES)

    def _kind_between(self, source: str, target: str) -> Kind | None:
        if not self.chooses_way:
            return self.kind
        between = HOST not in (source, target) and source != target
        if self.way is AskedPath.STAGED:
            return Kind.STAGED if between else None
        if self.way is AskedPath.DIRECT and not between:
            return None
        if not self.pinned and (source == HOST) != (target == HOST):
            return Kind.PAGEABLE
        return Kind.ONE_WAY

    def jobs(self, devices: Sequence[str]) -> Mapping[Pair, CopyJob]:
        """Every ordered pair that can be asked, row by row."""
        asked = {(one, other): self.job(one, other) for one in devices for other in devices}
        return {pair: job for pair, job in asked.items() if job is not None}

    def why_not(self, source: str, target: str) -> str:
        """Why there is no such copy between the two."""
        if source == target and self.kind is Kind.BOTH_WAYS:
            return tr("A copy within one device has only one way.")
        if self.chooses_way and self.way is AskedPath.STAGED:
            return tr("Only copies from one card to another can be staged.")
        if self.chooses_way and self.way is AskedPath.DIRECT:
            return tr("Only copies from one card to another can go directly.")
        return tr("This is not measured between these two.")

    def hides(self, direct: bool | None, route: Route | None) -> str:
        """Why a result does not belong here: empty where it does."""
        if not (self.chooses_way and self.way is AskedPath.DIRECT) or direct is not False:
            return ""
        notes = () if route is None else route.notes
        return paragraph((tr("There is no direct way: it goes through host memory."), *notes))


def staged_of(jobs: Iterable[CopyJob]) -> list[CopyJob]:
    """The same bytes between the same cards, through host memory."""
    found = (
        job_of(Kind.STAGED, job.source, job.target, job.bytes, fit=job.fit) for job in jobs
    )
    return [job for job in found if job is not None]


@dataclass(frozen=True, slots=True)
class Head(PairHead):
    """One row and one column."""

    words: str = ""  # "host", "card 3"
    gone: str = ""  # why nothing can be copied to or from it now; sentences

    @property
    def is_host(self) -> bool:
        return self.name == "cpu"


def heads_of(devices: Sequence[BenchDevice]) -> tuple[Head, ...]:
    return tuple(_head(each) for each in devices)


def _head(device: BenchDevice) -> Head:
    if device.is_host:
        titled, words = tr("Host"), tr("host")
    else:
        titled = tr("Card {chip}", chip=device.chip)
        words = tr("card {chip}", chip=device.chip)
    gone, colour = "", device.colour
    if not device.usable:
        gone, colour = (
            paragraph((device.reason, device.way_out)) or tr("It cannot be used."),
            None,
        )
    return Head(device.name, device.chip, colour, titled, words=words, gone=gone)
