"""LabNotices: what is to be said above the editor now, of the lab and of what was just done."""

from pathlib import Path

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.code import words
from gpuexplorer.gui.lab.code.words import LabNotice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.theme.palette import Tone

_SHORT = 0.4  # seconds; a cell that is done sooner needs no button
_LOOKED_AT = 50  # cells at the end, of which some may wait


class LabNotices:
    """Remembers what would else be gone by the time it is read."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._ended = ""  # why the last worker did
        self._said = LabNotice()
        self.asks = False  # a person wants to run the cells of a file from outside

    def say(self, sentence: str, tone: Tone = Tone.QUIET) -> None:
        self._said = LabNotice(sentence, tone)

    def begin_anew(self) -> None:
        """A new cell: what was said of earlier ones no longer matters."""
        self._said, self._ended = LabNotice(), ""

    def note_stage(self) -> None:
        stage = self._lab.stage
        if stage is Stage.RESTING:
            self._ended = ""
        elif stage is not Stage.FAILED and self._lab.sentence:
            self._ended = tr(self._lab.sentence)

    def notice(self) -> LabNotice:
        """The gravest first. What was just said gives way to what wants an answer."""
        shown = self._of_worker() or self._of_work() or self._of_what_stands()
        if self._said.sentence and (shown is None or not shown.answers):
            return self._said
        if self._lab.recorded:
            return shown or LabNotice(tr(self._lab.said_of_recording))
        if why := self._lab.machine.session.source.figures_alone:
            return shown or LabNotice(tr(why))
        return shown or LabNotice(tr(self._lab.pythons.passed_over), Tone.WARN)

    def _of_worker(self) -> LabNotice | None:
        if self._lab.stage is Stage.HANGING:
            return words.hanging()
        if self._lab.stage is Stage.FAILED and self._lab.sentence:
            return LabNotice(tr(self._lab.sentence), Tone.BAD)
        return None

    def _of_work(self) -> LabNotice | None:
        """What happens just now."""
        ledger, running = self._lab.ledger, self._lab.ledger.running
        if self._lab.stage is Stage.WAITING:
            return words.waits_for_pytorch(len(ledger.unfinished))
        starting = self._lab.stage in (Stage.SEARCHING, Stage.STARTING)
        waiting = sum(each.state == "waiting" for each in ledger.cells[-_LOOKED_AT:])
        if starting:
            return words.starting() if waiting else None
        if ledger.replaying:
            return words.replaying(len(ledger.replaying))
        # What a cell asks stands there already, and ends it.
        if running is None or running.asked:
            return words.waiting(waiting) if waiting else None
        seconds = self._lab.running_seconds or 0.0
        return words.running(running.number, seconds, waiting) if seconds >= _SHORT else None

    def _of_what_stands(self) -> LabNotice | None:
        lab, ended = self._lab, self._ended
        if lab.can_replay and not lab.ledger.used:
            return words.gone(len(lab.ledger.replay()), ended)
        if lab.opened:
            path = Path(lab.opened[0].path)
            if self.asks and lab.must_ask:
                return words.from_outside(path.name)
            count = sum(each.path == lab.opened[0].path for each in lab.opened)
            whole = path.suffix.lower() == ".py"
            return words.not_run(count, path.name, self._said.sentence, ended, whole=whole)
        return LabNotice(ended, Tone.WARN) if ended else None
