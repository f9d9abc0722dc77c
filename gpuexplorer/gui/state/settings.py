"""Settings: what a person chose and where things were left, from one start to the next; and how
that is written down, and looked at before it holds.
"""

import contextlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import platformdirs
from PySide6.QtCore import QObject, QSettings, Signal

from gpuexplorer.core.records import UNREADABLE, reader
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.choices import OFFERS, Choices, Offer
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.telemetry.alerts import Rule

MOST_RULES, _LONGEST_NAME = 50, 100
_FLAGS = {"true": True, "false": False}
_TROUBLES = {
    QSettings.Status.AccessError: mark(
        "The settings cannot be saved to {file}; what you choose lasts until the program is "
        "closed."
    ),
    QSettings.Status.FormatError: mark(
        "Some lines of {file} could not be read. The defaults are used in their place, and the "
        "file as it was is kept as {kept}."
    ),
}


def open_store(path: Path | None = None) -> QSettings:
    """The file in the person's own folder for such things, or another one. Never raises: what
    cannot be read or written is said by `Settings.trouble`.
    """
    if path is None:
        path = platformdirs.user_config_path("gpuexplorer", appauthor=False) / "settings.ini"
    store = QSettings(str(path), QSettings.Format.IniFormat)
    store.allKeys()  # Qt reads no line before it is asked
    if store.status() is QSettings.Status.FormatError:
        # Writing would lose the lines that somebody may want to mend.
        with contextlib.suppress(OSError):
            shutil.copyfile(path, f"{path}.broken")
    return store


class Settings(QObject):
    """`choices` are what a dialog offers; `remember` is for layouts nobody chooses in words.

    Without a store they hold for this run only, and also where the store cannot be written.
    """

    changed = Signal()
    trouble_changed = Signal()

    def __init__(
        self,
        store: QSettings | None = None,
        parent: QObject | None = None,
        read_only_because: str = "",
    ) -> None:
        """`read_only_because`: why nothing can be ended in this run, whatever was chosen."""
        super().__init__(parent)
        self.read_only_because = read_only_because
        self.trouble = ""  # where the file cannot be read or written
        self._store = store
        self._chosen, self._strange = Choices(), list[str]()
        # What holds for this run, and is not written down.
        self._held: dict[str, Any] = {"read_only": True} if read_only_because else {}
        self._kept: dict[str, object] = {}  # without a store
        if store is not None:
            kept = {each.name: store.value(f"choices/{each.name}") for each in fields(Choices)}
            self._chosen, self._strange = understood(kept)
            self._look_for_trouble(store)
        self.choices = replace(self._chosen, **self._held)  # what holds now

    def choose(self, choices: Choices) -> None:
        if choices.scheme is not self.choices.scheme:
            self._held.pop("scheme", None)
        kept = {name: getattr(self._chosen, name) for name in self._held}
        before, self._chosen = self._chosen, replace(choices, **kept)
        if self._store is not None and self._chosen != before:
            # What did not change is left alone: a newer version may have said it better.
            for name in (each.name for each in fields(Choices)):
                if (choice := getattr(self._chosen, name)) != getattr(before, name):
                    self._store.setValue(f"choices/{name}", written(choice))
            self.flush()
        self._tell()

    def hold_scheme(self, scheme: Scheme) -> None:
        """For this run, until another is chosen; nothing is written down."""
        self._held["scheme"] = scheme
        self._tell()

    def remembered(self, key: str) -> str | None:
        """The text that was remembered under this key, in this run or an earlier one."""
        store = self._store
        text = self._kept.get(key) if store is None else store.value(f"layout/{key}")
        return text if isinstance(text, str) else None

    def remember(self, key: str, text: str) -> None:
        """Written when the program comes to rest: a splitter that is dragged costs nothing."""
        if self._store is None:
            self._kept[key] = text
        else:
            self._store.setValue(f"layout/{key}", text)

    def flush(self) -> None:
        """Write now. Whether that failed is said by `trouble`."""
        if self._store is not None:
            self._store.sync()
            self._look_for_trouble(self._store)

    def _tell(self) -> None:
        before, self.choices = self.choices, replace(self._chosen, **self._held)
        if self.choices != before:
            self.changed.emit()

    def _look_for_trouble(self, store: QSettings) -> None:
        strange = mark(
            "Some values in {file} could not be read, and the defaults are used in their "
            "place: {names}."
        )
        words = _TROUBLES.get(store.status(), strange if self._strange else "")
        file, names = store.fileName(), ", ".join(self._strange)
        kept = f"{Path(file).name}.broken"
        before, self.trouble = self.trouble, tr(words, file=file, kept=kept, names=names)
        if self.trouble != before:
            self.trouble_changed.emit()


def written(choice: object) -> object:
    """As QSettings takes it; the rules are JSON."""
    if isinstance(choice, tuple):
        return json.dumps([asdict(rule) for rule in choice], default=sorted)
    return choice


def understood(kept: Mapping[str, object]) -> tuple[Choices, list[str]]:
    """The choices, and the names of those that stay as they are by default because what stands
    there is broken, foreign or of a newer version.
    """
    found: dict[str, Any] = {}
    strange = []
    for field in fields(Choices):
        text = kept.get(field.name)
        try:
            if text is not None:
                found[field.name] = _read(str(text), field.default, OFFERS.get(field.name))
        except UNREADABLE:
            strange.append(field.name)
    return replace(Choices(), **found).settled(), strange


def _read(text: str, usual: object, offer: Offer | None) -> object:
    """Something of the default's type that may be chosen; raises where there is none."""
    match usual:
        case bool():
            return _FLAGS[text.lower()]
        case float() if offer is not None:
            number = float(text)
            if number == usual or offer.least <= number <= offer.most:
                return number
        case str() if len(text) <= _LONGEST_NAME:
            return type(usual)(text.strip('"'))  # earlier versions wrote the quotes
        case tuple() if isinstance(rules := json.loads(text), list):
            return tuple(dict.fromkeys(filter(None, map(_rule, rules[:MOST_RULES]))))
    raise ValueError(text)


def _rule(kept: object) -> Rule | None:
    """None for one of a newer version that means nothing here; the others hold."""
    with contextlib.suppress(*UNREADABLE):
        rule: Rule = reader(Rule)(kept)
        return rule if rule.possible else None
    return None
