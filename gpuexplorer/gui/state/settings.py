"""Settings: what a person chose and where things were left, from one start to the next."""

import json
from dataclasses import asdict, dataclass, fields, replace

from PySide6.QtCore import QObject, QSettings, Signal

from gpuexplorer.core.units import Units
from gpuexplorer.gui.paint.theme import Scheme


@dataclass(frozen=True, slots=True)
class Choices:
    """Everything in the settings dialog, with what holds until somebody chooses."""

    interval: float = 1.0
    scheme: Scheme = Scheme.SYSTEM
    read_only: bool = False  # nothing can be ended from this window
    decimal_memory: bool = False
    fahrenheit: bool = False

    @property
    def units(self) -> Units:
        return Units(self.decimal_memory, self.fahrenheit)


class Settings(QObject):
    """`choices` are what a dialog offers; `remember` is for layouts nobody chooses in words."""

    changed = Signal()

    def __init__(self, store: QSettings | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._choices = Choices()
        self._kept: dict[str, str] = {}
        if store is not None:
            self._choices = _read(store)

    @property
    def choices(self) -> Choices:
        return self._choices

    def choose(self, choices: Choices) -> None:
        if choices == self._choices:
            return
        self._choices = choices
        if self._store is not None:
            for name, value in asdict(choices).items():
                self._store.setValue(f"choices/{name}", json.dumps(value))
        self.changed.emit()

    def remembered(self, key: str) -> str | None:
        """The text that was remembered under this key, in this run or an earlier one."""
        if key in self._kept or self._store is None:
            return self._kept.get(key)
        text = self._store.value(f"layout/{key}")
        return text if isinstance(text, str) else None

    def remember(self, key: str, text: str) -> None:
        self._kept[key] = text
        if self._store is not None:
            self._store.setValue(f"layout/{key}", text)


def _read(store: QSettings) -> Choices:
    """What cannot be read stays as it is by default: an old or a broken file harms nobody."""
    found: dict[str, object] = {}
    for field in fields(Choices):
        text = store.value(f"choices/{field.name}")
        if isinstance(text, str):
            found[field.name] = json.loads(text)
    return replace(Choices(), **found)  # type: ignore[arg-type]  # checked where they are used
