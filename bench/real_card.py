"""What only a real card decides: `python -m bench.real_card` asks it, in a few minutes.

Needs a card, its driver and PyTorch, and no Qt. Each part has a process of its own, since one
of them breaks its context on purpose; `python -m bench.real_card copies` runs one alone.
"""

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import pynvml

from bench.overheard import Overheard
from bench.real_card_copies import (
    caught,
    copies,
    headline,
    hidden,
    judge,
    peers,
    say,
    sockets,
)
from gpuexplorer.core.metrics import Cadence, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from tests.at_work import AtWork
from tests.lab.sessions import Session

_FIELDS = (186, 185, 83, 82, 197, 198, 138, 139, 170, *range(251, 254), *range(269, 272))
_RECEIVED = 198
_OF_EVERY_BEAT = (82, 83, 185)
_VALUES = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")  # by type
_PATIENCE = 240.0


def fields() -> None:
    """What single figures cost the driver, and in which type they come."""
    names = {
        number: name.removeprefix("NVML_FI_DEV_")
        for name, number in vars(pynvml).items()
        if name.startswith("NVML_FI_DEV_") and isinstance(number, int)
    }
    usual: dict[int, float] = {}
    for number in _FIELDS:
        took = []
        for _ in range(9):
            began = time.perf_counter()
            status, kind, value, _ = _field(number)
            took.append(time.perf_counter() - began)
        usual[number] = statistics.median(took)
        say(
            f"{number} {names.get(number, ''):38} status {status:3}, type {kind}, "
            f"{usual[number] * 1e6:6.0f} us (longest {max(took) * 1e6:.0f}): {value}"
        )
    judge(
        "a figure that each beat asks for costs the driver half a millisecond or more",
        holds=max(usual[number] for number in _OF_EVERY_BEAT) >= 500e-6,
    )
    driver = pynvml.nvmlSystemGetDriverVersion()
    say(f"Driver {driver}. Throttle times: 251 to 253 before 580.82, then 269 to 271.")


def beats() -> None:
    """What a beat costs, and what it asks in vain."""
    overheard = Overheard(pynvml.nvmlLib)
    pynvml.nvmlLib = overheard
    pynvml._nvmlGetFunctionPointer_cache.clear()
    backend = NvmlBackend()
    backend.open()
    for cadence in Cadence:
        took = []
        for beat in range(6):
            if beat == 1:
                overheard.begin()
            began = time.perf_counter()
            for card in backend.cards():
                backend.read(card.id, metrics_of(card, [cadence]))
            took.append(time.perf_counter() - began)
            threading.Event().wait(0.1)
        again = sorted(name for name, times in overheard.refused.items() if times > 1)
        say(
            f"{cadence}, {len(backend.cards())} cards: {statistics.median(took) * 1e3:.2f} ms, "
            f"longest {max(took) * 1e3:.2f}; refused again and again: {', '.join(again) or '-'}"
        )
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
    taken: list[tuple[float, int, int]] = []
    with AtWork(_uuid(), "send") as work:
        until = time.monotonic() + 3.0
        while (now := time.monotonic()) < until:
            _, _, value, micros = _field(_RECEIVED)
            taken.append((now, int(value), micros))
            threading.Event().wait(0.01)
        begin, end = taken[0][0], taken[-1][0]
        copied = work.rate(begin, end)
    counts = [count for _, count, _ in taken]
    back = sum(after < before for before, after in pairwise(counts))
    counted = sum((after - before) % 2**32 for before, after in pairwise(counts))
    rate, seconds = counted / (end - begin), (taken[-1][2] - taken[0][2]) / 1e6
    say(f"{len(taken)} readings; the largest {max(counts)}; {back} times less than before")
    say(f"Copied {copied / 1e9:.2f} GB/s; counted, modulo 2^32, {rate / 1e9:.2f}")
    say(f"{seconds:.3f} s by the driver's clock, {end - begin:.3f} by ours")
    judge("the counter has 32 bits, and wraps between readings a second apart", holds=back > 0)
    judge("modulo 2^32 it gives the true rate", holds=0.9 < rate / copied < 1.4)


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
            say(f"{context / 2**20:.0f} MiB are not PyTorch's: its context and libraries")
    judge("the driver does not know this program's pid or memory", holds=bytes_of_it is None)


def broken() -> None:
    """How an assert on the card is told, and what the worker does afterwards."""
    session = Session(cards=())
    try:
        session.run("X = torch.ones(4, device='cuda:0')")
        failed = session.run("Z = X[torch.tensor([9], device='cuda:0')]").failed
        cause = "" if failed is None else failed.cause
        if failed is not None:
            say(f"{cause}; {failed.error}: {failed.message.partition(chr(10))[0]}")
            say(failed.told)
        judge("a broken context is not recognised", holds=cause != "device broken")
        for line in ("H = torch.ones(1)", "X + 1"):
            failed = session.run(line).failed
            say(f"Then {line}: {'done' if failed is None else failed.told}")
    finally:
        session.stop()


PARTS: Mapping[str, Callable[[], None]] = {
    each.__name__: each
    for each in (
        fields,
        beats,
        waking,
        counters,
        copies,
        hidden,
        caught,
        memory,
        broken,
        peers,
        sockets,
    )
}


def _field(number: int) -> tuple[int, int, float, int]:
    """Status, type, value, and the driver's microseconds."""
    told = pynvml.nvmlDeviceGetFieldValues(pynvml.nvmlDeviceGetHandleByIndex(0), [number])[0]
    known = not told.nvmlReturn and told.valueType < len(_VALUES)
    value = getattr(told.value, _VALUES[told.valueType]) if known else float("nan")
    return told.nvmlReturn, told.valueType, value, told.timestamp


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
    home = Path(__file__).parents[1]
    for name in wanted or PARTS:
        headline(f"{name}: {PARTS[name].__doc__}")
        subprocess.run(
            [sys.executable, "-m", "bench.real_card", name],
            env={**os.environ, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"},
            cwd=home,
            timeout=_PATIENCE,
            check=False,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
