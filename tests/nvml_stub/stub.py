"""Builds the stand-in library and steers it from a test; this is also where its words are told.

A configuration is a list of `key=value`, with `;` or spaces between:

    cards=8                       how many cards there are, 128 at most
    kind=h100                     or gh200, rtx4090, t4, gb10; sets the rest of a card anew
    util=55    util=0:55          a number, on all cards or on card 0 (`all:55` works too)
    memory_temp=0:none            the card does not report it
    wddm=1                        cards whose processes' memory is unknown, as on Windows
    idle=all                      cards that do nothing
    driver=gone    driver=back    after `back`, NVML must be initialised again
    driver_version=535.54.03      what the driver answers as some version did
    pcie_bits=64                  of the counters of PCIe bytes, which wrap at 32 otherwise
    mig=0:3    mig_at=0:0,2,5     MIG devices: how many, or at which places of seven
    procs=0:3                     how many programs, with pids that no machine has counted to
    pids=0:1234,5678g,90b,91m     or these: compute, graphics, both, through MPS
    told_count=0:4294967295       how many entries the process lists say they have
    process_memory=0:-1           of each process of the card, in bytes
    name=0:4e56ff                 the raw bytes of the name
    uuid=0:GPU-x
    xid=0:79                      an error event, kept until somebody who listens waits for it
    fans=2     pcie_now=0:1x8     ecc=1:5 (repaired)     ecc_bad=1:2 (not repaired)
    nvlink_down=0:3,4             links that are down
    wiring=switch                 or mesh, pairs, nonsense: what the NVLinks lead to
    p2p=disabled                  or ok, chipset, gpu, topology, not_supported, unknown, 77
    ancestor=50                   where the ways of any two cards meet, as NVML numbers it
    clock=10.5    clock=+1        hold the clock of counters and samples (seconds); real

The other numbers are listed in config.c under `numbers`. Counters grow with the clock.

Faults are rules about calls. CALLS is a function's name, a pattern of names such as
`nvmlDeviceGetPower*`, `field186` or `field*`, `every` call with a card's handle, or `all` but
those that find and name the cards. Without `@CARDS` (`@0,3`, `@all`) a rule is about every card
and about calls with none. CARDS alone means `every@CARDS`. Of two rules the newer one holds.

    fault=CALLS@CARDS:CODE        they answer no_permission, not_supported, unknown, lost,
                                  timeout, … or a number such as 999
    answer=CALLS@CARDS:N,N,_      they give these numbers in turn, then the last one for ever;
                                  `_` is the true one, `*1000` a thousand times that; `nan`
                                  and `inf` for fields and GPM;
                                  a text is the hexadecimal digits of its bytes
    slow=CALLS@CARDS:0.5          they take half a second longer
    hang=CALLS@CARDS              they block until `release`
    crash=CALLS:11                they end the process by this signal
    exit=CALLS:7                  they end it with this status
    fault=none (answer=none, …)   takes away what `fault=` brought

    lost=1     lost=0,3  lost=none   cards that fell off the bus: no handle, and "lost" to all
    hung=0                        every call with the card blocks until `release`
    init=version_mismatch         a refused start: version_mismatch, not_loaded, library, ok, …
    garbage=2                     cards whose figures are impossible
    refused=nvmlDeviceGetName     a list of CALLS that answer with `refuse_code`
    refuse_code=no_permission     not_supported unless set

    flicker=1.0                   faults hold for a second, then not for a second, and so on;
                                  `driver=gone` too. 0: they hold always
    fuzz=7                        every answer may be anything, drawn at random by this seed;
                                  0 is the truth. Only giving back is answered truly, and
                                  CALLS with `fault=CALLS:ok answer=CALLS:_`
    from=2     until=10           they hold only so many seconds after this was said
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

SONAME = "libnvidia-ml.so.1"
_FOLDER = Path(__file__).parent
_FLAGS = ["-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden"]
_WARNINGS = ["-Wall", "-Wextra", "-Werror"]


def compiler() -> str | None:
    """The C compiler there is, $CC first."""
    for name in (os.environ.get("CC"), "cc", "gcc", "clang"):
        if name and (found := shutil.which(name)):
            return found
    return None


def build(old: bool = False) -> Path:
    """The library, compiled unless it is there; `old` is a driver of 2020."""
    sources = sorted(_FOLDER.glob("*.c"))
    digest = hashlib.sha256()
    for source in (*sources, *sorted(_FOLDER.glob("*.h")), Path(__file__)):
        digest.update(source.read_bytes())
    user = os.getuid() if hasattr(os, "getuid") else 0
    cache = Path(tempfile.gettempdir()) / f"nvml-stub-{user}"
    library = cache / f"{digest.hexdigest()[:16]}-{'old' if old else 'new'}" / SONAME
    if not library.exists():
        _compile(sources, library, old)
    return library


def _compile(sources: list[Path], library: Path, old: bool) -> None:
    cc = compiler()
    if cc is None:
        raise RuntimeError(
            "The NVML stand-in needs a C compiler: set $CC, or install cc, gcc or clang."
        )
    library.parent.mkdir(parents=True, exist_ok=True)
    # Several test processes may build at once; the last one to finish wins.
    unfinished = library.with_suffix(f".{os.getpid()}")
    options = [*_FLAGS, *_WARNINGS, *(["-DOLD_DRIVER"] if old else [])]
    linking = [f"-Wl,-soname,{SONAME}", "-Wl,-z,defs", "-lpthread", "-lm"]
    command = [cc, *options, "-o", str(unfinished), *map(str, sources), *linking]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{cc} could not build the NVML stand-in:\n{done.stderr}")
    unfinished.replace(library)


def environment(config: str, old: bool = False) -> dict[str, str]:
    """This process's environment for a child whose NVML is the stand-in, set up like this."""
    library = build(old)
    path = [str(library.parent), os.environ.get("LD_LIBRARY_PATH", "")]
    return {
        **os.environ,
        "NVML_STUB": config,
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, path)),
        "GPUEXPLORER_NVML": str(library),
    }


