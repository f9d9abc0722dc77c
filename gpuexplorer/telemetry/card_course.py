"""CardCourse: what one card says from sample to sample, and what of it is worth telling; and
Condition: what is wrong with it as a whole, said once and not at every flicker.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import NamedTuple

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState, Sample
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.telemetry.happenings import BEGINNING_OF, OF_ALL_CARDS, Kind
from gpuexplorer.telemetry.latest import Reading

# What answers now and then is well again when it has been so for this long.
_WELL_AFTER = 5.0
# One reading that fails is no news where the next one comes anyway.
_GRACE = {Kind.NO_FIGURES: 5.0, Kind.PROCESSES_UNKNOWN: 5.0}
# So many changes in so many seconds: from then on nothing is told but what lasts.
_RESTLESS, _WITHIN = 6, 300.0
# What changed every ten seconds is calm after thirty.
_CALM_AFTER, _LONGEST_CALM = 3.0, 100.0

_END_OF = {began: ended for ended, began in BEGINNING_OF.items()}
_SENTENCES = {
    Kind.CARD_LOST: Message("The card is lost"),
    Kind.CARD_BACK: Message("The card is back"),
    Kind.CARD_UNLISTED: Message("The driver no longer lists the card"),
    Kind.CARD_LISTED: Message("The driver lists the card again"),
    Kind.NO_ACCESS: Message("The driver gives no access to the card"),
    Kind.ACCESS: Message("The driver gives access to the card"),
    Kind.NO_ANSWER: Message("The card does not answer"),
    Kind.ANSWERS_AGAIN: Message("The card answers again"),
    Kind.DRIVER_GONE: Message("The driver is gone"),
    Kind.DRIVER_BACK: Message("The driver is back"),
    Kind.CONNECTION_LOST: Message("The connection to the computer is lost"),
    Kind.CONNECTION_BACK: Message("The computer is connected again"),
    Kind.ASLEEP: Message("The card sleeps"),
    Kind.AWAKE: Message("The card woke"),
    Kind.FIGURES_AGAIN: Message("The card gives figures again"),
    Kind.PROCESSES_UNKNOWN: Message("It is not known which programs use the card"),
    Kind.PROCESSES_KNOWN: Message("It is known again which programs use the card"),
}
_RESTLESS_SENTENCES = {
    Kind.CARD_LOST: Message("The card is lost and comes back again and again"),
    Kind.CARD_UNLISTED: Message("The driver lists the card only now and then"),
    Kind.NO_ACCESS: Message("The driver gives access to the card only now and then"),
    Kind.NO_ANSWER: Message("The card answers only now and then"),
    Kind.DRIVER_GONE: Message("The driver goes and comes back again and again"),
    Kind.CONNECTION_LOST: Message("The connection to the computer comes and goes"),
    Kind.ASLEEP: Message("The card falls asleep and wakes up again and again"),
    Kind.NO_FIGURES: Message("The card gives figures only now and then"),
    Kind.PROCESSES_UNKNOWN: Message(
        "It is known only now and then which programs use the card"
    ),
}
_CALM = Message("What came and went has been steady for a while")


class News(NamedTuple):
    """Something to tell. `since` is when it began, or when what ends was last seen to be so."""

    kind: Kind
    sentence: Message
    since: float
    about: str = ""


class Condition:
    """Follows one thing that can be in one of several kinds of trouble, each called by the
    `Kind` that begins it; None where all is well.
    """

    def __init__(self, about: str = "") -> None:
        self._about = about
        self.told: Kind | None = None
        self.restless = False
        self.seen: Kind | None = None
        self._seen_since = 0.0
        self._changes: deque[float] = deque(maxlen=_RESTLESS)

    @property
    def well(self) -> bool:
        """Nothing is wrong, and nothing was a moment ago."""
        return self.told is None and not self.restless

    def consider(self, at: float, seen: Kind | None, why: Message = NOTHING) -> list[News]:
        """`why` there are no figures."""
        if seen is not self.seen:
            trouble = seen or self.seen
            self.seen, self._seen_since = seen, at
            self._changes.append(at)
            if self._is_restless(at) and not self.restless and trouble is not None:
                self.restless = True
                return [News(Kind.RESTLESS, _RESTLESS_SENTENCES[trouble], at, self._about)]
        held = at - self._seen_since
        if self.restless:
            apart = (self._changes[-1] - self._changes[0]) / (_RESTLESS - 1)
            if held < min(max(_CALM_AFTER * apart, _WELL_AFTER), _LONGEST_CALM):
                return []
            return [*self._calm(), *self._turn(why)]
        grace = _WELL_AFTER if seen is None else _GRACE.get(seen, 0.0)
        return [] if held < grace else self._turn(why)

    def over(self, at: float) -> list[News]:
        """What it is about is no longer there, and so is in no trouble."""
        self.seen, self._seen_since = None, at
        return [*(self._calm() if self.restless else ()), *self._turn(NOTHING)]

    def _calm(self) -> list[News]:
        self.restless = False
        self._changes.clear()
        return [News(Kind.CALM, _CALM, self._seen_since, self._about)]

    def _is_restless(self, at: float) -> bool:
        return len(self._changes) == _RESTLESS and at - self._changes[0] <= _WITHIN

    def _turn(self, why: Message) -> list[News]:
        """From what was told last to what is seen now."""
        before, self.told = self.told, self.seen
        if before is self.told:
            return []
        since = self._seen_since
        found = []
        # A driver or a connection that is back may bring a card that is lost.
        if before is not None and (self.told is None or before in OF_ALL_CARDS):
            over = _END_OF[before]
            found.append(News(over, _SENTENCES[over], since))
        if self.told is Kind.NO_FIGURES:
            sentence = Message("The card gives no usable figure: {why}", why=why)
            found.append(News(self.told, sentence, since))
        elif self.told is not None:
            found.append(News(self.told, _SENTENCES[self.told], since))
        return found


# A card that tells none of these tells nothing a person could use.
USABLE = (m.GPU_UTILIZATION, m.MEMORY_USED, m.TEMPERATURE, m.POWER_DRAW)
HARMFUL = tuple(each for each in m.THROTTLES if each not in m.HARMLESS)
# Where there is no room for their labels.
BRIEFLY = {
    m.throttle("sw_power_cap"): mark("Power limit"),
    m.throttle("sync_boost"): mark("Held back"),
    m.throttle("hw_slowdown"): mark("Slowdown"),
    m.throttle("hw_thermal_slowdown"): mark("Too hot"),
}
_SLOWDOWN = m.throttle("hw_slowdown")
_ITS_CAUSES = (
    m.throttle("hw_thermal_slowdown"),
    m.throttle("hw_power_brake_slowdown"),
)
# Reasons flicker when a card runs along its limit; after so long without it, it is over.
_OVER_AFTER = 2.0
# After so long without a reading it is not known whether a reason goes on; after such a time
# it is told anew only when it could be read for so long.
_UNKNOWN_AFTER, _READ_AGAIN_FOR = 5.0, 30.0
# A slow link that came right for a shorter time is the same slow link.
_LINK_RIGHT_FOR = 60.0
_BUSY, _LAST_FAST_STATE = 0.5, 2.0
_IN_VIRTUAL_MACHINE = frozenset({1.0, 2.0})  # handed through, or a part of a card
_TROUBLE = {
    CardState.LOST: Kind.CARD_LOST,
    CardState.UNLISTED: Kind.CARD_UNLISTED,
    CardState.REFUSED: Kind.NO_ACCESS,
    CardState.NO_ANSWER: Kind.NO_ANSWER,
    CardState.NO_DRIVER: Kind.DRIVER_GONE,
    CardState.NO_CONNECTION: Kind.CONNECTION_LOST,
    CardState.ASLEEP: Kind.ASLEEP,
}
_PASSING_STATES = (CardState.WORKING, CardState.NO_ANSWER, CardState.NO_CONNECTION)
# The next reading brings a figure, or there is nothing to bring.
_PASSING = frozenset(
    {Absence.NOT_YET, Absence.NEEDS_TWO, Absence.NOT_ASKED, Absence.NO_NEW_SAMPLE}
)


class _Reason:
    """One reason to throttle that was told."""

    def __init__(self, seen: float) -> None:
        self.seen = seen  # when it held last
        self.unread_since: float | None = None


class CardCourse:
    """Not for several threads: its owner has a lock. `wall` is the time of day of a moment."""

    def __init__(self, wall: Callable[[float], float]) -> None:
        self.condition = Condition()
        self._wall = wall
        self._gave_figures = False
        self._why = Absence.NOT_YET.sentence
        self._throttled: dict[MetricId, _Reason] = {}
        self._read_again: dict[MetricId, float] = {}  # since when, after it was not known
        self._errors: float | None = None
        self._slowed = False
        self._at_work = False
        self._slow_link_seen = 0
        self._slow_link_at: float | None = None  # when it was last slow, if that was told

    def consider(self, sample: Sample) -> list[News]:
        condition = self.condition.consider(sample.at, self._trouble(sample), self._why)
        throttling = self._throttling(sample)
        # What makes the rest unknown is told last, and so stands on top.
        well = self.condition.told is None
        found = condition + throttling if well else throttling + condition
        if sample.state is CardState.WORKING:
            found += self._memory_errors(sample)
            found += self._link(sample)
        return found

    def _trouble(self, sample: Sample) -> Kind | None:
        if sample.state is not CardState.WORKING:
            return _TROUBLE[sample.state]
        if any(metric in sample.values for metric in USABLE):
            self._gave_figures = True
            return None
        why = why_no_figures(sample.values, sample.missing)
        if why is None:  # another round tells
            return Kind.NO_FIGURES if self.condition.seen is Kind.NO_FIGURES else None
        self._why = why.sentence
        # Whoever never gave any has not stopped: its tile says why.
        return Kind.NO_FIGURES if self._gave_figures else None

    def _throttling(self, sample: Sample) -> list[News]:
        found = []
        for metric in HARMFUL:
            flag = sample.values.get(metric)
            if flag is None:
                if metric in sample.missing:
                    found += self._not_read(metric, sample)
            elif metric in self._throttled:
                found += self._goes_on(metric, sample.at, held=bool(flag))
            elif metric == _SLOWDOWN and flag and not self._slows_down(sample):
                continue
            elif self._believed(metric, sample.at) and flag and self.condition.well:
                self._throttled[metric] = _Reason(sample.at)
                label = METRICS[metric].label
                found.append(News(Kind.THROTTLING_BEGAN, label, sample.at, metric))
        if _SLOWDOWN in sample.values:
            self._slowed = bool(sample.values[_SLOWDOWN])
        return found

    def _slows_down(self, sample: Sample) -> bool:
        """Not for one reading without a cause: NVML's header says that this is also reported
        while the clocks or the performance state change.
        """
        return self._slowed or any(sample.values.get(cause) for cause in _ITS_CAUSES)

    def _goes_on(self, metric: MetricId, at: float, *, held: bool) -> list[News]:
        reason = self._throttled[metric]
        reason.unread_since = None
        if held:
            reason.seen = at
        elif at - reason.seen >= _OVER_AFTER:
            # It was over when it was last seen, and is told only now that this is sure.
            del self._throttled[metric]
            over = Message("{reason}: ended", reason=METRICS[metric].label)
            return [News(Kind.THROTTLING_ENDED, over, reason.seen, metric)]
        return []

    def _not_read(self, metric: MetricId, sample: Sample) -> list[News]:
        reason = self._throttled.get(metric)
        if reason is None:
            if metric in self._read_again:
                self._read_again[metric] = float("inf")
            return []
        if reason.unread_since is None:
            reason.unread_since = sample.at
        passing = sample.state in _PASSING_STATES
        if passing and sample.at - reason.unread_since < _UNKNOWN_AFTER:
            return []
        del self._throttled[metric]
        self._read_again[metric] = float("inf")
        unknown = Message(
            "{reason}: not known since {moment} ({why})",
            reason=METRICS[metric].label,
            moment=time.strftime("%H:%M:%S", time.localtime(self._wall(reason.seen))),
            why=sample.missing[metric].sentence,
        )
        return [News(Kind.THROTTLING_UNKNOWN, unknown, reason.seen, metric)]

    def _believed(self, metric: MetricId, at: float) -> bool:
        """Not at once where it could not be read a moment ago: that too may come and go."""
        since = self._read_again.get(metric)
        if since is None:
            return True
        self._read_again[metric] = min(since, at)
        if at - self._read_again[metric] < _READ_AGAIN_FOR:
            return False
        del self._read_again[metric]
        return True

    def _memory_errors(self, sample: Sample) -> list[News]:
        errors = sample.values.get(m.ECC_UNCORRECTED)
        if errors is None:
            return []
        before, self._errors = self._errors, errors
        if before is None or errors <= before:
            return []
        sentence = Message.counted(
            "{count} memory error could not be repaired",
            "{count} memory errors could not be repaired",
            round(errors - before),
        )
        return [News(Kind.MEMORY_ERROR, sentence, sample.at)]

    def _link(self, sample: Sample) -> list[News]:
        """A slow link only counts under load: at rest it is slow by design, to save power."""
        if m.GPU_UTILIZATION in sample.values or m.GPU_UTILIZATION in sample.missing:
            self._at_work = at_work(sample.values)
        if m.PCIE_WIDTH not in sample.values:
            return []
        sentence, told_at = slow_link(sample), self._slow_link_at
        if sentence is None and told_at is not None and sample.at - told_at >= _LINK_RIGHT_FOR:
            self._slow_link_at = None
        if sentence is None or not self._at_work:
            self._slow_link_seen = 0
            return []
        self._slow_link_seen += 1
        if self._slow_link_seen < 2:
            return []
        self._slow_link_at = sample.at
        return [] if told_at is not None else [News(Kind.SLOW_LINK, sentence, sample.at)]


def why_no_figures(
    values: Mapping[MetricId, float], missing: Mapping[MetricId, Absence]
) -> Absence | None:
    """Why there is none of the figures that a person could use; None where there is one, where
    the next reading brings one, or where nobody asked.
    """
    if any(metric in values for metric in USABLE):
        return None
    reasons = [missing[metric] for metric in USABLE if metric in missing]
    lasting = Counter(reason for reason in reasons if reason not in _PASSING)
    return lasting.most_common(1)[0][0] if lasting else None


NO_FIGURES = "no figures"


def state_of(reading: Reading) -> str:
    """For programs: a card that answers, and gives no figure to use, does not work."""
    if reading.state is CardState.WORKING and why_no_figures(reading.values, reading.missing):
        return NO_FIGURES
    return reading.state.value


def at_work(values: Mapping[MetricId, float]) -> bool:
    """Whether a card is under load, so that its link should be at its fastest.

    Drawing a desktop on several displays keeps one busy too, but in a low performance state.
    """
    busy = values.get(m.GPU_UTILIZATION, 0.0) >= _BUSY
    return busy and values.get(m.PERFORMANCE_STATE, 0.0) <= _LAST_FAST_STATE


def in_virtual_machine(values: Mapping[MetricId, float]) -> bool:
    """Whether somebody else decides how many lanes the card gets: some machines of a cloud have
    eight for a card of sixteen, and no slot to look at.
    """
    return values.get(m.VIRTUALIZATION_MODE) in _IN_VIRTUAL_MACHINE


def slow_link(sample: Sample) -> Message | None:
    """How the PCIe link falls short of what card and slot can do; None where it does not."""
    value = sample.values.get
    width, width_max = value(m.PCIE_WIDTH), value(m.PCIE_WIDTH_MAX)
    narrow = width is not None and width_max is not None and width < width_max
    if narrow and not in_virtual_machine(sample.values):
        return Message(
            "The PCIe link runs at x{now:.0f} of x{most:.0f}: look at the slot",
            now=width,
            most=width_max,
        )
    now, most = value(m.PCIE_GENERATION), value(m.PCIE_GENERATION_MAX)
    if now is not None and most is not None and now < most:
        return Message(
            "The PCIe link runs at generation {now:.0f} of {most:.0f} under load",
            now=now,
            most=most,
        )
    return None
