"""Which card of this window PyTorch means by "cuda:0". It is told, never guessed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.lab.events import Device, Hello

_NOT_READ = "None of the cards that this window reads is the one that PyTorch means by it."
_OTHER_MAKER = "It works; this window reads no cards of its maker, so that nothing is plotted."


@dataclass(frozen=True, slots=True)
class Match:
    """`why` is a sentence: why there is no card, or what is to be known about this one."""

    card: Shown | None = None
    why: str = ""


def matches(hello: Hello, cards: Sequence[Shown]) -> Mapping[str, Match]:
    """For each device that is on a card, under its name; by the UUID.

    An older PyTorch tells none. Then a card can be meant only where it is the only one, or the
    only one that is called so.
    """
    offered = [each for each in hello.devices if each.name.partition(":")[0] in _ON_CARDS]
    if hello.build.startswith("ROCm"):
        return {each.name: Match(why=_OTHER_MAKER) for each in offered}
    return {each.name: _match(each, offered, cards) for each in offered}


def stands_for_none(device: Device) -> bool:
    """A build for the processor says of "cuda:0" that it has none."""
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
    return Match(
        why=f"This PyTorch tells no UUID, and {len(called)} cards here are called"
        f" {device.label}: which of them {device.name} is, cannot be told."
    )


def _whole_or_instance(device: Device, shown: Shown) -> Match:
    """PyTorch may name the card of the one instance that it was given."""
    instances = shown.instances
    if not instances:
        return Match(shown)
    if len(instances) == 1:
        return Match(instances[0])
    why = f"{device.name} is one of the {len(instances)} instances of card {shown.number};"
    return Match(shown, f"{why} PyTorch does not say which.")
