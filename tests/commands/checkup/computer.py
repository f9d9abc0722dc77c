"""Computer: a made-up computer for the doctor, as files below a folder and answers by heart."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gpuexplorer.commands.checkup.probe import Answer, Probe, Ran, Topic, ask_driver
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.pythons import LabPython, read_build, unfit
from gpuexplorer.telemetry.backend import INSTALL_IT, Backend, Source
from gpuexplorer.telemetry.backends.no_cards import NoCards
from gpuexplorer.telemetry.patience import Asked

NO_LIBRARY = Trouble("The driver's library is not installed.", INSTALL_IT)


class Driver(NoCards):
    """NVIDIA's driver, with these cards, all of them at work unless `states` says else."""

    def __init__(
        self,
        version: str,
        cuda: str,
        cards: Sequence[Card],
        states: Mapping[CardId, CardState],
    ) -> None:
        super().__init__()
        self.source = Source(
            "nvml",
            Message("NVIDIA driver {version}, read through NVML", version=version),
            driver_version=version,
            cuda_version=cuda,
        )
        self._cards = cards
        self._states = states
        self.without_figures: dict[CardId, Absence] = {}

    def cards(self) -> Sequence[Card]:
        return self._cards

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        state = self._states.get(card, CardState.WORKING)
        if state is CardState.WORKING and card not in self.without_figures:
            return Sample(card, 0.0, dict.fromkeys(metrics, 40.0))
        why = self.without_figures.get(card, Absence.NOT_SUPPORTED)
        return Sample(card, 0.0, {}, dict.fromkeys(metrics, why), state)

    def notes(self) -> Sequence[Message]:
        return [
            Message("Card {card}: {reason}.", card=card.index, reason=card.cuda_reason)
            for card in self._cards
            if card.cuda_reason
        ]


def card(
    index: int = 0,
    name: str = "NVIDIA GeForce RTX 4090",
    capability: tuple[int, int] = (8, 9),
    bus_id: str = "0000:01:00.0",
) -> Card:
    return Card(
        id=CardId(f"GPU-{index}"),
        index=index,
        name=name,
        memory_bytes=24 * 2**30,
        bus_id=bus_id,
        cuda_index=index,
        compute_capability=capability,
    )


def nameless(index: int, why: str = "GPU is lost", denied: Absence = Absence.LOST) -> Card:
    """A card that the driver lists and lets nobody ask."""
    return Card(
        id=CardId(f"NAMELESS-{index}"),
        index=index,
        name="NVIDIA card that does not answer",
        memory_bytes=None,
        cuda_reason=Message("the driver gives no access to it: {why}", why=why),
        denied=denied,
    )


