"""PredictBox: asks what will come out, and later shows it beside what did."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.lessons.predict_answers import ChoiceAnswer, NumberAnswer
from gpuexplorer.gui.lessons.reveal_bars import Bar, RevealBars
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import FREE, column, row, say, wrapped_label
from gpuexplorer.lessons.lesson import Part, Predict
from gpuexplorer.lessons.player import Player, behind
from gpuexplorer.lessons.values import Revealed, how_far

_SAY_FIRST = mark("Choose one of them, then press Predict.")
_NOBODY = mark("No prediction.")
_MODELLED = mark("Modelled: these cards are simulated.")


class PredictBox(QFrame):
    """Until it is revealed, one may think again. Nobody has to predict."""

    said = Signal()  # somebody predicted
    came = Signal()  # what was measured is shown now

    def __init__(self, player: Player, part: Predict, *, big: bool = False) -> None:
        super().__init__()
        self._player, self._part = player, part
        self.setProperty("panel", "notice")
        self.setAccessibleName(tr("Prediction"))
        question = wrapped_label(part.question, Tone.TEXT, look().letters.strong)
        kind = ChoiceAnswer if part.choices else NumberAnswer
        self._answer = kind(part)
        self._answer.entered.connect(self._on_predict_clicked)
        self._predict = QPushButton(tr("Predict"))
        self._predict.setAutoDefault(True)  # so that Enter presses it
        self._predict.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._predict.clicked.connect(self._on_predict_clicked)
        self._show = link_button(tr("Show it at once"))
        self._show.clicked.connect(lambda: player.reveal(part))
        self._alone = not behind(player.step.step, part)
        self._known = part.line in player.step.revealed
        self._trouble = wrapped_label("", Tone.BAD)
        self._bars = RevealBars(part.unit, big=big)
        self._said = wrapped_label("", Tone.TEXT)
        self._about = wrapped_label("", Tone.QUIET, look().letters.caption)
        buttons = row(self._predict, self._show, FREE)
        asked = column(question, self._answer, buttons, self._trouble, gap=10)
        margins = (12, 10, 12, 10)
        column(asked, self._bars, self._said, self._about, within=self, gap=8, margins=margins)
        say(self._trouble, "")

    def show_play(self, coming: Part | None) -> None:
        """`coming`: what to do next, in this step."""
        play, line = self._player.step, self._part.line
        said, shown = play.predictions.get(line), play.revealed.get(line)
        if said is not None:
            self._answer.show_said(said.said)
        self._predict.setText(tr("Predict") if said is None else tr("Predict anew"))
        self._predict.setAccessibleName(self._predict.text())
        restyle(self._predict, "kind", "primary" if coming is self._part else "")
        self._predict.setVisible(shown is None)
        self._show.setVisible(shown is None and self._alone and said is None)
        bars = self._bars_of(shown) if shown is not None else []
        self._bars.show_bars(bars)
        self._bars.setVisible(bool(bars))
        came, self._known = shown is not None and not self._known, shown is not None
        if shown is None:
            kept = tr("Your prediction is kept. It is shown when the cells below have run.")
            say(self._said, kept if said is not None and not self._alone else "")
            say(self._about, "")
            return
        say(self._trouble, "")
        self._answer.show_right()
        say(self._said, tr(_NOBODY if said is None else how_far(self._part, said, shown)))
        tone = "text" if shown.right is None else "good" if shown.right else "warn"
        restyle(self._said, "tone", tone)
        modelled = tr(_MODELLED) if shown.modelled else ""
        say(self._about, " ".join(each for each in (modelled, tr(shown.reason)) if each))
        if came:
            self.came.emit()

    def _bars_of(self, shown: Revealed) -> list[Bar]:
        if self._part.choices:
            return []
        said = self._player.step.predictions.get(self._part.line)
        found = [] if said is None else [Bar(tr("Your prediction"), said.value, "said")]
        if shown.measured is not None:
            name = tr("Modelled") if shown.modelled else tr("Measured")
            found.append(Bar(name, shown.measured, "measured"))
        if shown.limit is not None and self._part.limit is not None:
            found.append(Bar(self._part.limit.words or tr("Limit"), shown.limit, "limit"))
        return found

    def _on_predict_clicked(self) -> None:
        try:
            if self._part.choices and not self._answer.said:
                raise Trouble(_SAY_FIRST)
            self._player.predict(self._part, self._answer.said)
        except Trouble as trouble:
            say(self._trouble, trouble.told)
            self._answer.show_bad(bad=True)
            self._answer.begin()
        else:
            say(self._trouble, "")
            self._answer.show_bad(bad=False)
            self.said.emit()
