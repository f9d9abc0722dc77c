"""CardReader: all that can be asked of one card, and the cheapest way to ask for some of it."""

from collections.abc import Collection
from typing import NamedTuple

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardKind, CardState, Sample
from gpuexplorer.core.catalogue import heat_and_power, links, memory, utilization
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.belief import Belief, Scale
from gpuexplorer.telemetry.backends.nvml.fast_questions import fast_questions, memory_question
from gpuexplorer.telemetry.backends.nvml.identity import Found
from gpuexplorer.telemetry.backends.nvml.pcie_traffic import PcieTraffic
from gpuexplorer.telemetry.backends.nvml.questions import Missing, Question, Values
from gpuexplorer.telemetry.backends.nvml.rate_questions import ActivityMeter, nvlink_questions
from gpuexplorer.telemetry.backends.nvml.slow_questions import (
    bar1_question,
    slow_questions,
    version_of,
)

_UTILIZATION = (
    utilization.GPU_UTILIZATION,
    utilization.MEMORY_UTILIZATION,
    utilization.ENCODER_UTILIZATION,
    utilization.DECODER_UTILIZATION,
    utilization.JPEG_UTILIZATION,
    utilization.OFA_UTILIZATION,
    utilization.SM_ACTIVITY,
    utilization.SM_OCCUPANCY,
    utilization.TENSOR_ACTIVITY,
)
_OWN_MEMORY = (
    memory.MEMORY_USED,
    memory.MEMORY_FREE,
    memory.MEMORY_RESERVED,
    memory.MEMORY_TOTAL,
)


