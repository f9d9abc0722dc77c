"""A ledger that was told of cells and their copies, without a worker."""

from collections.abc import Sequence
from dataclasses import replace

from gpuexplorer.copies.routes import Leg, Route, Way, Wire
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Began, Finished, Span, Spans, Transferred
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run

MIB = 1 << 20
LIMIT = 15.75e9


class Cells:
    """They get their numbers in turn."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self._number = 0

    def cell(
        self,
        code: str,
        *transfers: Transferred,
        host_seconds: float | None = 1e-3,
        spans: Sequence[Span] = (),
        again: int = 0,
    ) -> None:
        """`host_seconds`: None: it goes on. `again`: that cell is run once more."""
        self._number += 1
        run, ledger = Run(self._number, code, again or self._number), self.ledger
        if again:
            ledger.sent_again(run, ledger.cells[again - 1])
        else:
            ledger.sent(run)
        ledger.apply(Began(self._number))
        self.tell(*transfers)
        if host_seconds is not None:
            ledger.apply(Spans(self._number, tuple(spans), modelled=True))
            self.end(host_seconds)

    def tell(self, *transfers: Transferred) -> None:
        for each in transfers:
            self.ledger.apply(replace(each, id=self._number))

    def end(self, host_seconds: float) -> None:
        self.ledger.apply(Finished(self._number, host_seconds, None, modelled=True))


def moved(size: int, seconds: float, *, begin: float = 0.0, **more: object) -> Transferred:
    """Asked for, and intact; to the first card unless told otherwise."""
    told = {"what": "X", "how": "to", "pinned": True, "blocking": True, "intact": True} | more
    ends = told.pop("source", "cpu"), told.pop("target", "cuda:0")
    times = {"asked_at": begin, "begin": begin, "end": begin + seconds, "modelled": True}
    times["host_seconds"] = seconds if told["blocking"] else 5e-6
    return Transferred(0, *ends, size, seconds, **times | told)  # type: ignore[arg-type]  # by name


def read(copies: int, host_seconds: float, *, begin: float = 0.0) -> Transferred:
    """Four bytes to the host, so many times."""
    ends = {"source": "cuda:0", "target": "cpu", "pinned": False, "intact": None}
    kind = {"what": "loss.item()", "how": "item", "asked": False, "copies": copies}
    times = {"host_seconds": host_seconds, "end": begin + host_seconds}
    one = moved(4 * copies, 1.4e-6 * copies, begin=begin, **ends)
    return replace(one, **kind, **times)  # type: ignore[arg-type]  # by name


def route(source: str, target: str) -> Route:
    leg = Leg(Wire.PCIE, Message("PCIe 3 x16"), LIMIT)
    return Route(source, target, (leg,), Way.TO_HOST, None, LIMIT)
