"""LabForm: fields declared once; its look, its checks and the code it writes follow."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.widgets.controls.fields import Choice
from gpuexplorer.lab.events import Placed


@dataclass(frozen=True, slots=True)
class Around:
    """What a form knows of the lab."""

    things: Mapping[str, Placed] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()  # names that cells under way will make
    devices: Sequence[BenchDevice] = ()
    contexts: Mapping[str, int] = field(default_factory=dict)  # expected, by device
    memory_share: float | None = None
    units: Units = USUAL

    def device(self, name: str) -> BenchDevice | None:
        return next((each for each in self.devices if each.name == name), None)

    @property
    def taken(self) -> frozenset[str]:
        return frozenset(self.things) | self.waiting


Values = Mapping[str, str]  # what stands in each field
Ask = Callable[[Values, Around], str]
Offer = Callable[[Values, Around], Sequence[Choice]]
Shown = Callable[[Values, Around], bool]


class Control(Enum):
    """Which control a field is."""

    TEXT = "text"
    LINES = "lines"  # of code
    NAME = "name"  # proposed anew each time
    CHOICE = "choice"
    GRID = "grid"  # of buttons, of which one holds
    DEVICES = "devices"  # a list, with what is free on each
    TICK = "tick"
    NOTE = "note"  # only its remark

    @property
    def offers(self) -> bool:
        return self in (Control.CHOICE, Control.GRID, Control.DEVICES)


@dataclass(frozen=True, slots=True)
class Field:
    """Labels, placeholders and hints are marked words."""

    key: str
    label: str
    kind: Control = Control.TEXT
    first: str | Ask = ""  # stands there until a person chooses
    read: Callable[[str], object] = str.strip  # raises Trouble
    offer: Offer = lambda values, around: ()
    missing: str = ""  # the problem where nothing can be chosen
    placeholder: str = ""
    hint: str = ""
    shown: Shown = lambda values, around: True
    remark: Ask = lambda values, around: ""  # beside its label
    refused: Ask = lambda values, around: ""  # why it cannot be ticked
    beside: bool = False  # in the row of the field before it
    thing: bool = False  # takes a thing that is selected elsewhere in the lab


@dataclass(frozen=True, slots=True)
class Plan:
    """What a form is about to do. With a problem nothing can run; with a warning all can."""

    code: str = ""
    facts: Sequence[str] = ()
    warnings: Sequence[str] = ()
    problems: Mapping[str, str] = field(default_factory=dict)  # a sentence by the field's key
    button: str = ""

    @property
    def ready(self) -> bool:
        return not self.problems and bool(self.code)


@dataclass(frozen=True, slots=True)
class Entered:
    """What the fields that are shown say. Those that could not be read are `problems`."""

    values: Values
    read: Mapping[str, object]
    problems: dict[str, str]

    def __getitem__(self, key: str) -> str:
        """As it stands there, without blanks around it."""
        return self.values[key].strip() if key in self.read else ""

    def whole(self, key: str) -> int:
        value = self.read.get(key)
        return value if isinstance(value, int) else 0

    def real(self, key: str) -> int | float:
        value = self.read.get(key)
        return value if isinstance(value, int | float) else 0

    def shape(self, key: str) -> tuple[int, ...]:
        value = self.read.get(key)
        return value if isinstance(value, tuple) else ()


@dataclass(frozen=True, slots=True, eq=False)
class LabForm:
    """`write` is asked only where every field could be read; the button's words are not its
    affair. Its own words are marked.
    """

    tab: str
    kind: str  # what is made there, where its tab has several forms
    command: str  # brings it into sight
    fields: Sequence[Field]
    button: Callable[[Values], str]
    write: Callable[[Entered, Around], Plan]


def where(key: str, *values: str) -> Shown:
    """A field that is there only while another one says this."""
    return lambda said, around: said[key] in values


def settled(form: LabForm, own: Values, around: Around) -> Values:
    """What stands in each field: what a person put there as long as it can be, else what is
    proposed. `own`: by the field's key.
    """
    values: dict[str, str] = {}
    for each in form.fields:
        proposed = each.first if isinstance(each.first, str) else each.first(values, around)
        value = own.get(each.key, proposed)
        if each.kind.offers:
            offered = each.offer(values, around)
            there = [str(choice.key) for choice in offered if not choice.refused]
            if value not in there:
                value = proposed if proposed in there else next(iter(there), "")
        elif each.kind is Control.TICK and each.refused(values, around):
            value = ""
        values[each.key] = value
    return values


def plan_of(form: LabForm, own: Values, around: Around) -> Plan:
    values = settled(form, own, around)
    entered = Entered(values, {}, {})
    read: dict[str, object] = {}
    for each in form.fields:
        if not each.shown(values, around):
            continue
        try:
            if each.missing and not values[each.key]:
                raise Trouble(each.missing)
            read[each.key] = each.read(values[each.key])
        except Trouble as trouble:
            entered.problems[each.key] = trouble.told
    entered = Entered(values, read, entered.problems)
    button = form.button(values)
    if entered.problems:
        return Plan(problems=entered.problems, button=button)
    return replace(form.write(entered, around), button=button)


def things_offered(
    around: Around, suits: Callable[[Placed], bool], others: Sequence[Choice] = ()
) -> Sequence[Choice]:
    """`others` stand below the shelf."""
    there = [each for each in around.things.values() if suits(each)]
    return [*(_thing_choice(each, around) for each in there), *others]


def devices_offered(
    around: Around, wanted: Callable[[BenchDevice], bool] = lambda device: True
) -> Sequence[Choice]:
    found = []
    for each in around.devices:
        if wanted(each):
            refused = "" if each.usable and each.name else tr("cannot be used")
            name = each.name or tr("card {number}", number=each.chip)
            remark = tr("shape only") if each.name == "meta" else each.label
            chip = (each.chip, each.colour, not each.is_card)
            found.append(Choice(name, each.name or each.label, remark, *chip, refused))
    return found


def first_card(values: Values, around: Around) -> str:
    """The first card that can compute, else the processor."""
    cards = [each for each in around.devices if each.is_card and each.usable and each.computes]
    return cards[0].name if cards else "cpu"


def replaced(name: str, taken: Collection[str]) -> Sequence[str]:
    """The warning where the name stands for something already."""
    if not name or name not in taken:
        return ()
    return (tr("{name} is there already: it would be replaced.", name=name),)


def _thing_choice(thing: Placed, around: Around) -> Choice:
    device = around.device(thing.device)
    shape = "" if thing.shape is None else "×".join(map(str, thing.shape)) or tr("one value")
    grad = "grad" if thing.requires_grad and thing.kind == "tensor" else ""
    about = " ".join(each for each in (shape, thing.dtype, grad) if each)
    if device is None:
        return Choice(thing.name, thing.name, about)
    chip = (device.chip, device.colour, not device.is_card)
    return Choice(thing.name, thing.name, about, *chip)