class Stub:
    """The library inside this process, where a process can hold one flavour only."""

    _loaded: "Stub | None" = None

    def __init__(self, path: Path) -> None:
        self.path = path
        self._library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        self._library.stub_configure.argtypes = [ctypes.c_char_p]
        self._library.stub_set.argtypes = [ctypes.c_char_p]
        self._library.stub_calls.restype = ctypes.c_ulong
        self._library.stub_calls_of.argtypes = [ctypes.c_char_p]
        self._library.stub_calls_of.restype = ctypes.c_ulong
        self._library.stub_held.restype = ctypes.c_long
        self._library.stub_sessions.restype = ctypes.c_uint

    @classmethod
    def load(cls) -> "Stub":
        """From now on `libnvidia-ml.so.1` means this library, for pynvml as for everybody."""
        path = build()
        if cls._loaded is None:
            cls._loaded = cls(path)
            if not hasattr(ctypes.CDLL(SONAME), "stub_calls"):
                raise RuntimeError("Another NVML was loaded into this process before the stub.")
        return cls._loaded

    def configure(self, text: str = "") -> None:
        """Start anew from the defaults; open sessions and handles stay, hung calls return."""
        self._library.stub_configure(text.encode())

    def set(self, text: str) -> None:
        """Change what the text says and leave the rest."""
        self._library.stub_set(text.encode())

    def release(self) -> None:
        """Let all hung calls return, and hang no more."""
        self._library.stub_release()

    def calls(self) -> int:
        return int(self._library.stub_calls())

    def calls_of(self, name: str) -> int:
        """How often a function was called, or a field such as `field186` asked for."""
        return int(self._library.stub_calls_of(name.encode()))

    def reset_calls(self) -> None:
        self._library.stub_reset_calls()

    def held(self) -> int:
        """Event sets and GPM samples that were made and not freed."""
        return int(self._library.stub_held())

    def sessions(self) -> int:
        """Initialisations of NVML that were not shut down again."""
        return int(self._library.stub_sessions())
