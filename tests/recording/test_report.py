"""A report is one page that tells what was recorded and what stood out, and loads nothing."""

import base64
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.html_page import theme_colours
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Began, Finished, Measured
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.recording.export import chosen
from gpuexplorer.recording.lab_said import Noted, Sent, line_of
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.recording.report import report_page
from gpuexplorer.recording.report_facts import Report, findings
from gpuexplorer.telemetry.facts import Cards
from gpuexplorer.telemetry.happenings import Happening, Kind
from tests.clocks import ManualClock
from tests.recording.made import BEGAN, MACHINE, kept_in, make_recording

GIB = float(1 << 30)
HOSTILE = (
    "<script>alert(1)</script></style><img src=http://x/ onerror=alert(1)>&lt;=1+1\x1b[31m"
)
Figures = Mapping[str, float]
Figured = Callable[[int, int], Figures | None]


class Seen(HTMLParser):
    """What a browser would find."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.pictures: list[str] = []
        self._words: list[str] = []
        self.feed(written)
        self.text = " ".join(" ".join(self._words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.pictures += [value or "" for name, value in attrs if name in ("src", "srcset")]

    def handle_data(self, data: str) -> None:
        self._words.append(data)


def card(number: int, name: str = "RTX 4090") -> Card:
    return Card(CardId(f"GPU-{number}"), number, name, int(24 * GIB))


def recorded(
    path: Path,
    figures: Figured,
    cards: Sequence[Card] = (card(0), card(1), card(2)),
    happenings: Sequence[Happening] = (),
    name: str = "box",
    seconds: int = 120,
    said: Sequence[Noted] = (),
) -> Recording:
    """By the real recorder. `figures` of a card's number and a second; None: not read then."""
    clock = ManualClock(wall=BEGAN)
    recorder = Recorder(path / "a.gpurec", replace(MACHINE, name=name), clock)
    recorder.put(Cards(cards, MACHINE.source))
    began = clock.now()
    for second in range(seconds):
        for each in cards:
            read = figures(each.index, second)
            if read is not None:
                values = {MetricId(name): value for name, value in read.items()}
                missing = {MetricId("energy"): Absence.NOT_SUPPORTED}
                recorder.put(Sample(each.id, clock.now(), values, missing))
        for noted in said if second == 0 else ():
            line = line_of(noted)
            assert line is not None
            recorder.put_said(*line)
        for one in happenings:
            if one.at == second:
                recorder.put(one._replace(at=began + second, wall=BEGAN + second))
        if second % 60 == 0:
            recorder.write_now()
        clock.advance(1.0)
    recorder.stop()
    assert recorder.trouble is None
    return open_recording(path / "a.gpurec")


def found(recording: Recording) -> dict[str, str]:
    """What stood out: titles and sentences."""
    with closing(recording):
        return {each.title: each.sentence for each in findings(Report(chosen(recording)))}


def page_of(recording: Recording, start: float | None = None) -> str:
    with closing(recording):
        return report_page(chosen(recording, start))


def busy(_: int, second: int) -> Figures | None:
    """With a gap of twenty seconds."""
    return None if 40 <= second < 60 else {"gpu_utilization": 0.5}


def calm(number: int, second: int) -> Figures:
    return {"gpu_utilization": 0.5, "memory_used": 4 * GIB, "temperature": 60.0}


def hot(number: int, second: int) -> Figures:
    slow = number == 2 and second >= 90
    return {**calm(number, second), "temperature": 91.0 if slow else 60.0} | {
        "throttle_hw_thermal_slowdown": float(slow),
        "throttle_sw_power_cap": 1.0,
    }


def counter(_: int, second: int) -> Figures:
    """It begins anew."""
    return {"energy": 10.0 * (second if second < 60 else second - 60)}


@pytest.mark.parametrize(
    ("figures", "title", "sentence"),
    [
        (calm, "", ""),
        (lambda *_: {"gpu_utilization": 0.0}, "", ""),
        (
            hot,
            "Card 2: Slowed down for heat",
            "Card 2 for 25 % of the time, 30.0 s in all. It reached 91 °C.",
        ),
        (
            lambda number, _: {"gpu_utilization": 0.0 if number == 1 else 0.8},
            "Card 1: Did nothing while others worked",
            "1 of 3 cards; the other 2 were busy 80 % on average.",
        ),
        (
            lambda n, s: {"memory_used": (23.5 if n == 0 and s > 59 else 4) * GIB},
            "Card 0: Memory was nearly full",
            "Card 0: up to 23.5 of 24.0 GiB (98 %); over 90 % for 60.0 s.",
        ),
        (
            lambda *_: {"power_draw": 100.0},
            *("10.0 Wh of energy", "300 W on average, 3 cards together."),
        ),
        (counter, "3540 J of energy", "30 W on average, 3 cards together."),
    ],
)
def test_what_stood_out_is_told_with_its_figures_and_nothing_else_is(
    tmp_path: Path, figures: Figured, title: str, sentence: str
) -> None:
    assert found(recorded(tmp_path, figures)) == ({title: sentence} if title else {})


