"""Rows and columns of widgets, and labels, as one writes them down."""

import html
import re
from typing import NamedTuple, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone


class Space(NamedTuple):
    """So many pixels that stay empty, or a share of what is left."""

    pixels: int = 0
    stretch: int = 0


class Grow(NamedTuple):
    """The thing before it takes this share of what is left."""

    share: int


FREE, GROWS = Space(stretch=1), Grow(1)
Placed = QWidget | QLayout | Space | Grow | Qt.AlignmentFlag
Margins = int | tuple[int, int, int, int]
Layout = TypeVar("Layout", bound=QBoxLayout)


def row(
    *things: Placed, within: QWidget | None = None, gap: int = 8, margins: Margins = 0
) -> QHBoxLayout:
    """From left to right. GROWS and an alignment are said of the thing before them: in
    `row(name, GROWS, value)` the name takes what is left; `row(FREE, name, FREE)` centres it.
    """
    return _filled(QHBoxLayout(), things, within, gap, margins)


def column(
    *things: Placed, within: QWidget | None = None, gap: int = 8, margins: Margins = 0
) -> QVBoxLayout:
    """The same from the top down. `within`: the widget that is laid out."""
    return _filled(QVBoxLayout(), things, within, gap, margins)


def add(layout: QBoxLayout, *things: Placed) -> None:
    """To a layout that is there already, after what it holds."""
    before: Placed = FREE
    for thing in things:
        match thing:
            case QWidget():
                layout.addWidget(thing)
            case QLayout():
                layout.addLayout(thing)
            case Grow(share):
                layout.setStretch(layout.count() - 1, share)
            case Space(pixels, 0):
                layout.addSpacing(pixels)
            case Space(_, stretch):
                layout.addStretch(stretch)
            case _ if isinstance(before, QWidget | QLayout):
                layout.setAlignment(before, thing)
        before = thing


def _filled(
    layout: Layout,
    things: tuple[Placed, ...],
    within: QWidget | None,
    gap: int,
    margins: Margins,
) -> Layout:
    sides = margins if isinstance(margins, tuple) else (margins,) * 4
    layout.setContentsMargins(*sides)
    layout.setSpacing(gap)
    add(layout, *things)
    if within is not None:
        within.setLayout(layout)
    return layout


def label(text: str, letters: Lettering, tone: Tone = Tone.TEXT) -> QLabel:
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setFont(letters.font)
    made.setProperty("tone", tone.value)
    return made


def wrapped_label(sentence: str, tone: Tone, letters: Lettering | None = None) -> QLabel:
    """A sentence that may need several lines, and can be copied. What stands between backticks
    is shown as one would type it.
    """
    made = label("", letters or look().letters.body, tone)
    show_sentence(made, sentence)
    made.setWordWrap(True)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    made.setSizePolicy(policy)
    return made


def show_sentence(label: QLabel, sentence: str) -> None:
    """Another one, in a label that was made for one."""
    if "`" in sentence:
        mono = look().letters.mono.font
        style = f"font-family: '{mono.family()}'; font-size: {mono.pixelSize()}px"
        lines = html.escape(sentence).replace("\n", "<br>")
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setText(re.sub("`([^`]*)`", rf'<span style="{style}">\1</span>', lines))
        label.setAccessibleName(sentence.replace("`", ""))
    else:
        if label.textFormat() is Qt.TextFormat.RichText:
            label.setAccessibleName("")  # of another sentence
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setText(sentence)


def say(label: QLabel, words: str) -> None:
    """A sentence that is only there where there is something to say."""
    show_sentence(label, words)
    label.setVisible(bool(words))
