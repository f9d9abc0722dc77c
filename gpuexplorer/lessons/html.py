"""A played lesson as one page that needs nothing else: no network, no script, no other file.
It is written as Markdown, as lessons are, so that nothing in it can be HTML.
"""

import base64
import mimetypes
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt

from gpuexplorer.core.html_page import html_page
from gpuexplorer.core.resources import resource
from gpuexplorer.core.units import bytes_words, duration, figure, rate
from gpuexplorer.core.words import listed, mark, paragraph, tr
from gpuexplorer.lab.events import Pictured, Transferred
from gpuexplorer.lab.ledger import Cell, Ledger, time_words
from gpuexplorer.lab.printed import clean, error_words
from gpuexplorer.lessons.lesson import WEB, Check, Code, Predict, Text, Why
from gpuexplorer.lessons.player import Player, StepPlay, StepState
from gpuexplorer.lessons.values import Revealed, how_far

_MOST_LETTERS = 4_000  # of what one cell printed: a page and a bit
_MOST_COPIES = 20  # rows of one cell
_SIGNS = re.compile(r"([\\`*_\[\]<>#|~&!])")  # of Markdown
_STATES = {
    StepState.AHEAD: mark("not played"),
    StepState.BEGUN: mark("begun, not finished"),
    StepState.DONE: mark("done"),
    StepState.FAILED: mark("not as it should be"),
    StepState.SKIPPED: mark("skipped"),
}


def contents(player: Player, ledger: Ledger, machine: str = "") -> bytes:
    """As far as it was played. `machine`: its name, where it is another computer."""
    title, sheet = clean(player.lesson.title), resource("lessons", "export.css")
    said = "\n\n".join(_lesson(player, ledger, machine))
    page = html_page(title, sheet, _html(said, player.lesson.file.parent.resolve()))
    return page.encode("utf-8", "replace")


