"""Measures to the end, with one line on a terminal that says how far it has got."""

import sys
from collections.abc import Callable, Sequence

from gpuexplorer.commands.arguments import INTERRUPTED, OK, TROUBLE
from gpuexplorer.commands.terminal import ProgressLine
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.measuring import STOPPED, Bench, Job, Measuring, Progress
from gpuexplorer.copies.plan import Kind, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import tr
from gpuexplorer.lab.wire import CopyJob, ProductJob

_EVERY = 0.1
_LAST_PATIENCE = 3.0


def measured(
    jobs: Sequence[Job],
    bench: Bench,
    on_result: Callable[[CopyResult], None],
    on_product: Callable[[ProductResult], None] = lambda _: None,
) -> str | None:
    """Why it ended: empty where all was measured, None where a person did not want to wait."""
    ends: list[str] = []
    with ProgressLine(sys.stderr) as line:
        measuring = Measuring(
            jobs,
            bench,
            on_result,
            lambda progress: line.show(in_words(progress)),
            ends.append,
            on_product=on_product,
        )
        measuring.start()
        try:
            while not measuring.wait(_EVERY):
                pass
        except KeyboardInterrupt:
            measuring.stop()
            measuring.wait(_LAST_PATIENCE)
            return None
    return ends[0]


def status_after(end: str | None, *, well: bool) -> int:
    """For the shell. Raises Trouble where nothing more could be measured."""
    if end is None:
        return INTERRUPTED
    if end and end != STOPPED:
        raise Trouble(end)
    return OK if well else TROUBLE


def in_words(progress: Progress) -> str:
    if progress.job is None:
        return tr("{done} of {all} measured", done=progress.of, all=progress.of)
    parts = [
        tr(
            "{number} of {all}: {copy}",
            number=progress.done + 1,
            all=progress.of,
            copy=job_in_words(progress.job),
        )
    ]
    if progress.samples:
        parts.append(tr("sample {taken} of {all}", taken=progress.taken, all=progress.samples))
    if progress.seconds_left is not None:
        parts.append(tr("{time} left", time=_left(progress.seconds_left)))
    return ", ".join(parts)


def _left(seconds: float) -> str:
    return f"{max(1.0, seconds):.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def job_in_words(job: CopyJob | ProductJob) -> str:
    if isinstance(job, ProductJob):
        return tr(
            "{type} products on {device}, {size} x {size}",
            type=job.kind.upper(),
            device=job.device,
            size=job.size,
        )
    kind, size = kind_of(job), memory(job.bytes)
    if kind is Kind.ONE_WAY:
        return tr(
            "{source} to {target}, {size}", source=job.source, target=job.target, size=size
        )
    return tr(
        "{source} to {target}, {size}, {mode}",
        source=job.source,
        target=job.target,
        size=size,
        mode=kind.value,
    )
