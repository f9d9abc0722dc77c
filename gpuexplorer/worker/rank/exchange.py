"""Exchange: moves bytes between ranks by torch.distributed, takes the times, and looks whether
they are what was sent. The acknowledgement is in the time: what was only buffered is no copy.
"""

import os
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

import torch
import torch.distributed as dist

from gpuexplorer.ranks.wire import Begin, Expects, Take, Taken, Told, Way

_ENOUGH = 0.5  # seconds for the samples of one size
_FEW, _SLOW, _LEAST, _MOST = 3, 2.0, 7, 200  # so few where one takes longer than _SLOW seconds
_PROBE = 1 << 20  # bytes, from whose time the whole is estimated
_TILE = 1 << 20


class Exchange:
    def __init__(self, say: "Callable[[Told], None]") -> None:
        if not dist.is_available():
            raise ImportError("it was built without torch.distributed")
        self.version = str(torch.__version__)
        self._say = say
        self._device = torch.device("cpu")
        self._rank = self._world = 0
        self._store: dist.TCPStore | None = None

    def cards(self) -> "list[str]":
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        return [torch.cuda.get_device_name(each) for each in range(count)]

    def open(self, address: str) -> int:
        """The port of the place where all meet; the system chooses a free one."""
        self._store = dist.TCPStore(address, 0, None, True, wait_for_workers=False)  # noqa: FBT003
        return int(self._store.port)

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
        if self._store is None:
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
        if order.way.together:
            return self._take_together(order)
        return self._take_between(order)

    def _take_between(self, order: Take) -> Taken:
        leads = self._rank == order.source
        peer = order.target if leads else order.source
        both = order.way is Way.BOTH_WAYS
        sends, receives = leads or both, both or not leads
        sent = self._pattern(order.bytes, self._rank) if sends else None
        wanted = self._pattern(order.bytes, peer) if receives else None
        got = torch.empty_like(wanted) if wanted is not None else None
        right = True

        def once(size: int) -> float:
            """The target says when it is ready, and when all is there."""
            nonlocal right
            if got is not None:
                got.zero_()
            if leads:
                self._receive_sign(peer)
            else:
                self._send_sign(peer, 0)
            began = time.perf_counter()
            jobs = [
                dist.P2POp(how, data[:size], peer)
                for how, data in ((dist.isend, sent), (dist.irecv, got))
                if data is not None
            ]
            for each in dist.batch_isend_irecv(jobs):
                each.wait()
            if leads:
                self._receive_sign(peer)
            else:
                self._wait()
                self._send_sign(peer, 0)
            took = time.perf_counter() - began
            if got is not None and wanted is not None:
                right = right and torch.equal(got[:size], wanted[:size])
            return took

        def agreed(count: int) -> int:
            if leads:
                self._send_sign(peer, count)
                return count
            return self._receive_sign(peer)

        times = self._timed(order, once, agreed, tells=leads)
        intact = right if receives else None
        return Taken(order.number, order.bytes, times if leads else (), intact)

    def _take_together(self, order: Take) -> Taken:
        """As nccl-tests count: the bytes of an all-reduce are those of each rank, the bytes of
        an all-gather those that each has in the end.
        """
        reduces = order.way is Way.ALL_REDUCE
        parts = 4 if reduces else self._world
        each = max(1, order.bytes // parts)  # numbers of four bytes, or bytes of every rank
        if reduces:
            mine = self._pattern(each, self._rank).float()
            got = torch.empty_like(mine)
            wanted = torch.zeros_like(mine)
            for rank in range(self._world):
                wanted += self._pattern(each, rank)
        else:
            mine = self._pattern(each, self._rank)
            got = torch.empty(each * self._world, dtype=torch.uint8, device=self._device)
            wanted = torch.cat([self._pattern(each, rank) for rank in range(self._world)])
        right = True

        def once(size: int) -> float:
            nonlocal right
            some = max(1, size // parts)
            part = got[: some if reduces else some * self._world]
            if reduces:
                part.copy_(mine[:some])
            else:
                part.zero_()
            self._wait()
            dist.barrier()
            began = time.perf_counter()
            if reduces:
                dist.all_reduce(part)
            else:
                dist.all_gather_into_tensor(part, mine[:some])
            self._wait()
            took = time.perf_counter() - began
            if len(part) == len(wanted):
                right = right and torch.equal(part, wanted)
            return took

        def agreed(count: int) -> int:
            told = torch.tensor([count], device=self._device)
            dist.broadcast(told, 0)
            return int(told.item())

        times = self._timed(order, once, agreed, tells=self._rank == 0)
        return Taken(order.number, each * parts, times, right)

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
            self._say(Expects(order.number, expected * (count + 1)))
        count = agreed(count)
        if count > _FEW:
            once(order.bytes)
        return [once(order.bytes) for _ in range(count)]

    def _pattern(self, size: int, seed: int) -> torch.Tensor:
        """Bytes of which each is told from its neighbours, and each tile from the next."""
        places = torch.arange(min(size, _TILE), device=self._device)
        tile = ((places % 251) * 31 + (places // 251) * 17 + seed * 101).to(torch.uint8)
        made = torch.empty(size, dtype=torch.uint8, device=self._device)
        for number, at in enumerate(range(0, size, _TILE)):
            made[at : at + _TILE] = tile[: size - at] + (number * 59) % 256
        return made

    def _send_sign(self, peer: int, number: int) -> None:
        dist.send(torch.tensor([number], device=self._device), peer)

    def _receive_sign(self, peer: int) -> int:
        sign = torch.zeros(1, dtype=torch.int64, device=self._device)
        dist.recv(sign, peer)
        return int(sign.item())  # which waits for the card, too

    def _wait(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)


def nccl_version() -> str:
    if not torch.cuda.is_available() or not dist.is_nccl_available():
        return ""
    return ".".join(str(each) for each in torch.cuda.nccl.version())
