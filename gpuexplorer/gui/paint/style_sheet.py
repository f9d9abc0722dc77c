"""The one style sheet: how Qt's own widgets look in the theme."""

from string import Template

from gpuexplorer.gui.paint.theme import Theme

# A widget says what it is by its dynamic properties `panel`, `tone` and `kind`.
_SHEET = Template("""
QMainWindow, QDialog { background: $ground; }
QLabel { color: $text; background: transparent; }
QLabel[tone="quiet"] { color: $quiet; }
QLabel[tone="faint"] { color: $faint; }
QLabel[tone="warn"] { color: $warn; }
QLabel[tone="bad"] { color: $bad; }
QFrame[panel="card"] { background: $surface; border: 1px solid $edge; border-radius: 10px; }
QFrame[panel="top"] { background: $ground; border: none; border-bottom: 1px solid $line; }
QFrame[panel="bottom"] { background: $ground; border: none; border-top: 1px solid $line; }
QFrame[panel="line"] { background: $line; border: none; }
QPushButton {
    color: $text; background: $surface; border: 1px solid $line; border-radius: 6px;
    padding: 7px 15px;
}
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $well; }
QPushButton:focus { border: 2px solid $accent; padding: 6px 14px; }
QPushButton[kind="primary"] {
    color: $ground; background: $text; border: 1px solid $text; font-weight: 600;
}
QPushButton[kind="primary"]:hover { background: $quiet; border-color: $quiet; }
QPushButton[kind="primary"]:focus { border: 2px solid $accent; }
QPushButton[kind="link"] {
    color: $accent; background: transparent; border: 2px solid transparent;
    padding: 2px 4px; text-align: left;
}
QPushButton[kind="link"]:hover { text-decoration: underline; }
QPushButton[kind="link"]:focus { border-color: $accent; }
QPlainTextEdit {
    color: $text; background: $field; border: 1px solid $line; border-radius: 6px;
    padding: 8px; selection-background-color: $accent; selection-color: $inverse;
}
QPlainTextEdit:focus { border-color: $accent; }
QScrollArea { background: $ground; border: none; }
QWidget[panel="page"] { background: $ground; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; border: none; }
QScrollBar::handle:vertical {
    background: $line; border-radius: 3px; min-height: 32px; margin: 3px;
}
QScrollBar::handle:vertical:hover { background: $faint; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; border: none; }
QScrollBar::handle:horizontal {
    background: $line; border-radius: 3px; min-width: 32px; margin: 3px;
}
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QToolTip { color: $text; background: $raised; border: 1px solid $line; padding: 6px; }
""")


def style_sheet(theme: Theme) -> str:
    return _SHEET.substitute(theme.named())
