"""WrongCopies: what can be done about copies that arrived wrong."""

from dataclasses import replace

from PySide6.QtCore import QObject

from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.views.copies.matrix.findings_panel import FindingsPanel
from gpuexplorer.gui.views.copies.matrix.matrix_files import MatrixFiles
from gpuexplorer.gui.views.copies.matrix.matrix_now import MatrixNow
from gpuexplorer.gui.widgets.bars.top_bar import host_name
from gpuexplorer.gui.wording.copies.matrix.matrix_words import Callout, moment_words
from gpuexplorer.gui.wording.copies.matrix.question import staged_of
from gpuexplorer.gui.wording.copies.matrix.tables import wrong_report


class WrongCopies(QObject):
    """Follows the buttons below their sentences."""

    def __init__(
        self, copies: CopiesState, now: MatrixNow, findings: FindingsPanel, files: MatrixFiles
    ) -> None:
        super().__init__(findings)
        self._copies, self._now, self._files = copies, now, files
        findings.again_asked.connect(self._on_again_asked)
        findings.staged_asked.connect(self._on_staged_asked)
        findings.detour_asked.connect(self._on_detour_asked)
        findings.report_asked.connect(self._on_report_asked)
        self._findings = findings
        copies.lab.switches_changed.connect(self._on_switches_changed)
        self._on_switches_changed()

    def _on_again_asked(self, callout: Callout) -> None:
        wrong = self._now.wrong(callout.finding.cells[0])
        self._copies.measure([each.job for each in wrong])

    def _on_staged_asked(self, callout: Callout) -> None:
        wrong = self._now.wrong(callout.finding.cells[0])
        self._copies.measure(staged_of(each.job for each in wrong[:1]))

    def _on_detour_asked(self, callout: Callout) -> None:
        """The lab's own copies between the two, as long as the program runs."""
        lab = self._copies.lab
        lab.choose(
            replace(lab.switches, by_host=lab.switches.by_host ^ set(callout.finding.cells))
        )

    def _on_switches_changed(self) -> None:
        self._findings.show_detours(self._copies.lab.switches.by_host)

    def _on_report_asked(self, callout: Callout) -> None:
        session = self._copies.lab.machine.session
        text = wrong_report(
            f"{host_name()}, {session.source.label}",
            moment_words(session.clock.wall()),
            self._now.heads,
            self._now.wrong(callout.finding.cells[0]),
            self._now.all(),
            simulated=self._copies.modelled,
        )
        self._files.ask_report(text)
