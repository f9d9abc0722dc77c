"""Operand: a dropdown of what is on the shelf, each with the chip of where it lies."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.dropdown import Choice, Dropdown
from gpuexplorer.gui.wording.lab.bench.bench_blocks import BlockKind
from gpuexplorer.gui.wording.lab.forms.plan import Surroundings
from gpuexplorer.gui.wording.lab.forms.shapes import shape_text
from gpuexplorer.lab.events import Placed

Suits = Callable[[Placed], bool]
_LIST_WIDTH = 260


class Operand(Dropdown):
    """What was chosen is kept as long as it is there; else the first that suits is proposed.

    `changed` comes when a person chose.
    """

    changed = Signal()

    def __init__(
        self,
        look: Look,
        name: str,
        suits: Suits,
        likely: Suits | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """Only what is `likely` is proposed, unless nothing is."""
        super().__init__(look, name, self._offer_all, _LIST_WIDTH, parent)
        self._suits = suits
        self._likely = likely or suits
        self._others: Sequence[Choice] = ()
        self._around = Surroundings()
        self._own: str | None = None
        self._proposed = ""
        self.chosen.connect(self._on_chosen)

    @property
    def name(self) -> str:
        """The chosen thing, or the key of one of the others; empty where there is none."""
        return self._proposed if self._own is None else self._own

    def choose(self, thing: Placed) -> None:
        """Unless it does not suit: then what was chosen before is kept."""
        if self._suits(thing):
            self._own = thing.name

    def show_around(
        self,
        around: Surroundings,
        placeholder: str,
        others: Sequence[Choice] = (),
        position: int = 0,
    ) -> None:
        """`others` stand below the shelf; `position` is which of the shelf is proposed."""
        self._around, self._others = around, others
        by_key = {each.key: each for each in others}
        if self._own is not None and self._own not in by_key:
            thing = around.things.get(self._own)
            if thing is None or not self._suits(thing):
                self._own = None
        if self._own is None:
            self._proposed = self._proposal(around, position)
        name = self.name
        chosen = by_key.get(name)
        if chosen is None and name in around.things:
            chosen = thing_choice(around.things[name], around)
        self.show_choice(chosen, placeholder)

    def _proposal(self, around: Surroundings, position: int) -> str:
        there = [name for name, thing in around.things.items() if self._suits(thing)]
        likely = [name for name in there if self._likely(around.things[name])] or there
        if likely:
            return likely[min(position, len(likely) - 1)]
        return str(self._others[0].key) if self._others else ""

    def _offer_all(self) -> Sequence[Choice]:
        things = self._around.things.values()
        there = [thing_choice(each, self._around) for each in things if self._suits(each)]
        return [*there, *self._others]

    def _on_chosen(self, name: str) -> None:
        self._own = name
        self.changed.emit()


def thing_choice(thing: Placed, around: Surroundings) -> Choice:
    device = around.device(thing.device)
    chip = device.chip if device is not None else ""
    about = (
        [shape_text(thing.shape)] if thing.shape is not None else [BlockKind(thing.kind).words]
    )
    about += [thing.dtype] if thing.dtype else []
    if thing.requires_grad and thing.kind == "tensor":
        about.append("grad")
    return Choice(
        thing.name,
        thing.name,
        " ".join(about),
        chip,
        device.colour if device is not None else None,
        device is None or not device.is_card,
    )
