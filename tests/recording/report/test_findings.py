"""What stands out in a recording is told with its figures, and nothing else is."""

from collections.abc import Callable, Sequence
from pathlib import Path

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.recording.export.choosing import chosen
from gpuexplorer.recording.recording import Recording
from gpuexplorer.recording.report.card_sums import card_sums
from gpuexplorer.recording.report.courses import Courses
from gpuexplorer.recording.report.findings import Finding, Known, Matter, findings
from gpuexplorer.recording.report.tables import unread
from gpuexplorer.telemetry.episodes import EventBook
from gpuexplorer.telemetry.happenings import Happening, Kind
from tests.recording.report.told import GIB, Figures, card, recorded

CARDS = [card(0), card(1), card(2)]
Figured = Callable[[int, int], Figures | None]


def found_in(recording: Recording) -> dict[Matter, Finding]:
    courses = Courses(chosen(recording))
    episodes = EventBook().take(recording.happenings())
    known = Known(courses, card_sums(courses), episodes, unread(courses))
    recording.close()
    return {each.matter: each for each in findings(known)}


def found(
    path: Path, figures: Figured, happenings: Sequence[Happening] = ()
) -> dict[Matter, Finding]:
    return found_in(recorded(path / "a.gpurec", CARDS, figures, happenings=happenings))


def happened(second: float, kind: Kind, number: int | None, words: str) -> Happening:
    named = None if number is None else CardId(f"GPU-{number}")
    return Happening(second, 0.0, kind, named, Message(words))


def calm(number: int, second: int) -> Figures:
    return {"gpu_utilization": 0.5, "memory_used": 4 * GIB, "temperature": 60.0}


def test_of_a_calm_time_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert found(tmp_path, calm) == {}


def test_a_card_that_slowed_for_heat_is_told_with_its_share_of_the_time(tmp_path: Path) -> None:
    def hot(number: int, second: int) -> Figures:
        slow = number == 2 and second >= 90
        return {**calm(number, second), "temperature": 91.0 if slow else 60.0} | {
            "throttle_hw_thermal_slowdown": float(slow),
            "throttle_sw_power_cap": 1.0,
        }

    told = found(tmp_path, hot)
    assert list(told) == [Matter.SLOWED]
    slowed = told[Matter.SLOWED]
    assert slowed.title == "Card 2: Slowed down for heat"
    assert slowed.sentence == "Card 2 for 25 % of the time, 30.0 s in all. It reached 91 °C."


def test_a_card_that_did_nothing_while_others_worked_is_told(tmp_path: Path) -> None:
    told = found(tmp_path, lambda number, _: {"gpu_utilization": 0.0 if number == 1 else 0.8})
    assert told[Matter.IDLE].title == "Card 1: Did nothing while others worked"
    assert told[Matter.IDLE].sentence == "1 of 3 cards; the other 2 were busy 80 % on average."


def test_where_all_rest_nobody_is_idle(tmp_path: Path) -> None:
    assert found(tmp_path, lambda *_: {"gpu_utilization": 0.0}) == {}


def test_memory_that_is_nearly_full_is_told_with_its_size(tmp_path: Path) -> None:
    told = found(
        tmp_path, lambda n, s: {"memory_used": (23.5 if n == 0 and s > 59 else 4) * GIB}
    )
    assert told[Matter.FULL].sentence == (
        "Card 0: up to 23.5 of 24.0 GiB (98 %); over 90 % for 60.0 s."
    )


def test_energy_is_summed_up_from_power_where_no_card_counts_it(tmp_path: Path) -> None:
    told = found(tmp_path, lambda *_: {"power_draw": 100.0})
    assert told[Matter.ENERGY].title == "10.0 Wh of energy"
    assert told[Matter.ENERGY].sentence == "300 W on average, 3 cards together."


def test_a_counter_of_energy_that_begins_anew_is_no_loss(tmp_path: Path) -> None:
    def counter(_: int, second: int) -> Figures:
        return {"energy": 10.0 * (second if second < 60 else second - 60)}

    told = found(tmp_path, counter)
    assert told[Matter.ENERGY].title == "3540 J of energy"


def test_a_lost_card_and_its_xid_are_told_first(tmp_path: Path) -> None:
    told = found(
        tmp_path,
        lambda *_: {"power_draw": 100.0},
        [
            happened(30, Kind.XID, 1, "Xid 79: the card has fallen off the bus"),
            happened(31, Kind.CARD_LOST, 1, "The card is lost"),
        ],
    )
    assert list(told) == [Matter.GONE, Matter.FAULT, Matter.ENERGY]
    assert told[Matter.GONE].title == "Card 1: No longer answered"
    assert "It was not back when the recording ended." in told[Matter.GONE].sentence
    assert "Xid 79" in told[Matter.FAULT].sentence


def test_a_driver_that_went_is_told_without_a_card(tmp_path: Path) -> None:
    told = found(tmp_path, calm, [happened(5, Kind.DRIVER_GONE, None, "The driver is gone")])
    assert told[Matter.GONE].title == "The driver: No longer answered"


def test_every_finding_says_why_it_matters_and_what_to_do(tmp_path: Path) -> None:
    def all_of_it(number: int, second: int) -> Figures:
        return {
            "gpu_utilization": 0.0 if number else 0.9,
            "memory_used": 24 * GIB,
            "power_draw": 300.0,
            "throttle_hw_slowdown": 1.0,
        }

    told = found(tmp_path, all_of_it, [happened(5, Kind.SLOW_LINK, 0, "Runs at ×8 of ×16")])
    assert len(told) == 5
    for each in told.values():
        assert all((each.title, each.sentence, each.why, each.cure))
