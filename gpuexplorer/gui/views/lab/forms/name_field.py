"""NameField: proposes a name until a person types one."""

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.widgets.controls.text_field import TextField


class NameField(TextField):
    """What was typed is kept until `forget`."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, name, parent)
        self._own = False
        self.typed.connect(self._on_typed)

    def propose(self, name: str) -> None:
        if not self._own:
            self.show_text(name)

    def forget(self) -> None:
        self._own = False

    def _on_typed(self, text: str) -> None:
        del text
        self._own = True
