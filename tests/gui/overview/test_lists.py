"""What the overview says of programs, of several cards together, and of those worth a look."""

from collections.abc import Mapping

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import ENERGY, throttle
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.cards.card_face import CardFace, CardNow, arrange, card_face
from gpuexplorer.gui.cards.programs import ProgramFace, program_faces
from gpuexplorer.gui.overview.lists import worth_a_look
from gpuexplorer.gui.overview.sums import EnergyFeed, figures_of
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.process_book import GONE, SIMULATED
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from tests.clocks import ManualClock
from tests.gui.fakes import GIB, Answer, card, working

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


LOST = Answer(otherwise=Absence.LOST, state=CardState.LOST)
ASLEEP = Answer(otherwise=Absence.ASLEEP, state=CardState.ASLEEP)
REFUSED = Answer(otherwise=Absence.NO_PERMISSION)


def faces(answers: Mapping[int, Answer], count: int = 4) -> list[CardFace]:
    cards, found = arrange([card(index) for index in range(count)]), {}
    for each in cards:
        answer = answers.get(each.card.index, working())
        reading = Reading(each.card.id, 0.0, answer.values, answer.missing, answer.state)
        found[each.card.id] = CardNow(reading, None)
    return [card_face(each, found, units=USUAL) for each in cards]


def test_sums_are_of_the_cards_that_answer() -> None:
    some = faces({0: working(1.0), 1: working(0.5), 2: LOST, 3: LOST})
    assert [each.spoken for each in figures_of(some, USUAL)] == [
        "Busy, average (2 of 4 cards) 75 %",
        "Memory (2 of 4 cards) 39.0 of 48 GiB",
        "Power (2 of 4 cards) 398 of 560 W",
        "Hottest (2 of 4 cards) 71 °C, card 0",
    ]


def test_it_is_not_said_twice_how_many_cards_answer() -> None:
    _, _, power, _ = figures_of(faces({0: LOST, 1: REFUSED}), USUAL, answering_said=True)
    assert power.label == "Power (2 of 4 cards)"
    _, _, power, _ = figures_of(faces({0: LOST}), USUAL, answering_said=True)
    assert power.label == "Power"


def test_sums_follow_the_units_a_person_wants_and_many_cards_draw_kilowatts() -> None:
    ten = faces(dict.fromkeys(range(10), working(1.0)), 10)
    wanted = Units(decimal_memory=True, fahrenheit=True)
    _, memory, power, hottest = figures_of(ten, wanted)
    assert power.spoken == "Power 2.60 of 2.80 kW"
    assert (memory.unit, "°F" in hottest.unit) == ("GB", True)


def test_where_nobody_tells_anything_the_sums_say_so() -> None:
    for figure in figures_of(faces(dict.fromkeys(range(4), LOST)), USUAL):
        assert figure.spoken.endswith(": no card is read")


def energy(cards: int, span: float = 60.0, told: int = 20, held: bool = False) -> list[str]:
    """Beat by beat, of cards that use 100 W for 60 s."""
    history, ids = History(), [card(index).id for index in range(cards)]
    for second in range(60):
        for each in ids[:told]:
            history.append(Sample(each, 1000.0 + second, {ENERGY: 5000.0 + 100.0 * second}))
    window, feed = TimeWindow(ManualClock(1060.0)), EnergyFeed(history)
    window.choose_span(span)
    if held:
        window.toggle_pause()
    return [feed.figure(ids, window).spoken for _ in range(3)]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"cards": 3, "told": 2}, "Energy, 1 min (2 of 3 cards) 3.28 Wh"),
        ({"cards": 2, "span": 300.0}, "Energy, 59 s 3.28 Wh"),
        ({"cards": 1, "held": True}, "Energy, the 1 min shown 1.64 Wh"),
        ({"cards": 1, "told": 0}, "Energy, 1 min: with the next readings"),
    ],
)
def test_energy_carries_the_time_and_the_cards_it_is_of(
    asked: Mapping[str, int], said: str
) -> None:
    assert energy(**asked)[-1] == said  # type: ignore[arg-type]  # of several types


def test_the_gravest_comes_first_and_cards_alike_share_a_row() -> None:
    hot = working(**{throttle("hw_thermal_slowdown"): 1.0})
    rows = worth_a_look(faces({0: ASLEEP, 1: ASLEEP, 2: hot, 3: LOST}))
    assert [[each.number for each in row] for _, row in rows] == [["3"], ["2"], ["0", "1"]]
    assert worth_a_look(faces(dict.fromkeys(range(4), working(0.0)))) == []
