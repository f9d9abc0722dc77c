"""A recording as a page to hand on: the machine, what stood out, plots, tables.

A plot has a line for each card, with a band from the least to the most; from nine cards on a
strip of colours for each. Words stand over a drawing as HTML: they keep their size however wide
the page is.
"""

import base64
import math
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core import metrics as m
from gpuexplorer.core.axes import moment_word, round_steps, spread, time_ticks
from gpuexplorer.core.html_page import html_page, theme_colours
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.resources import resource
from gpuexplorer.core.units import bytes_words, duration, energy, measure, quantity, rate, ratio
from gpuexplorer.core.words import listed, mark, paragraph, tr, trn
from gpuexplorer.lab.events import Event
from gpuexplorer.lab.ledger import Cell, Ledger, time_words
from gpuexplorer.lab.printed import clean, error_words
from gpuexplorer.recording.export import Choice, Use, all_noted, uses
from gpuexplorer.recording.lab_said import LabBegan, Sent
from gpuexplorer.recording.report_facts import (
    AT_LIMIT,
    COLUMNS,
    HEAT,
    MUCH,
    PCIE,
    CardFacts,
    Report,
    findings,
)
from gpuexplorer.telemetry.happenings import SILENCES, Kind
from gpuexplorer.telemetry.processes import ProcessFigure
from gpuexplorer.telemetry.stretches import Course, Floats
from gpuexplorer.telemetry.whole_file import write_whole

_LONGEST = 300  # letters of a name or a command line that are shown
_MOST_ROWS = 300
_FLAGGED = SILENCES | {Kind.XID, Kind.MEMORY_ERROR, Kind.SLOW_LINK}
_OVER = mark("over 90 %")
_NO_FIGURE = "\N{EN DASH}"
_TABLED = (m.GPU_UTILIZATION, m.MEMORY_USED, m.POWER_DRAW, m.ENERGY, m.TEMPERATURE, *PCIE)
_MOST_LINES = 8  # cards that have a colour of their own
_WIDE, _HIGH = COLUMNS * 2, 400  # units of a drawing, which is stretched to its place
_PIXELS, _LABEL = 160, 15  # how high a plot and a label are
_TICKS, _TIMES = 4, 8
_SHADES, _EXPONENT = 48, 1.15  # of strips, as the window has them
_STRIPS_HIGH, _LEAST_HIGH, _MOST_HIGH, _NUMBER_HIGH = 400, 4, 14, 12  # pixels
_MOST_FLAGS = 200
# What is drawn: its metrics together, and how far its scale reaches at least: to a figure, or
# to that of another metric.
_PLOTS = (
    (mark("Utilisation"), (m.GPU_UTILIZATION,), 1.0, None),
    (mark("Memory"), (m.MEMORY_USED,), 0.0, m.MEMORY_TOTAL),
    (mark("Power"), (m.POWER_DRAW,), 0.0, m.POWER_LIMIT),
    (mark("Temperature"), (m.TEMPERATURE,), 0.0, m.TEMPERATURE_MAX),
    (mark("SM clock"), (m.CLOCK_SM,), 0.0, None),
    (mark("PCIe, both ways"), PCIE, 0.0, None),
    (mark("NVLink, both ways"), (m.NVLINK_RECEIVE, m.NVLINK_TRANSMIT), 0.0, None),
)


def write_report(choice: Choice, path: Path) -> None:
    """Raises Trouble."""
    write_whole(path, [report_page(choice).encode("utf-8", "replace")], private=True)


def report_page(choice: Choice) -> str:
    report = Report(choice)
    # Damage is found where it is read: the head comes last.
    body = [
        _section(_say("What stood out"), _findings(report)),
        _section(_say("What the cards did"), "".join(_plots(report)), "plots"),
        _card_table(report),
        _span_table(report),
        _program_table(report),
        _event_table(report),
        *_lab_tables(report),
    ]
    file = clean(choice.recording.path.name)
    title = tr("{file}, a recording of GPU Explorer", file=file)
    return html_page(title, resource("report.css"), "".join([*_head(report), *body]))


