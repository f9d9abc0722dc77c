"""Recipes: which of the lines that were carried out rebuild a name, bit for bit."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gpuexplorer.lab.effects import Effects


@dataclass(frozen=True)
class Step:
    """One line that was carried out."""

    effects: Effects
    drew: bool  # random numbers
    models: "frozenset[str]" = frozenset()  # the names that stood for models


@dataclass
class _Reading:
    """What a step works on: names, each with the step that made it stand for what it does."""

    made: "set[tuple[str, int]]" = field(default_factory=set)
    used: "set[tuple[str, int]]" = field(default_factory=set)
    changed: "set[tuple[str, int]]" = field(default_factory=set)


class Recipes:
    """Errs to the side of too many lines: a view or a graph may hold what it was made from."""

    def __init__(self, steps: "Sequence[Step]") -> None:
        self._steps = steps
        self._readings: list[_Reading] = []
        self._holds: dict[tuple[str, int], set[tuple[str, int]]] = {}
        self.current: dict[str, int] = {}
        for number, step in enumerate(steps):
            self._readings.append(self._read(number, step))

    def of(self, name: str, made_by: "int | None" = None) -> "list[int]":
        """The numbers of the steps, in their order. `made_by`: for an earlier meaning."""
        number = self.current[name] if made_by is None else made_by
        return self._closed({(name, number)}, len(self._steps))

    def touching(self, name: str, made_by: int) -> "list[int]":
        """The steps that may have changed it in place."""
        held = self._holds[name, made_by]
        return [
            number
            for number, reading in enumerate(self._readings)
            if any(self._holds[each] & held for each in reading.changed) and number > made_by
        ]

    def needs_first_seed(self, chosen: "Sequence[int]") -> bool:
        """Whether its random numbers begin where the worker began."""
        drawing = [number for number in chosen if self._draws(number)]
        return bool(drawing) and self._seed_before(drawing[0]) < 0

    def _read(self, number: int, step: Step) -> _Reading:
        known, effects = self.current, step.effects
        touched = effects.touched(step.models)
        used = {(name, known[name]) for name in effects.uses if name in known}
        changed = {(name, known[name]) for name in touched if name in known}
        made = {(name, number) for name in effects.makes}
        for version in made:
            self._holds[version] = {version}.union(*(self._holds[each] for each in used))
        for name, _ in made:
            known[name] = number
        for name in effects.deletes:
            known.pop(name, None)
        return _Reading(made, used, changed)

    def _closed(self, needed: "set[tuple[str, int]]", end: int) -> "list[int]":
        chosen: set[int] = set()
        while True:
            before = len(chosen)
            for number in reversed(range(end)):
                if number not in chosen and self._matters(number, needed):
                    chosen.add(number)
                if number in chosen:
                    needed |= self._readings[number].used
            for number in sorted(chosen):
                if self._draws(number):
                    chosen |= self._drawn_before(number)
            if len(chosen) == before:
                return sorted(chosen)

    def _matters(self, number: int, needed: "set[tuple[str, int]]") -> bool:
        reading = self._readings[number]
        if reading.made & needed or self._steps[number].effects.lasts:
            return True
        held = set().union(*(self._holds[each] for each in reading.changed))
        # What did not exist yet cannot be changed, only be made from what was.
        return any(self._holds[each] & held for each in needed if each[1] < number)

    def _drawn_before(self, number: int) -> "set[int]":
        begin = self._seed_before(number)
        drawn = {each for each in range(begin + 1, number) if self._draws(each)}
        return drawn | ({begin} if begin >= 0 else set())

    def _draws(self, number: int) -> bool:
        """A new seed changes the generators as well, and draws nothing from them."""
        return self._steps[number].drew and not self._steps[number].effects.seeds

    def _seed_before(self, number: int) -> int:
        seeds = (each for each in range(number) if self._steps[each].effects.seeds)
        return max(seeds, default=-1)