def _html(markdown: str, folder: Path) -> str:
    """Pictures are put inside; a link to what lies beside the lesson is only words."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    tokens = parser.parse(markdown)
    inside = False
    for token in (each for outer in tokens for each in outer.children or ()):
        if token.type == "image" and not str(token.attrs["src"]).startswith("data:"):
            path = (folder / unquote(str(token.attrs["src"]))).resolve()
            kind = mimetypes.guess_type(path.name)[0] or ""
            if path.is_relative_to(folder) and path.is_file() and kind.startswith("image/"):
                content = base64.b64encode(path.read_bytes()).decode()
                token.attrs["src"] = f"data:{kind};base64,{content}"
            else:
                token.type = "text"
                token.content = tr("A picture is missing here: {what}", what=token.content)
        if token.type == "link_open":
            inside = not str(token.attrs["href"]).startswith(WEB)
        if inside and token.type in ("link_open", "link_close"):
            token.tag, token.attrs = "span", {}
    return str(parser.renderer.render(tokens, parser.options, {}))


def _lesson(player: Player, ledger: Ledger, machine: str) -> Iterator[str]:
    lesson, hello = player.lesson, ledger.hello
    yield f"# {_plain(lesson.title)}"
    yield lesson.about
    if hello is None:
        yield _plain(tr("No cell was run."))
    else:
        simulated = tr(
            "The cards are simulated. Times and memory of the cards come from a model of them;"
            " the results of the cells are computed for real."
        )
        real = tr("Everything was measured on this machine.")
        yield f"**{_plain(simulated if hello.simulated else real)}**"
        cards = Counter(
            tr(each.label)
            for each in hello.devices
            if each.usable and each.name not in ("cpu", "meta")
        )
        named = [f"{count} × {name}" if count > 1 else name for name, count in cards.items()]
        facts = [machine] if machine else []
        facts += [listed(named) or tr("no card"), f"PyTorch {hello.torch}"]
        yield _plain(" · ".join([*facts, f"Python {hello.python}"]))
    yield _plain(tr("Saved {time}", time=f"{datetime.now(UTC).astimezone():%Y-%m-%d %H:%M}"))
    for number, step in enumerate(player.steps, 1):
        over = tr("Step {number} of {count}", number=number, count=len(player.steps))
        yield f"## {_plain(step.step.title)}"
        yield f"{_plain(over)} · {_plain(tr(_STATES[step.state]))}"
        skipped = step.state is StepState.SKIPPED
        if skipped:
            yield clean(tr(step.reason))
        for part in step.step.parts:
            if isinstance(part, Text):
                yield part.markdown
            elif not skipped:  # else nothing could come of it here
                yield from _part(part, step, player)


def _part(part: object, step: StepPlay, player: Player) -> Iterator[str]:
    match part:
        case Code():
            yield _fenced(part.source)
            yield from _cell(part, player.cell(part), step)
        case Predict():
            yield _quoted(_prediction(part, step))
        case Check():
            yield _quoted(_check(part, step))
        case Why():
            yield f"**{clean(part.question)}**"
            yield part.markdown


def _prediction(part: Predict, step: StepPlay) -> Iterator[str]:
    said, revealed = step.predictions.get(part.line), step.revealed.get(part.line)
    yield f"**{tr('Prediction')}: {clean(part.question)}**"
    choices = []
    for at, choice in enumerate(part.choices):
        mine = said is not None and said.value == at
        right = revealed is not None and at == part.right
        marks = [tr("your answer")] * mine + [tr("so it is")] * right
        choices.append(f"- {clean(choice)}" + (f" **({', '.join(marks)})**" if marks else ""))
    yield "\n".join(choices)
    shown = revealed or Revealed()
    figures = {
        tr("You said"): said.value if said is not None and not part.choices else None,
        tr("Measured, simulated") if shown.modelled else tr("Measured"): shown.measured,
        tr("Limit: {what}", what=part.limit.words) if part.limit else "": shown.limit,
    }
    known = {name: value for name, value in figures.items() if value is not None}
    yield _items(f"{name}: {figure(each)} {part.unit}" for name, each in known.items())
    if revealed is None:
        yield _plain(tr("It was not revealed."))
    else:
        yield _plain(paragraph([tr(how_far(part, said, shown)), tr(shown.why)]))


def _check(part: Check, step: StepPlay) -> Iterator[str]:
    yield _fenced("\n".join(each.source for each in part.conditions))
    checked = step.checked.get(part.line)
    if checked is None:
        yield _plain(tr("Not checked."))
    elif checked.held:
        yield _plain(tr("Checked, and it holds."))
    else:
        sources = {each.line: each.source for each in part.conditions}
        yield tr("Checked, and this does not hold:")
        yield _fenced(sources[checked.line])
        yield clean(paragraph([checked.error, checked.found, checked.told]))


def _cell(part: Code, cell: Cell | None, step: StepPlay) -> Iterator[str]:
    """What it printed and drew, why it failed, what it cost."""
    if cell is None:
        if step.state is StepState.DONE:
            yield tr("This cell ran in an earlier session, and what it did was not kept.")
        else:
            yield tr("This cell was not run.")
        return
    if part.fails and cell.state == "done":
        yield tr("This cell is here to fail, and it did not.")
    elif part.fails:
        yield tr("This cell is here to fail.")
    for each in cell.outputs:
        if isinstance(each, Pictured):
            yield f"![{tr('What this cell drew')}](data:image/png;base64,{each.png})"
        elif text := each.text.strip("\n"):
            half = _MOST_LETTERS // 2
            long = len(text) > _MOST_LETTERS
            yield _fenced(f"{text[:half]}\n…\n{text[-half:]}" if long else text)
    if cell.failed is not None:
        if words := error_words(cell.failed):
            yield _fenced(words)
        yield _plain(tr(cell.failed.told))
    yield _items(map(_copy, cell.transfers[:_MOST_COPIES]))
    if len(cell.transfers) > _MOST_COPIES:
        yield "…"
    yield _plain(" · ".join(time_words(cell)))


def _copy(copy: Transferred) -> str:
    said = [f"{copy.source} → {copy.target}", bytes_words(copy.bytes)]
    if copy.copies > 1:
        said[0] = f"{copy.copies} × {said[0]}"
    if copy.already_there:
        return " · ".join([*said, tr("already there, nothing copied")])
    if copy.seconds:
        said += [str(duration(copy.seconds)), str(rate(copy.bytes / copy.seconds))]
        said += [tr("simulated")] if copy.modelled else []
    else:
        said.append(tr("not timed"))
    if copy.pinned is not None:
        said.append(tr("pinned") if copy.pinned else tr("pageable"))
    if copy.intact is False:
        said.append(tr("arrived WRONG"))
    return " · ".join(said)


def _plain(text: str) -> str:
    """On one line, and shown as it stands."""
    return _SIGNS.sub(r"\\\1", " ".join(clean(text).split()))


def _items(texts: Iterable[str]) -> str:
    return "\n".join(f"- {_plain(each)}" for each in texts)


def _quoted(parts: Iterable[str]) -> str:
    lines = "\n\n".join(each for each in parts if each).split("\n")
    return "\n".join(f"> {each}" for each in lines)


def _fenced(text: str) -> str:
    """Between more backticks than it has itself."""
    text = clean(text)
    ticks = "`" * (1 + max(2, *map(len, re.findall("`+", text)), 0))
    return f"{ticks}\n{text}\n{ticks}"