def _head(report: Report) -> Iterator[str]:
    recording = report.recording
    machine = recording.run(report.end).machine
    chip = f' <strong class="chip">{_say("simulated")}</strong>'
    name = machine.name or tr("A computer whose name was left out")
    yield f'<header>\n<p class="over">{_say("A recording of GPU Explorer")}'
    yield f"{chip if report.choice.simulated else ''}</p>\n<h1>{_text(name)}</h1>\n<dl>\n"
    began, ended = (
        datetime.fromtimestamp(recording.wall(each)).astimezone()
        for each in (report.start, report.end)
    )
    tops = [each for each in recording.cards() if each.parent is None]
    named = Counter((each.name, each.memory_bytes) for each in tops)
    words = [
        (f"{count} × " if count > 1 else "") + name + (f", {bytes_words(size)}" if size else "")
        for (name, size), count in named.items()
    ]
    facts = {
        tr("From"): f"{began:%Y-%m-%d %H:%M:%S}",
        tr("To"): f"{ended:%Y-%m-%d %H:%M:%S %Z}",
        tr("Length"): str(duration(report.seconds)),
        trn("Card", "Cards", max(1, len(tops))): listed(words) or tr("none"),
        tr("Source"): tr(machine.source.label),
        tr("Processor"): machine.host.name,
        tr("Read every"): str(duration(machine.interval)),
    }
    if recording.anonymous:
        facts[tr("Left out")] = tr("names, users and command lines")
    for what, told in facts.items():
        yield f"<div><dt>{_text(what)}</dt><dd>{_text(told)}</dd></div>\n"
    yield "</dl>\n"
    for note in (*machine.notes, *recording.notes()):
        yield f'<p class="note">{_text(tr(note))}</p>\n'
    yield "</header>\n"


def _findings(report: Report) -> str:
    found = [
        f'<div class="finding{" grave" if each.grave else ""}"><h3>{_text(tr(each.title))}</h3>'
        f'<p>{_text(tr(each.sentence))}</p><p class="note">{_code(each.advice)}</p></div>\n'
        for each in findings(report)
    ]
    return "".join(found) or f"<p>{_say('Nothing did.')}</p>"


def _table(
    title: str,
    sides: str,
    heads: Iterable[str],
    rows: Sequence[Sequence[object]],
    note: str = "",
) -> str:
    """Nothing where it has no rows, of which the first are shown. `sides`: l or r of each."""
    if len(rows) > _MOST_ROWS:
        shown, count = _MOST_ROWS, len(rows)
        note = tr("{shown} of {count} are shown here.", shown=shown, count=count)

    def row(kind: str, cells: Iterable[object]) -> str:
        together = zip(cells, sides, strict=True)
        told = (f'<{kind} class="{side}">{_text(str(e))}</{kind}>' for e, side in together)
        return f"<tr>{''.join(told)}</tr>"

    body = "\n".join(row("td", each) for each in rows[:_MOST_ROWS])
    below = f'<p class="note">{_text(note)}</p>\n' if note else ""
    table = (
        f"<table>\n<thead>{row('th', map(tr, heads))}</thead>\n<tbody>\n{body}\n</tbody>\n"
        f"</table>\n{below}"
    )
    return _section(_say(title), table if rows else "")


