"""Section: a heading with a row for each choice of its group; what is chosen holds at once."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.choices import Choices, Group, Offer, offers
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.number_field import NumberField, Range
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.controls.switch import Switch
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.rows.setting_row import SettingRow
from gpuexplorer.gui.wording.moments import span_words

_MOST_SEGMENTS = 6  # more choices are a list that opens
_CHIP, _GAP, _APART, _ICON = 20, 4, 20, 16


class Section(QWidget):
    """`more` are options that are known only here, such as the screens there are."""

    def __init__(
        self,
        look: Look,
        settings: Settings,
        group: Group,
        more: Mapping[str, Sequence[tuple[Hashable, str]]] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.look = look
        self.settings = settings
        self.group = group
        self.rows: dict[str, SettingRow] = {}
        self.controls: dict[str, QWidget] = {}
        self._show: dict[str, Callable[[object], None]] = {}
        self.setAccessibleName(tr(group))
        title = QLabel(tr(group))
        title.setFont(look.letters.title.font)
        self._defaults = QPushButton(tr("Restore defaults"))
        self._defaults.setProperty("kind", "link")
        self._defaults.setAutoDefault(False)
        self._defaults.setFont(look.letters.body.font)
        self._defaults.setAccessibleName(tr("{section}: restore defaults", section=tr(group)))
        # It keeps its place, so that nothing moves when it comes and goes.
        policy = self._defaults.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._defaults.setSizePolicy(policy)
        self._defaults.clicked.connect(self._on_defaults_clicked)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 4)
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self._defaults)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        self.body.addLayout(head)
        for name, offer in offers().items():
            if offer.group is group:
                self._add_row(name, offer, (more or {}).get(name, ()))
        settings.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show what holds now; called once everything stands, and when something changes."""
        choices, usual = self.settings.choices, Choices()
        changed = any(getattr(choices, n) != getattr(usual, n) for n in self.names())
        # The keyboard must not be left on a button that goes away.
        if not changed and self._defaults.hasFocus():
            self.focusNextChild()
        self._defaults.setVisible(changed)
        self.show_choices(choices)

    def show_choices(self, choices: Choices) -> None:
        for name, show in self._show.items():
            show(getattr(choices, name))

    def show_value(self, name: str, value: object) -> None:
        self._show[name](value)

    def add(self, *rows: QWidget) -> None:
        """A hairline above each."""
        for row in rows:
            self.body.addWidget(hairline())
            self.body.addWidget(row)

    def choose(self, **changes: object) -> None:
        choices = self.settings.choices
        self.settings.choose(replace(choices, **changes).settled())  # type: ignore[arg-type]  # by name

    def names(self) -> Sequence[str]:
        """The choices that "Restore defaults" takes back."""
        return tuple(self.rows)

    def _add_row(self, name: str, offer: Offer, more: Sequence[tuple[Hashable, str]]) -> None:
        control = self._control(name, offer, more)
        row = SettingRow(self.look, tr(offer.title), tr(offer.meaning), control)
        self.rows[name], self.controls[name] = row, control
        self.add(row)
        if name == "palette":
            self.body.addWidget(PaletteSample(self.look))

    def _control(
        self, name: str, offer: Offer, more: Sequence[tuple[Hashable, str]]
    ) -> QWidget:
        def chosen(value: object) -> None:
            self.choose(**{name: value})

        title = tr(offer.title)
        if offer.options:
            options = [(key, tr(words)) for key, words in (*offer.options, *more)]
            known = dict(options)
            row = Segmented(self.look, title, options)
            row.show_compact(len(options) > _MOST_SEGMENTS)
            row.chosen.connect(chosen)

            def show(value: object) -> None:
                if value in known or not isinstance(value, float):
                    # A screen that is gone, or that only a newer version has, is the first.
                    row.show_choice(value if value in known else options[0][0])
                else:
                    row.show_choice(value, span_words(value))

            self._show[name] = show
            return row
        if offer.most:
            number = NumberField(
                self.look, title, Range(offer.least, offer.most, offer.stops), offer.unit
            )
            number.chosen.connect(chosen)
            self._show[name] = number.show_number  # type: ignore[assignment]  # a float's field
            return number
        switch = Switch(self.look, title)
        switch.turned.connect(chosen)
        self._show[name] = switch.show_on  # type: ignore[assignment]  # a bool's field
        return switch

    def _on_defaults_clicked(self) -> None:
        usual = Choices()
        self.choose(**{name: getattr(usual, name) for name in self.names()})


def hairline() -> QFrame:
    line = QFrame()
    line.setProperty("panel", "line")
    line.setFixedHeight(1)
    line.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return line


class PaletteSample(Painted):
    """Each with its number or its sign, as everywhere: colour is never alone."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setAccessibleName(tr("The colours of eight cards, and of good, warning and bad"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        x, top = 0.0, (self.height() - _CHIP) / 2
        for number, colour in enumerate(theme.cards):
            place = QRectF(x, top, _CHIP, _CHIP)
            drawing.chip(place, str(number), letters.caption, colour)
            x += _CHIP + _GAP
        x += _APART - _GAP
        baseline = self.height() / 2 + letters.body.cap_height / 2
        for icon, word, colour in (
            (Icon.THERE, tr("good"), theme.good),
            (Icon.WARNING, tr("warning"), theme.warn),
            (Icon.LOST, tr("bad"), theme.bad),
        ):
            run = Run(word, letters.body, colour)
            if x + _ICON + 6 + run.width > self.width():
                break
            drawing.icon(icon, QRectF(x, (self.height() - _ICON) / 2, _ICON, _ICON), colour)
            x = drawing.text(x + _ICON + 6, baseline, run) + 16

    def sizeHint(self) -> QSize:
        return QSize(320, _CHIP + 20)
