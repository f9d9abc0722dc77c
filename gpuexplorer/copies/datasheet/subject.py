"""Subject: the device that a sheet is about, and all that is known of it beforehand."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.plan import Kind, job_of
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.lab.wire import KINDS, CopyJob, ProductJob

_SMALL_CARD = 8 << 30
TENSOR_CORES_KNOW = (8, 0)  # compute capability from which TF32 and BF16 are theirs


@dataclass(frozen=True, slots=True)
class Subject:
    """`values` and `missing` are the newest reading of the card; see `ASKED` in promises."""

    device: str  # "cpu", "cuda:0"
    card: Card | None  # None: the processor, or a card that the driver does not tell of
    routes: Routes | None = None  # None: nobody told how the machine is wired
    values: Mapping[MetricId, float] = field(default_factory=dict)
    missing: Mapping[MetricId, Absence] = field(default_factory=dict)
    name: str = ""  # what PyTorch calls it, where no card is known

    @property
    def is_host(self) -> bool:
        return self.device == HOST

    @property
    def label(self) -> str:
        if self.card is not None:
            return self.card.name
        return self.name or (Message("the processor") if self.is_host else self.device)

    def has_tensor_kinds(self) -> bool | None:
        """Whether its tensor cores know TF32 and BF16; None: it cannot be told."""
        capability = None if self.card is None else self.card.compute_capability
        return None if capability is None else capability >= TENSOR_CORES_KNOW

    def peer(self) -> str | None:
        """The card that is reached fastest from here, in theory."""
        if self.is_host or self.routes is None:
            return None
        others = [each for each in self.routes.devices if each not in (HOST, self.device)]
        found = [(self.routes.route(self.device, each), each) for each in others]
        best = max(
            found,
            key=lambda way: (bool(way[0].direct), way[0].limit or 0.0),
            default=None,
        )
        return None if best is None else best[1]

    def copies(self) -> tuple[CopyJob | None, CopyJob | None, CopyJob | None, CopyJob | None]:
        """Within the device, from the host, to the host, to the best other card."""
        one_way, peer = Kind.ONE_WAY, self.peer()
        local = job_of(one_way, self.device, self.device, fit=True)
        if self.is_host:
            return local, None, None, None
        return (
            local,
            job_of(one_way, HOST, self.device, fit=True),
            job_of(one_way, self.device, HOST, fit=True),
            None if peer is None else job_of(one_way, self.device, peer, fit=True),
        )

    def product(self, kind: str) -> ProductJob:
        """So large that the device is at full work, and its memory is not."""
        if self.is_host:
            return ProductJob(self.device, kind, 1024)
        memory = None if self.card is None else self.card.memory_bytes
        small = memory is not None and memory <= _SMALL_CARD
        return ProductJob(self.device, kind, 4096 if small else 8192)


def jobs_of(subject: Subject) -> tuple[CopyJob | ProductJob, ...]:
    """All that a sheet shows, in the order of its rows. What cannot be is left out."""
    without_tf32 = subject.is_host or subject.has_tensor_kinds() is False
    kinds = [kind for kind in KINDS if kind != "tf32" or not without_tf32]
    copies = [job for job in subject.copies() if job is not None]
    return (*copies, *(subject.product(kind) for kind in kinds))
