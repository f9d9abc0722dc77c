"""LessonText: Markdown of a lesson in the window's letters and colours."""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QFont,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextImageFormat,
    QTextLength,
    QTextTable,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lessons.growing_text import GrowingText
from gpuexplorer.gui.lessons.lesson_pictures import PictureSheet, read_picture
from gpuexplorer.gui.lessons.step_asks import StepAsks
from gpuexplorer.gui.lessons.table_widths import share_width
from gpuexplorer.gui.theme.look import Look

_MARKDOWN = (
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub
    | QTextDocument.MarkdownFeature.MarkdownNoHTML
)
_FOR_DESKTOP = ("https", "http")
_LINE = 138  # per cent of the letters' height
_PICTURE_SCHEME = "picture"  # a press on one
_PICTURE = QTextDocument.ResourceType.ImageResource


class LessonText(GrowingText):
    """A link to the net is opened by the desktop when it is clicked; one to another lesson is
    told. Pictures are read from beside the lesson's file, and from nowhere else.
    """

    def __init__(self, look: Look, markdown: str, folder: Path, asks: StepAsks) -> None:
        super().__init__(look, tr("Text"))
        self._markdown, self._folder, self._asks = markdown, folder.resolve(), asks
        self._pictures: dict[str, str] = {}  # what each is called
        self._written = (0, 0.0)  # for which width and how many pixels to one
        self.anchorClicked.connect(self._on_anchor_clicked)
        look.changed.connect(self._write)
        self._write()

    def _write(self) -> None:
        document, letters = self.document(), self.look.letters
        self._written = (self.viewport().width(), self.devicePixelRatioF())
        self.setFont(letters.body.font)
        document.setIndentWidth(letters.body.height * 1.3)
        document.setMarkdown(self._markdown, _MARKDOWN)
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        for block in self._blocks():
            self._dress_block(QTextCursor(block), block)
        for table in self._tables():
            self._dress_table(table)
            share_width(table, self._written[0])
        self._frame_code()
        cursor.endEditBlock()
        links = any(form.isAnchor() for form in self._forms())
        focus = Qt.FocusPolicy.StrongFocus if links else Qt.FocusPolicy.ClickFocus
        self.setFocusPolicy(focus)

    def _tables(self) -> list[QTextTable]:
        frames = self.document().rootFrame().childFrames()
        return [each for each in frames if isinstance(each, QTextTable)]

    def _blocks(self) -> Iterator[QTextBlock]:
        block = self.document().begin()
        while block.isValid():
            yield block
            block = block.next()

    def _forms(self) -> Iterator[QTextCharFormat]:
        return (form for block in self._blocks() for _, form in _stretches_of(block))

    def _dress_block(self, cursor: QTextCursor, block: QTextBlock) -> None:
        theme, letters = self.look.theme, self.look.letters
        form = QTextBlockFormat(block.blockFormat())
        gap = letters.body.height * 0.55
        code = _is_code(form)
        level, table = form.headingLevel(), _table_at(cursor)
        heads = table is not None and not _row(table, cursor)
        listed = _listed(block) and _listed(block.next())
        form.setTopMargin(gap if level and block.blockNumber() else 0)
        form.setBottomMargin(0 if code or table is not None else gap / 2 if listed else gap)
        if form.hasProperty(QTextFormat.Property.BlockQuoteLevel):
            form.setLeftMargin(letters.body.height)
        if code:
            form.setNonBreakableLines(False)
        elif not any(was.isImageFormat() for _, was in _stretches_of(block)):
            form.setLineHeight(_LINE, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if table is not None and heads:
            below = table.cellAt(1, table.cellAt(cursor).column())
            form.setAlignment(below.firstCursorPosition().blockFormat().alignment())
        cursor.setBlockFormat(form)
        for stretch, was in list(_stretches_of(block)):
            if was.isImageFormat():
                self._place_picture(stretch, was.toImageFormat())
                continue
            now = QTextCharFormat()
            if level:
                now.setFont((letters.title if level < 4 else letters.strong).font)
            elif code or was.fontFixedPitch():
                now.setFont(letters.mono.font)
                now.setBackground(Qt.GlobalColor.transparent if code else theme.track)
            elif was.fontWeight() > QFont.Weight.Normal or heads:
                now.setFontWeight(QFont.Weight.DemiBold)
            now.setForeground(theme.accent if was.isAnchor() else theme.text)
            stretch.mergeCharFormat(now)

    def _frame_code(self) -> None:
        """What is only shown stands on a ground of its own."""
        form = QTextFrameFormat()
        form.setBackground(self.look.theme.track)
        form.setPadding(8)
        form.setBottomMargin(self.look.letters.body.height * 0.55)
        block, begin = self.document().begin(), -1
        while block.isValid():
            if _is_code(block.blockFormat()) and block.textList() is None:
                begin = block.position() if begin < 0 else begin
                if not _is_code(block.next().blockFormat()):
                    cursor = QTextCursor(self.document())
                    cursor.setPosition(begin)
                    end = block.position() + block.length() - 1
                    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                    cursor.insertFrame(form)
                    block, begin = cursor.block(), -1
            block = block.next()
        for each in self._blocks():
            if each.length() == 1 and _table_at(QTextCursor(each)) is None:
                QTextCursor(each).setBlockFormat(_no_height())  # left before and after it

    def _dress_table(self, table: QTextTable) -> None:
        form = table.format()
        form.setBorder(0)
        form.setCellSpacing(0)
        form.setCellPadding(0)
        form.setTopMargin(self.look.letters.body.height * 0.3)
        form.setBottomMargin(self.look.letters.body.height * 0.55)
        form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        table.setFormat(form)
        for line in range(table.rows()):
            for at in range(table.columns()):
                cell = table.cellAt(line, at)
                dress = cell.format().toTableCellFormat()
                dress.setBottomBorder(1)
                dress.setBottomBorderBrush(self.look.theme.line)
                dress.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
                dress.setTopPadding(4)
                dress.setBottomPadding(4)
                dress.setRightPadding(8)
                cell.setFormat(dress)

    def _place_picture(self, stretch: QTextCursor, form: QTextImageFormat) -> None:
        """As wide as there is room, and never larger than it was drawn."""
        width, scale = self._written
        said = form.property(QTextFormat.Property.ImageAltText) or form.name()
        picture = read_picture(self.look, self._folder, form.name(), max(40, width), scale)
        if picture is None:
            stretch.insertText(tr("Picture: {what}", what=said), QTextCharFormat())
            return
        self._pictures[form.name()] = str(said)
        self.document().addResource(_PICTURE, QUrl(form.name()), picture)
        form.setWidth(picture.width() / scale)
        form.setHeight(picture.height() / scale)
        form.setAnchor(True)
        form.setAnchorHref(f"{_PICTURE_SCHEME}:{form.name()}")
        form.setToolTip(tr("{picture}. Press it to see it large.", picture=said))
        stretch.setCharFormat(form)

    def _on_anchor_clicked(self, url: QUrl) -> None:
        if url.scheme() in _FOR_DESKTOP:
            QDesktopServices.openUrl(url)
        elif url.scheme() == _PICTURE_SCHEME:
            words = self._pictures.get(url.path(), "")
            PictureSheet(self.look, self._folder, url.path(), words, self.window()).open()
        elif url.isRelative() and url.path().startswith("../"):
            self._asks.lesson.emit(url.path().split("/")[1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        now = (self.viewport().width(), self.devicePixelRatioF())
        if now != self._written and any(form.isImageFormat() for form in self._forms()):
            self._write()
        else:
            for table in self._tables():
                share_width(table, now[0])


def _stretches_of(block: QTextBlock) -> Iterator[tuple[QTextCursor, QTextCharFormat]]:
    """Each stretch of one format, selected."""
    at = block.begin()
    while not at.atEnd():
        fragment = at.fragment()
        cursor = QTextCursor(block)
        cursor.setPosition(fragment.position())
        end = fragment.position() + fragment.length()
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        yield cursor, fragment.charFormat()
        at += 1


def _no_height() -> QTextBlockFormat:
    form = QTextBlockFormat()
    form.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    return form


def _listed(block: QTextBlock) -> bool:
    return block.isValid() and block.textList() is not None


def _table_at(cursor: QTextCursor) -> QTextTable | None:
    return cursor.currentTable()


def _is_code(form: QTextBlockFormat) -> bool:
    return form.hasProperty(QTextFormat.Property.BlockCodeFence)


def _row(table: QTextTable, cursor: QTextCursor) -> int:
    return table.cellAt(cursor.selectionStart()).row()
