"""CopiesPage: one page of the screen of copies, and what stands beside the tabs for it."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.wording.key_words import KeyGroup

# Words, keys and what is done, as the screen lists them under Ctrl+K and F1. The keys hold
# while the page is seen, so that pages may have the same.
PageCommand = tuple[str, str, Callable[[], None]]


class CopiesPage(QWidget):
    """Made when it is first opened. `pull` is called while it is seen; signals of the state
    are connected while it is seen only, where they only draw.
    """

    key_groups: ClassVar[Sequence[KeyGroup]] = ()  # taken by its parts; see wording/key_words

    def __init__(self, look: Look, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self.copies = copies
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