def _card_table(report: Report) -> str:
    # Where all are alike the head has named them.
    mixed = len({each.card.name for each in report.cards}) > 1
    rows = [
        (
            f"{each.number}  {each.card.name}" if mixed else each.number,
            _mean_and_most(each, m.GPU_UTILIZATION),
            _much(each.did(m.GPU_UTILIZATION), 1.0),
            _mean_and_most(each, m.MEMORY_USED),
            _much(each.did(m.MEMORY_USED), each.memory_bytes),
            _mean_and_most(each, m.POWER_DRAW),
            energy(each.energy.joules) if each.energy else _NO_FIGURE,
            _mean_and_most(each, m.TEMPERATURE),
            _mean_and_most(each, *PCIE),
            *(
                ratio(each.slowed(reasons)[1])
                if any(each.did(reason).seconds for reason in reasons)
                else _NO_FIGURE
                for reasons in (m.GRAVE, AT_LIMIT)
            ),
        )
        for each in report.cards
    ]
    notes = [tr("Mean, then the most. Shares are of the time that was read.")]
    summed = [e.number for e in report.cards if e.energy and not e.energy.counted]
    if summed:
        notes.append(tr("Energy summed up from power: {cards}.", cards=listed(summed)))
    heads = (
        *(mark("Card"), mark("Utilisation"), _OVER, mark("Memory"), _OVER, mark("Power")),
        *(mark("Energy"), mark("Temperature"), mark("PCIe"), mark("Slowed")),
        mark("At power limit"),
    )
    note = paragraph([*notes, *_why_dashes(report)])
    return _table(mark("Each card"), "lrrrrrrrrrr", heads, rows, note)


def _mean_and_most(card: CardFacts, *metrics: MetricId) -> str:
    course = card.did(*metrics)
    if not course.seconds:
        return _NO_FIGURE
    mean, most = (
        quantity(METRICS[metrics[0]], each) for each in (course.average, course.most.max())
    )
    return f"{mean.number if mean.unit == most.unit else mean} · {most}"


def _much(course: Course, full: float) -> str:
    """For how much of the time it was over nine tenths of that."""
    if not course.seconds:
        return _NO_FIGURE
    return str(ratio(course.above(MUCH * full if full else math.inf) / course.seconds))


def _why_dashes(report: Report) -> Iterator[str]:
    """Each reason once."""
    cards: dict[tuple[MetricId, str], list[str]] = {}
    for each in report.cards:
        wanted = [e for e in (*_TABLED, *HEAT, *AT_LIMIT) if not each.did(e).seconds]
        for metric, why in report.recording.sample(
            each.card.id, wanted, report.end
        ).missing.items():
            if metric != m.ENERGY or each.energy is None:
                cards.setdefault((metric, tr(why.sentence)), []).append(each.number)
    for (metric, reason), numbers in cards.items():
        yield tr(
            "{what} of {cards}: {reason}.",
            what=tr(METRICS[metric].label),
            cards=listed(numbers),
            reason=reason,
        )


def _span_table(report: Report) -> str:
    rows = [
        (report.moment(begin), duration(seconds) if seconds else _NO_FIGURE, tr(what))
        for begin, seconds, what, _ in sorted(report.spells())
        if begin <= report.end and begin + seconds >= report.start
    ]
    heads = (mark("From"), mark("Length"), mark("What"))
    return _table(mark("What was recorded"), "lrl", heads, rows)


def _program_table(report: Report) -> str:
    """A row for all processes of one name and user."""
    numbers = {each.card.id: each.number for each in report.cards}
    programs: dict[tuple[str | None, str | None], list[Use]] = {}
    for use in uses(report.choice):
        facts = use.seen.facts
        programs.setdefault((facts.command, facts.user), []).append(use)
    rows = []
    for (name, user), some in programs.items():
        seconds = until = most = 0.0  # seconds in which there was at least one of them
        for _, seen, begin, end in some:
            seconds += max(0.0, end - max(begin, until))
            until = max(until, end)
            held = report.recording.readings(
                str(seen.subject), ProcessFigure.MEMORY, begin, end
            )
            most = float(np.nanmax([most, *held.values]))
        pids = {each.seen.facts.pid for each in some}
        row = (
            name or tr("a program without a name"),
            user or _NO_FIGURE,
            str(*pids) if len(pids) == 1 else tr("{n} of them", n=len(pids)),
            listed([*dict.fromkeys(numbers[each.card] for each in some)]),
            report.moment(some[0].begin),
            duration(seconds),
            bytes_words(most) if most else _NO_FIGURE,
        )
        rows.append((-seconds, row))
    heads = (
        *(mark("Program"), mark("User"), mark("Process"), mark("Cards"), mark("First seen")),
        *(mark("For"), mark("Most memory of one")),
    )
    longest = [row for _, row in sorted(rows, key=itemgetter(0))]
    return _table(mark("Programs"), "llrllrr", heads, longest)


