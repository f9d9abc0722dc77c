"""LabForm: fields declared once, of which look, checks and code follow; how they are read."""

import ast
import keyword
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from string import ascii_letters
from typing import Literal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.lab.inside.values import shape_text
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


Values = Mapping[str, str]  # by the field's key
Ask = Callable[[Values, Around], str]
Offer = Callable[[Values, Around], Sequence[Choice]]
Shown = Callable[[Values, Around], bool]


@dataclass(frozen=True, slots=True)
class Field:
    """Label and placeholder are marked words. A name is proposed anew each time."""

    key: str
    label: str
    kind: Literal["text", "name", "choice", "grid", "tick"] = "text"
    first: str | Ask = ""  # stands there until a person chooses
    read: Callable[[str], str] = str.strip  # as code wants it; raises Trouble
    offer: Offer = lambda values, around: ()
    missing: str = ""  # the problem where nothing can be chosen
    placeholder: str = ""
    shown: Shown | None = None  # else where the form's template names it
    refused: Ask = lambda values, around: ""  # why it cannot be ticked
    folded: bool = False  # only seen when a person unfolds the form
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


@dataclass(frozen=True, slots=True, eq=False)
class LabForm:
    """`write` is asked only where every field could be read, and gets what was read of those
    that are shown. `template` names in braces what the code has to be told; without one all
    is shown. Title and command are marked.
    """

    title: str
    command: str  # brings it into sight
    fields: Sequence[Field]
    button: Callable[[Values], str]
    write: Callable[[Values, Around], Plan]
    template: Ask | None = None

    def seen(self, field: Field, values: Values, around: Around) -> bool:
        if field.shown or not self.template:
            return field.shown is None or field.shown(values, around)
        return f"{{{field.key}}}" in self.template(values, around)

    def settled(self, own: Values, around: Around) -> Values:
        """What a person put into each field as long as it can be, else what is proposed."""
        values: dict[str, str] = {}
        for each in self.fields:
            proposed = each.first if isinstance(each.first, str) else each.first(values, around)
            value = own.get(each.key, proposed)
            if each.kind in ("choice", "grid"):
                offered = each.offer(values, around)
                there = [str(choice.key) for choice in offered if not choice.refused]
                if value not in there:
                    value = proposed if proposed in there else next(iter(there), "")
            elif each.kind == "tick" and each.refused(values, around):
                value = ""
            values[each.key] = value
        return values

    def plan(self, values: Values, around: Around) -> Plan:
        read = dict.fromkeys(values, "")
        problems: dict[str, str] = {}
        for each in self.fields:
            try:
                if not self.seen(each, values, around):
                    continue
                if each.missing and not values[each.key]:
                    raise Trouble(each.missing)
                read[each.key] = each.read(values[each.key])
            except Trouble as trouble:
                problems[each.key] = trouble.told
        plan = Plan(problems=problems) if problems else self.write(read, around)
        return replace(plan, button=self.button(values))


def where(key: str, *values: str) -> Shown:
    """A field that is there only while another one says this."""
    return lambda said, around: said[key] in values


def words_offered(remarks: Mapping[str, str]) -> Offer:
    """Words of code, each with marked words about it."""
    return lambda values, around: [
        Choice(word, word, tr(remark)) for word, remark in remarks.items()
    ]


def things_offered(
    around: Around, kinds: Collection[str], others: Sequence[Choice] = ()
) -> Sequence[Choice]:
    """What the lab has of these kinds; `others` stand below."""
    found = []
    for each in around.things.values():
        shape = "" if each.shape is None else shape_text(each.shape)
        grad = "grad" if each.requires_grad and each.kind == "tensor" else ""
        about = " ".join(filter(None, (shape, each.dtype, grad)))
        device = around.device(each.device) or BenchDevice("", "", "")
        chip = (device.chip, device.colour, not device.is_card)
        if each.kind in kinds:
            found.append(Choice(each.name, each.name, about, *chip))
    return [*found, *others]


def devices_offered(values: Values, around: Around) -> Sequence[Choice]:
    """Each with what is free on it."""
    found = []
    for each in around.devices:
        remark = tr("shape only") if each.name == "meta" else each.label
        if each.free_bytes is not None:
            remark = tr("{amount} free", amount=memory(each.free_bytes, around.units))
        refused = "" if each.usable and each.name else tr("cannot be used")
        key, name = each.name or f"card {each.chip}", each.name or each.label
        chip = (each.chip, each.colour, not each.is_card)
        found.append(Choice(key, name, remark, *chip, refused))
    return found


