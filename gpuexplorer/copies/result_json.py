"""Results as JSON, schema 1, and as CSV: what programs read of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.harmless import csv_of
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import Message

SCHEMA = 1
Json: TypeAlias = "str | int | float | bool | None | Sequence[Json] | Mapping[str, Json]"
COLUMNS = (
    "source",
    "target",
    "bytes",
    "mode",
    "pinned",
    "direction",
    "median_s",
    "min_s",
    "max_s",
    "variation",
    "host_s",
    "rate_gbs",
    "back_rate_gbs",
    "limit_gbs",
    "share_of_limit",
    "path",
    "direct",
    "gated",
    "intact",
    "simulated",
    "modelled",
    "notes",
)


def as_json(
    results: Iterable[CopyResult], *, simulated: bool, machine: str | None = None
) -> dict[str, Json]:
    """`machine`: where that is not this computer."""
    told = list(results)
    return {
        "schema": SCHEMA,
        **({} if machine is None else {"machine": machine}),
        "simulated": simulated,
        "modelled": simulated or any(_modelled(each) for each in told),
        "results": [result_as_json(each) for each in told],
    }


def result_as_json(result: CopyResult) -> dict[str, Json]:
    """Whatever was not measured is null, and a note says why."""
    job, measured, route = result.job, result.measured, result.route
    samples = () if measured is None else measured.samples_s
    back = () if measured is None else measured.back_samples_s
    return {
        "source": job.source,
        "target": job.target,
        "bytes": result.bytes,
        "bytes_asked_for": job.bytes,
        "mode": job.mode,
        "pinned": job.pinned,
        "direction": "both" if job.both_ways else "one",
        "pieces": job.pieces,
        "beside": [list(pair) for pair in job.beside],
        "samples_s": list(samples),
        "median_s": _rounded(result.seconds, 12),
        "variation": _rounded(result.variation, 6),
        "host_s": None if measured is None else _rounded(measured.host_s, 12),
        "asked_s": None if measured is None else _rounded(measured.asked_s, 12),
        "back_samples_s": list(back),
        "alone_s": None if measured is None else _rounded(measured.alone_s, 12),
        "copying_s": None if measured is None else _rounded(measured.copying_s, 12),
        "together_s": None if measured is None else _rounded(measured.together_s, 12),
        "hidden_share": _rounded(result.hidden, 6),
        "rate_gbs": gigabytes(result.rate),
        "back_rate_gbs": gigabytes(result.back_rate),
        "limit_gbs": gigabytes(result.limit),
        "share_of_limit": _rounded(result.share, 6),
        "host_memory_near": None if measured is None else measured.near,
        "in_cache": None if measured is None else measured.in_cache,
        "path": "" if route is None else route.words,
        "direct": direct_of(result),
        "gated": None if measured is None else measured.gated,
        "overlap": _rounded(result.overlap, 6),
        "intact": None if measured is None else measured.intact,
        "wrong": [
            {
                "rounds": wrong.rounds,
                "checked": wrong.checked,
                "bytes": wrong.bytes,
                "first": wrong.first,
                "zeros": wrong.zeros,
            }
            for wrong in (() if measured is None else measured.wrong)
        ],
        "compared_samples": None if measured is None else measured.compared_samples,
        "compared_copies": None if measured is None else measured.compared_copies,
        "modelled": _modelled(result),
        "notes": list(notes_of(result)),
    }


def as_csv(
    results: Iterable[CopyResult], *, simulated: bool, machine: str | None = None
) -> str:
    """A header and one line each; an empty field is a figure that there is not. What is of a
    `machine` other than this computer has a column for it.
    """
    columns = COLUMNS if machine is None else (*COLUMNS, "machine")
    rows = []
    for result in results:
        known: dict[str, Json] = {"simulated": simulated, "notes": " ".join(notes_of(result))}
        if result.measured is not None and result.seconds is not None:
            samples = result.measured.samples_s
            known |= {"min_s": min(samples), "max_s": max(samples)}
        rows.append({**result_as_json(result), **known, "machine": machine})
    return csv_of(columns, rows)


def direct_of(result: CopyResult) -> bool | None:
    """As the driver said while it was measured; before that, as the wiring promises."""
    if result.job.mode == "staged":
        return False
    if result.measured is not None and result.measured.direct is not None:
        return result.measured.direct
    return None if result.route is None else result.route.direct


def notes_of(result: CopyResult) -> tuple[Message, ...]:
    """Sentences."""
    notes: list[Message] = []
    if result.failure:
        notes.append(Message("Not measured: {why}", why=result.why))
    if result.wrong:
        notes.append(Message("It arrived WRONG: a wrong copy has no rate."))
    if result.measured is not None:
        if result.measured.modelled:
            notes.append(Message("Modelled: no bytes were moved."))
        if result.compared:
            notes.append(result.compared)
        notes += result.measured.notes
    notes += [each.sentence for each in result.busy]
    if result.traffic is not None:
        traffic = gigabytes_per_second(result.traffic)
        notes.append(
            Message(
                "Copied bytes count once: memory traffic is {traffic} GB/s.", traffic=traffic
            )
        )
    if result.route is not None:
        notes += result.route.notes
    if result.route is not None and result.limit is None and result.route.limit_reason:
        notes.append(Message("No limit: {reason}.", reason=result.route.limit_reason))
    return tuple(notes)


def gigabytes(rate: float | None) -> float | None:
    return None if rate is None else _rounded(rate / 1e9, 6)


def _modelled(result: CopyResult) -> bool:
    return result.measured is not None and result.measured.modelled


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
