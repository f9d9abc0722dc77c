"""Real cards as a test wants them, with programs that really run on this computer."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gpuexplorer.core.cards import CardId
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse
from tests.gui.fakes import GIB, FakeBackend, card, working

FIRST = CardId("GPU-0")


class TwoCards(FakeBackend):
    """Both always say the same; `memory` is what each program holds of the first, by pid."""

    def __init__(self) -> None:
        super().__init__({card(0): working(busy=0.97), card(1): working(busy=0.25, used=GIB)})
        self.memory: dict[int, float] = {}

    def processes(self, card: CardId) -> Sequence[CardProcess]:
        if card != FIRST:
            return []
        return [
            CardProcess(
                card,
                pid,
                ProcessUse.COMPUTE,
                {ProcessFigure.MEMORY: held, **dict.fromkeys(list(ProcessFigure)[1:], 0.5)},
            )
            for pid, held in self.memory.items()
        ]


@contextmanager
def running(name: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program that does nothing, and has this word in its command line."""
    code = "print('ready', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline().strip() == b"ready"
        yield program
        program.kill()
