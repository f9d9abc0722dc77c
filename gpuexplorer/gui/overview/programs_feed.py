"""ProgramsFeed: who uses the cards, worked out anew only when something about it changed."""

from collections.abc import Mapping, Sequence

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace, Shown
from gpuexplorer.gui.cards.programs import ProgramFace, parents, program_faces, program_name
from gpuexplorer.gui.overview.words import NOBODY, UNTOLD, remark_on
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure


class ProgramsFeed:
    """All together for the list below, and card by card for the tiles."""

    def __init__(self, machine: MachineState) -> None:
        self._machine = machine
        self._processes: Sequence[NamedProcess] | None = None
        self._cards: Sequence[Shown] | None = None
        self._units: Units | None = None
        self._owner: Mapping[CardId, CardId] = {}
        self._of_card: dict[CardId, list[NamedProcess]] = {}
        self._faces: dict[CardId, Sequence[ProgramFace]] = {}
        self.all: Sequence[ProgramFace] = ()
        self.remark = ""
        self.nobody = tr(NOBODY)
        self._shown: Mapping[CardId, Shown] = {}
        self._now = 0.0

    def bring_up(self) -> None:
        session = self._machine.session
        processes, cards = session.process_book.living(), self._machine.cards()
        units = self._machine.settings.choices.units
        unknown = session.processes_unknown()
        self.nobody = tr(UNTOLD if unknown and not processes else NOBODY)
        if self._processes is processes and self._cards is cards and self._units == units:
            return
        self._processes, self._cards, self._units = processes, cards, units
        self._now = session.clock.wall()
        self._shown = {e.card.id: e for card in cards for e in (card, *card.instances)}
        self._owner = parents(cards)
        self._of_card, self._faces = {}, {}
        for named in processes:
            owner = self._owner.get(named.process.card)
            if owner is not None:
                self._of_card.setdefault(owner, []).append(named)
        self.all = program_faces(processes, self._shown, units, self._now)
        recorded = self._machine.past.ended is not None
        self.remark = remark_on(processes, self._owner, recorded=recorded)

    def of_card(self, card: CardId) -> Sequence[ProgramFace]:
        """Also those in its instances."""
        faces = self._faces.get(card)
        if faces is None:
            units = self._machine.settings.choices.units
            mine = self._of_card.get(card, ())
            faces = self._faces[card] = program_faces(mine, self._shown, units, self._now)
        return faces

    def name_on(self, cards: Sequence[CardFace]) -> str:
        """What holds most of these cards' memory: "train.py"; or that nothing does."""
        names: dict[str, float] = {}
        for each in cards:
            for named in self._of_card.get(each.id, ()):
                if named.command is not None:
                    name = program_name(named.command)
                    held = named.process.values.get(ProcessFigure.MEMORY, 0.0)
                    names[name] = names.get(name, 0.0) + held
        if not names:
            used = any(each.id in self._of_card for each in cards)
            return "" if used else tr("free")
        return max(names, key=lambda name: names[name])
