"""CardReader: all that can be asked of one card, and the cheapest way to ask for some of it."""

from collections.abc import Collection

import pynvml

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardKind, CardState, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId, Scope
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import MEMORY, Belief, Missing, Question, Values
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
_OF_INSTANCES = frozenset(
    each.id
    for each in METRICS.values()
    if each.id.startswith("nvlink_")
    or (each.plot == "utilisation" and each.scope is Scope.CARD)
)


class CardReader:
    """Asks one card. Rounds of different metrics may run in different threads."""

    def __init__(
        self,
        found: Found,
        clock: Clock,
        slot: tuple[int | None, int | None] = (None, None),
        driver_version: str | None = None,
    ) -> None:
        self.found, self.card, self._clock = found, found.card, clock
        card, handle = found.card, found.handle
        self._belief = Belief(card.memory_bytes)
        # The activity of an instance is asked of the whole card, naming the instance.
        whole = handle if found.parent_handle is None else found.parent_handle
        self._activity = ActivityMeter(whole, found.gpu_instance)
        # Why what the driver does not support is missing, where the kind of card is the cause.
        self._standing: Missing = {}
        self._mig_on = False
        self.heard = 0.0  # when the card last answered
        self._plans: dict[Collection[MetricId], tuple[list[Question], Missing]] = {}
        activity = self._activity.question()
        if card.kind is CardKind.MIG:
            self._standing = dict.fromkeys(METRICS, Absence.IN_INSTANCE)
            self.questions = [memory_question(handle), bar1_question(handle), activity]
            return
        if not card.fans:
            self._standing[m.FAN_SPEED] = Absence.NO_PART
        seen = [Absence.NOT_SUPPORTED if each is None else each for each in slot]
        self.questions = [
            *questions_of(handle, card, clock, driver_version),
            Question((m.PCIE_GENERATION_SLOT, m.PCIE_WIDTH_SLOT), lambda: seen),
            *nvlink_questions(handle, card.nvlinks, clock),
            activity,
        ]
        if card.memory_shared:
            self._standing |= dict.fromkeys(MEMORY, Absence.SHARED_MEMORY)
        else:
            self.questions.append(PcieTraffic(handle, clock, self._belief).question())

    def read(self, metrics: Collection[MetricId]) -> Sample:
        """Raises NVMLError where the driver is gone; other refusals are reasons."""
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
                    if error.value in library.DRIVER_GONE:
                        raise
                    reason = library.absence_of(error.value)
                    if reason is Absence.LOST:
                        lost = dict.fromkeys(wanted, reason)
                        return Sample(self.card.id, at, {}, lost, CardState.LOST)
                self.heard = self._clock.now()
                question.rest.note(reason, at)
            if reason is not None:
                missing.update(dict.fromkeys(question.answers, reason))
        for surplus in (values.keys() | missing.keys()) - wanted:  # answered along the way
            values.pop(surplus, None)
            missing.pop(surplus, None)
        self._belief.sift(values, missing)
        for metric, absence in missing.items():
            if absence is Absence.NOT_SUPPORTED:
                if self._mig_on and metric in _OF_INSTANCES:
                    missing[metric] = Absence.MIG_ON
                else:
                    missing[metric] = self._standing.get(metric, absence)
        return Sample(self.card.id, at, values, missing)

    def free(self) -> None:
        """Before the connection to the driver ends."""
        self._activity.free()

    def note_mig_mode(self, on: bool) -> None:
        """MIG takes the whole card's utilisation away, and gives it back when it ends."""
        if on is not self._mig_on:
            self._mig_on = on
            for question in self.questions:
                question.forget_refusals()

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
