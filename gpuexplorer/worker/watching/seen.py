"""Seen: all that is seen of one cell or program, step by step, and what of it changed since it
was said; and which steps are watched, so that watching costs little.
"""

from collections import deque
from collections.abc import Callable, Sequence
from statistics import median

from gpuexplorer.lab.events import Memory, Watched
from gpuexplorer.worker.places import Copies, place
from gpuexplorer.worker.watching.idling import Idling
from gpuexplorer.worker.watching.trips import Loading, Trips

OPTIMIZER, BATCH, SLICE = "optimizer", "batch", ""


class Steps:
    """An optimizer's step counts as one; where none steps, a loader's batch; else a slice of
    time. Told in the main thread, watched or not, by `Seen`; `whole` says whether all of the
    step that ends now was watched.
    """

    def __init__(self) -> None:
        self._counts = {kind: [0, 0] for kind in (OPTIMIZER, BATCH, SLICE)}
        self._stepped: set[int] = set()  # optimizers, in the step that runs now

    @property
    def kind(self) -> str:
        return next((each for each in (OPTIMIZER, BATCH) if self._counts[each][0]), SLICE)

    @property
    def count(self) -> int:
        return self._counts[self.kind][0]

    @property
    def seen(self) -> int:
        """So many of them were watched from their beginning to their end."""
        return self._counts[self.kind][1]

    def optimized(self, optimizer: int, *, whole: bool) -> bool:
        """Whether this ends a step: where several take turns, only one of them does."""
        if self._stepped and optimizer not in self._stepped:
            self._stepped.add(optimizer)
            return False
        self._stepped = {optimizer}
        self._one(OPTIMIZER, whole=whole)
        return True

    def took_batch(self, *, whole: bool) -> bool:
        self._one(BATCH, whole=whole)
        return self.kind == BATCH

    def sliced(self, *, whole: bool) -> bool:
        self._one(SLICE, whole=whole)
        return self.kind == SLICE

    def _one(self, kind: str, *, whole: bool) -> None:
        count = self._counts[kind]
        count[0] += 1
        count[1] += whole


WHOLE = 200  # the first steps, which all are watched
BARE = 20  # the next, of which none is, so that the others can be held against them
SHARE = 0.03  # of the time so far, which watching may have taken at any later step
EVERY = 20  # of later steps at most one in so many, whatever is believed of what that costs
_KEPT = 100  # steps that are compared with those around them
_LEAST = 10


class Sampling:
    """`Seen` says `took` and asks `wants` at the end of each step. Without `sampled` all are
    watched.

    A step that is watched is compared with the bare ones just before it, since machines drift.
    One that is watched alone takes longer than one among others that are.
    """

    def __init__(self, *, sampled: bool) -> None:
        self._sampled = sampled
        self._bare: deque[float] = deque(maxlen=EVERY)  # seconds of the last ones
        self._first: deque[float] = deque(maxlen=_KEPT)  # those watched before there were bare
        self._seen_first = self._seen_later = 0
        self._more_first = 0.0  # seconds that one of the first took longer
        self._longer: deque[float] = deque(maxlen=_KEPT)  # that later ones did, each
        self._more_later: float | None = None
        self._until = -EVERY  # the step up to which it was watched last

    def took(self, seconds: float, *, watched: bool) -> None:
        """A step, all of which was watched, or nothing of it."""
        enough = len(self._bare) >= _LEAST
        if not watched:
            self._bare.append(seconds)
            if len(self._bare) == _LEAST and not enough and len(self._first) >= _LEAST:
                self._more_first = max(0.0, median(self._first) - median(self._bare))
        elif enough:
            self._seen_later += 1
            self._longer.append(seconds - median(self._bare))
            if len(self._longer) >= _LEAST:
                self._more_later = max(0.0, median(self._longer))
        else:
            self._seen_first += 1
            self._first.append(seconds)

    def looked_back(self, until: int) -> None:
        """It is watched from now on, and so that step number will have been seen whole."""
        self._until = until

    def cost(self, estimated: float) -> float:
        """About so many seconds were taken by watching: what steps took longer that were
        watched; no less than was estimated from the operations that were seen.
        """
        first = self._seen_first * self._more_first
        return max(estimated, first + self._seen_later * self._later)

    def wants(self, steps: int, seconds: float, cost: float) -> bool:
        """Whether the next is to be watched, after so many in so many seconds."""
        if not self._sampled or steps < WHOLE:
            return True
        if steps < WHOLE + BARE or self._until <= steps < self._until + EVERY - 1:
            return False
        seen = self._seen_first + self._seen_later
        return cost + max(self._later, cost / max(1, seen)) <= SHARE * seconds

    @property
    def _later(self) -> float:
        return self._more_first if self._more_later is None else self._more_later


