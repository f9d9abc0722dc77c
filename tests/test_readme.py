"""README, CONTRIBUTING and the pages in docs keep their promises: what they name is there."""

import argparse
import re
import shlex
import tomllib
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.__main__ import VERBS
from gpuexplorer.commands.arguments import SentenceParser
from gpuexplorer.commands.window_arguments import (
    SCREENS,
    add_window_arguments,
    check_window_arguments,
    names_file,
)
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS, Unit
from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.plots.content import PlotContent, PlotLine
from gpuexplorer.gui.settings.dialog import Section, SettingsDialog
from gpuexplorer.gui.state.alert_words import rule_sentence
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import SPANS, TimeWindow
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.gui.window_commands import WindowCommands
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.models import MODELS
from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.telemetry.alerts import USUAL_RULES
from gpuexplorer.telemetry.trace import empty_trace
from tests.recording.made import make_recording

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
COMMAND_LINE = (ROOT / "docs" / "command-line.md").read_text("utf-8")
KEYS = (ROOT / "docs" / "keys.md").read_text("utf-8")
RECORDINGS = (ROOT / "docs" / "recordings.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
FOR_USERS = README + COMMAND_LINE + RECORDINGS
# Of docker, and of a program that is simulated.
NOT_OURS = {"--pid", "--model", "--epochs"}


def section(page: str, heading: str) -> str:
    """What stands below a heading, up to the next."""
    return re.split(r"^#+ ", page.split(f"# {heading}\n", 1)[1], flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """The cells of its tables, without headings."""
    lines = text.splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line, below in pairwise([*lines, ""])
        if line.startswith("| ") and not below.startswith("|-")
    ]


def window_parser() -> SentenceParser:
    parser = SentenceParser(prog="gpuexplorer")
    parser.add_argument("--version", action="store_true")
    add_window_arguments(parser)
    return parser


def verb_parser(verb: str) -> SentenceParser:
    parser = SentenceParser(prog=verb)
    import_module(f"gpuexplorer.commands.{verb}").add_arguments(parser)
    return parser


def options(parser: argparse.ArgumentParser) -> set[str]:
    """Those of its actions too, such as of `lesson run`."""
    below = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    parsers = [parser, *(one for each in below for one in each.choices.values())]
    told = "".join(each.format_help() for each in parsers)
    return set(re.findall(r"--[a-z][a-z-]+", told))


def command_lines() -> Sequence[str]:
    """Every line that somebody may type as it stands, without what is said of it."""
    found = re.findall(
        r"^    (?:\w+=\S+ )?gpuexplorer( .*)?$", FOR_USERS + CONTRIBUTING, re.MULTILINE
    )
    found += re.findall(r'^    make run ARGS="(.*)"$', FOR_USERS, re.MULTILINE)
    return sorted({line.strip().split("   ")[0].split("  ")[0] for line in found})


def test_every_reason_unit_command_model_and_span_of_time_is_named() -> None:
    assert [each for each in Absence if f"| {each.sentence} |" not in README] == []
    assert [each for each in Unit if f"`{each}`" not in COMMAND_LINE] == []
    for verb in VERBS:
        assert f"### `gpuexplorer {verb}`" in COMMAND_LINE
        assert f"    gpuexplorer {verb} " in README
    for model in MODELS:
        assert model.key in README
        assert model.key in COMMAND_LINE
    assert [words for _, words in SPANS if words not in section(README, "Time")] == []


def test_every_machine_and_fault_it_names_can_be_had() -> None:
    for spec in re.findall(r"`((?:\d+x[A-Za-z]\w*(?:\+\w+)?,?)+)`", FOR_USERS):
        parse_machine(spec)
    for fault in re.findall(r"^\| `([a-z]+[:@][^`]+)` \|", FOR_USERS, re.MULTILINE):
        assert parse_faults(fault, 4)


def test_every_option_of_the_window_has_its_row_and_every_row_its_option() -> None:
    told = {
        cells[0].strip("`").split()[0] for cells in rows(section(README, "The command line"))
    }
    assert told == options(window_parser()) - {"--help"}


def test_every_option_that_is_named_exists() -> None:
    known = options(window_parser()).union(*(options(verb_parser(verb)) for verb in VERBS))
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", FOR_USERS))
    assert named <= known | NOT_OURS


def test_every_option_of_a_command_is_described() -> None:
    for verb in VERBS:
        for option in options(verb_parser(verb)) - {"--help"}:
            assert option in COMMAND_LINE, f"{verb} {option}"


@pytest.mark.parametrize("line", command_lines())
def test_every_command_line_is_understood(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line)
    verb = words[0] if words and not words[0].startswith("-") else None
    if verb is not None and names_file(verb):
        make_recording(tmp_path / verb, seconds=1)
        verb = None
    if verb is not None:
        verb_parser(verb).parse_args(words[1:])
    else:
        check_window_arguments(window_parser().parse_args(words))


def test_every_screen_has_its_section_in_the_order_of_the_window() -> None:
    described = re.findall(r"^### (.+)$", README.split("## The screens")[1], re.MULTILINE)
    assert described == [entry.title for entry in VIEWS]
    assert set(SCREENS) <= set(re.findall(r"`(\w+)`", section(README, "The command line")))


def test_every_section_of_the_settings_has_its_row(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    dialog = SettingsDialog(Settings(), window)
    told = [cells[0] for cells in rows(section(README, "Settings"))]
    found = [each.accessibleName() for each in dialog.findChildren(Section)]
    assert told[: len(found)] == found


def test_the_alerts_that_are_there_at_first_are_told() -> None:
    for rule in USUAL_RULES:
        sentence = rule_sentence(rule, USUAL, {}).replace("\N{NO-BREAK SPACE}", " ")
        off = "" if rule.enabled else " (off"
        assert f"- {sentence}{off}" in section(README, "Alerts")


def test_the_page_of_keys_has_what_the_window_tells_under_f1(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    navigation = Navigation(window)
    commands = WindowCommands(
        window, TimeWindow(parent=window), navigation, Settings(parent=window)
    )
    for heading, keys in commands.all_keys(()):
        told = {
            (cells[0].strip("`").lower(), cells[1]) for cells in rows(section(KEYS, heading))
        }
        found = {(each.lower(), words) for each, words in keys}
        more = {pair for pair in told if pair[1] == "the same"}
        assert told - more == found


def test_every_key_on_plots_does_something(qtbot: QtBot) -> None:
    time_window = TimeWindow()
    stack = PlotStack(time_window, Settings())
    qtbot.addWidget(stack)
    stack.full_screen_asked.disconnect(stack.show_full)
    stack.resize(600, 300)
    busy = METRICS[GPU_UTILIZATION]
    line = PlotLine("GPU", busy, empty_trace())
    stack.show_contents([PlotContent("busy", "Busy", busy.unit, (line,))])
    told = [cells[0] for cells in rows(section(KEYS, "Plots"))]
    keys = [QKeySequence(key) for cell in told for key in re.findall(r"`([^`]+)`", cell)]
    assert len(keys) > 10
    for key in keys:
        if key in [action.shortcut() for action in stack.actions()]:
            continue
        pressed = key[0]  # type: ignore[index]  # Qt has it, its stubs do not
        event = QKeyEvent(QEvent.Type.KeyPress, pressed.key(), pressed.keyboardModifiers())
        QApplication.sendEvent(stack, event)
        assert event.isAccepted(), key.toString()


def test_every_key_of_the_readme_stands_on_the_page_of_keys() -> None:
    for cells in rows(section(README, "Keys")):
        for key in re.findall(r"`([^`]+)`", cells[0]):
            assert f"`{key}`" in KEYS, key


def test_everything_it_links_to_is_there() -> None:
    pages = ("README.md", "docs/command-line.md", "docs/recordings.md")
    for page in pages:
        text = (ROOT / page).read_text("utf-8")
        for link in re.findall(r"\]\(([^)#]+)", text):
            assert ((ROOT / page).parent / link).exists(), link
    named = re.findall(
        r"`((?:docs|resources|tests|gui|commands|core|telemetry)/[^`<… ]+)`", README
    )
    folders = r"bench|docs|packaging|resources|tests|commands|core|gui|lab|simulation|telemetry"
    named += re.findall(rf"`((?:{folders})/[^`<… ]*)`", CONTRIBUTING)
    for name in named:
        assert any((place / name).exists() for place in (ROOT, ROOT / "gpuexplorer")), name


def test_the_page_on_how_it_is_built_names_no_file_that_is_not_there() -> None:
    tree = ARCHITECTURE.split("```")[1]
    there = {path.name for path in ROOT.rglob("*") if ".venv" not in path.parts}
    for name in re.findall(r"([\w.]+(?:\.py|/))(?=\s)", tree):
        assert name.rstrip("/") in there, name
    package = ROOT / "gpuexplorer"
    places = (ROOT, package, package / "gui", package / "telemetry" / "backends")
    for name in re.findall(r"`([\w/]+\.py)`", ARCHITECTURE + CONTRIBUTING):
        assert name in there or any((place / name).exists() for place in places), name


def layers_of(package: str) -> Sequence[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    [layers] = [each["layers"] for each in contracts if each.get("containers") == [package]]
    return list(layers)


def test_the_layers_of_the_window_are_those_that_are_checked() -> None:
    assert "\n".join(layers_of("gpuexplorer.gui")) in ARCHITECTURE


def test_the_layers_of_the_program_are_those_that_are_checked() -> None:
    lines = [line.strip() for line in section(ARCHITECTURE, "Layers").splitlines()]
    lines = lines[lines.index("__main__") : lines.index("core") + 1]
    drawn = [line.split("  ")[0].strip() for line in lines]
    checked = [re.sub(r"\(\w+\) \| ", "", each) for each in layers_of("gpuexplorer")]
    assert drawn == checked