def test_a_report_tells_machine_cards_programs_and_events(tmp_path: Path) -> None:
    made = make_recording(tmp_path / "a.gpurec", "2xH100", 120, faults="lost:1@60s")
    page = page_of(open_recording(made))
    assert 'class="flags" d="M595 ' in page  # when the card was lost, in the middle
    seen = Seen(page)
    for words in (
        "simulated",
        "2 × NVIDIA H100 80GB HBM3, 79.6 GiB",
        "These cards are simulated: every figure is made up.",
        "Card 1: No longer answered",
        "Utilisation simulated",
        "Each card",
        "python -m ipykernel_launcher -f kernel.json",
        "The card is lost",
        "over 90 %",
    ):
        assert words in seen.text, words


def test_many_cards_are_rows_of_colours_with_gaps_and_nothing_is_loaded(tmp_path: Path) -> None:
    def each(number: int, second: int) -> Figures | None:
        return busy(number, second) and {"gpu_utilization": number / 8}

    page = page_of(recorded(tmp_path, each, [card(n) for n in range(9)]))
    dark, light = Seen(page).pictures
    assert light != dark
    picture = QImage.fromData(base64.b64decode(light.removeprefix("data:image/png;base64,")))
    assert (picture.width(), picture.height()) == (600, 9)
    begun, unread = picture.pixelIndex(0, 8), picture.pixelIndex(250, 8)
    assert (begun, unread, picture.pixelColor(250, 8).alpha()) == (48, 0, 0)
    assert [picture.pixelIndex(0, row) for row in range(9)] == sorted(
        {picture.pixelIndex(0, row) for row in range(9)}
    )
    assert picture.pixelColor(0, 8).name() == theme_colours("light")["heat-high"]


def test_copies_and_cells_are_told_with_what_came_of_them(tmp_path: Path) -> None:
    job = CopyJob("cpu", "cuda:0", 256 << 20)
    noted = (
        CopyResult(job, Measured(1, (0.025,), intact=True), None),
        CopyResult(job, Measured(2, (0.025,), intact=False), None),
        Sent(7, "y = x @ x", 3),
        Began(7),
        Finished(7, 0.5, 0.25),
    )
    recording = recorded(tmp_path, busy, [card(0)], said=noted)
    text = Seen(page_of(recording)).text
    assert "cpu → cuda:0 256 MiB 10.7 GB/s – intact" in text
    assert "cpu → cuda:0 256 MiB – – WRONG" in text
    assert "3 y = x @ x device 250 ms · host 500 ms" in text


def test_pauses_and_a_clock_that_was_set_are_told_once(tmp_path: Path) -> None:
    path, clock = tmp_path / "a.gpurec", ManualClock(wall=BEGAN)
    for stepped in (7200.0, 0.0):
        kept = kept_in(path, clock)
        for step in (stepped, 0.0):
            kept.put(Cards([card(0)], MACHINE.source))
            kept.write_now()
            clock.advance(100)
            kept.write_now()
            clock.step(step)
        kept.stop()
        clock.advance(60)
    text = Seen(page_of(open_recording(path), BEGAN + 50)).text
    assert text.count("the clock was set") == 1
    assert "the clock was set forward by 2.00 h" in text
    assert "Part of this time was not recorded" in text
    assert "2.02 h nothing was recorded" in text


def test_a_missing_figure_is_a_dash_with_its_reason(tmp_path: Path) -> None:
    seen = Seen(page_of(recorded(tmp_path, busy, [card(0)])))
    assert "Energy of 0: this card does not report it." in seen.text
    assert " – " in seen.text


def test_a_damaged_recording_says_so_whenever_that_is_found(tmp_path: Path) -> None:
    path = make_recording(tmp_path / "a.gpurec", "1xT4", 600)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "UPDATE chunk SET data = substr(data, 9) WHERE id = (SELECT max(id) FROM chunk)"
        )
    assert "The file is damaged" in Seen(page_of(open_recording(path))).text


def test_hostile_names_are_shown_and_never_obeyed(tmp_path: Path) -> None:
    bad = Card(CardId("GPU-0"), 0, HOSTILE + "x" * 10_000, 1 << 30)
    happening = Happening(3, 0.0, Kind.XID, bad.id, Message("{text}", text=HOSTILE))
    page = page_of(recorded(tmp_path, busy, [bad], [happening], HOSTILE))
    seen = Seen(page)
    assert seen.tags.isdisjoint({"script", "img", "link", "iframe", "object", "base"})
    assert "<script>alert(1)</script>" in seen.text
    assert "default-src 'none'" in page
    assert "\x1b" not in page
    assert len(page) < 100_000
