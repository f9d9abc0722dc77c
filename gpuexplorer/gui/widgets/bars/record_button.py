"""RecordButton: a red dot that records what is read, and says for how long and how much."""

from html import escape

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.widgets.controls.buttons import CONTROL_RADIUS, PaintedButton

RECORD_KEYS = "Ctrl+R"
_HEIGHT, _MARGIN, _DOT, _GAP = 32, 9.0, 5.0, 8.0
_ICON = 16.0
_BETWEEN = "    "
_USUAL = f"0:00:00{_BETWEEN}00.0 MiB"


class RecordButton(PaintedButton):
    """While it records its figures keep their width, and it says less where there is less
    room: never less than the dot.
    """

    longest_changed = Signal()  # another width would say all

    def __init__(self) -> None:
        super().__init__()
        self._recording = self._trouble = False
        self._forms: tuple[str, ...] = ()
        self._said = ""
        self._most = 0.0  # a figure of many digits leaves its room behind
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.show_idle()

    def show_idle(self, *, trouble: str = "", possible: bool = True) -> None:
        """`trouble`: how the last one ended, until somebody has read it."""
        self._most = 0.0
        word = tr("Record")
        why = trouble or tr("Record what is read, into a file ({keys})", keys=RECORD_KEYS)
        if not possible:
            why = tr("This is a recording already. Go back to the live cards to record.")
        self.setEnabled(possible)
        self._show((word, ""), word, why, trouble=bool(trouble))

    def show_recording(self, seconds: float, size: int) -> None:
        time, much = clock_words(seconds), str(memory(size))
        said = tr("Recording, {time}, {size}", time=time, size=much)
        why = tr("Stop recording ({keys}); what is read meanwhile is kept", keys=RECORD_KEYS)
        self.setEnabled(True)
        self._show((f"{time}{_BETWEEN}{much}", time, ""), said, why, recording=True)

    def show_busy(self, words: str) -> None:
        """The disk is waited for."""
        self.setEnabled(False)
        self._show((words, ""), words, words, recording=True)

    def shortest(self) -> int:
        return self._width("")

    def show_within(self, room: int) -> int:
        """Takes the longest form that fits, and returns its width."""
        self._said = next((f for f in self._forms if self._width(f) <= room), self._forms[-1])
        self.updateGeometry()
        self.update()
        return self._width(self._said)

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.body
        place = QRectF(self.rect())
        if self._recording:
            drawing.filled(place, theme.selection, CONTROL_RADIUS)
        self.draw_ground(drawing, place)
        middle = place.center().y()
        dot = QPointF(_MARGIN + _ICON / 2, middle)
        if self._trouble:
            at = QRectF(_MARGIN, middle - _ICON / 2, _ICON, _ICON)
            drawing.icon(Icon.WARNING, at, theme.warn)
        else:
            drawing.painter.setPen(Qt.PenStyle.NoPen)
            drawing.painter.setBrush(theme.bad if self.isEnabled() else theme.faint)
            drawing.painter.drawEllipse(dot, _DOT, _DOT)
        # The size ends at the right: its figures come and go, and the time stays where it is.
        said, _, size = self._said.partition(_BETWEEN)
        ink = theme.text if self.isEnabled() else theme.faint
        baseline = middle + letters.cap_height / 2
        drawing.text(_MARGIN + _ICON + _GAP, baseline, Run(said, letters, ink))
        size_run = Run(size, letters, theme.quiet)
        drawing.runs_right(place.right() - _MARGIN - 2, baseline, [size_run])

    def _show(
        self,
        forms: tuple[str, ...],
        said: str,
        why: str,
        *,
        recording: bool = False,
        trouble: bool = False,
    ) -> None:
        before = self._widths()
        at = self._forms.index(self._said) if len(forms) == len(self._forms) else 0
        self._recording, self._trouble, self._forms = recording, trouble, forms
        self._said = forms[at]
        self.setAccessibleName(said)
        self.setAccessibleDescription(why)
        self.setToolTip(f"<qt>{escape(why)}</qt>")  # file names are no markup
        self.updateGeometry()
        self.update()
        if self._widths() != before:
            self.longest_changed.emit()

    def _widths(self) -> list[int]:
        return [self._width(each) for each in self._forms]

    def _width(self, said: str) -> int:
        letters = self.look.letters.body
        wide = letters.width(said) + _GAP + 2 if said else 0.0
        if self._recording and said and said == self._forms[0]:
            self._most = wide = max(self._most, wide, letters.width(_USUAL) + _GAP)
        return round(2 * _MARGIN + _ICON + wide)

    def sizeHint(self) -> QSize:
        return QSize(self._width(self._said), _HEIGHT)


def clock_words(seconds: float) -> str:
    """ "0:12:05": as a counter runs, all of its digits there from the start."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
