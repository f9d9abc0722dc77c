"""Which programs use a card, and how much of its memory each has."""

from collections.abc import Sequence

from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.cards.memory_parts import Program
from gpuexplorer.gui.wording.processes.program_name import program_name
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.processes import ProcessFigure
from gpuexplorer.telemetry.remembering import RememberingSession


def programs_on(session: RememberingSession, shown: Shown) -> Sequence[Program] | None:
    """Those of its instances too; None where it cannot be said just now."""
    if shown.card.id in session.processes_unknown():
        return None
    cards = {shown.card.id, *(instance.card.id for instance in shown.instances)}
    return [
        Program(_name(named), named.process.values.get(ProcessFigure.MEMORY))
        for named in session.named_processes()
        if named.process.card in cards
    ]


def _name(named: NamedProcess) -> str:
    if named.command:
        return program_name(named.command)
    return tr("process {pid}", pid=named.process.pid)
