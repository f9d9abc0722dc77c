"""What only a real card decides: `python -m bench.real_card` asks it, in a few minutes.

Needs a card, its driver and PyTorch, and no Qt. Each part has a process of its own, since each
wakes the card; `python -m bench.real_card copies` runs one alone.
"""

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median

import pynvml
import torch

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.metrics import Cadence, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards
from tests.lab.sessions import Session
from tests.real_cards import AtWork
from tests.worker.measurements import asked_for, cache_bytes, measured_on, memory_rate, rate_of

_MIB = 1 << 20
_FIELDS = (186, 185, 83, 82, 197, 198, 138, 139, 170, *range(251, 254), *range(269, 272))
_RECEIVED = 198
_OF_EVERY_BEAT = (82, 83, 185)
_VALUES = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")  # by type
_WAYS = (("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:0"))
_PATIENCE = 240.0


def say(text: str) -> None:
    print(f"   {text}", flush=True)


def judge(suspicion: str, *, holds: bool) -> None:
    say(f"=> {'TRUE HERE' if holds else 'not so here'}: {suspicion}")


def fields() -> None:
    """What single figures cost the driver, and in which type they come."""
    usual: dict[int, float] = {}
    for number in _FIELDS:
        took = []
        for _ in range(9):
            began = time.perf_counter()
            status, kind, value = _field(number)
            took.append(time.perf_counter() - began)
        usual[number] = median(took)
        costs = f"{usual[number] * 1e6:6.0f} us (longest {max(took) * 1e6:.0f})"
        say(f"field {number}: status {status:3}, type {kind}, {costs}: {value}")
    judge(
        "a figure that each beat asks for costs the driver half a millisecond or more",
        holds=max(usual[number] for number in _OF_EVERY_BEAT) >= 500e-6,
    )
    say(f"Driver {pynvml.nvmlSystemGetDriverVersion()}.")
    say("Throttle times are fields 251 to 253 before driver 580.82, then 269 to 271.")


def beats() -> None:
    """What a beat costs, and what it asks in vain."""
    backend, refused = NvmlBackend(), Counter[str]()
    backend.open()
    for cadence in Cadence:
        took = []
        for beat in range(6):
            began = time.perf_counter()
            samples = [
                backend.read(card.id, metrics_of(card, [cadence])) for card in backend.cards()
            ]
            took.append(time.perf_counter() - began)
            refused.update(each for sample in samples for each in sample.missing if beat)
            threading.Event().wait(0.1)
        longest = f"longest {max(took) * 1e3:.2f}"
        say(f"{cadence}, {len(samples)} cards: {median(took) * 1e3:.2f} ms, {longest}")
    say(f"Missing each time: {', '.join(sorted(refused)) or 'nothing'}")
    backend.close()


def waking() -> None:
    """The link's generation while a context comes up and copies begin."""
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    seen: list[tuple[float, int]] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(1e-3):
            generation = pynvml.nvmlDeviceGetCurrPcieLinkGeneration(handle)
            if not seen or generation != seen[-1][1]:
                seen.append((time.monotonic(), generation))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        with AtWork(_uuid(), "send") as work:
            ended.wait(1.5)
            copying = work.began
    finally:
        ended.set()
        watching.join()
    for at, generation in seen:
        say(f"{(at - copying) * 1e3:8.0f} ms after the first copies: generation {generation}")
    judge("a link needs more than 0.2 s of copies to wake", holds=seen[-1][0] - copying > 0.2)


def counters() -> None:
    """The counter of bytes over PCIe, while a known number of them is copied."""
    if _field(_RECEIVED)[0]:
        say("This driver, or this card, does not count them.")
        return
    times, counts = [], []
    with AtWork(_uuid(), "send") as work:
        until = time.monotonic() + 3.0
        while (now := time.monotonic()) < until:
            times.append(now)
            counts.append(int(_field(_RECEIVED)[2]))
            threading.Event().wait(0.01)
        copied = work.rate(times[0], times[-1])
    back = sum(after < before for before, after in pairwise(counts))
    counted = sum((after - before) % 2**32 for before, after in pairwise(counts))
    rate = counted / (times[-1] - times[0])
    say(f"{len(counts)} readings; the largest {max(counts)}; {back} times less than before")
    say(f"Copied {copied / 1e9:.2f} GB/s; counted, modulo 2^32, {rate / 1e9:.2f}")
    judge("the counter has 32 bits, and wraps between readings a second apart", holds=back > 0)
    judge("modulo 2^32 it gives the true rate", holds=0.9 < rate / copied < 1.4)


def copies() -> None:
    """GB/s to the card, from it and within it."""
    say("  MiB   to card  from card    within   (* no gate)")
    inside = 0.0
    for size in (1 << power for power in range(10)):
        cells = []
        for way in _WAYS:
            measured = measured_on(TorchCards(), *way, bytes=size * _MIB, most_share=0.5)
            rate = rate_of(measured, size * _MIB)
            inside = max(inside, 2 * rate if way[0] == way[1] else 0.0)
            cells.append(f"{rate / 1e9:8.2f}{' ' if measured.gated else '*'}")
        say(f"{size:5} {' '.join(cells)}")
    say(f"The cache (L2) holds {cache_bytes() / _MIB:.0f} MiB.")
    say(f"Memory does {memory_rate() / 1e9:.0f} GB/s, which a copy reads and writes.")
    judge("copies that stay in the cache are faster than memory", holds=inside > memory_rate())


