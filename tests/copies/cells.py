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
        host_seconds: float = 1e-3,
        device_seconds: float | None = None,
        spans: Sequence[Span] = (),
    ) -> None:
        self.begin(code)
        self.tell(*transfers)
        self.end(host_seconds, device_seconds, spans)

    def begin(self, code: str) -> None:
        self._number += 1
        self.ledger.sent(Run(self._number, code, self._number))
        self.ledger.apply(Began(self._number))

    def again(self, number: int, *transfers: Transferred) -> None:
        """That cell is run once more."""
        self._number += 1
        cell = self.ledger.cells[number - 1]
        self.ledger.sent_again(Run(self._number, cell.code, number), cell)
        self.ledger.apply(Began(self._number))
        self.tell(*transfers)
        self.end(1e-3, None)

    def tell(self, *transfers: Transferred) -> None:
        for each in transfers:
            self.ledger.apply(replace(each, id=self._number))

    def end(
        self, host_seconds: float, device_seconds: float | None, spans: Sequence[Span] = ()
    ) -> None:
        if spans:
            self.ledger.apply(Spans(self._number, tuple(spans), modelled=True))
        done = Finished(self._number, host_seconds, device_seconds, modelled=True)
        self.ledger.apply(done)


def moved(
    size: int,
    seconds: float,
    *,
    source: str = "cpu",
    target: str = "cuda:0",
    begin: float = 0.0,
    what: str = "X",
    blocking: bool = True,
    pinned: bool | None = True,
) -> Transferred:
    """Asked for, and intact."""
    return Transferred(
        0,
        source,
        target,
        size,
        seconds,
        modelled=True,
        what=what,
        how="to",
        pinned=pinned,
        blocking=blocking,
        host_seconds=seconds if blocking else 5e-6,
        asked_at=begin,
        begin=begin,
        end=begin + seconds,
        intact=True,
    )


def read(copies: int, host_seconds: float, *, begin: float = 0.0) -> Transferred:
    """Four bytes to the host, so many times."""
    return Transferred(
        0,
        "cuda:0",
        "cpu",
        4 * copies,
        1.4e-6 * copies,
        modelled=True,
        copies=copies,
        what="loss.item()",
        asked=False,
        how="item",
        pinned=False,
        blocking=True,
        host_seconds=host_seconds,
        asked_at=begin,
        begin=begin,
        end=begin + host_seconds,
    )


def route(source: str, target: str) -> Route:
    leg = Leg(Wire.PCIE, Message("PCIe 3 x16"), LIMIT)
    return Route(source, target, (leg,), Way.TO_HOST, None, LIMIT)
