"""MachinesAtStart: the machines that a window is opened with, over ssh or by a Prometheus."""

import argparse
from functools import partial
from typing import TYPE_CHECKING

from gpuexplorer.gui.bridge import Bridge
from gpuexplorer.gui.state.far_machines import Wanted, reach
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.remote.host_name import Launch
from gpuexplorer.telemetry.remembering import RememberingSession

if TYPE_CHECKING:
    from gpuexplorer.fleet.watching import Watching


class MachinesAtStart:
    """As the command line names them, and those of last time."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        settings: Settings,
        bridge: Bridge,
        here: RememberingSession,
        launch: Launch | None,
    ) -> None:
        """`launch` runs commands on other machines, where not ssh does."""
        self._arguments = arguments
        self._hosts = hosts_named(arguments)
        self.state = MachinesState(settings, here, partial(reach, settings, bridge, launch))
        self._watching = self._watch_fleet()

    @property
    def any(self) -> bool:
        return bool(self._hosts) or self._watching is not None

    def begin(self) -> None:
        given = self._arguments
        wanted = [
            Wanted(
                host,
                given.host_python or "",
                given.simulate,
                given.fault,
                given.seed + number,  # simulated ones differ
            )
            for number, host in enumerate(self._hosts)
        ]
        self.state.begin(wanted, remembered=given.screenshot is None)

    def stop(self) -> None:
        """After the window, which stops the others."""
        if self._watching is not None:
            self._watching.stop()

    def _watch_fleet(self) -> "Watching | None":
        """The screen of all machines then shows what a Prometheus tells."""
        fleet = getattr(self._arguments, "fleet", None)
        if fleet is None:
            return None
        from gpuexplorer.fleet.watching import Watching  # noqa: PLC0415 - rarely needed
        from gpuexplorer.gui.state.fleet_hosts import FleetHosts  # noqa: PLC0415 - as above

        watching = Watching(fleet)
        self.state.fleet = FleetHosts(watching)
        watching.start()
        return watching


def hosts_named(arguments: argparse.Namespace) -> list[str]:
    return list(getattr(arguments, "host", ()))
