"""Exchange: moves bytes between ranks by torch.distributed, takes the times, and looks whether
they are what was sent. The acknowledgement is in the time: what was only buffered is no copy.
"""

import os
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import torch
import torch.distributed as dist

from gpuexplorer.ranks.wire import Begin, Expects, Found, Other, Take, Taken, Told, Way

_ENOUGH = 0.5  # seconds for the samples of one size
_FEW, _SLOW, _LEAST, _MOST = 3, 2.0, 7, 200  # so few where one takes longer than _SLOW seconds
_PROBE = 1 << 20  # bytes, from whose time the whole is estimated
_KNOCKING = 3.0  # seconds for each address
_WORD = "word"
_MIXES = 6_364_136_223_846_793_005  # odd: no two numbers have the same product


class Exchange:
    def __init__(self, say: "Callable[[Told], None]") -> None:
        """Others see at its port, which the system chooses, whether they can come here; those
        who are reached meet at the first one's.
        """
        self._say = say
        self._device = torch.device("cpu")
        self._store = dist.TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)  # noqa: FBT003
        self.port: int = self._store.port
        self.word = secrets.token_hex(16)
        self._store.set(_WORD, self.word)

    def join(self, begin: Begin) -> None:
        """Interfaces, the meeting place and the time-out are said, never guessed."""
        if begin.interface:
            os.environ["GLOO_SOCKET_IFNAME"] = begin.interface
            os.environ["NCCL_SOCKET_IFNAME"] = f"={begin.interface}"
        card = None if begin.card is None else torch.device("cuda", begin.card)
        if card is not None:
            self._device = card
            torch.cuda.set_device(card)
        joining = timedelta(seconds=begin.joining)
        if begin.rank:
            self._store = dist.TCPStore(begin.address, begin.port, timeout=joining)
        self._store.set_timeout(joining)
        dist.init_process_group(
            "gloo" if card is None else "nccl",
            store=self._store,
            rank=begin.rank,
            world_size=begin.world,
            timeout=timedelta(seconds=begin.patience),
            device_id=card,
        )
        self._sign = torch.zeros(1, device=self._device)
        dist.barrier()  # connections come with it

    def take(self, order: Take) -> Taken:
        """One who leads decides how often, or another would wait for ever."""
        leads, together = dist.get_rank() == order.source, order.way is Way.ALL_REDUCE
        once = self._all_reduce(order.bytes) if together else self._one_way(order, leads=leads)
        probe = min(order.bytes, _PROBE)
        once(probe)
        expected = once(probe)[0] * order.bytes / probe
        count = _FEW if expected > _SLOW else max(_LEAST, min(_MOST, int(_ENOUGH / expected)))
        which = f"{order.way.value} {order.source} {order.target} {order.bytes}"
        if leads:
            self._say(Expects(expected * (count + 1)))
            self._store.set(which, str(count))
        count = int(self._store.get(which))
        times, right = zip(*[once(order.bytes) for _ in range(count + 1)], strict=True)
        # One way, only who sends hears when all is there.
        return Taken(times[1:] if leads or together else (), all(right))

    def _one_way(self, order: Take, *, leads: bool) -> "Callable[[int], tuple[float, bool]]":
        """The target says when it is ready, and when all is there."""
        sent = self._pattern(order.bytes, order.source)
        got = torch.empty(0 if leads else order.bytes, dtype=torch.uint8, device=self._device)

        def once(size: int) -> "tuple[float, bool]":
            if leads:
                self._hear(order.target)
            else:
                got.zero_()
                dist.send(self._sign, order.source)
            began = time.perf_counter()
            if leads:
                dist.send(sent[:size], order.target)
                self._hear(order.target)
            else:
                dist.recv(got[:size], order.source)
                self._wait()
                dist.send(self._sign, order.source)
            took = time.perf_counter() - began
            return took, leads or torch.equal(got[:size], sent[:size])

        return once

    def _all_reduce(self, size: int) -> "Callable[[int], tuple[float, bool]]":
        """As nccl-tests count, the bytes are those of each rank."""
        mine = self._pattern(size // 4, dist.get_rank()).float()
        got, wanted = torch.empty_like(mine), torch.zeros_like(mine)
        for rank in range(dist.get_world_size()):
            wanted += self._pattern(size // 4, rank)

        def once(size: int) -> "tuple[float, bool]":
            part = got[: size // 4]
            part.copy_(mine[: len(part)])
            dist.barrier()
            began = time.perf_counter()
            dist.all_reduce(part)
            self._wait()
            return time.perf_counter() - began, torch.equal(part, wanted[: len(part)])

        return once

    def _pattern(self, size: int, seed: int) -> torch.Tensor:
        """Bytes of which each eight differ from all others, and from another seed's."""
        first = seed << 40
        numbers = torch.arange(first, first + size // 8 + 1, device=self._device)
        return numbers.mul_(_MIXES).view(torch.uint8)[:size]

    def _hear(self, peer: int) -> None:
        dist.recv(self._sign, peer)
        self._wait()

    def _wait(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)


def nccl() -> "tuple[str, list[str]]":
    """Its version, and the cards that it can use."""
    if not torch.cuda.is_available() or not dist.is_nccl_available():
        return "", []
    cards = [torch.cuda.get_device_name(each) for each in range(torch.cuda.device_count())]
    return ".".join(map(str, torch.cuda.nccl.version())), cards


def reached(others: "Sequence[Other]") -> "list[Found]":
    """All at a time."""
    with ThreadPoolExecutor(max(1, len(others))) as threads:
        return list(threads.map(_reach, others))


def _reach(other: Other) -> Found:
    patience = timedelta(seconds=_KNOCKING)
    try:
        with socket.create_connection((other.address, other.port), _KNOCKING) as way:
            ours = str(way.getsockname()[0]).removeprefix("::ffff:")
        word = dist.TCPStore(other.address, other.port, timeout=patience).get(_WORD)
    except OSError as error:
        return Found(other.rank, other.address, why=error.strerror or "timed out")
    except RuntimeError:  # no store of PyTorch's
        word = b""
    if word != other.word.encode():
        return Found(other.rank, other.address, why="somebody else answers")
    return Found(other.rank, other.address, ours)
