"""What the rows of the overview's lists are: programs on cards, and when cards were slowed."""

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import throttle
from gpuexplorer.core.units import USUAL
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.card_face import arrange
from gpuexplorer.gui.cards.programs import ProgramFace, program_faces
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.process_book import GONE, SIMULATED
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from tests.gui.fakes import GIB, card

BY_ID = {each.card.id: each for each in arrange([card(index) for index in range(4)])}
FIRST = CardId("GPU-0")


def process(on: int, pid: int, command: str | None, gib: float | None) -> NamedProcess:
    values = {ProcessFigure.SM: 0.5} | (
        {} if gib is None else {ProcessFigure.MEMORY: gib * GIB}
    )
    missing = {ProcessFigure.MEMORY: Absence.WINDOWS_KEEPS_IT} if gib is None else {}
    found = CardProcess(CardId(f"GPU-{on}"), pid, ProcessUse.COMPUTE, values, missing)
    if command is None:
        return NamedProcess(found, resolved=False, reason=GONE)
    return NamedProcess(found, resolved=True, user="ana", command=command, cpu=1.18)


def rows(*processes: NamedProcess) -> list[ProgramFace]:
    return list(program_faces(processes, BY_ID, USUAL, now=0.0))


def test_the_ranks_of_one_training_are_one_row_and_the_largest_comes_first() -> None:
    ranks = [process(index, 100 + index, "python train.py", 10.0) for index in range(3)]
    first, second = rows(process(3, 7, "vllm serve", 12.0), *ranks)
    assert [chip.text for chip in first.chips] == ["0", "1", "2"]
    assert (first.command, first.pid) == ("python train.py", "3 pids")
    figures = first.memory, first.busy, first.processor
    assert [figure.number for figure in figures] == ["30.00", "50", "354"]
    assert (second.command, second.hint) == ("vllm serve", "vllm serve\nPID 7")


def test_what_is_not_known_of_a_program_is_words() -> None:
    unnamed, other = rows(process(0, 5, None, 1.0), process(1, 5, None, 1.0))
    assert [unnamed.known, other.known] == [False, False]
    assert unnamed.command == "not known"
    assert "It has ended, or may not be looked at." in unnamed.hint
    (game,) = rows(process(0, 5, "game", None))
    assert "Windows" in game.memory.absent[0]


def test_what_is_made_up_has_a_dash_and_the_reason_where_the_computer_would_tell() -> None:
    found = process(0, 5, "train", 1.0).process._replace(simulated_command="train")
    (row,) = rows(NamedProcess(found, resolved=False, reason=SIMULATED, command="train"))
    for figure in (row.user, row.processor, row.since):
        assert (figure.absent, figure.hint) == (("–",), "Made up: there is no such process.")


def happening(at: float, kind: Kind, about: str = "", lasted: float | None = None) -> Happening:
    return Happening(at, at, kind, FIRST, Message(about), about, lasted)


def test_when_a_card_was_slowed_is_known_from_its_beginning_to_its_end() -> None:
    book, hot = SlowedBook(), throttle("hw_thermal_slowdown")
    log = [happening(10, Kind.THROTTLING_BEGAN, hot)]
    book.take(log)
    assert [(each.start, each.end) for each in book.stretches(FIRST, 0, 30)] == [(10, 30)]
    log.append(happening(24, Kind.THROTTLING_ENDED, hot, lasted=12))
    book.take(log)
    (over,) = book.stretches(FIRST, 0, 30)
    assert (over.start, over.end, over.word) == (10, 22, "Too hot")
    assert not book.stretches(FIRST, 23, 30)
    assert not book.stretches(CardId("GPU-1"), 0, 30)


def test_a_lost_card_is_slowed_no_longer_and_is_known_to_be_gone() -> None:
    book, warm = SlowedBook(), throttle("sw_thermal_slowdown")
    log = [
        happening(10, Kind.THROTTLING_BEGAN, warm),
        happening(15, Kind.CARD_LOST),
        happening(15, Kind.THROTTLING_UNKNOWN, warm, lasted=5),
    ]
    book.take(log)
    assert [each.end for each in book.stretches(FIRST, 0, 30)] == [15]
    assert book.gone_at(FIRST) == 15
    book.take([*log, happening(20, Kind.CARD_BACK)])
    assert book.gone_at(FIRST) is None
