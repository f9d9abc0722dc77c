"""A wire between two interfaces that delays each packet and loses some of them.

`far_wire.py HERE THERE SECONDS LOSS` makes both and forwards until it is ended. The kernels of
this bench have no netem. It keeps the order of packets, has no limit of its rate but Python's
(some thousand packets a second), and loses each packet by itself, never a row of them.
"""

import fcntl
import os
import random
import select
import struct
import sys
import time
from collections import deque

_MAKE = 0x400454CA  # TUNSETIFF
_TUN, _BARE = 0x0001, 0x1000
_KEPT = 10_000  # packets on their way; what is more gets lost


def main(names: list[str], seconds: float, loss: float) -> None:
    ends = [_made(name) for name in names]
    other = dict(zip(ends, reversed(ends), strict=True))
    underway: deque[tuple[float, int, bytes]] = deque()
    while True:
        wait = None if not underway else max(0.0, underway[0][0] - time.monotonic())
        readable, _, _ = select.select(ends, (), (), wait)
        now = time.monotonic()
        for each in readable:
            packet = os.read(each, 65_536)
            if random.random() >= loss and len(underway) < _KEPT:
                underway.append((now + seconds, other[each], packet))
        while underway and underway[0][0] <= now:
            _, to, packet = underway.popleft()
            try:
                os.write(to, packet)
            except OSError:
                continue  # that end is down just now


def _made(name: str) -> int:
    opened = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(opened, _MAKE, struct.pack("16sH", name.encode(), _TUN | _BARE))
    return opened


if __name__ == "__main__":
    main(sys.argv[1:3], float(sys.argv[3]), float(sys.argv[4]))
