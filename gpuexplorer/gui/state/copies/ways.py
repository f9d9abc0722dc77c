"""Ways: the route between any two devices, from what the driver told of the wiring."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal

from gpuexplorer.copies.routes import Route, Routes
from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.wiring import Wiring
from gpuexplorer.telemetry.topology import MachineShape, Topology


class Ways(QObject):
    """Asks the driver when `look` is called. `named`: the cards by PyTorch's names."""

    changed = Signal()

    def __init__(
        self,
        machine: MachineState,
        named: Callable[[], Mapping[str, CardId]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._machine, self._named = machine, named
        self.wiring = Wiring(machine.session, self)
        self.wiring.changed.connect(self._make)
        # The very same until the driver tells something else; None until it has told.
        self.routes: Routes | None = None
        self._made_of: tuple[Topology | None, Mapping[str, CardId]] | None = None

    @property
    def shape(self) -> MachineShape | None:
        """None until the driver has told it."""
        return self.wiring.shape

    def look(self) -> None:
        """Harmless when called often: asked is only where something new may be told."""
        self.wiring.look()
        self._make()

    def route(self, source: str, target: str) -> Route | None:
        return self._told(Routes.route, source, target)

    def staged(self, source: str, target: str) -> Route | None:
        """From card to card through the host, whatever else joins them."""
        return self._told(Routes.staged, source, target)

    def stop(self) -> None:
        self.wiring.stop()

    def for_bench(self) -> Routes | None:
        """Routes of its own, since it uses them in another thread; None while none are told."""
        topology, session = self.wiring.topology, self._machine.session
        if topology is None:
            return None
        shown = self._machine.cards()
        cards = [one.card for each in shown for one in (each, *each.instances)]
        readings = {card.id: session.reading(card.id) for card in cards}
        values = {card: each.values for card, each in readings.items() if each is not None}
        return Routes(topology, cards, self._named(), values)

    def _make(self) -> None:
        made_of = self.wiring.topology, self._named()
        if made_of[0] is not None and made_of != self._made_of:
            self._made_of, self.routes = made_of, self.for_bench()
            self.changed.emit()

    def _told(self, find: Callable[[Routes, str, str], Route], *ends: str) -> Route | None:
        """None where nobody told of one of the two."""
        routes = self.routes
        return find(routes, *ends) if routes and {*ends} <= {*routes.devices} else None