@dataclass
class Computer:
    """Linux on a desk, with nothing in it yet."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    backend: Backend | None = None
    trouble: Trouble = NO_LIBRARY
    platform: str = "linux"
    answers: dict[str, Ran] = field(default_factory=dict)
    asked: list[Sequence[str]] = field(default_factory=list)
    installed: dict[str, str] = field(default_factory=dict)
    forbidden: set[str] = field(default_factory=set)
    listening: set[str | tuple[str, int]] = field(default_factory=set)
    refusing: set[str] = field(default_factory=set)  # X servers
    prefix: str | None = "/opt/gpuexplorer"
    parts: str | None = None
    home: str = "/home/ana"
    user: str = "ana"
    host: str = "tower"
    prefixes: list[str] = field(default_factory=list)  # of Pythons
    opened: int = 0
    patience: float = 10.0
    deep: bool = False

    def write(self, path: str, text: str = "") -> Path:
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def link(self, path: str, target: str) -> None:
        link = self.root / path.lstrip("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)

    def plug_in(
        self,
        bus_id: str = "0000:01:00.0",
        vendor: str = "10de",
        device: str = "2684",
        driver: str | None = None,
        *,
        asleep: bool = False,
    ) -> None:
        folder = f"/sys/bus/pci/devices/{bus_id}"
        self.write(f"{folder}/class", "0x030000\n")
        self.write(f"{folder}/vendor", f"0x{vendor}\n")
        self.write(f"{folder}/device", f"0x{device}\n")
        self.write(f"{folder}/power/runtime_status", "suspended\n" if asleep else "active\n")
        if driver:
            self.link(f"{folder}/driver", f"../../../bus/pci/drivers/{driver}")

    def load_module(self, version: str = "590.48.01") -> None:
        self.write(
            "/proc/driver/nvidia/version",
            f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Mon Dec  8\n",
        )
        for name in ("nvidia0", "nvidiactl", "nvidia-uvm"):
            self.write(f"/dev/{name}")

    def install_library(self, version: str = "590.48.01") -> None:
        folder = "/usr/lib/x86_64-linux-gnu"
        self.write(f"{folder}/libnvidia-ml.so.{version}")
        self.link(f"{folder}/libnvidia-ml.so.1", f"libnvidia-ml.so.{version}")

    def give_driver(
        self,
        *cards: Card,
        version: str = "590.48.01",
        cuda: str = "13.1",
        states: Mapping[CardId, CardState] | None = None,
    ) -> None:
        self.backend = Driver(version, cuda, cards or (card(),), states or {})

    def install_python(self, prefix: str, version: str = "3.12") -> None:
        self.prefixes.append(prefix)
        self.write(f"{prefix}/bin/python3")
        (self.root / f"{prefix}/lib/python{version}/site-packages".lstrip("/")).mkdir(
            parents=True, exist_ok=True
        )

    def install_torch(
        self, prefix: str, version: str, cuda: str | None = None, hip: str | None = None
    ) -> None:
        self.install_python(prefix)
        self.write(
            f"{prefix}/lib/python3.12/site-packages/torch/version.py",
            "from typing import Optional\n\n"
            "__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']\n"
            f"__version__ = '{version}'\ndebug = False\n"
            f"cuda: Optional[str] = {cuda!r}\ngit_version = 'abc'\n"
            f"hip: Optional[str] = {hip!r}\n",
        )

    def remember_libraries(self, *paths: str) -> None:
        """Into the loader's cache, as far as anybody reads it."""
        self.write("/etc/ld.so.cache", "".join(f"\0{path}" for path in (*paths, "")))

    def probe(self) -> Probe:
        return Probe(
            root=self.root,
            environment=self.environment,
            platform=self.platform,
            open_backend=self._open,
            pythons=self._pythons,
            run_program=self._run,
            installed=self.installed.get,
            may_use=lambda path: self._path(path) not in self.forbidden,
            reachable=self.listening.__contains__,
            x_refuses=self.refusing.__contains__,
            prefix=self.prefix,
            parts=self.parts,
            home=self.home,
            user=self.user,
            host=self.host,
            patience=self.patience,
            deep=self.deep,
        )

    def told(self, examination: Callable[[Probe, Answer], Topic]) -> Topic:
        return examination(self.probe(), ask_driver(self.probe()))

    def _pythons(self) -> Sequence[Asked[LabPython]]:
        """As each would answer, this program's own first."""
        inside = [] if self.parts is None else [self.parts]
        return [
            Asked(partial(self._answered, prefix, inside=prefix == self.parts))
            for prefix in sorted([*inside, *self.prefixes], key=(self.prefix or "").__ne__)
        ]

    def _answered(self, prefix: str, *, inside: bool) -> LabPython:
        folder = self.root / prefix.lstrip("/")
        packages = folder if inside else folder / "lib/python3.12/site-packages"
        build, version = read_build(packages / "torch/version.py"), (3, 12, 1)
        path = folder / "bin/python3"
        return LabPython(path, prefix, version, build, unfit(version, build), (packages,))

    def _path(self, path: Path) -> str:
        return f"/{path.relative_to(self.root).as_posix()}"

    def _open(self) -> Backend:
        self.opened += 1
        if self.backend is None:
            raise self.trouble
        return self.backend

    def _run(self, argv: Sequence[str], timeout: float) -> Ran:
        self.asked.append(argv)
        program = argv[0].removeprefix(str(self.root))
        return self.answers.get(program, Ran(None, "No such file or directory"))
