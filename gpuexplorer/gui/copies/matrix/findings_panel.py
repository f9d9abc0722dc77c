"""FindingsPanel: what stands out, the gravest first, with its cures; and the rest by kind."""

import statistics
from collections.abc import Callable, Sequence, Set
from enum import Enum
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from gpuexplorer.copies.findings import Finding, Kin, findings
from gpuexplorer.copies.jobs import Kind, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import Message, listed, mark, tr, trn
from gpuexplorer.gui.copies.matrix.pair_facts import (
    MOST_SAID,
    Callout,
    Found,
    Head,
    Heads,
    pair_words,
    wrong_words,
)
from gpuexplorer.gui.copies.matrix.pair_views import draw_bubble
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.tables.cell import Cell, Chip, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import PaintedButton
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    add,
    column,
    label,
    row,
    say,
    wrapped_label,
)
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel, scrolled
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.gui.widgets.pair_grid import Pair

SIMULATED = mark("SIMULATED: these cards do not exist, all figures are modelled.")
_NOTHING = Cell(absent=("–",))
_HEAD, _NUMBER = 28, 27


class Act(Enum):
    """What is done about a finding."""

    SHOW = mark("Show its cell")
    AGAIN = mark("Measure again")
    STAGED = mark("Measure through the host")
    DETOUR = mark("In the lab, through the host")
    REPORT = mark("Save a report")


class FindingsPanel(Panel):
    """Scrolls by itself, so that the map stays beside it."""

    asked = Signal(object, object)  # an Act, and a Callout

    def __init__(self) -> None:
        super().__init__(tr("What stands out"))
        self._shown: tuple[Sequence[Callout], Heads] = (), {}
        self._blocks: list[FindingBlock] = []
        self._count = ElidedLabel(look().letters.body, Tone.QUIET)
        self.head.addWidget(self._count)
        self._words, self._more = (wrapped_label("", Tone.QUIET) for _ in range(2))
        self.begin = QPushButton(tr("Measure all"))
        kind, content = tr("By kind"), QWidget()
        columns = [
            Column("kind", kind, _words, width=100, stretches=True),
            Column("figure", tr("Median"), _figure, width=84, right=True),
            Column("share", tr("of limit"), _share, width=58, right=True, kept=1),
        ]
        self._rest = Table(kind, TableModel(columns, attrgetter("words")))
        self._rest.setSelectionMode(Table.SelectionMode.NoSelection)  # to be read
        self._rest.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        content.setProperty("panel", "clear")
        self._found = column(gap=4)
        parts = (self._words, self.begin, self._found, self._more, self._rest, FREE)
        column(*parts, within=content, margins=(0, 0, 4, 0))
        area = scrolled(content)
        area.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.body.addWidget(area, 1)

    def show_found(
        self, found: Found, callouts: Sequence[Callout], heads: Heads, words: str
    ) -> None:
        """`words` where nothing stands out."""
        more = len(found[0]) - MOST_SAID
        one = mark("{count} more like these: see its cell.")
        many = mark("{count} more like these: see their cells.")
        say(self._more, trn(one, many, more) if more > 0 else "")
        say(self._words, "" if callouts else words)
        self._rest.show_rows(found[1])
        self._rest.show_all_rows()
        self._rest.setVisible(bool(found[1]))
        if (callouts, heads) == self._shown:
            return
        self._shown = callouts, heads
        for old in self._blocks:
            self._found.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._blocks = [FindingBlock(each, heads, self.asked.emit) for each in callouts]
        add(self._found, *self._blocks)

    def show_state(self, count: str, *, begin: bool, able: bool, detours: Set[Pair]) -> None:
        """`begin` offers to measure all; between `detours` the lab goes through the host."""
        self._count.show_text(count)
        self.begin.setVisible(begin)
        self.begin.setEnabled(able)
        for block in self._blocks:
            block.show_state(able=able, detours=detours)


