"""A played lesson as one page that needs nothing else: no network, no script, no other file.
It is written as Markdown, as lessons are, so that nothing in it can be HTML.
"""

import base64
import mimetypes
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt

from gpuexplorer.core.html_page import html_page
from gpuexplorer.core.resources import resource
from gpuexplorer.core.units import figure
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.lab.events import Pictured
from gpuexplorer.lab.ledger import Cell, Ledger, time_words
from gpuexplorer.lab.printed import clean, error_words
from gpuexplorer.lessons.lesson import WEB, Check, Code, Predict, Text, Why
from gpuexplorer.lessons.player import Player, StepPlay, StepState
from gpuexplorer.lessons.values import Revealed, how_far

_SIGNS = re.compile(r"([\\`*_\[\]<>#|~&!])")  # of Markdown
SIMULATED = mark(
    "The cards are simulated. Times and memory of the cards come from a model of them;"
    " the results of the cells are computed for real."
)
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
    for token in (each for outer in tokens for each in outer.children or ()):
        source, kind = str(token.attrs.get("src", "data:")), ""
        if not source.startswith("data:"):
            path = (folder / unquote(source)).resolve()
            if path.is_relative_to(folder) and path.is_file():
                kind = mimetypes.guess_type(path.name)[0] or ""
                content = base64.b64encode(path.read_bytes()).decode()
            token.attrs["src"] = f"data:{kind};base64,{content}" if kind else ""
        if not str(token.attrs.get("href", WEB[0])).startswith(WEB):
            token.attrs = {}
    return str(parser.renderer.render(tokens, parser.options, {}))


def _lesson(player: Player, ledger: Ledger, machine: str) -> Iterator[str]:
    lesson, hello = player.lesson, ledger.hello
    yield f"# {_plain(lesson.title)}"
    yield lesson.about
    if hello is None:
        yield _plain(tr("No cell was run."))
    else:
        real = mark("Everything was measured on this machine.")
        yield f"**{_plain(tr(SIMULATED if hello.simulated else real))}**"
        labels = [
            tr(each.label) for each in hello.devices if each.usable and each.name != "meta"
        ]
        facts = [machine, *labels, f"PyTorch {hello.torch}", f"Python {hello.python}"]
        yield _plain(" · ".join(filter(None, facts)))
    for number, step in enumerate(player.steps, 1):
        yield f"## {number}. {_plain(step.step.title)}"
        yield _plain(tr(_STATES[step.state]))
        skipped = step.state is StepState.SKIPPED
        if skipped:
            yield clean(tr(step.reason))
        for part in step.step.parts:
            match part:
                case Text():
                    yield part.markdown
                case _ if skipped:
                    pass  # nothing could come of it here
                case Code():
                    yield _fenced(part.source)
                    yield from _cell(part, player.cell(part))
                case Predict():
                    yield _quoted(_prediction(part, step))
                case Check():
                    yield _quoted(_check(part, step))
                case Why():
                    yield f"**{clean(part.question)}**"
                    yield part.markdown


def _prediction(part: Predict, step: StepPlay) -> Iterator[str]:
    yield f"**{tr('Prediction')}: {clean(part.question)}**"
    *lines, last = outcome(part, step)
    yield "\n".join(f"- {_plain(line)}" for line in lines)
    yield _plain(last)


def outcome(part: Predict, step: StepPlay) -> Iterator[str]:
    """What was answered and what is right, a line each; last how far one was off."""
    said, revealed = step.predictions.get(part.line), step.revealed.get(part.line)
    for at, choice in enumerate(part.choices):
        marks = [tr("your answer")] * (said is not None and said.value == at)
        marks += [tr("so it is")] * (revealed is not None and at == part.right)
        yield choice + (f" ({', '.join(marks)})" if marks else "")
    shown = revealed or Revealed()
    figures = {
        tr("You said"): said.value if said is not None and not part.choices else None,
        tr("Measured, simulated") if shown.modelled else tr("Measured"): shown.measured,
        tr("Limit: {what}", what=part.limit.words) if part.limit else "": shown.limit,
    }
    for name, value in figures.items():
        if value is not None:
            yield f"{name}: {figure(value)} {part.unit}".strip()
    how = paragraph([how_far(part, said, shown), shown.reason])
    yield tr("It was not revealed.") if revealed is None else how


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


def _cell(part: Code, cell: Cell | None) -> Iterator[str]:
    """What it printed and drew, why it failed, how long it took."""
    if cell is None:
        yield tr("This cell was not run in this session.")
        return
    if part.fails and cell.state == "done":
        yield tr("This cell is here to fail, and it did not.")
    elif part.fails:
        yield tr("This cell is here to fail.")
    for each in cell.outputs:
        if isinstance(each, Pictured):
            yield f"![{tr('What this cell drew')}](data:image/png;base64,{each.png})"
        elif text := each.text.strip("\n"):
            yield _fenced(text)
    if cell.failed is not None:
        if words := error_words(cell.failed):
            yield _fenced(words)
        yield _plain(tr(cell.failed.told))
    yield _plain(" · ".join(time_words(cell)))


def _plain(text: str) -> str:
    """On one line, and shown as it stands."""
    return _SIGNS.sub(r"\\\1", " ".join(clean(text).split()))


def _quoted(parts: Iterable[str]) -> str:
    lines = "\n\n".join(each for each in parts if each).split("\n")
    return "\n".join(f"> {each}" for each in lines)


def _fenced(text: str) -> str:
    """Between more backticks than it has itself."""
    text = clean(text)
    ticks = "`" * (1 + max(2, *map(len, re.findall("`+", text)), 0))
    return f"{ticks}\n{text}\n{ticks}"