def _first_card(values: Values, around: Around) -> str:
    """The first card that can compute, else the processor."""
    cards = (
        each.name for each in around.devices if each.is_card and each.usable and each.computes
    )
    return next(cards, "cpu")


NO_TENSORS = mark("No tensors yet: create one first.")
DEVICE = Field(
    "device",
    mark("Device"),
    "choice",
    _first_card,
    offer=devices_offered,
    missing=mark("Choose a device that can be used."),
)


def replaced(name: str, taken: Collection[str]) -> Sequence[str]:
    """The warning where the name stands for something already."""
    if not name or name not in taken:
        return ()
    return (tr("{name} already exists: it will be replaced.", name=name),)


def apart(*things: Placed) -> Sequence[str]:
    """Where they are on different devices; a single value on the host may meet a card's."""
    places = {each.device for each in things if each.shape != () or each.device != "cpu"}
    if len(places - {""}) < 2:
        return ()
    devices = ", ".join(sorted(places - {""}))
    return (tr("Tensors are on different devices: {devices}", devices=devices),)


_SUCH_AS = mark("Such as: 2, 3")
_TAKEN = frozenset({"torch", "nn", "F"})  # stand for PyTorch's own in every session


def read_name(text: str) -> str:
    """Raises Trouble for what Python takes for no name."""
    name = text.strip()
    if not name:
        raise Trouble("Enter a name.")
    if not name.isidentifier():
        hint = "Letters, digits and _, no digit first."
        raise Trouble("{name!r} is not a name.", hint, name=name[:40])
    if keyword.iskeyword(name) or name in _TAKEN:
        raise Trouble("{name} is a word of Python or PyTorch.", "Such as: X", name=name)
    return name


def next_letter(taken: Collection[str]) -> str:
    """A capital, then a small letter, then A1 and so on."""
    letters = sorted(ascii_letters)
    free = (each for each in letters if each not in taken and each not in _TAKEN)
    return next(free, "") or next_numbered("A1", taken)


def next_numbered(word: str, taken: Collection[str]) -> str:
    """`net`, `net2`, `net3`."""
    names = (f"{word}{number}" for number in count(2))
    return word if word not in taken else next(each for each in names if each not in taken)


def read_sizes(text: str, least: int = 0) -> str:
    """`2, 3`, `2 x 3` and `(2, 3)`, all as `2, 3`; nothing is the shape of a single value."""
    bare = text.strip()
    bare = bare[1:-1] if bare[:1] + bare[-1:] in ("()", "[]") else bare
    bare = bare.replace("x", ",").replace("×", ",").strip()
    sizes = []
    for part in map(str.strip, bare.removesuffix(",").split(",") if bare else ()):
        if not part:
            raise Trouble("A size is missing between two commas.", _SUCH_AS)
        short = part[:40]
        try:
            size = int(part)
        except ValueError:
            raise Trouble("{text!r} is not a whole number.", _SUCH_AS, text=short) from None
        if not least <= size < 2**63:
            raise Trouble(
                "A size cannot be {size}.", "It counts elements: 0 or more.", size=short
            )
        sizes.append(str(size))
    return ", ".join(sizes)


def sizes_of(text: str) -> Sequence[int]:
    """Of what `read_sizes` made."""
    return [int(each) for each in text.split(", ") if each]


def whole(least: int | None = None) -> Callable[[str], str]:
    """A reader of whole numbers."""

    def read(text: str) -> str:
        try:
            number = int(text)
        except ValueError:
            raise Trouble("Enter a whole number.") from None
        if least is not None and number < least:
            raise Trouble("Enter {least} or more.", least=least)
        return str(number)

    return read


def read_seed(text: str) -> str:
    """Empty where none is wanted."""
    if text.strip() and not -(2**63) <= int(whole()(text)) < 2**64:
        raise Trouble("The seed has to fit into 64 bits.")
    return text.strip()


def literal(text: str) -> object:
    try:
        value: object = ast.literal_eval(text.strip())
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise Trouble("This cannot be read as numbers.", "Such as: 7 or [1.5, 2]") from None
    return value
