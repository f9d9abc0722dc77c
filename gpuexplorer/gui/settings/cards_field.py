"""CardsField: which cards a rule is about, typed as people name them: 0, 2, 4-7."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.look import Look

_ANY = mark("any card")
_HOW = mark("Numbers such as 0, 2, 4-7; empty for any card")


class CardsField(QLineEdit):
    """`chosen` comes with the ids, or None for any card. Names that no card has change nothing
    and are told by `misunderstood`.
    """

    chosen = Signal(object)
    misunderstood = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._numbers: Mapping[CardId, str] = {}
        self._cards: frozenset[CardId] | None = None
        self.setFont(look.letters.body.font)
        self.setPlaceholderText(tr(_ANY))
        self.setAccessibleName(tr("Cards"))
        self.setAccessibleDescription(tr(_HOW))
        self.setToolTip(tr(_HOW))
        self.setMinimumHeight(30)
        self.returnPressed.connect(self._take)

    def show_cards(
        self, cards: frozenset[CardId] | None, numbers: Mapping[CardId, str]
    ) -> None:
        self._cards, self._numbers = cards, numbers
        if not (self.hasFocus() and self.isModified()):
            self.setText(self._words())

    def _words(self) -> str:
        if self._cards is None:
            return ""
        return ", ".join(n for card, n in self._numbers.items() if card in self._cards)

    def _take(self) -> None:
        if not self.isModified():
            return
        text = self.text().strip()
        if not text or text == tr(_ANY):
            self._choose(None)
            return
        by_number = {number: card for card, number in self._numbers.items()}
        found: set[CardId] = set()
        for part in text.replace(";", ",").replace(" ", ",").split(","):
            for number in _spread(part):
                if number not in by_number:
                    self.misunderstood.emit(_no_such_card(number, list(by_number)[:8]))
                    return
                found.add(by_number[number])
        # Cards that are away just now were chosen before, and stay so.
        away = (self._cards or frozenset()) - set(self._numbers)
        self._choose(frozenset(found) | away)

    def _choose(self, cards: frozenset[CardId] | None) -> None:
        self.misunderstood.emit("")
        self.setModified(False)
        if cards != self._cards:
            self._cards = cards
            self.chosen.emit(cards)
        self.setText(self._words())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setText(self._words())
            self.setModified(False)
            self.misunderstood.emit("")
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._take()
        super().focusOutEvent(event)


def _no_such_card(number: str, offered: Sequence[str]) -> str:
    if not offered:
        return tr("No card is called {number}; there is none at the moment.", number=number)
    return tr(
        "No card is called {number}; there are: {offered}.",
        number=number,
        offered=", ".join(offered),
    )


def _spread(part: str) -> list[str]:
    """ "4-7" stands for 4, 5, 6 and 7."""
    first, dash, last = part.partition("-")
    if dash and first.isdecimal() and last.isdecimal() and int(last) - int(first) < 1000:
        return [str(number) for number in range(int(first), int(last) + 1)]
    return [part] if part else []
