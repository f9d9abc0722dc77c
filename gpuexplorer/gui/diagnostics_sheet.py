"""DiagnosticsSheet: what the program itself costs, live, with a way to copy it."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFormLayout, QWidget

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.event_loop import FrameClock
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import label
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet

_FRAME = mark("{median:.1f} ms, 99 % within {p99:.1f} ms, longest {longest:.1f} ms")


class DiagnosticsSheet(Sheet):
    """The heart beats as long as it is open."""

    def __init__(self, diagnostics: Diagnostics, clock: FrameClock, window: QWidget) -> None:
        super().__init__(tr("Diagnostics"), window, 600)
        self._diagnostics, self._clock = diagnostics, clock
        self._beats_for_us = not diagnostics.heartbeat.isActive()
        form, body = QFormLayout(), look().letters.body
        form.setHorizontalSpacing(24)
        self._figures = [label("", body) for _ in cost_lines(diagnostics.figures())]
        for shown, (what, _) in zip(
            self._figures, cost_lines(diagnostics.figures()), strict=True
        ):
            form.addRow(label(what, body, Tone.QUIET), shown)
        self.body.addLayout(form)
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
        diagnostics.heartbeat.start()
        self._on_ticked()
        clock.ticked.connect(self._on_ticked)
        self.finished.connect(self._on_finished)

    def _on_ticked(self) -> None:
        lines = cost_lines(self._diagnostics.figures())
        for shown, (what, figure) in zip(self._figures, lines, strict=True):
            shown.setText(figure)
            shown.setAccessibleName(tr("{what}: {value}", what=what, value=figure))

    def _on_copy_clicked(self) -> None:
        lines = [f"{each.accessibleName()}\n" for each in self._figures]
        QGuiApplication.clipboard().setText("".join(lines))

    def _on_finished(self) -> None:
        self._clock.ticked.disconnect(self._on_ticked)
        if self._beats_for_us:
            self._diagnostics.heartbeat.stop()


def cost_lines(told: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """What each is, and what it is; the same figures as in the file."""

    def known(form: str, **values: Any) -> str:  # as in the file
        return tr("not measured yet") if None in values.values() else tr(form, **values)

    beats, resident, source = told["beats"], told["resident_bytes"], told["source"]
    wait, used = told["event_loop"]["longest_wait_ms"], told["cpu_seconds"]
    share, size = 100 * used / told["seconds"], " x ".join(map(str, told["window"]))
    screen, scale = told["screen"] or tr("none"), told["scale"] * 100
    system = " ".join(str(told["platform"]).split("-")[:2])
    taken = mark("{taken} taken, {missed} missed, one every {interval_seconds:g} s")
    place, through = mark("{screen}, {size} at {scale:.0f} %"), told["window_system"]
    if told["simulated"] and isinstance(source, Message):
        source = Message("SIMULATED: {title}", title=source.values.get("cards", source))
    rows = (
        (mark("Running for"), f"{told['seconds']:.0f} s"),
        (
            mark("From the start to the first reading"),
            known(mark("{seconds:.2f} s"), seconds=told["first_reading_seconds"]),
        ),
        (mark("Frames drawn"), str(told["frames"]["drawn"])),
        (mark("A frame, on the processor"), known(_FRAME, **told["frames"]["cpu_ms"])),
        (mark("A frame, by the clock"), known(_FRAME, **told["frames"]["wall_ms"])),
        (mark("Longest wait of the event loop"), known(mark("{wait:.1f} ms"), wait=wait)),
        (mark("Readings"), tr(taken, **beats) if beats else tr("none: no card is read")),
        (
            mark("Processor time"),
            tr("{used:.1f} s, {share:.1f} % of a core", used=used, share=share),
        ),
        (mark("Memory now"), str(memory(resident["now"]))),
        (mark("Memory at the start"), str(memory(resident["start"]))),
        (mark("Screen"), tr(place, screen=screen, size=size, scale=scale)),
        (
            mark("Versions"),
            "GPU Explorer {gpuexplorer}, Python {python}, Qt {qt}".format_map(told),
        ),
        (
            mark("System"),
            tr("{system}, drawn through {through}", system=system, through=through),
        ),
        (mark("Cards"), tr("none are read") if source is None else tr(source)),
    )
    return [(tr(what), figure) for what, figure in rows]