def _event_table(report: Report) -> str:
    """What happened to a card again and again is one row; programs have their own table."""
    numbers = {each.card.id: each.number for each in report.cards}
    alike: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for each in report.episodes:
        first = each.first
        if first.kind not in (Kind.PROCESS_APPEARED, Kind.PROCESS_ENDED):
            card = tr("all") if first.card is None else numbers.get(first.card, first.card)
            times = alike.setdefault((card, tr(first.sentence)), [])
            times.append((first.wall, each.lasted or 0.0))
    today = report.recording.wall(report.end)
    rows = []
    for card_and_what, times in alike.items():
        lasted = sum(seconds for _, seconds in times)
        told = duration(lasted) if lasted else _NO_FIGURE
        rows.append((moment_word(times[0][0], today), *card_and_what, len(times), told))
    heads = (mark("First"), mark("Card"), mark("What"), mark("Times"), mark("For"))
    return _table(mark("Events"), "lllrr", heads, rows)


def _lab_tables(report: Report) -> tuple[str, str]:
    """Measured copies, and the lab's cells with what came of them."""
    copies: list[tuple[object, ...]] = []
    cells: list[tuple[str, Cell]] = []
    ledger = Ledger()
    for said, noted in all_noted(report.recording):
        inside, when = report.start <= said.at <= report.end, report.moment(said.at)
        if said.at > report.end:
            break
        match noted:
            case CopyResult() if inside:
                way = f"{noted.job.source} → {noted.job.target}"
                rates = [
                    _NO_FIGURE if e is None else rate(e) for e in (noted.rate, noted.limit)
                ]
                copies.append((when, way, bytes_words(noted.bytes), *rates, _arrived(noted)))
            case Sent(again=False):
                ledger.sent(noted.command)
                cells += [(when, ledger.cells[-1])] if inside and not noted.past else []
            case LabBegan():
                ledger = Ledger()
            case Event():
                ledger.apply(noted)
    rows = [
        (
            when,
            cell.number,
            cell.code.strip(),
            error_words(cell.failed) if cell.failed else " · ".join(time_words(cell)),
            sum(each.copies for each in cell.transfers if not each.already_there),
        )
        for when, cell in cells
    ]
    words = mark("When"), mark("Way"), mark("Bytes"), mark("Rate"), mark("The wire could")
    of_copies = (*words, mark("Arrived"))
    words = mark("When"), mark("Cell"), mark("Code"), mark("What came of it"), mark("Copies")
    return (
        _table(mark("Copies"), "llrrrl", of_copies, copies),
        _table(mark("Cells of the lab"), "lrllr", words, rows),
    )


def _arrived(copy: CopyResult) -> str:
    if copy.measured is None:
        return tr(copy.why)
    if copy.measured.modelled:
        return tr("modelled")
    words = {None: tr("not checked"), True: tr("intact"), False: tr("WRONG")}
    return words[copy.measured.intact]


