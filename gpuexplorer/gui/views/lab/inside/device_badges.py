"""DeviceBadges: the chips of the devices that a thing lies on."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

SIDE, GAP = 20.0, 4.0
_MARGIN = 5.0


@dataclass(frozen=True, slots=True)
class Badge:
    """Without a colour it is outlined."""

    device: str
    text: str
    colour: int | None


def badges_of(names: Sequence[str], devices: Sequence[BenchDevice]) -> tuple[Badge, ...]:
    """In the order of the bench. A device that is not on it has its name's first letter."""
    known = {each.name: each for each in devices}
    order = {each.name: number for number, each in enumerate(devices)}
    found = []
    for name in sorted(dict.fromkeys(names), key=lambda each: order.get(each, len(order))):
        device = known.get(name)
        if device is not None and device.chip:
            found.append(Badge(name, device.chip, device.colour))
        elif name:
            found.append(Badge(name, name[0].upper(), None))
    return tuple(found)


def draw_badge(drawing: Drawing, x: float, middle: float, badge: Badge) -> float:
    """Returns where it ends."""
    letters = drawing.letters.badge
    width = badge_width(drawing.look, badge)
    fill = None if badge.colour is None else drawing.theme.card(badge.colour)
    place = QRectF(x, middle - SIDE / 2, width, SIDE)
    drawing.chip(place, badge.text, letters, fill)
    return x + width


def badge_width(look: Look, badge: Badge) -> float:
    return max(SIDE, look.letters.badge.width(badge.text) + 2 * _MARGIN)


class DeviceBadges(Painted):
    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._badges: tuple[Badge, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        if badges != self._badges:
            self._badges = badges
            self.setAccessibleName(", ".join(each.device for each in badges))
            self.setVisible(bool(badges))
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        x = 0.0
        for badge in self._badges:
            end = draw_badge(drawing, x, self.height() / 2, badge)
            drawing.hint(QRectF(x, 0, end - x, self.height()), badge.device)
            x = end + GAP

    def sizeHint(self) -> QSize:
        width = sum(badge_width(self.look, each) + GAP for each in self._badges) - GAP
        return QSize(max(0, round(width)), round(SIDE))
