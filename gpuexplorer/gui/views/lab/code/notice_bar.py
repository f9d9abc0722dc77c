"""NoticeBar: a sentence above the entry field, with what can be done about it."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.lab.code.notice import Answer, Notice

_MARGIN, _ABOVE, _GAP, _RADIUS = 12, 8, 8, 6.0
_BUTTON = 30
_TINT = 0.08


class NoticeBar(Painted):
    """Without a layout: it is told its width, and tells the height it needs there."""

    answered = Signal(Answer)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._notice = Notice()
        self._label = wrapped_label(look, "", Tone.TEXT)
        self._label.setParent(self)
        self._buttons = {each: self._button(each) for each in Answer}

    @property
    def empty(self) -> bool:
        return not self._notice.sentence

    def show_notice(self, notice: Notice) -> bool:
        """Whether it may need another height now."""
        before, self._notice = self._notice, notice
        if notice == before:
            return False
        self._label.setText(notice.sentence)
        self.setAccessibleName(notice.sentence)
        words = dict(notice.answers)
        for answer, button in self._buttons.items():
            button.setVisible(answer in words)
            if answer in words and button.text() != words[answer]:
                button.setText(words[answer])
                button.setAccessibleName(words[answer])
        self.update()
        same = (before.answers, before.tone) == (notice.answers, notice.tone)
        return not same or len(before.sentence) != len(notice.sentence)

    def fit(self, width: int) -> int:
        """Arrange it there, and say how high it is then."""
        room = width - 2 * _MARGIN
        buttons = [self._buttons[answer] for answer, _ in self._notice.answers]
        widths = [min(room, each.sizeHint().width()) for each in buttons]
        beside = len(buttons) == 1 and self._one_line(room - widths[0] - _GAP)
        if beside:
            self._label.setGeometry(_MARGIN, _ABOVE, room - widths[0] - _GAP, _BUTTON)
            buttons[0].setGeometry(width - _MARGIN - widths[0], _ABOVE, widths[0], _BUTTON)
            return 2 * _ABOVE + _BUTTON
        height = self._label.heightForWidth(room)
        self._label.setGeometry(_MARGIN, _ABOVE, room, height)
        x, y = _MARGIN, _ABOVE + height + _GAP
        for button, wide in zip(buttons, widths, strict=True):
            if x > _MARGIN and x + wide > width - _MARGIN:
                x, y = _MARGIN, y + _BUTTON + _GAP
            button.setGeometry(x, y, wide, _BUTTON)
            x += wide + _GAP
        return y + _BUTTON + _ABOVE if buttons else _ABOVE + height + _ABOVE

    def draw(self, drawing: Drawing) -> None:
        if self.empty:
            return
        theme, tone = drawing.theme, self._notice.tone
        plain = tone is Tone.QUIET
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        fill = theme.track if plain else faded(theme.tone(tone), _TINT)
        drawing.painter.setBrush(fill)
        drawing.painter.drawRoundedRect(QRectF(self.rect()), _RADIUS, _RADIUS)

    def _one_line(self, room: int) -> bool:
        return self.look.letters.body.width(self._notice.sentence) <= room

    def _button(self, answer: Answer) -> QPushButton:
        button = QPushButton(self)
        button.setFont(self.look.letters.body.font)
        button.hide()
        button.clicked.connect(lambda: self._on_clicked(answer))
        return button

    def _on_clicked(self, answer: Answer) -> None:
        self.answered.emit(answer)
