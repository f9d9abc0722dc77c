"""Devices of PyTorch beside the machine's cards: what each is like, and which are lost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.gui.state.lab.bench_device import BenchDevice, bench_devices
from gpuexplorer.gui.state.lab.card_match import matches
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.simulated_cards import context_bytes
from gpuexplorer.remote.stream import made_up
from gpuexplorer.telemetry.process_book import ProcessBook
from gpuexplorer.telemetry.processes import ProcessFigure
from gpuexplorer.telemetry.session import Session


def lab_devices(
    machine: MachineState,
    ledger: Ledger,
    visible: Sequence[int] | None,
    done_at: float,
    worker: int | None,
) -> Sequence[BenchDevice]:
    """What PyTorch offers, with the cards that it cannot use behind. `worker`: its process."""
    cards = machine.cards()
    every = [one for each in cards for one in (each, *each.instances)]
    readings = {each.card.id: machine.session.reading(each.card.id) for each in every}
    host = (machine.session.host.name, machine.host_reading())
    driver = machine.session.source.driver_version
    # Not where pids are those of another namespace.
    real = ledger.hello is not None and not ledger.hello.simulated
    if ledger.hello is not None and real and not machine.session.stream.elsewhere:
        meant = matches(ledger.hello, cards)
        known = {name: each.card.card.id for name, each in meant.items() if each.card}
        find_contexts(ledger, known, machine.session.process_book, worker, done_at)
    return bench_devices(ledger, cards, readings, host, visible, done_at, driver)


def lost_devices(
    machine: MachineState, devices: Callable[[], Sequence[BenchDevice]]
) -> tuple[str, ...]:
    """By PyTorch's names. `devices` is asked only where a card is lost."""
    readings = {each.card.id: machine.session.reading(each.card.id) for each in machine.cards()}
    lost = {
        card
        for card, reading in readings.items()
        if reading is not None and reading.state in (CardState.LOST, CardState.UNLISTED)
    }
    if not lost:
        return ()
    return tuple(each.name for each in devices() if each.card in lost and each.name)


def find_contexts(
    ledger: Ledger,
    cards: Mapping[str, CardId],
    book: ProcessBook,
    worker: int | None,
    done_at: float,
) -> None:
    """By the driver's figure for the worker's process, where it was told since the last cell
    was done; `cards` by the names of devices.
    """
    if worker is None or ledger.unfinished:
        return
    held = {
        each.process.card: each.process.values.get(ProcessFigure.MEMORY)
        for each in book.living()
        if each.process.pid == worker and each.resolved
    }
    for device, memory in tuple(ledger.memory.items()):
        card = cards.get(device)
        told, whole = card and book.looked_at(card), card and held.get(card)
        if told and whole and told > done_at and memory.reserved_bytes is not None:
            context = max(0, round(whole) - memory.reserved_bytes)
            ledger.memory[device] = replace(memory, context_bytes=context)


def expected_contexts(session: Session, devices: Sequence[BenchDevice]) -> Mapping[str, int]:
    """By device, of those not used yet. Simulated cards tell it; real ones learn it from an
    equal card that was used.
    """
    seen = {each.label: each.context_bytes for each in devices if each.context_bytes}
    expected = {
        each.name: seen[each.label] or 0
        for each in devices
        if each.name and not each.context_bytes and each.label in seen
    }
    backend = made_up(session.backend)
    if backend is not None:
        models = {
            card.id: backend.machine.spec.cards[card.index].model
            for card in session.cards()
            if card.index < len(backend.machine.spec.cards)
        }
        expected |= {
            each.name: context_bytes(models[each.card])
            for each in devices
            if each.name and each.card in models and not each.context_bytes
        }
    return expected
