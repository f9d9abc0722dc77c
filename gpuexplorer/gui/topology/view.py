"""TopologyView: the machine drawn, the matrix beside it, and the facts of what was chosen."""

import datetime
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from gpuexplorer.core.cards import HOST_ID, CardId, CardKind
from gpuexplorer.core.metrics import Cadence
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.state.wiring import Wiring, WiringAnswer
from gpuexplorer.gui.topology.machine_panel import MachinePanel, picture_of
from gpuexplorer.gui.topology.matrix import MatrixPanel, matrix_text
from gpuexplorer.gui.topology.wiring_facts import (
    LONG,
    PartFacts,
    PartFactsPanel,
    facts_of,
    machine_summary,
    notes,
    nothing_words,
    only_instances,
    waiting_words,
)
from gpuexplorer.gui.widgets.bars.top_bar import host_name
from gpuexplorer.gui.widgets.laid_out import GROWS, add, column
from gpuexplorer.gui.widgets.live_view import KeyGroup, LiveView, Page
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.gui.widgets.machine.machine_faces import (
    Face,
    MachineNow,
    machine_faces,
    machine_now,
)
from gpuexplorer.gui.widgets.saving import PNG, SVG, Saving, Write, suggested_name
from gpuexplorer.telemetry.topology import MachineShape
from gpuexplorer.telemetry.whole_file import write_whole

_KEYS: KeyGroup = (
    mark("Topology"),
    (
        ("Arrows", mark("In the list of parts: show what is known about the next")),
        ("Enter", mark("Open the card, or the computer")),
        ("Esc", mark("Choose nothing")),
    ),
)

_WIDE_FROM = 1080  # drawing and matrix side by side; below that only matrix and facts
_LEAST_BESIDE, _MOST_BESIDE, _SHARE_BESIDE = 412, 520, 0.34
_ANY = 16_777_215  # Qt's own number for "as wide as it likes"
_ASK_AGAIN = mark("Ask again")


