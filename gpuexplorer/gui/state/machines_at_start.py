"""The machines that a window is opened with, over ssh or by a Prometheus."""

import argparse
from functools import partial

from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.gui.state.far_machines import Wanted, reach
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.remote.ssh import Launch
from gpuexplorer.telemetry.session import Session


def machines_at_start(
    arguments: argparse.Namespace,
    settings: Settings,
    bridge: Bridge,
    here: Session,
    launch: Launch | None,
) -> MachinesState:
    """Nothing is connected to before `begin`. `launch` runs commands on other machines, where
    not ssh does.
    """
    machines = MachinesState(settings, here, partial(reach, settings, bridge, launch))
    fleet = getattr(arguments, "fleet", None)
    if fleet is not None:
        from gpuexplorer.fleet.host import Watching  # noqa: PLC0415 - rarely needed
        from gpuexplorer.gui.state.fleet_hosts import FleetHosts  # noqa: PLC0415 - as above

        watching = Watching(fleet)
        machines.fleet = FleetHosts(watching)
        watching.start()
    return machines


def begin(machines: MachinesState, arguments: argparse.Namespace) -> None:
    wanted = [
        Wanted(
            host,
            arguments.host_python or "",
            arguments.simulate,
            arguments.fault,
            arguments.seed + number,  # simulated ones differ
        )
        for number, host in enumerate(hosts_named(arguments))
    ]
    machines.begin(wanted, remembered=arguments.screenshot is None)


def hosts_named(arguments: argparse.Namespace) -> list[str]:
    return list(getattr(arguments, "host", ()))
