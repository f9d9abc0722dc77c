"""What matrix products reach on simulated cards: the one home of these figures."""

from gpuexplorer.simulation.models import CardModel

# Of what a card could do in theory, as large products reach it.
SINGLE_REACHED = 0.88
TENSOR_REACHED = 0.79
_OF_LIMIT = {"fp32": 0.94, "tf32": 0.97, "bf16": 1.0}  # of its power limit
_FIRST_WITH_BF16 = (8, 0)


def promised_of(model: CardModel, kind: str) -> float | None:
    """Operations per second in theory; None where its tensor cores do not know the kind."""
    if kind == "fp32":
        return model.fp32
    bf16 = model.bf16
    if bf16 is None or model.compute_capability < _FIRST_WITH_BF16:
        return None
    return bf16 if kind == "bf16" else bf16 / 2


def product_reached(model: CardModel, kind: str) -> float | None:
    """Operations per second, of large products. Without tensor cores for it, BF16 is slow."""
    promised = promised_of(model, kind)
    if promised is not None:
        return promised * (SINGLE_REACHED if kind == "fp32" else TENSOR_REACHED)
    return model.fp32 / 2 * SINGLE_REACHED if kind == "bf16" else None


def product_watts(model: CardModel, kind: str) -> float:
    """What the card draws meanwhile."""
    return model.power_limit * _OF_LIMIT[kind]
