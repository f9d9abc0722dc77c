"""FormPanel: create, compute and train without typing a line."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.lab.contexts import expected_contexts
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.forms.compute_form import ComputeForm
from gpuexplorer.gui.views.lab.forms.footer import Footer
from gpuexplorer.gui.views.lab.forms.form import Form
from gpuexplorer.gui.views.lab.forms.model_form import ModelForm
from gpuexplorer.gui.views.lab.forms.tensor_form import TensorForm
from gpuexplorer.gui.views.lab.forms.train_form import TrainForm
from gpuexplorer.gui.widgets.controls.arrow_keys import line_up
from gpuexplorer.gui.widgets.controls.headings import MARGIN, Headings
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.scrolled import scrolled
from gpuexplorer.gui.wording.lab.forms.plan import Plan, Surroundings
from gpuexplorer.lab.events import Placed

_SIDE, _TOP, _BOTTOM, _BAR = 12, 12, 12, 8


class _Tab(StrEnum):
    CREATE = "create"
    COMPUTE = "compute"
    TRAIN = "train"


class _Made(StrEnum):
    TENSOR = "tensor"
    MODEL = "model"


_WORDS: Mapping[_Tab | _Made, str] = {
    _Tab.CREATE: mark("Create"),
    _Tab.COMPUTE: mark("Compute"),
    _Tab.TRAIN: mark("Train"),
    _Made.TENSOR: mark("Tensor"),
    _Made.MODEL: mark("Model"),
}
_FORMS: Mapping[object, Callable[[Look], Form]] = {
    _Made.TENSOR: TensorForm,
    _Made.MODEL: ModelForm,
    _Tab.COMPUTE: ComputeForm,
    _Tab.TRAIN: TrainForm,
}


class FormPanel(QWidget):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed."""

    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._tab, self._made = _Tab.CREATE, _Made.TENSOR
        self._plan = Plan("")
        self._around = Surroundings()
        self._tabs = Headings(
            look, tr("What to do"), [(each, tr(_WORDS[each])) for each in _Tab]
        )
        self._kinds = Segmented(
            look, tr("What to create"), [(each, tr(_WORDS[each])) for each in _Made]
        )
        self._kinds.fill_width()
        self._look = look
        self._forms: dict[object, Form] = {}  # each made when it is first seen
        self._footer = Footer(look)
        self._lay_out()
        self._tabs.chosen.connect(self._on_tab_chosen)
        self._kinds.chosen.connect(self._on_kind_chosen)
        self._footer.run_asked.connect(self._on_run_asked)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            keys = QKeySequence(QKeyCombination(Qt.KeyboardModifier.ControlModifier, key))
            shortcut = QShortcut(keys, self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self._on_run_asked)
        lab.changed.connect(self._on_lab_changed)
        lab.switches_changed.connect(self._on_lab_changed)
        lab.selection.changed.connect(self._on_selection_changed)
        self._show_tab()

    def pull(self) -> None:
        """What is read live: free memory, say."""
        if tuple(self._lab.devices()) != self._around.devices:
            self._bring_up()

    def offer_tensor(self) -> None:
        self._offer(_Made.TENSOR)

    def offer_model(self) -> None:
        self._offer(_Made.MODEL)

    def run(self) -> None:
        """What it says, where one can see what that is."""
        if self.isVisible():
            self._on_run_asked()

    def _offer(self, made: _Made) -> None:
        """The keyboard goes to its first field."""
        self._tab, self._made = _Tab.CREATE, made
        self._show_tab()
        self._form().begin()

    def _bring_up(self) -> None:
        """All that is seen, from what the lab knows and the fields say."""
        if not self.isVisible():
            return
        self._around = self._look_around()
        form = self._form()
        form.show_around(self._around)
        self._plan = form.plan(self._around)
        form.show_plan(self._plan)
        if self._footer.has_keyboard and not self._plan.ready:
            # Else Qt hands the keyboard to whatever comes behind this panel.
            self._tabs.setFocus()
        self._footer.show_plan(self._plan)

    def _look_around(self) -> Surroundings:
        lab = self._lab
        waiting = {
            name
            for entry in lab.ledger.entries
            if entry.state in ("waiting", "running")
            for name in entry.effects.makes
        }
        devices = tuple(lab.devices())
        return Surroundings(
            dict(lab.ledger.things),
            frozenset(waiting),
            devices,
            expected_contexts(lab.machine.session, devices),
            lab.switches.fall_back,
            lab.switches.memory_share,
            lab.machine.settings.choices.units,
        )

    def _form(self) -> Form:
        which = self._made if self._tab is _Tab.CREATE else self._tab
        return self._forms.get(which) or self._make(which)

    def _make(self, which: _Made | _Tab) -> Form:
        form = self._forms[which] = _FORMS[which](self._look)
        form.changed.connect(self._on_form_changed)
        self._column.insertWidget(self._column.count() - 1, form)
        # What is made late would come last in the way of the Tab key.
        line_up([*self._kinds.findChildren(QWidget), *form.findChildren(QWidget)])
        things = self._selected()
        if things:
            form.select_things(things)
        return form

    def _show_tab(self) -> None:
        self._tabs.show_choice(self._tab)
        self._kinds.show_choice(self._made)
        self._kinds.setVisible(self._tab is _Tab.CREATE)
        chosen = self._form()
        if any(each is not chosen and _has_keyboard(each) for each in self._forms.values()):
            self._tabs.setFocus()
        for form in self._forms.values():
            form.setVisible(form is chosen)
        self._footer.show_refusal("")
        self._scroll.verticalScrollBar().setValue(0)
        self._bring_up()

    def _carry_out(self, plan: Plan) -> None:
        self._lab.run_all(plan.lines)
        training = plan.training
        if training is not None:
            self._lab.train(
                training.model,
                training.inputs,
                training.targets,
                training.optimiser,
                training.loss,
                training.steps,
                training.batch,
            )

    def _lay_out(self) -> None:
        ground = QFrame(self)
        ground.setProperty("panel", "card")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ground)
        content = QWidget()
        content.setProperty("panel", "clear")
        column = self._column = QVBoxLayout(content)
        column.setContentsMargins(_SIDE, 0, _SIDE, _BAR)
        column.setSpacing(12)
        column.addWidget(self._kinds)
        column.addStretch(1)
        self._scroll = scrolled(content)
        self._scroll.verticalScrollBar().rangeChanged.connect(self._on_range_changed)
        whole = QVBoxLayout(ground)
        whole.setContentsMargins(0, _TOP, 0, _BOTTOM)
        whole.setSpacing(8)
        tabs = QVBoxLayout()
        tabs.setContentsMargins(_SIDE - MARGIN, 0, _SIDE, 0)
        tabs.addWidget(self._tabs)
        whole.addLayout(tabs)
        whole.addWidget(self._scroll, 1)
        foot = QVBoxLayout()
        foot.setContentsMargins(_SIDE, 0, _SIDE, 0)
        foot.addWidget(self._footer)
        whole.addLayout(foot)

    def _on_tab_chosen(self, tab: _Tab) -> None:
        self._tab = tab
        self._show_tab()

    def _on_kind_chosen(self, made: _Made) -> None:
        self._made = made
        self._show_tab()

    def _on_range_changed(self, least: int, most: int) -> None:
        """The bar stands in the margin, so that nothing becomes narrower when it comes."""
        right = _SIDE - _BAR if most > least else _SIDE
        self._column.setContentsMargins(_SIDE, 0, right, _BAR)

    def _on_form_changed(self) -> None:
        self._footer.show_refusal("")
        self._bring_up()

    def _on_lab_changed(self) -> None:
        self._bring_up()

    def _on_selection_changed(self) -> None:
        things = self._selected()
        if things:
            for form in self._forms.values():
                form.select_things(things)
            self._bring_up()

    def _selected(self) -> Sequence[Placed]:
        there = self._lab.ledger.things
        return [there[name] for name in sorted(self._lab.selection.things) if name in there]

    def _on_run_asked(self) -> None:
        self._bring_up()
        if not self._plan.ready:
            control = self._form().to_mend(self._plan)
            if control is not None:
                control.setFocus()
                self._scroll.ensureWidgetVisible(control)
            return
        try:
            self._carry_out(self._plan)
        except Trouble as trouble:
            self._footer.show_refusal(trouble.told)
            return
        self._footer.show_refusal("")
        self._form().after_run()
        self._bring_up()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._footer.fit_into(event.size().height())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._bring_up()


def _has_keyboard(form: Form) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and form.isAncestorOf(focus)
