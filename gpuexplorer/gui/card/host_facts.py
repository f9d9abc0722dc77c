"""HostFacts: what is known of the computer itself beside its plots."""

import platform
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from gpuexplorer import __version__
from gpuexplorer.core import metrics as ids
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.card.words import swap_how_to
from gpuexplorer.gui.cards.facts import Fact, FactGroup, metric_fact
from gpuexplorer.telemetry.facts import Reading

if TYPE_CHECKING:
    from gpuexplorer.remote.wire import Hello

_PROCESSOR, _MEMORY, _SYSTEM = mark("Processor"), mark("Memory"), mark("System")
_OF_MEMORY = (
    ids.MEMORY_TOTAL,
    ids.MEMORY_USED,
    ids.MEMORY_FREE,
)


def host_facts(
    host: Card, reading: Reading, units: Units, name: str = "", hello: "Hello | None" = None
) -> Sequence[FactGroup]:
    """Each metric of the computer once. `name`: of another than this, which said of itself what
    stands in `hello`, where it is read over ssh.
    """

    def metrics(*ids: MetricId) -> tuple[Fact, ...]:
        return tuple(metric_fact(reading, metric, units) for metric in ids)

    return [
        FactGroup(
            _PROCESSOR,
            tr(_PROCESSOR),
            (*_processor(host, here=not name), *metrics(ids.CPU_UTILIZATION)),
        ),
        FactGroup(_MEMORY, tr(_MEMORY), (*metrics(*_OF_MEMORY), *_swap(reading, units))),
        FactGroup(_SYSTEM, tr(_SYSTEM), _elsewhere(name, hello) if name else _system()),
    ]


def _swap(reading: Reading, units: Units) -> tuple[Fact, ...]:
    """Where there is none it is said once, with how to turn it on."""
    total, used = (metric_fact(reading, m, units) for m in (ids.SWAP_TOTAL, ids.SWAP_USED))
    if reading.missing.get(ids.SWAP_USED) is not Absence.NO_SWAP:
        return total, used
    hint = tr("There is no swap space. Click to see how to turn it on.")
    return (replace(used, label=tr("Swap"), hint=hint, how=swap_how_to()),)


def _processor(host: Card, *, here: bool) -> tuple[Fact, ...]:
    count = "" if host.cores is None else str(host.cores)
    threads = tr("How many threads run at once; two may share a core.")
    known = (
        Fact("name", tr("Model"), host.name),
        Fact("cores", tr("Logical cores"), count, absent=_unknown(), hint=threads),
    )
    kind = Fact("architecture", tr("Architecture"), platform.machine(), absent=_unknown())
    return (*known, kind) if here else known


def _elsewhere(name: str, hello: "Hello | None") -> tuple[Fact, ...]:
    named = (Fact("computer", tr("Name"), name),)
    if hello is None:
        return named
    return (
        *named,
        Fact("system", tr("System"), hello.system),
        Fact("python", tr("Python"), hello.python, hint=tr("It runs what was sent over.")),
        Fact("user", tr("Login"), hello.user),
    )


def _system() -> tuple[Fact, ...]:
    runs = tr("It runs this program.")
    return (
        Fact("computer", tr("Name"), platform.node(), absent=_unknown()),
        Fact("system", tr("System"), system_name(), absent=_unknown()),
        Fact("kernel", tr("Kernel"), platform.release(), absent=_unknown()),
        Fact("python", tr("Python"), platform.python_version(), hint=runs),
        Fact("program", "GPU Explorer", __version__),
    )


@cache
def system_name() -> str:
    """ "Debian GNU/Linux 12 (bookworm)"; the file that says so is read once."""
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return f"{platform.system()} {platform.version()}".strip()


def _unknown() -> tuple[str, str]:
    return tr("not reported by the system"), tr("not reported")
