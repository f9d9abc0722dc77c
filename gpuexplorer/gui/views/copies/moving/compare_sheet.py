"""CompareSheet: two copies side by side; what differs stands out, with its ratio."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from gpuexplorer.core.units import Units
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.sheets.centred_popup import CentredPopup
from gpuexplorer.gui.wording.copies.moving.comparing import differences, heading
from gpuexplorer.gui.wording.copies.moving.moved import Moved

_WIDTH, _HEIGHT, _ROW = 620, 500, 26
_CAPTION, _RATIO = 110.0, 76.0


class CompareSheet(CentredPopup):
    """Made when it is asked for."""

    def __init__(
        self, look: Look, one: Moved, other: Moved, units: Units, window: QWidget
    ) -> None:
        super().__init__(look, _WIDTH, _HEIGHT, window)
        self.setAccessibleName("Two copies compared")
        title = QLabel("Two copies compared")
        title.setFont(look.letters.title.font)
        sentence = heading(one, other)
        if one.row.modelled or other.row.modelled:
            sentence += " Times are modelled."
        self._close = QPushButton("Close")
        self._close.setFont(look.letters.body.font)
        self._close.setAutoDefault(True)
        self._close.clicked.connect(self.hide)
        panel = self.panel
        panel.setContentsMargins(24, 20, 24, 18)
        panel.setSpacing(10)
        panel.addWidget(title)
        panel.addWidget(wrapped_label(look, sentence, Tone.TEXT))
        panel.addWidget(_Grid(look, one, other, units))
        panel.addStretch(1)
        panel.addWidget(self._close, 0, Qt.AlignmentFlag.AlignRight)

    def open(self) -> None:
        super().open()
        self._close.setFocus(Qt.FocusReason.PopupFocusReason)


class _Grid(Painted):
    """What is the same in both is quiet."""

    def __init__(self, look: Look, one: Moved, other: Moved, units: Units) -> None:
        super().__init__(look)
        self._heads = [f"{each.what}, line {each.row.line}" for each in (one, other)]
        self._rows = differences(one, other, units)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_ROW * (len(self._rows) + 1) + 4)
        self.setAccessibleName(f"{self._heads[0]} and {self._heads[1]}")
        self.setAccessibleDescription(
            "; ".join(
                f"{row.caption}: {row.one}, {row.other} {row.ratio}".strip()
                for row in self._rows
            )
        )

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        wide = (self.width() - _CAPTION - _RATIO) / 2
        places = [_CAPTION, _CAPTION + wide]
        middle = _ROW / 2
        for x, head in zip(places, self._heads, strict=True):
            run = Run(head, letters.strong, theme.text)
            drawing.elided(x, middle + letters.strong.cap_height / 2, run, wide - 12)
        drawing.hairline(0, self.width(), _ROW)
        for at, row in enumerate(self._rows):
            baseline = 4 + _ROW * (at + 1.5) + letters.body.cap_height / 2
            drawing.text(0, baseline, Run(row.caption, letters.body, theme.quiet))
            ink = theme.text if row.differs else theme.quiet
            for x, said in zip(places, (row.one, row.other), strict=True):
                drawing.elided(x, baseline, Run(said, letters.body, ink), wide - 12, said)
            ratio = Run(row.ratio, letters.body, ink)
            drawing.runs_right(self.width(), baseline, [ratio])
            place = QRectF(0, _ROW * (at + 1), self.width(), _ROW)
            drawing.hint(place, f"{row.caption}: {row.one}; {row.other} {row.ratio}".strip())

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH - 48, self.height())
