"""CopiesPage: one page of the screen of copies, and what stands beside the tabs for it."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.wording.key_words import KeyGroup

# Words, keys and what is done, as the screen lists them under Ctrl+K and F1. The keys hold
# while the page is seen, so that pages may have the same.
PageCommand = tuple[str, str, Callable[[], None]]
Heard = tuple[SignalInstance, Callable[..., object]]


class CopiesPage(QWidget):
    """Made when it is first opened. `pull` is called while it is seen."""

    key_groups: ClassVar[Sequence[KeyGroup]] = ()  # taken by its parts; see wording/key_words

    def __init__(self, look: Look, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self.copies = copies
        self._following = False
        # Buttons at the right end of the row of tabs, in their order.
        self.tools: Sequence[QWidget] = ()

    def start_search(self) -> bool:
        """False where there is nothing to search."""
        return False

    def pull(self) -> None:
        """Bring up to date what follows the cards' readings."""

    def stop(self) -> None:
        """For good. Harmless when called twice."""

    def commands(self) -> Sequence[PageCommand]:
        return ()

    def heard(self) -> Sequence[Heard]:
        """Signals that only draw, and what they set off while it is seen."""
        return ()

    def begin(self) -> None:
        """It is seen from now on, and what happened meanwhile was not heard."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._following:
            self._following = True
            for signal, slot in self.heard():
                signal.connect(slot)
            self.begin()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._following:
            self._following = False
            for signal, slot in self.heard():
                signal.disconnect(slot)
