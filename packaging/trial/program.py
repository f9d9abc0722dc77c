"""The program as somebody installed it: started with words, and held to what it should do."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bundle.sizes import Size
from trial.report import StepError
from trial.root import Done, Inside, Root

# The parts of a traceback, of the loader's and of Qt's last words: no person can use them.
_NO_SENTENCES = (
    "Traceback (most recent call last)",
    "error while loading shared libraries",
    "Failed to execute script",
    "could not load the Qt platform plugin",
    "Could not load the Qt platform plugin",
    "core dumped",
)
_SHOWN = 400  # letters of what it said


@dataclass(frozen=True)
class Program:
    """`path`: how it is called inside the root; `pictures`: where pictures of it go."""

    root: Root
    size: Size
    pictures: Path
    path: str = "gpuexplorer"

    def at(self, path: str) -> "Program":
        return replace(self, path=path)

    def run(self, *words: str, inside: "Inside | None" = None, status: int = 0) -> Done:
        """Raises StepError where it ends otherwise, breaks, or leaves processes."""
        return self.judged(
            self.root.run([self.path, *words], inside or Inside()), words, status
        )

    def judged(self, done: Done, words: "tuple[str, ...]", status: int = 0) -> Done:
        called = " ".join(("gpuexplorer", *words))
        said = done.said[-_SHOWN:] or "nothing"
        if any(each in done.said for each in _NO_SENTENCES):
            raise StepError(f"`{called}` broke. Its last words: {said}")
        if done.status != status:
            raise StepError(
                f"`{called}` ended with {done.status}, not {status}. It said: {said}"
            )
        if done.left:
            raise StepError(f"`{called}` left running: {done.left[:_SHOWN]}")
        return done

    # Any: whatever JSON holds; what is taken out of it is compared on the spot.
    def told(self, *words: str, inside: "Inside | None" = None) -> "Mapping[str, Any]":
        done = self.run(*words, inside=inside)
        return as_json(done.out, f"gpuexplorer {' '.join(words)}")

    def keep(self, name: str, png: bytes) -> str:
        """A picture, for somebody to look at; where it is."""
        self.pictures.mkdir(parents=True, exist_ok=True)
        path = self.pictures / f"{name}.png"
        path.write_bytes(png)
        return str(path)


def as_json(text: str, whose: str) -> "Mapping[str, Any]":
    try:
        told = json.loads(text)
    except ValueError:
        raise StepError(f"What `{whose}` told is no JSON: {text[:200]!r}") from None
    if not isinstance(told, dict):
        raise StepError(f"What `{whose}` told is JSON, but holds nothing by name.")
    return told


def expect(holds: object, otherwise: str) -> None:
    """Raises StepError with the sentence that says what was seen instead."""
    if not holds:
        raise StepError(otherwise)
