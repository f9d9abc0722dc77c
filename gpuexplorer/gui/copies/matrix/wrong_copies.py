"""WrongCopies: what can be done about copies that arrived wrong."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.gui.copies.matrix.findings_panel import FindingAct, FindingsPanel
from gpuexplorer.gui.copies.matrix.matrix_files import MatrixFiles
from gpuexplorer.gui.copies.matrix.matrix_tables import wrong_report
from gpuexplorer.gui.copies.matrix.model import MatrixNow
from gpuexplorer.gui.copies.matrix.pair_question import staged_of
from gpuexplorer.gui.copies.matrix.words import Callout, moment_words
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.widgets.bars.top_bar import host_name


class WrongCopies(QObject):
    """Follows the buttons below their sentences."""

    def __init__(
        self, copies: CopiesState, now: MatrixNow, findings: FindingsPanel, files: MatrixFiles
    ) -> None:
        super().__init__(findings)
        self._copies, self._now, self._files = copies, now, files
        findings.asked.connect(self._on_asked)
        self._findings = findings
        copies.lab.switches_changed.connect(self._on_switches_changed)
        self._on_switches_changed()

    def _on_asked(self, act: FindingAct, callout: Callout) -> None:
        cells = callout.finding.cells
        wrong = self._now.wrong(cells[0]) if cells else []
        match act:
            case FindingAct.AGAIN:
                self._copies.measure([each.job for each in wrong])
            case FindingAct.STAGED:
                self._copies.measure(staged_of(each.job for each in wrong[:1]))
            case FindingAct.DETOUR:
                # The lab's own copies between the two, as long as the program runs.
                lab = self._copies.lab
                lab.choose(replace(lab.switches, by_host=lab.switches.by_host ^ set(cells)))
            case FindingAct.REPORT:
                self._files.ask_report(self._report(wrong))

    def _on_switches_changed(self) -> None:
        self._findings.show_detours(self._copies.lab.switches.by_host)

    def _report(self, wrong: Sequence[CopyResult]) -> str:
        session = self._copies.lab.machine.session
        return wrong_report(
            f"{host_name(session)}, {session.source.label}",
            moment_words(session.clock.wall()),
            self._now.heads,
            wrong,
            self._now.all(),
            simulated=self._copies.modelled,
        )
