"""SheetPanel: one card, what it promises, what it reached here, and what follows from that."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.copies.datasheet.sheet_bars import ROW_MARGIN, SheetBars
from gpuexplorer.gui.widgets.controls.card_chips import CardChips, CardChoice
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.copies.datasheet.faces import SheetRow

_MODELLED = mark("modelled")
_MOST_OF_IT = 100
NOTHING = mark("Nothing was measured yet.")
_CHIP = 22


class SheetPanel(Panel):
    """`chosen` brings the id of another device that is to be shown."""

    chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, "", parent=parent)
        self._look = look
        # Rows reach a little further, so that what marks one of them does not touch its words.
        self.body.setContentsMargins(16 - ROW_MARGIN, 14, 16 - ROW_MARGIN, 12)
        self.head.setContentsMargins(ROW_MARGIN, 0, ROW_MARGIN, 0)
        self._mark = CardMark(look)
        self._name = ElidedLabel(look.letters.title, Tone.TEXT)
        self.head.insertWidget(0, self._mark)
        self.head.insertSpacing(1, 8)
        self.head.insertWidget(2, self._name, _MOST_OF_IT)
        self._modelled = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._chips = CardChips(look)
        self._chips.chosen.connect(self.chosen)
        self.head.addWidget(self._modelled)
        self.head.addSpacing(6)
        self.head.addWidget(self._chips)
        self._bars = SheetBars(look)
        self._sentences: list[QLabel] = []
        self._told = QVBoxLayout()
        self._told.setSpacing(4)
        self._told.setContentsMargins(ROW_MARGIN, 0, ROW_MARGIN, 0)
        self._reason = wrapped_label(look, "", Tone.QUIET)
        self._reason.setContentsMargins(ROW_MARGIN, 4, ROW_MARGIN, 0)
        self.body.addWidget(self._bars)
        self.body.addSpacing(10)
        self.body.addLayout(self._told)
        self.body.addWidget(self._reason)
        self.body.addStretch(1)

    @property
    def stops(self) -> Sequence[QWidget]:
        """Where the Tab key comes to, in its order."""
        return *self._chips.findChildren(PaintedButton), self._bars

    def show_devices(self, choices: Sequence[CardChoice], current: str) -> None:
        """More than one can be chosen among."""
        self._chips.show_choices(choices, CardId(current))

    def step(self, by: int) -> None:
        self._chips.step(by)

    def show_sheet(
        self,
        name: str,
        chip: str,
        colour: int | None,
        rows: Sequence[SheetRow],
        sentences: Sequence[str],
        reason: str,
        *,
        modelled: bool,
    ) -> None:
        """`reason` is why something of it cannot be told, or nothing at all."""
        self.setAccessibleName(name)
        self._name.show_text(name)
        self._mark.show_card(chip, colour)
        self._modelled.show_text(tr(_MODELLED) if modelled else "")
        self._modelled.setVisible(modelled)
        self._bars.show_rows(rows, colour, of_host=chip == "H")
        self._show_sentences(sentences or (tr(NOTHING),), strong=bool(sentences))
        if reason != self._reason.text():
            self._reason.setText(reason)
        self._reason.setVisible(bool(reason))

    def _show_sentences(self, sentences: Sequence[str], *, strong: bool) -> None:
        while len(self._sentences) < len(sentences):
            label = wrapped_label(self._look, "", Tone.TEXT)
            self._sentences.append(label)
            self._told.addWidget(label)
        letters = self._look.letters
        for at, label in enumerate(self._sentences):
            words = sentences[at] if at < len(sentences) else ""
            label.setFont((letters.strong if strong and not at else letters.body).font)
            if words != label.text():
                label.setText(words)
            label.setVisible(bool(words))


class CardMark(Painted):
    """The chip by itself; outlined where there is no colour."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._chip = ""
        self._colour: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        look.changed.connect(self.update)

    def show_card(self, chip: str, colour: int | None) -> None:
        if (chip, colour) == (self._chip, self._colour):
            return
        self._chip, self._colour = chip, colour
        self.setAccessibleName(tr("Host") if chip == "H" else tr("Card {number}", number=chip))
        self.updateGeometry()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        fill = None if self._colour is None else drawing.theme.card(self._colour)
        place = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        drawing.chip(place, self._chip, drawing.letters.strong, fill)

    def sizeHint(self) -> QSize:
        wide = round(self.look.letters.strong.width(self._chip)) + 10
        return QSize(max(_CHIP, wide), _CHIP)
