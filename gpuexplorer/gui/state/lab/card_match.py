"""Which card of this window PyTorch means by "cuda:0". It is never guessed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardState
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.lab.events import Device, Hello
from gpuexplorer.lab.pythons import TorchBuild, suits

_NOT_READ = Message(
    "None of the cards that this window reads is the one that PyTorch means by it."
)
_OTHER_MAKER = Message(
    "It works; this window reads no cards of its maker, so that nothing is plotted."
)


@dataclass(frozen=True, slots=True)
class Match:
    """`why` there is no card, or what is to be known about this one.

    `one_of`: it may be any of so many, since this PyTorch reports no UUID.
    """

    card: Shown | None = None
    why: Message = NOTHING
    one_of: int = 0


def matches(hello: Hello, cards: Sequence[Shown]) -> Mapping[str, Match]:
    """For each device that is on a card, under its name; by the UUID.

    An older PyTorch reports none. Then a card can be meant only where it is the only one, or
    the only one that is called so.
    """
    offered = [each for each in hello.devices if each.name.partition(":")[0] in _ON_CARDS]
    if hello.build.startswith("ROCm"):
        return {each.name: Match(why=_OTHER_MAKER) for each in offered}
    return {each.name: _match(each, offered, cards) for each in offered}


def stands_for_none(device: Device) -> bool:
    """A PyTorch without cards says why of a "cuda:0" that it has not."""
    return not device.usable and not device.uuid and device.capability is None


def bare_uuid(text: str) -> str:
    """NVML says GPU- before it, PyTorch does not."""
    return text.lower().removeprefix("gpu-").removeprefix("mig-")


_ON_CARDS = ("cuda", "xpu", "mps")


def _match(device: Device, offered: Sequence[Device], cards: Sequence[Shown]) -> Match:
    if not device.name.startswith("cuda"):
        return Match(why=_OTHER_MAKER)
    if stands_for_none(device):
        return Match()
    if device.uuid:
        return _by_uuid(device, cards)
    return _by_name(device, [each for each in offered if not each.uuid], cards)


def _by_uuid(device: Device, cards: Sequence[Shown]) -> Match:
    wanted = bare_uuid(device.uuid)
    for each in cards:
        if bare_uuid(str(each.card.id)) == wanted:
            return _whole_or_instance(device, each)
        for one in each.instances:
            if bare_uuid(str(one.card.id)) == wanted:
                return Match(one)
    return Match(why=_NOT_READ)


def _by_name(device: Device, offered: Sequence[Device], cards: Sequence[Shown]) -> Match:
    if len(cards) == len(offered) == 1:
        return _whole_or_instance(device, cards[0])
    called = [each for each in cards if each.card.name == device.label]
    twins = [each for each in offered if each.label == device.label]
    if len(called) == len(twins) == 1:
        return _whole_or_instance(device, called[0])
    if not called:
        return Match(why=_NOT_READ)
    why = Message(
        "This PyTorch reports no UUID, and {cards} cards here are called {label}: it is not "
        "known which of them {name} is.",
        cards=len(called),
        label=device.label,
        name=device.name,
    )
    return Match(why=why, one_of=len(called))


def _whole_or_instance(device: Device, shown: Shown) -> Match:
    """PyTorch may name the card of the one instance that it was given."""
    instances = shown.instances
    if not instances:
        return Match(shown)
    if len(instances) == 1:
        return Match(instances[0])
    why = Message(
        "{name} is one of the {instances} instances of card {number}; PyTorch does not say "
        "which.",
        name=device.name,
        instances=len(instances),
        number=shown.number,
    )
    return Match(shown, why)


_OTHER_PYTHON = Message("Choose another Python of the lab, or install another PyTorch into it.")


@dataclass(frozen=True, slots=True)
class Reason:
    """Both empty where there is nothing to say."""

    why: Message = NOTHING
    way_out: Message = NOTHING


def left_out(
    shown: Shown,
    hello: Hello | None,
    found: Sequence[Match],
    cards: Sequence[Shown],
    driver: str | None,
    *,
    hidden: bool,
) -> Reason:
    """For a card that is none of PyTorch's devices. `found` are those that are."""
    if hidden:
        return Reason(
            Message("It is not among the cards that the lab may see."),
            Message("Release the cards, then choose it among the visible ones."),
        )
    if hello is None:
        why = shown.card.cuda_reason
        said = Message("CUDA gives it no number.")
        if why:
            said = Message("CUDA gives it no number ({why}).", why=why)
        return Reason(said, Message("When the lab has started, PyTorch says more."))
    if hello.build == "CPU":
        why = Message("Your PyTorch is a build for the processor only.")
        return Reason(why, _advice(hello, cards, driver))
    if not hello.build.startswith("CUDA"):
        why = Message("This PyTorch is built for {build}.", build=hello.build)
        return Reason(why, _advice(hello, cards, driver))
    for each in hello.devices:
        if stands_for_none(each):
            return Reason(each.reason, each.way_out)
    if shown.instances:
        return Reason(
            Message("It is split: CUDA uses its instances only, one at a time."),
            Message(
                "Start GPU Explorer with CUDA_VISIBLE_DEVICES set to the UUID of an instance."
            ),
        )
    if any(each.one_of for each in found):
        return Reason(
            Message("It may be one of PyTorch's cards; this PyTorch does not say which."),
            Message("A newer PyTorch does."),
        )
    return Reason(Message("This PyTorch does not offer it."), _OTHER_PYTHON)


def lost(state: CardState) -> Reason:
    if state is CardState.UNLISTED:
        return Reason(
            Message("The driver no longer lists this card: nothing on it answers any more."),
            Message("Release the cards. It can be used again when the driver lists it."),
        )
    if state is not CardState.LOST:
        return Reason()
    return Reason(
        Message("The driver has lost this card: nothing on it answers any more."),
        Message("Release the cards. Often only a restart of the computer brings it back."),
    )


def without_kernels(hello: Hello, cards: Sequence[Shown], driver: str | None) -> Message:
    """The way out where a card takes copies and computes nothing."""
    return _advice(hello, cards, driver)


def _advice(hello: Hello, cards: Sequence[Shown], driver: str | None) -> Message:
    kind, _, version = hello.build.partition(" ")
    build = TorchBuild(hello.torch, version if kind == "CUDA" else None)
    suited = suits(build, [each.card for each in cards], driver)
    if suited.install:
        return Message(
            "Install PyTorch built for CUDA {cuda} into this Python, or choose another Python "
            "of the lab.",
            cuda=suited.install,
        )
    return suited.do or _OTHER_PYTHON
