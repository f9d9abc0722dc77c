"""What the overview says of several cards: programs, sums, and who is worth a look."""

from collections.abc import Mapping, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import POWER_LIMIT, throttle
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.card_face import CardFace, CardNow, Shown, arrange, card_face
from gpuexplorer.gui.cards.programs import program_faces
from gpuexplorer.gui.cards.throttling import EnergyTogether, SlowedBook
from gpuexplorer.gui.overview.attention import ranges, worth_a_look
from gpuexplorer.gui.overview.plotted import notable_flags
from gpuexplorer.gui.overview.sums import sums
from gpuexplorer.gui.overview.words import energy_together
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.process_book import GONE, SIMULATED
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from tests.gui.fakes import GIB, Answer, card, working

CARDS = arrange([card(index) for index in range(4)])
LOST_CARD = Answer(otherwise=Absence.LOST, state=CardState.LOST)
BY_ID: Mapping[CardId, Shown] = {each.card.id: each for each in CARDS}


def faces(answers: Mapping[int, Answer], cards: Sequence[Shown] = CARDS) -> list[CardFace]:
    found = {}
    for each in cards:
        answer = answers.get(each.card.index, working())
        reading = Reading(each.card.id, 0.0, answer.values, answer.missing, answer.state)
        found[each.card.id] = CardNow(reading, None)
    return [card_face(each, found, units=USUAL) for each in cards]


def process(on: int, pid: int, command: str | None, gib: float | None) -> NamedProcess:
    values = {ProcessFigure.SM: 0.5}
    missing = {}
    if gib is None:
        missing[ProcessFigure.MEMORY] = Absence.WINDOWS_KEEPS_IT
    else:
        values[ProcessFigure.MEMORY] = gib * GIB
    found = CardProcess(CardId(f"GPU-{on}"), pid, ProcessUse.COMPUTE, values, missing)
    if command is None:
        return NamedProcess(found, resolved=False, reason=GONE)
    return NamedProcess(found, resolved=True, user="ana", command=command, cpu=1.18)


def test_the_ranks_of_one_training_are_one_row_and_the_largest_comes_first() -> None:
    ranks = [process(index, 100 + index, "python train.py", 10.0) for index in range(3)]
    other = process(3, 7, "vllm serve", 12.0)
    first, second = program_faces([other, *ranks], BY_ID, USUAL, now=0.0)
    assert [chip.text for chip in first.chips] == ["0", "1", "2"]
    assert (first.command, first.pid) == ("python train.py", "3 pids")
    assert first.memory.number == "30.00"
    assert first.busy.number == "50"
    assert first.processor.number == "354"
    assert second.command == "vllm serve"


def test_a_program_nobody_can_name_says_why_and_keeps_its_row() -> None:
    rows = program_faces([process(0, 5, None, 1.0), process(1, 5, None, 1.0)], BY_ID, USUAL, 0)
    assert len(rows) == 2
    assert not rows[0].known
    assert "not known" in rows[0].command


def test_what_is_made_up_has_a_dash_and_the_reason_where_the_computer_would_tell() -> None:
    made_up = NamedProcess(
        process(0, 5, "train", 1.0).process._replace(simulated_command="train"),
        resolved=False,
        reason=SIMULATED,
        command="train",
    )
    (row,) = program_faces([made_up], BY_ID, USUAL, 0)
    for figure in (row.user, row.processor, row.since):
        assert (figure.absent, figure.hint) == (
            ("–",),
            "Made up: there is no such process.",
        )


def test_of_a_program_that_is_known_nothing_is_said_to_be_unknown() -> None:
    (row,) = program_faces([process(0, 5, "train", 1.0)], BY_ID, USUAL, 0)
    assert row.hint == "train\nPID 5"


def test_a_flag_on_the_plot_of_all_cards_keeps_the_names_of_things() -> None:
    told = [
        Happening(
            1.0, 1e9, Kind.XID, CARDS[0].card.id, Message("Xid 79: the card fell off the bus")
        ),
        Happening(2.0, 1e9, Kind.CARD_LOST, CARDS[0].card.id, Message("The card is lost")),
        Happening(
            3.0, 1e9, Kind.SLOW_LINK, CARDS[0].card.id, Message("PCIe runs slower than it can")
        ),
    ]
    said = [flag.text for flag in notable_flags(told, faces({}), (0.0, 5.0))]
    assert said == [
        "0: Xid 79: the card fell off the bus",
        "0: The card is lost",
        "0: PCIe runs slower than it can",
    ]


def test_memory_that_is_not_told_is_words_and_no_zero() -> None:
    (row,) = program_faces([process(0, 5, "game", None)], BY_ID, USUAL, 0)
    assert not row.memory.known
    assert "Windows" in row.memory.absent[0]


def test_sums_are_of_the_cards_that_answer() -> None:
    lost = LOST_CARD
    together = sums(faces({0: working(1.0), 1: working(0.5), 2: lost, 3: lost}), USUAL)
    assert together.answering == 2
    assert (together.busy.number, together.busy.unit) == ("75", "%")
    assert together.memory.spoken == "Memory (2 of 4 cards) 39.0 of 48 GiB"
    assert together.power.spoken == "Power (2 of 4 cards) 398 of 560 W"
    assert together.hottest.spoken == "Hottest (2 of 4 cards) 71 °C, card 0"


