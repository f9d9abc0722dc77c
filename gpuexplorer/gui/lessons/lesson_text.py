"""What is read in a lesson: Markdown in the window's letters and colours, code, pictures."""

import math
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import unquote

from PySide6.QtCore import QBuffer, Qt, QUrl, Signal
from PySide6.QtGui import (
    QDesktopServices,
    QImage,
    QImageReader,
    QPainter,
    QPixmap,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QTextBrowser

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.code.cell_editor import css_of, hang
from gpuexplorer.gui.paint.python import PythonColours
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.sheets.sheet import Sheet

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_SHEET = Template("""
body { color: $text; }
p, li, td, h3, h4, h5, h6 { line-height: 138%; }
p, ul, ol { margin: 0 0 ${gap}px 0; }
.picture { line-height: 100%; }
li { margin: 0 0 ${half}px 0; }
h3, h4, h5, h6 { $strong margin: ${gap}px 0; }
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
_CODE = '<table class="shown" width="100%"><tr><td><pre>{}</pre></td></tr></table>'
_PICTURE = '<a href="picture:{0}" title="{1}"><img src="{0}"></a>'
_INKS = (b"currentColor", b"#808080")  # a grey that is read on light and on dark, elsewhere
_KINDS = (".svg", ".png", ".jpg", ".jpeg")
_LARGE = 880  # pixels of a picture that is looked at
_IMAGE = QTextDocument.ResourceType.ImageResource.value


class GrowingText(QTextBrowser):
    """Read, selected and copied, as high as it is: what it stands in scrolls. It reads no file
    and fetches nothing by itself.
    """

    def __init__(self, name: str, text: str = "") -> None:
        never = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        super().__init__(openLinks=False)
        self.letters = look().letters
        self.setProperty("panel", "clear")
        self.setAccessibleName(name)
        # What holds no link is reached by the mouse, and read without being a stop.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(never)
        self.setVerticalScrollBarPolicy(never)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.setFont(self.letters.mono.font)
        self.setPlainText(text)

    def _fit(self) -> None:
        self.setFixedHeight(math.ceil(self.document().size().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()  # out of sight, the document does not tell

    def loadResource(self, kind: int, name: QUrl | str) -> None:
        """Pictures are handed to the document; of others nothing is looked for."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class CodeText(GrowingText):
    """Python in its colours; what is too long for a line goes on below, further in."""

    def __init__(self, name: str, code: str) -> None:
        super().__init__(name, code)
        self._colours = PythonColours(self.document())
        hang(self.document())


class LessonText(GrowingText):
    """A link to the net is opened by the desktop when it is clicked; one to another lesson is
    told. Pictures are read from beside the lesson's file, and shown large on a press.
    """

    lesson_asked = Signal(str)  # the name of its folder

    def __init__(self, markdown: str, folder: Path) -> None:
        super().__init__(tr("Text"))
        self._folder = folder.resolve()
        self._pictures: dict[str, str] = {}  # what each is called
        parser = _markdown()
        tokens = parser.parse(markdown)
        for before, token in pairwise(tokens):
            kinds = {each.type for each in token.children or ()}
            if "image" in kinds:
                before.attrSet("class", "picture")
            if not kinds.isdisjoint(("link_open", "image")):
                self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            for each in (token, *(token.children or ())):
                self._dress(each)
        self._html = str(parser.renderer.render(tokens, parser.options, {}))
        self.anchorClicked.connect(self._on_anchor_clicked)
        look().changed.connect(self._write)
        self._write()

    def _dress(self, token: "Token") -> None:
        """Qt draws no line below a <th>, nor below a cell with a style of its own."""
        match token.type:
            case "image":
                name, path = token.content, unquote(str(token.attrs["src"]))
                token.type = "html_inline"
                if self._read(path) is None:
                    token.content = escape(tr("Picture: {what}", what=name or path))
                else:
                    self._pictures[path] = name or path
                    hint = tr("{picture}. Press it to see it large.", picture=name or path)
                    token.content = _PICTURE.format(escape(path), escape(hint))
            case "fence" | "code_block" if token.level == 0:
                token.type = "html_block"
                token.content = _CODE.format(escape(token.content.rstrip()))
            case "table_open":
                token.attrs = {"width": "100%", "cellspacing": "0"}
            case "th_open" | "td_open" | "th_close":
                align = str(token.attrs.get("style", "text-align:left")).partition(":")[2]
                token.attrs, token.tag = {"class": token.tag, "align": align}, "td"

    def _write(self) -> None:
        document, letters, high = self.document(), self.letters, self.letters.body.height
        self.setFont(letters.body.font)
        document.setIndentWidth(high * 1.3)
        sheet = _SHEET.substitute(
            look().theme.named(),
            gap=round(high * 0.55),
            half=round(high * 0.27),
            strong=css_of(letters.strong.font),
            mono=css_of(letters.mono.font),
        )
        document.setDefaultStyleSheet(sheet)
        for name in self._pictures:
            picture = self._read(name, max(40, self.viewport().width()))
            document.addResource(_IMAGE, QUrl(name), picture)
        document.setHtml(f"<body>{self._html}</body>")
        form, block = QTextBlockFormat(), document.begin()
        form.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        while block.isValid():
            if block.length() == 1 and QTextCursor(block).currentTable() is None:
                QTextCursor(block).setBlockFormat(form)  # left before and after tables
            block = block.next()
        self._wrap()

    def _read(self, name: str, width: float = _LARGE) -> QImage | None:
        return read_picture(self._folder / name, self._folder, width, self.devicePixelRatioF())

    def _wrap(self) -> None:
        """No word is broken, where all of them have room."""
        mode = QTextOption.WrapMode
        self.setWordWrapMode(mode.WordWrap)
        if self.document().size().width() > self.viewport().width():
            self.setWordWrapMode(mode.WrapAtWordBoundaryOrAnywhere)

    def _on_anchor_clicked(self, url: QUrl) -> None:
        if url.scheme() in ("https", "http"):
            QDesktopServices.openUrl(url)
        elif url.scheme() == "picture" and url.path() in self._pictures:
            sheet = Sheet(self._pictures[url.path()], self.window(), _LARGE + 60)
            shown = QLabel()
            shown.setAccessibleName(sheet.windowTitle())
            if (
                picture := self._read(url.path(), min(_LARGE, self.window().width() - 80))
            ) is not None:
                shown.setPixmap(QPixmap.fromImage(picture))
            sheet.body.addWidget(shown, 0, Qt.AlignmentFlag.AlignHCenter)
            sheet.add_close()
            sheet.open()
        elif url.isRelative() and url.path().startswith("../"):
            self.lesson_asked.emit(url.path().split("/")[1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        another = event.size().width() != event.oldSize().width()
        (self._write if self._pictures and another else self._wrap)()


def read_picture(path: Path, folder: Path, width: float, scale: float) -> QImage | None:
    """No wider than so many pixels, of which `scale` make one; None for what is not in the
    folder, or cannot be read. A drawing in one ink takes the theme's; in colours of its own it
    is made for light paper.
    """
    path, theme, buffer = path.resolve(), look().theme, QBuffer()
    known = path.suffix.lower() in _KINDS and path.is_file()
    if not (known and path.is_relative_to(folder)):
        return None
    data = path.read_bytes()
    own = not any(ink in data for ink in _INKS)
    for ink in _INKS if path.suffix.lower() == ".svg" else ():
        data = data.replace(ink, theme.text.name().encode())
    buffer.setData(data)
    reader = QImageReader(buffer)
    size = reader.size()
    if not size.isEmpty():
        reader.setScaledSize(size * (min(width, size.width()) * scale / size.width()))
    found = reader.read()
    picture = QImage(found.size(), QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(theme.text if own and theme.dark else Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        painter.drawImage(0, 0, found)
    picture.setDevicePixelRatio(scale)
    return picture if not found.isNull() else None


@cache
def _markdown() -> "MarkdownIt":
    # It takes its time, and whoever read the lesson, in a thread, has brought it in.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
