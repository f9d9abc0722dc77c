"""How a table shares out the width that there is, so that no word of it is broken."""

from PySide6.QtGui import QFontMetricsF, QTextLength, QTextTable

_BESIDE = 10.0  # pixels between what two columns say


def share_width(table: QTextTable, width: float) -> None:
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
        block = table.cellAt(line, column).firstCursorPosition().block()
        word = whole = 0.0
        at = block.begin()
        while not at.atEnd():
            fragment = at.fragment()
            metrics = QFontMetricsF(fragment.charFormat().font())
            whole += metrics.horizontalAdvance(fragment.text())
            words = (metrics.horizontalAdvance(each) for each in fragment.text().split())
            word = max(word, *words, 0.0)
            at += 1
        least, most = max(least, word), max(most, whole)
    return least + _BESIDE, most + _BESIDE
