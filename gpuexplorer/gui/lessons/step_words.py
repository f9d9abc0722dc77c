"""What is said of one step of a lesson: of its cells and checks."""

from gpuexplorer.core.words import paragraph, tr, trn
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.lab.cell_said import clean, error_words, shortened, time_words
from gpuexplorer.lab.events import Pictured, Printed
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lessons.lesson import Code
from gpuexplorer.lessons.ran import NEVER_MEANT
from gpuexplorer.lessons.step_play import Checked

_DOT = " \N{MIDDLE DOT} "
_MOST_ROWS = 8  # of what a cell printed; the lab has all of it


def cell_state(part: Code, cell: Cell | None, *, gone: bool) -> tuple[str, Tone]:
    """How it stands, and what it took. `gone`: what it made went with its worker."""
    if gone:
        return tr("It ran, and what it made is gone since the worker ended"), Tone.QUIET
    match "" if cell is None else cell.state:
        case "waiting":
            return tr("Waits for its turn"), Tone.QUIET
        case "running" if cell is not None and cell.asked:
            return tr("Asks something, see the lab"), Tone.WARN
        case "running":
            return tr("Running"), Tone.QUIET
        case "cancelled":
            return tr("Cancelled"), Tone.QUIET
        case "done" if part.fails:
            return tr("It went through, and should have failed"), Tone.WARN
        case "done":
            return _with_times(tr("Done"), cell), Tone.QUIET
        case "failed" if part.fails and cell is not None and not _never_meant(cell):
            return _with_times(tr("Failed, as it was meant to"), cell), Tone.QUIET
        case "failed":
            return _with_times(tr("Failed"), cell), Tone.BAD
    if part.fails:
        return tr("Not run yet. It is there to fail."), Tone.QUIET
    return tr("Not run yet"), Tone.QUIET


def _never_meant(cell: Cell) -> bool:
    """Its worker was lost, say, or none could be started."""
    return cell.failed is not None and cell.failed.cause in NEVER_MEANT


def cell_error(cell: Cell | None) -> str:
    """The error's own line; what PyTorch adds below stands in the lab."""
    if cell is None or cell.state != "failed" or cell.failed is None:
        return ""
    said = clean(error_words(cell.failed)).strip() or tr(cell.failed.told)
    return shortened(said.split("\n")[0])


def cell_output(cell: Cell | None) -> tuple[str, str]:
    """The last of what it printed, and what there is beside that."""
    if cell is None:
        return "", ""
    printed = [each for each in cell.outputs if isinstance(each, Printed)]
    rows = [row for each in printed for row in clean(each.text.rstrip("\n")).split("\n")]
    pictures = sum(isinstance(each, Pictured) for each in cell.outputs)
    said = []
    if len(rows) > _MOST_ROWS:
        count = len(rows) - _MOST_ROWS
        said.append(trn("{count} line more in the lab", "{count} lines more in the lab", count))
    if pictures:
        said.append(trn("a picture in the lab", "{count} pictures in the lab", pictures))
    return "\n".join(map(shortened, rows[-_MOST_ROWS:])), _DOT.join(said)


def check_words(checked: Checked | None) -> tuple[str, Tone]:
    if checked is None:
        return tr("Checked when the cells above have run."), Tone.QUIET
    if checked.error:
        why = tr(checked.error)
        return tr("This could not be checked. {why}", why=why), Tone.WARN
    if checked.held:
        return tr("Checked: it is as it should be."), Tone.GOOD
    told = checked.told or tr("Something is not as it should be.")
    return paragraph((told, checked.found)), Tone.WARN


def _with_times(said: str, cell: Cell | None) -> str:
    return said if cell is None else _DOT.join((said, *time_words(cell)))
