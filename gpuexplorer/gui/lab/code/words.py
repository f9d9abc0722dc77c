"""What stands above the editor while something wants an answer, and what cures would cost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gpuexplorer.core.units import USUAL, Units, bytes_words, duration, seconds_words
from gpuexplorer.core.words import listed, paragraph, tr, trn
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.lab.cures import Copying, Cure


class Answer(StrEnum):
    """What a person can do about it."""

    STOP = "stop"
    RESTART = "restart"
    REPLAY = "replay"
    START_OVER = "start over"
    ALLOW = "allow"
    RUN_NEXT = "run next"
    RUN_ALL = "run all"
    WATCH = "watch"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class LabNotice:
    """Empty where there is nothing to say."""

    sentence: str = ""
    tone: Tone = Tone.QUIET
    answers: Mapping[Answer, str] = field(default_factory=dict)


def hanging() -> LabNotice:
    said = tr(
        "It does not come back: what the cell does cannot be interrupted. A new worker can "
        "take the place of this one; then the session can be run again."
    )
    return LabNotice(said, Tone.WARN, {Answer.RESTART: tr("Restart the worker")})


def starting() -> LabNotice:
    return LabNotice(tr("PyTorch starts in a process of its own; then the cells run."))


def waits_for_pytorch(count: int) -> LabNotice:
    return _stoppable(
        trn(
            "{count} cell waits for PyTorch, and runs when it is there",
            "{count} cells wait for PyTorch, and run when it is there",
            count,
        )
    )


def replaying(count: int) -> LabNotice:
    return _stoppable(
        trn(
            "The session is run again: {count} cell is still to come",
            "The session is run again: {count} cells are still to come",
            count,
        )
    )


def running(number: int, seconds: float, waiting: int) -> LabNotice:
    time = duration(seconds)
    if not waiting:
        return _stoppable(tr("Cell {number} runs, {time}", number=number, time=time))
    return _stoppable(
        trn(
            "Cell {number} runs, {time}; {count} cell waits behind it",
            "Cell {number} runs, {time}; {count} cells wait behind it",
            waiting,
            number=number,
            time=time,
        )
    )


def waiting(count: int) -> LabNotice:
    return _stoppable(
        trn(
            "{count} cell waits for what runs before",
            "{count} cells wait for what runs before",
            count,
        )
    )


def _stoppable(said: str) -> LabNotice:
    return LabNotice(said, answers={Answer.STOP: tr("Stop")})


def gone(count: int, ended: str) -> LabNotice:
    """`ended`: why the worker did; empty where a person ended it."""
    said = ended or tr("What the cells made is gone with their worker.")
    again = trn(
        "Run the session again ({count} cell)", "Run the session again ({count} cells)", count
    )
    answers = {Answer.REPLAY: again, Answer.START_OVER: tr("Start over")}
    return LabNotice(said, Tone.WARN if ended else Tone.QUIET, answers)


def from_outside(file: str) -> LabNotice:
    said = tr(
        "The cells of {file} come from outside. They run as your own Python, with your "
        "rights: they can read and change your files. Read them first.",
        file=file,
    )
    return LabNotice(
        said, Tone.WARN, {Answer.ALLOW: tr("Run them"), Answer.DROP: tr("Drop them")}
    )


def not_run(count: int, file: str, said: str, ended: str, *, whole: bool) -> LabNotice:
    """Cells of an opened file. `whole`: it is a program, which can also run whole."""
    stands = trn(
        "{count} cell of {file} has not run.",
        "{count} cells of {file} have not run.",
        count,
        file=file,
    )
    answers = {
        Answer.RUN_NEXT: tr("Run next"),
        Answer.RUN_ALL: tr("Run all"),
        **({Answer.WATCH: tr("Watch it")} if whole else {}),
        Answer.DROP: tr("Drop"),
    }
    tone = Tone.WARN if ended else Tone.QUIET
    return LabNotice(paragraph([said, ended, stands]), tone, answers)


# How long a copy would take, and over which wires; None where nobody can tell.
Expect = Callable[[Copying], tuple[float, str] | None]


@dataclass(frozen=True, slots=True)
class CureFace:
    """`sources` and `target` are devices by PyTorch's names; empty where nothing is moved."""

    cure: Cure
    price: str
    sources: tuple[str, ...] = ()
    target: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """To run, one after the other."""
        return self.cure.cells

    @property
    def lines(self) -> tuple[str, ...]:
        """Those of them that are other than before."""
        return self.cure.shown

    @property
    def words(self) -> str:
        """For screen readers."""
        path = ""
        if self.target:
            sources = listed(self.sources)
            path = tr("From {sources} to {target}", sources=sources, target=self.target)
        said = ["; ".join(self.lines), self.price, path]
        return ". ".join(each for each in said if each)


def cure_face(cure: Cure, expect: Expect, units: Units = USUAL) -> CureFace:
    price, target = tr(cure.label), ""
    sources: tuple[str, ...] = ()
    if cure.copies:
        price = _with_notes(cure, _price_of_copies(cure.copies, expect, units))
        sources = tuple(dict.fromkeys(each.source for each in cure.copies))
        target = cure.copies[0].target
    elif cure.frees_bytes:
        frees = bytes_words(cure.frees_bytes, units)
        price = tr("Gives back {size}; then the cell again", size=frees)
    if cure.anew:
        price = tr("{price}. {note}", price=price, note=tr("The cells before run again first"))
    return CureFace(cure, price, sources, target)


def _with_notes(cure: Cure, price: str) -> str:
    staying = [each.name for each in cure.copies if each.stays]
    target = cure.copies[0].target
    if staying:
        model = listed(staying)
        note = trn(
            "{model} is on {device} from then on",
            "{model} are on {device} from then on",
            len(staying),
            model=model,
            device=target,
        )
        price = tr("{price}. {note}", price=price, note=note)
    if cure.again:
        note = tr("Each time that line runs, it copies again")
        price = tr("{price}. {note}", price=price, note=note)
    return price


def _price_of_copies(copies: Sequence[Copying], expect: Expect, units: Units) -> str:
    sizes = [bytes_words(each.bytes, units) for each in copies]
    said = " + ".join(sizes)
    if len(set(sizes)) == 1 and len(sizes) > 1:
        said = f"{len(sizes)} × {sizes[0]}"
    expected = [expect(each) for each in copies]
    known = [each for each in expected if each is not None]
    target = copies[0].target
    if len(known) < len(copies):
        if target == "cpu":
            return tr("{sizes}; then it runs on the processor", sizes=said)
        return tr("{sizes}; then it runs on {device}", sizes=said, device=target)
    ways = listed(list(dict.fromkeys(way for _, way in known)))
    time = seconds_words(sum(seconds for seconds, _ in known))
    if target == "cpu":
        return tr(
            "{sizes} over {ways}, about {time}; then it runs on the processor",
            sizes=said,
            ways=ways,
            time=time,
        )
    return tr(
        "{sizes} over {ways}, about {time}; then it runs on {device}",
        sizes=said,
        ways=ways,
        time=time,
        device=target,
    )
