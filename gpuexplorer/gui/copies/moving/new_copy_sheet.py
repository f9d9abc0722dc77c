"""NewCopySheet: one thing and one target; the line that copies it is seen before it is run."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.copies.routes import Route
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import bytes_words, rate, seconds_words
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.cards.card_face import short_name
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.bench_lines import copy_line
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import Choice, Dropdown, Labelled
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.lab.events import Placed

NEW_BYTES = 64 << 20
_BEGINNING = 1e-6  # seconds; what takes less on the wire waits longer for its beginning
_NEW_SHAPE = "16, 1024, 1024"  # of float32, so many bytes


@dataclass(frozen=True, slots=True)
class Thing:
    """On the shelf, or made first: then `placed` is None."""

    device: str
    placed: Placed | None = None

    @property
    def words(self) -> str:
        return tr("a new tensor") if self.placed is None else self.placed.name

    @property
    def bytes(self) -> int:
        return NEW_BYTES if self.placed is None else self.placed.bytes

    @property
    def key(self) -> str:
        return f"new {self.device}" if self.placed is None else f"thing {self.placed.name}"


def things(shelf: Mapping[str, Placed], devices: Sequence[BenchDevice]) -> Sequence[Thing]:
    """What lies on the shelf, the newest first; then what could be made for it."""
    there = [each for each in shelf.values() if each.kind in ("tensor", "model")]
    able = {each.name for each in devices}
    known = [Thing(each.device, each) for each in reversed(there) if each.device in able]
    return [*known, *(Thing(each.name) for each in devices if each.computes)]


def possible(thing: Thing, devices: Sequence[BenchDevice]) -> Sequence[BenchDevice]:
    """Where it can go."""
    there = (thing.device, "meta", "")
    return [each for each in devices if each.usable and each.name not in there]


def lines_for(
    thing: Thing, target: BenchDevice, taken: Collection[str], *, by_host: bool = False
) -> Sequence[str]:
    if thing.placed is not None:
        return (copy_line(thing.placed, target, taken, by_host=by_host),)
    name = _free_name(taken)
    made = Placed(0, name, "tensor", thing.device, "")
    given = "" if thing.device == "cpu" else f', device="{thing.device}"'
    return (
        f"{name} = torch.rand({_NEW_SHAPE}{given})",
        copy_line(made, target, [*taken, name], by_host=by_host),
    )


def expected_words(thing: Thing, route: Route | None) -> str:
    """What is known of the way before anything is pressed."""
    size = bytes_words(thing.bytes)
    if route is None:
        return tr("{size}; the way is not known.", size=size)
    begin = tr("{size}.", size=size)
    if route.words:
        begin = tr("{size}, {way}.", size=size, way=route.words)
    if route.limit:
        most, least = str(rate(route.limit)), thing.bytes / route.limit
        end = tr("At most {rate} one way. At this size, latency dominates.", rate=most)
        if least >= _BEGINNING:
            time = seconds_words(least)
            end = tr("At most {rate} one way, so at least {time}.", rate=most, time=time)
    elif route.limit_reason:
        end = tr("No limit: {reason}.", reason=route.limit_reason)
    else:
        end = ""
    return paragraph((begin, end))


def _free_name(taken: Collection[str]) -> str:
    for name in ("X", "A", "B", "C", "D"):
        if name not in taken:
            return name
    number = 1
    while f"X{number}" in taken:
        number += 1
    return f"X{number}"


class NewCopySheet(Sheet):
    """Runs the lab's own line; where the lab rests, it starts its worker."""

    begun = Signal(int)  # the command of the line that copies
    refused = Signal(str)

    def __init__(self, copies: CopiesState, parent: QWidget) -> None:
        super().__init__(tr("New copy"), parent, 420)
        self._copies = copies
        self._devices = copies.devices()
        self._thing: Thing | None = None
        self._target: BenchDevice | None = None
        self._what = Dropdown(tr("What"))
        self._where = Dropdown(tr("To"))
        self._what.chosen.connect(self._on_thing_chosen)
        self._where.chosen.connect(self._on_target_chosen)
        self.body.addWidget(Labelled(tr("What, of the lab's shelf"), self._what))
        self.body.addWidget(Labelled(tr("To"), self._where))
        self._lines = self.add_sentence("")
        self._lines.setFont(look().letters.mono.font)
        self._expected = self.add_sentence("", Tone.QUIET)
        self._expected.setFont(look().letters.caption.font)
        self._copy = self.add_button(tr("Copy"), ROLE.ActionRole, default=True)
        self._copy.setAccessibleName(tr("Run the copy in the lab"))
        self._copy.clicked.connect(self._on_copy_asked)
        self.add_button(tr("Close"), ROLE.RejectRole)
        self._begin()

    @property
    def lines(self) -> Sequence[str]:
        """What would be run."""
        if self._thing is None or self._target is None:
            return ()
        thing, target, lab = self._thing, self._target, self._copies.lab
        taken, switches = lab.ledger.things, lab.switches
        by_host = (thing.device, target.name) in switches.by_host
        return lines_for(thing, target, taken, by_host=by_host)

    def _begin(self) -> None:
        """With the newest thing, and another card where there is one."""
        there = self._things()
        cards = [each for each in there if each.device != "cpu" or each.placed is not None]
        self._choose(next(iter([*cards, *there]), None))

    def _choose(self, thing: Thing | None) -> None:
        self._thing = thing
        targets = () if thing is None else possible(thing, self._devices)
        same = [each for each in targets if self._target and each.name == self._target.name]
        cards = [each for each in targets if each.is_card]
        self._target = next(iter([*same, *cards, *targets]), None)
        self._show()

    def _show(self) -> None:
        thing, target = self._thing, self._target
        self._what.show_choices(self._offer_things(), thing and thing.key, tr("nothing"))
        self._where.show_choices(self._offer_targets(), target and target.name, tr("nowhere"))
        self._lines.setText("\n".join(self.lines))
        words = tr("There is nowhere else it could go.")
        if thing is not None and target is not None:
            way = thing.device, target.name
            detour = way in self._copies.lab.switches.by_host
            route = self._copies.ways.staged(*way) if detour else self._copies.route(*way)
            words = expected_words(thing, route)
        self._expected.setText(words)
        self._copy.setEnabled(bool(self.lines))

    def _things(self) -> Sequence[Thing]:
        return things(self._copies.lab.ledger.things, self._devices)

    def _offer_things(self) -> Sequence[Choice]:
        return [self._thing_choice(each) for each in self._things()]

    def _offer_targets(self) -> Sequence[Choice]:
        if self._thing is None:
            return ()
        return [_device_choice(each) for each in possible(self._thing, self._devices)]

    def _thing_choice(self, thing: Thing) -> Choice:
        device = next((each for each in self._devices if each.name == thing.device), None)
        chip = thing.device if device is None else device.chip
        colour = None if device is None else device.colour
        return Choice(
            thing.key,
            thing.words,
            bytes_words(thing.bytes),
            chip,
            colour,
            colour is None,
            typed=thing.placed is not None,
        )

    def _on_thing_chosen(self, key: object) -> None:
        self._choose(next((each for each in self._things() if each.key == key), None))

    def _on_target_chosen(self, name: object) -> None:
        self._target = next((each for each in self._devices if each.name == name), None)
        self._show()

    def _on_copy_asked(self) -> None:
        try:
            command = self._copies.lab.run("\n".join(self.lines), by_form=True)
        except Trouble as trouble:
            self.refused.emit(trouble.told)
        else:
            self.begun.emit(command)
        self.accept()


def _device_choice(device: BenchDevice) -> Choice:
    words = tr("host") if device.is_host else device.name
    remark = "" if device.is_host else short_name(device.label)
    return Choice(
        device.name, words, remark, device.chip, device.colour, device.colour is None,
        typed=False,
    )  # fmt: skip
