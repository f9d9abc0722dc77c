"""FleetHosts: the hosts of a fleet for the window: as groups, and each as a machine."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gpuexplorer.core.words import Message, tr
from gpuexplorer.fleet.host import Watching, host_session
from gpuexplorer.gui.state.far_machines import Reached, Wanted
from gpuexplorer.gui.state.groups.group import HostGroup
from gpuexplorer.gui.state.groups.of_fleet import Seating, groups_of
from gpuexplorer.gui.state.machines import MachinesState, Standing
from gpuexplorer.remote.link import LinkNow, LinkState

if TYPE_CHECKING:
    from gpuexplorer.remote.ssh import Asking

_ASKING = Message("Prometheus is asked which cards there are.")


class FleetHosts:
    """Lives as long as the window. Asks nothing itself, and never waits."""

    def __init__(self, watching: Watching) -> None:
        self.watching = watching
        self._places = Seating()
        server = watching.fleet.server.where.url
        # As of the last answer, and as they stand while there is none.
        self._answered: Sequence[HostGroup] = (
            HostGroup(server, server, Standing.CONNECTING, why=_ASKING),
        )
        self._broken: tuple[object, Sequence[HostGroup]] = (None, ())
        watching.listen(self._take)

    @property
    def groups(self) -> Sequence[HostGroup]:
        """The very same until there is news; of an outage, until a second has passed, or some,
        since all of a large fleet is then drawn anew.
        """
        broken, answered = self.watching.broken, self._answered
        if broken is None:
            return answered
        now, read_at = self.watching.clock.now(), self.watching.answered_at
        seconds = max(1.0, len(answered) / 200)
        stamp = broken, (now - broken.since) // seconds
        if self._broken[0] != stamp:
            groups = [
                replace(
                    each,
                    standing=Standing.BROKEN,
                    why=broken.why,
                    hint=broken.hint,
                    for_seconds=now - broken.since,
                    retry_in=max(0.0, broken.retry_at - now),
                    age=None if read_at is None or each.age is None else now - read_at,
                )
                for each in answered
            ]
            self._broken = stamp, groups
        return self._broken[1]

    def open(self, host: str, machines: MachinesState) -> str:
        """Among the machines of the window from now on, under this key."""
        key = tr("{host} (Prometheus)", host=host)
        if all(each.key != key for each in machines.rows()):
            machines.add(Wanted(key), partial(self._reach, host))
        return key

    def _take(self) -> None:
        """From the thread that asks."""
        if self.watching.broken is None and self.watching.now is not None:
            groups = groups_of(self.watching.now, self.watching.beat, self._places)
            for each in groups:
                _ = each.together  # here, so that the window need not
            self._answered = groups

    def _reach(
        self, host: str, wanted: Wanted, on_change: Callable[[], None], asking: "Asking"
    ) -> Reached:
        return Reached(
            FleetLink(self.watching, on_change), lambda: host_session(self.watching, host)
        )


class FleetLink:
    """A Far: as good or bad as the connection to Prometheus."""

    def __init__(self, watching: Watching, on_change: Callable[[], None]) -> None:
        self._watching, self._on_change = watching, on_change
        self._connected = False
        self._began = watching.clock.now()

    @property
    def now(self) -> LinkNow:
        if not self._connected:
            return LinkNow(LinkState.ENDED, self._began)
        if (broken := self._watching.broken) is not None:
            return LinkNow(LinkState.BROKEN, *broken)
        answered = self._watching.now is not None
        return LinkNow(LinkState.UP if answered else LinkState.CONNECTING, self._began)

    @property
    def lost_at(self) -> float | None:
        return None if (broken := self._watching.broken) is None else broken.since

    @property
    def hello(self) -> object | None:
        return self._watching.now

    def connect(self) -> None:
        if not self._connected:
            self._connected = True
            self._watching.listen(self._on_change)
            self._on_change()

    def retry_now(self) -> None:
        self._watching.ask_now()

    def stop(self) -> None:
        if self._connected:
            self._connected = False
            self._watching.stop_listening(self._on_change)
            self._on_change()
