"""Programs that really run, in a worker of their own, on simulated cards."""

import re
from collections.abc import Mapping
from pathlib import Path

from gpuexplorer.copies.modelled import routes_of_simulated
from gpuexplorer.lab.events import Printed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.lab.wire import Run
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.programs.program_run import ProgramRun
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine
from tests.lab.processes import Listener

SCRIPTS = Path(__file__).parent / "scripts"


def watched(
    file: Path, *arguments: str, machine: str = "TitanRTX+idle", flops: float | None = None
) -> ProgramRun:
    """`flops`: a slower card, so that the processor that stands in for it takes less long."""
    spec = parse_machine(machine)
    made = simulated_cards(Machine(spec))
    slower: Mapping[str, object] = {} if flops is None else {"flops": flops}
    cards = [{**each, **slower} for each in made.cards]
    program = Program(file, arguments)
    listener = Listener()
    process = WorkerProcess(
        Start(cards=cards, links=made.links, program=program),
        listener.on_event,
        listener.on_end,
    )
    try:
        listener.wait(lambda: bool(listener.ends), 300.0)
    finally:
        process.stop()
    ledger = Ledger()
    ledger.sent(Run(1, file.read_text(encoding="utf-8"), 1))
    for event in listener.events:
        ledger.apply(event)
    ways = routes_of_simulated(spec)
    return ProgramRun(
        file, ledger.cells, ledger.hello, process.status, ways.route, processors=4
    )


def trained_in(run: ProgramRun) -> float:
    """The seconds that a script says its loop took, on the clock of the simulated cards."""
    printed = "".join(each.text for each in run.cells[0].outputs if isinstance(each, Printed))
    (said,) = re.findall(r"trained in (\d+\.\d+) s", printed)
    return float(said)
