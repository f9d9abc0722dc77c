"""What a person calls a card, and what PyTorch's own code is told in its place.

A tensor on cuda:1 is "lazy:1" to PyTorch's own code: a kind of device that every build knows,
that needs no driver and holds no tensors of anybody else. So autograd, `.to` and `.data =`
tell cards and the host apart by themselves. Python is told "cuda:1".
"""

import functools
import re
import weakref
from typing import Any

import torch

from gpuexplorer.worker.engines.virtual.errors import no_such_card
from gpuexplorer.worker.engines.virtual.holdings import in_force

KIND = "lazy"
CPU = torch.device("cpu")
Device = torch.device  # PyTorch's own; another answers by its name meanwhile
# An operation that PyTorch has only for kinds of tensors that are not on simulated cards.
_MISSING = re.compile(r"Could not run 'aten::([\w.]+)' with arguments from the '")
_TOLD = re.compile(rf"\b{KIND}(?=:\d|')|(?<=torch\.){KIND}(?=\.)|(?<=type: ){KIND}\b")
_generators: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()


@functools.cache
def native(card: int) -> torch.device:
    return Device(KIND, card)


# Any throughout: a device is a number, a text or a torch.device, as in PyTorch.
def meant(device: Any) -> Any:
    """What names a card, as the device with its number; all else as it is. Raises what PyTorch
    raises where there is no such card.
    """
    kind = type(device)
    if kind is int:
        device = Device("cuda", device)
    elif kind is str and device.startswith(("cuda", KIND)):
        device = Device(device)
    if not isinstance(device, Device):
        return device
    if device.type == KIND:
        return Device("cuda", device.index or 0)
    if device.type != "cuda":
        return device
    cards = in_force().cards
    index = cards.current if device.index is None else device.index
    if index >= len(cards):
        raise no_such_card()
    return Device("cuda", index)


def for_pytorch(device: Any) -> Any:
    """The same device, as PyTorch's own code shall know it."""
    found = meant(device)
    if isinstance(found, Device) and found.type == "cuda":
        return native(found.index)
    return device


def number_of(device: Any) -> int:
    """Of a card; without a device, of the current one."""
    found = meant("cuda" if device is None else device)
    if isinstance(found, str):
        found = Device(found)
    if found.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {found}")
    return int(found.index)


def remember_generator(generator: Any, device: Any) -> None:
    _generators[generator._cdata] = generator
    generator.told = Device(device)


def device_of_generator(generator: Any) -> torch.device:
    """On its way through PyTorch's own code it may have become another object."""
    known = _generators.get(generator._cdata)
    return CPU if known is None else known.told


def put_right(text: str) -> str:
    """PyTorch's own words, with the devices a person knows."""
    return _TOLD.sub("cuda", text) if KIND in text else text


def say_right(error: BaseException) -> None:
    """In place: whoever catches it reads the devices that a person knows."""
    error.args = tuple(
        put_right(each) if isinstance(each, str) else each for each in error.args
    )
    missing = _MISSING.match(str(error))
    if missing is not None:
        error.args = (f"Simulated cards do not offer {missing[1]}.",)
