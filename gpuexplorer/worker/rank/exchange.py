"""Exchange: moves bytes between ranks by torch.distributed, takes the times, and looks whether
they are what was sent. The acknowledgement is in the time: what was only buffered is no copy.
"""

import os
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
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
        if not dist.is_available():
            raise ImportError("it was built without torch.distributed")
        self.version = str(torch.__version__)
        self._say = say
        self._device = torch.device("cpu")
        self._rank = self._world = 0
        self.word = secrets.token_hex(16)
        self._store = dist.TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)  # noqa: FBT003
        self._store.set(_WORD, self.word)
        self.port: int = self._store.port

    def cards(self) -> "list[str]":
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        return [torch.cuda.get_device_name(each) for each in range(count)]

    def nccl_version(self) -> str:
        if not torch.cuda.is_available() or not dist.is_nccl_available():
            return ""
        return ".".join(str(each) for each in torch.cuda.nccl.version())

    def reached(self, others: "Sequence[Other]") -> "list[Found]":
        """All at a time. PyTorch waits for ever for whoever takes a connection and is silent."""
        threads = ThreadPoolExecutor(max(1, len(others)))
        jobs = {each: threads.submit(_reach, each) for each in others}
        threads.shutdown(wait=False)
        wait(jobs.values(), 3 * _KNOCKING)
        silent = "connected, but no answer came"
        return [
            job.result() if job.done() else Found(each.rank, each.address, why=silent)
            for each, job in jobs.items()
        ]

    def join(self, begin: Begin) -> None:
        """Interfaces, the meeting place and the time-out are said, never guessed."""
        self._rank, self._world = begin.rank, begin.world
        if begin.interface:
            os.environ["GLOO_SOCKET_IFNAME"] = begin.interface
            os.environ["NCCL_SOCKET_IFNAME"] = f"={begin.interface}"
        if begin.card is not None:
            self._device = torch.device("cuda", begin.card)
            torch.cuda.set_device(self._device)
        joining = timedelta(seconds=begin.joining)
        if begin.rank:
            self._store = dist.TCPStore(begin.address, begin.port, timeout=joining)
        self._store.set_timeout(joining)
        dist.init_process_group(
            begin.backend,
            store=self._store,
            rank=begin.rank,
            world_size=begin.world,
            timeout=timedelta(seconds=begin.patience),
        )
        dist.all_reduce(torch.zeros(1, device=self._device))  # connections come with it
        self._wait()

    def take(self, order: Take) -> Taken:
        return self._one_way(order) if order.way is Way.ONE_WAY else self._all_reduce(order)

    def _one_way(self, order: Take) -> Taken:
        leads = self._rank == order.source
        peer = order.target if leads else order.source
        sent = self._pattern(order.bytes, order.source)
        got = torch.empty(0 if leads else order.bytes, dtype=torch.uint8, device=self._device)
        right = True

        def once(size: int) -> float:
            """The target says when it is ready, and when all is there."""
            nonlocal right
            if leads:
                self._receive_sign(peer)
                began = time.perf_counter()
                dist.send(sent[:size], peer)
                self._receive_sign(peer)
                return time.perf_counter() - began
            got.zero_()
            self._send_sign(peer, 0)
            began = time.perf_counter()
            dist.recv(got[:size], peer)
            self._wait()
            self._send_sign(peer, 0)
            took = time.perf_counter() - began
            right = right and torch.equal(got[:size], sent[:size])
            return took

        def agreed(count: int) -> int:
            if leads:
                self._send_sign(peer, count)
                return count
            return self._receive_sign(peer)

        times = self._timed(order, once, agreed, tells=leads)
        return Taken(times if leads else (), right)

    def _all_reduce(self, order: Take) -> Taken:
        """As nccl-tests count, the bytes are those of each rank."""
        count = order.bytes // 4
        mine = self._pattern(count, self._rank).float()
        wanted = torch.zeros_like(mine)
        for rank in range(self._world):
            wanted += self._pattern(count, rank)
        got = torch.empty_like(mine)
        right = True

        def once(size: int) -> float:
            nonlocal right
            part = got[: size // 4]
            part.copy_(mine[: len(part)])
            self._wait()
            dist.barrier()
            began = time.perf_counter()
            dist.all_reduce(part)
            self._wait()
            took = time.perf_counter() - began
            right = right and torch.equal(part, wanted[: len(part)])
            return took

        def agreed(count: int) -> int:
            told = torch.tensor([count], device=self._device)
            dist.broadcast(told, 0)
            return int(told.item())

        times = self._timed(order, once, agreed, tells=self._rank == 0)
        return Taken(times, right)

    def _timed(
        self,
        order: Take,
        once: "Callable[[int], float]",
        agreed: "Callable[[int], int]",
        *,
        tells: bool,
    ) -> "Sequence[float]":
        """One who leads decides how often, or another would wait for ever."""
        probe = min(order.bytes, _PROBE)
        once(probe)
        expected = once(probe) * order.bytes / probe
        count = _FEW if expected > _SLOW else max(_LEAST, min(_MOST, int(_ENOUGH / expected)))
        if tells:
            self._say(Expects(expected * (count + 1)))
        count = agreed(count)
        if count > _FEW:
            once(order.bytes)
        return [once(order.bytes) for _ in range(count)]

    def _pattern(self, size: int, seed: int) -> torch.Tensor:
        """Bytes of which each eight differ from all others, and from another seed's."""
        first = seed << 40
        numbers = torch.arange(first, first + size // 8 + 1, device=self._device)
        return numbers.mul_(_MIXES).view(torch.uint8)[:size]

    def _send_sign(self, peer: int, number: int) -> None:
        dist.send(torch.tensor([number], device=self._device), peer)

    def _receive_sign(self, peer: int) -> int:
        sign = torch.zeros(1, dtype=torch.int64, device=self._device)
        dist.recv(sign, peer)
        return int(sign.item())  # which waits for the card, too

    def _wait(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)


def _reach(other: Other) -> Found:
    patience = timedelta(seconds=_KNOCKING)
    try:
        with socket.create_connection((other.address, other.port), _KNOCKING) as way:
            ours = str(way.getsockname()[0]).removeprefix("::ffff:")
        word = dist.TCPStore(other.address, other.port, timeout=patience).get(_WORD)
    except OSError as error:
        return Found(other.rank, other.address, why=error.strerror or "timed out")
    except RuntimeError:
        word = b""
    if word != other.word.encode():
        return Found(other.rank, other.address, why="somebody else answers")
    return Found(other.rank, other.address, ours)
