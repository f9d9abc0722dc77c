"""LineFace: all that the code pane shows of one line of the session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.units import USUAL, Quantity, Units, duration
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.lab.code.line_cost import cost_words
from gpuexplorer.lab.events import Failed, Placed
from gpuexplorer.lab.ledger import Entry
from gpuexplorer.lab.wire import Train

_MOST_SAID = 20  # lines of what was printed, to screen readers
_BRIEFLY = {
    "cancelled": mark("Cancelled."),
    "out of memory": mark("Does not fit."),
    "devices differ": mark("Two devices."),
    "bad request": mark("Not carried out."),
    "refused by PyTorch": mark("Refused by PyTorch."),
    "device broken": mark("The card broke off."),
    "device lost": mark("The card is lost."),
    "worker lost": mark("Lost with its worker."),
}
_STATES = {
    "waiting": mark("waiting"),
    "running": mark("running"),
    "done": mark("done"),
    "failed": mark("failed"),
}


@dataclass(frozen=True, slots=True)
class Curve:
    """The losses of a training run so far."""

    losses: tuple[float, ...]
    steps: int

    @property
    def words(self) -> str:
        if not self.losses:
            return tr("step 0 of {steps}", steps=self.steps)
        return tr(
            "loss {loss:.4g}, step {step} of {steps}",
            loss=self.losses[-1],
            step=len(self.losses),
            steps=self.steps,
        )


@dataclass(frozen=True, slots=True)
class LineFace:
    """Seconds are None where no device had to do, or nothing is known yet."""

    id: int
    number: int
    code: str
    state: str
    cost: str
    tone: Tone = Tone.QUIET
    device_seconds: float | None = None
    host_seconds: float | None = None
    worked_on: str = ""  # the device that did most of it
    printed: tuple[str, ...] = ()  # where operations ran, then what the line said
    curve: Curve | None = None
    released: bool = False  # of an earlier shelf

    @property
    def failed(self) -> bool:
        return self.state == "failed"

    @property
    def device(self) -> Quantity | None:
        return None if self.device_seconds is None else duration(self.device_seconds)

    @property
    def host(self) -> Quantity | None:
        return None if self.host_seconds is None else duration(self.host_seconds)

    @property
    def words(self) -> str:
        """For screen readers."""
        said = [
            tr("Line {number}: {code}", number=self.number, code=self.code),
            tr(_STATES[self.state]),
            self.cost.removesuffix("."),
        ]
        times = []
        if self.device is not None:
            times.append(f"{self.worked_on or tr('device')} {self.device}")
        if self.host is not None:
            times.append(tr("host {time}", time=self.host))
        said.append(", ".join(times))
        if self.released:
            said.append(tr("released"))
        return ". ".join(each for each in (*said, *self.printed[:_MOST_SAID]) if each)


def line_face(
    entry: Entry,
    number: int,
    numbers: Mapping[int, int],
    placed: Sequence[Placed] = (),
    shares: Mapping[str, str] | None = None,
    units: Units = USUAL,
    *,
    released: bool = False,
) -> LineFace:
    """`numbers`: of lines, by their commands."""
    tone = Tone.QUIET
    cost = ""
    match entry.state:
        case "waiting":
            cost, tone = tr("Waits for its turn"), Tone.FAINT
        case "running":
            cost = tr("Running")
        case "failed" if entry.failed is not None:
            cost, tone = failed_words(entry, entry.failed, numbers), Tone.BAD
            if entry.failed.cause == "cancelled":
                tone = Tone.QUIET
        case _:
            cost = cost_words(entry, placed, shares, units)
            if any(each.intact is False for each in entry.transfers):
                tone = Tone.BAD
    if entry.state == "done":
        cost = _with_reason(cost, entry, numbers)
    finished = entry.finished
    busy = () if finished is None else finished.busy
    return LineFace(
        entry.id,
        number,
        entry.code,
        entry.state,
        cost,
        tone,
        None if finished is None else finished.device_seconds,
        None if finished is None else finished.host_seconds,
        max(busy, key=lambda each: each[1])[0] if busy else "",
        _printed(entry),
        _curve(entry),
        released,
    )


def _printed(entry: Entry) -> tuple[str, ...]:
    """Where its operations ran, if that was asked for, in one row above what the line said."""
    ran = ("; ".join(entry.placement),) if entry.placement else ()
    return (*ran, *(line for text in entry.printed for line in text.splitlines()))


def failed_words(entry: Entry, failed: Failed, numbers: Mapping[int, int]) -> str:
    """Why, briefly, and by which line it was cured."""
    said = [tr(_BRIEFLY[failed.cause])]
    cure = None if entry.cured_by is None else numbers.get(entry.cured_by)
    if cure is not None:
        said.append(tr("Cured by line {number}.", number=cure))
    return " ".join((*said, tr("Not in the script.")))


def _with_reason(cost: str, entry: Entry, numbers: Mapping[int, int]) -> str:
    """Why a line is there that nobody typed."""
    reason = ""
    if entry.undoes is not None and entry.undoes in numbers:
        reason = tr("Takes back line {number}.", number=numbers[entry.undoes])
    elif entry.cures is not None and entry.cures in numbers:
        reason = tr("Cures line {number}.", number=numbers[entry.cures])
    return " ".join(each for each in (reason, cost) if each)


def _curve(entry: Entry) -> Curve | None:
    command = entry.command
    if not isinstance(command, Train):
        return None
    return Curve(tuple(entry.losses), command.steps)
