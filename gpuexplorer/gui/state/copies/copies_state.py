"""CopiesState: what was measured in this session, and what is being measured now."""

import threading
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.measuring import STOPPED, Bench, Job, Measuring, Progress
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.gui.bridge import Inbox
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.recording.lab_said import Forgot

_SETTLED = 30  # milliseconds in which results are told once

# None: the lab's Python is being looked for. Raises Trouble where nothing can be measured.
MakeBench = Callable[[], Bench | None]


class CopiesState(QObject):
    """Lives as long as its session is shown. Results come one by one, and stay."""

    changed = Signal()  # results came, or went; a burst of them is told once
    progressed = Signal()  # of the measuring that runs; also that it began, or ended

    def __init__(
        self, lab: Lab, ways: Ways, make_bench: MakeBench, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.lab = lab
        self.ways = ways
        self._make_bench = make_bench
        # The newest of each product of matrices that was measured.
        self.products: dict[ProductJob, ProductResult] = {}
        self._awaited: Sequence[Job] = ()  # until the lab's Python is found
        self._measuring: Measuring | None = None
        self._bench: Bench | None = None
        self._number = 0
        # None while nothing is measured, or nothing was told of it yet.
        self.progress: Progress | None = None
        self._told_at = 0.0  # when anything was heard of what is measured
        # Why the last measuring ended before its end, or could not begin; else empty.
        self.sentence = NOTHING
        self._settle = QTimer(self, singleShot=True, interval=_SETTLED)
        self._settle.timeout.connect(self.changed)
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_came)
        lab.pythons.changed.connect(self._on_pythons_changed)
        lab.shown.connect(self._settled)

    @property
    def results(self) -> Mapping[CopyJob, CopyResult]:
        """The newest of each job, in the order in which they were first measured."""
        return self.lab.course.copies

    @property
    def modelled(self) -> bool:
        """Every time on this machine is a model's; nothing is sent over a wire."""
        return self.lab.machine.session.simulated

    @property
    def running(self) -> bool:
        return self._measuring is not None or bool(self._awaited)

    @property
    def lacking(self) -> bool:
        """What is to be measured waits for PyTorch, which no Python has."""
        return bool(self._awaited) and self.lab.pythons.lacking

    @property
    def silent(self) -> float:
        """For how many seconds nothing was heard of what is measured; 0 where nothing is."""
        if self._measuring is None:
            return 0.0
        return self.lab.machine.session.clock.now() - self._told_at

    def devices(self) -> Sequence[BenchDevice]:
        """Those between which can be copied: the host first, then the cards."""
        return [each for each in self.known_devices() if each.usable]

    def known_devices(self) -> Sequence[BenchDevice]:
        """Also those that cannot be copied to or from just now, with the reason."""
        return [
            each for each in self.lab.devices() if each.name and (each.is_host or each.is_card)
        ]

    def result(self, job: CopyJob) -> CopyResult | None:
        return self.results.get(job)

    def route(self, source: str, target: str) -> Route | None:
        """None where nothing is known of the wiring, or not yet."""
        return self.ways.route(source, target)

    def measure(self, jobs: Sequence[Job]) -> None:
        """One after another. Nothing happens while something is being measured."""
        if self.running or not jobs:
            return
        self._number += 1
        number = self._number
        self.sentence = NOTHING
        try:
            bench = self._make_bench()
        except Trouble as trouble:
            self.sentence = told(trouble.sentence, trouble.hint)
            self.progressed.emit()
            return
        if bench is None:
            self._awaited = jobs
            self.progressed.emit()
            return
        self._bench = bench
        # Called in a thread that may outlive the window: it holds nothing of Qt.
        put = self._inbox.letterbox.put

        def post(what: object) -> None:
            put((number, what))

        self._measuring = Measuring(jobs, bench, post, post, post, on_product=post)
        self._told_at = self.lab.machine.session.clock.now()
        self._measuring.start()
        self.progressed.emit()

    def stop(self) -> None:
        """At once. What was measured stays."""
        if self._awaited:
            self._awaited = ()
            self.progressed.emit()
        if self._measuring is not None:
            self._measuring.stop()

    def forget(self) -> None:
        """All that was measured, as before a machine's slot was changed."""
        self.lab.note(Forgot())
        self.products.clear()
        self.changed.emit()

    def end(self) -> None:
        """For good. Nobody is waited for. Harmless when called twice."""
        self._number += 1
        self._awaited = ()
        self.ways.stop()
        self._let_go()

    def _on_pythons_changed(self) -> None:
        pythons = self.lab.pythons
        if not self._awaited or pythons.working:
            return
        if pythons.python is None and not pythons.trouble:
            # What was asked just now was something else: all of them, for a list to pick from.
            pythons.find()
            return
        if pythons.lacking:
            self.progressed.emit()  # they are measured when one has it
            return
        jobs, self._awaited = self._awaited, ()
        if pythons.python is not None:
            self.measure(jobs)
            return
        self.sentence = pythons.trouble
        self.progressed.emit()

    def _on_came(self, said: tuple[int, object]) -> None:
        """With the number of the measuring it comes from."""
        number, what = said
        if number != self._number:
            return
        match what:
            case CopyResult():
                self._take(what)
                self._settled()
            case ProductResult():
                self.products[what.job] = what
                self._settled()
            case Progress():
                self._told_at = self.lab.machine.session.clock.now()
                self.progress = what
                self.progressed.emit()
            case Message():
                if what and what != STOPPED:
                    self.sentence = what
                self._let_go()
                self.progressed.emit()

    def _take(self, result: CopyResult) -> None:
        """What arrived wrong stays until it was measured anew, and not only tried."""
        before = self.results.get(result.job)
        if result.measured is None and before is not None and before.wrong:
            self.sentence = result.why
        else:
            self.lab.note(result)

    def _settled(self) -> None:
        if not self._settle.isActive():
            self._settle.start()

    def _let_go(self) -> None:
        """The memory of the cards goes back; a worker that hangs takes its time."""
        measuring, self._measuring = self._measuring, None
        bench, self._bench = self._bench, None
        self.progress = None
        if measuring is None or bench is None:
            return

        def give_back() -> None:
            measuring.stop()
            measuring.wait()
            bench.close()

        threading.Thread(target=give_back, name="end measuring", daemon=True).start()