class _Plan(NamedTuple):
    """How one set of metrics is asked for, worked out once."""

    questions: tuple[Question, ...]
    never: dict[MetricId, Absence]  # nobody can answer these
    surplus: tuple[MetricId, ...]  # answered along the way, though not asked for
    scale: Scale  # what the answers are held against


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
        self._activity: ActivityMeter | None = None
        self._belief = Belief(self.card.memory_bytes)
        self.questions = self._collect(found, slot, driver_version)
        self._plans: dict[frozenset[MetricId], _Plan] = {}
        self._reasons = self._standing_reasons()
        self._mig_on = False

    def prepare(self, metrics: Collection[MetricId]) -> None:
        """Take what a reading that follows soon compares with. A refusal is left to that."""
        wanted = metrics if isinstance(metrics, frozenset) else frozenset(metrics)
        now = self._clock.now()
        for question in (self._plans.get(wanted) or self._plan(wanted)).questions:
            if question.prepare is not None and question.pause.reason(now) is None:
                try:
                    question.prepare()
                except pynvml.NVMLError:
                    return

    def read(self, metrics: Collection[MetricId]) -> Sample:
        """Raises DriverGoneError; every other refusal is a reason in the sample."""
        wanted = metrics if isinstance(metrics, frozenset) else frozenset(metrics)
        plan = self._plans.get(wanted) or self._plan(wanted)
        clock = self._clock
        at = clock.now()
        values: Values = {}
        missing: Missing = plan.never.copy()
        for question in plan.questions:
            if not question.answered and (resting := question.pause.reason(at)) is not None:
                missing.update(dict.fromkeys(question.answers, resting))
                continue
            try:
                question.ask(values, missing)
            except pynvml.NVMLError as error:
                if error.value in library.CARD_LOST:
                    return absent_sample(self.card, at, wanted, CardState.LOST)
                if error.value in library.DRIVER_GONE:
                    raise DriverGoneError from error
                reason = library.absence_of(error.value)
                question.answered = False
                question.pause.note_refusal(reason, at)
                for metric in question.answers:
                    values.pop(metric, None)  # it may have been refused halfway
                    missing[metric] = reason
            else:
                if not question.answered:
                    question.answered = True
                    question.pause.note_answer()
        for metric in plan.surplus:
            values.pop(metric, None)
            missing.pop(metric, None)
        self._belief.sift(plan.scale, values, missing)
        if missing and self._reasons:
            self._explain(missing)
        return Sample(self.card.id, at, values, missing)

    def free(self) -> None:
        """Before the connection to the driver ends."""
        if self._activity is not None:
            self._activity.free()

    def _collect(
        self, found: Found, slot: tuple[int | None, int | None], driver_version: str | None
    ) -> list[Question]:
        handle, card, clock = found.handle, self.card, self._clock
        # The activity of an instance is asked of the whole card, naming the instance.
        whole = found.parent_handle if found.parent_handle is not None else handle
        self._activity = ActivityMeter(whole, found.gpu_instance)
        if card.kind is CardKind.MIG:
            return [memory_question(handle), bar1_question(handle), self._activity.question()]
        return [
            *fast_questions(handle),
            *slow_questions(handle, card, clock, version_of(driver_version)),
            *([] if card.memory_shared else [self._traffic(handle)]),
            _slot_question(slot),
            *nvlink_questions(handle, card.nvlinks, clock),
            self._activity.question(),
        ]

    def _traffic(self, handle: object) -> Question:
        return PcieTraffic(handle, self._clock, self._belief).question()

    def _standing_reasons(self) -> dict[MetricId, Absence]:
        if self.card.kind is CardKind.MIG:
            return dict.fromkeys(METRICS, Absence.IN_INSTANCE)
        reasons: dict[MetricId, Absence] = {}
        if not self.card.fans:
            reasons[heat_and_power.FAN_SPEED] = Absence.NO_PART
        if self.card.memory_shared:
            reasons |= dict.fromkeys(_OWN_MEMORY, Absence.SHARED_MEMORY)
        return reasons

    def _explain(self, missing: Missing) -> None:
        """Say the reason behind the reason where the kind of card is the cause."""
        for metric, absence in missing.items():
            if absence is Absence.NOT_SUPPORTED and metric in self._reasons:
                missing[metric] = self._reasons[metric]

    def note_mig_mode(self, on: bool) -> None:
        """MIG takes the whole card's utilisation away, and gives it back when it ends."""
        reasons = self._standing_reasons()
        if on and self.card.kind is CardKind.GPU:
            reasons |= dict.fromkeys(_UTILIZATION, Absence.MIG_ON)
            reasons |= {
                metric.id: Absence.MIG_ON
                for metric in METRICS.values()
                if metric.id.startswith("nvlink_")
            }
        self._reasons = reasons
        if on is not self._mig_on:
            self._mig_on = on
            for question in self.questions:
                question.forget_refusals()

    def _plan(self, wanted: frozenset[MetricId]) -> _Plan:
        questions = tuple(q for q in self.questions if not wanted.isdisjoint(q.answers))
        answered = {metric for question in questions for metric in question.answers}
        plan = _Plan(
            questions=questions,
            never={metric: self._nobody(metric) for metric in wanted - answered},
            surplus=tuple(answered - wanted),
            scale=Scale.of(wanted & answered),
        )
        if len(self._plans) > 32:
            self._plans.clear()
        self._plans[wanted] = plan
        return plan

    def _nobody(self, metric: MetricId) -> Absence:
        if METRICS[metric].part is not None or (
            metric.startswith("nvlink_") and not self.card.nvlinks
        ):
            if self.card.kind is CardKind.MIG:
                return Absence.IN_INSTANCE
            return Absence.NO_PART
        return Absence.NOT_SUPPORTED


def _slot_question(slot: tuple[int | None, int | None]) -> Question:
    metrics = (links.PCIE_GENERATION_SLOT, links.PCIE_WIDTH_SLOT)

    def ask(values: Values, missing: Missing) -> None:
        for metric, figure in zip(metrics, slot, strict=True):
            if figure is None:
                missing[metric] = Absence.NOT_SUPPORTED
            else:
                values[metric] = figure

    return Question(metrics, ask)


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
