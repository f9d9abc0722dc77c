"""A training run as the Python it stands for."""

from gpuexplorer.lab.wire import Train


def loop_of(train: Train) -> str:
    """What the worker does for this command, as a person would write it."""
    inputs, targets = train.inputs, train.targets
    here = f"[at : at + {train.batch}]"
    return "\n".join(
        (
            f"for step in range({train.steps}):",
            f"    at = step * {train.batch} % len({inputs})",
            f"    {train.optimiser}.zero_grad()",
            f"    loss = F.{train.loss}({train.model}({inputs}{here}), {targets}{here})",
            "    loss.backward()",
            f"    {train.optimiser}.step()",
        )
    )
