"""A recording as a page to hand on: the machine, what stood out, plots, tables.

A plot has a line for each card, with a band from the least to the most; from nine cards on one
line and band of all of them. Words stand over a drawing as HTML: they keep their size however
wide the page is.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gpuexplorer.core.axes import moment_word, round_steps, spread, time_ticks
from gpuexplorer.core.catalogue import clocks, links
from gpuexplorer.core.catalogue.heat_and_power import (
    ENERGY,
    POWER_DRAW,
    POWER_LIMIT,
    TEMPERATURE,
    TEMPERATURE_MAX,
)
from gpuexplorer.core.catalogue.memory import MEMORY_TOTAL, MEMORY_USED
from gpuexplorer.core.catalogue.utilization import GPU_UTILIZATION
from gpuexplorer.core.html_page import html_page
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.resources import resource
from gpuexplorer.core.units import bytes_words, duration, energy, measure, quantity, ratio
from gpuexplorer.core.words import listed, mark, paragraph, tr, trn
from gpuexplorer.lab.printed import clean
from gpuexplorer.recording.export import Choice
from gpuexplorer.recording.report_facts import (
    AT_LIMIT,
    COLUMNS,
    HARMFUL,
    HEAT,
    PCIE,
    CardFacts,
    Floats,
    Report,
    findings,
)
from gpuexplorer.recording.told import Turn
from gpuexplorer.telemetry.happenings import SILENCES, Kind
from gpuexplorer.telemetry.whole_file import write_whole

_LONGEST = 300  # letters of a name or a command line that are shown
_MOST_ROWS = 300
_FLAGGED = SILENCES | {Kind.XID, Kind.MEMORY_ERROR, Kind.SLOW_LINK}
_NO_FIGURE = "\N{EN DASH}"
_TABLED = (GPU_UTILIZATION, MEMORY_USED, POWER_DRAW, ENERGY, TEMPERATURE, *PCIE)
_MOST_LINES = 8  # cards that have a colour of their own
_WIDE, _HIGH = COLUMNS * 2, 400  # units of a drawing, which is stretched to its place
_PIXELS, _LABEL = 160, 15  # how high a plot and a label are
_TICKS, _TIMES = 4, 8
# What is drawn: its metrics together, and how far its scale reaches at least: to a figure, or
# to that of another metric.
_PLOTS = (
    (mark("Utilisation"), (GPU_UTILIZATION,), 1.0, None),
    (mark("Memory"), (MEMORY_USED,), 0.0, MEMORY_TOTAL),
    (mark("Power"), (POWER_DRAW,), 0.0, POWER_LIMIT),
    (mark("Temperature"), (TEMPERATURE,), 0.0, TEMPERATURE_MAX),
    (mark("SM clock"), (clocks.CLOCK_SM,), 0.0, None),
    (mark("PCIe, both ways"), PCIE, 0.0, None),
    (mark("NVLink, both ways"), (links.NVLINK_RECEIVE, links.NVLINK_TRANSMIT), 0.0, None),
)


class _Line(NamedTuple):
    label: str
    colour: int
    figures: Floats  # as CardFacts.drawn has them


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
        tr("Length"): str(duration(report.end - report.start)),
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
            _mean_and_most(each, GPU_UTILIZATION),
            _mean_and_most(each, MEMORY_USED),
            _mean_and_most(each, POWER_DRAW),
            _NO_FIGURE if each.joules is None else energy(each.joules),
            _mean_and_most(each, TEMPERATURE),
            _mean_and_most(each, *PCIE),
            *(
                ratio(each.slowed(reasons)[1]) if each.held.keys() & reasons else _NO_FIGURE
                for reasons in (HARMFUL, AT_LIMIT)
            ),
        )
        for each in report.cards
    ]
    notes = [tr("Mean, then the most.")]
    summed = [e.number for e in report.cards if e.joules is not None and not e.counted]
    if summed:
        notes.append(tr("Energy summed up from power: {cards}.", cards=listed(summed)))
    heads = (
        *(mark("Card"), mark("Utilisation"), mark("Memory"), mark("Power"), mark("Energy")),
        *(mark("Temperature"), mark("PCIe"), mark("Slowed"), mark("At power limit")),
    )
    note = paragraph([*notes, *_why_dashes(report)])
    return _table(mark("Each card"), "lrrrrrrrr", heads, rows, note)


def _mean_and_most(card: CardFacts, *metrics: MetricId) -> str:
    course = card.did(*metrics)
    if not course.seconds:
        return _NO_FIGURE
    mean, most = (
        quantity(METRICS[metrics[0]], each) for each in (course.average, course.most.max())
    )
    return f"{mean.number if mean.unit == most.unit else mean} · {most}"


def _why_dashes(report: Report) -> Iterator[str]:
    """Each reason once."""
    cards: dict[tuple[MetricId, str], list[str]] = {}
    for each in report.cards:
        wanted = [e for e in (*_TABLED, *HEAT, *AT_LIMIT) if not each.did(e).seconds]
        for metric, why in report.recording.sample(
            each.card.id, wanted, report.end
        ).missing.items():
            if metric != ENERGY or each.joules is None:
                cards.setdefault((metric, tr(why.sentence)), []).append(each.number)
    for (metric, reason), numbers in cards.items():
        yield tr(
            "{what} of {cards}: {reason}.",
            what=tr(METRICS[metric].label),
            cards=listed(numbers),
            reason=reason,
        )


def _span_table(report: Report) -> str:
    """Runs, and what there was between and within them."""
    recording = report.recording
    found: list[tuple[float, float, str]] = []
    for before, run in zip((None, *recording.runs), recording.runs, strict=False):
        if before is not None:
            pause = run.began - before.ended
            found.append((before.ended, pause, tr("nothing was recorded")))
        what = tr(run.failed or mark("recorded"))
        if recording.being_written and run is recording.runs[-1]:
            what = tr("recorded, and still being written")
        elif not run.whole:
            what = tr("recorded, and cut off: the program was ended, or the computer went off")
        found.append((run.began, run.ended - run.began, what))
    for at, slept in recording.turns(Turn.SUSPENDED):
        if isinstance(slept, int | float):
            found.append((at - slept, slept, tr("the computer slept")))
    for at, lost in recording.turns(Turn.LOST):
        if isinstance(lost, dict):
            count = lost.get("samples")
            what = tr("the file could not be written: {count} readings lost", count=count)
            found.append((at, 0.0, what))
    rows = [
        (report.moment(at), duration(seconds) if seconds else _NO_FIGURE, what)
        for at, seconds, what in sorted(found)
        if at <= report.end and at + seconds >= report.start
    ]
    heads = (mark("From"), mark("Length"), mark("What"))
    return _table(mark("What was recorded"), "lrl", heads, rows)


def _program_table(report: Report) -> str:
    """A row for all processes of one name and user."""
    numbers = {each.card.id: each.number for each in report.cards}
    longest = sorted(report.programs().items(), key=lambda each: -each[1].seconds)
    rows = [
        (
            name or tr("a program without a name"),
            user or _NO_FIGURE,
            str(*each.pids) if len(each.pids) == 1 else tr("{n} of them", n=len(each.pids)),
            listed([numbers[card] for card in each.cards]),
            report.moment(each.begin),
            duration(each.seconds),
            bytes_words(each.most) if each.most else _NO_FIGURE,
        )
        for (name, user), each in longest
    ]
    heads = (
        *(mark("Program"), mark("User"), mark("Process"), mark("Cards"), mark("First seen")),
        *(mark("For"), mark("Most memory of one")),
    )
    return _table(mark("Programs"), "llrllrr", heads, rows)


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


def _plots(report: Report) -> Iterator[str]:
    """What no card told has no plot."""
    tops = [each for each in report.cards if each.card.parent is None]
    for title, metrics, least, limit in _PLOTS:
        drawn = {each: each.drawn(*metrics) for each in tops}
        cards = [each for each in tops if not np.isnan(drawn[each]).all()]
        if not cards:
            continue
        lines = [_Line(e.number, e.card.index % _MOST_LINES, drawn[e]) for e in cards]
        beside = [tr("simulated")] if any(each.card.simulated for each in cards) else []
        if len(tops) > _MOST_LINES:
            lines = [_Line(tr("all"), 0, _together([each.figures for each in lines]))]
            beside.append(tr("mean of all cards, from the least to the most"))
        if len(cards) < len(tops):
            silent, count = len(tops) - len(cards), len(tops)
            words = tr("{silent} of {cards} cards did not tell it", silent=silent, cards=count)
            beside.append(words)
        scales = [each.did(limit).most for each in cards] if limit else []
        mosts = [*(each.figures[1] for each in lines), *scales, [least]]
        highest = float(np.nanmax(np.concatenate(mosts))) or 1.0
        gauge = measure(METRICS[metrics[0]].unit, highest)
        _, ceiling, size = round_steps(0.0, gauge.shown(highest), _TICKS)
        top = gauge.value(size * ceiling)
        heights = [n * _HIGH / ceiling for n in range(ceiling + 1)]
        grid = "".join(f"M0 {each:.0f}h{_WIDE}" for each in heights)
        # Behind the lines: where something harmful slowed a card.
        slowed = np.any([e.drawn(why)[1] >= 1 for e in cards for why in HARMFUL], axis=0)
        marked = "".join(f"M{x * 2} 0h2v{_HIGH}h-2z" for x in np.flatnonzero(slowed))
        field = _path("grid", grid) + _path("slowed", marked)
        field += "".join(_drawn(line, top, dash) for dash, line in enumerate(lines))
        field = (
            f'<svg viewBox="0 0 {_WIDE} {_HIGH}" preserveAspectRatio="none" aria-hidden="true"'
            f' style="height:{_PIXELS}px">{field}</svg>'
        )
        for step in range(1, ceiling + 1):
            unit = f" {gauge.name}" if step == ceiling else ""
            field += _word(f"{step * size:g}{unit}", "tick", step / ceiling)
        # Each card's number where its line ends; of those alike one above the other.
        means = [each.figures[2] for each in lines]
        ends = [(1 - float(each[~np.isnan(each)][-1]) / top) * _PIXELS for each in means]
        places = spread(ends, _LABEL, _LABEL / 2, _PIXELS - _LABEL / 2)
        for line, place in zip(lines, places, strict=True):
            field += _word(line.label, f"end e{line.colour}", 1 - place / _PIXELS)
        small = "".join(f" <small>{escape(each)}</small>" for each in beside)
        yield (
            f'<figure class="plot"><figcaption>{_say(title)}{small}</figcaption>'
            f'<div class="field">{field}</div>{_times(report)}</figure>\n'
        )


def _together(cards: Sequence[Floats]) -> Floats:
    """One of many: the least, the most and the mean of all of them."""
    least, most, mean = np.stack(cards, axis=1)
    count = (~np.isnan(mean)).sum(axis=0)
    together = np.nansum(mean, axis=0) / np.where(count, count, np.nan)
    return np.stack((np.fmin.reduce(least), np.fmax.reduce(most), together))


def _drawn(line: _Line, top: float, dash: int) -> str:
    """Its band, and itself; where nothing was read both are open."""
    there = np.flatnonzero(~np.isnan(line.figures[2]))
    band = path = ""
    for piece in np.split(there, np.flatnonzero(np.diff(there) > 1) + 1):
        heights = np.rint(_HIGH - np.clip(line.figures[:, piece] / top, 0, 1) * _HIGH)
        lower, upper, mean = (
            [f"{x * 2 + 1},{y:.0f}" for x, y in zip(piece, row, strict=True)] for row in heights
        )
        band += f"M{' '.join(upper + lower[::-1])}z" if upper != lower else ""
        path += f"M{' '.join(mean)}h2"  # a lone step between two gaps is a dash
    colour = f"c{line.colour}"
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
