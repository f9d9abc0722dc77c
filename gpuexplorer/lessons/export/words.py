"""What a played lesson tells of its parts, in words for the page and for the notebook."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from gpuexplorer.core.units import bytes_words, duration, figure, grouped, rate
from gpuexplorer.core.words import listed, mark, paragraph, tr, trn
from gpuexplorer.lab.events import Pictured, Printed, Transferred
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.printed import overwritten
from gpuexplorer.lessons.lesson import Check, Code, Predict
from gpuexplorer.lessons.player import Player
from gpuexplorer.lessons.predicting import how_far
from gpuexplorer.lessons.step_play import Checked, Revealed, StepPlay, StepState

MOST_LETTERS = 4_000  # of what one cell printed: a page and a bit
MOST_COPIES = 20  # rows of one cell
SIMULATED = mark("simulated")

_NO_CARDS = ("cpu", "meta")
_NOT_SO = mark("Checked, and it does not hold.")
_STATES = {
    StepState.AHEAD: mark("not played"),
    StepState.BEGUN: mark("begun, not finished"),
    StepState.DONE: mark("done"),
    StepState.FAILED: mark("not as it should be"),
    StepState.SKIPPED: mark("skipped"),
}


@dataclass(frozen=True)
class Figure:
    """One bar of a prediction."""

    kind: str  # "said", "measured", "limit"
    name: str
    value: float
    text: str
    modelled: bool = False


def state_words(step: StepPlay) -> str:
    return tr(_STATES[step.state])


def machine_words(ledger: Ledger, played: datetime, machine: str) -> Sequence[tuple[str, str]]:
    """On what and when it was played: what it is called, and what it is. `machine` is the name
    of another computer.
    """
    hello = ledger.hello
    rows = [(tr("Saved"), f"{played:%Y-%m-%d %H:%M}")]
    if hello is None:
        return [(tr("Machine"), tr("No cell was run.")), *rows]
    other = [(tr("Machine"), machine)] if machine else []
    cards = [each for each in hello.devices if each.usable and each.name not in _NO_CARDS]
    named = Counter(tr(each.label) for each in cards)
    words = [f"{count} × {name}" if count > 1 else name for name, count in named.items()]
    build = tr("{version}, for {build}", version=hello.torch, build=hello.build)
    return [
        *other,
        (trn("Card", "Cards", max(1, len(cards))), listed(words) or tr("none")),
        ("PyTorch", hello.torch if hello.simulated else build),
        ("Python", hello.python),
        *rows,
    ]


def source_words(ledger: Ledger) -> str:
    """Whether its figures are of real cards."""
    if ledger.hello is None:
        return ""
    if ledger.hello.simulated:
        return tr(
            "The cards are simulated. Times and memory of the cards come from a model of them;"
            " the results of the cells are computed for real."
        )
    return tr("Everything was measured on this machine.")


def figures(part: Predict, step: StepPlay) -> Iterator[Figure]:
    """What was said, what was measured, and the limit, as far as there are such."""
    said, shown = step.predictions.get(part.line), step.revealed.get(part.line, Revealed())
    name = tr("Limit: {what}", what=part.limit.name) if part.limit else tr("Limit")
    for kind, called, value in (
        ("said", tr("You said"), said.value if said else None),
        ("measured", tr("Measured"), shown.measured),
        ("limit", name, shown.limit),
    ):
        if value is not None:
            text = f"{figure(value)} {part.unit}".rstrip()
            yield Figure(kind, called, value, text, shown.modelled and kind == "measured")


def choices(part: Predict, step: StepPlay) -> Iterator[tuple[str, str, str]]:
    """Each, "right" or "mine" or neither, and the words for that. Which is right is not told
    before it was revealed.
    """
    said = step.predictions.get(part.line)
    for at, choice in enumerate(part.choices):
        mine = said is not None and said.value == at
        right = part.line in step.revealed and at == part.right
        marks = [tr("your answer")] * mine + [tr("so it is")] * right
        yield choice, "right" if right else "mine" if mine else "", ", ".join(marks)


def skipped_words(player: Player) -> str:
    """Where nothing at all could be played."""
    if any(each.state is not StepState.SKIPPED for each in player.steps):
        return ""
    return tr("Every step of this lesson was skipped on this machine; each says why.")


def verdict(part: Predict, step: StepPlay, player: Player) -> str:
    """What became of a prediction, in sentences. Where nobody predicts, none is missing."""
    said, revealed = step.predictions.get(part.line), step.revealed.get(part.line)
    missing = said is None and any(each.predictions for each in player.steps)
    told = [tr("Nobody predicted this.")] if missing else []
    if revealed is None:
        return paragraph((*told, tr("It was not revealed.")))
    return paragraph((*told, tr(how_far(part, said, revealed)), tr(revealed.why)))


def check_words(part: Check, step: StepPlay) -> tuple[bool | None, str, str]:
    """Whether it held (None: it was not made), the lesson's Markdown for that, our words."""
    checked: Checked | None = step.checked.get(part.line)
    if checked is None:
        return None, "", tr("Not checked.")
    if checked.held:
        return True, "", tr("Checked, and it holds.")
    own = tr(checked.error or _NOT_SO)
    return False, paragraph((checked.found, checked.told)), own


