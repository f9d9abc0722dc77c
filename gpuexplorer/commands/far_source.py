"""Another machine's cards for a command: connected before anything is read of them."""

import sys

from gpuexplorer.commands.arguments import in_the_words
from gpuexplorer.remote.far.machine import FarMachine
from gpuexplorer.remote.host_name import host_name
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine


def connected(
    host: str, python: str | None, simulate: str | None = None, faults: str = "", seed: int = 0
) -> FarMachine:
    """Raises Trouble with the reason, and WrongArgumentsError for what is wrong already here.
    Where somebody is at a terminal, ssh asks there what it has to ask.
    """
    with in_the_words():
        name = host_name(host)
        if simulate is not None:
            parse_faults(faults, len(parse_machine(simulate, seed).cards))
    far = FarMachine(
        name,
        python=python or "",
        simulate=simulate,
        faults=faults,
        seed=seed,
        at_terminal=sys.stdin.isatty() and sys.stderr.isatty(),
    )
    try:
        far.connect()
        far.wait_until_up()
    except BaseException:
        far.stop(1.0)
        raise
    return far
