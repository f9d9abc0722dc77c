"""A made-up computer for the doctor, as files below a folder and answers by heart."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pytest

from gpuexplorer.commands.checkup.probe import Probe, Topic
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import NAMELESS, Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message
from gpuexplorer.lab.pythons import LabPython, read_build, unfit
from gpuexplorer.telemetry.backend import INSTALL_IT, Backend, NoCards, Source

FINE, LOOK, BROKEN = Verdict
NO_LIBRARY = Trouble("The driver's library is not installed.", INSTALL_IT)


class Refusing(NoCards):
    """A driver that cannot be reached."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__()
        self._trouble = trouble

    def open(self) -> None:
        raise self._trouble


class Driver(NoCards):
    """NVIDIA's driver, with these cards, all of them at work unless `states` says else."""

    def __init__(
        self,
        cards: Sequence[Card] = (),
        version: str = "590.48.01",
        cuda: str = "13.1",
        states: Mapping[CardId, CardState] | None = None,
    ) -> None:
        super().__init__()
        label = Message("NVIDIA driver {version}, read through NVML", version=version)
        self.source = Source("nvml", label, driver_version=version, cuda_version=cuda)
        self._cards, self._states = cards or [card()], states or {}
        self.without_figures: dict[CardId, Absence] = {}

    def cards(self) -> Sequence[Card]:
        return self._cards

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        unread = CardState.LOST if card.startswith(NAMELESS) else CardState.WORKING
        state = self._states.get(card, unread)
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


def nameless(index: int, denied: Absence = Absence.LOST) -> Card:
    """A card that the driver lists and lets nobody ask."""
    why = Message("the driver gives no access to it: it says no")
    name = "NVIDIA card that does not answer"
    id_ = CardId(f"{NAMELESS}{index}")
    return Card(id_, index, name, None, cuda_reason=why, denied=denied)


@dataclass
class Computer:
    """Linux on a desk, with nothing in it yet."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    backend: Backend | None = None
    trouble: Trouble = NO_LIBRARY
    platform: str = "linux"
    answers: dict[str, tuple[int | None, str]] = field(default_factory=dict)
    asked: list[Sequence[str]] = field(default_factory=list)
    installed: dict[str, str] = field(default_factory=dict)
    forbidden: set[str] = field(default_factory=set)
    displays: set[str] = field(default_factory=set)  # of X, that open windows
    prefix: str = "/opt/gpuexplorer"
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

    def give_driver(self, *cards: Card, version: str = "590.48.01", cuda: str = "13.1") -> None:
        self.backend = Driver(cards, version, cuda)

    def install_python(self, prefix: str) -> None:
        self.prefixes.append(prefix)
        self.write(f"{prefix}/bin/python3")
        self.write(f"{prefix}/lib/python3.12/site-packages/README.txt")

    def install_torch(
        self, prefix: str, version: str, cuda: str | None = None, hip: str | None = None
    ) -> None:
        self.install_python(prefix)
        self.write(
            f"{prefix}/lib/python3.12/site-packages/torch/version.py",
            f"__all__ = ['__version__', 'cuda']\n__version__ = '{version}'\ndebug = False\n"
            f"cuda: Optional[str] = {cuda!r}\nhip: Optional[str] = {hip!r}\n",
        )

    def probe(self) -> Probe:
        return _Probe(self)

    def told(self, examination: Callable[[Topic, Probe], None]) -> Topic:
        topic = Topic("")
        examination(topic, self.probe())
        return topic

    def sees(
        self, examination: Callable[[Topic, Probe], None], verdict: Verdict, *words: str
    ) -> Topic:
        """With these words in its sentence, or in what is to be done."""
        topic = self.told(examination)
        said = f"{topic.sentence}\n{topic.do}"
        assert topic.verdict is verdict, said
        assert [each for each in words if each not in said] == [], said
        return topic

    def answered(self, prefix: str) -> LabPython:
        folder = self.root / prefix.lstrip("/")
        inside = prefix == self.parts
        packages = folder if inside else folder / "lib/python3.12/site-packages"
        build, version = read_build(packages / "torch/version.py"), (3, 12, 1)
        path = folder / "bin/python3"
        return LabPython(path, prefix, version, build, unfit(version, build), (packages,))


class _Probe(Probe):
    """What goes beyond files, answered by heart."""

    def __init__(self, computer: Computer) -> None:
        self.__dict__["computer"] = computer
        super().__init__(
            root=computer.root,
            environment=computer.environment,
            platform=computer.platform,
            deep=computer.deep,
            patience=computer.patience,
            prefix=computer.prefix,
            parts=None if computer.parts is None else Path(computer.parts),
            home=computer.home,
            user=computer.user,
            groups=(),
            host=computer.host,
        )

    computer: Computer

    def backend(self) -> Backend:
        self.computer.opened += 1
        return self.computer.backend or Refusing(self.computer.trouble)

    @cached_property
    def pythons(self) -> Iterator[LabPython]:
        """As each would answer, this program's own first."""
        computer = self.computer
        prefixes = [*([computer.parts] if computer.parts else []), *computer.prefixes]
        prefixes.sort(key=computer.prefix.__ne__)
        return map(computer.answered, prefixes)

    def run_program(self, argv: Sequence[str], patience: float) -> tuple[int | None, str]:
        self.computer.asked.append(argv)
        program = argv[0].removeprefix(str(self.root))
        return self.computer.answers.get(program, (None, "No such file or directory"))

    def installed(self, name: str) -> str | None:
        return self.computer.installed.get(name)

    def may_use(self, path: Path) -> bool:
        return self.shown(path) not in self.computer.forbidden

    def opens(self, display: str) -> bool:
        return display in self.computer.displays


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    """A bare Linux desktop: a PCI bus without graphics cards, and no driver."""
    bare = Computer(tmp_path / "computer")
    (bare.root / "sys/bus/pci/devices").mkdir(parents=True)
    bare.write("/proc/version", "Linux version 6.8.0 (gcc)")
    bare.write("/proc/sys/kernel/osrelease", "6.8.0\n")
    bare.link("/proc/self/ns/pid", "pid:[4026531836]")
    return bare
