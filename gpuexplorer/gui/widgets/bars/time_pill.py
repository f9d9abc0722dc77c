"""TimePill: says that the plots show the past, and leads back to now."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.widgets.controls.buttons import PaintedButton

_HEIGHT, _MARGIN, _ICON, _GAP = 28, 10, 16, 8


class TimePill(PaintedButton):
    """Seen while somebody looks back. Says less where there is less room, and always the way
    on.
    """

    def __init__(self, time_window: TimeWindow) -> None:
        super().__init__()
        self._time_window = time_window
        self._forms: tuple[str, ...] = ("",)
        self._said = ""
        self._way_on = tr("Back to now")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(time_window.back_to_now)
        time_window.changed.connect(self._on_time_changed)
        if not time_window.looking_back:
            self.hide()
        else:
            self._say()  # whoever takes it in shows it

    def longest(self) -> int:
        """What it takes to say all of it."""
        return self._width(self._forms[0], tr("Back to now"))

    def show_within(self, room: int) -> int:
        """Takes the longest form that fits; returns the width of that."""
        self._way_on = tr("Back to now")
        for said in self._forms:
            self._said = said
            if self._width(said, self._way_on) <= room:
                break
        else:
            self._way_on = tr("Now")
        self.updateGeometry()
        self.update()
        return self._width(self._said, self._way_on)

    def _on_time_changed(self) -> None:
        self.setVisible(self._time_window.looking_back)
        if self._time_window.looking_back:
            self._say()

    def _say(self) -> None:
        """The moment at which what is shown ends."""
        window = self._time_window
        moment = window.moment(window.stretch()[1])
        long = tr("Looking back: ends {moment}", moment=moment)
        self._forms = (long, tr("Ends {moment}", moment=moment), "")
        self._said = long
        self.setAccessibleName(f"{long}. {tr('Back to now')}")
        meanwhile = tr("Reading goes on meanwhile. Back to now: Ctrl+End")
        self.setToolTip(f"{long}.\n{meanwhile}")
        self.updateGeometry()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.body
        place = QRectF(self.rect())
        radius = place.height() / 2
        drawing.filled(place, theme.selection, radius)
        if self.hasFocus():
            drawing.focus_ring(place, radius)
        middle = place.center().y()
        baseline = middle + letters.cap_height / 2
        drawing.icon(Icon.BACK, QRectF(_MARGIN, middle - _ICON / 2, _ICON, _ICON), theme.quiet)
        x = float(_MARGIN + _ICON + _GAP)
        if self._said:
            x = drawing.text(x, baseline, Run(self._said, letters, theme.text)) + _GAP + 4
        x = drawing.text(x, baseline, Run(self._way_on, letters, theme.accent))
        if self.underMouse():
            width = letters.width(self._way_on)
            drawing.painter.fillRect(QRectF(x - width, baseline + 2, width, 1), theme.accent)

    def _width(self, said: str, way_on: str) -> int:
        letters = self.look.letters.body
        words = letters.width(said) + _GAP + 4 if said else 0.0
        return round(2 * _MARGIN + _ICON + _GAP + words + letters.width(way_on)) + 2

    def sizeHint(self) -> QSize:
        return QSize(self._width(self._said, self._way_on), _HEIGHT)
