"""The page of a report: what was recorded of a machine, and what stood out."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from gpuexplorer.core.html_page import html_page
from gpuexplorer.core.resources import resource
from gpuexplorer.core.words import tr
from gpuexplorer.lab.printed import clean
from gpuexplorer.recording.export.choosing import Choice
from gpuexplorer.recording.report.card_sums import card_sums
from gpuexplorer.recording.report.courses import Courses
from gpuexplorer.recording.report.findings import Finding, Known, findings
from gpuexplorer.recording.report.plots import plots
from gpuexplorer.recording.report.said import lab_tables, program_table
from gpuexplorer.recording.report.tables import (
    Table,
    card_table,
    event_table,
    facts,
    span_table,
    unread,
)
from gpuexplorer.telemetry.episodes import EventBook
from gpuexplorer.telemetry.happenings import SILENCES, Kind
from gpuexplorer.telemetry.whole_file import write_whole

_LONGEST = 300  # letters of a name or a command line that are shown
_MOST_FLAGS = 200
_FLAGGED = SILENCES | {Kind.XID, Kind.MEMORY_ERROR, Kind.SLOW_LINK}


def write_report(choice: Choice, path: Path) -> None:
    """Raises Trouble."""
    write_whole(path, [report_page(choice).encode("utf-8", "replace")])


def report_page(choice: Choice) -> str:
    file = clean(choice.recording.path.name)
    title = tr("{file}, a recording of GPU Explorer", file=file)
    return html_page(title, resource("report.css"), "".join(_body(Courses(choice))))


def _body(courses: Courses) -> Iterator[str]:
    recording = courses.recording
    cards = card_sums(courses)
    # What began before and went on is told as well.
    log = [each for each in recording.happenings() if each.at <= courses.end]
    episodes = [
        each
        for each in EventBook().take(log)
        if each.running or (each.end or each.first).at >= courses.start
    ]
    found = findings(Known(courses, cards, episodes, unread(courses)))
    marked = [each.first.at for each in episodes if each.first.kind in _FLAGGED]
    flags = [each for each in marked if each >= courses.start][:_MOST_FLAGS]
    yield from _head(courses)
    stood_out = "".join(map(_finding, found)) or f"<p>{_say('Nothing did.')}</p>"
    yield f"<section>\n<h2>{_say('What stood out')}</h2>\n{stood_out}</section>\n"
    drawn = "".join(plots(courses, cards, flags))
    if drawn:
        title = _say("What the cards did")
        yield f'<section class="plots">\n<h2>{title}</h2>\n{drawn}</section>\n'
    yield _table(card_table(courses, cards))
    yield _table(span_table(courses))
    yield _table(program_table(courses, cards))
    yield _table(event_table(courses, cards, episodes))
    yield from map(_table, lab_tables(courses))


def _head(courses: Courses) -> Iterator[str]:
    recording = courses.recording
    run = recording.run(courses.end)
    made_up = courses.choice.simulated
    chip = f' <strong class="chip">{_say("simulated")}</strong>' if made_up else ""
    name = run.machine.name or tr("A computer whose name was left out")
    yield f'<header>\n<p class="over">{_say("A recording of GPU Explorer")}{chip}</p>\n'
    yield f"<h1>{_text(name)}</h1>\n<dl>\n"
    for what, told in facts(courses):
        yield f"<div><dt>{_text(what)}</dt><dd>{_text(told)}</dd></div>\n"
    yield "</dl>\n"
    for note in [*run.machine.notes, *recording.notes()]:
        yield f'<p class="note">{_text(tr(note))}</p>\n'
    yield "</header>\n"


def _finding(found: Finding) -> str:
    kind = "finding grave" if found.grave else "finding"
    return (
        f'<div class="{kind}"><h3>{_text(tr(found.title))}</h3>'
        f"<p>{_text(tr(found.sentence))}</p>"
        f'<p class="note">{_code(tr(found.why))} {_code(tr(found.cure))}</p></div>\n'
    )


def _table(table: Table) -> str:
    """Nothing where it has no rows."""
    if not table.rows:
        return ""
    note = f'<p class="note">{_text(table.note)}</p>\n' if table.note else ""
    rows = "".join(f"<tr>{_row('td', row, table.sides)}</tr>\n" for row in table.rows)
    return (
        f"<section>\n<h2>{_text(table.title)}</h2>\n<table>\n"
        f"<thead><tr>{_row('th', table.heads, table.sides)}</tr></thead>\n"
        f"<tbody>\n{rows}</tbody>\n</table>\n{note}</section>\n"
    )


def _row(kind: str, row: Sequence[str], sides: str) -> str:
    cells = zip(row, sides, strict=True)
    return "".join(f'<{kind} class="{side}">{_text(each)}</{kind}>' for each, side in cells)


def _say(template: str) -> str:
    return escape(tr(template))


def _code(text: str) -> str:
    """A sentence of ours, in which commands stand between backticks."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", _text(text))


def _text(text: str) -> str:
    """Whatever somebody wrote, as words that are no HTML and not without end."""
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    return escape(clean(short))
