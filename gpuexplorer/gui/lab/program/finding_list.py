"""FindingList: what makes the cards wait, the worst first, each with its cure."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QStackedLayout, QWidget

from gpuexplorer.core.units import seconds_words
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.keyboard import ArrowKeys
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    column,
    label,
    row,
    show_sentence,
    wrapped_label,
)
from gpuexplorer.gui.widgets.live_view import EmptyState, scrolled
from gpuexplorer.programs.findings import Finding

_SIDE, _ABOVE, _GAP = 6, 8, 2
_FIGURE = 68  # pixels: "100 %"
_BESIDE = 16
_BELOW_UNIT = 4  # so that it stands on its number's line
_MOST = 50  # of which each lays out two paragraphs


class FindingCard(QFrame):
    """What could be saved, a sentence with its figures, what would help, and the place, which
    can be copied.
    """

    copied = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[Finding, float] | None = None
        self._share = label("", look().letters.number)
        self._unit = label("", look().letters.caption, Tone.QUIET)
        self._time = label("", look().letters.caption, Tone.QUIET)
        self._unit.setContentsMargins(0, 0, 0, _BELOW_UNIT)
        for each in (self._share, self._time):
            each.setAlignment(Qt.AlignmentFlag.AlignRight)
        share = row(self._share, GROWS, self._unit, gap=_GAP)
        share.setAlignment(self._unit, Qt.AlignmentFlag.AlignBottom)
        self._sentence = wrapped_label("", Tone.TEXT)
        self._cure = wrapped_label("", Tone.QUIET)
        self.place = IconButton(Icon.COPY)
        self.place.clicked.connect(self._on_place_pressed)
        saved = QWidget()
        saved.setFixedWidth(_FIGURE)
        column(share, self._time, FREE, within=saved, gap=0)
        words = column(self._sentence, self._cure, FREE, gap=_GAP)
        words.setContentsMargins(_BESIDE - _SIDE, 0, 0, 0)
        whole = row(saved, words, GROWS, self.place, within=self, gap=_SIDE)
        whole.setContentsMargins(0, _ABOVE, 0, _ABOVE)
        whole.setAlignment(self.place, Qt.AlignmentFlag.AlignTop)

    def show_finding(self, finding: Finding, seconds: float) -> None:
        """`seconds`: that were watched."""
        if (finding, seconds) == self._shown:
            return
        self._shown = finding, seconds
        saved = self._show_saved(finding, seconds)
        sentence, cure, place = tr(finding.sentence), tr(finding.cure), tr(finding.place)
        show_sentence(self._sentence, sentence)
        show_sentence(self._cure, cure)
        self.place.show_meaning(Icon.COPY, tr("Copy {place}", place=place))
        # The keyboard comes to this button alone: here the whole is read aloud.
        spoken = paragraph([sentence, cure, saved]).replace("`", "")
        self.place.setAccessibleDescription(spoken)
        self.setAccessibleName(spoken)

    def _show_saved(self, finding: Finding, seconds: float) -> str:
        share = finding.share(seconds)
        if not share or finding.seconds is None:
            said = tr("What it could save cannot be estimated.")
            self._share.setText("–")
            self._unit.clear()
            self._time.clear()
        else:
            said = tr("It could save {share} % of the time at most.", share=share)
            self._share.setText(share)
            self._unit.setText("%")
            self._time.setText(seconds_words(finding.seconds))
        for each in (self._share, self._unit, self._time):
            each.setToolTip(said)
        return said

    def _on_place_pressed(self) -> None:
        if self._shown is not None:
            place = tr(self._shown[0].place)
            QGuiApplication.clipboard().setText(place)
            self.copied.emit(tr("Copied: {place}", place=place))


class FindingList(QWidget):
    """One stop for the Tab key. Findings keep their places while somebody reads along."""

    copied = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards: dict[Hashable, FindingCard] = {}
        self._empty = EmptyState(Icon.WATCH)
        inner = QWidget()
        inner.setProperty("panel", "clear")
        self._column = column(FREE, within=inner, gap=0)
        self._area = QWidget()
        self._scrolled = scrolled(inner)
        heading = label(tr("Could save"), look().letters.caption, Tone.QUIET)
        heading.setFixedWidth(_FIGURE)
        heading.setAlignment(Qt.AlignmentFlag.AlignRight)
        column(heading, self._scrolled, GROWS, within=self._area, gap=0)
        self._scrolled.setAccessibleName(tr("Findings"))
        self._keys = ArrowKeys(self)
        self._keys.moved_to.connect(self._on_moved_to)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._area)

    def show_nothing(self, heading: str, more: str) -> None:
        self._empty.show_words(heading, more)

    def show_findings(self, findings: Sequence[Finding], seconds: float) -> None:
        """`seconds`: that were watched."""
        named = {_key(each): each for each in findings[:_MOST]}
        order = list(named)
        if self._read():
            kept = [key for key in self._cards if key in named]
            order = [*kept, *(key for key in order if key not in self._cards)]
        before = list(self._cards)
        for key in before:
            if key not in named:
                card = self._cards.pop(key)
                card.hide()
                self._column.removeWidget(card)
                card.deleteLater()
        for key in order:
            if key not in self._cards:
                self._cards[key] = self._made()
            self._cards[key].show_finding(named[key], seconds)
        if order != before:
            self._cards = {key: self._cards[key] for key in order}
            for at, card in enumerate(self._cards.values()):
                self._column.insertWidget(at, card)
                card.show()
            self._keys.take([card.place for card in self._cards.values()])
        self._pages.setCurrentWidget(self._area if order else self._empty)

    def _made(self) -> FindingCard:
        card = FindingCard()
        card.copied.connect(self.copied)
        return card

    def _read(self) -> bool:
        """Whoever points at them, or goes through them by key, needs them to stand still."""
        return self._scrolled.underMouse() or any(
            card.place.hasFocus() for card in self._cards.values()
        )

    def _on_moved_to(self, widget: QWidget) -> None:
        card = widget.parentWidget()
        if card is not None:
            self._scrolled.ensureWidgetVisible(card, 0, _ABOVE)


def _key(finding: Finding) -> Hashable:
    return finding.matter, finding.spot, finding.other, finding.device, finding.what
