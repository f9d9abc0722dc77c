"""Settings: what a person chose and where things were left, from one start to the next."""

import contextlib
import shutil
from dataclasses import fields, replace
from pathlib import Path

import platformdirs
from PySide6.QtCore import QObject, QSettings, Signal

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.choices import Choices
from gpuexplorer.gui.state.stored_choices import understood, written
from gpuexplorer.gui.theme.palette import Scheme

__all__ = ["Choices", "Settings", "open_store"]


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
        """`read_only_because`: the sentence that says why nothing can be ended in this run,
        whatever was chosen.
        """
        super().__init__(parent)
        self._store = store
        self._read_only_because = read_only_because
        self._chosen = Choices()
        self._held_scheme: Scheme | None = None
        self._kept: dict[str, str] = {}
        self._trouble = ""
        self._strange: list[str] = []
        if store is not None:
            kept = {each.name: store.value(f"choices/{each.name}") for each in fields(Choices)}
            self._chosen, self._strange = understood(kept)
            self._look_for_trouble()
        self._choices = self._in_force()

    @property
    def choices(self) -> Choices:
        """What holds now."""
        return self._choices

    @property
    def read_only_because(self) -> str:
        """Why nothing can be ended whatever is chosen; empty where the choice holds."""
        return self._read_only_because

    @property
    def trouble(self) -> str:
        """One sentence where the file cannot be read or written; empty where all is well."""
        return self._trouble

    def choose(self, choices: Choices) -> None:
        if self._read_only_because:
            choices = replace(choices, read_only=self._chosen.read_only)
        if choices.scheme is self._held_scheme:
            choices = replace(choices, scheme=self._chosen.scheme)
        else:
            self._held_scheme = None
        before, self._chosen = self._chosen, choices
        if self._store is not None and choices != before:
            # What did not change is left alone: a newer version may have said it better.
            for name in (each.name for each in fields(Choices)):
                if (choice := getattr(choices, name)) != getattr(before, name):
                    self._store.setValue(f"choices/{name}", written(choice))
            self.flush()
        self._tell()

    def hold_scheme(self, scheme: Scheme) -> None:
        """For this run, until another is chosen; nothing is written down."""
        self._held_scheme = scheme
        self._tell()

    def remembered(self, key: str) -> str | None:
        """The text that was remembered under this key, in this run or an earlier one."""
        if key in self._kept or self._store is None:
            return self._kept.get(key)
        text = self._store.value(f"layout/{key}")
        return text if isinstance(text, str) else None

    def remember(self, key: str, text: str) -> None:
        """Written when the program comes to rest: a splitter that is dragged costs nothing."""
        self._kept[key] = text
        if self._store is not None:
            self._store.setValue(f"layout/{key}", text)

    def flush(self) -> None:
        """Write now. Whether that failed is said by `trouble`."""
        if self._store is not None:
            self._store.sync()
            self._look_for_trouble()

    def _tell(self) -> None:
        before, self._choices = self._choices, self._in_force()
        if self._choices != before:
            self.changed.emit()

    def _in_force(self) -> Choices:
        choices = self._chosen
        if self._read_only_because:
            choices = replace(choices, read_only=True)
        if self._held_scheme is not None:
            choices = replace(choices, scheme=self._held_scheme)
        return choices

    def _look_for_trouble(self) -> None:
        if self._store is None:
            return
        name = self._store.fileName()
        match self._store.status():
            case QSettings.Status.AccessError:
                trouble = tr(
                    "The settings cannot be saved to {file}; what you choose lasts until the "
                    "program is closed.",
                    file=name,
                )
            case QSettings.Status.FormatError:
                trouble = tr(
                    "Some lines of {file} could not be read. The defaults are used in their "
                    "place, and the file as it was is kept as {kept}.",
                    file=name,
                    kept=f"{Path(name).name}.broken",
                )
            case _ if self._strange:
                trouble = tr(
                    "Some values in {file} could not be read, and the defaults are used in "
                    "their place: {names}.",
                    file=name,
                    names=", ".join(self._strange),
                )
            case _:
                trouble = ""
        if trouble != self._trouble:
            self._trouble = trouble
            self.trouble_changed.emit()
