"""The cards of a command, as its worker meets them: simulated ones feel what it does."""

from dataclasses import replace
from functools import cached_property

from gpuexplorer.commands.source import Opened, wiring_of
from gpuexplorer.copies.benches import routes_here
from gpuexplorer.copies.modelled import routes_of_simulated
from gpuexplorer.copies.route import Route
from gpuexplorer.copies.routes import Routes
from gpuexplorer.lab.events import Event, Hello
from gpuexplorer.lab.simulated_cards import present_cards
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Command
from gpuexplorer.remote.far.backend import load_of, made_up
from gpuexplorer.simulation.faults import FaultKind


class LabCards:
    """`hello` is what the worker said of them."""

    def __init__(self, source: Opened) -> None:
        self.hello: Hello | None = None
        self._source = source
        self._backend = source.backend
        self._load = load_of(source.backend)

    def given(self, start: Start) -> Start:
        backend = made_up(self._backend)
        if backend is None:
            return start
        made = present_cards(backend.machine, backend.faults, backend.elapsed)
        return replace(start, cards=made.cards, links=made.links)

    def told(self, command: Command) -> Command:
        """With what the worker must know of them by now."""
        return command if self._load is None else self._load.told(command, self._lost())

    def apply(self, event: Event) -> None:
        if isinstance(event, Hello):
            self.hello = event
        if self._load is not None:
            self._load.apply(event)

    def way(self, source: str, target: str) -> Route | None:
        """The driver is asked for all of them by the first question."""
        known = {*self._routes.devices} if self.hello is not None else set()
        return self._routes.route(source, target) if {source, target} <= known else None

    @cached_property
    def _routes(self) -> Routes:
        if (model := made_up(self._backend)) is not None:
            return routes_of_simulated(model.machine.spec)
        assert self.hello is not None
        return routes_here(self._backend, self.hello, wiring_of(self._source)[0])

    def _lost(self) -> tuple[str, ...]:
        """By PyTorch's names."""
        backend, hello = made_up(self._backend), self.hello
        if hello is None or backend is None:
            return ()
        falls = [each for each in backend.faults if each.kind is FaultKind.LOST]
        numbers = {each.name: each.uuid.removeprefix("SIM-") for each in hello.devices}
        return tuple(
            name
            for name, number in numbers.items()
            if number.isdigit() and any(f.covers(int(number), backend.elapsed) for f in falls)
        )
