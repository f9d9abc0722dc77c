"""PythonColours: the colours of code, in a document of Qt's that holds one cell."""

from PySide6.QtGui import QSyntaxHighlighter, QTextDocument

from gpuexplorer.gui.paint.python_parts import colour, parts
from gpuexplorer.gui.theme.look import look

_LONGEST = 2000  # letters; a longer line is data, and stays as it is
_LEFT_OPEN = ("", "'''", '"""')  # by the state of the line that leaves them open


class PythonColours(QSyntaxHighlighter):
    """Changes with the theme by itself."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        look().changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:
        quotes = _LEFT_OPEN[max(0, self.previousBlockState())]
        found, quotes = parts(text, quotes) if len(text) <= _LONGEST else ([], quotes)
        for begin, end, part in found:
            self.setFormat(begin, end - begin, colour(look().theme, part))
        self.setCurrentBlockState(_LEFT_OPEN.index(quotes))
