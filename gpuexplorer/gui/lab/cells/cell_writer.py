"""CellWriter: one cell in a document of Qt's, in the theme's letters and colours."""

import base64
import binascii

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QColor,
    QImage,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextImageFormat,
)

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.lab.cells.cell_face import CellFace, Output
from gpuexplorer.gui.lab.cells.words import DOT
from gpuexplorer.gui.paint.python import INDENT, colour, parts
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.lab.printed import clean, shortened

_BETWEEN, _BEFORE, _SMALL = 16, 8, 4  # pixels between cells, before a part, before a line
_HIGHEST = 360
_WIDEST = 132  # letters, as in a terminal: a table that wraps is none
_MOST_LINES = 500  # of a cell's code
UNFOLD = "unfold"  # what a click on it asks for


class CellWriter:
    """Writes where the cursor stands, and leaves it at the end of what it wrote."""

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self._cursor = QTextCursor()
        self._width = 0
        self._begun = False
        self._wraps = True  # what is written now
        self._pictured: dict[str, str] = {}  # what the pictures were made of, by their names

    def write(self, cursor: QTextCursor, face: CellFace, width: int) -> None:
        """`width` pixels are there."""
        self._cursor, self._width, self._begun = cursor, width, False
        theme, letters = look().theme, look().letters
        self._write_code(face)
        before = _BEFORE
        for number, output in enumerate(face.outputs):
            self._write_output(face, output, number, before)
            before = _SMALL
        quiet = theme.faint if face.released else theme.quiet
        before = _BEFORE
        for call in face.calls:
            self._block(before, call, letters.caption, theme.quiet)
            before = _SMALL
        if face.error:
            self._block(before, face.error, letters.mono, theme.bad)
        tone = quiet if face.released else theme.tone(face.tone)
        said = face.cost if face.number is not None else tr("Not run yet")
        if said:
            self._block(_BEFORE, said, letters.caption, tone)
        if face.times:
            self._block(_SMALL, DOT.join(face.times), letters.caption, quiet)

    def _write_code(self, face: CellFace) -> None:
        theme, mono = look().theme, look().letters.mono
        pale = face.released or face.state in ("waiting", "opened")
        quotes = ""
        lines = face.code.split("\n")
        for number, line in enumerate(lines[:_MOST_LINES], start=1):
            text = clean(shortened(line))
            indent = len(text) - len(text.lstrip()) + len(INDENT)
            hanging = min(indent * mono.width("0"), self._width / 2)
            self._start_block(0, hanging)
            found, quotes = parts(text, quotes)
            at = 0
            for begin, end, part in found:
                self._put(text[at:begin], mono, theme.quiet if pale else theme.text)
                self._put(text[begin:end], mono, theme.quiet if pale else colour(theme, part))
                at = end
            self._put(text[at:], mono, theme.quiet if pale else theme.text)
            if face.at_fault is not None and face.at_fault[0] == number:
                self._underline(len(text), face.at_fault[1], face.at_fault[2])
            for line_number, warning in face.warnings:
                if line_number == number:
                    self._block(0, warning, look().letters.caption, theme.warn)
        more = len(lines) - _MOST_LINES
        if more > 0:
            words = trn("{count} more line", "{count} more lines", more)
            self._block(0, words, look().letters.caption, theme.quiet)

    def _underline(self, length: int, begin: int, end: int) -> None:
        """The expression that failed; the whole line where it is not known."""
        known = 0 <= begin < end
        marked = QTextCursor(self._cursor)
        start = self._cursor.block().position()
        marked.setPosition(start + (min(begin, length) if known else 0))
        last = start + (min(end, length) if known else length)
        marked.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        style = QTextCharFormat()
        style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        style.setUnderlineColor(look().theme.bad)
        marked.mergeCharFormat(style)

    def _write_output(self, face: CellFace, output: Output, number: int, before: int) -> None:
        theme, mono = look().theme, look().letters.mono
        if output.png:
            name = f"{face.id}-{number}"
            image = self._image(name, output.png)
            if image is None:
                words = tr("A picture that cannot be read")
                self._block(before, words, look().letters.caption, theme.quiet)
            else:
                self._picture(name, image, before)
            return
        ink = {"value": theme.text, "warning": theme.warn}.get(output.stream, theme.quiet)
        ink = theme.faint if face.released else ink
        self._wraps = any(len(each) > _WIDEST for each in output.rows)
        half = len(output.rows) // 2 if output.hidden else len(output.rows)
        self._block(before, "\n".join(output.rows[:half]), mono, ink)
        if output.hidden:
            more = trn("{count} more row", "{count} more rows", output.hidden)
            self._start_block(0)
            link = _letters(look().letters.caption, theme.accent)
            link.setAnchor(True)
            link.setAnchorHref(UNFOLD)
            self._cursor.insertText(more, link)
            self._block(0, "\n".join(output.rows[half:]), mono, ink)
        self._wraps = True

    def _image(self, name: str, png: str) -> QImage | None:
        """Read once: a cell is written anew with each thing that it prints or draws."""
        kind = QTextDocument.ResourceType.ImageResource.value
        there = self._document.resource(kind, QUrl(name))
        if self._pictured.get(name) is png and isinstance(there, QImage):
            return there
        self._pictured[name] = png
        return _image(png)

    def _picture(self, name: str, image: QImage, before: int) -> None:
        size = image.deviceIndependentSize()
        share = min(1.0, self._width / size.width(), _HIGHEST / size.height())
        self._document.addResource(
            QTextDocument.ResourceType.ImageResource.value, QUrl(name), image
        )
        picture = QTextImageFormat()
        picture.setName(name)
        picture.setWidth(size.width() * share)
        picture.setHeight(size.height() * share)
        self._start_block(before)
        self._cursor.insertImage(picture)

    def _block(self, before: float, text: str, letters: Lettering, ink: QColor) -> None:
        self._start_block(before)
        # Each row would have that margin above it.
        first, newline, rest = text.partition("\n")
        self._put(first, letters, ink)
        if newline:
            self._start_block(0)
            self._put(rest, letters, ink)

    def _put(self, text: str, letters: Lettering, ink: QColor) -> None:
        if text:
            self._cursor.insertText(text, _letters(letters, ink))

    def _start_block(self, before: float, hanging: float = 0.0) -> None:
        style = QTextBlockFormat()
        style.setTopMargin(before if self._begun else _BETWEEN)
        style.setLeftMargin(hanging)
        style.setTextIndent(-hanging)
        style.setNonBreakableLines(not self._wraps)
        if self._begun:
            self._cursor.insertBlock(style)
        else:
            self._cursor.setBlockFormat(style)
        self._begun = True


def _letters(letters: Lettering, ink: QColor) -> QTextCharFormat:
    style = QTextCharFormat()
    style.setFont(letters.font)
    style.setForeground(ink)
    return style


def _image(png: str) -> QImage | None:
    try:
        image = QImage.fromData(base64.b64decode(png))
    except (binascii.Error, ValueError):
        return None
    return None if image.isNull() else image
