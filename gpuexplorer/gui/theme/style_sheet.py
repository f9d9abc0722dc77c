"""The one style sheet: how Qt's own widgets look in the theme."""

from string import Template

from gpuexplorer.gui.theme.palette import Theme

# A widget says what it is by its dynamic properties `panel`, `tone` and `kind`.
_SHEET = Template("""
QMainWindow { background: $ground; }
QDialog { background: $raised; }
QLabel { color: $text; background: transparent; }
QLabel[kind="key"] {
    color: $quiet; border: 1px solid $line; border-radius: 4px; padding: 1px 5px;
}
QLabel[tone="quiet"] { color: $quiet; }
QLabel[tone="faint"] { color: $faint; }
QLabel[tone="warn"] { color: $warn; }
QLabel[tone="bad"] { color: $bad; }
QLabel[tone="good"] { color: $good; }
QFrame[panel="card"] { background: $surface; border: 1px solid $edge; border-radius: 10px; }
QFrame[panel="top"] { background: $ground; border: none; border-bottom: 1px solid $line; }
QFrame[panel="bottom"] { background: $ground; border: none; border-top: 1px solid $line; }
QFrame[panel="line"] { background: $line; border: none; }
QFrame[panel="rail"] { background: $ground; border: none; border-right: 1px solid $line; }
QScrollArea[panel="clear"], QWidget[panel="clear"] { background: transparent; border: none; }
QAbstractScrollArea[panel="clear"] QScrollBar:vertical { width: 8px; }
QAbstractScrollArea[panel="clear"] QScrollBar::handle:vertical {
    margin: 2px; border-radius: 2px;
}
QFrame[panel="banner"] { background: $surface; border: none; border-bottom: 1px solid $line; }
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
QDialog QPushButton:default {
    color: $ground; background: $text; border: 1px solid $text; font-weight: 600;
}
QDialog QPushButton:default:hover { background: $quiet; border-color: $quiet; }
QDialog QPushButton:default:focus { border: 2px solid $accent; }
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
QLineEdit {
    color: $text; background: $field; border: 1px solid $line; border-radius: 6px;
    padding: 5px 8px; selection-background-color: $accent; selection-color: $inverse;
}
QLineEdit:focus { border-color: $accent; }
QLineEdit[kind="bare"] { background: transparent; border: none; padding: 0; }
QListView[kind="bare"] { background: transparent; border: none; outline: none; }
QTableView[kind="picker"] {
    color: $text; selection-color: $text; selection-background-color: $selection;
}
QTableView[kind="picker"]::item:hover { background: $hover; }
QListView[kind="menu"] {
    color: $text; background: $raised; border: 1px solid $line; outline: 0;
}
QListView[kind="menu"]::item { padding: 4px 10px; }
QListView[kind="menu"]::item:selected { color: $text; background: $selection; }
QListView[kind="sections"] { color: $quiet; background: transparent; border: none; outline: 0; }
QListView[kind="sections"]::item { padding: 8px 12px; margin-bottom: 2px; border-radius: 6px; }
QListView[kind="sections"]::item:hover { color: $text; }
QListView[kind="sections"]::item:selected { color: $text; background: $selection; }
QListView[kind="sections"]::item:selected:focus {
    border: 2px solid $accent; padding: 6px 10px;
}
QMenu { color: $text; background: $raised; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: $selection; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QPlainTextEdit[kind="plain"] {
    background: transparent; border: none; border-radius: 4px; padding: 0;
}
QPlainTextEdit[kind="plain"]:focus { background: $field; }
QTreeView, QTableView { background: transparent; border: none; outline: 0; }
QTableCornerButton::section, QTableView::corner { background: transparent; border: none; }
QHeaderView { background: transparent; border: none; }
QPushButton:disabled { color: $faint; }
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
QFileDialog QAbstractItemView, QFileDialog QComboBox { color: $text; background: $field; }
QFileDialog QHeaderView::section { color: $quiet; background: $field; border: none; }
""")


def style_sheet(theme: Theme) -> str:
    tint = theme.selection
    selection = f"rgba({tint.red()}, {tint.green()}, {tint.blue()}, {tint.alpha()})"
    return _SHEET.substitute(theme.named(), selection=selection)
