"""DiagnosticsSheet: what the program itself costs, live, with a way to copy it."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.event_loop import FrameClock
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, label, row
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet

_FRAME = mark("{median:.1f} ms, 99 % within {p99:.1f} ms, longest {longest:.1f} ms")


class DiagnosticsSheet(Sheet):
    """The heart beats as long as it is open."""

    def __init__(self, diagnostics: Diagnostics, clock: FrameClock, window: QWidget) -> None:
        super().__init__(tr("Diagnostics"), window, 600)
        self._diagnostics = diagnostics
        letters = look().letters.body
        self._named, self._told = label("", letters, Tone.QUIET), label("", letters)
        self.body.addLayout(row(self._named, self._told, GROWS, gap=24))
        self.add_sentence(
            tr(
                "A frame is one painting of the window, including collecting the new readings. "
                "While this is open the event loop is asked 50 times a second whether it "
                "answers."
            ),
            Tone.FAINT,
        )
        self.add_button(tr("Copy"), ROLE.ActionRole).clicked.connect(self._on_copy_clicked)
        self.add_close()
        if not diagnostics.heartbeat.isActive():
            self.finished.connect(diagnostics.heartbeat.stop)
        diagnostics.heartbeat.start()
        self._on_ticked()
        clock.ticked.connect(self._on_ticked)

    def _on_ticked(self) -> None:
        lines = cost_lines(self._diagnostics.figures())
        self._named.setText("\n".join(lines))
        self._told.setText("\n".join(lines.values()))
        said = [tr("{what}: {value}", what=what, value=it) for what, it in lines.items()]
        self._told.setAccessibleName("\n".join(said))

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._told.accessibleName())


def cost_lines(told: Mapping[str, Any]) -> Mapping[str, str]:
    """What each is, and what it is; the same figures as in the file."""
    frames, beats, resident = told["frames"], told["beats"], told["resident_bytes"]
    wait, first = told["event_loop"]["longest_wait_ms"], told["first_reading_seconds"]
    source, used, seconds = told["source"], told["cpu_seconds"], told["seconds"]
    if told["simulated"] and isinstance(source, Message):
        source = Message("SIMULATED: {title}", title=source.values.get("cards", source))
    screen, size = told["screen"] or tr("none"), " x ".join(map(str, told["window"]))
    place = mark("{screen}, {size} at {scale:.0f} %")
    system, drawn = " ".join(str(told["platform"]).split("-")[:2]), told["window_system"]
    taken = mark("{taken} taken, {missed} missed, one every {interval_seconds:g} s")
    versions = "GPU Explorer {gpuexplorer}, Python {python}, Qt {qt}".format_map(told)
    part = mark("{used:.1f} s, {share:.1f} % of a core")
    cards = tr("none are read") if source is None else tr(source)
    return {
        tr("Running for"): f"{seconds:.0f} s",
        tr("From the start to the first reading"): _known("{it:.2f} s", it=first),
        tr("Frames drawn"): str(frames["drawn"]),
        tr("A frame, on the processor"): _known(_FRAME, **frames["cpu_ms"]),
        tr("A frame, by the clock"): _known(_FRAME, **frames["wall_ms"]),
        tr("Longest wait of the event loop"): _known("{it:.1f} ms", it=wait),
        tr("Readings"): tr(taken, **beats) if beats else tr("none: no card is read"),
        tr("Processor time"): tr(part, used=used, share=100 * used / seconds),
        tr("Memory now"): str(memory(resident["now"])),
        tr("Memory at the start"): str(memory(resident["start"])),
        tr("Screen"): tr(place, screen=screen, size=size, scale=told["scale"] * 100),
        tr("Versions"): versions,
        tr("System"): tr("{system}, drawn through {it}", system=system, it=drawn),
        tr("Cards"): cards,
    }


def _known(form: str, **values: float | None) -> str:
    return tr("not measured yet") if None in values.values() else tr(form, **values)
