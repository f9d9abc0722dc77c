"""Training scripts with one known fault each, and what they are to be told; run and watched on
simulated cards, in a worker of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gpuexplorer.copies.modelled import routes_of_simulated
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.lab.wire import Run
from gpuexplorer.programs.findings import Matter
from gpuexplorer.programs.program_run import ProgramRun
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine
from tests.lab.processes import Worker

SCRIPTS = Path(__file__).parent / "scripts"


@dataclass(frozen=True)
class Script:
    """Small sizes on a slow card: the processor that computes for it takes less long."""

    name: str
    matter: Matter | None  # None: it is as it should be
    code: str = ""  # stands on the line that is named, and on no other
    other: str = ""  # of the second line that is named
    cure: str = ""  # how the cure begins
    cured_by: Mapping[str, str] = field(default_factory=dict)  # each is replaced in its text
    width: int = 64
    batches: int = 50
    epochs: int = 2
    flops: float = 1e11

    @property
    def text(self) -> str:
        return (SCRIPTS / f"{self.name}.py").read_text(encoding="utf-8")

    @property
    def cured(self) -> str:
        text = self.text
        for fault, cure in self.cured_by.items():
            assert fault in text
            text = text.replace(fault, cure)
        return text

    def line(self, code: str) -> int:
        """The number of the one line on which that stands."""
        lines = enumerate(self.text.split("\n"), 1)
        (number,) = [at for at, line in lines if code in line]
        return number

    def watched(self, folder: Path, text: str) -> ProgramRun:
        file = folder / f"{self.name}.py"
        file.write_text(text, encoding="utf-8")
        sizes = [str(each) for each in (self.width, self.batches, self.epochs)]
        spec = parse_machine("TitanRTX+idle")
        known, links = simulated_cards(Machine(spec))
        cards = [{**each, "flops": self.flops} for each in known]
        worker = Worker(Start(cards=cards, links=links, program=Program(file, sizes)))
        try:
            worker.listener.wait(lambda: bool(worker.listener.ends), 300.0)
        finally:
            worker.process.stop()
        ledger = Ledger()
        ledger.sent(Run(1, text, 1))
        for event in worker.listener.events:
            ledger.apply(event)
        route = routes_of_simulated(spec).route
        assert worker.process.status == 0
        return ProgramRun(file, ledger.cells, ledger.hello, 0, route, processors=4)


FAULTY = (
    Script(
        "log_per_minibatch",
        Matter.READ,
        "loss.item()",
        cure="Keep the sum on the card and read it every 100 steps.",
        cured_by={
            "recent.append(loss.item())": "recent.append(loss.detach())",
            "smooth = statistics.fmean(recent)": (
                "if start // batch % 100 < 99:\n"
                "            continue\n"
                "        smooth = torch.stack([*recent]).mean().item()"
            ),
            "{recent[-1]:.4f}, smooth ": "",
        },
        batches=100,
        epochs=8,
    ),
    Script(
        "pageable_loader",
        Matter.PAGEABLE,
        "x.to(device)",
        other="in loader:",
        cure="Give the loader of pageable_loader.py:31 pin_memory=True, and copy with "
        "non_blocking=True.",
        cured_by={
            "shuffle=True)": "shuffle=True, pin_memory=True)",
            "to(device)\n        ": "to(device, non_blocking=True)\n        ",
        },
    ),
    Script(
        "ping_pong",
        Matter.TRIP,
        "first(x).cpu()",
        other="hidden.to(device)",
        cure="Compute that on the card too, and keep it there.",
        cured_by={"first(x).cpu()": "first(x)", "hidden.to(device)": "hidden"},
        width=512,
        flops=3e11,
    ),
    Script(
        "small_copies",
        Matter.SMALL,
        "sample.to(device)",
        cure="Put them together there (torch.stack), and copy once.",
        cured_by={
            "torch.stack([sample.to(device) for sample in these])": (
                "torch.stack(these).to(device)"
            )
        },
        width=128,
        flops=5e10,
    ),
    Script(
        "host_work",
        Matter.HOST,
        "counts[word] += 1.0",
        cure="Do it on the card, in the loader's workers, or only every 100 steps",
        cured_by={
            "begin = time": "all_counts = [counted(each) for each in texts]\nbegin = time",
            "counted(texts[step % len(texts)])": "all_counts[step % len(texts)]",
        },
        width=256,
        flops=1e10,
    ),
)
CLEAN = Script("clean", None, width=256, flops=2e10)
