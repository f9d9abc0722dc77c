"""What was chosen holds on every screen and at the next start; a bad file harms nobody."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import TEMPERATURE
from gpuexplorer.core.units import Units
from gpuexplorer.gui.cards.card_face import arrange
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.overview.view import Arrangement
from gpuexplorer.gui.state.choices import Choices, WithoutCards
from gpuexplorer.gui.state.settings import Settings, open_store, understood, written
from gpuexplorer.gui.theme.look import Motion
from gpuexplorer.gui.theme.palette import Palette, Scheme
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.telemetry.alerts import USUAL_RULES, Rule, Side
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import card, session_of, working
from tests.screens.test_pseudo_language import everything_said

EVERYTHING = Choices(
    interval=0.2,
    full_seconds=600.0,
    day_seconds=21600.0,
    keep_days=7.0,
    keep_bytes=4e9,
    decimal_memory=True,
    fahrenheit=True,
    scheme=Scheme.LIGHT,
    palette=Palette.SAFE,
    motion=Motion.REDUCED,
    alerts=False,
    on_desktop=False,
    rules=(
        Rule(TEMPERATURE, Side.ABOVE, 71.5, 12.0, cards=frozenset({CardId("GPU-a")})),
        *USUAL_RULES,
    ),
    first_screen="events",
    first_span=60.0,
    without_cards=WithoutCards.SIMULATE,
    reconnect=True,
    keep_running=True,
    keep_hidden=False,
    lab_enter_runs=False,
    read_only=True,
    lab_forms_only=True,
)

# As the file holds them.
TEXTS = {each.name: str(written(getattr(EVERYTHING, each.name))) for each in fields(Choices)}

Written = Callable[[str], Settings]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "settings.ini"


@pytest.fixture
def opened_on(path: Path) -> Written:
    """Settings opened on a file with this content."""

    def write(content: str) -> Settings:
        path.parent.mkdir()
        path.write_text(content, "utf-8")
        return Settings(open_store(path))

    return write


def test_everything_that_was_chosen_is_there_at_the_next_start(path: Path) -> None:
    for each in fields(Choices):
        assert getattr(EVERYTHING, each.name) != getattr(Choices(), each.name), each.name
    Settings(open_store(path)).choose(EVERYTHING)
    again = Settings(open_store(path))
    assert again.choices == EVERYTHING
    assert again.choices.units == Units(decimal_memory=True, fahrenheit=True)
    assert again.trouble == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("interval", text) for text in ("0.01", "1e400", "NaN", "true", "[" * 100_000)),
        *(("scheme", text) for text in ('"sepia"', "3")),
        ("full_seconds", "-1"),
        ("fahrenheit", "1"),
        ("motion", '{"a": 1}'),
        ("rules", '"all of them"'),
        ("first_screen", '"' + "x" * 1000 + '"'),
        ("read_only", "yes"),
    ],
)
def test_a_choice_that_makes_no_sense_stays_as_it_is_by_default(name: str, text: str) -> None:
    found, strange = understood({**TEXTS, name: text})
    assert strange == [name]
    assert getattr(found, name) == getattr(Choices(), name)
    assert replace(found, **{name: getattr(EVERYTHING, name)}) == EVERYTHING


@pytest.mark.parametrize(
    "wrong",
    [
        {"metric": "weather"},
        {"metric": "energy"},
        {"side": "beside"},
        {"threshold": "hot"},
        {"threshold": 1e9},
        {"seconds": -1},
        {"cards": "all"},
        {"enabled": "maybe"},
        {"metric": "fan_speed", "of_limit": True},
    ],
)
def test_a_rule_that_makes_no_sense_is_left_out_and_the_others_hold(
    wrong: dict[str, object],
) -> None:
    rules = json.loads(str(written(USUAL_RULES)))
    broken = [{**rules[0], **wrong}, rules[1], "not a rule", {}]
    found, _ = understood({"rules": json.dumps(broken)})
    assert found.rules == (USUAL_RULES[1],)


SCRAPS = (
    *("null", "true", "0", "-1", "1e999", "NaN", '"x"', "[]", "{}", "[[1]]", '{"a": [null]}'),
    *TEXTS.values(),
)


@settings(deadline=None)
@given(
    some.dictionaries(
        some.sampled_from(sorted(TEXTS)),
        some.one_of(
            some.sampled_from(SCRAPS),
            some.floats().map(json.dumps),
            some.text(max_size=8),
            some.integers(),
        ),
    )
)
def test_whatever_stands_there_it_comes_to_choices_that_can_hold(
    texts: dict[str, object],
) -> None:
    choices, strange = understood(texts)
    assert 0.1 <= choices.interval <= 60
    assert 60 <= choices.full_seconds <= choices.day_seconds <= 86400
    assert choices.scheme in Scheme
    again = {each.name: written(getattr(choices, each.name)) for each in fields(Choices)}
    assert understood(again) == (choices, [])
    assert set(strange) <= set(texts)


def test_what_earlier_versions_wrote_as_json_still_holds(opened_on: Written) -> None:
    rule = json.dumps(json.loads(TEXTS["rules"])[:1]).replace('"', '\\"')
    found = opened_on(
        '[choices]\ninterval=0.5\nscheme="\\"light\\""\nfirst_screen="\\"\\""\nalerts=false\n'
        f'rules="{rule}"\n'
    )
    assert found.choices.interval == 0.5
    assert found.choices.scheme is Scheme.LIGHT
    assert found.choices.first_screen == ""
    assert not found.choices.alerts
    assert found.choices.rules == EVERYTHING.rules[:1]
    assert found.trouble == ""


def test_values_that_mean_nothing_are_named_in_one_sentence(
    opened_on: Written, path: Path
) -> None:
    found = opened_on("[choices]\ninterval=often\nscheme=sepia\nfahrenheit=true\n")
    assert found.choices == Choices(fahrenheit=True)
    assert found.trouble == (
        f"Some values in {path} could not be read, and the defaults are used in their place: "
        "interval, scheme."
    )


def test_what_a_newer_version_wrote_is_left_alone(opened_on: Written, path: Path) -> None:
    found = opened_on("[choices]\npalette=sepia\nhologram=true\n")
    assert found.choices.palette is Palette.STANDARD
    found.choose(replace(found.choices, interval=5.0))
    kept = QSettings(str(path), QSettings.Format.IniFormat)
    assert kept.value("choices/palette") == "sepia"
    assert kept.value("choices/hologram") == "true"
    assert kept.value("choices/interval") == 5.0


def test_a_file_with_broken_lines_is_kept_beside_and_said_in_one_sentence(
    opened_on: Written, path: Path
) -> None:
    content = "[choices]\ninterval=2\nthis is no line of such a file\n"
    found = opened_on(content)
    assert found.choices.interval == 2.0
    assert found.trouble.startswith("Some lines of ")
    assert found.trouble.count(".\n") == 0
    assert Path(f"{path}.broken").read_text("utf-8") == content


def test_read_only_of_the_command_line_holds_and_is_not_kept(path: Path) -> None:
    forced = Settings(open_store(path), read_only_because="Started so.")
    assert forced.choices.read_only
    forced.choose(replace(forced.choices, read_only=False, interval=3.0))
    assert forced.choices.read_only
    assert forced.choices.interval == 3.0
    again = Settings(open_store(path))
    assert not again.choices.read_only
    assert again.choices.interval == 3.0


@pytest.mark.parametrize(
    ("chosen", "shown"),
    [("events", "events"), ("hologram", "overview")],  # which there was once
)
def test_the_window_opens_on_the_screen_and_the_span_that_were_chosen(
    open_window: OpenWindow, chosen: str, shown: str
) -> None:
    settings = Settings()
    settings.choose(replace(settings.choices, first_screen=chosen, first_span=60.0))
    window = open_window(session_of({card(0): working()}), settings=settings)
    assert window.navigation.screen == shown
    assert window.time_window.span == 60.0


@pytest.mark.parametrize(("keep", "shown"), [(True, ["GPU-1"]), (False, ["GPU-0", "GPU-1"])])
def test_hidden_cards_stay_hidden_where_that_was_chosen(
    tmp_path: Path, keep: bool, shown: list[str]
) -> None:
    cards = arrange([card(0), card(1)])
    settings = Settings(open_store(tmp_path / "settings.ini"))
    settings.choose(replace(settings.choices, keep_hidden=keep))
    Arrangement(settings, "here").hide(CardId("GPU-0"))
    settings.flush()
    again = Settings(open_store(tmp_path / "settings.ini"))
    found = Arrangement(again, "here").shown(cards)
    assert [each.card.id for each in found] == shown


# Not in sentences that explain what a GiB is.
OTHERWISE = re.compile(r"\d\s*(GiB|MiB|°C)|, (GiB|°C)$")


@pytest.fixture
def session() -> Iterator[Session]:
    made = remembering(session_on(simulated("2xTitanRTX,1xH100"), interval=0.1))
    yield made
    made.stop()


# What a lesson says of itself is its author's.
SCREENS = [
    pytest.param(each.name, marks=[] if each.name in ("overview", "card") else pytest.mark.long)
    for each in VIEWS
    if each.name != "lessons"
]


def otherwise(window: MainWindow) -> set[str]:
    painted = [each for each in window.findChildren(Painted) if each.isVisible()]
    words = {text for text, _ in everything_said()}.union(*(each.hints() for each in painted))
    return {each for each in words if OTHERWISE.search(each)}


@pytest.mark.parametrize("name", SCREENS)
def test_every_screen_is_in_the_units_a_person_chose(
    open_window: OpenWindow, session: Session, qtbot: QtBot, name: str
) -> None:
    settings = Settings()
    window: MainWindow = open_window(session, settings=settings)
    window.resize(1600, 1000)
    window.navigation.open_screen(name)
    qtbot.waitUntil(lambda: bool(otherwise(window)))
    settings.choose(replace(settings.choices, decimal_memory=True, fahrenheit=True))
    taken = session.beats().taken

    def as_chosen() -> None:
        window.grab()
        assert otherwise(window) == set()

    # A second and more, so that what is worked out rarely is worked out anew.
    qtbot.waitUntil(lambda: session.beats().taken > taken + 12)
    qtbot.waitUntil(as_chosen)
