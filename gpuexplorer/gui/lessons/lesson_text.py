"""LessonText: Markdown of a lesson in the window's letters and colours."""

from collections.abc import Iterator
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import unquote

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QFont,
    QFontMetricsF,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFragment,
    QTextLength,
    QTextTable,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lessons.growing_text import GrowingText
from gpuexplorer.gui.lessons.lesson_pictures import PictureSheet, read_picture
from gpuexplorer.gui.lessons.step_asks import StepAsks
from gpuexplorer.gui.theme.look import look, rgba

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_SHEET = Template("""
body { color: $text; }
p, li, td, h1, h2, h3, h4, h5, h6 { line-height: 138%; }
p, ul, ol { margin: 0 0 ${gap}px 0; }
.picture { line-height: 100%; }
li { margin: 0 0 ${half}px 0; }
h1, h2, h3 { $title margin: ${gap}px 0; }
h4, h5, h6 { $strong margin: ${gap}px 0; }
blockquote { margin: 0 0 0 ${step}px; }
a { color: $accent; text-decoration: none; }
code { $mono background-color: $track; }
strong { font-weight: 600; }
pre { $mono white-space: pre-wrap; margin: 0; line-height: 100%; }
table { margin: ${half}px 0 ${gap}px 0; }
td { padding: 4px 8px 4px 0; border-bottom: 1px solid $line; }
.th { font-weight: 600; }
.shown { background-color: $track; margin: 0 0 ${gap}px 0; }
.shown td { padding: 8px; border: none; }
""")
_TABLE = '<table class="{}" width="100%" cellspacing="0">'
_CELL = '<td class="{}" align="{}">'
_IN_TABLE = "<tr><td><pre>{}</pre></td></tr></table>"
_SHOWN = (
    '<a href="{scheme}:{address}" title="{hint}">'
    '<img src="{address}" width="{width:g}" height="{height:g}"></a>'
)
_FOR_DESKTOP = ("https", "http")
_PICTURE_SCHEME = "picture"  # a press on one
_PICTURE = QTextDocument.ResourceType.ImageResource
_BESIDE = 10.0  # pixels between what two columns of a table say


