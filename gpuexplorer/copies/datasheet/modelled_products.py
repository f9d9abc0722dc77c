"""How long products would take on a simulated card, and what it would draw; none is made."""

from random import Random

from gpuexplorer.copies.asked_for import index_of
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.samples import spread
from gpuexplorer.core.units import memory as in_words
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.events import Multiplied
from gpuexplorer.lab.wire import KINDS, ProductJob
from gpuexplorer.simulation.reached import product_reached, product_watts, promised_of
from gpuexplorer.simulation.specs import MachineSpec

_WAITED = 11e-6  # for Python to ask, and for the end
_MOST_SHARE = 0.125  # of the free memory
_MATRICES = 3


def modelled_product(spec: MachineSpec, job: ProductJob, chance: Random) -> ProductResult:
    """The lab's simulated cards are as fast."""
    index = index_of(job.device)
    if index is None or index >= len(spec.cards):
        return _refused(job, Message("There is no {device}.", device=job.device))
    if index < 0:
        return _refused(job, Message("The processor of a simulated machine is not modelled."))
    if job.kind not in KINDS:
        return _refused(
            job, Message("There is no kind of number called '{kind}'.", kind=job.kind)
        )
    model = spec.cards[index].model
    free = model.usable_bytes
    need = _MATRICES * job.matrix_bytes
    if need > free * _MOST_SHARE:
        sentence = Message(
            "{size} is more than an eighth of what is free on {device}, which is {free}.",
            size=str(in_words(need)),
            device=job.device,
            free=str(in_words(free)),
        )
        return _refused(job, sentence, Message("Take smaller matrices."))
    rate = product_reached(model, job.kind)
    if rate is None:
        major, minor = model.compute_capability
        sentence = Message(
            "{device} has no TF32: it came with compute capability 8.0, and this card has "
            "{capability}.",
            device=job.device,
            capability=f"{major}.{minor}",
        )
        return _refused(job, sentence, Message("Measure fp32 or bf16 there."))
    seconds = job.operations / rate
    notes = []
    if job.kind == "bf16" and promised_of(model, job.kind) is None:
        notes.append(
            Message("This card's tensor cores do not support BF16: its other cores multiply.")
        )
    measured = Multiplied(
        0, spread(seconds, chance), seconds + _WAITED, modelled=True, notes=tuple(notes)
    )
    return ProductResult(job, measured, watts=product_watts(model, job.kind))


def _refused(job: ProductJob, sentence: Message, hint: Message = NOTHING) -> ProductResult:
    return ProductResult(job, None, failure=sentence, hint=hint)