class Seen:
    """Each engine has one, and a new one for each cell or program.

    `now` is the engine's clock: seconds since it began, on simulated cards the modelled ones.
    `engines/hooks.py` says what PyTorch's optimizers and loaders do, watched or not: `stepped`
    and `took_batch`. An engine that can look away for a while hands in `switch`, which is
    asked at the ends of steps, in the main thread, and says whether it watches from now on;
    `cost` is what watching took so far.
    """

    def __init__(
        self,
        copies: Copies,
        now: "Callable[[], float]",
        *,
        sampled: bool = False,
        switch: "Callable[[bool], bool] | None" = None,
        cost: "Callable[[], float] | None" = None,
    ) -> None:
        self.copies, self.now = copies, now
        self.idling = Idling(copies)
        self.loading = Loading(copies.lock)
        self.trips = Trips(copies.lock)
        self.steps = Steps()
        self.on = True
        self._sampling = Sampling(sampled=sampled)
        self._switch, self._cost = switch, cost
        self.step_ended: Callable[[int], None] | None = None  # told how many there were
        self._turned = False  # it looked away or back since the last step ended
        self._batches = 0  # since it last came where it could have looked away
        self._step_at = 0.0  # when that ended
        self.point_at = 0.0  # when that was
        self._on_since = 0.0
        self._seen_seconds = 0.0
        self._started = 0.0  # when the first batch came, or the first step ended

    def stepped(self, optimizer: int) -> None:
        """An optimizer, known by that number, has stepped; in the main thread."""
        self._starts()
        if self.steps.optimized(optimizer, whole=self._whole):
            self._step_ends()

    def took_batch(self, begin: float, end: float, workers: int, *, pins: bool) -> None:
        """A loader's next batch was taken, for which the host waited meanwhile; in the main
        thread.
        """
        if self.on:
            spot = place().spot
            row = self.loading.took(end - begin, workers, spot, pins=pins)
            self.idling.loaded(begin, end, spot)
            if self.copies.tracing is not None:
                self.copies.tracing.add("loader", "cpu", begin, end, row)
        self._starts()
        self._batches += 1
        if self.steps.took_batch(whole=self._whole):
            self._step_ends()
        elif self._batches > 1:  # as where a model is tried and does not learn
            self._between()

    def sliced(self) -> None:
        """A slice of time is over; said in the main thread where neither steps nor batches
        come.
        """
        self.steps.sliced(whole=self._whole)
        self._between()
        if self.steps.kind == SLICE:
            self._turned = False

    def changed(
        self,
        command: int,
        *,
        modelled: bool = False,
        busy: "Sequence[tuple[str, float]]" = (),
        memory: "Sequence[Memory]" = (),
        profiled: "Sequence[tuple[str, float, float, float]]" = (),
    ) -> Watched:
        """What is not as it was last said, and the sums; from any thread."""
        now = self.now()
        seen = self._seen_seconds + (now - self._on_since if self.on else 0.0)
        return Watched(
            command,
            now,
            seen,
            self.steps.count,
            self.steps.seen,
            self.steps.kind,
            self._costs(),
            modelled,
            self.copies.changed(command),
            self.idling.changed(),
            self.loading.changed(),
            self.trips.changed(),
            tuple(busy),
            tuple(profiled),
            memory=tuple(memory),
            dropped=self.copies.dropped,
            pauses=tuple(self.idling.paused.items()),
            started=self._started,
        )

    def _costs(self) -> "float | None":
        return None if self._cost is None else self._sampling.cost(self._cost())

    @property
    def _whole(self) -> bool:
        """It was watched since the last step ended."""
        return self.on and not self._turned

    def _step_ends(self) -> None:
        now = self.now()
        begun = self._step_at > 0.0  # what lies before the first is no step
        if self.copies.tracing is not None and begun and self._whole and self.steps.kind:
            self.copies.tracing.add("step", "cpu", self._step_at, now)
        if not self._turned:
            self._sampling.took(now - self._step_at, watched=self.on)
        self._look(now)
        if self.step_ended is not None:
            self.step_ended(self.steps.count)
            now = self.now()
        self._turned, self._step_at = False, now

    def _starts(self) -> None:
        """What came before the first batch, or without any the end of the first step."""
        if not self._started:
            self._started = self.now()
            self.idling.start_ends(self._started)

    def _between(self) -> None:
        was = self.on
        self._look(self.now(), within=self.steps.kind != SLICE)
        self._turned = self._turned or self.on != was

    def _look(self, now: float, *, within: bool = False) -> None:
        """Away or back, as sampling wants it; at the end of a step, or within one."""
        cost = self._costs()
        if self._switch is not None and cost is not None:
            wanted = self._sampling.wants(self.steps.count, now, cost)
            is_on = self._switch(wanted) if wanted != self.on else wanted
            if is_on and not self.on:
                self._on_since = now
                self._sampling.looked_back(self.steps.count + 1 + within)
            elif self.on and not is_on:
                self._seen_seconds += now - self._on_since
            self.on = is_on
            if is_on != wanted:  # a better moment will come
                return
        self.point_at, self._batches = now, 0
