"""Saving and loading: parameters and tensors only, and never a pickle that runs code."""

import contextlib
import os
import pickle
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch.utils._pytree import tree_leaves

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark

_SAVEABLE = mark(
    "Save tensors, or a model's state_dict(): torch.save(net.state_dict(), 'net.pt')"
)


# Any throughout: what is saved is PyTorch's.
def save(thing: Any, path: object) -> None:
    """Either the whole file is there afterwards, or what was there before."""
    target = _path(path)
    if any(_is_program(each) for each in tree_leaves(thing)):
        raise Trouble("The lab saves parameters, not whole programs.", _SAVEABLE)
    part = target.with_name(f"{target.name}.part-{os.getpid()}")
    failure: OSError | None = None
    try:
        whole = target.is_file() or not target.exists()
        written = part if whole else target  # a device, /dev/null say, is written to as it is
        with written.open("wb") as file:
            watched = _Watched(file)
            try:
                torch.save(thing, watched)
            except RuntimeError:
                if watched.failure is None:
                    raise
                failure = watched.failure
        if failure is None and whole:
            part.replace(target)
    except OSError as error:
        failure = error
    finally:
        with contextlib.suppress(OSError):  # it was never made
            part.unlink()
    if failure is not None:
        raise Trouble(
            "{file} could not be written: {why}.",
            "Choose another place; what was there before is unchanged.",
            file=str(target),
            why=failure.strerror,
        )


def load(path: object, map_location: Any = None, weights_only: bool = True) -> Any:
    """What torch.load gives for a file of tensors; anything else is refused in a sentence."""
    source = _path(path)
    if not weights_only:
        raise Trouble(
            "The lab loads weights only: a file loaded otherwise may run any program.",
            "Leave weights_only=False out.",
        )
    try:
        return torch.load(source, map_location=map_location, weights_only=True)
    except OSError as error:
        raise Trouble(
            "{file} cannot be read: {why}.", file=str(source), why=error.strerror
        ) from None
    except pickle.UnpicklingError as error:
        if "GLOBAL" in str(error):
            named = str(error).partition("GLOBAL ")[2].split(" ")[0].rstrip(".,")
            raise Trouble(
                "{file} wants to run code ({named}) when it is opened, and was refused.",
                "Only files of tensors are loaded.",
                file=str(source),
                named=named,
            ) from None
        raise _no_weights(source) from None
    except (EOFError, KeyError, ValueError, IndexError, AttributeError, TypeError):
        raise _no_weights(source) from None
    except RuntimeError as error:
        if "zip archive" in str(error) or "central directory" in str(error):
            raise _no_weights(source) from None
        raise


def _is_program(thing: Any) -> bool:
    return isinstance(thing, torch.nn.Module) or hasattr(thing, "param_groups")


class _Watched:
    """A file that remembers why it could not be written: PyTorch forgets."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.failure: OSError | None = None

    def write(self, content: Any) -> int:
        try:
            return self._file.write(content)
        except OSError as error:
            self.failure = error
            raise

    def flush(self) -> None:
        self._file.flush()


def _path(path: object) -> Path:
    if not isinstance(path, str) or not path or "\0" in path:
        raise Trouble("A file is named by a text.", "Such as: 'net.pt'")
    try:
        found = Path(path).expanduser()
    except RuntimeError:
        raise Trouble(
            "There is nobody here whose folder {path} could be in.", path=path
        ) from None
    if not found.name:
        raise Trouble("{path} is a folder.", "Such as: 'net.pt'", path=path)
    return found


def _no_weights(source: Path) -> Trouble:
    return Trouble(
        "{file} is no file of tensors that torch.save made.", _SAVEABLE, file=str(source)
    )
