"""CardReader: all that can be asked of one card, and the cheapest way to ask for some of it."""

from collections.abc import Collection

import pynvml

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardKind, CardState, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId, Scope
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import Question
from gpuexplorer.telemetry.backends.nvml.belief import MEMORY, Belief, Missing, Values
from gpuexplorer.telemetry.backends.nvml.figures import (
    bar1_question,
    memory_question,
    questions_of,
)
from gpuexplorer.telemetry.backends.nvml.identity import Found
from gpuexplorer.telemetry.backends.nvml.rates import (
    ActivityMeter,
    PcieTraffic,
    nvlink_questions,
)

# What MIG takes from the whole card.
_OF_INSTANCES = [
    each.id
    for each in METRICS.values()
    if each.id.startswith("nvlink_")
    or (each.plot == "utilisation" and each.scope is Scope.CARD)
]


class DriverGoneError(Exception):
    """The connection to the driver is dead: this is about every card."""


class CardReader:
    """Asks one card. Rounds of different metrics may run in different threads."""

    def __init__(
        self,
        found: Found,
        clock: Clock,
        slot: tuple[int | None, int | None] = (None, None),
        driver_version: str | None = None,
    ) -> None:
        self.found = found
        self.card: Card = found.card
        self._clock = clock
        self._belief = Belief(self.card.memory_bytes)
        # The activity of an instance is asked of the whole card, naming the instance.
        whole = found.handle if found.parent_handle is None else found.parent_handle
        self._activity = ActivityMeter(whole, found.gpu_instance)
        self.questions = self._questions(slot, driver_version)
        self._plans: dict[Collection[MetricId], tuple[list[Question], Missing]] = {}
        self._reasons = self._standing_reasons()
        self._mig_on = False

    def read(self, metrics: Collection[MetricId]) -> Sample:
        """Raises DriverGoneError; every other refusal is a reason in the sample."""
        wanted = frozenset(metrics)
        questions, never = self._plan(wanted)
        at = self._clock.now()
        values: Values = {}
        missing = never.copy()
        for question in questions:
            reason = question.rest.reason(at)
            if reason is None:
                try:
                    for metric, figure in zip(question.answers, question.ask(), strict=True):
                        if isinstance(figure, Absence):
                            missing[metric] = figure
                        else:
                            values[metric] = figure
                except pynvml.NVMLError as error:
                    if error.value in library.CARD_LOST:
                        return absent_sample(self.card, at, wanted, CardState.LOST)
                    if error.value in library.DRIVER_GONE:
                        raise DriverGoneError from error
                    reason = library.absence_of(error.value)
                question.rest.note(reason, at)
            if reason is not None:
                missing.update(dict.fromkeys(question.answers, reason))
        for surplus in (values.keys() | missing.keys()) - wanted:  # answered along the way
            values.pop(surplus, None)
            missing.pop(surplus, None)
        self._belief.sift(values, missing)
        for metric, absence in missing.items():
            if absence is Absence.NOT_SUPPORTED:  # where the kind of card is the cause
                missing[metric] = self._reasons.get(metric, absence)
        return Sample(self.card.id, at, values, missing)

    def free(self) -> None:
        """Before the connection to the driver ends."""
        self._activity.free()

    def note_mig_mode(self, on: bool) -> None:
        """MIG takes the whole card's utilisation away, and gives it back when it ends."""
        self._reasons = self._standing_reasons()
        if on and self.card.kind is CardKind.GPU:
            self._reasons |= dict.fromkeys(_OF_INSTANCES, Absence.MIG_ON)
        if on is not self._mig_on:
            self._mig_on = on
            for question in self.questions:
                question.forget_refusals()

    def _questions(
        self, slot: tuple[int | None, int | None], driver_version: str | None
    ) -> list[Question]:
        handle, card, clock = self.found.handle, self.card, self._clock
        activity = self._activity.question()
        if card.kind is CardKind.MIG:
            return [memory_question(handle), bar1_question(handle), activity]
        seen = [Absence.NOT_SUPPORTED if each is None else each for each in slot]
        return [
            *questions_of(handle, card, clock, driver_version),
            Question((m.PCIE_GENERATION_SLOT, m.PCIE_WIDTH_SLOT), lambda: seen),
            *nvlink_questions(handle, card.nvlinks, clock),
            activity,
            *(
                []
                if card.memory_shared
                else [PcieTraffic(handle, clock, self._belief).question()]
            ),
        ]

    def _standing_reasons(self) -> Missing:
        if self.card.kind is CardKind.MIG:
            return dict.fromkeys(METRICS, Absence.IN_INSTANCE)
        fanless: Missing = {} if self.card.fans else {m.FAN_SPEED: Absence.NO_PART}
        shared = MEMORY if self.card.memory_shared else ()
        return fanless | dict.fromkeys(shared, Absence.SHARED_MEMORY)

    def _plan(self, wanted: frozenset[MetricId]) -> tuple[list[Question], Missing]:
        """Whom to ask for these, and what nobody can answer."""
        if wanted not in self._plans:
            asked = [each for each in self.questions if not wanted.isdisjoint(each.answers)]
            answered = {metric for each in asked for metric in each.answers}
            never = {metric: self._nobody(metric) for metric in wanted - answered}
            self._plans = {**dict(list(self._plans.items())[-32:]), wanted: (asked, never)}
        return self._plans[wanted]

    def _nobody(self, metric: MetricId) -> Absence:
        linkless = metric.startswith("nvlink_") and not self.card.nvlinks
        if METRICS[metric].part is None and not linkless:
            return Absence.NOT_SUPPORTED
        return Absence.IN_INSTANCE if self.card.kind is CardKind.MIG else Absence.NO_PART


_WHY = {
    CardState.LOST: Absence.LOST,
    CardState.UNLISTED: Absence.UNLISTED,
    CardState.NO_ANSWER: Absence.NO_ANSWER,
    CardState.ASLEEP: Absence.ASLEEP,
    CardState.NO_DRIVER: Absence.NO_DRIVER,
}


def absent_sample(
    card: Card,
    at: float,
    metrics: Collection[MetricId],
    state: CardState,
    why: Absence | None = None,
) -> Sample:
    """A card that says nothing at all, with the one reason for everything. Only for one that
    is refused there are several: `why`.
    """
    return Sample(card.id, at, {}, dict.fromkeys(metrics, why or _WHY[state]), state)
