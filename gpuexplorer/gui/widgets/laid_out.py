"""Rows and columns of widgets, and labels, as one writes them down."""

import html
import re
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QLabel, QLayout, QSizePolicy, QWidget

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


def row(
    *things: Placed, within: QWidget | None = None, gap: int = 8, margins: Margins = 0
) -> QBoxLayout:
    """From left to right. GROWS and an alignment are said of the thing before them: in
    `row(name, GROWS, value)` the name takes what is left; `row(FREE, name, FREE)` centres it.
    `within`: the widget that is laid out.
    """
    layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, within)
    sides = margins if isinstance(margins, tuple) else (margins,) * 4
    layout.setContentsMargins(*sides)
    layout.setSpacing(gap)
    add(layout, *things)
    return layout


def column(
    *things: Placed, within: QWidget | None = None, gap: int = 8, margins: Margins = 0
) -> QBoxLayout:
    """The same from the top down."""
    layout = row(*things, within=within, gap=gap, margins=margins)
    layout.setDirection(QBoxLayout.Direction.TopToBottom)
    return layout


def add(layout: QBoxLayout, *things: Placed) -> None:
    """To a layout that is there already, after what it holds."""
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
            case _ if (last := layout.itemAt(layout.count() - 1)) is not None:
                last.setAlignment(thing)


def label(text: str, letters: Lettering, tone: Tone = Tone.TEXT) -> QLabel:
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setFont(letters.font)
    made.setProperty("tone", tone.value)
    return made


def wrapped_label(sentence: str, tone: Tone, letters: Lettering | None = None) -> QLabel:
    """A sentence that may need several lines, and can be copied."""
    made = label("", letters or look().letters.body, tone)
    show_sentence(made, sentence)
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    made.setWordWrap(True)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def say(label: QLabel, words: str) -> None:
    """A sentence that is only there where there is something to say."""
    show_sentence(label, words)
    label.setVisible(bool(words))


def show_sentence(label: QLabel, words: str) -> None:
    """What stands between backticks is shown as one would type it."""
    code = "`" in words
    if code:
        mono = look().letters.mono.font
        style = f"font-family: '{mono.family()}'; font-size: {mono.pixelSize()}px"
        lines = html.escape(words).replace("\n", "<br>")
        label.setAccessibleName(words.replace("`", ""))
        words = re.sub("`([^`]*)`", rf'<span style="{style}">\1</span>', lines)
    elif label.textFormat() is Qt.TextFormat.RichText:
        label.setAccessibleName("")  # of another sentence
    label.setTextFormat(Qt.TextFormat.RichText if code else Qt.TextFormat.PlainText)
    label.setText(words)
