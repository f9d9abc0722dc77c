"""CellFace: all that the transcript shows of one cell."""

from dataclasses import dataclass

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.lab.cells.words import STATES, outcome
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.lab.events import Failed, Frame, Pictured, Printed
from gpuexplorer.lab.ledger import Cell, Ledger, time_words
from gpuexplorer.lab.printed import clean, error_words, shortened

_MOST_ROWS, _MOST_OPENED = 40, 2000  # of what a cell printed
_LETTERS_A_ROW = 250
_MOST_WARNINGS = 3  # at one line


@dataclass(frozen=True, slots=True)
class Output:
    """What a cell printed, or drew."""

    stream: str
    rows: tuple[str, ...] = ()
    hidden: int = 0  # rows between the first half of these and the second
    png: str = ""  # in base64


@dataclass(frozen=True, slots=True)
class CellFace:
    """The same face is taken to be unchanged."""

    id: int
    number: int | None  # None: it has not run
    code: str
    state: str
    cost: str
    tone: Tone = Tone.QUIET
    times: tuple[str, ...] = ()
    outputs: tuple[Output, ...] = ()
    warnings: tuple[tuple[int, str], ...] = ()  # at lines of this cell
    calls: tuple[str, ...] = ()  # on the way to the error
    error: str = ""  # PyTorch's own words
    at_fault: tuple[int, int, int] | None = None  # the line, and where in it
    released: bool = False  # what it made is gone

    @property
    def failed(self) -> bool:
        return self.state == "failed"

    @property
    def hidden(self) -> int:
        return sum(each.hidden for each in self.outputs)

    @property
    def words(self) -> str:
        """For screen readers."""
        said = [
            tr("Cell {number}: {code}", number=self.number, code=self.code)
            if self.number is not None
            else tr("Cell not run yet: {code}", code=self.code),
            tr(STATES[self.state]),
            self.error,
            *self.cost.removesuffix(".").split("\n"),
            ", ".join(self.times),
        ]
        if self.released:
            said.append(tr("what it made is gone"))
        said += [row for each in self.outputs for row in each.rows]
        return ". ".join(each for each in said if each)


def cell_face(
    cell: Cell,
    ledger: Ledger,
    units: Units = USUAL,
    *,
    released: bool = False,
    opened: bool = False,
) -> CellFace:
    """`opened`: all of what it printed is shown."""
    failed = cell.failed
    at_fault = None
    here = [each for each in (failed.frames if failed else ()) if each.cell == cell.number]
    if here:
        at_fault = (here[-1].line, here[-1].begin, here[-1].end)
    cost, tone = outcome(cell, ledger, units)
    warnings = [
        each for each in cell.outputs if isinstance(each, Printed) and each.stream == "warning"
    ]
    own = [(each.line, each.text.strip()) for each in warnings if each.cell == cell.number]
    return CellFace(
        cell.id,
        cell.number,
        cell.code,
        cell.state,
        cost,
        tone,
        (*([tr("from a form")] if cell.by_form else []), *time_words(cell)),
        tuple(_output(each, opened=opened) for each in cell.outputs if _stands(each, cell)),
        tuple(_few_at_each(own)),
        () if failed is None else tuple(_calls(failed, cell, ledger)),
        "" if failed is None else "\n".join(_rows(error_words(failed), _MOST_OPENED)[0]),
        at_fault,
        released,
    )


def _stands(output: Printed | Pictured, cell: Cell) -> bool:
    """Whether it stands below the code; warnings stand at their line."""
    warns = isinstance(output, Printed) and output.stream == "warning"
    return not (warns and isinstance(output, Printed) and output.cell == cell.number)


def _output(output: Printed | Pictured, *, opened: bool) -> Output:
    if isinstance(output, Pictured):
        return Output("picture", png=output.png)
    text = output.text
    if output.stream == "warning" and output.line:
        text = tr(
            "Cell {cell}, line {line}: {text}", cell=output.cell, line=output.line, text=text
        )
    rows, hidden = _rows(text, _MOST_OPENED if opened else _MOST_ROWS)
    return Output(output.stream, tuple(rows), hidden)


def _rows(text: str, most: int) -> tuple[list[str], int]:
    """The first and the last so many, and how many are left out between them."""
    half, room = most // 2, most * _LETTERS_A_ROW
    count = text.count("\n") + (not text.endswith("\n"))
    if len(text) > 2 * room:  # every piece that comes would cost as much as all before it
        text = f"{text[:room]}\n{text[-room:]}"
    rows = clean(text.removesuffix("\n")).split("\n")
    if len(rows) > most:
        rows = [*rows[:half], *rows[-half:]]
    return [shortened(each) for each in rows], max(0, count - len(rows))


def _few_at_each(warnings: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """A loop may warn a thousand times."""
    found: dict[int, list[str]] = {}
    for line, text in warnings:
        found.setdefault(line, []).append(clean(text))
    told = []
    for line, texts in found.items():
        told += [(line, each) for each in texts[:_MOST_WARNINGS]]
        more = len(texts) - _MOST_WARNINGS
        if more > 0:
            words = trn("{count} more warning", "{count} more warnings", more)
            told.append((line, words))
    return told


def _calls(failed: Failed, cell: Cell, ledger: Ledger) -> list[str]:
    """The person's own functions on the way to the error; the cell's own line is marked."""
    inner = [each for each in failed.frames if each.name or each.cell != cell.number]
    told = []
    for each in inner:
        code = shortened(clean(_code_at(ledger, each).strip()))
        where = {"name": each.name or "…", "cell": each.cell, "line": each.line, "code": code}
        told.append(tr("in {name}, cell {cell}, line {line}: {code}", **where))
    return told


def _code_at(ledger: Ledger, frame: Frame) -> str:
    cell = ledger.by_number(frame.cell)
    lines = [] if cell is None else cell.code.split("\n")
    return lines[frame.line - 1] if 0 < frame.line <= len(lines) else ""
