"""FormPanel: create, compute and train without typing code."""

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QSizePolicy, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.forms.compute import COMPUTE
from gpuexplorer.gui.lab.forms.create_model import MODEL
from gpuexplorer.gui.lab.forms.create_tensor import TENSOR
from gpuexplorer.gui.lab.forms.footer import Footer
from gpuexplorer.gui.lab.forms.form import Around, LabForm, Plan
from gpuexplorer.gui.lab.forms.form_view import FormView
from gpuexplorer.gui.lab.forms.train import TRAIN
from gpuexplorer.gui.state.lab.devices import expected_contexts
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.widgets.controls.keyboard import line_up
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.lab.cell_source import names_made
from gpuexplorer.lab.events import Placed

_SIDE, _TOP, _BOTTOM, _BAR = 12, 12, 12, 8


# A form is one entry here; those with the same tab stand one after the other.
FORMS: Sequence[LabForm] = (TENSOR, MODEL, COMPUTE, TRAIN)


class FormPanel(QWidget):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed."""

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._shown = FORMS[0]
        self._left: dict[str, LabForm] = {}  # by its tab, the one that was shown last
        self._plan = Plan()
        self._around = Around()
        tabs = {tab: list(forms) for tab, forms in groupby(FORMS, lambda each: each.tab)}
        named = [(each, tr(each)) for each in tabs]
        self._tabs = Segmented(tr("What to do"), named, heading=True)
        self._kinds = {
            tab: Segmented(tr("What to create"), [(e, tr(e.kind)) for e in forms])
            for tab, forms in tabs.items()
            if len(forms) > 1
        }
        self._forms: dict[LabForm, FormView] = {}  # each made when it is first seen
        self._footer = Footer()
        self._lay_out()
        self._tabs.chosen.connect(self._on_tab_chosen)
        for kinds in self._kinds.values():
            for each in (kinds, *kinds.segments.values()):
                each.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            kinds.chosen.connect(self._show_form)
        self._footer.run_asked.connect(self._on_run_asked)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            keys = QKeySequence(QKeyCombination(Qt.KeyboardModifier.ControlModifier, key))
            shortcut = QShortcut(keys, self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self._on_run_asked)
        lab.changed.connect(self._bring_up)
        lab.switches_changed.connect(self._bring_up)
        lab.selection.changed.connect(self._on_selection_changed)
        self._show_form(self._shown)

    def pull(self) -> None:
        """What is read live: free memory, say."""
        if tuple(self._lab.devices()) != self._around.devices:
            self._bring_up()

    def offer(self, form: LabForm) -> None:
        """The keyboard goes to its first field."""
        self._show_form(form)
        self._form().begin()

    def run(self) -> None:
        """What it says, where one can see what that is."""
        if self.isVisible():
            self._on_run_asked()

    def _bring_up(self) -> None:
        """All that is seen, from what the lab knows and the fields say."""
        if not self.isVisible():
            return
        self._around = self._look_around()
        self._plan = self._form().show_around(self._around)
        if self._footer.has_keyboard and not self._plan.ready:
            # Else Qt hands the keyboard to whatever comes behind this panel.
            self._tabs.setFocus()
        self._footer.show_plan(self._plan)

    def _look_around(self) -> Around:
        lab = self._lab
        waiting = {
            name
            for cell in lab.ledger.cells
            if cell.state in ("waiting", "running")
            for name in names_made(cell.code)
        }
        devices = tuple(lab.devices())
        return Around(
            dict(lab.ledger.things),
            frozenset(waiting),
            devices,
            expected_contexts(lab.machine.session, devices),
            lab.switches.memory_share,
            lab.machine.settings.choices.units,
        )

    def _form(self) -> FormView:
        return self._forms.get(self._shown) or self._make()

    def _make(self) -> FormView:
        form = self._forms[self._shown] = FormView(self._shown)
        form.changed.connect(self._on_form_changed)
        self._column.insertWidget(self._column.count() - 1, form)
        # What is made late would come last in the way of the Tab key.
        kinds = self._kinds.get(self._shown.tab)
        before = [] if kinds is None else kinds.findChildren(QWidget)
        line_up([*before, *form.findChildren(QWidget)])
        things = self._selected()
        if things:
            form.select_things(things, self._around)
        return form

    def _show_form(self, form: LabForm) -> None:
        self._shown = self._left[form.tab] = form
        self._tabs.show_choice(form.tab)
        for tab, kinds in self._kinds.items():
            kinds.setVisible(tab == form.tab)
            if tab == form.tab:
                kinds.show_choice(form)
        chosen = self._form()
        if any(each is not chosen and _has_keyboard(each) for each in self._forms.values()):
            self._tabs.setFocus()
        for each in self._forms.values():
            each.setVisible(each is chosen)
        self._footer.show_refusal("")
        self._scroll.verticalScrollBar().setValue(0)
        self._bring_up()

    def _lay_out(self) -> None:
        ground = QFrame(self)
        ground.setProperty("panel", "card")
        column(ground, within=self)
        content = QWidget()
        content.setProperty("panel", "clear")
        margins = (_SIDE, 0, _SIDE, _BAR)
        self._column = column(
            *self._kinds.values(), FREE, within=content, gap=12, margins=margins
        )
        self._scroll = scrolled(content)
        self._scroll.verticalScrollBar().rangeChanged.connect(self._on_range_changed)
        tabs = column(self._tabs, margins=(_SIDE - 8, 0, _SIDE, 0))
        foot = column(self._footer, margins=(_SIDE, 0, _SIDE, 0))
        column(tabs, self._scroll, GROWS, foot, within=ground, margins=(0, _TOP, 0, _BOTTOM))

    def _on_tab_chosen(self, tab: str) -> None:
        """As it was left."""
        first = next(each for each in FORMS if each.tab == tab)
        self._show_form(self._left.get(tab, first))

    def _on_range_changed(self, least: int, most: int) -> None:
        """The bar stands in the margin, so that nothing becomes narrower when it comes."""
        right = _SIDE - _BAR if most > least else _SIDE
        self._column.setContentsMargins(_SIDE, 0, right, _BAR)

    def _on_form_changed(self) -> None:
        self._footer.show_refusal("")
        self._bring_up()

    def _on_selection_changed(self) -> None:
        things = self._selected()
        if things:
            for form in self._forms.values():
                form.select_things(things, self._around)
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
            self._lab.run(self._plan.code, by_form=True)
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


def _has_keyboard(form: FormView) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and form.isAncestorOf(focus)
