"""The computer's own addresses, and what their wires promise."""

import array
import contextlib
import ipaddress
import os
import socket
import struct
import sys
from pathlib import Path

from gpuexplorer.ranks.wire import Address

_NETWORKS = Path("/sys/class/net")
_ASK_ALL = 0x8912  # SIOCGIFCONF
_ONE = struct.calcsize("16sHHI16x" if struct.calcsize("P") == 8 else "16s16x")
_LINK_LOCAL = 0x20


def addresses() -> "list[Address]":
    """Those of networks first, IPv4 before IPv6; the loopback last."""
    found = [*_version_4(), *_version_6()] if sys.platform == "linux" else _looked_up()
    found.sort(key=lambda each: ipaddress.ip_address(each[0]).is_loopback)
    return [Address(text, name, promised(name)) for text, name in found]


def promised(interface: str, networks: Path = _NETWORKS) -> "float | None":
    """Bytes per second. What virtual interfaces say of themselves is made up."""
    place = networks / interface
    with contextlib.suppress(OSError, ValueError):
        kind = (place / "uevent").read_text()
        if (place / "device").exists() or "DEVTYPE=bond" in kind or "DEVTYPE=vlan" in kind:
            megabits = int((place / "speed").read_text())
            return megabits * 125_000.0 if 0 < megabits < 0xFFFFFFFF else None
    return None


def called() -> "list[str]":
    """By ssh: the address at which it reached this computer, and the one it came from."""
    words = os.environ.get("SSH_CONNECTION", "").split()
    return [words[2], words[0]] if len(words) == 4 else []


def _version_4() -> "list[tuple[str, str]]":
    import fcntl  # noqa: PLC0415 - not on Windows

    room = array.array("B", bytes(_ONE * 256))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asking = struct.pack("iP", len(room), room.buffer_info()[0])
        size, _ = struct.unpack("iP", fcntl.ioctl(asked.fileno(), _ASK_ALL, asking))
    told = [room[at : at + _ONE].tobytes() for at in range(0, size, _ONE)]
    names = [each[:16].split(b"\0")[0].decode().partition(":")[0] for each in told]
    texts = [socket.inet_ntoa(each[20:24]) for each in told]
    return list(zip(texts, names, strict=True))


def _version_6() -> "list[tuple[str, str]]":
    found = []
    with contextlib.suppress(OSError):
        for line in Path("/proc/net/if_inet6").read_text().splitlines():
            digits, _, _, scope, _, name = line.split()
            if int(scope, 16) != _LINK_LOCAL:
                found.append((str(ipaddress.ip_address(bytes.fromhex(digits))), name))
    return found


def _looked_up() -> "list[tuple[str, str]]":
    texts = {"127.0.0.1"}
    with contextlib.suppress(OSError):
        texts |= {str(each[4][0]) for each in socket.getaddrinfo(socket.gethostname(), None)}
    return [(each, "") for each in sorted(texts) if "%" not in each]
