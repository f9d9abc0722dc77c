"""The parts of `bench.real_card` that copy: rates, overlap, first copies, peers and sockets."""

import os
import statistics
import time
from pathlib import Path

import torch

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards
from tests.lab.sessions import Session
from tests.worker.measurements import asked_for, measured_on
from tests.worker.real_cards import cache_bytes, memory_rate, rate_of

MIB = 1 << 20
_WAYS = (("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:0"))
_NODES = Path("/sys/devices/system/node")


def headline(text: str) -> None:
    print(f"\n{text}", flush=True)  # noqa: T201 - this is here to print


def say(text: str) -> None:
    print(f"   {text}", flush=True)  # noqa: T201 - likewise


def judge(suspicion: str, *, holds: bool) -> None:
    say(f"=> {'TRUE HERE' if holds else 'not so here'}: {suspicion}")


def copies() -> None:
    """GB/s to the card, from it and within it: by PyTorch, and by the driver's own call."""
    say("  MiB   to card     raw    from card     raw    within     raw   (* no gate)")
    inside = 0.0
    for size in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
        cells = []
        for way in _WAYS:
            for mode in ("copy", "raw"):
                try:
                    measured = measured_on(
                        TorchCards(), *way, bytes=size * MIB, mode=mode, most_share=0.5
                    )
                except Trouble:  # no cuda.bindings, or too little memory
                    cells.append(f"{'-':>9}")
                    continue
                rate = rate_of(measured, size * MIB)
                inside = max(inside, 2 * rate if way[0] == way[1] else 0.0)
                cells.append(f"{rate / 1e9:8.2f}{' ' if measured.gated else '*'}")
        say(f"{size:5} {' '.join(cells)}")
    say(f"The cache (L2) holds {cache_bytes() / MIB:.0f} MiB.")
    say(f"Memory does {memory_rate() / 1e9:.0f} GB/s, which a copy reads and writes.")
    judge("copies that stay in the cache are faster than memory", holds=inside > memory_rate())


def hidden() -> None:
    """Copies beside a computation: each alone, both together."""
    for way in _WAYS[:2]:
        wanted = asked_for(*way, mode="overlap", bytes=64 * MIB, samples=7)
        told = measured_on(TorchCards(), *way, mode="overlap", bytes=64 * MIB, samples=7)
        share = CopyResult(wanted, told, None).hidden or 0.0
        copying = told.loops * statistics.median(told.samples_s)
        say(
            f"{way[0]} to {way[1]}: {(told.alone_s or 0) * 1e3:.2f} ms computing, "
            f"{copying * 1e3:.2f} ms copying meanwhile, {(told.together_s or 0) * 1e3:.2f} ms "
            f"together, hidden {share:.2f}"
        )
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


def peers() -> None:
    """From card to card: whether asking waits while the first card is busy."""
    if torch.cuda.device_count() < 2:
        say("One card only.")
        return
    source = torch.ones(16 * MIB, dtype=torch.uint8, device="cuda:0")
    target = torch.empty_like(source, device="cuda:1")
    target.copy_(source)
    for index in (0, 1):
        torch.cuda.synchronize(index)
    with torch.cuda.device(0):
        torch.cuda._sleep(400_000_000)
    began = time.perf_counter()
    target.copy_(source, non_blocking=True)
    asked = time.perf_counter() - began
    for index in (0, 1):
        torch.cuda.synchronize(index)
    direct = torch.cuda.can_device_access_peer(0, 1)
    say(f"{'Direct' if direct else 'Not direct'}: asking took {asked * 1e3:.2f} ms")
    judge("copies of such cards keep the host waiting, one after the other", holds=asked > 0.1)
    if asked > 1e-3:
        say(f"In all it took {(time.perf_counter() - began) * 1e3:.0f} ms.")


def sockets() -> None:
    """To the card from memory of each socket of the computer."""
    nodes = sorted(_NODES.glob("node[0-9]*"))
    cores = {each.name: _cores((each / "cpulist").read_text()) for each in nodes}
    allowed = os.sched_getaffinity(0)
    rates = {}
    for name, numbers in cores.items():
        if not numbers & allowed:
            continue
        os.sched_setaffinity(0, numbers & allowed)
        measured = measured_on(TorchCards(), *_WAYS[0], bytes=256 * MIB, most_share=0.5)
        rates[name] = rate_of(measured, 256 * MIB)
        say(f"asked for on {name}: {rates[name] / 1e9:.2f} GB/s")
    if len(rates) < 2:
        say("One socket only, as far as this process may see.")
        return
    judge(
        "the rate hangs on the socket where the memory was taken",
        holds=max(rates.values()) > 1.05 * min(rates.values()),
    )


def _cores(text: str) -> set[int]:
    """Of "0-7,16-23"."""
    found: set[int] = set()
    for part in text.strip().split(","):
        if part:
            first, _, last = part.partition("-")
            found |= set(range(int(first), int(last or first) + 1))
    return found
