"""Lengths, what a history promises to keep, and Plan, how many rows that takes at one beat."""

import math
from dataclasses import dataclass
from typing import NamedTuple

FASTEST_BEAT = 0.1  # seconds; samples that come faster than this may shorten the past
SHARES = 64  # a full table gives up one of so many equal parts


class Lengths(NamedTuple):
    """How far back a history reaches, in seconds."""

    full_seconds: float  # every reading of at least this long
    day_seconds: float  # then minimum, maximum, mean and count of each bucket
    bucket_seconds: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The sizes of one tape, whose samples are announced to be `period` seconds apart."""

    lengths: Lengths
    period: float

    @property
    def rows(self) -> int:
        """Room for single readings, with some to spare for a beat that is a little early."""
        full, day, bucket = self.lengths
        # A bucket costs as much as four readings, so rare ones are kept singly all day long.
        seconds = max(full, day) if self.period >= bucket / 4 else full
        return _with_slack(seconds / self.period, bucket / self.period)

    @property
    def most_rows(self) -> int:
        """What `rows` may grow to when samples come faster than announced."""
        full, _, bucket = self.lengths
        return max(self.rows, _with_slack(full / FASTEST_BEAT, bucket / FASTEST_BEAT))

    @property
    def buckets(self) -> int:
        """Room for the time before the one that is kept in single readings."""
        full, day, bucket = self.lengths
        return _with_slack(max(0.0, day - full) / bucket, 1)


def _with_slack(rows: float, bucket: float) -> int:
    # The oldest share and the bucket begun there are given up at once; the rest must be enough.
    return math.ceil(rows * (1 + 2 / SHARES) + bucket) + 2
