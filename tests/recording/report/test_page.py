"""A report is one page that shows what was recorded, and loads nothing."""

import base64
import math
import random
import re
import shutil
import socket
import subprocess
import sys
import zlib
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Began, Finished, Measured
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.recording.export.choosing import chosen
from gpuexplorer.recording.keeping import Kept
from gpuexplorer.recording.lab_said import Sent, line_of
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.recording.report.page import report_page, write_report
from gpuexplorer.recording.told import Topic
from gpuexplorer.telemetry.happenings import Happening, Kind
from tests.recording.made import BEGAN, make_recording
from tests.recording.report.told import Figures, card, machine, recorded

HOSTILE = (
    "<script>alert(1)</script></style><img src=http://x/ onerror=alert(1)>&lt;=1+1\x1b[31m"
)
PATHS = re.compile(r'class="line[^"]*" d="([^"]*)"')


class Seen(HTMLParser):
    """What a browser would find."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self._words: list[str] = []
        self.feed(written)
        self.text = " ".join(" ".join(self._words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        names = ("src", "href", "srcset")
        self.links += [value or "" for name, value in attrs if name in names]

    def handle_data(self, data: str) -> None:
        self._words.append(data)


def page_of(path: Path) -> str:
    recording = open_recording(path)
    try:
        return report_page(chosen(recording))
    finally:
        recording.close()


def busy(_: int, second: int) -> Figures | None:
    """With a gap of twenty seconds."""
    return None if 40 <= second < 60 else {"gpu_utilization": 0.5}


def test_a_report_tells_machine_cards_programs_and_events(tmp_path: Path) -> None:
    seen = Seen(
        page_of(make_recording(tmp_path / "a.gpurec", "2xH100", 120, faults="lost:1@60s"))
    )
    for words in (
        "simulated",
        "2 × NVIDIA H100 80GB HBM3, 79.6 GiB",
        "These cards are simulated: every figure is made up.",
        "Card 1: No longer answered",
        "Utilisation simulated",
        "Each card",
        "python -m ipykernel_launcher -f kernel.json",
        "The card is lost",
    ):
        assert words in seen.text, words


def test_nothing_is_loaded_and_nothing_runs(tmp_path: Path) -> None:
    page = page_of(make_recording(tmp_path / "a.gpurec", "12xH100", 30))
    seen = Seen(page)
    assert seen.tags.isdisjoint({"script", "link", "iframe", "object", "base"})
    assert seen.links
    assert all(each.startswith("data:image/png;base64,") for each in seen.links)
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_gap_stays_open(tmp_path: Path) -> None:
    with_gap = report_page(chosen(recorded(tmp_path / "a.gpurec", [card(0)], busy)))
    (line,) = PATHS.findall(with_gap)
    assert line.count("M") == 2


def test_each_card_has_a_line_and_its_number(tmp_path: Path) -> None:
    page = report_page(chosen(recorded(tmp_path / "a.gpurec", [card(0), card(3)], busy)))
    assert len(PATHS.findall(page)) == 2
    assert 'class="line c3 d1"' in page
    assert re.search(r'class="end e3"[^>]*>3<', page)


def test_many_cards_are_rows_of_colours_with_gaps(tmp_path: Path) -> None:
    cards = [card(number) for number in range(9)]
    page = report_page(chosen(recorded(tmp_path / "a.gpurec", cards, busy)))
    data = Seen(page).links[0].partition(",")[2]
    png = base64.b64decode(data)
    body = png[png.index(b"IDAT") + 4 :]
    rows = zlib.decompressobj().decompress(body)
    assert len(rows) == 9 * 601
    assert 0 in rows[1:601]  # nothing was read then
    assert max(rows[1:601]) > 1


def test_a_missing_figure_is_a_dash_with_its_reason(tmp_path: Path) -> None:
    seen = Seen(report_page(chosen(recorded(tmp_path / "a.gpurec", [card(0)], busy))))
    assert "Energy of 0: this card does not report it." in seen.text
    assert "Energy of 0: 0" not in seen.text
    assert " – " in seen.text


def test_hostile_names_are_shown_and_never_obeyed(tmp_path: Path) -> None:
    bad = Card(CardId("GPU-0"), 0, HOSTILE + "x" * 10_000, 1 << 30)
    happening = Happening(3, 0.0, Kind.XID, bad.id, Message("{text}", text=HOSTILE))
    recording = recorded(
        tmp_path / "a.gpurec",
        [bad],
        busy,
        happenings=[happening],
        said=[(Topic.COPY, '{"source": "<script>", "bytes": "many"}'), (Topic.EVENT, "{")],
        told=machine(HOSTILE),
    )
    page = report_page(chosen(recording))
    seen = Seen(page)
    assert "script" not in seen.tags
    assert "img" not in seen.tags
    assert "<script>alert(1)</script>" in seen.text
    assert "\x1b" not in page
    assert len(page) < 100_000


def test_copies_and_cells_are_told_with_what_came_of_them(tmp_path: Path) -> None:
    job = CopyJob("cpu", "cuda:0", 256 << 20)
    copy = CopyResult(job, Measured(1, (0.025,), intact=True), None)
    wrong = CopyResult(job, Measured(2, (0.025,), intact=False), None)
    finished = Finished(7, 0.5, 0.25)
    noted = [line_of(e) for e in (copy, wrong, Sent(7, "y = x @ x", 3), Began(7), finished)]
    recording = recorded(
        tmp_path / "a.gpurec", [card(0)], busy, said=[each for each in noted if each]
    )
    text = Seen(report_page(chosen(recording))).text
    assert "cpu → cuda:0 256 MiB 10.7 GB/s – intact" in text
    assert "cpu → cuda:0 256 MiB – – WRONG" in text
    assert "3 y = x @ x device 250 ms · host 500 ms" in text


def test_a_card_that_was_lost_before_is_told_in_a_later_stretch(tmp_path: Path) -> None:
    lost = Happening(10, 0.0, Kind.CARD_LOST, CardId("GPU-0"), Message("The card is lost"))
    recording = recorded(tmp_path / "a.gpurec", [card(0)], busy, happenings=[lost])
    page = report_page(chosen(recording, recording.began + 60))
    assert "Card 0: No longer answered" in Seen(page).text


def test_impossible_figures_of_a_damaged_file_are_left_out(tmp_path: Path) -> None:
    impossible = (math.inf, -math.inf, 1e300, -5.0, math.nan)
    recording = recorded(
        tmp_path / "a.gpurec",
        [card(0)],
        lambda _, s: {"power_draw": impossible[s] if s < 5 else 100.0},
    )
    text = Seen(report_page(chosen(recording))).text
    assert "100 · 100 W" in text
    assert "inf" not in text


def test_an_anonymous_recording_says_what_was_left_out(tmp_path: Path) -> None:
    seen = Seen(page_of(make_recording(tmp_path / "a.gpurec", "1xH100", 10, anonymous=True)))
    assert "A computer whose name was left out" in seen.text
    assert "names, users and command lines" in seen.text


def test_a_recording_of_a_moment_is_a_page_too(tmp_path: Path) -> None:
    assert (
        "Nothing did." in Seen(page_of(make_recording(tmp_path / "a.gpurec", "1xH100", 0))).text
    )


def test_a_killed_recording_is_told_as_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.gpurec"
    recorded_and_killed = (
        "import os, pathlib, sys; from tests.recording.made import BEGAN, make_recording;"
        "make_recording(pathlib.Path(sys.argv[1]), '1xH100', 30, whole=False); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", recorded_and_killed, path], check=True, timeout=60)
    seen = Seen(page_of(path))
    # Within a moment of its last batch nobody can tell yet.
    assert "cut off" in seen.text or "still being written" in seen.text


def test_a_part_of_a_recording_has_the_figures_of_that_part(tmp_path: Path) -> None:
    recording = recorded(
        tmp_path / "a.gpurec", [card(0)], lambda _, s: {"gpu_utilization": float(s >= 60)}
    )
    write_report(chosen(recording, end=recording.began + 50), tmp_path / "a.html")
    assert "0 · 0 %" in Seen((tmp_path / "a.html").read_text("utf-8")).text


def test_a_clock_that_was_set_is_told_in_a_later_stretch_and_once(tmp_path: Path) -> None:
    path, clock = tmp_path / "a.gpurec", ManualClock(wall=BEGAN)

    def live(kept: Kept) -> None:
        kept.put_cards([card(0)])
        kept.write_now()
        clock.advance(100)
        kept.write_now()

    for stepped in (7200.0, 0.0):
        kept = Kept(path, machine(), clock, days=1, most_bytes=1 << 30, asleep=lambda: 0.0)
        live(kept)
        clock.step(stepped)
        live(kept)
        kept.stop()
        clock.advance(60)
    with closing(open_recording(path)) as recording:
        text = Seen(report_page(chosen(recording, recording.began + 50))).text
    assert text.count("the clock was set") == 1
    assert "the clock was set forward by 2.00 h" in text


def test_a_page_of_eight_restless_cards_stays_small(tmp_path: Path) -> None:
    chance = random.Random(0)
    metrics = ("gpu_utilization", "power_draw", "temperature", "clock_sm")
    wires = ("pcie_receive", "pcie_transmit", "nvlink_receive", "nvlink_transmit")
    cards = [card(number) for number in range(8)]
    recording = recorded(
        tmp_path / "a.gpurec",
        cards,
        lambda *_: {each: chance.random() for each in (*metrics, *wires)},
        1900,  # three readings a column, so that every line has a band
    )
    page = report_page(chosen(recording))
    assert page.count('class="band') == 6 * 8
    assert len(page.encode()) < 2_000_000


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs a browser")
def test_a_browser_shows_it_and_asks_nobody_for_anything(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        name = (
            f"<img src={address}><link rel=stylesheet href={address}><style>@import '{address}'"
        )
        recording = recorded(tmp_path / "a.gpurec", [card(0, name)], busy, told=machine(name))
        page = tmp_path / "a.html"
        write_report(chosen(recording), page)
        shown = subprocess.run(
            [
                *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
                *(f"--user-data-dir={tmp_path / 'profile'}", f"file://{page}"),
            ],
            check=True,
            capture_output=True,
            timeout=60,
        ).stdout.decode()
        assert "What stood out" in shown
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
