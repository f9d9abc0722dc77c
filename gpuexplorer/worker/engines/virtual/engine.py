"""VirtualEngine: PyTorch on simulated cards, as the worker's loop wants an engine."""

import contextlib
import functools
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import VERSION, Device, Event, Hello, Memory, Span, Transferred
from gpuexplorer.lab.wire import Measure, Multiply
from gpuexplorer.worker.copies import Copies
from gpuexplorer.worker.engine import Times
from gpuexplorer.worker.engines.placement import PlacementLog
from gpuexplorer.worker.engines.random_bytes import bytes_of
from gpuexplorer.worker.engines.virtual.cards import CardFacts, Cards, Link, named
from gpuexplorer.worker.engines.virtual.cuda_words import CudaWords
from gpuexplorer.worker.engines.virtual.dispatch import Dispatch, refused
from gpuexplorer.worker.engines.virtual.files import CardFiles
from gpuexplorer.worker.engines.virtual.functions import Functions
from gpuexplorer.worker.engines.virtual.lazy import placed_when_known
from gpuexplorer.worker.engines.virtual.modules import DataParallel, movable
from gpuexplorer.worker.engines.virtual.tensor import Holdings
from gpuexplorer.worker.engines.words import word
from gpuexplorer.worker.failures import CardLost

_CUDA = "torch.cuda."
_MORE = (
    "\nSearch for `{}' in https://docs.nvidia.com/cuda/cuda-runtime-api/"
    "group__CUDART__TYPES.html for more information.\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so the "
    "stacktrace below might be incorrect.\n"
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)
# Of a card that falls off the bus: by a process that used it, and by one that did not yet.
_BROKE_OFF = "CUDA error: unspecified launch failure" + _MORE.format("cudaErrorLaunchFailure")
_NO_CONTEXT = "CUDA error: unknown error" + _MORE.format("cudaErrorUnknown")


class VirtualEngine:
    """Values are PyTorch's own; memory and times are modelled, and said to be."""

    def __init__(
        self, cards: "Sequence[Mapping[str, object]]", links: "Sequence[Mapping[str, object]]"
    ) -> None:
        torch.backends.cudnn.enabled = False  # or it warns that it is not there
        self._cards = Cards(
            [CardFacts.read(each) for each in cards],
            [Link(**each) for each in links],  # type: ignore[arg-type]  # ours, from the window
        )
        self._holdings = Holdings(self._cards)
        self._cuda = CudaWords(self._holdings)
        files = CardFiles(self._holdings)
        self._own: Mapping[str, Callable[..., Any]] = {
            "torch.save": files.save,
            "torch.load": files.load,
            "torch.device": _device_of,
            "torch.nn.DataParallel": functools.partial(DataParallel, len(self._cards)),
        }

    @property
    def copies(self) -> Copies:
        return self._cards.copies

    def hello(self) -> Hello:
        return Hello(
            VERSION,
            platform.python_version(),
            torch.__version__,
            "simulated cards",
            simulated=True,
            devices=tuple(self.devices()),
        )

    def devices(self) -> Sequence[Device]:
        cards = [
            Device(f"cuda:{index}", each.name, each.uuid, each.memory_bytes, each.capability)
            for index, each in enumerate(self._cards.facts)
        ]
        host = Device("cpu", platform.processor() or platform.machine())
        return [host, *cards, Device("meta", Message("shapes without values"))]

    def running(
        self, stays_on_host: "Callable[[], bool] | None" = None
    ) -> AbstractContextManager[object]:
        self._cards.begin()
        return self._in_force()

    def others_hold(self, held: "Sequence[tuple[str, int]]") -> None:
        by_name = dict(held)
        for each in self._cards.allocators:
            each.elsewhere_bytes = by_name.get(named(each.index), each.elsewhere_bytes)

    def cards_lost(self, names: "Sequence[str]") -> None:
        cards = self._cards
        cards.lost = frozenset(each for each in range(len(cards)) if named(each) in names)

    def log_placement(self, say: "Callable[[str], None] | None") -> None:
        self._holdings.placement = None if say is None else PlacementLog(say)

    # Any: PyTorch's own, or what answers in its place.
    def word(self, name: str) -> Any:
        if name.startswith(_CUDA):
            return self._cuda.word(name.removeprefix(_CUDA))
        return self._own.get(name) or word(name)

    def measure(
        self,
        command: Measure,
        say: "Callable[[Event], None]",
        checkpoint: "Callable[[], None]",
    ) -> None:
        """There is nothing to be measured."""
        self._cards.begin()
        raise Trouble(
            "Copies of simulated cards are not measured: the program models their times.",
            "Measure on a machine with cards, or look at the modelled times.",
        )

    def multiply(
        self,
        command: Multiply,
        say: "Callable[[Event], None]",
        checkpoint: "Callable[[], None]",
    ) -> None:
        """There is nothing to be measured here either."""
        self._cards.begin()
        raise Trouble(
            "Products on simulated cards are not measured: the program models their times.",
            "Measure on a machine with cards, or look at the modelled times.",
        )

    def settle(self) -> None:
        """What is modelled is done at once."""

    def times(self) -> Times:
        spent = self._cards.spent()
        if spent is None:
            return Times()
        busy = tuple((named(card), s) for card, s in sorted(self._cards.work.busy.items()))
        return Times(*spent, modelled=True, busy=busy)

    def transfers(self, command: int) -> Sequence[Transferred]:
        return self._cards.copies.told(command)

    def spans(self) -> Sequence[Span]:
        return self._cards.work.spans()

    def memory(self) -> Sequence[Memory]:
        return [
            Memory(
                f"cuda:{each.index}",
                each.counts.allocated,
                each.counts.reserved,
                each.free_bytes,
                each.total_bytes,
                each.context_bytes,
            )
            for each in self._cards.allocators
            if each.awake
        ]

    def random_state(self) -> object:
        return bytes_of(torch.get_rng_state())

    def set_random_state(self, state: object) -> None:
        assert isinstance(state, bytes)
        torch.set_rng_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))

    def seed(self, number: int) -> None:
        torch.manual_seed(number)

    @contextlib.contextmanager
    def _in_force(self) -> "Iterator[None]":
        log = self._holdings.placement or contextlib.nullcontext()
        models = movable(), placed_when_known(self._holdings)
        try:
            with models[0], models[1], Functions(self._holdings), Dispatch(self._holdings), log:
                yield
        except CardLost as lost:
            raise refused(_BROKE_OFF if lost.used else _NO_CONTEXT) from lost


# Any: a text, a number, or both, as in PyTorch.
def _device_of(which: Any, *number: Any, **words: Any) -> torch.device:
    """A bare number is a card's."""
    if isinstance(which, int) and not number and not words:
        return torch.device("cuda", which)
    return torch.device(which, *number, **words)