def cell_words(part: Code, cell: Cell | None, step: StepPlay) -> str:
    """Why there is nothing of it, or why it is not as it should be; empty: all is well."""
    if cell is None:
        if step.state is StepState.DONE or part.line in step.cells:
            return tr("This cell ran in an earlier session, and what it did was not kept.")
        if step.state is StepState.FAILED:
            return tr("This cell was not run, since what is above it is not as it should be.")
        return tr("This cell was not run.")
    match cell.state, part.fails:
        case (("waiting" | "running"), _):
            return tr("This cell was still running when the lesson was saved.")
        case "failed", True:
            return tr("This cell is here to fail.")
        case "done", True:
            return tr("This cell is here to fail, and it did not.")
        case "cancelled", _:
            return tr("This cell was stopped before it was done.")
        case _:
            return ""


def copy_rows(cell: Cell) -> Sequence[Sequence[str]]:
    """The heads of the columns, and the first copies of the cell; empty: it made none."""
    modelled = any(each.modelled for each in cell.transfers)
    time = tr("Time, simulated") if modelled else tr("Time")
    heads = (tr("Copy"), tr("Size"), time, tr("Rate"), tr("Host memory"))
    rows = [_copy_row(each) for each in cell.transfers[:MOST_COPIES]]
    return [heads, *rows] if rows else []


def more_copies(cell: Cell) -> str:
    rest = cell.transfers[MOST_COPIES:]
    if not rest:
        return ""
    return trn(
        "{count} more copy is left out here, of {size}.",
        "{count} more copies are left out here, of {size} together.",
        sum(each.copies for each in rest),
        size=bytes_words(sum(each.bytes for each in rest)),
    )


def _copy_row(copy: Transferred) -> Sequence[str]:
    way = f"{copy.source} → {copy.target}"
    if copy.already_there:
        return (way, bytes_words(copy.bytes), tr("already there, nothing copied"), "", "")
    if copy.copies > 1:
        way = tr("{way}, {count} times", way=way, count=copy.copies)
    if not copy.asked:
        way = tr("{way}, not asked for", way=way)
    if copy.seconds is None:
        time, speed = tr("not timed"), ""
    else:
        time = str(duration(copy.seconds))
        speed = str(rate(copy.bytes / copy.seconds)) if copy.seconds > 0 else ""
    host = "" if copy.pinned is None else tr("pinned") if copy.pinned else tr("pageable")
    if copy.intact is False:
        host = tr("arrived WRONG")
    return (way, bytes_words(copy.bytes), time, speed, host)


def outputs(cell: Cell) -> Sequence[Printed | Pictured]:
    """What it printed and drew; of very much the beginning, a sentence, and the end."""
    told: list[Printed | Pictured] = []
    room, missing = MOST_LETTERS, 0
    if cell.forgotten:
        words = mark("[{letters} letters before this were not kept]")
        told.append(Printed(cell.id, tr(words, letters=grouped(cell.forgotten)), "note"))
    for each in cell.outputs:
        if isinstance(each, Pictured) or each.stream == "note":
            told.append(each)
        elif not room:
            missing += len(each.text)
        else:
            text = overwritten(each.text)
            if len(text) > room:
                half = room // 2
                middle = _left_out(len(text) - 2 * half)
                text = f"{text[:half]}\n{middle}\n{text[len(text) - half :]}"
            room = max(0, room - len(text))
            told.append(replace(each, text=text))
    return [*told, Printed(cell.id, _left_out(missing), "note")] if missing else told


def _left_out(letters: int) -> str:
    return tr("[{letters} letters are left out here]", letters=grouped(letters))