def test_sums_say_on_how_many_cards_where_one_gives_no_figures() -> None:
    refused = Answer(otherwise=Absence.NO_PERMISSION)
    together = sums(faces({0: refused}), USUAL)
    assert together.answering == 4
    assert together.busy.short_label == "busy on 3 of 4 cards"
    assert together.busy.label == "Busy, average (3 of 4 cards)"
    beside = sums(faces({0: LOST_CARD, 1: refused}), USUAL, answering_said=True)
    assert (beside.answering, beside.count) == (3, 4)
    assert beside.power.label == "Power (2 of 4 cards)"
    # In a row it is said once.
    assert together.memory.short_label == ""
    used = EnergyTogether(9e3, 299.0, 3)
    assert energy_together(used, 300.0, 4).short_label == "in 5 min on 3 of 4 cards"
    assert energy_together(used, 300.0, 3).short_label == "in 5 min"


def test_beside_figures_of_now_energy_says_that_it_is_of_the_time_shown() -> None:
    used = EnergyTogether(9e3, 299.0, 3)
    figure = energy_together(used, 300.0, 3, following=False)
    assert figure.short_label == "in the 5 min shown"
    assert figure.label == "Energy, the 5 min shown"


def test_energy_carries_the_time_it_covers() -> None:
    figure = energy_together(EnergyTogether(801.0, 7.2, 2), 300.0, 2)
    assert figure.spoken == "Energy, 7 s 801 J"
    assert figure.short_label == "in 7 s"


def test_what_all_draw_is_not_compared_with_the_limits_of_some() -> None:
    values = {m: v for m, v in working(1.0).values.items() if m != POWER_LIMIT}
    together = sums(faces({0: Answer(values, otherwise=Absence.REFUSED)}), USUAL)
    assert together.power.limit == ""
    assert together.power.number


def test_sums_follow_the_units_a_person_wants() -> None:
    together = sums(faces({}), Units(decimal_memory=True, fahrenheit=True))
    assert together.memory.unit == "GB"
    assert "°F" in together.hottest.unit


def test_many_cards_draw_kilowatts() -> None:
    many = arrange([card(index) for index in range(10)])
    together = sums(faces(dict.fromkeys(range(10), working(1.0)), many), USUAL)
    assert together.power.spoken == "Power 2.60 of 2.80 kW"


def test_where_nobody_tells_anything_the_sums_say_so() -> None:
    silent = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    together = sums(faces(dict.fromkeys(range(4), silent)), USUAL)
    assert together.busy.spoken == "Busy, average: no card is read"
    assert not together.memory.known
    assert not energy_together(None, 300.0, 4).known


def test_the_gravest_comes_first_and_cards_alike_share_a_row() -> None:
    asleep = Answer(otherwise=Absence.ASLEEP, state=CardState.ASLEEP)
    lost = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    hot = working(**{throttle("hw_thermal_slowdown"): 1.0})
    rows = worth_a_look(faces({0: asleep, 1: asleep, 2: hot, 3: lost}))
    assert [row.tone for row in rows] == [Tone.BAD, Tone.WARN, Tone.QUIET]
    assert [row.words for row in rows] == ["Lost", "Much too hot", "2 × Asleep"]
    assert [row.numbers for row in rows] == ["3", "2", "0, 1"]
    assert rows[1].more == "70 of 78 °C"


def test_an_idle_card_is_not_worth_a_look() -> None:
    assert worth_a_look(faces(dict.fromkeys(range(4), working(0.0)))) == []


def test_numbers_in_a_row_are_a_range() -> None:
    assert ranges([50, 51, 52, 55, 13, 14]) == "13, 14, 50–52, 55"


def happening(at: float, kind: Kind, about: str = "", lasted: float | None = None) -> Happening:
    return Happening(at, at, kind, CardId("GPU-0"), Message(about), about, lasted)


def test_when_a_card_was_slowed_is_known_from_its_beginning_to_its_end() -> None:
    book = SlowedBook()
    hot = throttle("hw_thermal_slowdown")
    log = [happening(10, Kind.THROTTLING_BEGAN, hot)]
    book.take(log)
    (goes_on,) = book.stretches(CardId("GPU-0"), 0, 30)
    assert (goes_on.start, goes_on.end) == (10, 30)
    assert goes_on.word == "Too hot"
    log.append(happening(24, Kind.THROTTLING_ENDED, hot, lasted=12))
    book.take(log)
    (over,) = book.stretches(CardId("GPU-0"), 0, 30)
    assert (over.start, over.end) == (10, 22)
    assert book.stretches(CardId("GPU-0"), 23, 30) == []
    assert book.stretches(CardId("GPU-1"), 0, 30) == []


def test_a_lost_card_is_slowed_no_longer_and_is_known_to_be_gone() -> None:
    book = SlowedBook()
    book.take(
        [
            happening(10, Kind.THROTTLING_BEGAN, throttle("sw_thermal_slowdown")),
            happening(15, Kind.CARD_LOST),
            happening(15, Kind.THROTTLING_UNKNOWN, throttle("sw_thermal_slowdown"), lasted=5),
        ]
    )
    (slowed,) = book.stretches(CardId("GPU-0"), 0, 30)
    assert slowed.end == 15
    assert book.gone_at(CardId("GPU-0")) == 15
    book.take([happening(20, Kind.CARD_BACK)])
    assert book.gone_at(CardId("GPU-0")) is None