def hidden() -> None:
    """Copies beside a computation: each alone, both together."""
    for way in _WAYS[:2]:
        wanted = asked_for(*way, mode="overlap", bytes=64 * _MIB, samples=7)
        told = measured_on(TorchCards(), *way, mode="overlap", bytes=64 * _MIB, samples=7)
        share = CopyResult(wanted, told, None).hidden or 0.0
        times = told.alone_s or 0.0, told.loops * median(told.samples_s), told.together_s or 0.0
        shown = ", ".join(f"{each * 1e3:.2f}" for each in times)
        say(f"{way[0]} to {way[1]}: {shown} ms computing, copying, both; hidden {share:.2f}")
        judge("copies are hidden better than we say", holds=share < 0.85)


def caught() -> None:
    """The first copy of a kind in a process, and the same again."""
    session = Session(cards=())
    try:
        session.run("P = torch.ones(1572864, dtype=torch.uint8).pin_memory()")
        session.run("W = torch.zeros(1000, device='cuda:0')", "V = W.cpu()")
        session.run("for i in range(20000): V.copy_(W)")
        _twice(session, "P.to('cuda:0', non_blocking=True)")
        session.run("S = P.to('cuda:0')")
        _twice(session, "S.to('cpu', non_blocking=True)")
        if torch.cuda.device_count() > 1:
            session.run("C = torch.ones(1000, device='cuda:1')")
            _twice(session, "S.to('cuda:1')")
    finally:
        session.stop()


def _twice(session: Session, line: str) -> None:
    first = session.run(f"A = {line}").transfers[0].seconds or 0.0
    again = session.run("del A", f"A = {line}").transfers[0].seconds or 0.0
    say(f"{line}: {first * 1e6:.1f} us, then {again * 1e6:.1f} us")
    judge("the first copy contains the taking of memory", holds=first > 2 * again + 20e-6)


def memory() -> None:
    """What a program holds beside its tensors."""
    with AtWork(_uuid(), "hold") as work:
        handle = pynvml.nvmlDeviceGetHandleByIndex(0)
        programs = pynvml.nvmlDeviceGetComputeRunningProcesses(handle)
        held = {each.pid: each.usedGpuMemory for each in programs}
        say(f"Its pid is {work.pid}; the driver lists {held}")
        bytes_of_it = held.get(work.pid)
        if bytes_of_it is not None:
            context = bytes_of_it - work.reserved_bytes
            say(f"{context / _MIB:.0f} MiB are not PyTorch's: its context and libraries")
    judge("the driver does not know this program's pid or memory", holds=bytes_of_it is None)


def peers() -> None:
    """From card to card: whether asking waits while the first card is busy."""
    if torch.cuda.device_count() < 2:
        say("One card only.")
        return
    source = torch.ones(16 * _MIB, dtype=torch.uint8, device="cuda:0")
    target = torch.empty_like(source, device="cuda:1")
    target.copy_(source)
    for index in (0, 1):
        torch.cuda.synchronize(index)
    with torch.cuda.device(0):
        torch.cuda._sleep(400_000_000)
    began = time.perf_counter()
    target.copy_(source, non_blocking=True)
    asked = time.perf_counter() - began
    direct = torch.cuda.can_device_access_peer(0, 1)
    say(f"{'Direct' if direct else 'Not direct'}: asking took {asked * 1e3:.2f} ms")
    judge("copies of such cards keep the host waiting, one after the other", holds=asked > 0.1)


def sockets() -> None:
    """To the card from memory of each socket of the computer."""
    allowed, rates = os.sched_getaffinity(0), {}
    for node in sorted(Path("/sys/devices/system/node").glob("node[0-9]*")):
        cores = {int(path.name[3:]) for path in node.glob("cpu[0-9]*")} & allowed
        if cores:
            os.sched_setaffinity(0, cores)
            measured = measured_on(TorchCards(), *_WAYS[0], bytes=256 * _MIB, most_share=0.5)
            rates[node.name] = rate_of(measured, 256 * _MIB)
            say(f"asked for on {node.name}: {rates[node.name] / 1e9:.2f} GB/s")
    if len(rates) > 1:
        holds = max(rates.values()) > 1.05 * min(rates.values())
        judge("the rate hangs on the socket where the memory was taken", holds=holds)


PARTS: dict[str, Callable[[], None]] = {
    each.__name__: each
    for each in (
        *(fields, beats, waking, counters, copies),
        *(hidden, caught, memory, peers, sockets),
    )
}


def _field(number: int) -> tuple[int, int, float]:
    """Status, type and value."""
    told = pynvml.nvmlDeviceGetFieldValues(pynvml.nvmlDeviceGetHandleByIndex(0), [number])[0]
    known = not told.nvmlReturn and told.valueType < len(_VALUES)
    value = getattr(told.value, _VALUES[told.valueType]) if known else float("nan")
    return told.nvmlReturn, told.valueType, value


def _uuid() -> str:
    return str(pynvml.nvmlDeviceGetUUID(pynvml.nvmlDeviceGetHandleByIndex(0)))


def main(wanted: list[str]) -> None:
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        sys.exit(f"There is no card to ask: {error}.")
    if len(wanted) == 1:
        try:
            PARTS[wanted[0]]()
        except Trouble as trouble:
            say(trouble.told)
        return
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    for name in wanted or PARTS:
        print(f"\n{name}: {PARTS[name].__doc__}", flush=True)
        command = [sys.executable, "-m", "bench.real_card", name]
        home = Path(__file__).parents[1]
        subprocess.run(command, cwd=home, timeout=_PATIENCE, check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
