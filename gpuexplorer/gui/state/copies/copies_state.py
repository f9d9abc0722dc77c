"""CopiesState: what was measured in this session, what is measured now, and by what."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.measuring import STOPPED, Bench, Job, Measuring, Progress
from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route, Values
from gpuexplorer.copies.worker_bench import WorkerBench
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.gui.event_loop import Inbox
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.remote.stream import FarStream, made_up

_SETTLED = 30  # milliseconds in which results are told once
# Seconds for each job of a model, which answers at once: so a person sees one after the other.
_PACE = 0.005

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
        self.lab, self.ways, self._make_bench = lab, ways, make_bench
        self.products: dict[ProductJob, ProductResult] = {}  # the newest of each
        self._awaited: Sequence[Job] = ()  # until the lab's Python is found
        self._measured: tuple[Measuring, Bench] | None = None  # while it runs
        self.progress: Progress | None = None  # of what runs, once it tells
        self._clock, self._told_at = lab.machine.session.clock, 0.0
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
        return self._measured is not None or bool(self._awaited)

    @property
    def lacking(self) -> bool:
        """What is to be measured waits for PyTorch, which no Python has."""
        return bool(self._awaited) and self.lab.pythons.lacking

    @property
    def silent(self) -> float:
        """For how many seconds nothing was heard of what is measured; 0 where nothing is."""
        return 0.0 if self._measured is None else self._clock.now() - self._told_at

    def devices(self) -> Sequence[BenchDevice]:
        """Those between which can be copied: the host first, then the cards."""
        return [each for each in self.known_devices() if each.usable]

    def known_devices(self) -> Sequence[BenchDevice]:
        """Also those that cannot be copied to or from just now, with the reason."""
        return [
            each for each in self.lab.devices() if each.name and (each.is_host or each.is_card)
        ]

    def route(self, source: str, target: str) -> Route | None:
        """None where nothing is known of the wiring, or not yet."""
        return self.ways.route(source, target)

    def measure(self, jobs: Sequence[Job]) -> None:
        """One after another. Nothing happens while something is being measured."""
        if self.running or not jobs:
            return
        self.sentence, bench = NOTHING, None
        try:
            bench = self._make_bench()
            self._awaited = jobs if bench is None else ()
        except Trouble as trouble:
            self.sentence = told(trouble.sentence, trouble.hint)
        if bench is not None:
            # Called in a thread that may outlive the window: it holds nothing of Qt.
            post = self._inbox.letterbox.put
            measuring = Measuring(jobs, bench, post, post, post, on_product=post)
            self._measured, self._told_at = (measuring, bench), self._clock.now()
            measuring.start()
        self.progressed.emit()

    def stop(self) -> None:
        """At once. What was measured stays."""
        if self._awaited:
            self._awaited = ()
            self.progressed.emit()
        if self._measured is not None:
            self._measured[0].stop()

    def end(self) -> None:
        """For good. Nobody is waited for. Harmless when called twice."""
        self._awaited = ()
        self.ways.stop()
        self._let_go()

    def _on_pythons_changed(self) -> None:
        pythons, jobs = self.lab.pythons, self._awaited
        if not jobs or pythons.working:
            return
        if pythons.python is None and not pythons.trouble:
            pythons.find()  # what was asked just now was all of them, for a list to pick from
        elif pythons.lacking:
            self.progressed.emit()  # they are measured when one has PyTorch
        else:
            self._awaited, self.sentence = (), pythons.trouble
            if pythons.python is None:
                self.progressed.emit()
            else:
                self.measure(jobs)

    def _on_came(self, what: object) -> None:
        if self._measured is None:
            return  # it was ended
        match what:
            case CopyResult():
                before = self.results.get(what.job)
                if what.measured is None and before is not None and before.wrong:
                    # What arrived wrong stays until it was measured anew, and not only tried.
                    self.sentence = what.why
                else:
                    self.lab.note(what)
                self._settled()
            case ProductResult():
                self.products[what.job] = what
                self._settled()
            case Progress():
                self.progress, self._told_at = what, self._clock.now()
                self.progressed.emit()
            case Message():
                if what and what != STOPPED:
                    self.sentence = what
                self._let_go()
                self.progressed.emit()

    def _settled(self) -> None:
        if not self._settle.isActive():
            self._settle.start()

    def _let_go(self) -> None:
        """The memory of the cards goes back; a worker that hangs takes its time."""
        if self._measured is not None:
            give_back = partial(_give_back, *self._measured)
            threading.Thread(target=give_back, name="end measuring", daemon=True).start()
        self._measured = self.progress = None


def _give_back(measuring: Measuring, bench: Bench) -> None:
    measuring.stop()
    measuring.wait()
    bench.close()


def copies_of(lab: Lab) -> CopiesState:
    """Of the session that is shown. Asks nobody and starts nothing yet."""
    ways = Ways(lab.machine, lab.cards)
    state = CopiesState(lab, ways, bench_maker(lab, ways))
    ways.setParent(state)
    return state


def bench_maker(lab: Lab, ways: Ways) -> MakeBench:
    def make() -> Bench | None:
        if lab.recorded:
            raise Trouble(RECORDED)
        model = made_up(lab.machine.session.backend)
        if model is None:
            return _on_cards(lab, ways)
        # Routes that were told already; else it asks a machine of its own, which takes long.
        spec, faults, routes = model.machine.spec, model.faults, ways.for_bench()
        return ModelBench(spec, faults, routes, pace=_PACE, elapsed=lambda: model.elapsed)

    return make


def _on_cards(lab: Lab, ways: Ways) -> Bench | None:
    """What it asks of the cards it asks from the thread that measures; no reading changes."""
    if lab.pythons.python is None:
        lab.pythons.find()
        return None
    session, routes = lab.machine.session, ways.for_bench()
    cards = {each.name: each.card for each in lab.devices() if each.name and each.card}
    shown = lab.machine.cards()
    whole = {one.card.id: each.card.id for each in shown for one in each.instances}

    def values(of: Iterable[CardId]) -> Values:
        readings = {card: session.reading(card) for card in of}
        return {card: each.values for card, each in readings.items() if each is not None}

    def busy() -> Mapping[str, float]:
        told, known = values(cards.values()), GPU_UTILIZATION
        return {n: told[c][known] for n, c in cards.items() if known in told.get(c, ())}

    def under_load(devices: Sequence[str]) -> Values:
        used = (cards[each] for each in devices if each in cards)
        return values({whole.get(each, each) for each in used})

    start = Start(lab.pythons.python.path)
    if isinstance(session.backend, FarStream):
        start = session.backend.machine.lab_start(start)
    return WorkerBench(start, lambda _devices: routes, busy, under_load)
