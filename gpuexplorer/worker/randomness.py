"""Randomness: the state of all generators that a cell draws from, as one text.

PyTorch's for the host and for each card, Python's own, and numpy's where it is installed.
"""

import ctypes
import random
import struct
import sys
from base64 import b64decode, b64encode
from typing import Any

import torch

_PYTHON = struct.Struct("<I625I?d")  # version, the twister with its place, and a spare number
_NUMPY = struct.Struct("<i?d")  # after the twister: its place, and a spare number


def state() -> str:
    """Equal texts: nothing was drawn between them. Makes no context on a card."""
    found = {"torch": _read(torch.default_generator)}
    if torch.cuda.is_initialized():
        for index, generator in enumerate(torch.cuda.default_generators):
            found[f"cuda:{index}"] = _read(generator)
    version, twister, spare = random.getstate()
    found["random"] = _PYTHON.pack(version, *twister, spare is not None, spare or 0.0)
    numpy = _numpy()
    if numpy is not None:
        kind, numbers, place, has_spare, spare = numpy.random.get_state(legacy=True)
        if kind == "MT19937":
            found["numpy"] = numbers.tobytes() + _NUMPY.pack(place, has_spare, spare)
    return " ".join(f"{name}={b64encode(each).decode()}" for name, each in found.items())


def set_state(text: str) -> None:
    """As `state` said it. A generator that the text does not name stays as it is."""
    for each in text.split():
        name, _, letters = each.partition("=")
        saved = b64decode(letters)
        if name == "torch":
            _write(torch.default_generator, saved)
        elif name == "random":
            version, *twister, has_spare, spare = _PYTHON.unpack(saved)
            random.setstate((version, tuple(twister), spare if has_spare else None))
        elif name == "numpy":
            numpy = _numpy()
            if numpy is not None:
                split = len(saved) - _NUMPY.size
                numbers = numpy.frombuffer(saved[:split], dtype=numpy.uint32)
                numpy.random.set_state(("MT19937", numbers, *_NUMPY.unpack(saved[split:])))
        elif int(name.removeprefix("cuda:")) < torch.cuda.device_count():
            _set_card(int(name.removeprefix("cuda:")), saved)


def seed(number: int) -> None:
    """All generators begin anew; cards that are not used yet will begin so."""
    torch.manual_seed(number)
    random.seed(number)
    numpy = _numpy()
    if numpy is not None:
        numpy.random.seed(number % (1 << 32))


def _set_card(index: int, saved: bytes) -> None:
    if torch.cuda.is_initialized():
        _write(torch.cuda.default_generators[index], saved)
    else:  # kept by PyTorch until something uses a card
        whole = torch.empty(len(saved), dtype=torch.uint8, device="cpu")
        ctypes.memmove(whole.data_ptr(), saved, len(saved))
        torch.cuda.set_rng_state(whole, index)


def _read(generator: torch.Generator) -> bytes:
    """Not through numpy, without which PyTorch works."""
    whole = generator.get_state()
    return ctypes.string_at(whole.data_ptr(), whole.numel())


def _write(generator: torch.Generator, saved: bytes) -> None:
    """Makes no tensor of its own, which a default device would send to a card."""
    whole = generator.get_state()
    if len(saved) != whole.numel():
        raise ValueError("This is the state of another PyTorch's generator.")
    ctypes.memmove(whole.data_ptr(), saved, len(saved))
    generator.set_state(whole)


# Any: numpy, which need not be there.
def _numpy() -> Any:
    """PyTorch loads it where it is installed. Its generators load with the first question."""
    return sys.modules.get("numpy")