def _plots(report: Report) -> Iterator[str]:
    """What no card told has no plot."""
    tops = [each for each in report.cards if each.card.parent is None]
    for title, metrics, least, limit in _PLOTS:
        found = {each: each.drawn(*metrics) for each in tops}
        drawn = {each: figures for each, figures in found.items() if np.isfinite(figures).any()}
        if not drawn:
            continue
        beside = [tr("simulated")] if any(each.card.simulated for each in drawn) else []
        if silent := len(tops) - len(drawn):
            words = mark("{silent} of {cards} cards did not tell it")
            beside.append(tr(words, silent=silent, cards=len(tops)))
        limits = {float(at) for each in drawn if limit for at in each.did(limit).most}
        mosts = (float(np.nanmax(most)) for _, most, _ in drawn.values())
        highest = max(least, *limits, *mosts) or 1.0
        gauge = measure(METRICS[metrics[0]].unit, highest)
        _, ceiling, size = round_steps(0.0, gauge.shown(highest), _TICKS)
        top = gauge.value(size * ceiling)
        if len(tops) > _MOST_LINES:
            shares = np.array([mean / top for *_, mean in found.values()])
            numbers = [each.number for each in tops]
            field = _strips(numbers, shares, f"{size * ceiling:g} {gauge.name}")
        else:
            field = _lines(report, drawn, top, ceiling)
            for step in range(1, ceiling + 1):
                unit = f" {gauge.name}" if step == ceiling else ""
                field += _word(f"{step * size:g}{unit}", "tick", step / ceiling)
            if limit == m.TEMPERATURE_MAX and len(limits) == 1:
                at = limits.pop() / top
                field += f'<i style="bottom:{at * 100:.2f}%"></i>'
                field += _word(tr("limit"), "limit", at)
        small = "".join(f" <small>{escape(each)}</small>" for each in beside)
        yield (
            f'<figure class="plot"><figcaption>{_say(title)}{small}</figcaption>'
            f'<div class="field">{field}</div>{_times(report)}</figure>\n'
        )


def _lines(report: Report, drawn: Mapping[CardFacts, Floats], top: float, steps: int) -> str:
    grid = "".join(f"M0 {n * _HIGH / steps:.0f}h{_WIDE}" for n in range(steps + 1))
    # Behind the lines: where something harmful slowed a card.
    slowed = np.any([e.drawn(why)[1] >= 1 for e in drawn for why in m.GRAVE], axis=0)
    marked = "".join(f"M{x * 2} 0h2v{_HIGH}h-2z" for x in np.flatnonzero(slowed))
    field = _path("grid", grid) + _path("slowed", marked)
    for dash, (each, figures) in enumerate(drawn.items()):
        field += _drawn(each.card.index % _MOST_LINES, figures, top, dash)
    flags = [
        each.first.at
        for each in report.episodes
        if each.first.kind in _FLAGGED and each.first.at >= report.start
    ]
    flagged = (report.share(at) * _WIDE for at in flags[:_MOST_FLAGS])
    field += _path("flags", "".join(f"M{x:.0f} {_HIGH}v-20" for x in flagged))
    field = (
        f'<svg viewBox="0 0 {_WIDE} {_HIGH}" preserveAspectRatio="none" aria-hidden="true"'
        f' style="height:{_PIXELS}px">{field}</svg>'
    )
    # Each card's number where its line ends; of those alike one above the other.
    means = [figures[2] for figures in drawn.values()]
    ends = [(1 - float(each[~np.isnan(each)][-1]) / top) * _PIXELS for each in means]
    places = spread(ends, _LABEL, _LABEL / 2, _PIXELS - _LABEL / 2)
    for each, place in zip(drawn, places, strict=True):
        colour = each.card.index % _MOST_LINES
        field += _word(each.number, f"end e{colour}", 1 - place / _PIXELS)
    return field


