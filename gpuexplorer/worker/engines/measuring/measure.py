"""The answer to a Measure: one copy, timed as it should be, and looked at when it arrived."""

import statistics
from collections.abc import Callable
from dataclasses import replace

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Event, Measured, Sampled
from gpuexplorer.lab.wire import Measure
from gpuexplorer.worker.engines.measuring.asked import Asked
from gpuexplorer.worker.engines.measuring.by_host import asking, single_call, timed, warmed
from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.engines.measuring.checking import Checks
from gpuexplorer.worker.engines.measuring.giving_back import given_back
from gpuexplorer.worker.engines.measuring.interleaved import measured_blocking
from gpuexplorer.worker.engines.measuring.queued_measurement import measured_in_queue
from gpuexplorer.worker.measuring.card_errors import of_card
from gpuexplorer.worker.measuring.cards import Cards
from gpuexplorer.worker.measuring.plan import LATENCY_LOOPS, MOST_LOOPS, host_loops_for
from gpuexplorer.worker.measuring.refusals import engine_of, made_to_fit, needs, refuse


def measure(
    command: Measure,
    cards: Cards,
    say: "Callable[[Event], None]",
    checkpoint: "Callable[[], None]",
) -> None:
    """Says Sampled after each sample and Measured at the end; all memory is given back."""
    refuse(command, cards.names())
    say(given_back(cards, lambda: _measured(command, cards, say, checkpoint)))


def _measured(
    command: Measure,
    cards: Cards,
    say: "Callable[[Event], None]",
    checkpoint: "Callable[[], None]",
) -> Measured:
    def on_sample(taken: int) -> None:
        say(Sampled(command.id, taken, command.samples))

    try:
        made, why_fewer = made_to_fit(command, cards.free_bytes)
        asked = Asked(made, cards, on_sample, checkpoint)
        measured = _by_its_method(asked)
        measured = replace(
            measured, near=asked.took_near, in_cache=asked.cache_that_holds_it is not None
        )
    except RuntimeError as error:
        raise _explained(error, command, cards) from None
    if not why_fewer:
        return measured
    return replace(measured, fewer_bytes=made.bytes, notes=(why_fewer, *measured.notes))


def _by_its_method(asked: Asked) -> Measured:
    if asked.command.mode == "blocking":
        return measured_blocking(asked)
    if asked.job.is_timed_by_host:
        return measured_by_host(asked)
    return measured_in_queue(asked)


def _explained(error: RuntimeError, command: Measure, cards: Cards) -> Exception:
    """What PyTorch says of a card is told as what it means for the measurement."""
    words = str(error)
    if not any(name in words for name in ("CUDA", "HIP")):
        return error
    if "out of memory" in words:
        return error if type(error).__name__ == "OutOfMemoryError" else MemoryError(words)
    if "no kernel image" in words:
        return Trouble(
            "This PyTorch has no kernels for the card, and this measurement needs one.",
            "Measure a plain copy, or take a PyTorch that was built for the card.",
        )
    way = Message("{source} to {target}", source=command.source, target=command.target)
    broke = Message("A card broke off while {way} was measured.", way=way)
    return of_card(words, cards, tuple(needs(command.job)), way, broke)


def measured_by_host(asked: Asked) -> Measured:
    """Fresh memory is fresh for one copy only, so a sample is one; all other is used again."""
    command = asked.command
    cargo = asked.cargo(command.source, command.target)
    with asked.near(engine_of(command.source, command.target)):
        return _measurement_measured(asked, cargo)


def _measurement_measured(asked: Asked, cargo: Cargo) -> Measured:
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
