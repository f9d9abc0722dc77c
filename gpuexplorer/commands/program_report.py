"""What is told at the end of a program: how it ended, what was seen, and what would help."""

from collections.abc import Sequence

from gpuexplorer.commands.page import NONE, Column, Page, figure, percent, wrap
from gpuexplorer.core.units import Units, duration, grouped, memory
from gpuexplorer.core.words import Message, paragraph, tr
from gpuexplorer.lab.events import Why
from gpuexplorer.programs.findings import Finding, findings
from gpuexplorer.programs.program_run import (
    CardSum,
    Line,
    ProgramRun,
    as_a_whole,
    cards_of,
    ended,
    lacks_cards,
    lines_of,
    watched,
)

# All of it is to be seen at once, on a terminal of 40 lines.
_MOST_FINDINGS = 6
_MOST_LINES = 8
_MOST_CARDS = 8
_SHORTEST = 20  # letters of a place
_BESIDE = " " * 7  # of the share that a cure could save
_IDLE = {
    Why.READ: Column(Message("Idle after reads"), 80, right=True),
    Why.LOADER: Column(Message("Idle for batches"), 80, right=True),
    Why.HOST: Column(Message("Idle for the host"), 80, right=True),
    Why.START: Column(Message("Idle at start"), 60, right=True),
}
_LINES = (
    Column(Message("Line"), 100),
    Column(Message("Code"), 92, elastic=True),
    Column(Message("Copies"), 95, right=True),
    Column(Message("Bytes"), 94, right=True),
    Column(Message("Kind"), 40),  # asked for, or hidden
    Column(Message("From, to"), 60),
    Column(Message("Memory"), 30),
    Column(Message("Limit"), 50, right=True),
    Column(Message("On the wire"), 80, right=True),
    Column(Message("Host waited"), 90, right=True),
    Column(Message("Card idle"), 93, right=True),
)


def report(run: ProgramRun, width: int) -> str:
    """Lines of at most that width, to be read on a terminal."""
    found = findings(run)
    page = Page(width)
    page.say(ended(run), *watched(run))
    _write_cards(page, [each for each in cards_of(run) if each.used])
    _write_findings(page, found, run.stepping_seconds)
    said = as_a_whole(run, bool(found))
    if lacks_cards(run):
        way_on = Message("With --simulate 2xTitanRTX+idle the program runs on simulated ones.")
        said = [*said, way_on]
    page.gap()
    page.say(paragraph(said))
    _write_lines(page, lines_of(run), run.units)
    return str(page)


def _write_cards(page: Page, cards: Sequence[CardSum]) -> None:
    if not cards:
        return
    whys = [why for why in _IDLE if why is not Why.START or any(why in c.idle for c in cards)]
    paused = any(each.pauses is not None for each in cards)
    columns = [
        Column(Message("Card"), 100),
        Column(Message("Busy"), 95, right=True),
        Column(Message("Copying"), 90, right=True),
        *(_IDLE[why] for why in whys),
        *([Column(Message("Short pauses"), 60, right=True)] if paused else []),
    ]
    most_idle = sorted(cards, key=lambda each: -each.idle_seconds)[:_MOST_CARDS]
    rows = [
        [
            each.device,
            figure(each.busy, duration),
            figure(each.copied, duration),
            *(str(duration(each.idle.get(why, 0.0))) for why in whys),
            *([figure(each.pauses, duration)] if paused else []),
        ]
        for each in cards
        if each in most_idle
    ]
    page.gap()
    page.table(columns, rows)
    _write_more(page, len(cards) - len(rows))


def _write_findings(page: Page, found: Sequence[Finding], seconds: float) -> None:
    """Each with its share, so that one sees at once which is worth it; a cure that was named
    already is not repeated.
    """
    if not found:
        return
    page.gap()
    page.add(tr("What would help, and how much of the time it could save at most:"))
    advised: set[str] = set()
    for each in found[:_MOST_FINDINGS]:
        share = each.share(seconds)
        said = wrap(tr(each.sentence), page.width - len(_BESIDE), "")
        if each.cure not in advised:
            said += wrap(tr(each.cure), page.width - len(_BESIDE), "")
        advised.add(each.cure)
        shown = f"{share} %" if share else NONE
        page.add(f"{shown:>5}  {said[0]}", *(_BESIDE + line for line in said[1:]))
    _write_more(page, len(found) - _MOST_FINDINGS)


def _write_lines(page: Page, lines: Sequence[Line], units: Units) -> None:
    """What is not there at all is left empty."""
    if not lines:
        return
    rows = [
        [
            _end_of(tr(each.place), max(_SHORTEST, page.width // 2)),
            each.what,
            grouped(each.copies) if each.copied else "",
            str(memory(each.bytes, units)) if each.copied else "",
            each.asked_words,
            each.way,
            each.memory,
            "" if each.share is None else percent(each.share),
            figure(each.device_seconds, duration) if each.copied else "",
            figure(each.waited, duration) if any(e.blocking for e in each.copied) else "",
            figure(each.idle_seconds, duration) if each.idled else "",
        ]
        for each in lines[:_MOST_LINES]
    ]
    page.gap()
    page.table(_LINES, rows)
    _write_more(page, len(lines) - _MOST_LINES)


def _end_of(place: str, width: int) -> str:
    """The number of the line stands last."""
    return place if len(place) <= width else f"…{place[1 - width :]}"


def _write_more(page: Page, count: int) -> None:
    if count > 0:
        page.say(Message("and {count} more.", count=count))