def _strips(numbers: Sequence[str], shares: Floats, highest: str) -> str:
    """A row of colours for each card; where nothing was read there is none. `highest`: what the
    full colour stands for.
    """
    shades = 1 + np.rint(np.clip(shares, 0, 1) ** _EXPONENT * (_SHADES - 1))
    pixels = np.nan_to_num(shades).astype(np.uint8)
    light, dark = (_picture(pixels, theme) for theme in ("light", "dark"))
    high = max(_LEAST_HIGH, min(_MOST_HIGH, _STRIPS_HIGH // len(numbers)))
    places = range(0, len(numbers), -(-_NUMBER_HIGH // high))
    beside = "".join(
        f'<span style="top:{at * high}px">{escape(numbers[at])}</span>' for at in places
    )
    alone = tr("the darker the more, up to {highest}", highest=highest)
    return (
        f'<div class="numbers">{beside}</div><picture>'
        f'<source media="screen and (prefers-color-scheme:dark)" srcset="{dark}">'
        f'<img class="strip" style="height:{high * len(numbers)}px" src="{light}"'
        f' alt="{escape(alone)}"></picture><p class="scale"><i></i>{escape(highest)}</p>'
    )


def _picture(pixels: NDArray[np.uint8], theme: str) -> str:
    """A PNG of one pixel for each column and card; the first of its colours is none."""
    colours = theme_colours(theme)
    low, high = ([*bytes.fromhex(colours[f"heat-{end}"][1:])] for end in ("low", "high"))
    palette = np.rint(np.linspace(low, high, _SHADES)).astype(np.uint8)
    rows, columns = pixels.shape
    unfiltered = np.pad(pixels, ((0, 0), (1, 0)))
    parts = {
        b"IHDR": struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0),
        b"PLTE": bytes(3) + palette.tobytes(),
        b"tRNS": b"\0",
        b"IDAT": zlib.compress(unfiltered.tobytes(), 9),
        b"IEND": b"",
    }
    png = b"\x89PNG\r\n\x1a\n"
    for kind, data in parts.items():
        checked = struct.pack(">I", zlib.crc32(kind + data))
        png += struct.pack(">I", len(data)) + kind + data + checked
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _drawn(number: int, figures: Floats, top: float, dash: int) -> str:
    """Its band, and itself; where nothing was read both are open."""
    there = np.flatnonzero(~np.isnan(figures[2]))
    band = path = ""
    for piece in np.split(there, np.flatnonzero(np.diff(there) > 1) + 1):
        heights = np.rint(_HIGH - np.clip(figures[:, piece] / top, 0, 1) * _HIGH)
        lower, upper, mean = (
            [f"{x * 2 + 1},{y:.0f}" for x, y in zip(piece, row, strict=True)] for row in heights
        )
        band += f"M{' '.join(upper + lower[::-1])}z" if upper != lower else ""
        path += f"M{' '.join(mean)}h2"  # a lone step between two gaps is a dash
    colour = f"c{number}"
    return _path(f"band {colour}", band) + _path(f"line {colour} d{dash}", path)


def _path(kind: str, drawn: str) -> str:
    return f'<path class="{kind}" d="{drawn}"/>' if drawn else ""


def _times(report: Report) -> str:
    """By the clock of that computer, which may have been set meanwhile."""
    recording = report.recording
    began, ended = recording.wall(report.start), recording.wall(report.end)
    words = ""
    for tick in time_ticks(began, ended, 0.0, _TIMES):
        at = recording.at(tick.at)
        if report.start <= at <= report.end:
            left = report.share(at) * 100
            words += f'<span style="left:{left:.2f}%">{escape(tick.text)}</span>'
    return f'<div class="times">{words}</div>'


def _section(title: str, content: str, kind: str = "") -> str:
    """Nothing where there is nothing in it. Both are HTML."""
    named = f' class="{kind}"' if kind else ""
    return f"<section{named}>\n<h2>{title}</h2>\n{content}</section>\n" if content else ""


def _word(text: str, kind: str, bottom: float) -> str:
    return f'<span class="{kind}" style="bottom:{bottom * 100:.2f}%">{escape(text)}</span>'


def _say(template: str) -> str:
    return escape(tr(template))


def _code(text: str) -> str:
    """A sentence of ours, in which commands stand between backticks."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(tr(text)))


def _text(text: str) -> str:
    """Whatever somebody wrote, as words that are no HTML and not without end."""
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    return escape(clean(short))
