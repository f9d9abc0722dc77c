"""ReleaseDialog: which things go when the cards are released, before they go."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import listed, tr, trn
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.lab_worker import Stage
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet

_NAMED = 12


class ReleaseDialog(Sheet):
    """Opened only where something would be lost. Accepted: they may go."""

    def __init__(
        self, names: Sequence[str], busy: bool, then: str = "", parent: QWidget | None = None
    ) -> None:
        """`then`: what else is done afterwards, for the button."""
        super().__init__(tr("Release the cards?"), parent)
        if names:
            self.add_sentence(lost(names))
        if busy:
            self.add_sentence(tr("The cell that runs is given up."), Tone.WARN)
        self.add_sentence(
            tr(
                "The worker ends and gives back all memory it holds. The cells stay to be read "
                "and to be run again."
            ),
            Tone.QUIET,
        )
        self.add_button(tr("Keep them"), ROLE.RejectRole, default=True)
        self.add_button(then or tr("Release the cards"), ROLE.AcceptRole)


def release_first(
    lab: LabState, words: str, then: Callable[[], object], parent: QWidget
) -> ReleaseDialog | None:
    """`then` at once, and None, where nothing would be lost."""
    names = list(lab.ledger.things)
    busy = bool(lab.ledger.unfinished) or lab.stage in (Stage.BUSY, Stage.HANGING)
    if not (names or busy):
        then()
        return None
    dialog = ReleaseDialog(names, busy, words, parent)
    dialog.accepted.connect(then)
    dialog.open()
    return dialog


def lost(names: Sequence[str]) -> str:
    """A sentence that names them, or the first of very many."""
    named = list(names)
    if len(named) > _NAMED:
        rest = len(named) - _NAMED + 1
        more = trn("{count} more thing", "{count} more things", rest)
        named = [*named[: _NAMED - 1], more]
    return tr("This is lost: {things}.", things=listed(named))
