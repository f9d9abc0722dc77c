"""NameField: proposes a name until a person types one."""

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.fields import TextField


class NameField(TextField):
    """What was typed is kept until `forget`."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, name, parent)
        self._own = False
        self.typed.connect(self._on_typed)

    def propose(self, name: str) -> None:
        """Selected where the keyboard is, so that what is typed takes its place."""
        if not self._own and name != self.text():
            self.show_text(name)
            if self.hasFocus():
                self.selectAll()

    def forget(self) -> None:
        self._own = False

    def _on_typed(self, text: str) -> None:
        del text
        self._own = True