class FindingBlock(QFrame):
    """Pressing its head shows its cell."""

    def __init__(
        self, callout: Callout, heads: Heads, ask: Callable[[Act, Callout], None]
    ) -> None:
        super().__init__()
        wrong, finding = callout.wrong, callout.finding
        self.setProperty("panel", "wrong" if wrong else "clear")
        self.callout = callout
        ends = [heads[each] for each in _devices(finding) if each in heads]
        head = _FindingHead(callout, ends)
        head.clicked.connect(partial(ask, Act.SHOW, callout))
        parts: list[QWidget] = [head, wrapped_label(tr(finding.sentence), Tone.TEXT)]
        if finding.hint:
            caption = look().letters.caption
            parts.append(wrapped_label(tr(finding.hint), Tone.QUIET, caption))
        body = column(*parts, within=self, margins=(12, 10, 12, 12) if wrong else (0, 4, 0, 12))
        acts = (Act.STAGED, Act.DETOUR, Act.AGAIN, Act.REPORT) if wrong else ()
        self._buttons = [QPushButton(tr(act.value)) for act in acts]
        for act, button in zip(acts, self._buttons, strict=True):
            button.setAccessibleDescription(head.accessibleName())
            button.clicked.connect(partial(ask, act, callout))
        if wrong:
            staged, detour, again, report = self._buttons
            meant = mark(
                "What is dragged or copied by a form from one to the other goes through the "
                "host: X.cpu() first. A typed cell stays as it was typed."
            )
            detour.setToolTip(tr(meant))
            add(body, staged, detour, row(again, GROWS, report, GROWS))
            staged.setHidden(not finding.detour or finding.instead is not None)
            detour.setHidden(not finding.detour)

    def show_state(self, *, able: bool, detours: Set[Pair]) -> None:
        if self._buttons:
            staged, detour, again, _ = self._buttons
            staged.setEnabled(able)
            again.setEnabled(able)
            taken = detours & {*self.callout.finding.cells}
            undo = mark("In the lab, directly again")
            detour.setText(tr(undo if taken else Act.DETOUR.value))


class _FindingHead(PaintedButton):
    """The number, the chips and the title."""

    def __init__(self, callout: Callout, ends: Sequence[Head]) -> None:
        super().__init__()
        self._callout, finding = callout, callout.finding
        chips, title = ChipRow(arrows=True), tr(finding.title)
        chips.show_chips([Chip(each.chip, each.colour) for each in ends])
        said: list[QWidget] = [ElidedLabel(look().letters.strong, Tone.TEXT, title)]
        if callout.wrong:
            badge = label(tr("WRONG"), look().letters.badge)
            badge.setProperty("kind", "wrong")
            both = tr("both ways at once") if finding.both_ways else ""
            said = [badge, label(both, look().letters.body, Tone.QUIET)]
        row(*([chips] if ends else []), *said, FREE, within=self, margins=(_NUMBER, 4, 8, 4))
        for each in (chips, *said):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedHeight(_HEAD)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        where = listed([each.titled for each in ends])
        if ends and not finding.devices:
            where = pair_words({each.name: each for each in ends}, *finding.cells[0])
        name = mark("{number}: {where}: {title}") if ends else mark("{number}: {title}")
        self.setAccessibleName(tr(name, number=callout.number, where=where, title=title))
        self.setAccessibleDescription(tr(finding.sentence))
        self.setToolTip(title)

    def draw(self, drawing: Drawing) -> None:
        self.draw_ground(drawing, QRectF(self.rect()))
        draw_bubble(drawing, QPointF(9, _HEAD / 2), self._callout)


def _devices(finding: Finding) -> Sequence[str]:
    """Those it names: the ends of its one cell, or the devices it is about."""
    if finding.devices or len({frozenset(each) for each in finding.cells}) != 1:
        return finding.devices
    return tuple(dict.fromkeys(finding.cells[0]))


def _words(kin: Kin) -> Cell:
    return Cell(tr(kin.words), tone=Tone.QUIET)


def _figure(kin: Kin) -> Cell:
    times = [each.seconds for each in kin.results if each.seconds is not None]
    if kin.kind is Kind.LATENCY and times:
        return Cell(f"{statistics.median(times) * 1e6:.1f}", unit="µs")
    return _NOTHING if kin.rate is None else Cell(gbs(kin.rate), unit="GB/s")


def _share(kin: Kin) -> Cell:
    return _NOTHING if kin.share is None else Cell(f"{kin.share * 100:.0f}", unit="%")


def wrong_report(
    about: Sequence[str], heads: Heads, pair: Pair, known: Sequence[CopyResult]
) -> str:
    """For whoever is to mend the computer: also what else was measured between the same two."""
    lines = [tr("Copies that arrived wrong"), *about]
    between = [each for each in known if {each.job.source, each.job.target} == {*pair}]
    for result in sorted(between, key=lambda each: not each.wrong):
        job, rate = result.job, result.rate
        if not (result.wrong or rate):
            continue
        told = f"{(rate or 0.0) / 1e9:.2f} {tr(result.unit)}"
        told = wrong_words(result) if result.wrong else tr("not wrong, {rate}", rate=told)
        ends = f"{pair_words(heads, job.source, job.target)} ({job.source}, {job.target})"
        said = mark("{ends}, {size} ({bytes} bytes), {kind}: {told}")
        values = {"size": memory(job.bytes), "bytes": job.bytes, "kind": kind_of(job).value}
        lines += ["", tr(said, ends=ends, told=told, **values)]
        if result.route is not None:
            way = result.route.words or Message("not reported by the driver")
            lines.append(tr("  Way: {way}", way=way))
        lines += [f"  {tr(each)}" for each in result.notes]
    hints = sorted({tr(each.hint) for each in findings(between) if each.hint})
    return "\n".join([*lines, "", *hints]) + "\n"
