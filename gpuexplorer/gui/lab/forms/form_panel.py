"""FormPanel: create, compute and train without typing code. It shows the code it will run."""

from collections.abc import Callable, Hashable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFormLayout,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.forms.compute import COMPUTE
from gpuexplorer.gui.lab.forms.create import MODEL, TENSOR
from gpuexplorer.gui.lab.forms.form import Around, Field, LabForm, Plan
from gpuexplorer.gui.lab.forms.train import TRAIN
from gpuexplorer.gui.state.lab.devices import expected_contexts
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import PrimaryButton, ToolButton, link_button
from gpuexplorer.gui.widgets.controls.fields import Choice, Dropdown, show_text, text_field
from gpuexplorer.gui.widgets.controls.keyboard import one_tab_stop
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    Grow,
    column,
    label,
    say,
    wrapped_label,
)
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.lab.cell_source import names_made

FORMS: Sequence[LabForm] = (TENSOR, MODEL, COMPUTE, TRAIN)
_LEAST_LINES, _MOST_LINES = 2, 12


class FormPanel(QWidget):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed."""

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab, self._shown = lab, TENSOR
        self._plan, self._around = Plan(), Around()
        self._tabs = Segmented(tr("What to do"), [(each, tr(each.title)) for each in FORMS])
        self._forms = {form: FormView(form) for form in FORMS}
        self._code = QPlainTextEdit(readOnly=True, tabChangesFocus=True)
        self._code.setProperty("kind", "plain")
        self._code.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # wraps
        self._code.setFont(look().letters.mono.font)
        self._code.document().setDocumentMargin(0)
        self._code.document().documentLayout().documentSizeChanged.connect(self._fit_code)
        caption = look().letters.caption
        self._facts = wrapped_label("", Tone.QUIET, caption)
        self._warnings = wrapped_label("", Tone.WARN, caption)
        self._refusal = wrapped_label("", Tone.BAD, caption)
        self._button = PrimaryButton("Ctrl+Enter")
        ground, line, content = QFrame(), QFrame(), QWidget()
        ground.setProperty("panel", "card")
        line.setProperty("panel", "line")
        line.setFixedHeight(1)
        content.setProperty("panel", "clear")
        column(*self._forms.values(), FREE, within=content, gap=12)
        said = (self._facts, self._warnings, self._refusal, self._button)
        parts = (self._tabs, scrolled(content), Grow(2), line, self._code, GROWS, *said)
        column(*parts, within=ground, margins=(8, 12, 8, 12))
        column(ground, within=self)
        self._tabs.chosen.connect(self._show_form)
        for form in self._forms.values():
            form.changed.connect(self._on_form_changed)
        self._button.clicked.connect(self._on_run_asked)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            shortcut = QShortcut(QKeySequence(keys), self, self._on_run_asked)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        lab.changed.connect(self._bring_up)
        lab.switches_changed.connect(self._bring_up)
        lab.selection.changed.connect(self._on_selection_changed)
        self._show_form(TENSOR)

    def pull(self) -> None:
        """What is read live: free memory, say."""
        if tuple(self._lab.devices()) != self._around.devices:
            self._bring_up()

    def offer(self, form: LabForm) -> None:
        """The keyboard goes to its first field."""
        self._show_form(form)
        self._forms[form].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def run(self) -> None:
        """What it says, where one can see what that is."""
        if self.isVisible():
            self._on_run_asked()

    def _show_form(self, form: LabForm) -> None:
        self._shown = form
        self._tabs.show_choice(form)
        for each, view in self._forms.items():
            view.setVisible(each is form)
        self._on_form_changed()

    def _bring_up(self) -> None:
        """All that is seen, from what the lab knows and the fields say."""
        if not self.isVisible():
            return
        lab, devices = self._lab, tuple(self._lab.devices())
        under_way = [e for e in lab.ledger.cells if e.state in ("waiting", "running")]
        self._around = Around(
            dict(lab.ledger.things),
            frozenset(name for cell in under_way for name in names_made(cell.code)),
            devices,
            expected_contexts(lab.machine.session, devices),
            lab.switches.memory_share,
            lab.machine.settings.choices.units,
        )
        plan = self._plan = self._forms[self._shown].show_around(self._around)
        ready = plan.ready and not lab.recorded
        if self._button.hasFocus() and not ready:
            # Else Qt hands the keyboard to whatever comes behind this panel.
            self._tabs.setFocus()
        if plan.code != self._code.toPlainText() or not self._code.accessibleName():
            self._code.setPlainText(plan.code)
            will_run = tr("It will run: {code}", code=plan.code)
            self._code.setAccessibleName(will_run if plan.code else tr("Nothing to run yet"))
        self._fit_code()
        say(self._facts, "\n".join(plan.facts))
        say(self._warnings, "\n".join(plan.warnings))
        self._button.show_words(plan.button)
        self._button.setEnabled(ready)

    def _fit_code(self) -> None:
        """It is as high as its lines where there is room; else the rest is scrolled to."""
        # The document of a plain text field counts its height in lines, wrapped ones too.
        lines = round(self._code.document().size().height())
        height = self._code.fontMetrics().lineSpacing()
        self._code.setMinimumHeight(_LEAST_LINES * height + 2)
        self._code.setMaximumHeight(max(_LEAST_LINES, min(lines, _MOST_LINES)) * height + 2)

    def _on_form_changed(self) -> None:
        say(self._refusal, tr(self._lab.said_of_recording))
        self._bring_up()

    def _on_selection_changed(self) -> None:
        there, names = self._lab.ledger.things, sorted(self._lab.selection.things)
        for form in self._forms.values():
            form.select_things([each for each in names if each in there], self._around)
        self._bring_up()

    def _on_run_asked(self) -> None:
        self._bring_up()
        if not self._button.isEnabled():
            return
        try:
            self._lab.run(self._plan.code, by_form=True)
        except Trouble as trouble:
            say(self._refusal, trouble.told)
            return
        self._forms[self._shown].forget_names()
        self._on_form_changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._bring_up()


class FormView(QWidget):
    """Lays out the fields of a form, and keeps what a person put into them."""

    changed = Signal()

    def __init__(self, form: LabForm) -> None:
        super().__init__()
        self._form = form
        self._own: dict[str, str] = {}
        self._lines: list[tuple[Field, QWidget, QLabel]] = []  # with what is wrong
        self._more = link_button("", flush=True)
        self._more.setCheckable(True)
        self._more.clicked.connect(self.changed)
        caption = look().letters.caption
        self._rows = QFormLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(8)
        for field in form.fields:
            if field.folded and self._more.parent() is None:
                self._rows.addRow(self._more)
            control = self._made(field, tr(field.label))
            sentence = wrapped_label("", Tone.BAD, caption)
            if field.kind in ("grid", "tick"):
                self._rows.addRow(control)
            else:
                words = label(tr(field.label), caption, Tone.QUIET)
                words.setFixedHeight(32)
                words.setBuddy(control)  # on Linux a list has no other name for screen readers
                self._rows.addRow(words, control)
            self._rows.addRow(sentence)
            self._lines.append((field, control, sentence))
        self.setFocusProxy(self._lines[0][1])

    def show_around(self, around: Around) -> Plan:
        """What it is about to do now."""
        values = self._form.settled(self._own, around)
        plan = self._form.plan(values, around)
        if any(each.folded and each.key in plan.problems for each in self._form.fields):
            self._more.setChecked(True)
        unfolded = self._more.isChecked()
        self._more.setText(tr("Fewer options") if unfolded else tr("More options"))
        for field, control, sentence in self._lines:
            seen = self._form.seen(field, values, around) and (unfolded or not field.folded)
            problem, value = plan.problems.get(field.key, ""), values[field.key]
            self._rows.setRowVisible(control, seen)
            self._rows.setRowVisible(sentence, bool(problem))
            sentence.setText(problem)
            control.setAccessibleDescription(problem)
            restyle(control, "bad", bool(problem))
            match control:
                case QLineEdit():
                    proposed = field.kind == "name" and value != control.text()
                    show_text(control, value)
                    if proposed and control.hasFocus():
                        control.selectAll()  # what is typed takes the place of the proposal
                case Dropdown() if seen:
                    offered = field.offer(values, around)
                    control.show_choices(offered, value, tr("nothing yet"))
                case _OptionGrid():
                    control.show_chosen(value)
                case QCheckBox():
                    name, refused = tr(field.label), field.refused(values, around)
                    control.setText(f"{name}: {refused}" if refused else name)
                    control.setChecked(bool(value))
                    control.setEnabled(not refused)
        return plan

    def select_things(self, names: Sequence[str], around: Around) -> None:
        """These were chosen elsewhere: each comes to the first field that takes it."""
        free = [each for each in self._form.fields if each.thing]
        for name in names if len(names) <= len(free) else ():
            for field in free:
                offered = field.offer(self._form.settled(self._own, around), around)
                if name in {each.key for each in offered}:
                    self._own[field.key] = name
                    free.remove(field)
                    break

    def forget_names(self) -> None:
        """The next thing needs a name of its own."""
        for each in self._form.fields:
            if each.kind == "name":
                self._own.pop(each.key, None)

    def _made(self, field: Field, name: str) -> QWidget:
        def take(value: str) -> None:
            self._own[field.key] = value
            if field.kind == "grid":
                self.forget_names()  # what was typed was meant for another result
            self.changed.emit()

        match field.kind:
            case "choice":
                chooser = Dropdown(name)
                chooser.chosen.connect(take)
                return chooser
            case "grid":
                return _OptionGrid(name, field.offer({}, Around()), take)
            case "tick":
                box = QCheckBox(name)
                box.setFont(look().letters.mono.font)
                box.setAccessibleName(name)
                box.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
                box.clicked.connect(lambda on: take("on" if on else ""))
                return box
        typed = text_field(name)
        typed.setPlaceholderText(tr(field.placeholder))
        typed.textEdited.connect(take)
        return typed


class _OptionGrid(QWidget):
    """One stop for the Tab key: arrows go from button to button and choose."""

    def __init__(
        self, name: str, choices: Sequence[Choice], take: Callable[[str], None]
    ) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._group, self._buttons = QButtonGroup(self), dict[Hashable, ToolButton]()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(4)
        for at, each in enumerate(choices):
            button = self._buttons[each.key] = ToolButton(
                "option", None, each.words, each.remark
            )
            button.setCheckable(True)
            button.setFont(look().letters.mono.font)
            button.setAccessibleName(f"{each.words}: {each.remark}")
            button.setFixedHeight(26)
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            self._group.addButton(button)
            grid.addWidget(button, *divmod(at, 3 if len(choices) > 4 else 2))
        self._group.buttonClicked.connect(lambda button: take(button.text()))

    def show_chosen(self, key: str) -> None:
        self._buttons[key].setChecked(True)
        one_tab_stop(self._group)
