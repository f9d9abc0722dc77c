"""Errors about devices: operands that lie apart, cards that are not there."""

import re
from itertools import pairwise

from gpuexplorer.core.words import Message, listed
from gpuexplorer.gui.wording.lab.meaning.about_failure import NOTHING_CHANGED, AboutFailure

_DEVICE = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps|meta)\b")
_NUMBER = re.compile(r"(?:cuda[:(]|\bgpu\(|device=|\.to\()(\d+)")


def devices_meaning(about: AboutFailure) -> list[Message]:
    """Where each operand lies, and why that does not work."""
    lying = {name: each.device for name, each in about.used.items() if each.device}
    where = [
        Message("{name} lies on {device}.", name=name, device=device)
        for name, device in lying.items()
    ]
    known = set(lying.values())
    strangers = [each for each in _DEVICE.findall(about.message) if each not in known]
    where += [
        Message("What the line makes itself lies on {device}.", device=device)
        for device in dict.fromkeys(strangers)
    ]
    models = [name for name, each in about.used.items() if each.kind == "model"]
    why = Message(
        "{operation} runs on one device, and PyTorch will not choose for you: moving data "
        "costs time, so it wants to be asked.",
        operation=about.operation,
    )
    if models and about.operation in models:
        why = Message(
            "{model} computes where its parameters are, and what it is given has to be there "
            "too. PyTorch does not move it for you.",
            model=models[0],
        )
    return [*where, why, NOTHING_CHANGED]


def places_meaning(about: AboutFailure) -> list[Message]:
    message = about.message
    if "invalid device ordinal" in message:
        return _no_such_card(about)
    if "not compiled with CUDA" in message:
        return [
            Message(
                "The PyTorch of the lab is a build for the processor only: it cannot reach any "
                "card. A build with CUDA can be chosen as the Python of the lab."
            )
        ]
    if "No CUDA GPUs are available" in message or "no NVIDIA driver" in message:
        return [Message("PyTorch could reach CUDA, but finds no card that it may use.")]
    if "peer access" in message:
        return [Message("These two cards cannot read each other's memory directly.")]
    return []


def _no_such_card(about: AboutFailure) -> list[Message]:
    asked = _asked(about)
    said = Message("There is no card of that number.")
    if asked:
        said = Message("There is no {device}.", device=asked)
    falling_back = Message(
        "Cards are counted from 0. With try_gpu the line would fall back to the host where a "
        "card is missing."
    )
    return [said, _there(about), falling_back]


def _there(about: AboutFailure) -> Message:
    cards = [each.name for each in about.ledger.devices if each.name.startswith("cuda:")]
    numbers = [int(each.partition(":")[2]) for each in cards]
    if not cards:
        return Message("PyTorch has no card here.")
    if len(cards) > 2 and all(after - each == 1 for each, after in pairwise(numbers)):
        return Message("PyTorch has {first} to {last} here.", first=cards[0], last=cards[-1])
    return Message("PyTorch has {cards} here.", cards=listed(cards))


def _asked(about: AboutFailure) -> str:
    have = {each.name for each in about.ledger.devices}
    found = [f"cuda:{each}" for each in _NUMBER.findall(about.code)]
    return next((each for each in found if each not in have), "")