class TopologyView(LiveView):
    """One choice for drawing, matrix and facts: whichever is clicked, the others follow."""

    key_groups = (_KEYS,)

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, cadences=(Cadence.ON_DEMAND,), parent=parent)
        self._navigation = desk.navigation
        self._wiring = Wiring(desk.machine.session, self)
        self._wiring.changed.connect(self._on_wiring_changed)
        self._now: MachineNow | None = None
        self._chosen: Part | None = None
        self._summary: tuple[MachineShape, PartFacts] | None = None
        self._written = ""
        self._faces: Mapping[Part, Face] = {}
        self._saving = Saving(desk.machine.settings, self)
        self._saving.done.connect(self._on_saving_told)
        self._saving.refused.connect(self._on_saving_told)
        self._save = self.add_command(tr("Save picture…"), "Ctrl+S", self._on_save_asked)
        self._copy = self.add_command(
            tr("Copy the matrix as text"), "Ctrl+C", self._on_copy_asked
        )
        again = self.add_command(
            tr("Ask again how the cards are wired"), "F5", self._wiring.ask
        )
        recorded = desk.machine.past.ended is not None  # there is nobody to ask
        again.setEnabled(not recorded)
        self._panel = MachinePanel(may_ask=not recorded)
        self._panel.drawing.chosen.connect(self._choose)
        self._panel.drawing.opened.connect(self._on_card_asked)
        for asked in (self._panel.empty.way_on_chosen, self._panel.again.clicked):
            asked.connect(again.trigger)
        self._panel.save.clicked.connect(self._save.trigger)
        self._matrix = MatrixPanel()
        self._matrix.table.chosen.connect(self._choose)
        self._matrix.copy.clicked.connect(self._copy.trigger)
        self._facts = PartFactsPanel()
        self._panel.setObjectName("topology.machine")
        self._matrix.setObjectName("topology.matrix")
        self._facts.setObjectName("topology.facts")
        self._facts.open_asked.connect(self._on_card_asked)
        self._matrix.hide()
        self._facts.hide()
        self._page = Page()
        self._side = QWidget()
        self._below = QBoxLayout(QBoxLayout.Direction.TopToBottom, self._side)
        self._below.setContentsMargins(0, 0, 0, 0)
        self._places = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        for layout in (self._places, self._below):
            layout.setSpacing(16)
        self._most = column(self._panel, GROWS, gap=16)
        add(self._places, self._most, self._side)
        add(self._below, self._matrix, self._facts)
        self._page.body.addLayout(self._places, 1)
        column(self._page, within=self)
        self.begin_at(self._page)

    def pull(self) -> None:
        self._wiring.look()
        self._show()

    def stop(self) -> None:
        super().stop()
        self._wiring.stop()

    def _show(self) -> None:
        self._now = now = machine_now(self.machine, self._wiring)
        self._copy.setEnabled(now is not None)
        if now is None:
            self._save.setEnabled(False)
            self._matrix.hide()
            self._facts.hide()
            self._panel.show_words(*self._words())
            return
        self._faces = machine_faces(now)
        if self._chosen is not None and not _is_there(now, self._faces, self._chosen):
            self._choose(None)
        late = self._wiring.answer is WiringAnswer.WAITING and self._wiring.waited >= LONG
        waiting = waiting_words(self._wiring.waited) if late else ""
        said = [*notes(now), waiting, self._written]
        self._panel.show_machine(now.shape, self._faces, [each for each in said if each])
        self._matrix.show_machine(now)
        # Of very many cards the matrix shows most, and stands where there is most room.
        many = len(self._panel.drawing.cards) != len((*now.shape.home, *now.shape.loose))
        home = self._most if many else self._below
        if home.indexOf(self._matrix) < 0:
            home.insertWidget(0, self._matrix)
            self._most.setStretchFactor(self._panel, 1 - many)
            home.setStretchFactor(self._matrix, int(many))
        self._matrix.show()
        self._show_facts(now)

    def _words(self) -> tuple[str, str, str]:
        """Heading, more, and the way on where there is no drawing."""
        listed = self.machine.cards()
        if listed and all(shown.card.kind is CardKind.MIG for shown in listed):
            return (*only_instances(), "")
        if why := self.machine.session.source.figures_alone:
            return tr("How the cards are wired is not known."), tr(why), ""
        match self._wiring.answer:
            case WiringAnswer.NOT_ASKED | WiringAnswer.WAITING:
                return waiting_words(self._wiring.waited), "", ""
            case WiringAnswer.REFUSED:
                said = tr("The driver could not be asked how the cards are wired.")
                return said, self._wiring.refusal, tr(_ASK_AGAIN)
            case WiringAnswer.TOLD | WiringAnswer.NOTHING:
                states = [self.machine.face(shown).state for shown in listed]
                return (*nothing_words(states), tr(_ASK_AGAIN))

    def _show_facts(self, now: MachineNow) -> None:
        self._save.setEnabled(bool(self._panel.drawing.cards))
        if self._chosen is None:
            if self._summary is None or self._summary[0] is not now.shape:
                self._summary = (now.shape, machine_summary(now))
            self._facts.show_facts(self._summary[1])
        else:
            self._facts.show_facts(facts_of(now, self._chosen, self.machine.session.source))
        self._facts.show()

    def _choose(self, part: Part | None) -> None:
        self._chosen = part
        self._panel.drawing.show_chosen(part)
        self._matrix.table.show_chosen(part)
        if self._now is not None:
            self._show_facts(self._now)

    def _picture_for(self, path: Path) -> Write | None:
        source = self.machine.session.source
        if self._now is None:
            return None
        moment = datetime.datetime.now(datetime.UTC).astimezone()
        title = tr(
            "How the cards of {computer} are wired, {moment}",
            computer=host_name(self.machine.session),
            moment=f"{moment:%Y-%m-%d %H:%M:%S}",
        )
        foot = tr(
            "{source}. Rates are in GB/s, traffic as seen from the card.",
            source=source.label,
        )
        scene, simulated = self._panel.drawing.drawn, self.machine.session.simulated
        picture = picture_of(scene, title, foot, simulated=simulated, path=path)
        return partial(write_whole, path, [picture])

    def _arrange(self, width: int) -> None:
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        wide = width >= _WIDE_FROM
        self._places.setDirection(across if wide else down)
        self._below.setDirection(down if wide else across)
        # What stands at the end takes the height that is left, so that no panel ends alone.
        self._places.setStretch(0, int(wide))
        self._places.setStretch(1, int(not wide))
        self._below.setStretch(0, int(not wide))
        self._below.setStretch(1, 1)
        beside = min(_MOST_BESIDE, max(_LEAST_BESIDE, round(width * _SHARE_BESIDE)))
        self._side.setMinimumWidth(beside if wide else 0)
        self._side.setMaximumWidth(beside if wide else _ANY)

    def _on_wiring_changed(self) -> None:
        if self.isVisible():
            self._show()

    def _on_card_asked(self, card: str) -> None:
        self._navigation.open_card(CardId(card))

    def _on_save_asked(self) -> None:
        session = self.machine.session
        name = suggested_name("topology", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Save the drawing"), name, [SVG, PNG], self._picture_for)

    def _on_saving_told(self, words: str) -> None:
        self._written = words
        self._show()

    def _on_copy_asked(self) -> None:
        if self._now is None:
            return
        session = self.machine.session
        source, computer = session.source, host_name(session)
        heading = tr("{computer}, {source}", computer=computer, source=source.label)
        if source.simulated:
            made_up = tr("SIMULATED: these cards do not exist, their wiring is made up.")
            heading = f"{made_up} {heading}"
        QGuiApplication.clipboard().setText(matrix_text(self._now, heading))
        self._on_saving_told(tr("The matrix is on the clipboard."))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange(event.size().width())
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._chosen is not None:
            self._choose(None)
        else:
            super().keyPressEvent(event)


def _is_there(now: MachineNow, faces: Mapping[Part, Face], part: Part) -> bool:
    if part.kind is Kind.LINK and part.to != HOST_ID:
        return {part.card, part.to} <= set(now.shape.home)
    return part in faces
