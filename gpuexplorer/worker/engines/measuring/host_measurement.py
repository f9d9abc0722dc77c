"""A measurement by the host's clock: within the host, and of memory that is not pinned."""

import statistics

from gpuexplorer.lab.events import Measured
from gpuexplorer.worker.engines.measuring.asked import Asked
from gpuexplorer.worker.engines.measuring.by_host import asking, single_call, timed, warmed
from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.engines.measuring.checking import Checks
from gpuexplorer.worker.measuring.plan import LATENCY_LOOPS, MOST_LOOPS, host_loops_for
from gpuexplorer.worker.measuring.refusals import engine_of


def measured_by_host(asked: Asked) -> Measured:
    """Fresh memory is fresh for one copy only, so a sample is one; all other is used again."""
    command = asked.command
    cargo = asked.cargo(command.source, command.target)
    with asked.near(engine_of(command.source, command.target)):
        return _measured(asked, cargo)


def _measured(asked: Asked, cargo: Cargo) -> Measured:
    command, cards = asked.command, asked.cards
    devices = tuple(dict.fromkeys(cargo.ends))
    is_fresh = command.mode == "fresh"
    ask = asking(cards, cargo, raw=command.mode == "raw")
    seconds = warmed(cards, ask, devices, asked.checkpoint)
    loops = _loops(asked, seconds)
    checks = Checks(asked, [cargo])
    samples: list[float] = []
    asks: list[float] = []
    for number in range(command.samples):
        asked.checkpoint()
        if is_fresh:
            cargo.renew()
        else:
            checks.prepare(number)
        took, until_asked = timed(cards, ask, devices, loops)
        samples.append(took)
        asks.append(until_asked)
        checks.look(number)
        asked.on_sample(number + 1)
    checks.compare_one_by_one(ask, loops)
    if is_fresh:
        # Each sample was a single call; one more would find the memory used.
        host, alone = statistics.median(samples), statistics.median(asks)
    else:
        host, alone = single_call(cards, ask, devices)
    if command.mode == "latency":  # many in a row, as other tools count it
        alone = statistics.median(asks)
    return Measured(
        command.id,
        tuple(samples),
        host,
        alone,
        loops=loops,
        intact=checks.intact,
        wrong=checks.wrong,
        compared_samples=checks.samples,
        compared_copies=checks.one_by_one,
        direct=asked.direct(),
        notes=(*asked.notes(), *checks.notes),
    )


def _loops(asked: Asked, seconds: float) -> int:
    match asked.command.mode:
        case "fresh":
            return 1
        case "latency":
            return LATENCY_LOOPS
    most = host_loops_for(seconds)
    within_host = asked.command.source == asked.command.target
    return most if within_host else min(most, MOST_LOOPS)