class LessonText(GrowingText):
    """A link to the net is opened by the desktop when it is clicked; one to another lesson is
    told. Pictures are read from beside the lesson's file, and from nowhere else.
    """

    def __init__(self, markdown: str, folder: Path, asks: StepAsks) -> None:
        super().__init__(tr("Text"))
        self._tokens = _markdown().parse(markdown)
        self._folder, self._asks = folder.resolve(), asks
        self._pictures: dict[str, str] = {}  # what each is called
        self._written = (0, 0.0)  # for which width and how many pixels to one
        for before, token in pairwise(self._tokens):
            if any(each.type == "image" for each in token.children or ()):
                before.attrSet("class", "picture")
        kinds = {each.type for token in self._tokens for each in token.children or ()}
        links = not kinds.isdisjoint(("link_open", "image"))
        focus = Qt.FocusPolicy.StrongFocus if links else Qt.FocusPolicy.ClickFocus
        self.setFocusPolicy(focus)
        self.anchorClicked.connect(self._on_anchor_clicked)
        look().changed.connect(self._write)
        self._write()

    def _write(self) -> None:
        document = self.document()
        self._written = (self.viewport().width(), self.devicePixelRatioF())
        self.setFont(self.look.letters.body.font)
        document.setIndentWidth(self.look.letters.body.height * 1.3)
        document.setDefaultStyleSheet(_sheet())
        document.setHtml(f"<body>{''.join(map(self._html, self._tokens))}</body>")
        block = document.begin()
        while block.isValid():
            if block.length() == 1 and QTextCursor(block).currentTable() is None:
                QTextCursor(block).setBlockFormat(_no_height())  # left before and after tables
            block = block.next()
        self._share_widths()

    def _html(self, token: "Token") -> str:
        """As Markdown has it, but for what the sheet cannot dress."""
        match token.type:
            case "inline":
                return "".join(map(self._html, token.children or ()))
            case "image":
                return self._picture(unquote(str(token.attrs["src"])), token.content)
            case "fence" | "code_block" if token.level == 0:
                code = escape(token.content.rstrip())
                return _TABLE.format("shown") + _IN_TABLE.format(code)
            case "table_open":
                return _TABLE.format("")
            case "th_open" | "td_open":
                # Qt draws no line below a cell with a style of its own, nor below a <th>.
                align = str(token.attrs.get("style", "text-align:left")).partition(":")[2]
                return _CELL.format(token.tag, align)
            case "th_close":
                return "</td>"
        markdown = _markdown()
        return str(markdown.renderer.render([token], markdown.options, {}))

    def _picture(self, name: str, words: str) -> str:
        """As wide as there is room, and never larger than it was drawn."""
        width, scale = self._written
        picture = read_picture(self._folder, name, max(40, width), scale)
        if picture is None:
            return escape(tr("Picture: {what}", what=words or name))
        self._pictures[name] = words or name
        self.document().addResource(_PICTURE, QUrl(name), picture)
        hint = tr("{picture}. Press it to see it large.", picture=words or name)
        return _SHOWN.format(
            scheme=_PICTURE_SCHEME,
            address=escape(name),
            hint=escape(hint),
            width=picture.width() / scale,
            height=picture.height() / scale,
        )

    def _share_widths(self) -> None:
        for each in self.document().rootFrame().childFrames():
            if isinstance(each, QTextTable):
                _share_width(each, self.viewport().width())

    def _on_anchor_clicked(self, url: QUrl) -> None:
        if url.scheme() in _FOR_DESKTOP:
            QDesktopServices.openUrl(url)
        elif url.scheme() == _PICTURE_SCHEME:
            words = self._pictures.get(url.path(), "")
            PictureSheet(self._folder, url.path(), words, self.window()).open()
        elif url.isRelative() and url.path().startswith("../"):
            self._asks.lesson.emit(url.path().split("/")[1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        now = (self.viewport().width(), self.devicePixelRatioF())
        if now != self._written and self._pictures:
            self._write()
        else:
            self._share_widths()


@cache
def _markdown() -> "MarkdownIt":
    # It takes its time, and whoever read the lesson, in a thread, has brought it in.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _sheet() -> str:
    letters, theme = look().letters, look().theme
    high = letters.body.height
    return _SHEET.substitute(
        gap=round(high * 0.55),
        half=round(high * 0.27),
        step=round(high),
        title=_letters(letters.title.font),
        strong=_letters(letters.strong.font),
        mono=_letters(letters.mono.font),
        text=theme.text.name(),
        accent=theme.accent.name(),
        track=rgba(theme.track),
        line=rgba(theme.line),
    )


def _letters(font: QFont) -> str:
    size, weight = font.pixelSize(), font.weight().value
    return f"font-family: '{font.family()}'; font-size: {size}px; font-weight: {weight};"


def _no_height() -> QTextBlockFormat:
    form = QTextBlockFormat()
    form.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    return form


def _share_width(table: QTextTable, width: float) -> None:
    """Each column takes its longest word, and what is left goes to those with more to say.
    Where there is no room for all words, or for every line, the columns stay as they are.
    """
    spans = [_least_and_most(table, at) for at in range(table.columns())]
    least, most = sum(each for each, _ in spans), sum(each for _, each in spans)
    form = table.format()
    if least < width < most:
        share = (width - least) / (most - least)
        wide = [low + (high - low) * share for low, high in spans]
        percent = QTextLength.Type.PercentageLength
        form.setColumnWidthConstraints([QTextLength(percent, 100 * e / width) for e in wide])
    else:
        form.clearColumnWidthConstraints()
    table.setFormat(form)


def _least_and_most(table: QTextTable, column: int) -> tuple[float, float]:
    """Pixels of its longest word, and of its longest cell on one line."""
    least = most = 0.0
    for line in range(table.rows()):
        whole = 0.0
        for fragment in _fragments(table.cellAt(line, column).firstCursorPosition()):
            metrics = QFontMetricsF(fragment.charFormat().font())
            whole += metrics.horizontalAdvance(fragment.text())
            words = (metrics.horizontalAdvance(each) for each in fragment.text().split())
            least = max(least, *words, 0.0)
        most = max(most, whole)
    return least + _BESIDE, most + _BESIDE


def _fragments(cursor: QTextCursor) -> Iterator[QTextFragment]:
    at = cursor.block().begin()
    while not at.atEnd():
        yield at.fragment()
        at += 1
