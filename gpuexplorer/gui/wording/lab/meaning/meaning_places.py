"""Errors about devices: operands that lie apart, cards that are not there."""

import re
from itertools import pairwise

from gpuexplorer.gui.wording.lab.amounts import listed
from gpuexplorer.gui.wording.lab.meaning.about_failure import NOTHING_CHANGED, AboutFailure

_DEVICE = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps|meta)\b")
_NUMBER = re.compile(r"(?:cuda[:(]|\bgpu\(|device=|\.to\()(\d+)")


def devices_meaning(about: AboutFailure) -> str:
    """ "X lies on cuda:0, Y on cuda:1. A sum runs on one device …"."""
    lying = {name: each.device for name, each in about.used.items() if each.device}
    parts = [f"{name} on {device}" for name, device in lying.items()]
    known = set(lying.values())
    strangers = [each for each in _DEVICE.findall(about.message) if each not in known]
    parts += [f"what the line makes itself on {each}" for each in dict.fromkeys(strangers)]
    where = ""
    if parts:
        first, _, rest = parts[0].rpartition(" on ")
        where = f"{first} lies on {rest}"
        where = ", ".join((where, *parts[1:])) + ". "
    models = [name for name, each in about.used.items() if each.kind == "model"]
    if models and about.operation in models:
        why = (
            f"{models[0]} computes where its parameters are, and what it is given has to be "
            "there too. PyTorch does not move it for you."
        )
    else:
        why = (
            f"{about.operation} runs on one device, and PyTorch will not choose for you: "
            "moving data costs time, so it wants to be asked."
        )
    if not lying:
        where = f"{where[:1].upper()}{where[1:]}"
    return f"{where}{why} {NOTHING_CHANGED}"


def places_meaning(about: AboutFailure) -> str:
    message = about.message
    if "invalid device ordinal" in message:
        return _no_such_card(about)
    if "not compiled with CUDA" in message:
        return (
            "The PyTorch of the lab is a build for the processor only: it cannot reach any "
            "card. A build with CUDA can be chosen as the Python of the lab."
        )
    if "No CUDA GPUs are available" in message or "no NVIDIA driver" in message.lower():
        return "PyTorch could reach CUDA, but finds no card that it may use."
    if "peer access" in message:
        return "These two cards cannot read each other's memory directly."
    return ""


def _no_such_card(about: AboutFailure) -> str:
    cards = [each.name for each in about.ledger.devices if each.name.startswith("cuda:")]
    asked = _asked(about)
    numbers = [int(each.partition(":")[2]) for each in cards]
    if len(cards) > 2 and all(after - each == 1 for each, after in pairwise(numbers)):
        there = f"cuda:{numbers[0]} to cuda:{numbers[-1]}"
    else:
        there = listed(cards) if cards else "none"
    said = f"There is no {asked}" if asked else "There is no card of that number"
    return (
        f"{said}: PyTorch has {there} here. Cards are counted from 0. With try_gpu the line "
        "would fall back to the host where a card is missing."
    )


def _asked(about: AboutFailure) -> str:
    have = {each.name for each in about.ledger.devices}
    found = [f"cuda:{each}" for each in _NUMBER.findall(about.code)]
    return next((each for each in found if each not in have), "")
