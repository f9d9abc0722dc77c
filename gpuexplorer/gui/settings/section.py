"""Section: a heading with the rows below it; what is chosen there holds at once."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gpuexplorer.gui.state.choices import Choices
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import Look


class Section(QWidget):
    """Subclasses add rows in their constructor and implement `show_choices`.

    `names` are the choices that "Back to the usual" takes back.
    """

    def __init__(
        self,
        look: Look,
        settings: Settings,
        heading: str,
        names: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.look = look
        self.settings = settings
        self.heading = heading
        self._names = names
        title = QLabel(heading)
        title.setFont(look.letters.title.font)
        self._usual = QPushButton("Back to the usual")
        self._usual.setProperty("kind", "link")
        self._usual.setFont(look.letters.body.font)
        self._usual.setAccessibleName(f"{heading}: back to the usual")
        # It keeps its place, so that nothing moves when it comes and goes.
        policy = self._usual.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._usual.setSizePolicy(policy)
        self._usual.clicked.connect(self._on_usual_clicked)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 4)
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self._usual)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        self.body.addLayout(head)
        self.setAccessibleName(heading)
        settings.changed.connect(self._on_settings_changed)

    def show_choices(self, choices: Choices) -> None:
        raise NotImplementedError

    def add(self, *rows: QWidget) -> None:
        """A hairline above each."""
        for row in rows:
            self.body.addWidget(hairline())
            self.body.addWidget(row)

    def begin(self) -> None:
        """Called at the end of a constructor, when all rows are there."""
        self._on_settings_changed()

    def choose(self, **changes: object) -> None:
        choices = self.settings.choices
        self.settings.choose(replace(choices, **changes))  # type: ignore[arg-type]  # by name

    def _on_settings_changed(self) -> None:
        choices, usual = self.settings.choices, Choices()
        unlike = [n for n in self._names if getattr(choices, n) != getattr(usual, n)]
        # The keyboard must not be left on a button that goes away.
        if not unlike and self._usual.hasFocus():
            self.focusNextChild()
        self._usual.setVisible(bool(unlike))
        self.show_choices(choices)

    def _on_usual_clicked(self) -> None:
        usual = Choices()
        self.choose(**{name: getattr(usual, name) for name in self._names})


def hairline() -> QFrame:
    line = QFrame()
    line.setProperty("panel", "line")
    line.setFixedHeight(1)
    line.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return line
